package io.k8sdns.model;

import java.util.Objects;

/**
 * A network: all addresses that share a prefix (CIDR).
 *
 * @param base the first address, whose bits after the prefix are zero
 * @param prefixLength the number of leading bits that count, 0 to 32 or 0 to 128
 */
public record IpNetwork(IpAddress base, int prefixLength) {
    /**
     * Checks the length, and that no bit after the prefix is set.
     *
     * @throws IllegalArgumentException if the length is out of range or a bit after the prefix is set
     */
    public IpNetwork {
        Objects.requireNonNull(base, "base");
        int bits = base.family().byteCount() * 8;
        if (prefixLength < 0 || prefixLength > bits) {
            throw new IllegalArgumentException("not a prefix length (0 to " + bits + "): " + prefixLength);
        }
        byte[] bytes = base.bytes();
        for (int bit = prefixLength; bit < bits; bit++) {
            if ((bytes[bit / 8] & 0x80 >>> bit % 8) != 0) {
                throw new IllegalArgumentException("host bits are set: " + base + "/" + prefixLength);
            }
        }
    }

    /**
     * Reads a network, for example {@code 10.96.0.0/12} or {@code fd00:10:96::/112}.
     *
     * @throws IllegalArgumentException if the text is not a network in CIDR form, or has host bits set
     */
    public static IpNetwork parse(String text) {
        Objects.requireNonNull(text, "text");
        int slash = text.indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException("not a network in CIDR form: " + text);
        }
        String length = text.substring(slash + 1);
        if (length.isEmpty() || length.length() > 3 || !length.chars().allMatch(c -> c >= '0' && c <= '9')) {
            throw new IllegalArgumentException("not a network in CIDR form: " + text);
        }
        return new IpNetwork(IpAddress.parse(text.substring(0, slash)), Integer.parseInt(length));
    }

    /** Returns whether the address is in this network. */
    public boolean contains(IpAddress address) {
        if (address.family() != base.family()) {
            return false;
        }
        byte[] mine = base.bytes();
        byte[] other = address.bytes();
        int whole = prefixLength / 8;
        for (int i = 0; i < whole; i++) {
            if (mine[i] != other[i]) {
                return false;
            }
        }
        int rest = prefixLength % 8;
        return rest == 0 || ((mine[whole] ^ other[whole]) & 0xFF00 >>> rest & 0xFF) == 0;
    }

    /** Returns the family of the addresses. */
    public IpFamily family() {
        return base.family();
    }

    /** Returns the number of bits after the prefix: a network holds 2 to this power addresses. */
    public int hostBits() {
        return base.family().byteCount() * 8 - prefixLength;
    }

    /**
     * Returns an address of this network by its number.
     *
     * @param index 0 for the first address
     * @throws IndexOutOfBoundsException if the index is negative or the network has fewer addresses
     */
    public IpAddress address(long index) {
        if (index < 0 || hostBits() < Long.SIZE && index >>> hostBits() != 0) {
            throw new IndexOutOfBoundsException("no address number " + index + " in " + this);
        }
        // The host bits of the base are zero, so the addition has no carry.
        return base.isIpv4() ? IpAddress.ofIpv4(base.low() | index) : IpAddress.ofIpv6(base.high(), base.low() | index);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof IpNetwork network && prefixLength == network.prefixLength && base.equals(network.base);
    }

    @Override
    public int hashCode() {
        return base.hashCode() * 31 + prefixLength;
    }

    /** Returns the CIDR form. */
    @Override
    public String toString() {
        return base + "/" + prefixLength;
    }
}
