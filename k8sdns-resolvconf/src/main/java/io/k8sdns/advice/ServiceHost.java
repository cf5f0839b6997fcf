package io.k8sdns.advice;

import io.k8sdns.hosts.NameText;
import io.k8sdns.schema.NameSchema;
import java.util.Locale;
import java.util.Optional;

/**
 * A host string read as the name of a Service, of an endpoint or port below one, or of a namespace.
 *
 * @param service the label before the namespace, in lower case; empty for the name of a namespace, {@code shop.svc}
 * @param namespace the last label before {@code svc}, or the last one if there is none, in lower case
 * @param isBelow whether there are labels before the Service, as in {@code db-0.db.shop}
 * @param ending how the host string ends
 * @param fullName the absolute name in the cluster domain, in presentation form
 */
record ServiceHost(Optional<String> service, String namespace, boolean isBelow, Ending ending, String fullName) {
    /** The part of a host string after the namespace. */
    enum Ending {
        /** No label: {@code db.shop}, and also {@code example.com}. */
        NONE,
        /** {@code .svc}. */
        SVC,
        /** {@code .svc} and the first labels of the cluster domain, without the last one: {@code .svc.cluster}. */
        PART_OF_ZONE,
        /** {@code .svc} and the cluster domain. */
        ZONE
    }

    private static final String SVC = "." + NameSchema.SERVICES;

    /**
     * Returns the parts of a host string; empty if it has a single label without {@code .svc}, or ends in a dot outside the
     * cluster domain.
     */
    static Optional<ServiceHost> parse(String host, String clusterDomain) {
        String services = SVC + "." + NameText.withoutDot(clusterDomain).toLowerCase(Locale.ROOT);
        String utf8 = NameText.utf8(host);
        String name = NameText.withoutDot(utf8).toLowerCase(Locale.ROOT);
        Ending ending = Ending.NONE;
        if (name.endsWith(services)) {
            ending = Ending.ZONE;
            name = name.substring(0, name.length() - services.length());
        } else if (utf8.endsWith(".")) {
            return Optional.empty();
        } else {
            for (int end = services.lastIndexOf('.'); end > 0; end = services.lastIndexOf('.', end - 1)) {
                if (name.endsWith(services.substring(0, end))) {
                    ending = end == SVC.length() ? Ending.SVC : Ending.PART_OF_ZONE;
                    name = name.substring(0, name.length() - end);
                    break;
                }
            }
        }
        int last = name.lastIndexOf('.');
        if (last < 0 && ending == Ending.NONE) {
            return Optional.empty();
        }
        int before = name.lastIndexOf('.', last - 1);
        Optional<String> service = last < 0 ? Optional.empty() : Optional.of(name.substring(before + 1, last));
        String namespace = name.substring(last + 1);
        Ending found = ending;
        return NameText.plain(name + services)
                .map(full -> new ServiceHost(service, namespace, before >= 0, found, full));
    }

    /** Returns whether the host string cannot be the name of a host outside the cluster. */
    boolean isClusterOnly() {
        return ending == Ending.SVC || ending == Ending.PART_OF_ZONE || ending == Ending.NONE && !isBelow;
    }
}
