/** A federation store in etcd. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.etcd {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires io.k8sdns.federation;
    requires java.net.http;
    requires com.fasterxml.jackson.core;

    exports io.k8sdns.etcd;
}
