package io.k8sdns.rules;

import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;

/**
 * The packed SRV records of a name, in order of port and target. They are divided into runs: the records of a run have the same port, and
 * their targets are one label below the same parent.
 *
 * <pre>
 * run       port (2 bytes), parent (a name of {@link PackedName}), count, prefix, labels;
 *           or, for one record whose target is the name's own Service: port, target (a name that is only a reference), 0
 * prefix    length byte, the bytes with which the first label of every target begins
 * label     length byte, the bytes of a first label after the prefix
 * </pre>
 *
 * <p>The labels of a headless Service's endpoints differ in a few letters at the end. A run has at most {@value #MAX_RUN} records, so that
 * an edit decodes few records of a Service with thousands. The boundaries of runs depend on earlier edits, so equal records may have
 * different bytes.
 */
final class PackedSrvs {
    /** The maximum number of records in a run. */
    static final int MAX_RUN = 32;

    /** In place of the count: the run is one record, and its target is the name that is otherwise the parent. */
    private static final int WHOLE_TARGET = 0;

    private PackedSrvs() {}

    /** Returns the port of a run. */
    static int port(byte[] packed, int run) {
        return (packed[run] & 0xFF) << 8 | packed[run + 1] & 0xFF;
    }

    /** Returns the offset in the first name of the target of a run of one record; -1 if its target is stored in another form. */
    static int wholeTargetAt(byte[] packed, int run) {
        boolean isReference = packed[run + 2] < 0;
        return isReference && packed[run + 3] == WHOLE_TARGET ? PackedName.referenceAt(packed, run + 2) : -1;
    }

    /** Returns the records at an offset. */
    static List<NameData.Srv> read(byte[] packed, int from, int count) {
        List<NameData.Srv> srvs = new ArrayList<>(count);
        for (Run run : runs(packed, from, count)) {
            run.addTo(srvs);
        }
        return srvs;
    }

    /**
     * Returns whether two names with the same number of records have the same records. Different bytes may hold the same records, because
     * runs may end at other records. So first compares the runs that contain the first different byte, up to the end of the shorter one. If
     * these records differ, no other run is decoded, so that comparing a name with its edited form is cheap.
     */
    static boolean areEqual(byte[] packed, int from, byte[] other, int otherFrom, int count) {
        int same = Arrays.mismatch(packed, from, packed.length, other, otherFrom, other.length);
        if (same < 0) {
            return true;
        }
        List<NameData.Srv> mine = runAt(from + same, runs(packed, from, count));
        List<NameData.Srv> others = runAt(otherFrom + same, runs(other, otherFrom, count));
        int shorter = Math.min(mine.size(), others.size());
        return mine.subList(0, shorter).equals(others.subList(0, shorter))
                && read(packed, from, count).equals(read(other, otherFrom, count));
    }

    /** Returns the records of the run that contains an offset. */
    private static List<NameData.Srv> runAt(int at, List<Run> runs) {
        List<NameData.Srv> srvs = new ArrayList<>();
        runs.stream().filter(run -> run.end > at).findFirst().ifPresent(run -> run.addTo(srvs));
        return srvs;
    }

    static List<Run> runs(byte[] packed, int from, int count) {
        List<Run> runs = new ArrayList<>();
        int at = from;
        for (int left = count; left > 0; ) {
            Run run = new Run(packed, at);
            runs.add(run);
            left -= run.count;
            at = run.end;
        }
        return runs;
    }

    /** Writes sorted records. */
    static void write(List<NameData.Srv> sorted, PackedName.Writer out) {
        byte[][] targets = new byte[sorted.size()][];
        Arrays.setAll(targets, i -> sorted.get(i).target().toWire());
        int to;
        for (int from = 0; from < targets.length; from = to) {
            to = from + 1;
            while (to < targets.length
                    && sorted.get(to).port() == sorted.get(from).port()
                    && hasSameParent(targets[from], targets[to])) {
                to++;
            }
            int runs = (to - from + MAX_RUN - 1) / MAX_RUN;
            for (int run = 0; run < runs; run++) {
                byte[][] targetsOfRun = Arrays.copyOfRange(
                        targets, from + run * (to - from) / runs, from + (run + 1) * (to - from) / runs);
                writeRun(sorted.get(from).port(), targetsOfRun, out);
            }
        }
    }

    /** Compares bytes, so that a target keeps its case. */
    private static boolean hasSameParent(byte[] target, byte[] other) {
        return Arrays.equals(target, 1 + target[0], target.length, other, 1 + other[0], other.length);
    }

    private static void writeRun(int port, byte[][] targets, PackedName.Writer out) {
        byte[] first = targets[0];
        if (targets.length == 1 && out.isReference(first)) {
            // The target is the Service itself; the owner is the Service's name or the name of a port.
            out.putNumber(port, 2);
            out.putName(DnsLabels.ofWire(first, 0, first.length));
            out.putCount(WHOLE_TARGET);
            return;
        }
        int prefix = first[0];
        for (byte[] target : targets) {
            int same = Arrays.mismatch(first, 1, 1 + prefix, target, 1, 1 + target[0]);
            prefix = same < 0 ? prefix : same;
        }
        out.putNumber(port, 2);
        out.putName(DnsLabels.ofWire(first, 1 + first[0], first.length));
        out.putCount(targets.length);
        out.putByte(prefix);
        out.putRange(first, 1, 1 + prefix);
        for (byte[] target : targets) {
            out.putByte(target[0] - prefix);
            out.putRange(target, 1 + prefix, 1 + target[0]);
        }
    }

    /** The view of one run. */
    static final class Run {
        private final byte[] packed;
        private final int from;
        private final int port;

        /** Whether the run is one record whose target is stored whole, not as a parent and a label. */
        private final boolean hasWholeTarget;

        private final int count;
        private final int prefixAt;
        private final int labelsAt;
        private final int end;

        Run(byte[] packed, int from) {
            this.packed = packed;
            this.from = from;
            port = port(packed, from);
            int countAt = PackedName.afterName(packed, from + 2);
            hasWholeTarget = PackedName.count(packed, countAt) == WHOLE_TARGET;
            count = hasWholeTarget ? 1 : PackedName.count(packed, countAt);
            prefixAt = PackedName.afterCount(packed, countAt);
            labelsAt = hasWholeTarget ? prefixAt : prefixAt + 1 + packed[prefixAt];
            int at = labelsAt;
            for (int left = hasWholeTarget ? 0 : count; left > 0; left--) {
                at += 1 + packed[at];
            }
            end = at;
        }

        int from() {
            return from;
        }

        int end() {
            return end;
        }

        /** Returns the number of records. */
        int count() {
            return count;
        }

        /** Returns the first record. */
        NameData.Srv first() {
            return srv(hasWholeTarget ? parent() : target(labelsAt, parent()));
        }

        /** Adds the records of this run to a collection. */
        void addTo(Collection<NameData.Srv> srvs) {
            byte[] parent = parent();
            if (hasWholeTarget) {
                srvs.add(srv(parent));
            }
            for (int at = labelsAt; at < end; at += 1 + packed[at]) {
                srvs.add(srv(target(at, parent)));
            }
        }

        private byte[] parent() {
            return PackedName.name(packed, from + 2).toWire();
        }

        private NameData.Srv srv(byte[] target) {
            return new NameData.Srv(port, DnsLabels.ofWire(target, 0, target.length));
        }

        /** Returns a target in wire form, from the offset of its label (without the prefix) and its parent. */
        private byte[] target(int at, byte[] parent) {
            int prefix = packed[prefixAt];
            int rest = packed[at];
            byte[] target = new byte[1 + prefix + rest + parent.length];
            target[0] = (byte) (prefix + rest);
            System.arraycopy(packed, prefixAt + 1, target, 1, prefix);
            System.arraycopy(packed, at + 1, target, 1 + prefix, rest);
            System.arraycopy(parent, 0, target, 1 + prefix + rest, parent.length);
            return target;
        }
    }
}
