package io.k8sdns.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class AddressPoolTest {
    private static final IpNetwork SMALLEST = IpNetwork.parse("192.0.2.0/27");

    /** Test vectors of the FNV draft (draft-eastlake-fnv), and a text beyond ASCII. */
    @ParameterizedTest
    @CsvSource({"'', 811c9dc5", "a, e40c292c", "foobar, bf9cf968"})
    void theHashIsFnv1aOf32Bits(String text, String hash) {
        assertThat(AddressPool.fnv1a(text)).isEqualTo(Integer.parseUnsignedInt(hash, 16));
    }

    /** Computed by hand from the rule of {@link AddressPool}: 16 + hash mod (65536 - 17). */
    @ParameterizedTest
    @CsvSource({"default, busybox1, 10.244.62.208", "default, busybox2, 10.244.44.61"})
    void theNameChoosesTheAddress(String namespace, String name, String address) {
        assertThat(new AddressPool().choose(IpNetwork.parse("10.244.0.0/16"), namespace, name))
                .contains(IpAddress.parse(address));
    }

    @Test
    void theFirstSixteenAndTheLastAddressAreNeverChosen() {
        AddressPool pool = new AddressPool();
        List<Optional<IpAddress>> chosen = new ArrayList<>();
        for (int i = 0; i < 17; i++) {
            chosen.add(pool.choose(SMALLEST, "prod", "web-" + i));
        }
        assertThat(chosen.subList(0, 15))
                .containsExactlyInAnyOrderElementsOf(IntStream.range(16, 31)
                        .mapToObj(i -> Optional.of(SMALLEST.address(i)))
                        .toList());
        assertThat(chosen.subList(15, 17)).containsOnly(Optional.empty());
    }

    @Test
    void aTakenAddressIsReplacedByTheNextFreeOneAndTheSearchWrapsAround() {
        IpAddress first = new AddressPool().choose(SMALLEST, "prod", "web").orElseThrow();
        AddressPool pool = new AddressPool();
        for (IpAddress taken = first; !taken.equals(SMALLEST.address(31)); taken = next(taken)) {
            pool.take(List.of(taken));
        }
        assertThat(pool.choose(SMALLEST, "prod", "web")).contains(SMALLEST.address(16));
    }

    @Test
    void networksOfAnySizeAreUsedUpToTheir32ndBit() {
        for (String network :
                List.of("2001:db8::/32", "2001:db8::/64", "2001:db8::/96", "2001:db8::/112", "0.0.0.0/0")) {
            IpNetwork cidr = IpNetwork.parse(network);
            assertThat(new AddressPool().choose(cidr, "prod", "web"))
                    .get()
                    .satisfies(address -> assertThat(cidr.contains(address)).isTrue());
        }
    }

    private static IpAddress next(IpAddress address) {
        byte[] bytes = address.bytes();
        bytes[3]++;
        return IpAddress.ofBytes(bytes);
    }
}
