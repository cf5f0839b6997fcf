/** The JSON of federated service discovery. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.federation {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires com.fasterxml.jackson.core;

    exports io.k8sdns.federation.store;
}
