/** DNS on Netty: channel handlers that a responder answers. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.netty {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;
    requires io.netty.buffer;
    requires io.netty.common;
    requires transitive io.netty.transport;

    exports io.k8sdns.netty;
}
