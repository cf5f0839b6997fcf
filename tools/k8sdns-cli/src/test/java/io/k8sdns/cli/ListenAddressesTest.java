package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.k8sdns.resolver.Client.Transport;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

@Timeout(300)
class ListenAddressesTest {
    @Test
    void withoutAHostItIsEveryAddress() throws Exception {
        InetSocketAddress address = ListenAddresses.parse(":5353").address();
        assertThat(address.getAddress().isAnyLocalAddress()).isTrue();
        assertThat(address.getPort()).isEqualTo(5353);
    }

    @Test
    void withAHostItIsThatAddress() {
        assertThat(ListenAddresses.parse("127.0.0.1:53")).isEqualTo(new HostAndPort("127.0.0.1", 53));
        assertThat(ListenAddresses.parse("[::1]:53")).isEqualTo(new HostAndPort("::1", 53));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":", ":x", ":65536", "::53", "::", "127.0.0.1", "127.0.0.1:"})
    void otherTextsAreRejected(String text) {
        assertThatIllegalArgumentException().isThrownBy(() -> ListenAddresses.parse(text));
    }

    @Test
    void aPortAloneIsExplained() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> ListenAddresses.parse("5353"))
                .withMessage("'5353' is not HOST:PORT, such as 127.0.0.1:5353, or :5353 for all addresses");
    }

    /** With the note that other wildcards have. */
    @Test
    void serveListensAtEveryAddress() throws Exception {
        try (RunningServer server = RunningServer.with("--listen", ":0", "--metrics=:0", Run.BOOKSTORE);
                TestClient client = new TestClient(new InetSocketAddress(
                        InetAddress.getLoopbackAddress(),
                        HostAndPort.parse(server.address()).port()))) {
            assertThat(HostAndPort.parse(server.address())
                            .address()
                            .getAddress()
                            .isAnyLocalAddress())
                    .isTrue();
            assertThat(server.err())
                    .contains(" is a wildcard; set the address that clients reach with --ns-address IP");
            assertThat(client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP)
                            .getSection(Section.ANSWER))
                    .hasSize(1);
        }
    }

    @Test
    void aServerToAskHasAHost() {
        assertThat(Run.of("verify", "--server", ":53", Run.BOOKSTORE).err()).contains("':53' is not HOST:PORT");
    }
}
