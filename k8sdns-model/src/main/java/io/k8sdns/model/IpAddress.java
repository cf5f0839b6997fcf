package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * An IPv4 or IPv6 address as a value: two spellings of one address are equal.
 *
 * <p>Reads what Kubernetes' legacy fields may hold (KEP-4858): decimal octets with leading zeros are decimal, an
 * IPv4-mapped IPv6 address is the IPv4 address, letters may be of either case. Prints RFC 5952. A zone index
 * ({@code %eth0}) is not an address.
 *
 * <p>Ordered by family, then as unsigned numbers.
 */
public final class IpAddress implements Comparable<IpAddress> {
    private static final long MAPPED_PREFIX = 0xFFFF_0000_0000L;

    private final IpFamily family;
    private final long high;
    private final long low;

    private IpAddress(IpFamily family, long high, long low) {
        this.family = family;
        this.high = high;
        this.low = low;
    }

    /**
     * Reads an address.
     *
     * @param text for example {@code 10.0.0.1} or {@code 2001:db8::1}
     * @throws IllegalArgumentException if the text is not an address
     */
    public static IpAddress parse(String text) {
        return tryParse(text).orElseThrow(() -> new IllegalArgumentException("not an IP address: " + text));
    }

    /**
     * Reads addresses, for factories and builders.
     *
     * @param argument the name of the argument
     * @throws NullPointerException if the argument or one of its elements is null; names it
     * @throws IllegalArgumentException if one is not an IP address
     */
    static List<IpAddress> parseAll(String argument, String... texts) {
        Objects.requireNonNull(texts, argument);
        IpAddress[] addresses = new IpAddress[texts.length];
        for (int i = 0; i < texts.length; i++) {
            if (texts[i] == null) {
                throw new NullPointerException(argument + "[" + i + "]");
            }
            addresses[i] = parse(texts[i]);
        }
        return List.of(addresses);
    }

    /** Reads an address; empty if the text is not an address. */
    public static Optional<IpAddress> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        return text.indexOf(':') >= 0 ? parseIpv6(text) : parseIpv4(text, 0).map(IpAddress::ofIpv4);
    }

    /**
     * Makes an address from its bytes in network order.
     *
     * @param bytes 4 bytes, or 16; an IPv4-mapped address of 16 bytes is the IPv4 address
     * @throws IllegalArgumentException if there are not 4 or 16 bytes
     */
    public static IpAddress ofBytes(byte[] bytes) {
        Objects.requireNonNull(bytes, "bytes");
        if (bytes.length == 4) {
            return ofIpv4(number(bytes, 0, 4));
        }
        if (bytes.length == 16) {
            return ofIpv6(number(bytes, 0, 8), number(bytes, 8, 8));
        }
        throw new IllegalArgumentException("an IP address has 4 or 16 bytes, not " + bytes.length);
    }

    /** Returns the IPv4 address of a number, of which the lower 32 bits count. */
    public static IpAddress ofIpv4(long value) {
        return new IpAddress(IpFamily.IPV4, 0, value & 0xFFFF_FFFFL);
    }

    /**
     * Returns the address of 128 bits; an IPv4-mapped one is the IPv4 address.
     *
     * @param high the upper 64 bits
     * @param low the lower 64 bits
     */
    public static IpAddress ofIpv6(long high, long low) {
        return high == 0 && (low & ~0xFFFF_FFFFL) == MAPPED_PREFIX
                ? ofIpv4(low)
                : new IpAddress(IpFamily.IPV6, high, low);
    }

    private static long number(byte[] bytes, int from, int count) {
        long value = 0;
        for (int i = from; i < from + count; i++) {
            value = value << 8 | bytes[i] & 0xFF;
        }
        return value;
    }

    private static Optional<Long> parseIpv4(String text, int from) {
        long value = 0;
        int position = from;
        for (int octet = 0; octet < 4; octet++) {
            if (octet > 0) {
                if (position >= text.length() || text.charAt(position) != '.') {
                    return Optional.empty();
                }
                position++;
            }
            int start = position;
            int number = 0;
            while (position < text.length() && text.charAt(position) >= '0' && text.charAt(position) <= '9') {
                number = number * 10 + (text.charAt(position) - '0');
                if (number > 255) {
                    return Optional.empty();
                }
                position++;
            }
            if (position == start) {
                return Optional.empty();
            }
            value = value << 8 | number;
        }
        return position == text.length() ? Optional.of(value) : Optional.empty();
    }

    private static Optional<IpAddress> parseIpv6(String text) {
        int[] groups = new int[8];
        int count = 0;
        int gap = -1;
        int position = 0;
        if (text.startsWith("::")) {
            gap = 0;
            position = 2;
        }
        while (position < text.length()) {
            int end = position;
            int value = 0;
            while (end < text.length() && Character.digit(text.charAt(end), 16) >= 0 && text.charAt(end) < 128) {
                value = value << 4 | Character.digit(text.charAt(end), 16);
                end++;
                if (end - position > 4) {
                    break;
                }
            }
            if (end < text.length() && text.charAt(end) == '.') {
                Optional<Long> embedded = parseIpv4(text, position);
                if (embedded.isEmpty() || count > 6) {
                    return Optional.empty();
                }
                groups[count++] = (int) (embedded.get() >>> 16);
                groups[count++] = (int) (embedded.get() & 0xFFFF);
                position = text.length();
                break;
            }
            if (end == position || end - position > 4 || count == 8) {
                return Optional.empty();
            }
            groups[count++] = value;
            position = end;
            if (position == text.length()) {
                break;
            }
            if (text.charAt(position) != ':' || position + 1 == text.length()) {
                return Optional.empty();
            }
            position++;
            if (text.charAt(position) == ':') {
                if (gap >= 0) {
                    return Optional.empty();
                }
                gap = count;
                position++;
            }
        }
        if (gap < 0 ? count != 8 : count == 8) {
            return Optional.empty();
        }
        int[] all = new int[8];
        int head = gap < 0 ? count : gap;
        System.arraycopy(groups, 0, all, 0, head);
        System.arraycopy(groups, head, all, 8 - (count - head), count - head);
        return Optional.of(ofIpv6(fourGroups(all, 0), fourGroups(all, 4)));
    }

    private static long fourGroups(int[] groups, int from) {
        return (long) groups[from] << 48
                | (long) groups[from + 1] << 32
                | (long) groups[from + 2] << 16
                | groups[from + 3];
    }

    /** Returns the address family. */
    public IpFamily family() {
        return family;
    }

    /** Returns whether this is an IPv4 address. */
    public boolean isIpv4() {
        return family == IpFamily.IPV4;
    }

    /** Returns the bytes in network order: 4 or 16 of them, a fresh array. */
    public byte[] bytes() {
        byte[] bytes = new byte[family.byteCount()];
        for (int i = bytes.length - 1, bit = 0; i >= 0; i--, bit += 8) {
            bytes[i] = (byte) (bit < 64 ? low >>> bit : high >>> (bit - 64));
        }
        return bytes;
    }

    /** Returns the upper 64 bits of an IPv6 address; 0 for IPv4. */
    public long high() {
        return high;
    }

    /** Returns the lower 64 bits of an IPv6 address, or an IPv4 address as an unsigned 32-bit number. */
    public long low() {
        return low;
    }

    @Override
    public int compareTo(IpAddress other) {
        int byFamily = family.compareTo(other.family);
        if (byFamily != 0) {
            return byFamily;
        }
        int byHigh = Long.compareUnsigned(high, other.high);
        return byHigh != 0 ? byHigh : Long.compareUnsigned(low, other.low);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpAddress address
                && family == address.family
                && high == address.high
                && low == address.low;
    }

    @Override
    public int hashCode() {
        long mixed = (high * 31 + low) * 0x9E37_79B9_7F4A_7C15L;
        return (int) (mixed >>> 32);
    }

    /** Returns the text of RFC 5952: lower case, no leading zeros, the longest run of two or more zero groups as {@code ::}. */
    @Override
    public String toString() {
        if (isIpv4()) {
            return (low >>> 24) + "." + (low >>> 16 & 0xFF) + "." + (low >>> 8 & 0xFF) + "." + (low & 0xFF);
        }
        int runStart = -1;
        int runLength = 1;
        for (int start = 0; start < 8; start++) {
            int end = start;
            while (end < 8 && group(end) == 0) {
                end++;
            }
            if (end - start > runLength) {
                runStart = start;
                runLength = end - start;
            }
            start = Math.max(start, end - 1);
        }
        StringBuilder text = new StringBuilder(39);
        for (int i = 0; i < 8; i++) {
            if (i == runStart) {
                text.append("::");
                i += runLength - 1;
            } else {
                if (!text.isEmpty() && text.charAt(text.length() - 1) != ':') {
                    text.append(':');
                }
                text.append(Integer.toHexString(group(i)));
            }
        }
        return text.toString();
    }

    private int group(int index) {
        long half = index < 4 ? high : low;
        return (int) (half >>> (48 - 16 * (index & 3)) & 0xFFFF);
    }
}
