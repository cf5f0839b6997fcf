package io.k8sdns.cli;

import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.manifest.ManifestException;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.records.RecordSet;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.NameSchema;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;

/**
 * Marks records of manifests that hold an invented address or the invented name of a Pod, in their data or in a name, and these addresses
 * and names in sentences; and reads the marks of records in zone files.
 */
final class InventedRecords {
    /** Nothing is invented. */
    static final InventedRecords NONE = new InventedRecords();

    private static final int NAMESPACE_OF_ENDPOINT = 2;
    private static final String ADDRESS = "invented address";
    private static final String POD = "invented name";
    private static final String BOTH = "invented address and name";

    /** A record as {@link #line} returns it, with a mark. What other types hold is in one of these, too. */
    private static final Pattern MARKED =
            Pattern.compile("(\\S+) \\d+ IN (A|AAAA|PTR) (\\S+) ; (" + ADDRESS + "|" + POD + "|" + BOTH + ")");

    /** A Pod, an address or a name in a sentence. */
    private static final Pattern WORD = Pattern.compile("Pod ([\\w.-]+)/([\\w.-]+)|[\\w-]+(?:[.:]+[\\w-]+)*\\.?");

    /** The addresses as text, as labels and as reverse names. */
    private final Set<String> words = new HashSet<>();

    /** The Pods as {@code NAME.NAMESPACE}. */
    private final Set<String> pods = new HashSet<>();

    /** The workloads of the Pods. */
    private final Map<ObjectRef, ObjectRef> workloads = new HashMap<>();

    /** Returns the marks of the records of manifests. */
    static InventedRecords of(ManifestResult manifests) {
        InventedRecords invented = new InventedRecords();
        manifests.inventedAddresses().forEach(invented::add);
        manifests.inventedPods().forEach(pod -> {
            invented.pods.add(text(pod));
            invented.workloads.put(pod, manifests.workloads().get(pod));
        });
        return invented;
    }

    /** Returns the marks of the problems of manifests. */
    static InventedRecords of(ManifestException problems) {
        InventedRecords invented = new InventedRecords();
        problems.inventedAddresses().forEach(invented::add);
        problems.inventedPods().stream().map(InventedRecords::text).forEach(invented.pods::add);
        return invented;
    }

    /**
     * Returns the marks of a zone file that {@code records} has printed; none for other zone files.
     *
     * @param lines the lines of the file
     */
    static InventedRecords ofZoneFile(Stream<String> lines) {
        InventedRecords invented = new InventedRecords();
        lines.map(MARKED::matcher).filter(Matcher::matches).forEach(record -> {
            boolean isReverse = record.group(2).equals("PTR");
            String name = record.group(1);
            String data = record.group(3);
            String mark = record.group(4);
            if (!mark.equals(POD) && isReverse) {
                invented.words.add(name);
            } else if (!mark.equals(POD)) {
                IpAddress.tryParse(data).ifPresent(invented::add);
            }
            if (!mark.equals(ADDRESS)) {
                podOfEndpoint(isReverse ? data : name).ifPresent(invented.pods::add);
            }
        });
        return invented;
    }

    private InventedRecords() {}

    /** Returns these marks and those of more addresses. */
    InventedRecords with(Collection<IpAddress> addresses) {
        if (addresses.isEmpty()) {
            return this;
        }
        InventedRecords more = new InventedRecords();
        more.words.addAll(words);
        more.pods.addAll(pods);
        more.workloads.putAll(workloads);
        addresses.forEach(more::add);
        return more;
    }

    private void add(IpAddress address) {
        words.add(address.toString());
        words.add(AddressLabels.of(address));
        words.add(NameSchema.reverseName(address) + ".");
    }

    /**
     * Returns a record as a line; with a comment, as zone files have them, if something in it is invented.
     *
     * @param separator the text between its fields
     */
    String line(String record, String separator) {
        String mark = mark(record);
        return String.join(separator, OutputObject.recordFields(record)) + (mark.isEmpty() ? "" : " ; " + mark);
    }

    /** Returns what is invented in a record, for example {@code invented address}; empty if nothing is. */
    String mark(String record) {
        String[] fields = OutputObject.recordFields(record);
        return mark(hasAddress(fields), hasPod(fields));
    }

    private static String mark(boolean hasAddress, boolean hasPod) {
        if (hasAddress) {
            return hasPod ? BOTH : ADDRESS;
        }
        return hasPod ? POD : "";
    }

    /** Returns a sentence with a mark after each invented address and name: {@code its addresses are [10.97.1.2 (invented address)]}. */
    String marked(String sentence) {
        return isEmpty()
                ? sentence
                : WORD.matcher(sentence)
                        .replaceAll(word -> Matcher.quoteReplacement(word.group() + markInSentence(word)));
    }

    private String markInSentence(MatchResult word) {
        String text = word.group();
        boolean hasPod = word.group(1) == null ? isOfPod(text) : pods.contains(word.group(2) + "." + word.group(1));
        String mark = mark(hasAddress(text), hasPod);
        return mark.isEmpty() ? "" : " (" + mark + ")";
    }

    /** Returns whether a sentence contains an invented address or name. */
    boolean isIn(String sentence) {
        return !marked(sentence).equals(sentence);
    }

    /** Returns what is invented in the name of a suggestion; empty if nothing is. */
    String mark(Suggestion suggestion) {
        return mark(suggestion.name(), suggestion.type() + " .");
    }

    /**
     * Returns what is invented in a record without TTL and class, as {@link #mark(String)} does.
     *
     * @param name the name of the record
     * @param data its type and its data, the last word of which is an address or a name, for example {@code A 10.96.0.11}
     */
    String mark(Name name, String data) {
        return isEmpty() ? "" : mark(name + " 0 IN " + data);
    }

    /** Returns a record as an object; with {@code "invented": true} if something in it is invented. */
    OutputObject object(String record) {
        OutputObject object = OutputObject.ofRecord(record);
        return isInvented(OutputObject.recordFields(record)) ? object.put("invented", true) : object;
    }

    /** Returns whether something in a record is invented. */
    boolean holds(Record record) {
        return !isEmpty() && RecordSet.of(record).lines().allMatch(line -> isInvented(OutputObject.recordFields(line)));
    }

    /** Returns whether an address is invented. */
    boolean holds(IpAddress address) {
        return words.contains(address.toString());
    }

    /** Returns whether the name of a Pod is invented. */
    boolean isPod(ObjectRef pod) {
        return pods.contains(text(pod));
    }

    /** Returns an object; of a Pod with an invented name, its workload. */
    ObjectRef observed(ObjectRef object) {
        return workloads.getOrDefault(object, object);
    }

    private static String text(ObjectRef pod) {
        return pod.name() + "." + pod.namespace().orElse("");
    }

    /** Returns whether a name is made of an invented address or Pod name. */
    boolean isIn(Name name) {
        String text = name.toString();
        return hasAddress(text) || isOfPod(text);
    }

    private boolean isEmpty() {
        return words.isEmpty() && pods.isEmpty();
    }

    private boolean isInvented(String[] fields) {
        return hasAddress(fields) || hasPod(fields);
    }

    private boolean hasPod(String[] fields) {
        return !pods.isEmpty() && (isOfPod(fields[0]) || isOfPod(target(fields)));
    }

    /** Returns whether a name is {@code POD.SERVICE.NAMESPACE.svc...} of a Pod with an invented name. */
    private boolean isOfPod(String name) {
        return podOfEndpoint(name).filter(pods::contains).isPresent();
    }

    /** Returns {@code POD.NAMESPACE} of a name {@code POD.SERVICE.NAMESPACE.svc...}; empty for other names. */
    private static Optional<String> podOfEndpoint(String name) {
        String[] labels = name.split("\\.", NAMESPACE_OF_ENDPOINT + 3);
        return labels.length > NAMESPACE_OF_ENDPOINT + 1
                        && labels[NAMESPACE_OF_ENDPOINT + 1].equals(NameSchema.SERVICES)
                ? Optional.of(labels[0] + "." + labels[NAMESPACE_OF_ENDPOINT])
                : Optional.empty();
    }

    private boolean hasAddress(String[] fields) {
        return !words.isEmpty() && (hasAddress(fields[0]) || hasAddress(target(fields)));
    }

    /** Returns whether a name or an address as text is invented, or the first label of the name. */
    private boolean hasAddress(String text) {
        return words.contains(text) || words.contains(firstLabel(text));
    }

    /** Returns the last word of the data, which is the name or the address in it. */
    private static String target(String[] fields) {
        return fields[4].substring(fields[4].lastIndexOf(' ') + 1);
    }

    private static String firstLabel(String name) {
        int dot = name.indexOf('.');
        return dot < 0 ? name : name.substring(0, dot);
    }
}
