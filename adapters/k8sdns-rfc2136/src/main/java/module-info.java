/** External zones of federations on name servers that support dynamic updates. */
@org.jspecify.annotations.NullMarked
@SuppressWarnings("module") // The name of the RFC ends with a digit.
module io.k8sdns.rfc2136 {
    requires static org.jspecify;
    requires transitive io.k8sdns.server;

    exports io.k8sdns.rfc2136;
}
