/** DNS over UDP and TCP on the channels of the JDK: listeners that a responder answers, and a client. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.sockets {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;

    exports io.k8sdns.sockets;
}
