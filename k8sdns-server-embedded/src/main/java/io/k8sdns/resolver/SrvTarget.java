package io.k8sdns.resolver;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.Name;

/**
 * The host and port in an SRV record (RFC 2782).
 *
 * @param priority the priority; lower values are tried first
 * @param weight the relative weight among targets of one priority
 * @param port the port
 * @param host the host's name, absolute
 * @param addresses the host's addresses as text, from the additional section; empty if the answer has none
 */
public record SrvTarget(int priority, int weight, int port, Name host, List<String> addresses) {
    /** Copies the list. */
    @Internal
    public SrvTarget {
        Objects.requireNonNull(host, "host");
        addresses = Copies.list("addresses", addresses);
    }

    /** Returns host, port and addresses: {@code db-0.db.shop.svc.cluster.local.:5432 [10.244.30.31]}. */
    @Override
    public String toString() {
        return host + ":" + port + " " + addresses;
    }
}
