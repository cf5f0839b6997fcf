package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.Optional;

/** Texts that are addresses to {@code getaddrinfo}, and so are never asked for. */
@Internal
public final class NumericAddress {
    /** No address has so many characters, but for leading zeros. */
    private static final int MAX_TEXT = 255;

    private NumericAddress() {}

    /**
     * Reads an IPv4 address as {@code inet_aton} does: one to four numbers, decimal, octal with a leading 0 or
     * hexadecimal with a leading 0x; the last one fills what is left, so that {@code 10.1} is 10.0.0.1.
     */
    public static Optional<IpAddress> aton(String text) {
        if (text.length() > MAX_TEXT) {
            return Optional.empty();
        }
        String[] numbers = text.split("\\.", -1);
        if (numbers.length > 4) {
            return Optional.empty();
        }
        long address = 0;
        for (int i = 0; i < numbers.length; i++) {
            boolean last = i == numbers.length - 1;
            int octets = last ? 4 - i : 1;
            Optional<Long> number = number(numbers[i]);
            if (number.isEmpty() || number.get() >= 1L << 8 * octets) {
                return Optional.empty();
            }
            address = address << 8 * octets | number.get();
        }
        return Optional.of(IpAddress.ofBytes(
                new byte[] {(byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address}));
    }

    /** Reads a number of C; empty as well if it has more than 32 bits. */
    private static Optional<Long> number(String text) {
        int radix = 10;
        int start = 0;
        if (text.startsWith("0x") || text.startsWith("0X")) {
            radix = 16;
            start = 2;
        } else if (text.startsWith("0") && text.length() > 1) {
            radix = 8;
            start = 1;
        }
        if (start == text.length()) {
            return Optional.empty();
        }
        long value = 0;
        for (int i = start; i < text.length(); i++) {
            char c = text.charAt(i);
            int digit = c < 128 ? Character.digit(c, radix) : -1;
            value = value * radix + digit;
            if (digit < 0 || value > 0xFFFF_FFFFL) {
                return Optional.empty();
            }
        }
        return Optional.of(value);
    }

    /** Reads an address as it is written nowadays: four decimal numbers, or an IPv6 address with a zone or without. */
    public static Optional<IpAddress> literal(String text) {
        return ipv6(text).or(() -> IpAddress.tryParse(text));
    }

    /** Reads an IPv6 address, with a zone ({@code fe80::1%eth0}) or without. */
    public static Optional<IpAddress> ipv6(String text) {
        int zone = text.indexOf('%');
        String address = zone < 0 ? text : text.substring(0, zone);
        boolean zoneMissing = zone == text.length() - 1 && zone >= 0;
        return address.indexOf(':') < 0 || zoneMissing ? Optional.empty() : IpAddress.tryParse(address);
    }
}
