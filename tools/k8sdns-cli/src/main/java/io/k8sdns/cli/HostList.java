package io.k8sdns.cli;

import io.k8sdns.model.IpAddress;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;

/**
 * The host strings of an application, as {@code queries --advise} reads them: one a line; empty lines and those that begin
 * with # mean nothing.
 *
 * <p>A URL or a host with a port is an error: a resolver is never asked for it, so that its cost would be a wrong number. The
 * error says what to write.
 */
final class HostList {
    /** Whoever gives a file of something else needs no more. */
    private static final int MOST_ERRORS = 20;

    private final List<String> hosts = new ArrayList<>();
    private final List<String> errors = new ArrayList<>();
    private int wrong;

    /** Adds the lines of a file; one without a name is an error, unless there were names before. */
    void addFile(String file, String text) {
        // Some editors begin a file with a mark that is no part of its text.
        Iterator<String> lines =
                (text.startsWith("\uFEFF") ? text.substring(1) : text).lines().iterator();
        for (int number = 1; lines.hasNext(); number++) {
            String host = lines.next().strip();
            if (!host.isEmpty() && !host.startsWith("#")) {
                add(file + ": line " + number, host);
            }
        }
        if (hosts.isEmpty() && wrong == 0) {
            reject(file + ": no name in it");
        }
    }

    /** Adds a host string that stands somewhere. */
    void add(String place, String host) {
        String bare = bare(host);
        if (bare.equals(host)) {
            hosts.add(host);
        } else {
            String instead = bare.isEmpty() ? "; write a host name" : "; write " + QueriesCommand.shown(bare);
            reject(place + ": not a host name alone: " + QueriesCommand.shown(host) + instead);
        }
    }

    private void reject(String error) {
        if (++wrong <= MOST_ERRORS) {
            errors.add(error);
        }
    }

    /**
     * Returns the host strings.
     *
     * @throws IllegalArgumentException if anything that was added is none; the message has a line for each
     */
    List<String> hosts() {
        if (wrong > 0) {
            String more = wrong > MOST_ERRORS ? "\nand " + (wrong - MOST_ERRORS) + " more" : "";
            throw new IllegalArgumentException(String.join("\n", errors) + more);
        }
        return hosts;
    }

    /** Returns the host of a URL or of a host with a port; a host as it is; nothing if there is none. */
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
