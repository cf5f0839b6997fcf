package io.k8sdns.resolvconf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kubelet's reading of a node's resolv.conf ({@code parseResolvConf}): one pass, linear in the text. */
final class HostFile {
    /** The kubelet's {@code maxResolveConfLength}: a file of this length or more is an error. */
    static final int MAX_BYTES = 10 * (1 << 20);

    /** The maximum number of ignored lines that are reported. */
    private static final int MAX_IGNORED = 3;

    private final KubeletDialect dialect;
    private final List<String> nameservers = new ArrayList<>();
    private List<String> searches = List.of();
    private int searchLine;
    private List<String> options = List.of();
    private int optionsLine;
    private final Map<String, String> optionsByName = new LinkedHashMap<>();
    private final List<String> ignored = new ArrayList<>();
    private int ignoredLines;
    private ResolvConf contents = ResolvConf.EMPTY;

    private HostFile(KubeletDialect dialect) {
        this.dialect = dialect;
    }

    /**
     * Reads a file.
     *
     * @throws MalformedResolvConfException if a {@code nameserver} line has no address, or the file is too large
     */
    static HostFile read(String text, KubeletDialect dialect) {
        if (Utf8.isAtLeast(text, MAX_BYTES)) {
            throw new MalformedResolvConfException(0, "the read limit is reached (" + (MAX_BYTES >> 20) + " MiB)");
        }
        HostFile file = new HostFile(dialect);
        int start = 0;
        for (int line = 1; start <= text.length(); line++) {
            int end = text.indexOf('\n', start);
            end = end < 0 ? text.length() : end;
            file.readLine(line, GoText.fields(text, start, end));
            start = end + 1;
        }
        file.contents = new ResolvConf(
                file.nameservers,
                file.searches,
                dialect.optionsAccumulate() ? List.copyOf(file.optionsByName.values()) : file.options);
        return file;
    }

    ResolvConf contents() {
        return contents;
    }

    /** Returns the reasons why the first three ignored lines are ignored, comments and empty lines apart. */
    List<String> ignored() {
        return ignored;
    }

    /** Returns the number of ignored lines. */
    int ignoredLines() {
        return ignoredLines;
    }

    private void readLine(int line, List<String> words) {
        if (words.isEmpty()) {
            return;
        }
        String keyword = words.get(0);
        List<String> values = words.subList(1, words.size());
        switch (keyword) {
            case "nameserver" -> {
                if (values.isEmpty()) {
                    throw new MalformedResolvConfException(line, "nameserver list is empty ");
                }
                nameservers.add(values.get(0));
            }
            case "search" -> {
                if (searchLine > 0) {
                    addIgnored(searchLine, "of several search lines only the last one is used");
                }
                searches = domains(values);
                searchLine = line;
            }
            case "options" -> readOptions(line, values);
            default -> {
                // A comment needs no rule of its own: a word that begins with # is not a keyword.
                if (!keyword.startsWith("#") && !keyword.startsWith(";")) {
                    addIgnored(line, Quoted.of(keyword) + " is not a keyword of the kubelet");
                }
            }
        }
    }

    private void readOptions(int line, List<String> values) {
        if (dialect.optionsAccumulate()) {
            values.forEach(option -> optionsByName.put(OptionWord.name(option), option));
            return;
        }
        if (optionsLine > 0) {
            addIgnored(optionsLine, "of several options lines only the last one is used by this kubelet");
        }
        options = List.copyOf(values);
        optionsLine = line;
    }

    private List<String> domains(List<String> words) {
        List<String> domains = new ArrayList<>(words.size());
        for (String word : words) {
            boolean root = word.equals(".");
            switch (dialect.trailingDots()) {
                case AS_WRITTEN -> domains.add(word);
                case ROOT_EMPTIED -> domains.add(withoutTrailingDot(word));
                case ROOT_KEPT -> domains.add(root ? word : withoutTrailingDot(word));
                case ROOT_DROPPED -> {
                    if (!root) {
                        domains.add(withoutTrailingDot(word));
                    }
                }
            }
        }
        return domains;
    }

    private static String withoutTrailingDot(String word) {
        return word.endsWith(".") ? word.substring(0, word.length() - 1) : word;
    }

    private void addIgnored(int line, String reason) {
        ignoredLines++;
        if (ignored.size() < MAX_IGNORED) {
            ignored.add("line " + line + ": " + reason);
        }
    }
}
