package io.k8sdns.cli;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * A parsed zone of a server block: {@code dns://cluster.local:53}, {@code .:53}, {@code 10.96.0.0/12}.
 *
 * @param transport {@code dns}, {@code tls}, {@code https}, ...
 * @param zone the zone in lower case without the trailing dot, {@code .} for the root; or a network
 * @param port the port; by default the port of the transport
 */
record ZoneKey(String transport, String zone, int port) {
    static final String ROOT = ".";

    /** The zone of {@code serve} without {@code --zone}, the usual domain of a cluster. */
    static final String DEFAULT_ZONE = ZoneSettings.DEFAULTS.zones().get(0).toString();

    /** The reverse zones of {@code serve} without {@code --reverse-zone}. */
    static final List<String> REVERSE_ZONES = ZoneSettings.DEFAULTS.reverseZones().stream()
            .map(zone -> zone.name().toString())
            .toList();

    private static final String SCHEME_END = "://";
    private static final String PLAIN = "dns";

    /**
     * Parses the text form.
     *
     * @throws InvalidCorefileException if the text is not a zone
     */
    static ZoneKey parse(Corefile.BlockZone key) {
        String text = key.text();
        int scheme = text.indexOf(SCHEME_END);
        String transport = scheme < 0 ? PLAIN : text.substring(0, scheme).toLowerCase(Locale.ROOT);
        String rest = scheme < 0 ? text : text.substring(scheme + SCHEME_END.length());
        // The address of an IPv6 network contains colons.
        int colon = rest.indexOf(':', rest.indexOf('/') + 1);
        String zone = colon < 0 ? rest : rest.substring(0, colon);
        int port = colon < 0 ? defaultPort(transport) : port(rest.substring(colon + 1), key);
        return new ZoneKey(transport, zone(zone, key.line()), port);
    }

    /** Returns whether the zone is served over UDP and TCP. */
    boolean isPlain() {
        return transport.equals(PLAIN);
    }

    private static int defaultPort(String transport) {
        return switch (transport) {
            case "tls" -> 853;
            case "https", "grpc" -> 443;
            default -> 53;
        };
    }

    private static int port(String text, Corefile.BlockZone key) {
        if (text.isEmpty() || text.length() > 5 || !text.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new InvalidCorefileException(key.line(), "not a port (1 to 65535): " + key.text());
        }
        int port = Integer.parseInt(text);
        if (port < 1 || port > 65535) {
            throw new InvalidCorefileException(key.line(), "not a port (1 to 65535): " + key.text());
        }
        return port;
    }

    /**
     * Returns a zone in lower case and without the trailing dot, or a network unchanged.
     *
     * @throws InvalidCorefileException if it is neither
     */
    static String zone(String text, int line) {
        if (text.isEmpty() || text.equals(ROOT)) {
            return ROOT;
        }
        try {
            if (text.indexOf('/') >= 0) {
                ReverseZone.parse(text);
                return text;
            }
            DnsLabels.parse(text);
        } catch (InvalidNameException invalid) {
            throw new InvalidCorefileException(line, "not a zone: " + invalid.getMessage());
        } catch (IllegalArgumentException invalid) {
            throw new InvalidCorefileException(line, "not a network: " + invalid.getMessage());
        }
        String lower = text.toLowerCase(Locale.ROOT);
        return lower.endsWith(".") ? lower.substring(0, lower.length() - 1) : lower;
    }

    /** Returns whether a zone is a reverse zone. */
    static boolean isReverse(String zone) {
        return zone.indexOf('/') >= 0 || isWithin(zone, NameSchema.IN_ADDR_ARPA) || isWithin(zone, NameSchema.IP6_ARPA);
    }

    /** Returns the names of a network's reverse zones, or the name of any other zone. */
    static List<String> names(String zone) {
        return zone.indexOf('/') < 0
                ? List.of(zone)
                : ReverseZone.parse(zone).stream()
                        .map(one -> one.name().toString())
                        .toList();
    }

    /** Returns the names of zones and networks. */
    static List<String> names(List<String> zones) {
        return zones.stream().flatMap(zone -> names(zone).stream()).toList();
    }

    /**
     * Returns the names of zones and networks in a line.
     *
     * @throws InvalidCorefileException if a text is neither
     */
    static List<String> names(Stream<String> texts, int line) {
        return names(texts.map(text -> zone(text, line)).toList());
    }

    /** Returns the zones of a block that are served over UDP and TCP. */
    static List<String> zones(Corefile.ServerBlock block) {
        return block.keys().stream()
                .map(ZoneKey::parse)
                .filter(ZoneKey::isPlain)
                .map(ZoneKey::zone)
                .distinct()
                .toList();
    }

    /** Returns whether a zone equals one of the others or lies below it. */
    static boolean isWithinAny(String zone, List<String> others) {
        return others.stream().anyMatch(other -> isWithin(zone, other));
    }

    /** Returns whether a zone equals another one or lies below it. */
    static boolean isWithin(String zone, String other) {
        return other.equals(ROOT) || isWithin(zone, DnsLabels.parse(other));
    }

    private static boolean isWithin(String zone, DnsLabels other) {
        return DnsLabels.parse(zone).endsWith(other);
    }
}
