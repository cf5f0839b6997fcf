/** The rules of the Kubernetes DNS specification: objects in, resource records out. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.records {
    requires static org.jspecify;
    requires transitive io.k8sdns.model;
    requires transitive org.dnsjava;

    exports io.k8sdns.records;
}
