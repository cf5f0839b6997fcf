package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.rules.StoredName;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneRevision;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the lookup of a name and its address, at random among all names: the zone's layout with one array per name, and two rejected
 * alternatives.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Lookup -jvmArgs -Xmx3g}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LookupBenchmark {
    /** The names of each Service: its own, that of its protocol and that of its port. */
    private static final int NAMES_EACH = 3;

    /** The number of different questions. */
    static final int QUESTIONS = 1 << 16;

    /** The number of names. */
    @Param({"10000", "1000000"})
    public int names;

    private ZoneRevision revision;
    private Entries entries;
    private Map<DnsLabels, byte[]> map;
    private byte[][] questions;
    private int next;
    private final StoredName found = new StoredName();

    /** Creates the zone, the other layouts of the same names, and the questions. */
    @Setup
    public void fill() {
        int services = names / NAMES_EACH;
        List<ClusterObject> objects = new ArrayList<>(SampleObjects.namespaces());
        for (int i = 0; i < services; i++) {
            objects.add(SampleObjects.clusterIp(i));
        }
        revision = ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL)
                .current();
        entries = new Entries(revision);
        map = new HashMap<>();
        revision.forEach((name, data) -> {
            if (name instanceof OwnerName.Forward forward) {
                map.put(forward.labels(), Entries.ipv4(data));
            }
        });
        Random random = new Random(1);
        questions = new byte[QUESTIONS][];
        for (int i = 0; i < QUESTIONS; i++) {
            int service = random.nextInt(services);
            questions[i] = DnsLabels.of("service-" + service, "namespace-" + service % 100, "svc")
                    .toWire();
        }
    }

    private byte[] question() {
        next = next + 1 & QUESTIONS - 1;
        return questions[next];
    }

    /** Looks up in the zone: segment, hashes, and one array with name and addresses. */
    @Benchmark
    public int oneArray() {
        byte[] question = question();
        return revision.moveToName(question, 0, question.length, found)
                ? found.ipv4(found.addressesAt(IpFamily.IPV4), 0)
                : 0;
    }

    /** Looks up in the zone's former layout: an entry, its labels with their array, and its data with the array of addresses. */
    @Benchmark
    public int entries() {
        byte[] question = question();
        Entries.Entry entry = entries.get(question, 0, question.length);
        return entry == null ? 0 : ByteBuffer.wrap(entry.data.ipv4).getInt();
    }

    /** Looks up in a {@code HashMap}, which needs a key object for each lookup. */
    @Benchmark
    public int hashMap() {
        byte[] question = question();
        byte[] ipv4 = map.get(DnsLabels.ofWire(question, 0, question.length));
        return ipv4 == null ? 0 : ByteBuffer.wrap(ipv4).getInt();
    }

    /** The former layout: hash tables with open addressing, in segments. */
    private static final class Entries {
        private static final int SEGMENT = 32;

        private static final class Data {
            final byte[] ipv4;

            Data(byte[] ipv4) {
                this.ipv4 = ipv4;
            }
        }

        private record Entry(DnsLabels name, Data data) {}

        private final Entry[][] segments;

        Entries(ZoneRevision revision) {
            List<Entry> all = new ArrayList<>();
            revision.forEach((name, data) -> {
                if (name instanceof OwnerName.Forward forward) {
                    all.add(new Entry(forward.labels(), new Data(ipv4(data))));
                }
            });
            int count = Integer.highestOneBit(Math.max(2, all.size() / SEGMENT * 2));
            int[] sizes = new int[count];
            all.forEach(entry -> sizes[segment(entry.name.hashCode(), count)]++);
            segments = new Entry[count][];
            for (int i = 0; i < count; i++) {
                segments[i] = new Entry[Math.max(2, Integer.highestOneBit(sizes[i] * 4 / 3) * 2)];
            }
            for (Entry entry : all) {
                Entry[] slots = segments[segment(entry.name.hashCode(), count)];
                int slot = entry.name.hashCode() & slots.length - 1;
                while (slots[slot] != null) {
                    slot = slot + 1 & slots.length - 1;
                }
                slots[slot] = entry;
            }
        }

        static byte[] ipv4(NameData data) {
            return data.addresses().isEmpty()
                    ? new byte[0]
                    : data.addresses().get(0).bytes();
        }

        private static int segment(int hash, int count) {
            return hash >>> Integer.numberOfLeadingZeros(count) + 1;
        }

        Entry get(byte[] bytes, int from, int to) {
            int hash = DnsLabels.hash(bytes, from, to);
            Entry[] slots = segments[segment(hash, segments.length)];
            int slot = hash & slots.length - 1;
            while (slots[slot] != null
                    && !(slots[slot].name.hashCode() == hash && slots[slot].name.matches(bytes, from, to))) {
                slot = slot + 1 & slots.length - 1;
            }
            return slots[slot];
        }
    }
}
