package io.k8sdns.clientjava;

/** Compares resource versions. Servers only promise that versions differ; versions that are numbers are ordered. */
final class ResourceVersions {
    private ResourceVersions() {}

    /** Returns whether one version is older than the other; false unless both are numbers. */
    static boolean isOlder(String one, String other) {
        return isNumber(one) && isNumber(other) && compareNumbers(one, other) < 0;
    }

    /** Returns whether a text has decimal digits only, and at least one. */
    static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static int compareNumbers(String one, String other) {
        return one.length() == other.length() ? one.compareTo(other) : Integer.compare(one.length(), other.length());
    }
}
