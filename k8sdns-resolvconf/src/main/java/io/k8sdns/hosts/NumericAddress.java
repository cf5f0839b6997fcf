package io.k8sdns.hosts;

import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import java.util.Optional;

/** Recognizes texts that {@code getaddrinfo} reads as addresses, so that it sends no query. */
@Internal
public final class NumericAddress {
    /** Longer than any address without extra leading zeros. */
    private static final int MAX_TEXT = 255;

    private NumericAddress() {}

    /**
     * Reads an IPv4 address as {@code inet_aton} does: one to four numbers, decimal, octal with a leading 0 or
     * hexadecimal with a leading 0x; the last one has the remaining bits, so that {@code 10.1} is 10.0.0.1.
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
            int bytes = last ? 4 - i : 1;
            Optional<Long> number = number(numbers[i]);
            if (number.isEmpty() || number.get() >= 1L << 8 * bytes) {
                return Optional.empty();
            }
            address = address << 8 * bytes | number.get();
        }
        return Optional.of(IpAddress.ofBytes(
                new byte[] {(byte) (address >>> 24), (byte) (address >>> 16), (byte) (address >>> 8), (byte) address}));
    }

    /** Reads a number in the syntax of C; empty if it is none or has more than 32 bits. */
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

    /** Reads an address in the usual form: four decimal numbers, or an IPv6 address with or without a zone. */
    public static Optional<IpAddress> literal(String text) {
        return ipv6(text).or(() -> IpAddress.tryParse(text));
    }

    /** Reads an IPv6 address, with or without a zone ({@code fe80::1%eth0}). */
    public static Optional<IpAddress> ipv6(String text) {
        int zone = text.indexOf('%');
        String address = zone < 0 ? text : text.substring(0, zone);
        boolean zoneMissing = zone == text.length() - 1 && zone >= 0;
        return address.indexOf(':') < 0 || zoneMissing ? Optional.empty() : IpAddress.tryParse(address);
    }
}
