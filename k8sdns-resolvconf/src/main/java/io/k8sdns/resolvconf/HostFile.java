package io.k8sdns.resolvconf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kubelet's reading of a node's resolv.conf ({@code parseResolvConf}): one pass, linear in the text. */
final class HostFile {
    /** The kubelet's {@code maxResolveConfLength}; it fails once it has read that much, even if that was all. */
    static final int MOST_OCTETS = 10 * (1 << 20);

    /** Of the lines that do not count, so many are remembered. */
    private static final int MOST_UNREAD = 3;

    private final KubeletDialect dialect;
    private final List<String> nameservers = new ArrayList<>();
    private List<String> searches = List.of();
    private int searchLine;
    private List<String> options = List.of();
    private int optionsLine;
    private final Map<String, String> optionsByName = new LinkedHashMap<>();
    private final List<String> unread = new ArrayList<>();
    private int unreadLines;
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
        if (Utf8.isAtLeast(text, MOST_OCTETS)) {
            throw new MalformedResolvConfException(0, "the read limit is reached (" + (MOST_OCTETS >> 20) + " MiB)");
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

    /** Returns why the first three lines that do not count do not; comments and empty lines are not meant to. */
    List<String> unread() {
        return unread;
    }

    /** Returns how many lines do not count. */
    int unreadLines() {
        return unreadLines;
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
                    doesNotCount(searchLine, "of several search lines the last one counts");
                }
                searches = domains(values);
                searchLine = line;
            }
            case "options" -> readOptions(line, values);
            default -> {
                // Comments need no rule of their own, a word that begins with # being no keyword.
                if (!keyword.startsWith("#") && !keyword.startsWith(";")) {
                    doesNotCount(line, Quoted.of(keyword) + " means nothing to the kubelet");
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
            doesNotCount(optionsLine, "of several options lines the last one counts for this kubelet");
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

    private void doesNotCount(int line, String reason) {
        unreadLines++;
        if (unread.size() < MOST_UNREAD) {
            unread.add("line " + line + ": " + reason);
        }
    }
}
