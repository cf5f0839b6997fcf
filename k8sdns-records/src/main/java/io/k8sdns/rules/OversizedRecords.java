package io.k8sdns.rules;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.PortKey;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Finds the records of objects that DNS cannot represent: names over 255 bytes in one of the zones, labels over 63 (RFC 1035, 2.3.4).
 * {@link RecordRules} omits them silently; this class reports them.
 */
@Internal
public final class OversizedRecords {
    /**
     * The maximum length of a zone below which every name of the schema fits. A name has at most 254 bytes without its root label. The
     * longest name is {@code _PORT._sctp.SERVICE.NS.svc}: three labels of 63 bytes, one of 5 and one of 3, each with its length byte.
     */
    private static final int ROOMY_ZONE = 254 - (3 * 64 + 6 + 4);

    private final RecordRules rules;

    /** Creates a check of the records that these rules give. */
    public OversizedRecords(RecordRules rules) {
        this.rules = Objects.requireNonNull(rules, "rules");
    }

    /**
     * Returns the omitted records of a cluster.
     *
     * @param cluster the objects, whether or not they are shown
     */
    public List<Diagnostic> check(ClusterSnapshot cluster) {
        boolean tight = rules.settings().zones().stream().anyMatch(zone -> zone.wireLength() > ROOMY_ZONE);
        List<Diagnostic> warnings = new ArrayList<>();
        for (Service service : cluster.objects(Service.class).toList()) {
            if (tight || service instanceof ExternalNameService || hasLongName(service.ports(), ServicePort::name)) {
                warnings.addAll(check(service));
            }
        }
        for (EndpointSlice slice : cluster.objects(EndpointSlice.class).toList()) {
            if (tight || hasLongName(slice.ports(), EndpointPort::name)) {
                slice.serviceRef()
                        .flatMap(cluster::get)
                        .ifPresent(owner -> warnings.addAll(check(slice, (Service) owner)));
            }
        }
        return List.copyOf(warnings);
    }

    private static <T> boolean hasLongName(List<T> ports, Function<T, Optional<String>> name) {
        for (T port : ports) {
            Optional<String> text = name.apply(port);
            if (text.isPresent() && !ClusterName.PortName.fits(text.get())) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the omitted records of a Service.
     *
     * @param service the Service
     * @return warnings {@code name-too-long} for each zone, {@code port-name-too-long}, {@code external-name-too-long}
     */
    public List<Diagnostic> check(Service service) {
        List<Fact> facts = rules.factsOf(service);
        List<Diagnostic> warnings = longNames(service.ref(), facts);
        if (!facts.isEmpty()) {
            addLongPorts(warnings, service.ref(), "spec.ports", service.ports(), ServicePort::name);
        } else if (service instanceof ExternalNameService external) {
            external.targetName()
                    .ifPresent(target -> warnings.add(Diagnostic.warning(
                                    "external-name-too-long",
                                    service.ref(),
                                    "no CNAME record: a label of the target has more than 63 bytes: " + target)
                            .atField("spec.externalName")));
        }
        return List.copyOf(warnings);
    }

    /**
     * Returns the omitted records of a slice.
     *
     * @param slice the slice
     * @param owner the Service that the slice names
     * @return warnings {@code name-too-long} for each zone, {@code port-name-too-long}
     */
    public List<Diagnostic> check(EndpointSlice slice, Service owner) {
        List<Fact> facts = rules.factsOf(slice, owner);
        List<Diagnostic> warnings = longNames(slice.ref(), facts);
        if (!facts.isEmpty()) {
            Set<PortKey> withRecords = EndpointFacts.srvPorts(rules, slice, owner).stream()
                    .map(EndpointPort::key)
                    .collect(Collectors.toSet());
            addLongPorts(
                    warnings,
                    slice.ref(),
                    "ports",
                    slice.ports(),
                    port -> withRecords.contains(port.key()) ? port.name() : Optional.empty());
        }
        return List.copyOf(warnings);
    }

    private List<Diagnostic> longNames(ObjectRef object, List<Fact> facts) {
        Set<DnsLabels> names = new LinkedHashSet<>();
        for (Fact fact : facts) {
            if (fact.owner() instanceof OwnerName.Forward forward) {
                names.add(forward.labels());
            }
            if (fact instanceof Fact.EndpointAddress endpoint) {
                names.add(SynthesizedNames.ofEndpoint(endpoint.owner().address(), endpoint.service()));
            }
        }
        List<Diagnostic> warnings = new ArrayList<>();
        for (DnsLabels zone : rules.settings().zones()) {
            List<DnsLabels> tooLong =
                    names.stream().filter(name -> !name.fitsBelow(zone)).toList();
            if (!tooLong.isEmpty()) {
                String others = tooLong.size() == 1 ? "" : " and " + (tooLong.size() - 1) + " more";
                warnings.add(Diagnostic.warning(
                        "name-too-long",
                        object,
                        "no records in zone " + zone + ": the name has more than 255 bytes there: " + tooLong.get(0)
                                + others));
            }
        }
        return warnings;
    }

    private static <T> void addLongPorts(
            List<Diagnostic> warnings,
            ObjectRef object,
            String field,
            List<T> ports,
            Function<T, Optional<String>> name) {
        for (int i = 0; i < ports.size(); i++) {
            String path = field + "[" + i + "].name";
            name.apply(ports.get(i))
                    .filter(text -> !ClusterName.PortName.fits(text))
                    .ifPresent(text -> warnings.add(Diagnostic.warning(
                                    "port-name-too-long",
                                    object,
                                    "no SRV record at the name of this port: with its underscore it has more than 63 bytes: "
                                            + text)
                            .atField(path)));
        }
    }
}
