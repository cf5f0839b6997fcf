/** Zone, resolver and responder: bytes in, bytes out, no socket, thread or clock; a host wires it to its transport. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The modules that it exports to depend on it.
module io.k8sdns.server {
    requires static org.jspecify;
    requires transitive io.k8sdns.records;

    exports io.k8sdns;
    exports io.k8sdns.autopath;
    exports io.k8sdns.explain;
    exports io.k8sdns.federation;
    exports io.k8sdns.federation.external;
    exports io.k8sdns.pem to
            io.k8sdns.clientjava,
            io.k8sdns.federation;
    exports io.k8sdns.resolver;
    exports io.k8sdns.timers to
            io.k8sdns.cli,
            io.k8sdns.clientjava,
            io.k8sdns.etcd,
            io.k8sdns.federation,
            io.k8sdns.forward;
    exports io.k8sdns.upstream;
    exports io.k8sdns.verify;
    exports io.k8sdns.wire;
    exports io.k8sdns.zone;
}
