package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Selector;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.SmallClusters;
import io.k8sdns.zone.ZoneView;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;
import org.xbill.DNS.Type;

/** Hidden names are answered like names that do not exist. */
class ViewLaws {
    private static final int[] TYPES = {Type.A, Type.AAAA, Type.SRV, Type.PTR, Type.CNAME, Type.TXT, Type.ANY, Type.SOA
    };

    @Property(tries = 400)
    void aViewOfNamespacesAnswersAsAZoneOfOnlyTheseNamespaces(
            @ForAll("snapshots") ClusterSnapshot cluster,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("namespaces") Set<String> shown,
            @ForAll @Size(8) List<@From("names") DnsLabels> names) {
        RecordRules rules = new RecordRules(settings);
        ClusterZone whole = ClusterZone.of(cluster, rules, Visibility.ALL);
        ClusterZone alone = ClusterZone.of(only(cluster, shown), rules, Visibility.ALL);
        DnsResponder view = byClient(whole.view(Visibility.ofNamespaces(shown)));
        DnsResponder expected = DnsResponder.builder(ResolverChain.of(alone)).build();
        // A view of a cluster without hidden objects.
        DnsResponder nothingHidden = byClient(alone.view(Visibility.ofNamespaces(shown)));
        for (byte[] query : queries(whole, settings, names)) {
            String seen = Exchange.of(view, Exchange.TCP, query).hex();
            String asked = HexFormat.of().formatHex(query);
            assertThat(seen)
                    .as(asked)
                    .isEqualTo(Exchange.of(nothingHidden, Exchange.TCP, query).hex());
            if (!isOfNetwork(query)) {
                assertThat(seen)
                        .as(asked)
                        .isEqualTo(Exchange.of(expected, Exchange.TCP, query).hex());
            }
            assertThat(view.slowPathCount())
                    .as("slow paths of the view and of a view without hidden objects: %s", asked)
                    .isEqualTo(nothingHidden.slowPathCount());
        }
    }

    /** Returns whether a query is for a partial reverse name, which always exists in a view of namespaces. */
    private static boolean isOfNetwork(byte[] query) {
        DnsLabels name = DnsLabels.ofWire(query, 12, query.length - 5);
        return NameSchema.parseReverse(name)
                .filter(network ->
                        network.prefixLength() < network.base().family().byteCount() * 8)
                .isPresent();
    }

    @Property(tries = 200)
    void aViewByLabelsAnswersAsAZoneWithTheSameVisibility(
            @ForAll("snapshots") ClusterSnapshot cluster,
            @ForAll("histories") List<ClusterChange> history,
            @ForAll("settings") ZoneSettings settings,
            @ForAll @Size(8) List<@From("names") DnsLabels> names) {
        Visibility visibility = Visibility.ALL.onlyWith(Selector.parse("app!=db"));
        RecordRules rules = new RecordRules(settings);
        ClusterZone whole = ClusterZone.empty(rules, Visibility.ALL);
        ZoneView view = whole.view(visibility);
        ClusterZone alone = ClusterZone.empty(rules, visibility);
        for (ClusterZone zone : List.of(whole, alone)) {
            zone.apply(
                    cluster.objects().stream()
                            .<ClusterChange>map(ClusterChange.Put::new)
                            .toList(),
                    100);
            history.forEach(change -> zone.apply(List.of(change), 100));
        }
        DnsResponder seen = byClient(view);
        DnsResponder expected = DnsResponder.builder(ResolverChain.of(alone)).build();
        for (byte[] query : queries(whole, settings, names)) {
            // Their serials may differ.
            assertThat(Exchange.of(seen, Exchange.TCP, query)
                            .message()
                            .toString()
                            .replaceAll("SOA.*", ""))
                    .isEqualTo(Exchange.of(expected, Exchange.TCP, query)
                            .message()
                            .toString()
                            .replaceAll("SOA.*", ""));
            assertThat(seen.slowPathCount()).isEqualTo(expected.slowPathCount());
        }
    }

    /** Returns a responder whose resolver depends on the client. */
    private static DnsResponder byClient(ZoneView view) {
        ResolverChain chain = ResolverChain.of(view);
        DnsResolver views = DnsResolver.byClient((Client client) -> chain);
        return DnsResponder.builder(views).build();
    }

    private static ClusterSnapshot only(ClusterSnapshot cluster, Set<String> namespaces) {
        List<ClusterObject> left = new ArrayList<>();
        for (ClusterObject object : cluster.objects()) {
            if (object instanceof Namespace namespace && namespaces.contains(namespace.name())
                    || object instanceof NamespacedObject owned && namespaces.contains(owned.namespace())) {
                left.add(object);
            }
        }
        return ClusterSnapshot.of(left);
    }

    /** Returns queries for some names in each zone, and for every name with records, the names above it and some below. */
    private static List<byte[]> queries(ClusterZone zone, ZoneSettings settings, List<DnsLabels> some) {
        Set<DnsLabels> names = new LinkedHashSet<>();
        for (DnsLabels name : zone.current().zones()) {
            for (RecordSet set : zone.current().recordSets(name)) {
                for (DnsLabels owner = labels(set); !owner.isEmpty(); owner = owner.skip(1)) {
                    names.add(owner);
                }
            }
        }
        for (DnsLabels one : some) {
            settings.zones().stream().filter(one::fitsBelow).map(one::append).forEach(names::add);
        }
        return names.stream()
                .flatMap(name -> Stream.of(name, upperCase(name)))
                .flatMap(name -> Arrays.stream(TYPES)
                        .mapToObj(type -> Packet.query(name + ".", type).bytes()))
                .toList();
    }

    private static DnsLabels upperCase(DnsLabels name) {
        return DnsLabels.parse(name.toString().toUpperCase(Locale.ROOT));
    }

    private static DnsLabels labels(RecordSet set) {
        byte[] wire = set.owner().toWire();
        return DnsLabels.ofWire(wire, 0, wire.length - 1);
    }

    @Provide
    Arbitrary<ClusterSnapshot> snapshots() {
        return SmallClusters.snapshots();
    }

    @Provide
    Arbitrary<List<ClusterChange>> histories() {
        return SmallClusters.histories();
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<DnsLabels> names() {
        return SmallClusters.names();
    }

    @Provide
    Arbitrary<Set<String>> namespaces() {
        return Arbitraries.of("shop", "prod", "none").set().ofMaxSize(2);
    }
}
