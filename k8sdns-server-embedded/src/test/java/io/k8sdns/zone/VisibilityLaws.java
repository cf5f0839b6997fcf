package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Node;
import io.k8sdns.model.Selector;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** Answers to a tenant depend only on the objects that are visible to the tenant. */
class VisibilityLaws {
    private static final List<Integer> TYPES =
            List.of(Type.A, Type.AAAA, Type.SRV, Type.PTR, Type.TXT, Type.CNAME, Type.ANY);

    /**
     * A, SRV with additional records, PTR, CNAME with their targets, NXDOMAIN: all equal those of a cluster with only the
     * visible namespaces.
     */
    @Property(tries = 300)
    void hiddenNamespacesDoNotAffectAnswers(
            @ForAll("snapshots") ClusterSnapshot cluster,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("namespaces") Set<String> granted) {
        RecordRules rules = new RecordRules(settings);
        ClusterZone all = ClusterZone.of(cluster, rules, Visibility.ALL);
        ClusterZone view = ClusterZone.of(cluster, rules, Visibility.ofNamespaces(granted));
        ClusterZone alone = ClusterZone.of(only(cluster, granted), rules, Visibility.ALL);
        assertThat(records(view)).isEqualTo(records(alone));
        assertThat(answers(view, questions(all))).isEqualTo(answers(alone, questions(all)));
    }

    @Property(tries = 300)
    void aViewWithoutVisibleObjectsIsTheZoneOfAnEmptyCluster(
            @ForAll("snapshots") ClusterSnapshot cluster, @ForAll("settings") ZoneSettings settings) {
        RecordRules rules = new RecordRules(settings);
        ClusterZone all = ClusterZone.of(cluster, rules, Visibility.ALL);
        ClusterZone empty = ClusterZone.of(ClusterSnapshot.of(List.of()), rules, Visibility.ALL);
        for (Visibility nothing : List.of(
                Visibility.NOTHING,
                Visibility.ofNamespaces(Set.of()),
                Visibility.ofNamespacesWith(Selector.parse("")))) {
            ClusterZone view = ClusterZone.of(cluster, rules, nothing);
            assertThat(records(view)).isEqualTo(records(empty));
            assertThat(answers(view, questions(all))).isEqualTo(answers(empty, questions(all)));
        }
    }

    /** A shared address may get another PTR target (a cluster IP wins), but still has a PTR. */
    @Property(tries = 300)
    void anAdditionalNamespaceHidesNoRecord(
            @ForAll("snapshots") ClusterSnapshot cluster,
            @ForAll("settings") ZoneSettings settings,
            @ForAll("namespaces") Set<String> granted,
            @ForAll("namespace") String another) {
        RecordRules rules = new RecordRules(settings);
        Set<String> more = new HashSet<>(granted);
        more.add(another);
        ClusterZone less = ClusterZone.of(cluster, rules, Visibility.ofNamespaces(granted));
        ClusterZone wider = ClusterZone.of(cluster, rules, Visibility.ofNamespaces(more));
        Map<Question, Set<String>> before = forward(less);
        Map<Question, Set<String>> after = forward(wider);
        assertThat(after.keySet()).containsAll(before.keySet());
        before.forEach((question, records) -> {
            if (!question.type().equals(RecordType.PTR)) {
                assertThat(after.get(question)).containsAll(records);
            }
        });
    }

    private static ClusterSnapshot only(ClusterSnapshot cluster, Set<String> namespaces) {
        List<ClusterObject> left = new ArrayList<>();
        for (ClusterObject object : cluster.objects()) {
            if (object instanceof Node
                    || object instanceof Namespace namespace && namespaces.contains(namespace.name())
                    || object instanceof NamespacedObject owned && namespaces.contains(owned.namespace())) {
                left.add(object);
            }
        }
        return ClusterSnapshot.of(left);
    }

    private static Map<String, List<RecordSet>> records(ClusterZone zone) {
        Map<String, List<RecordSet>> records = new LinkedHashMap<>();
        for (DnsLabels name : zone.current().zones()) {
            records.put(name.toString(), zone.current().recordSets(name));
        }
        return records;
    }

    /** Returns the records of a zone without the SOA, and without weights, which depend on the number of targets. */
    private static Map<Question, Set<String>> forward(ClusterZone zone) {
        Map<Question, Set<String>> data = new LinkedHashMap<>();
        for (DnsLabels name : zone.current().zones()) {
            for (RecordSet set : zone.current().recordSets(name)) {
                if (set.typeNumber() != Type.SOA) {
                    Set<String> texts =
                            data.computeIfAbsent(question(set.owner(), set.typeNumber()), any -> new LinkedHashSet<>());
                    set.records().forEach(record -> texts.add(text(record)));
                }
            }
        }
        return data;
    }

    private static String text(Record record) {
        return record instanceof org.xbill.DNS.SRVRecord srv
                ? srv.getPort() + " " + srv.getTarget()
                : record.rdataToString();
    }

    /** Returns questions of every type for the names that have records, and for names below and above them. */
    private static Set<Question> questions(ClusterZone zone) {
        Set<Question> questions = new LinkedHashSet<>();
        for (DnsLabels name : zone.current().zones()) {
            for (RecordSet set : zone.current().recordSets(name)) {
                for (int type : TYPES) {
                    questions.add(question(set.owner(), type));
                    if (set.owner().labels() > 2) {
                        questions.add(question(new Name(set.owner(), 1), type));
                    }
                }
            }
        }
        return questions;
    }

    private static Question question(Name name, int type) {
        return Question.of(name, RecordType.of(type));
    }

    private static List<Answer> answers(ClusterZone zone, Set<Question> questions) {
        DnsResolver resolver = ResolverChain.of(zone);
        List<Answer> answers = new ArrayList<>();
        for (Question question : questions) {
            Resolution resolution = resolver.resolve(question, Client.IN_PROCESS);
            resolution.deliver(answers::add);
        }
        assertThat(answers).hasSize(questions.size());
        return answers;
    }

    @Provide
    Arbitrary<ClusterSnapshot> snapshots() {
        return SmallClusters.snapshots();
    }

    @Provide
    Arbitrary<ZoneSettings> settings() {
        return SmallClusters.settings();
    }

    @Provide
    Arbitrary<String> namespace() {
        return Arbitraries.of("shop", "prod", "none");
    }

    @Provide
    Arbitrary<Set<String>> namespaces() {
        return namespace().set().ofMaxSize(2);
    }
}
