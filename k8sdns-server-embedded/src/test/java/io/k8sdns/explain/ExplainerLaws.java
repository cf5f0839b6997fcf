package io.k8sdns.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PortKey;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.zone.SmallClusters;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/**
 * Laws: the explained records are those of the answer, a name has causes unless it resolves, no cause of a Pod is false, and each
 * suggestion resolves.
 */
class ExplainerLaws {
    private static final Pattern PORT = Pattern.compile("(?:spec\\.)?ports\\[(\\d+)\\]");

    private static final List<RecordType> TYPES =
            List.of(RecordType.A, RecordType.AAAA, RecordType.SRV, RecordType.PTR, RecordType.TXT, RecordType.CNAME);

    @Property(tries = 200)
    void theExplainedRecordsAreTheAnswer(
            @ForAll("clusters") ClusterSnapshot cluster, @ForAll("settings") ZoneSettings settings) {
        ClusterDns dns = ClusterDns.of(cluster, settings);
        Explainer explainer = Explainer.of(cluster, settings);
        for (RecordSet set : dns.records()) {
            Explanation explanation = explainer.explain(set.owner(), set.type());
            assertThat(explanation.answer()).isEqualTo(dns.lookup(set.owner(), set.type()));
            assertThat(explanation.causes()).isEmpty();
            assertThat(explanation.sources())
                    .extracting(Explanation.Source::record)
                    .isEqualTo(explanation.answer().answer().stream()
                            .flatMap(RecordSet::lines)
                            .toList());
            assertThat(explanation.sources())
                    .filteredOn(source -> !isOfTheZone(source.record()))
                    .allSatisfy(source -> {
                        assertThat(source.object()).as(source.record()).isPresent();
                        assertThat(source.field()).as(source.record()).doesNotContain("[-1]");
                        assertThat(isPortOfItsOwner(source, cluster))
                                .as(source.toString())
                                .isTrue();
                    });
        }
    }

    /** Returns whether the source of a record at the name of a port is the port with this name and protocol. */
    private static boolean isPortOfItsOwner(Explanation.Source source, ClusterSnapshot cluster) {
        Matcher field = PORT.matcher(source.field());
        if (!source.record().startsWith("_") || !field.matches()) {
            return true;
        }
        int index = Integer.parseInt(field.group(1));
        ClusterObject object = cluster.get(source.object().orElseThrow()).orElseThrow();
        PortKey port = object instanceof EndpointSlice slice
                ? slice.ports().get(index).key()
                : ((Service) object).ports().get(index).key();
        String labels = "_" + port.name().orElseThrow() + "." + port.protocol().label() + ".";
        return source.record().startsWith(labels);
    }

    /** SOA, NS, the address of the name server and the version of the schema depend on no object. */
    private static boolean isOfTheZone(String record) {
        return record.contains(" IN SOA ")
                || record.contains(" IN NS ")
                || record.startsWith("ns.dns.")
                || record.startsWith("dns-version.");
    }

    @Property(tries = 200)
    void eachSuggestionResolves(
            @ForAll("clusters") ClusterSnapshot cluster,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("visibility") Visibility visibility,
            @ForAll long seed) {
        Random random = new Random(seed);
        Explainer explainer = Explainer.of(cluster, settings, visibility);
        for (Name known : ClusterDns.of(cluster, withAllNames(settings)).names()) {
            Name name = mutated(known, random);
            RecordType type = TYPES.get(random.nextInt(TYPES.size()));
            Explanation explanation = explainer.explain(name, type);
            ExplainerTest.assertSuggestionsResolve(cluster, settings, visibility, explanation);
        }
    }

    /** Returns settings that take no name away. */
    private static ZoneSettings withAllNames(ZoneSettings settings) {
        return settings.toBuilder()
                .pods(PodsMode.VERIFIED)
                .endpoints(true)
                .ignoreEmptyServices(false)
                .reversePolicy(ReversePolicy.ALL)
                .build();
    }

    @Property(tries = 200)
    void aNameHasCausesUnlessItResolves(
            @ForAll("clusters") ClusterSnapshot cluster, @ForAll("settings") ZoneSettings settings, @ForAll long seed) {
        Random random = new Random(seed);
        ClusterDns dns = ClusterDns.of(cluster, settings);
        Explainer explainer = Explainer.of(cluster, settings);
        for (Name known : dns.names()) {
            Name name = mutated(known, random);
            RecordType type = TYPES.get(random.nextInt(TYPES.size()));
            Explanation explanation = explainer.explain(name, type);
            assertThat(explanation.resolves()).as("%s %s", name, type).isEqualTo(resolves(dns, name, type, settings));
            assertThat(explanation.causes().isEmpty()).as("%s %s", name, type).isEqualTo(explanation.resolves());
        }
    }

    /** Returns whether a name has records of a type, or is an alias of a name that is not served. */
    private static boolean resolves(ClusterDns dns, Name name, RecordType type, ZoneSettings settings) {
        Answer answer = dns.lookup(name, type);
        List<Name> targets = answer.cnames();
        return answer.answer().stream().anyMatch(set -> set.type().equals(type))
                || !targets.isEmpty() && !settings.isServed(DnsNames.labels(targets.get(targets.size() - 1)));
    }

    /** A cause is true if the name of an endpoint has no records while this cause alone remains. */
    @Property(tries = 500)
    void eachCauseOfAPodKeepsItsNameFromResolving(
            @ForAll("podsOfAService") Pod pod, @ForAll("settings") ZoneSettings settings) {
        DnsLabels below = DnsLabels.of("db-0", "db", "prod", "svc");
        for (DnsLabels zone : settings.zones()) {
            if (below.fitsBelow(zone)) {
                Name name = DnsNames.absolute(below, zone);
                assertThat(resolvesWith(mendedExcept("", pod), name, settings)).isEqualTo(settings.endpoints());
                Explanation explanation = Explainer.of(clusterOf(pod), settings).explain(name, RecordType.A);
                assertThat(explanation.causes().isEmpty()).isEqualTo(explanation.resolves());
                assertThat(explanation.causes())
                        .filteredOn(cause -> !cause.field().isEmpty())
                        .allSatisfy(cause -> assertThat(resolvesWith(mendedExcept(cause.field(), pod), name, settings))
                                .as(cause.toString())
                                .isFalse());
            }
        }
    }

    @Property(tries = 200)
    void noPodThatWasPredictedForADeploymentIsShownAsObserved(
            @ForAll("podsOfAService") Pod pod, @ForAll("settings") ZoneSettings settings) {
        Pod predicted = pod.toBuilder()
                .workload(ObjectRef.of("Deployment", "prod", "web"))
                .build();
        Explainer explainer = Explainer.of(clusterOf(predicted), settings);
        List<Name> names = new ArrayList<>(List.of(DnsNames.absolute(DnsLabels.parse("1.2.0.192.in-addr.arpa"))));
        for (DnsLabels zone : settings.zones()) {
            for (String below : List.of(
                    "db.prod.svc",
                    "db-0.db.prod.svc",
                    "db-0.nope.prod.svc",
                    "_sql._tcp.db.prod.svc",
                    "db-0.prod.svc",
                    "db-0.svc",
                    "dbx.prod.svc",
                    "db-0.prod.pod",
                    "192-0-2-1.prod.pod",
                    "192-0-2-1.lab.pod")) {
                DnsLabels labels = DnsLabels.parse(below);
                if (labels.fitsBelow(zone)) {
                    names.add(DnsNames.absolute(labels, zone));
                }
            }
        }
        for (Name name : names) {
            for (RecordType type : TYPES) {
                Explanation explanation = explainer.explain(name, type);
                assertThat(explanation.sources())
                        .allSatisfy(source -> assertThat(source.object() + source.field())
                                .as("%s %s", name, type)
                                .doesNotContain("Pod prod/"));
                assertThat(explanation.causes())
                        .allSatisfy(cause -> assertThat(cause.toString()).doesNotContain("Pod prod/"));
                assertThat(explanation.suggestions())
                        .allSatisfy(suggestion -> assertThat(suggestion.text() + suggestion.object())
                                .doesNotContain("Pod prod/"));
            }
        }
    }

    /** Returns a Pod with all that the endpoint db-0 of the Service needs, except for the field of one cause. */
    private static Pod mendedExcept(String field, Pod pod) {
        Pod.Builder mended = pod.toBuilder();
        Map<String, Runnable> mends = Map.of(
                "spec.hostname", () -> mended.hostname("db-0"),
                "spec.subdomain", () -> mended.subdomain("db"),
                "spec.selector", () -> mended.labels("app=db"),
                "status.conditions", () -> mended.ready(true),
                "status.podIPs", () -> mended.ips("192.0.2.1"));
        mends.forEach((mendedField, mend) -> {
            if (!mendedField.equals(field)) {
                mend.run();
            }
        });
        return mended.build();
    }

    private static boolean resolvesWith(Pod pod, Name name, ZoneSettings settings) {
        return !ClusterDns.of(clusterOf(pod), settings)
                .lookup(name, RecordType.A)
                .answer()
                .isEmpty();
    }

    private static ClusterSnapshot clusterOf(Pod pod) {
        HeadlessService service =
                HeadlessService.builder("prod", "db").selector("app=db").build();
        List<ClusterObject> objects = new ArrayList<>(List.of(Namespace.of("prod"), service, pod));
        objects.addAll(EndpointSliceRules.of(service, List.of(pod), List.<Node>of()));
        return ClusterSnapshot.of(objects);
    }

    /** Returns a name with a label removed, repeated or misspelt, or unchanged. */
    private static Name mutated(Name name, Random random) {
        String[] labels = name.toString(true).split("\\.", -1);
        int at = random.nextInt(labels.length);
        String label = labels[at];
        labels[at] = switch (random.nextInt(5)) {
            case 0 -> "";
            case 1 -> label + "." + label;
            case 2 -> label.substring(1) + label.charAt(0);
            case 3 -> label.startsWith("_") ? label.substring(1) : label + "x";
            default -> label;
        };
        String text = String.join(".", labels).replaceAll("\\.+", ".").replaceAll("^\\.|\\.$", "");
        try {
            return Name.fromString(text + ".");
        } catch (TextParseException tooLong) {
            return name;
        }
    }

    @Provide
    Arbitrary<Pod> podsOfAService() {
        return Combinators.combine(
                        Arbitraries.of("db-0", "db-0", "db-1"),
                        Arbitraries.of("db-0", "primary").optional(),
                        Arbitraries.of("db", "data").optional(),
                        Arbitraries.of("app=db", "app=cart"),
                        Arbitraries.of(true, false),
                        Arbitraries.of(List.<IpAddress>of(), List.of(IpAddress.parse("192.0.2.1"))))
                .as((name, hostname, subdomain, labels, ready, ips) -> {
                    Pod.Builder pod = Pod.builder("prod", name)
                            .labels(labels)
                            .ready(ready)
                            .ips(ips);
                    hostname.ifPresent(pod::hostname);
                    subdomain.ifPresent(pod::subdomain);
                    return pod.build();
                });
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<Visibility> visibility() {
        return SmallClusters.visibility();
    }

    @Provide
    Arbitrary<ClusterSnapshot> clusters() {
        return SmallClusters.snapshots();
    }
}
