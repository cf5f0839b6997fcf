package io.k8sdns.resolvconf;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import java.util.ArrayList;
import java.util.List;

/** Checks names as an API server does, with its messages ({@code k8s.io/apimachinery/pkg/util/validation}). */
final class NameSyntax {
    private static final int LABEL_LENGTH = 63;

    // The two blanks before "or" are in the server's message too.
    private static final String LABEL = "a lowercase RFC 1123 label must consist of lower case alphanumeric characters"
            + " or '-', and must start and end with an alphanumeric character (e.g. 'my-name',  or '123-abc',"
            + " regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?')";
    private static final String SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric"
            + " characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com',"
            + " regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";
    private static final String RELAXED_SUBDOMAIN = "a lowercase RFC 1123 subdomain must consist of lower case"
            + " alphanumeric characters, '_', '-' or '.', and must start and end with an alphanumeric character"
            + " (e.g. 'example.com', regex used for validation is"
            + " '_?[a-z0-9]([-_a-z0-9]*[a-z0-9])?(\\._?[a-z0-9]([-_a-z0-9]*[a-z0-9])?)*')";

    private NameSyntax() {}

    /** Returns the problems of a DNS-1123 label; empty if it is valid. */
    static List<String> label(String text) {
        if (KubernetesNames.isDnsLabel(text)) {
            return List.of();
        }
        return problems(text, LABEL_LENGTH, isSubdomain(text, false) && text.indexOf('.') < 0, LABEL);
    }

    /**
     * Returns the problems of a DNS-1123 subdomain; empty if it is valid. Its labels may have any length.
     *
     * @param relaxed whether underscores are allowed where dashes are, and one before each label
     */
    static List<String> subdomain(String text, boolean relaxed) {
        return problems(
                text, SearchLimits.DOMAIN_LENGTH, isSubdomain(text, relaxed), relaxed ? RELAXED_SUBDOMAIN : SUBDOMAIN);
    }

    static String tooLong(int length) {
        return "must be no more than " + length + " characters";
    }

    private static List<String> problems(String text, int length, boolean wellFormed, String form) {
        List<String> problems = new ArrayList<>(2);
        if (Utf8.length(text) > length) {
            problems.add(tooLong(length));
        }
        if (!wellFormed) {
            problems.add(form);
        }
        return problems;
    }

    /**
     * Matches the regular expression of the messages by hand, because Java's engine would recurse once for each label.
     */
    private static boolean isSubdomain(String text, boolean relaxed) {
        int label = 0;
        for (int i = 0; i <= text.length(); i++) {
            if (i == text.length() || text.charAt(i) == '.') {
                int start = relaxed && label < i && text.charAt(label) == '_' ? label + 1 : label;
                if (start == i || !isAlphanumeric(text.charAt(start)) || !isAlphanumeric(text.charAt(i - 1))) {
                    return false;
                }
                label = i + 1;
            } else if (!isAlphanumeric(text.charAt(i))
                    && text.charAt(i) != '-'
                    && !(relaxed && text.charAt(i) == '_')) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAlphanumeric(char c) {
        return c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
    }
}
