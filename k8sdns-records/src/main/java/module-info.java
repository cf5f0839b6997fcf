/** The rules of the Kubernetes DNS specification: objects in, resource records out. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules that it exports to depend on it.
module io.k8sdns.records {
    requires static org.jspecify;
    requires transitive io.k8sdns.model;
    requires transitive org.dnsjava;

    exports io.k8sdns.dnsjava to
            io.k8sdns.forward,
            io.k8sdns.cli,
            io.k8sdns.rfc2136,
            io.k8sdns.server;
    exports io.k8sdns.records;
    exports io.k8sdns.rules to
            io.k8sdns.cli,
            io.k8sdns.clientjava,
            io.k8sdns.server;
}
