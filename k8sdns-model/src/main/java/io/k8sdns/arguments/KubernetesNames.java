package io.k8sdns.arguments;

import java.util.Objects;

/**
 * Checks names as the Kubernetes API server does.
 *
 * <p>Source: {@code k8s.io/apimachinery} validation, and KEP-5311 for Service names: DNS-1123 labels, which may begin
 * with a digit. The DNS-1035 names of older clusters are DNS-1123 labels too.
 */
public final class KubernetesNames {
    private KubernetesNames() {}

    /** Returns whether the text is a DNS-1123 label: 1 to 63 lower-case letters, digits and inner dashes. */
    public static boolean isDnsLabel(String text) {
        Objects.requireNonNull(text, "text");
        int length = text.length();
        if (length == 0 || length > 63) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            boolean inner = i > 0 && i < length - 1;
            if (!(c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '-' && inner)) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns whether the text is a DNS-1123 subdomain: DNS-1123 labels of any length, joined by dots, at most 253
     * characters in all.
     */
    public static boolean isDnsSubdomain(String text) {
        Objects.requireNonNull(text, "text");
        int length = text.length();
        if (length == 0 || length > 253) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || c >= '0' && c <= '9';
            if (!alphanumeric && (c != '-' && c != '.' || isAtEdge(text, i))) {
                return false;
            }
        }
        return true;
    }

    private static boolean isAtEdge(String text, int i) {
        return i == 0 || i == text.length() - 1 || text.charAt(i - 1) == '.' || text.charAt(i + 1) == '.';
    }

    /**
     * Returns whether the text is an IANA service name: a DNS-1123 label of at most 15 characters, with at least one
     * letter and no double dash.
     */
    public static boolean isIanaServiceName(String text) {
        Objects.requireNonNull(text, "text");
        return text.length() <= 15
                && isDnsLabel(text)
                && !text.contains("--")
                && text.chars().anyMatch(c -> c >= 'a' && c <= 'z');
    }

    /**
     * Returns whether the text is a qualified name, the key of a label: 1 to 63 letters, digits and inner
     * {@code - _ .}, optionally after a DNS-1123 subdomain and a slash.
     */
    public static boolean isQualifiedName(String text) {
        Objects.requireNonNull(text, "text");
        int slash = text.indexOf('/');
        return (slash < 0 || isDnsSubdomain(text.substring(0, slash))) && isLabelName(text.substring(slash + 1));
    }

    /**
     * Returns whether the text is the value of a label: empty, or at most 63 letters, digits and inner {@code - _ .}.
     */
    public static boolean isLabelValue(String text) {
        Objects.requireNonNull(text, "text");
        return text.isEmpty() || isLabelName(text);
    }

    private static boolean isLabelName(String text) {
        int length = text.length();
        if (length == 0 || length > 63) {
            return false;
        }
        for (int i = 0; i < length; i++) {
            char c = text.charAt(i);
            boolean alphanumeric = c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9';
            boolean inner = i > 0 && i < length - 1;
            if (!(alphanumeric || inner && (c == '-' || c == '_' || c == '.'))) {
                return false;
            }
        }
        return true;
    }
}
