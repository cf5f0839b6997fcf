/** Federated service discovery: the HTTPS interface that programs stub zones, the JSON of the store, and the controller. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The module that it exports to depends on it.
module io.k8sdns.federation {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires com.fasterxml.jackson.core;
    requires java.naming;
    requires java.net.http;
    requires jdk.httpserver;

    exports io.k8sdns.federation.api;
    exports io.k8sdns.federation.controller;
    exports io.k8sdns.federation.pem to
            io.k8sdns.etcd;
    exports io.k8sdns.federation.store;
}
