package io.k8sdns.rules;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Protocol;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The names that own SRV records of a Service's ports (2.3.2, 2.4.2): the Service's own name for every port, and {@code _port._proto} below
 * it for a port with a name. A port whose name is too long for a label with an underscore has no {@code _port._proto}.
 */
final class SrvOwners {
    private record Entry(OwnerName owner, EndpointPort port) {}

    private final List<Entry> entries;
    private final List<Fact> protocols = new ArrayList<>(1);

    /**
     * Determines the names.
     *
     * @param atService whether the Service's own name has SRV records
     * @param service the labels of the Service's own name
     * @param ports the ports that have SRV records, each with the number that the records carry
     */
    SrvOwners(boolean atService, DnsLabels service, List<EndpointPort> ports) {
        entries = new ArrayList<>(2 * ports.size());
        List<Protocol> seen = new ArrayList<>(1);
        for (EndpointPort port : ports) {
            if (atService) {
                entries.add(new Entry(RecordRules.forward(service), port));
            }
            Optional<String> portName = port.name().filter(ClusterName.PortName::fits);
            if (portName.isPresent()) {
                DnsLabels protocol = service.prepend(port.protocol().label());
                if (!seen.contains(port.protocol())) {
                    seen.add(port.protocol());
                    protocols.add(new Fact.Exists(RecordRules.forward(protocol)));
                }
                DnsLabels name = protocol.prepend(ClusterName.PortName.label(portName.get()));
                entries.add(new Entry(RecordRules.forward(name), port));
            }
        }
    }

    /** Returns the facts that the names {@code _proto} exist. They are true if the Service has an address. */
    List<Fact> protocols() {
        return protocols;
    }

    /** Adds the SRV records of one address of a target. */
    void addTo(List<Fact> facts, DnsLabels target, IpAddress address) {
        for (Entry entry : entries) {
            facts.add(new Fact.Srv(entry.owner(), entry.port(), target, address));
        }
    }
}
