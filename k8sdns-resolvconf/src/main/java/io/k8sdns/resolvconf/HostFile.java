package io.k8sdns.resolvconf;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The kubelet's reading of a node's resolv.conf ({@code parseResolvConf}). One pass, linear in the text. */
final class HostFile {
    /** The kubelet's {@code maxResolveConfLength}; it fails once it has read that much, even if that was all. */
    static final int MOST_OCTETS = 10 * (1 << 20);

    private final KubeletDialect dialect;
    private final List<String> nameservers = new ArrayList<>();
    private List<String> searches = List.of();
    private Map<String, String> options = new LinkedHashMap<>();
    private List<String> lastOptions = List.of();

    HostFile(KubeletDialect dialect) {
        this.dialect = dialect;
    }

    ResolvConf read(String text) {
        if (Utf8.isAtLeast(text, MOST_OCTETS)) {
            throw new MalformedResolvConfException(0, "the read limit is reached");
        }
        int start = 0;
        for (int line = 1; start <= text.length(); line++) {
            int end = text.indexOf('\n', start);
            end = end < 0 ? text.length() : end;
            readLine(line, GoText.fields(text, start, end));
            start = end + 1;
        }
        return new ResolvConf(
                nameservers, searches, dialect.optionsAccumulate() ? List.copyOf(options.values()) : lastOptions);
    }

    private void readLine(int line, List<String> words) {
        if (words.isEmpty()) {
            return;
        }
        // A comment needs no test of its own: a word that begins with # is no keyword.
        List<String> values = words.subList(1, words.size());
        switch (words.get(0)) {
            case "nameserver" -> {
                if (values.isEmpty()) {
                    throw new MalformedResolvConfException(line, "nameserver list is empty ");
                }
                nameservers.add(values.get(0));
            }
            case "search" -> searches = searches(values);
            case "options" -> {
                lastOptions = List.copyOf(values);
                values.forEach(option -> options.put(optionName(option), option));
            }
            default -> {
                // The kubelet knows no other keyword, not even domain.
            }
        }
    }

    private List<String> searches(List<String> words) {
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

    private static String optionName(String option) {
        int colon = option.indexOf(':');
        return colon < 0 ? option : option.substring(0, colon);
    }
}
