package io.k8sdns.records;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeSet;

/**
 * What the cluster's objects put into DNS: every statement about which record exists, one method per heading of the
 * specification. Pure: equal inputs give equal outputs, in any order.
 *
 * <p>Two steps, because records depend on more than one object (a weight on all endpoints, a PTR on every Service that
 * shares the address): one object gives {@link Fact facts}, and all facts at one name give its {@link NameData}.
 */
public final class RecordRules {
    /** The lifetime of the schema version's TXT record in seconds. */
    private static final long VERSION_TTL = 28800;

    private final ZoneSettings settings;

    /** Makes the rules for these settings. */
    public RecordRules(ZoneSettings settings) {
        this.settings = Objects.requireNonNull(settings, "settings");
    }

    /** Returns the settings. */
    public ZoneSettings settings() {
        return settings;
    }

    /** Returns the facts that hold without any object: the zone's own names and the schema version (2.2). */
    public List<Fact> apex() {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact.Exists(forward(DnsLabels.EMPTY)));
        facts.add(new Fact.Exists(forward(DnsLabels.of("svc"))));
        facts.add(new Fact.Exists(forward(DnsLabels.of("pod"))));
        facts.add(new Fact.Exists(forward(DnsLabels.of("dns"))));
        facts.add(new Fact.Text(forward(DnsLabels.of("dns-version")), "1.1.0", VERSION_TTL));
        OwnerName nameServer = forward(DnsLabels.of("ns", "dns"));
        for (IpAddress address : settings.nameServerAddresses()) {
            facts.add(new Fact.Address(nameServer, address));
        }
        return facts;
    }

    /** Returns the facts of a Namespace: its two names exist, {@code NS.pod} only while pod names are answered. */
    public List<Fact> of(Namespace namespace) {
        List<Fact> facts = new ArrayList<>();
        facts.add(new Fact.Exists(forward(DnsLabels.of(namespace.name(), "svc"))));
        if (settings.pods() != PodsMode.DISABLED) {
            facts.add(new Fact.Exists(forward(DnsLabels.of(namespace.name(), "pod"))));
        }
        return facts;
    }

    /** Returns the facts of a Service by itself: 2.3 and 2.5; a headless Service has none. */
    public List<Fact> of(Service service) {
        return service.fold(this::clusterIp, headless -> List.of(), external -> List.of());
    }

    private List<Fact> clusterIp(ClusterIpService service) {
        List<Fact> facts = new ArrayList<>();
        DnsLabels name = serviceName(service);
        for (IpAddress address : service.clusterIps()) {
            facts.add(new Fact.Address(forward(name), address));
            for (ServicePort port : service.ports()) {
                EndpointPort entry = new EndpointPort(port.name(), port.protocol(), OptionalInt.of(port.port()));
                srv(facts, name, entry, name, address);
            }
            facts.add(new Fact.Reverse(new OwnerName.Reverse(address), ReverseRank.CLUSTER_IP, name));
        }
        return facts;
    }

    /** One port at the bare name, and, if it is named, at its own. */
    private void srv(List<Fact> facts, DnsLabels service, EndpointPort port, DnsLabels target, IpAddress address) {
        if (settings.bareSrv()) {
            facts.add(new Fact.Srv(forward(service), port, target, address));
        }
        port.name().ifPresent(portName -> {
            DnsLabels protocol = service.prepend(port.protocol().label());
            facts.add(new Fact.Exists(forward(protocol)));
            facts.add(new Fact.Srv(forward(protocol.prepend("_" + portName)), port, target, address));
        });
    }

    /** Puts all facts at one name together: duplicates dropped, canonical order, weight, choice of PTR targets. */
    public NameData assemble(OwnerName name, Collection<Fact> facts) {
        Set<IpAddress> addresses = new TreeSet<>();
        Set<NameData.Srv> srvs = new TreeSet<>();
        Set<List<Object>> pairs = new HashSet<>();
        Set<DnsLabels> pointers = new TreeSet<>();
        Optional<Fact.Text> text = Optional.empty();
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                addresses.add(address.address());
            } else if (fact instanceof Fact.Srv srv) {
                srvs.add(new NameData.Srv(srv.port().port().orElseThrow(), srv.target()));
                pairs.add(List.of(srv.address(), srv.port()));
            } else if (fact instanceof Fact.Reverse reverse) {
                pointers.add(reverse.target());
            } else if (fact instanceof Fact.Text version) {
                text = Optional.of(version);
            }
        }
        int weight = pairs.isEmpty() ? 0 : Math.max(1, 100 / pairs.size());
        return new NameData(
                List.copyOf(addresses),
                weight,
                List.copyOf(srvs),
                List.copyOf(pointers),
                Optional.empty(),
                text,
                List.of(),
                List.of());
    }

    private static DnsLabels serviceName(Service service) {
        return DnsLabels.of(service.name(), service.namespace(), "svc");
    }

    private static OwnerName forward(DnsLabels labels) {
        return new OwnerName.Forward(labels);
    }
}
