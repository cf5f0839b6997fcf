/** Kubernetes objects as DNS needs them, the cluster they form, and the name schema; no dependency at run time. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules that it exports to depend on it.
module io.k8sdns.model {
    requires static org.jspecify;

    exports io.k8sdns.arguments to
            io.k8sdns.federation,
            io.k8sdns.forward,
            io.k8sdns.cli,
            io.k8sdns.clientjava,
            io.k8sdns.etcd,
            io.k8sdns.json,
            io.k8sdns.manifest,
            io.k8sdns.records,
            io.k8sdns.resolvconf,
            io.k8sdns.rfc2136,
            io.k8sdns.server,
            io.k8sdns.sockets;
    exports io.k8sdns.cluster;
    exports io.k8sdns.completion to
            io.k8sdns.manifest;
    exports io.k8sdns.model;
    exports io.k8sdns.name;
    exports io.k8sdns.schema to
            io.k8sdns.forward,
            io.k8sdns.records,
            io.k8sdns.resolvconf,
            io.k8sdns.server;
    exports io.k8sdns.slices to
            io.k8sdns.server;
}
