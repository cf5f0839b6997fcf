package io.k8sdns.schema;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.Objects;
import java.util.Optional;

/**
 * Addresses as one label, with dashes for dots and colons: {@code 172-17-0-3}, {@code 2001-db8--1}.
 *
 * <p>An address is printed in one way: RFC 5952 with dashes, and a {@code 0} where the label would begin or end with a
 * dash ({@code ::1} is {@code 0--1}, {@code 2001:db8::} is {@code 2001-db8--0}), since no host name does. Endpoint names
 * have this spelling only; pod names are read in every spelling.
 */
@Internal
public final class AddressLabels {
    /** Of {@code ::}; an IPv4 address has three. */
    private static final int LEAST_DASHES = 2;

    private AddressLabels() {}

    /** Returns the one spelling of an address. */
    public static String of(IpAddress address) {
        Objects.requireNonNull(address, "address");
        String text = address.toString().replace(address.isIpv4() ? '.' : ':', '-');
        return (text.startsWith("-") ? "0" : "") + text + (text.endsWith("-") ? "0" : "");
    }

    /**
     * Returns whether a label is the one spelling of an address, in lower case.
     *
     * @param label a label as text whose characters are its octets
     */
    public static boolean isOf(IpAddress address, String label) {
        Objects.requireNonNull(address, "address");
        return canSpell(label) && label.equals(of(address));
    }

    /**
     * Reads an endpoint's label: the one spelling, in upper or lower case.
     *
     * @param label a label as text whose characters are its octets
     * @return the address; empty for every other spelling and for what is no address
     */
    public static Optional<IpAddress> parseEndpointLabel(String label) {
        return parsePodLabel(label).filter(address -> of(address).equalsIgnoreCase(label));
    }

    /**
     * Reads a pod name's label: IPv4 as four decimal octets without leading zeros; IPv6 in every textual form with
     * dashes for colons. A leading {@code ::} may be {@code --} or {@code 0--}, a trailing one {@code --} or
     * {@code --0}.
     *
     * @param label a label as text whose characters are its octets
     * @return the address; empty for what is none. The form of an IPv4-mapped address gives the IPv4 address
     */
    public static Optional<IpAddress> parsePodLabel(String label) {
        if (!canSpell(label)) {
            return Optional.empty();
        }
        return parseIpv4(label).or(() -> parseIpv6(label));
    }

    /**
     * Returns whether a label holds nothing but what addresses are spelled with: hexadecimal digits and at least two dashes.
     * Most labels do not, and need not be read.
     *
     * @param label a label as text whose characters are its octets
     */
    public static boolean canSpell(String label) {
        Objects.requireNonNull(label, "label");
        int dashes = 0;
        for (int i = 0; i < label.length(); i++) {
            char c = label.charAt(i);
            if (c == '-') {
                dashes++;
            } else if (c >= 128 || Character.digit(c, 16) < 0) {
                return false;
            }
        }
        return dashes >= LEAST_DASHES;
    }

    /**
     * Returns whether the octets of a label are such a text, as {@link #canSpell(String)} does.
     *
     * @param octets hold the label, without its length
     * @param from where it begins
     * @param to where it ends
     */
    public static boolean canSpell(byte[] octets, int from, int to) {
        int dashes = 0;
        for (int i = from; i < to; i++) {
            if (octets[i] == '-') {
                dashes++;
            } else if (octets[i] < 0 || Character.digit(octets[i], 16) < 0) {
                return false;
            }
        }
        return dashes >= LEAST_DASHES;
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
        // "::2:3:4:5:6:7:8" written with a leading 0 has all eight groups beside its "::", which no IPv6 text has.
        return parseColons(text)
                .or(() -> text.startsWith("0::") ? parseColons(text.substring(1)) : Optional.empty())
                .or(() -> text.endsWith("::0") ? parseColons(text.substring(0, text.length() - 1)) : Optional.empty());
    }

    private static Optional<IpAddress> parseColons(String text) {
        return text.indexOf(':') < 0 ? Optional.empty() : IpAddress.tryParse(text);
    }
}
