package io.k8sdns.rules;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.AddressLabels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The facts of the published endpoints of one slice; see {@link RecordRules#factsOf(EndpointSlice, Service)}. */
final class EndpointFacts {
    private final RecordRules rules;
    private final Service service;
    private final DnsLabels name;
    private final OwnerName owner;

    /** The owners of SRV records; empty for a Service with a cluster IP. */
    private final Optional<SrvOwners> srvOwners;

    private final List<Fact> facts;
    private final Set<IpAddress> seen;
    private boolean hasRepeatedAddress;

    private EndpointFacts(RecordRules rules, EndpointSlice slice, Service service, Optional<List<EndpointPort>> ports) {
        this.rules = rules;
        this.service = service;
        this.name = RecordRules.serviceName(service);
        this.owner = RecordRules.forward(name);
        this.srvOwners = ports.map(list -> new SrvOwners(rules.settings().bareSrv(), name, list));
        this.facts = new ArrayList<>(8 * slice.endpoints().size());
        this.seen = new HashSet<>(2 * slice.endpoints().size());
    }

    /** "DNS for Services and Pods", "Any Pods exposed by a Service": for each published address an endpoint name and a PTR record. */
    static List<Fact> of(RecordRules rules, EndpointSlice slice, ClusterIpService service) {
        return new EndpointFacts(rules, slice, service, Optional.empty()).published(slice);
    }

    /**
     * 2.4, Records for a Headless Service: for each published address an endpoint name and a PTR record, and address and SRV records at
     * the Service's own names.
     */
    static List<Fact> of(RecordRules rules, EndpointSlice slice, HeadlessService service) {
        return new EndpointFacts(rules, slice, service, Optional.of(srvPorts(rules, slice, service))).published(slice);
    }

    private List<Fact> published(EndpointSlice slice) {
        for (Endpoint endpoint : slice.endpoints()) {
            if (service.publishes(endpoint)) {
                endpoint.addresses().forEach(address -> add(endpoint, address));
            }
        }
        // Two facts are equal only if an address is listed twice.
        return hasRepeatedAddress ? facts.stream().distinct().toList() : Collections.unmodifiableList(facts);
    }

    /** 2.4.1 A and AAAA, 2.4.2 SRV, 2.4.3 PTR, and the name of the endpoint, for one of its addresses. */
    private void add(Endpoint endpoint, IpAddress address) {
        // Once, with the first published address.
        if (facts.isEmpty()) {
            srvOwners.ifPresent(owners -> facts.addAll(owners.protocols()));
        }
        hasRepeatedAddress |= !seen.add(address);
        String label = label(endpoint, address);
        DnsLabels target = name.prepend(label);
        OwnerName.Reverse reverse = new OwnerName.Reverse(address);
        if (srvOwners.isPresent()) {
            facts.add(new Fact.Address(owner, address));
            srvOwners.get().addTo(facts, target, address);
        }
        facts.add(new Fact.EndpointAddress(reverse, name));
        if (!AddressLabels.isOf(address, label)) {
            facts.add(new Fact.Address(RecordRules.forward(target), address));
        }
        ptrRank(endpoint).ifPresent(rank -> rules.addPtrCandidate(facts, reverse, rank, target));
    }

    /** 2.1, <i>hostname</i>: the endpoint's {@linkplain RecordRules#endpointName own name}, or the address with dashes. */
    private String label(Endpoint endpoint, IpAddress address) {
        return rules.endpointName(endpoint).orElseGet(() -> AddressLabels.of(address));
    }

    /**
     * Returns whether an endpoint can have a label: whether its hostname, its target or its address gives it, even if another one has
     * precedence. Allocates nothing.
     *
     * @param label one byte for each character
     * @param address the address that the label spells; null if it spells none
     */
    static boolean canHaveLabel(EndpointFilter.Fields endpoint, byte[] label, byte @Nullable [] address) {
        return endpoint.hasHostname(label)
                || endpoint.hasTargetName(label)
                || address != null && endpoint.hasAddress(address);
    }

    /**
     * 2.4.2, SRV Records: the ports of a slice that have SRV records, with {@linkplain RecordRules#srvNumbers their numbers}. A Service with
     * a cluster IP has its SRV records from its own ports.
     */
    static List<EndpointPort> srvPorts(RecordRules rules, EndpointSlice slice, Service service) {
        if (!(service instanceof HeadlessService)) {
            return List.of();
        }
        List<EndpointPort> ports = new ArrayList<>();
        for (EndpointPort port : slice.ports()) {
            rules.srvNumbers(port, service)
                    .forEach(number ->
                            ports.add(new EndpointPort(port.name(), port.protocol(), OptionalInt.of(number))));
        }
        return ports;
    }

    /** 2.4.3, PTR Records: the rank of an endpoint's name as a PTR target of its addresses; empty if it is not one. */
    private Optional<PtrRank> ptrRank(Endpoint endpoint) {
        PtrRank rank = endpoint.hostname().isPresent() ? PtrRank.HOSTNAME : PtrRank.ENDPOINT;
        return rules.canBePtrTarget(endpoint, service) ? Optional.of(rank) : Optional.empty();
    }
}
