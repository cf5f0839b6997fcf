package io.k8sdns.rules;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.NavigableSet;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Writes the data of a name with some addresses and SRV records added or removed. It copies the bytes of unchanged data: thousands of
 * endpoints may share a name, and a change concerns few of them.
 */
final class NameDataEditor {
    /** An edited run of SRV records with fewer records is joined with the next run. */
    private static final int MIN_RUN = PackedSrvs.MAX_RUN / 4;

    private final NameData data;
    private final byte[] packed;

    /**
     * Creates an editor.
     *
     * @param data the data before the edits: addresses and SRV records only
     * @throws IllegalStateException if the name has other data, which would be lost
     */
    NameDataEditor(NameData data) {
        if (!data.hasOnly(PackedName.A | PackedName.AAAA | PackedName.SRV)) {
            throw new IllegalStateException("has data other than addresses and SRV records: " + data.firstName());
        }
        this.data = data;
        this.packed = data.packed();
    }

    /**
     * Returns the data after edits.
     *
     * @param addresses edits of addresses; the value is true if the name has the address after the edit
     * @param srvs edits of SRV records; the value is true if the name has the record after the edit
     * @param pairs the number of distinct pairs of address and port after the edits, from which the weight is computed
     */
    NameData edit(NavigableMap<IpAddress, Boolean> addresses, NavigableMap<NameData.Srv, Boolean> srvs, int pairs) {
        PackedName.Writer out = new PackedName.Writer(packed, data.flagsAt());
        int flags = 0;
        for (IpFamily family : IpFamily.values()) {
            byte[] edited = editAddresses(family, addresses);
            if (edited.length > 0) {
                flags |= NameData.sectionBit(family);
                out.putAddresses(family, edited);
            }
        }
        PackedName.Writer records = out.ofSameName();
        int count = writeSrvs(srvs, records);
        if (count > 0) {
            flags |= PackedName.SRV;
            out.putCount(pairs);
            out.putCount(count);
            out.putBytes(records.written());
        }
        return new NameData(out.withFirstName(flags), data.flagsAt());
    }

    /**
     * Returns the addresses of a family after edits, sorted, one after another.
     *
     * @param edits edits of addresses of any family; the value is true if the name has the address after the edit
     */
    private byte[] editAddresses(IpFamily family, NavigableMap<IpAddress, Boolean> edits) {
        int width = family.byteCount();
        int count = data.addressCount(family);
        int at = count == 0 ? 0 : data.addressesAt(family);
        int end = at + count * width;
        byte[] result = new byte[(count + edits.size()) * width];
        int length = 0;
        for (Map.Entry<IpAddress, Boolean> edit : edits.entrySet()) {
            if (edit.getKey().family() == family) {
                byte[] address = edit.getKey().bytes();
                int next = findAddress(at, end, address);
                System.arraycopy(packed, at, result, length, next - at);
                length += next - at;
                at = next < end && compareAddress(next, address) == 0 ? next + width : next;
                if (edit.getValue()) {
                    System.arraycopy(address, 0, result, length, width);
                    length += width;
                }
            }
        }
        System.arraycopy(packed, at, result, length, end - at);
        return Arrays.copyOf(result, length + end - at);
    }

    /** Returns the offset of the first address that is not less than another one; the end if there is none. */
    private int findAddress(int from, int end, byte[] address) {
        int low = 0;
        int high = (end - from) / address.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (compareAddress(from + middle * address.length, address) < 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return from + low * address.length;
    }

    private int compareAddress(int at, byte[] address) {
        return Arrays.compareUnsigned(packed, at, at + address.length, address, 0, address.length);
    }

    /**
     * Writes the SRV records after edits: decodes the runs that have edits, and copies the others.
     *
     * @param edits edits of records; the value is true if the name has the record after the edit
     * @return the number of records written
     */
    private int writeSrvs(NavigableMap<NameData.Srv, Boolean> edits, PackedName.Writer out) {
        int count = data.srvCount();
        if (count == 0) {
            NavigableSet<NameData.Srv> records = new TreeSet<>();
            apply(edits, records);
            PackedSrvs.write(List.copyOf(records), out);
            return records.size();
        }
        int copied = data.srvsAt();
        List<PackedSrvs.Run> runs = PackedSrvs.runs(packed, copied, count);
        NavigableMap<NameData.Srv, Boolean> left = new TreeMap<>(edits);
        int written = count;
        while (!left.isEmpty()) {
            int next = runOf(left.firstKey(), runs);
            out.putRange(packed, copied, runs.get(next).from());
            NavigableSet<NameData.Srv> records = new TreeSet<>();
            // A run that edits make short is joined with the next ones.
            while (next < runs.size() && records.size() < MIN_RUN) {
                PackedSrvs.Run run = runs.get(next++);
                run.addTo(records);
                written -= run.count();
                copied = run.end();
                Map<NameData.Srv, Boolean> editsOfRun =
                        next == runs.size() ? left : left.headMap(runs.get(next).first(), false);
                apply(editsOfRun, records);
                editsOfRun.clear();
            }
            PackedSrvs.write(List.copyOf(records), out);
            written += records.size();
        }
        out.putRange(packed, copied, runs.get(runs.size() - 1).end());
        return written;
    }

    /** Returns the index of the run that a record belongs to: the last run whose first record is not greater, otherwise 0. */
    private static int runOf(NameData.Srv record, List<PackedSrvs.Run> runs) {
        int low = 0;
        int high = runs.size() - 1;
        while (low < high) {
            int middle = (low + high + 1) >>> 1;
            if (runs.get(middle).first().compareTo(record) <= 0) {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        return low;
    }

    private static void apply(Map<NameData.Srv, Boolean> edits, Set<NameData.Srv> records) {
        edits.forEach((srv, isWanted) -> {
            if (isWanted) {
                records.add(srv);
            } else {
                records.remove(srv);
            }
        });
    }
}
