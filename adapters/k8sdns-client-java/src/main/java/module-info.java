/** A live cluster as a source of records. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.clientjava {
    requires static org.jspecify;
    requires transitive io.k8sdns.model;

    exports io.k8sdns.clientjava;
}
