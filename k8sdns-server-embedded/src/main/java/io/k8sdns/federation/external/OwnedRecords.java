package io.k8sdns.federation.external;

import io.k8sdns.arguments.Copies;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.TXTRecord;

/**
 * The records of one external name and the text of its owner record, either wanted or present in a zone.
 *
 * <p>The owner record is a TXT record at {@code _k8sdns-owner.NAME}, because the name itself can be a CNAME. There is one for all
 * types of a name; name and owner record are always changed in one message.
 *
 * @param name the labels up to the root
 * @param owner the text of the owner record
 * @param records A and AAAA records, or a CNAME; in this order; empty if a zone has only the owner record
 */
public record OwnedRecords(DnsLabels name, String owner, List<RecordSet> records) {
    /** The types of the records. Records of other types at the same name are ignored. */
    public static final Set<RecordType> TYPES = Set.of(RecordType.A, RecordType.AAAA, RecordType.CNAME);

    private static final String OWNER_LABEL = "_k8sdns-owner";

    /** The largest length of a string in a TXT record, in bytes. Longer texts are split into several strings. */
    private static final int MAX_STRING = 255;

    /**
     * Checks the records and sorts them by their types.
     *
     * @throws IllegalArgumentException if records are of another name or type, or a CNAME is not alone
     */
    public OwnedRecords {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(owner, "owner");
        Name dnsName = DnsNames.absolute(name);
        records = Copies.list("records", records).stream()
                .sorted(Comparator.comparingInt(RecordSet::typeNumber))
                .toList();
        for (RecordSet one : records) {
            if (!one.owner().equals(dnsName) || !TYPES.contains(one.type())) {
                throw new IllegalArgumentException("not A, AAAA or CNAME records of " + name + ": " + one);
            }
        }
        List<RecordType> types = records.stream().map(RecordSet::type).toList();
        if (Set.copyOf(types).size() < types.size() || types.contains(RecordType.CNAME) && types.size() > 1) {
            throw new IllegalArgumentException("record sets that cannot be at one name: " + records);
        }
    }

    /** Returns the name of the owner record of a name; empty if it is too long. */
    static Optional<DnsLabels> ownerName(DnsLabels name) {
        DnsLabels label = DnsLabels.of(OWNER_LABEL);
        return label.fitsBelow(name) ? Optional.of(label.append(name)) : Optional.empty();
    }

    /**
     * Returns the name that an owner record is for; empty if the argument is not the name of an owner record.
     *
     * @param ownerName the name of the owner record, the labels up to the root
     */
    public static Optional<DnsLabels> nameOfOwner(DnsLabels ownerName) {
        return !Objects.requireNonNull(ownerName, "ownerName").isEmpty()
                        && ownerName.foldedLabel(0).equals(OWNER_LABEL)
                ? Optional.of(ownerName.skip(1))
                : Optional.empty();
    }

    /**
     * Returns the owner record.
     *
     * @param ttlSeconds its TTL in seconds
     */
    public TXTRecord ownerRecord(long ttlSeconds) {
        List<String> strings = new ArrayList<>();
        for (int at = 0; at < owner.length() || at == 0; at += MAX_STRING) {
            // dnsjava interprets backslashes as escapes.
            strings.add(owner.substring(at, Math.min(owner.length(), at + MAX_STRING))
                    .replace("\\", "\\\\"));
        }
        return new TXTRecord(DnsNames.absolute(name.prepend(OWNER_LABEL)), DClass.IN, ttlSeconds, strings);
    }

    /** Returns the concatenated strings of a TXT record, each byte as a character (ISO 8859-1). */
    public static String text(TXTRecord record) {
        Objects.requireNonNull(record, "record");
        StringBuilder text = new StringBuilder();
        record.getStringsAsByteArrays().forEach(string -> text.append(new String(string, StandardCharsets.ISO_8859_1)));
        return text.toString();
    }

    /** Returns whether name and records are equal; the owners may differ. */
    public boolean hasRecordsOf(OwnedRecords other) {
        return name.equals(other.name) && records.equals(other.records);
    }

    /** Returns the records, one per line, and the owner, for logs. */
    @Override
    public String toString() {
        return name + ". " + records.stream().flatMap(RecordSet::lines).toList() + " of " + owner;
    }
}
