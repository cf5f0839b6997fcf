/** Kubernetes objects as DNS needs them, the cluster they form, and the name schema; no dependency at run time. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.model {
    requires static org.jspecify;

    exports io.k8sdns.cluster;
    exports io.k8sdns.model;
    exports io.k8sdns.name;
}
