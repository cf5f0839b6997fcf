package io.k8sdns.rules;

import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The SRV records of a name as they are stored, in the order of port and target: runs of records that have one port, and whose targets
 * are one label below the same parent.
 *
 * <pre>
 * run       port (2 bytes), parent (a name of {@link PackedName}), count, prefix, labels;
 *           or port, target (such a name, a reference alone), 0
 * prefix    length byte, the bytes with which the first label of every target begins
 * label     length byte, the bytes of a first label behind the prefix
 * </pre>
 *
 * <p>A headless Service has one run for each port, and the labels of its endpoints differ in a few letters at the end. The prefix is as
 * long as possible, so that equal records are equal bytes.
 */
final class PackedSrvs {
    private PackedSrvs() {}

    /** Returns this number of records. */
    static NameData.Srv[] read(byte[] packed, int from, int count) {
        List<NameData.Srv> srvs = new ArrayList<>(count);
        for (int at = from; srvs.size() < count; ) {
            Run run = new Run(packed, at);
            run.addTo(srvs);
            at = run.end;
        }
        return srvs.toArray(NameData.Srv[]::new);
    }

    /** Writes records that are in order. */
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
            writeRun(sorted.get(from).port(), Arrays.copyOfRange(targets, from, to), out);
        }
    }

    /** Compares bytes: a target keeps the case that it was written in. */
    private static boolean hasSameParent(byte[] target, byte[] other) {
        return Arrays.equals(target, 1 + target[0], target.length, other, 1 + other[0], other.length);
    }

    private static void writeRun(int port, byte[][] targets, PackedName.Writer out) {
        byte[] first = targets[0];
        if (targets.length == 1 && out.isReference(first)) {
            // The Service itself, at its own name or at that of a port.
            out.putNumber(port, 2);
            out.putName(DnsLabels.ofWire(first, 0, first.length));
            out.putCount(0);
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

    /**
     * Writes the records of a name after edits. Within a run labels are added and removed without decoding the others, if the
     * parent and the prefix stay.
     *
     * @param packed a name
     * @param from where its records begin
     * @param count how many it has
     * @param edits records, each with whether it is wanted afterwards
     * @return how many were written
     */
    static int writeEdited(
            byte[] packed, int from, int count, NavigableMap<NameData.Srv, Boolean> edits, PackedName.Writer out) {
        TreeMap<Integer, @Nullable Run> runs = new TreeMap<>();
        int at = from;
        for (int left = count; left > 0; ) {
            Run run = new Run(packed, at);
            if (runs.put(run.port, run) != null) {
                return rewrite(List.of(read(packed, from, count)), edits, out);
            }
            left -= run.count;
            at = run.end;
        }
        edits.keySet().forEach(srv -> runs.putIfAbsent(srv.port(), null));
        int written = 0;
        for (Map.Entry<Integer, @Nullable Run> one : runs.entrySet()) {
            int port = one.getKey();
            NavigableMap<NameData.Srv, Boolean> ofPort = edits.subMap(
                    new NameData.Srv(port, DnsLabels.EMPTY), true, new NameData.Srv(port + 1, DnsLabels.EMPTY), false);
            Run run = one.getValue();
            written += run == null ? rewrite(List.of(), ofPort, out) : run.writeEdited(ofPort, out);
        }
        return written;
    }

    private static int rewrite(
            List<NameData.Srv> srvs, NavigableMap<NameData.Srv, Boolean> edits, PackedName.Writer out) {
        TreeSet<NameData.Srv> all = new TreeSet<>(srvs);
        edits.forEach((srv, isWanted) -> {
            if (isWanted) {
                all.add(srv);
            } else {
                all.remove(srv);
            }
        });
        write(new ArrayList<>(all), out);
        return all.size();
    }

    /** One run of a name. */
    private static final class Run {
        private final byte[] packed;
        private final int from;
        private final int port;

        /** Whether there is one record, whose target is the parent. */
        private final boolean isTarget;

        private final byte[] parent;
        private final int countAt;
        private final int count;
        private final int prefixAt;
        private final int labelsAt;
        private final int end;

        Run(byte[] packed, int from) {
            this.packed = packed;
            this.from = from;
            this.port = (packed[from] & 0xFF) << 8 | packed[from + 1] & 0xFF;
            this.parent = PackedName.name(packed, from + 2).toWire();
            this.countAt = PackedName.afterName(packed, from + 2);
            this.isTarget = packed[countAt] == 0;
            this.count = isTarget ? 1 : PackedName.count(packed, countAt);
            this.prefixAt = PackedName.afterCount(packed, countAt);
            this.labelsAt = isTarget ? prefixAt : prefixAt + 1 + packed[prefixAt];
            if (isTarget) {
                this.end = prefixAt;
                return;
            }
            int at = labelsAt;
            for (int left = count; left > 0; left--) {
                at += 1 + packed[at];
            }
            this.end = at;
        }

        void addTo(List<NameData.Srv> srvs) {
            if (isTarget) {
                srvs.add(new NameData.Srv(port, DnsLabels.ofWire(parent, 0, parent.length)));
                return;
            }
            int prefix = packed[prefixAt];
            for (int at = labelsAt; at < end; at += 1 + packed[at]) {
                int rest = packed[at];
                byte[] target = new byte[1 + prefix + rest + parent.length];
                target[0] = (byte) (prefix + rest);
                System.arraycopy(packed, prefixAt + 1, target, 1, prefix);
                System.arraycopy(packed, at + 1, target, 1 + prefix, rest);
                System.arraycopy(parent, 0, target, 1 + prefix + rest, parent.length);
                srvs.add(new NameData.Srv(port, DnsLabels.ofWire(target, 0, target.length)));
            }
        }

        /** Writes the run after edits; returns how many records it has then. */
        int writeEdited(NavigableMap<NameData.Srv, Boolean> edits, PackedName.Writer out) {
            if (edits.isEmpty()) {
                out.putRange(packed, from, end);
                return count;
            }
            LabelEditor editor = new LabelEditor(edits.size());
            if (isTarget || !editor.apply(edits)) {
                List<NameData.Srv> srvs = new ArrayList<>(count);
                addTo(srvs);
                return rewrite(srvs, edits, out);
            }
            if (editor.count > 0) {
                out.putRange(packed, from, countAt);
                out.putCount(editor.count);
                out.putRange(packed, prefixAt, labelsAt);
                out.putRange(editor.edited, 0, editor.length);
            }
            return editor.count;
        }

        /** Copies the labels of the run in order, with the edits: thousands stay, a few change. */
        private final class LabelEditor {
            private final byte[] edited;
            private int length;
            private int count = Run.this.count;
            private int at = labelsAt;
            private int copied = labelsAt;
            private boolean hasRemoved;

            LabelEditor(int edits) {
                edited = new byte[end - labelsAt + edits * 64];
            }

            /** Returns false if the run gets another form: another prefix, another parent for a target, or a single record. */
            boolean apply(NavigableMap<NameData.Srv, Boolean> edits) {
                for (Map.Entry<NameData.Srv, Boolean> edit : edits.entrySet()) {
                    byte[] label = behindPrefix(edit.getKey().target().toWire());
                    if (label != null) {
                        editLabel(label, edit.getValue());
                    } else if (edit.getValue()) {
                        return false;
                    }
                }
                copyUpTo(end);
                return count == 0 || count > 1 && !(hasRemoved && hasLongerPrefix());
            }

            /** Returns a first label without the prefix, behind its length; null if it has not the prefix, or not the parent. */
            private byte @Nullable [] behindPrefix(byte[] target) {
                int prefix = packed[prefixAt];
                int rest = target[0] - prefix;
                if (rest < 0
                        || !Arrays.equals(target, 1, 1 + prefix, packed, prefixAt + 1, labelsAt)
                        || !Arrays.equals(target, 1 + target[0], target.length, parent, 0, parent.length)) {
                    return null;
                }
                byte[] label = new byte[1 + rest];
                label[0] = (byte) rest;
                System.arraycopy(target, 1 + prefix, label, 1, rest);
                return label;
            }

            private void editLabel(byte[] label, boolean isWanted) {
                int order = -1;
                while (at < end && (order = DnsLabels.compareLabels(packed, at, label, 0)) < 0) {
                    at += 1 + packed[at];
                }
                boolean isThere = at < end && order == 0;
                if (isThere == isWanted) {
                    return;
                }
                copyUpTo(at);
                if (isWanted) {
                    System.arraycopy(label, 0, edited, length, label.length);
                    length += label.length;
                    count++;
                } else {
                    at += 1 + packed[at];
                    copied = at;
                    count--;
                    hasRemoved = true;
                }
            }

            private void copyUpTo(int to) {
                System.arraycopy(packed, copied, edited, length, to - copied);
                length += to - copied;
                copied = to;
            }

            /** Returns whether all labels begin with one byte more than the prefix. */
            private boolean hasLongerPrefix() {
                if (edited[0] == 0) {
                    return false;
                }
                for (int label = 0; label < length; label += 1 + edited[label]) {
                    if (edited[label] == 0 || edited[label + 1] != edited[1]) {
                        return false;
                    }
                }
                return true;
            }
        }
    }
}
