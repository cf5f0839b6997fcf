package io.k8sdns.records;

import java.util.AbstractList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.RandomAccess;
import java.util.Set;
import java.util.TreeSet;
import org.xbill.DNS.Record;

/** Records of one set in a fixed order; {@link RecordSet} sorts all other lists. Immutable. */
final class OrderedRecords extends AbstractList<Record> implements RandomAccess {
    private final List<Record> records;

    /** Wraps a list that no other code changes. */
    OrderedRecords(List<Record> records) {
        this.records = records;
    }

    /** Returns the records in the same order; of equal records only the first is kept. */
    OrderedRecords withoutDuplicates() {
        if (records.size() == 1) {
            return this;
        }
        Set<byte[]> seen = new TreeSet<>(Arrays::compareUnsigned);
        List<Record> once = new ArrayList<>(records.size());
        for (Record one : records) {
            if (seen.add(one.rdataToWireCanonical())) {
                once.add(one);
            }
        }
        return new OrderedRecords(List.copyOf(once));
    }

    @Override
    public Record get(int index) {
        return records.get(index);
    }

    @Override
    public int size() {
        return records.size();
    }
}
