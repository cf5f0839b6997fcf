/** Kubernetes objects from JSON; an internal module of k8sdns. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules that it exports to depend on it.
module io.k8sdns.json {
    requires static org.jspecify;
    requires transitive io.k8sdns.model;
    requires com.fasterxml.jackson.core;

    exports io.k8sdns.json to
            io.k8sdns.clientjava,
            io.k8sdns.manifest;
}
