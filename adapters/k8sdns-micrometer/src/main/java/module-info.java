/** Micrometer meters of requests, zones, their sources and forwarding. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.micrometer {
    requires static org.jspecify;
    requires static io.k8sdns.forward;
    requires transitive io.k8sdns.server;
    requires transitive micrometer.core;

    exports io.k8sdns.micrometer;
}
