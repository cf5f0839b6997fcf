/** Predicts a Pod's resolv.conf, hostname and FQDN, and the queries of its programs. */
@org.jspecify.annotations.NullMarked
module io.k8sdns.resolvconf {
    requires static org.jspecify;
    requires transitive io.k8sdns.model;

    exports io.k8sdns.advice;
    exports io.k8sdns.plan;
    exports io.k8sdns.resolvconf;
    exports io.k8sdns.search;
}
