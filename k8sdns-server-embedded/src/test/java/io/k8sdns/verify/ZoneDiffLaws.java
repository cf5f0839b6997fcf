package io.k8sdns.verify;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.ClusterDns;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.records.RecordSet;
import io.k8sdns.zone.SmallClusters;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/** Laws: a zone does not differ from itself, in any order; the reverse comparison is the mirror image; changes lead to the second zone. */
class ZoneDiffLaws {
    @Property(tries = 200)
    void aZoneDoesNotDifferFromItself(@ForAll("clusters") ClusterSnapshot cluster, @ForAll long seed) {
        List<RecordSet> sets = ClusterDns.of(cluster).records();
        List<RecordSet> shuffled = new ArrayList<>(sets);
        Collections.shuffle(shuffled, new Random(seed));

        assertThat(ZoneDiff.between(sets, shuffled, record -> false, target -> false))
                .isEmpty();
        assertThat(ZoneDiff.between(sets, shuffled, record -> true, target -> true))
                .isEmpty();
    }

    @Property(tries = 200)
    void theReverseComparisonIsTheMirrorImage(
            @ForAll("clusters") ClusterSnapshot first, @ForAll("clusters") ClusterSnapshot second) {
        List<RecordSet> before = ClusterDns.of(first).records();
        List<RecordSet> after = ClusterDns.of(second).records();
        Map<Name, ChangedName> there = byName(ZoneDiff.between(before, after, record -> false, target -> false));
        Map<Name, ChangedName> back = byName(ZoneDiff.between(after, before, record -> false, target -> false));

        assertThat(back.keySet()).isEqualTo(there.keySet());
        there.forEach((name, change) -> {
            ChangedName mirrored = requireNonNull(back.get(name));
            assertThat(mirrored.removed()).isEqualTo(change.added());
            assertThat(mirrored.added()).isEqualTo(change.removed());
            assertThat(change.kind() == ChangedName.Kind.VANISHES)
                    .isEqualTo(mirrored.kind() == ChangedName.Kind.APPEARS);
        });
    }

    @Property(tries = 200)
    void theChangesLeadFromTheFirstZoneToTheSecond(
            @ForAll("clusters") ClusterSnapshot first, @ForAll("clusters") ClusterSnapshot second) {
        List<RecordSet> before = ClusterDns.of(first).records();
        List<RecordSet> after = ClusterDns.of(second).records();
        Set<String> records = records(before);
        Set<Name> names = new HashSet<>();
        for (ChangedName change : ZoneDiff.between(before, after, record -> false, target -> false)) {
            assertThat(names.add(change.name())).isTrue();
            change.removed()
                    .forEach(record -> assertThat(records.remove(change.name() + " " + record))
                            .as("%s %s", change.name(), record)
                            .isTrue());
            change.added()
                    .forEach(record -> assertThat(records.add(change.name() + " " + record))
                            .as("%s %s", change.name(), record)
                            .isTrue());
        }

        assertThat(records).isEqualTo(records(after));
    }

    @Property(tries = 20)
    void aSideHasOneSetOfANameAndType(@ForAll("clusters") ClusterSnapshot cluster) {
        List<RecordSet> sets = new ArrayList<>(ClusterDns.of(cluster).records());
        sets.add(sets.get(0));

        assertThatThrownBy(() -> ZoneDiff.between(List.of(), sets, record -> false, target -> false))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith("after: more than one record set of ");
    }

    private static Map<Name, ChangedName> byName(List<ChangedName> changes) {
        Map<Name, ChangedName> byName = new LinkedHashMap<>();
        changes.forEach(change -> byName.put(change.name(), change));
        return byName;
    }

    private static Set<String> records(List<RecordSet> sets) {
        Set<String> records = new HashSet<>();
        for (RecordSet set : sets) {
            for (Record record : set.records()) {
                records.add(set.owner() + " " + set.type() + " " + Expectation.data(record));
            }
        }
        return records;
    }

    @Provide
    Arbitrary<ClusterSnapshot> clusters() {
        return SmallClusters.snapshots();
    }
}
