package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The host strings of an application, the input of {@code queries --advise}: one per line. Empty lines and lines that begin with #
 * are ignored.
 *
 * <p>A URL or a host with a port is an error, because programs do not pass it to the resolver, and its cost would be wrong. The
 * error contains the host to write instead.
 */
final class HostList {
    /** The largest number of errors that are printed, for files of another kind. */
    private static final int MAX_ERRORS = 20;

    private final List<String> hosts = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private int errorCount;

    /** Adds the lines of a file. A file without a name is an error if no names were added before. */
    void addFile(String file, String text) {
        // Some editors begin a file with a byte order mark.
        Iterator<String> lines =
                (text.startsWith("\uFEFF") ? text.substring(1) : text).lines().iterator();
        for (int number = 1; lines.hasNext(); number++) {
            String host = lines.next().strip();
            if (!host.isEmpty() && !host.startsWith("#")) {
                add(file + ": line " + number, host);
            }
        }
        if (hosts.isEmpty() && errorCount == 0) {
            reject(file + ": no name in it");
        }
    }

    /** Adds a host string; the place is for the error message. */
    void add(String place, String host) {
        String bare = bare(host);
        if (bare.equals(host)) {
            hosts.add(host);
        } else {
            String instead = bare.isEmpty() ? "; write a host name" : "; write " + QueriesCommand.excerpt(bare);
            reject(place + ": not a host name alone: " + QueriesCommand.excerpt(host) + instead);
        }
    }

    private void reject(String error) {
        if (++errorCount <= MAX_ERRORS) {
            errors.add(error);
        }
    }

    /**
     * Returns the host strings.
     *
     * @throws IllegalArgumentException if there were errors; the message has one line for each
     */
    List<String> hosts() {
        if (errorCount > 0) {
            String more = errorCount > MAX_ERRORS ? "\nand " + (errorCount - MAX_ERRORS) + " more" : "";
            throw new IllegalArgumentException(String.join("\n", errors) + more);
        }
        return hosts;
    }

    /** Returns only the host of a URL or of a host with a port; empty if there is none. */
    private static String bare(String text) {
        String rest = text;
        int scheme = rest.indexOf("://");
        if (scheme >= 0) {
            rest = rest.substring(scheme + 3);
        }
        rest = until(rest, "/?#, \t");
        rest = rest.substring(rest.lastIndexOf('@') + 1);
        if (rest.startsWith("[")) {
            return until(rest.substring(1), "]");
        }
        return isAddress(rest) ? rest : until(rest, ":");
    }

    private static boolean isAddress(String text) {
        return text.indexOf(':') != text.lastIndexOf(':')
                && IpAddress.tryParse(until(text, "%")).isPresent();
    }

    private static String until(String text, String ends) {
        for (int i = 0; i < text.length(); i++) {
            if (ends.indexOf(text.charAt(i)) >= 0) {
                return text.substring(0, i);
            }
        }
        return text;
    }
}
