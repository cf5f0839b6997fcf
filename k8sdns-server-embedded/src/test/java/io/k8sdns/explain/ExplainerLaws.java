package io.k8sdns.explain;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.ClusterDns;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.zone.SmallClusters;
import java.util.List;
import java.util.Random;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.Name;
import org.xbill.DNS.TextParseException;

/** Laws: the explained records are those of the answer, a name has causes unless it resolves, and each suggestion resolves. */
class ExplainerLaws {
    private static final List<RecordType> TYPES =
            List.of(RecordType.A, RecordType.AAAA, RecordType.SRV, RecordType.PTR, RecordType.TXT, RecordType.CNAME);

    @Property(tries = 200)
    void theExplainedRecordsAreTheAnswer(@ForAll("clusters") ClusterSnapshot cluster) {
        ClusterDns dns = ClusterDns.of(cluster);
        Explainer explainer = Explainer.of(cluster);
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
                    });
        }
    }

    /** SOA, NS, the address of the name server and the version of the schema depend on no object. */
    private static boolean isOfTheZone(String record) {
        return record.contains(" IN SOA ")
                || record.contains(" IN NS ")
                || record.startsWith("ns.dns.")
                || record.startsWith("dns-version.");
    }

    @Property(tries = 200)
    void eachSuggestionResolves(@ForAll("clusters") ClusterSnapshot cluster, @ForAll long seed) {
        Random random = new Random(seed);
        Explainer explainer = Explainer.of(cluster);
        for (Name known : ClusterDns.of(cluster).names()) {
            Name name = mutated(known, random);
            RecordType type = TYPES.get(random.nextInt(TYPES.size()));
            Explanation explanation = explainer.explain(name, type);
            ExplainerTest.assertSuggestionsResolve(cluster, ZoneSettings.DEFAULTS, explanation);
        }
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
            assertThat(explanation.resolves())
                    .as("%s %s", name, type)
                    .isEqualTo(!dns.lookup(name, type).answer().isEmpty());
            assertThat(explanation.causes().isEmpty()).as("%s %s", name, type).isEqualTo(explanation.resolves());
        }
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
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<ClusterSnapshot> clusters() {
        return SmallClusters.snapshots();
    }
}
