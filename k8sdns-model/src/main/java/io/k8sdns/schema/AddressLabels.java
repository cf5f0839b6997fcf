package io.k8sdns.schema;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.nio.charset.StandardCharsets;
import java.util.Objects;
import java.util.Optional;

/**
 * Converts addresses to one label and back, with dashes for dots and colons: {@code 172-17-0-3}, {@code 2001-db8--1}.
 *
 * <p>An address has one canonical spelling: RFC 5952 with dashes, and a {@code 0} where the label would begin or end
 * with a dash ({@code ::1} is {@code 0--1}, {@code 2001:db8::} is {@code 2001-db8--0}), because no host name begins or
 * ends with one. Endpoint names have the canonical spelling only; pod names are read in every spelling.
 */
@Internal
public final class AddressLabels {
    /** The number of dashes of {@code ::}; an IPv4 address has three. */
    private static final int MIN_DASHES = 2;

    private AddressLabels() {}

    /** Returns the canonical spelling of an address. */
    public static String of(IpAddress address) {
        Objects.requireNonNull(address, "address");
        String text = address.toString().replace(address.isIpv4() ? '.' : ':', '-');
        return (text.startsWith("-") ? "0" : "") + text + (text.endsWith("-") ? "0" : "");
    }

    /**
     * Returns whether a label is the canonical spelling of an address, in lower case.
     *
     * @param label a label as text of one character for each byte
     */
    public static boolean isOf(IpAddress address, String label) {
        Objects.requireNonNull(address, "address");
        return canSpell(label) && label.equals(of(address));
    }

    /**
     * Reads an endpoint's label: the canonical spelling, in upper or lower case.
     *
     * @param label a label as text of one character for each byte
     * @return the address; empty for another spelling or another label
     */
    public static Optional<IpAddress> parseEndpointLabel(String label) {
        return parsePodLabel(label).filter(address -> of(address).equalsIgnoreCase(label));
    }

    /**
     * Reads a pod name's label: IPv4 as four decimal octets without leading zeros; IPv6 in every textual form with
     * dashes for colons. A leading {@code ::} may be {@code --} or {@code 0--}, a trailing one {@code --} or
     * {@code --0}.
     *
     * @param label a label as text of one character for each byte
     * @return the address; empty for another label. An IPv4-mapped address is the IPv4 address
     */
    public static Optional<IpAddress> parsePodLabel(String label) {
        if (!canSpell(label)) {
            return Optional.empty();
        }
        return parseIpv4(label).or(() -> parseIpv6(label));
    }

    /**
     * Returns whether a label consists of hexadecimal digits and at least two dashes, as every address does. This quick
     * check rejects most labels without parsing them.
     *
     * @param label a label as text of one character for each byte
     */
    public static boolean canSpell(String label) {
        byte[] bytes = label.getBytes(StandardCharsets.ISO_8859_1);
        return canSpell(bytes, 0, bytes.length);
    }

    /**
     * Returns whether a label in an array consists of hexadecimal digits and at least two dashes; see {@link #canSpell(String)}.
     *
     * @param bytes the array that holds the label
     * @param from the index of the label's first byte, after its length byte
     * @param to the index after its last byte
     */
    public static boolean canSpell(byte[] bytes, int from, int to) {
        int dashes = 0;
        for (int i = from; i < to; i++) {
            if (bytes[i] == '-') {
                dashes++;
            } else if (!isHexDigit(bytes[i])) {
                return false;
            }
        }
        return dashes >= MIN_DASHES;
    }

    /** Returns whether a character is a hexadecimal digit of ASCII. A byte above ASCII is negative. */
    private static boolean isHexDigit(int c) {
        return c >= 0 && c < 128 && Character.digit(c, 16) >= 0;
    }

    private static Optional<IpAddress> parseIpv4(String label) {
        String[] octets = label.split("-", -1);
        if (octets.length != 4) {
            return Optional.empty();
        }
        for (String octet : octets) {
            if (octet.length() > 1 && octet.startsWith("0")) {
                return Optional.empty();
            }
        }
        return IpAddress.tryParse(String.join(".", octets));
    }

    private static Optional<IpAddress> parseIpv6(String label) {
        String text = label.replace('-', ':');
        // "::2:3:4:5:6:7:8" with a leading 0 has eight groups and a "::", which IPv6 text does not allow.
        return parseColons(text)
                .or(() -> text.startsWith("0::") ? parseColons(text.substring(1)) : Optional.empty())
                .or(() -> text.endsWith("::0") ? parseColons(text.substring(0, text.length() - 1)) : Optional.empty());
    }

    private static Optional<IpAddress> parseColons(String text) {
        return text.indexOf(':') < 0 ? Optional.empty() : IpAddress.tryParse(text);
    }
}
