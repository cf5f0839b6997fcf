package io.k8sdns.autopath;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.ClusterSearches;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;

/**
 * A search list in an EDNS option of a query: the domains to append to the question's name.
 *
 * <p>Two forms exist on the wire. The text form is a comma-separated list of domains. The version form is the byte 1, then the
 * namespace and the cluster domain as one name; the server derives the list from them. A first byte below 32, the control
 * characters of ASCII, is always a version, because no text starts with one.
 *
 * <p>Source: the enhancement proposal "DNS Autopath in PodSpec". It does not define the option code; 15, which it mentions, is now
 * the code of extended errors (RFC 8914).
 */
public sealed interface SearchPaths {
    /** The default option code, from the range for local use (RFC 6891, 9). */
    int OPTION_CODE = 65_433;

    /** The largest number of domains, the same as in a Pod's search list. */
    int MAX_PATHS = 32;

    /** The largest length of the text form in bytes, the same as of a Pod's search list in characters. */
    int MAX_CHARACTERS = 2_048;

    /**
     * The text form.
     *
     * @param paths the domains in order, absolute, at most {@link SearchPaths#MAX_PATHS}; if empty, only the name itself is looked
     *     up
     */
    record PathList(List<DnsLabels> paths) implements SearchPaths {
        /**
         * Checks and copies the domains.
         *
         * @throws InvalidNameException if there are too many, one is the root, or a label has a character other than letters,
         *     digits, {@code -} and {@code _}
         */
        public PathList {
            paths = Copies.list("paths", paths);
            if (paths.size() > MAX_PATHS) {
                throw new InvalidNameException(paths.size() + " search paths, at most " + MAX_PATHS + " are allowed");
            }
            paths.forEach(PathList::requireText);
            if (text(paths).length() > MAX_CHARACTERS) {
                throw new InvalidNameException("search paths of more than " + MAX_CHARACTERS + " characters");
            }
        }

        private static void requireText(DnsLabels path) {
            if (path.isEmpty()) {
                throw new InvalidNameException("a search path without a label");
            }
            for (int i = 0; i < path.count(); i++) {
                if (!path.label(i).chars().allMatch(PathList::isAllowed)) {
                    throw new InvalidNameException("label " + (i + 1)
                            + " of a search path may hold letters, digits, '-'" + " and '_' alone: " + path);
                }
            }
        }

        private static boolean isAllowed(int character) {
            return character >= 'a' && character <= 'z'
                    || character >= 'A' && character <= 'Z'
                    || character >= '0' && character <= '9'
                    || character == '-'
                    || character == '_';
        }

        private static String text(List<DnsLabels> paths) {
            return paths.stream().map(DnsLabels::toString).collect(Collectors.joining(","));
        }

        @Override
        public List<DnsLabels> paths(List<DnsLabels> hostSearches) {
            return paths;
        }

        @Override
        public byte[] toWire() {
            return text(paths).getBytes(StandardCharsets.US_ASCII);
        }

        /** Returns the text form. */
        @Override
        public String toString() {
            return text(paths);
        }
    }

    /**
     * The version form, version 1.
     *
     * @param searches the namespace and the cluster domain
     */
    record OfNamespace(ClusterSearches searches) implements SearchPaths {
        private static final int VERSION = 1;

        /**
         * Checks the names.
         *
         * @throws InvalidNameException if the cluster domain is not a valid name or is the root, or both are too long for one name
         */
        public OfNamespace {
            Objects.requireNonNull(searches, "searches");
            if (name(searches).count() < 2) {
                throw new InvalidNameException("a namespace without a cluster domain");
            }
        }

        private static DnsLabels name(ClusterSearches searches) {
            return DnsLabels.of(searches.namespace()).append(DnsLabels.parse(searches.clusterDomain()));
        }

        @Override
        public List<DnsLabels> paths(List<DnsLabels> hostSearches) {
            return Stream.concat(searches.labels().stream(), hostSearches.stream())
                    .toList();
        }

        @Override
        public byte[] toWire() {
            DnsLabels name = name(searches);
            byte[] data = new byte[1 + name.wireLength() + 1];
            data[0] = VERSION;
            System.arraycopy(name.toWire(), 0, data, 1, name.wireLength());
            return data;
        }
    }

    /**
     * Reads the data of an option.
     *
     * <p>In the text form, spaces around a domain and a dot at its end are allowed; empty data is an empty list. A control
     * character is only allowed as the first byte, where it is a version.
     *
     * @param data the data after option code and length
     * @return empty for an unknown version: a first byte below 32 other than 1, whatever follows. An {@link AutopathResolver} ignores
     *     it, so that later versions can be defined
     * @throws InvalidNameException if the data is not a search list, for example a text with a control character; the message
     *     contains the reason
     */
    static Optional<SearchPaths> parse(byte[] data) {
        Objects.requireNonNull(data, "data");
        if (data.length > 0 && data[0] >= 0 && data[0] < ' ') {
            return data[0] == OfNamespace.VERSION ? Optional.of(parseVersion1(data)) : Optional.empty();
        }
        return Optional.of(parseText(data));
    }

    private static SearchPaths parseVersion1(byte[] data) {
        int root = data.length - 1;
        if (root < 1 || data[root] != 0) {
            throw new InvalidNameException("not a namespace and a cluster domain in one name");
        }
        DnsLabels name = DnsLabels.ofWire(data, 1, root);
        if (name.isEmpty()) {
            throw new InvalidNameException("a namespace without a cluster domain");
        }
        return new OfNamespace(
                new ClusterSearches(name.foldedLabel(0), name.skip(1).toString()));
    }

    private static SearchPaths parseText(byte[] data) {
        if (data.length > MAX_CHARACTERS) {
            throw new InvalidNameException("search paths of more than " + MAX_CHARACTERS + " characters");
        }
        // ISO 8859-1 maps each byte to one character, so that the check of labels rejects all bytes outside ASCII.
        String text = new String(data, StandardCharsets.ISO_8859_1);
        if (text.isEmpty()) {
            return new PathList(List.of());
        }
        if (text.indexOf('\\') >= 0) {
            throw new InvalidNameException("a search path has no backslash: " + text);
        }
        List<DnsLabels> paths = new ArrayList<>();
        for (String part : text.split(",", MAX_PATHS + 1)) {
            paths.add(DnsLabels.parse(withoutSpaces(part)));
        }
        return new PathList(paths);
    }

    private static String withoutSpaces(String part) {
        int from = 0;
        int to = part.length();
        while (from < to && part.charAt(from) == ' ') {
            from++;
        }
        while (from < to && part.charAt(to - 1) == ' ') {
            to--;
        }
        return part.substring(from, to);
    }

    /**
     * Returns the domains to append, in order.
     *
     * @param hostSearches the search domains of the server's node, which are added to the version form
     */
    List<DnsLabels> paths(List<DnsLabels> hostSearches);

    /** Returns the data of the option as a new array. */
    byte[] toWire();

    /**
     * Returns the option.
     *
     * @param code the option code, usually {@link #OPTION_CODE}
     */
    default EDNSOption toOption(int code) {
        return new GenericEDNSOption(code, toWire());
    }
}
