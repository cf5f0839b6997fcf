/** Micrometer meters of requests, zones and their sources. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.micrometer {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires transitive micrometer.core;

    exports io.k8sdns.micrometer;
}
