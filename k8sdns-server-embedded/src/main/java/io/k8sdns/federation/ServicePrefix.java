package io.k8sdns.federation;

import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName.PortName;
import java.util.Collection;
import org.jspecify.annotations.Nullable;

/**
 * The labels before a federated Service.
 *
 * @param port the label of a port, with its underscore; null if there is none
 * @param protocol the label of a protocol, with its underscore; null if there is none
 * @param rest the labels between these and the Service: none, a cluster, or a host and a cluster
 */
record ServicePrefix(@Nullable String port, @Nullable String protocol, DnsLabels rest) {
    static ServicePrefix of(DnsLabels labels) {
        if (labels.isEmpty() || !PortName.isLabel(labels.label(0))) {
            return new ServicePrefix(null, null, labels);
        }
        if (labels.count() == 1 || !PortName.isLabel(labels.label(1))) {
            return new ServicePrefix(null, labels.foldedLabel(0), labels.skip(1));
        }
        return new ServicePrefix(labels.foldedLabel(0), labels.foldedLabel(1), labels.skip(2));
    }

    /** Returns whether the name is that of a port, or of the protocol above ports. */
    boolean isOfPorts() {
        return protocol != null;
    }

    boolean matches(ServicePort one) {
        return one.name().isPresent()
                && one.protocol().label().equals(protocol)
                && (port == null || port.equals(PortName.label(one.name().get())));
    }

    /** Returns whether one of the shards has this name. Every shard has the name without a port. */
    boolean existsIn(Collection<Shard> shards) {
        return !isOfPorts()
                || shards.stream().flatMap(shard -> shard.ports().stream()).anyMatch(this::matches);
    }
}
