package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import io.k8sdns.records.RecordSet;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.NameSchema;
import java.util.HashSet;
import java.util.Set;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/** Marks records of manifests that hold an invented address, in their data or in a name. */
final class InventedRecords {
    /** No record has an invented address. */
    static final InventedRecords NONE = new InventedRecords(Set.of());

    private static final String MARK = " ; invented address";

    /** The addresses as text, as labels and as reverse names. */
    private final Set<String> words = new HashSet<>();

    InventedRecords(Set<IpAddress> addresses) {
        for (IpAddress address : addresses) {
            words.add(address.toString());
            words.add(AddressLabels.of(address));
            words.add(NameSchema.reverseName(address) + ".");
        }
    }

    /**
     * Returns a record as a line; with a comment, as zone files have them, if it holds an invented address.
     *
     * @param separator the text between its fields
     */
    String line(String record, String separator) {
        String[] fields = OutputObject.recordFields(record);
        return String.join(separator, fields) + (isInvented(fields) ? MARK : "");
    }

    /** Returns a record as an object; with {@code "invented": true} if it holds an invented address. */
    OutputObject object(String record) {
        OutputObject object = OutputObject.ofRecord(record);
        return isInvented(OutputObject.recordFields(record)) ? object.put("invented", true) : object;
    }

    /** Returns whether a record, as a line, holds an invented address. */
    boolean isIn(String record) {
        return isInvented(OutputObject.recordFields(record));
    }

    /** Returns whether a record holds an invented address. */
    boolean holds(Record record) {
        return !words.isEmpty()
                && RecordSet.of(record).lines().allMatch(line -> isInvented(OutputObject.recordFields(line)));
    }

    /** Returns whether a name is made of an invented address. */
    boolean isIn(Name name) {
        String text = name.toString();
        return words.contains(text) || words.contains(firstLabel(text));
    }

    private boolean isInvented(String[] fields) {
        if (words.isEmpty()) {
            return false;
        }
        String name = fields[0];
        String data = fields[4];
        String target = data.substring(data.lastIndexOf(' ') + 1);
        return words.contains(name)
                || words.contains(firstLabel(name))
                || words.contains(target)
                || words.contains(firstLabel(target));
    }

    private static String firstLabel(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }
}
