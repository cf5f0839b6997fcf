/** Kubernetes manifests in YAML and JSON as cluster objects. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.manifest {
    requires static org.jspecify;
    requires io.k8sdns.json;
    requires transitive io.k8sdns.model;
    requires transitive io.k8sdns.resolvconf;
    requires com.fasterxml.jackson.core;
    requires org.yaml.snakeyaml;

    exports io.k8sdns.kubedns;
    exports io.k8sdns.manifest;
}
