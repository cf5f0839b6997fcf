package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.math.BigInteger;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.IntRange;

/** Compares networks with integer arithmetic. */
class IpNetworkLaws {
    @Property
    void containsTheAddressesThatShareThePrefix(
            @ForAll("addresses") IpAddress base,
            @ForAll @IntRange(max = 128) int length,
            @ForAll @IntRange(max = 128) int flipped) {
        int bits = base.family().byteCount() * 8;
        int prefix = Math.min(length, bits);
        IpNetwork network = network(base, prefix);
        BigInteger other = number(base).flipBit(Math.min(flipped, bits - 1));
        boolean expected = number(base).shiftRight(bits - prefix).equals(other.shiftRight(bits - prefix));
        assertThat(network.contains(address(other, bits))).isEqualTo(expected);
        assertThat(network.contains(base)).isTrue();
    }

    @Property
    void addressesAreCountedFromTheBase(
            @ForAll("addresses") IpAddress base, @ForAll @IntRange(max = 128) int length, @ForAll int index) {
        int bits = base.family().byteCount() * 8;
        IpNetwork network = network(base, Math.min(length, bits));
        long wanted = Integer.toUnsignedLong(index) % (1L << Math.min(network.hostBits(), 32));
        assertThat(number(network.address(wanted)))
                .isEqualTo(number(network.base()).add(BigInteger.valueOf(wanted)));
        assertThat(network.contains(network.address(wanted))).isTrue();
    }

    @Property
    void formattedNetworksParseToEqualNetworks(
            @ForAll("addresses") IpAddress base, @ForAll @IntRange(max = 128) int length) {
        IpNetwork network = network(base, Math.min(length, base.family().byteCount() * 8));
        assertThat(IpNetwork.parse(network.toString())).isEqualTo(network);
    }

    /** Addresses that are not IPv4-mapped after a change of bits. */
    @Provide
    Arbitrary<IpAddress> addresses() {
        return Arbitraries.oneOf(
                Arbitraries.longs().map(IpAddress::ofIpv4),
                Combinators.combine(Arbitraries.longs(), Arbitraries.longs())
                        .as((high, low) -> IpAddress.ofIpv6(high | 0x2001_0db8_0000_0001L, low)));
    }

    private static IpNetwork network(IpAddress base, int prefix) {
        int bits = base.family().byteCount() * 8;
        BigInteger cut = number(base).shiftRight(bits - prefix).shiftLeft(bits - prefix);
        return new IpNetwork(address(cut, bits), prefix);
    }

    private static BigInteger number(IpAddress address) {
        return new BigInteger(1, address.bytes());
    }

    private static IpAddress address(BigInteger number, int bits) {
        return bits == 32
                ? IpAddress.ofIpv4(number.longValue())
                : IpAddress.ofIpv6(number.shiftRight(64).longValue(), number.longValue());
    }
}
