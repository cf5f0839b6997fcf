/** A live cluster as a source of records. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.clientjava {
    requires static org.jspecify;
    requires io.k8sdns.json;
    requires static io.kubernetes.client.java;
    requires transitive io.k8sdns.server;
    requires transitive io.kubernetes.client.java.api;
    requires okhttp3;
    requires okio;

    exports io.k8sdns.clientjava;
}
