package io.k8sdns.cli;

import io.k8sdns.records.RecordSet;
import io.k8sdns.rules.RecordRules;
import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.xbill.DNS.Master;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.TextParseException;

/** Reads zone files (RFC 1035, section 5), such as those that {@code records} prints. */
final class ZoneFile {
    private static final int MAX_BYTES = 256 << 20;

    /** A message of dnsjava, which does not know the name of the file. */
    private static final Pattern POSITIONED = Pattern.compile("<none>:(\\d+): (.*)", Pattern.DOTALL);

    private ZoneFile() {}

    /**
     * Returns the record sets of a file, and what its comments mark as invented; names that are not absolute are below its {@code
     * $ORIGIN}.
     *
     * @param name a path, or {@code -} for standard input
     * @param rules the rules by which the server of the file makes names
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws IllegalArgumentException if it is not a zone file, or has {@code $INCLUDE} or {@code $GENERATE}; the message has file and
     *     line
     */
    static ComparedZone read(String name, RecordRules rules) throws IOException {
        Map<Key, List<Record>> sets = new LinkedHashMap<>();
        byte[] bytes;
        try (InputStream stream = InputFile.open(name)) {
            bytes = stream.readNBytes(MAX_BYTES + 1);
        }
        if (bytes.length > MAX_BYTES) {
            throw new IllegalArgumentException(name + ": larger than " + (MAX_BYTES >> 20) + " MiB");
        }
        try (Master records = new Master(new ByteArrayInputStream(bytes), Name.root)) {
            // A file that was handed over must not read others, nor fill the memory.
            records.disableIncludes(true);
            records.expandGenerate(false);
            for (Record record = records.nextRecord(); record != null; record = records.nextRecord()) {
                sets.computeIfAbsent(new Key(record.getName(), record.getType()), any -> new ArrayList<>())
                        .add(record);
            }
            if (records.generators().hasNext()) {
                throw new IllegalArgumentException(name + ": not a zone file: $GENERATE is not supported");
            }
        } catch (TextParseException invalid) {
            String message = String.valueOf(invalid.getMessage());
            Matcher positioned = POSITIONED.matcher(message);
            throw new IllegalArgumentException(
                    positioned.matches()
                            ? name + ":" + positioned.group(1) + ": not a zone file: " + positioned.group(2)
                            : name + ": not a zone file: " + message,
                    invalid);
        }
        BufferedReader lines =
                new BufferedReader(new InputStreamReader(new ByteArrayInputStream(bytes), StandardCharsets.US_ASCII));
        return ComparedZone.of(
                        sets.values().stream().map(ZoneFile::set).toList(),
                        InventedRecords.ofZoneFile(lines.lines()),
                        rules)
                .ofFile();
    }

    private record Key(Name name, int type) {}

    /** Returns the records as one set, in which all have the TTL of the first. */
    static RecordSet set(List<Record> records) {
        Record first = records.get(0);
        return RecordSet.of(records.stream()
                .map(record -> Record.newRecord(
                        first.getName(),
                        first.getType(),
                        first.getDClass(),
                        first.getTTL(),
                        record.rdataToWireCanonical()))
                .toList());
    }
}
