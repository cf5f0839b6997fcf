/** A forwarder to other DNS servers over UDP, TCP and TLS, a cache of their answers, and a DNS cache for nodes. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.forward {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires com.github.benmanes.caffeine;
    requires static io.k8sdns.manifest;
    requires io.k8sdns.sockets;

    exports io.k8sdns.forward;
    exports io.k8sdns.nodecache;
}
