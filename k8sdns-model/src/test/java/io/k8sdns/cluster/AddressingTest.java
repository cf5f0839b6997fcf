package io.k8sdns.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.k8sdns.model.IpNetwork;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

class AddressingTest {
    @Test
    void takesOneNetworkOfEachFamilyWith32AddressesOrMore() {
        Addressing addressing = new Addressing(cidrs("fd00:10:96::/112", "10.96.0.0/12"), cidrs("192.0.2.0/27"));
        assertThat(addressing.serviceCidrs()).hasSize(2);
    }

    @Test
    void rejectsSmallNetworks() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Addressing(cidrs("192.0.2.0/28"), cidrs("10.244.0.0/16")))
                .withMessage("service CIDR 192.0.2.0/28 has fewer than 32 addresses");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Addressing(cidrs("10.96.0.0/12"), cidrs("2001:db8::/124")))
                .withMessage("pod CIDR 2001:db8::/124 has fewer than 32 addresses");
    }

    @Test
    void rejectsTwoNetworksOfOneFamilyAndAnEmptyList() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Addressing(cidrs("10.96.0.0/12", "10.0.0.0/16"), cidrs("10.244.0.0/16")))
                .withMessageStartingWith("two service CIDRs of family IPv4");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new Addressing(cidrs("10.96.0.0/12"), List.of()))
                .withMessage("no pod CIDR");
    }

    private static List<IpNetwork> cidrs(String... texts) {
        return Arrays.stream(texts).map(IpNetwork::parse).toList();
    }
}
