package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.zone.ClusterZone;
import java.io.ByteArrayInputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.security.auth.x500.X500Principal;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Views by attributes of the client. */
class ViewsTest {
    /** A certificate whose subject is CN=shop, made with openssl. */
    private static final byte[] CERTIFICATE = Base64.getDecoder()
            .decode(
                    "MIIBdDCCARugAwIBAgIUbSeUQq+fA+Ilxh6fZseblJiS8kMwCgYIKoZIzj0EAwIwDzENMAsGA1UEAwwEc2hvcDAgFw0yNjExMjMy"
                            + "MjU4MjFaGA8yMTI2MTAzMDIyNTgyMVowDzENMAsGA1UEAwwEc2hvcDBZMBMGByqGSM49AgEGCCqGSM49AwEHA0IABPC4Anvk5SCn"
                            + "9fcsX9uo0DeX42r+DcruG5FGybFPdCtEf8d0NUvss6p0ILCrFb0XV20PoXFF9HJACSxT7vaTidijUzBRMB0GA1UdDgQWBBTh0FXv"
                            + "pdYafqM2p4CBgeE9uVKbGTAfBgNVHSMEGDAWgBTh0FXvpdYafqM2p4CBgeE9uVKbGTAPBgNVHRMBAf8EBTADAQH/MAoGCCqGSM49"
                            + "BAMCA0cAMEQCIGVPJMOXODGduCNplUwtZgABVIrAkRvujDwOnW14qFhdAiBVu0yB+EqagB+O9C5nAyua3cwn1kZSfZxgmNkTufZz"
                            + "MQ==");

    private static final byte[] CART =
            Packet.query("cart.shop.svc.cluster.local.", Type.A).bytes();

    private final ClusterZone zone = ClusterZone.create();

    /** Passes questions on, and counts them. */
    private static final class Counting implements DnsResolver {
        private final DnsResolver inner;
        private int resolved;

        Counting(DnsResolver inner) {
            this.inner = inner;
        }

        @Override
        public Resolution resolve(Question question, Client client) {
            resolved++;
            return inner.resolve(question, client);
        }

        @Override
        public Optional<DirectAnswers> direct() {
            return inner.direct();
        }

        @Override
        public Optional<DirectAnswers> direct(Client client) {
            return inner.direct(client);
        }
    }

    @Test
    void aDecoratorThatPassesOnTheDirectResolverKeepsTheFastPath() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ResolverChain chain = ResolverChain.of(zone);
        for (DnsResolver inner : List.of(chain, DnsResolver.byClient(client -> chain))) {
            Counting counting = new Counting(inner);
            DnsResponder responder = DnsResponder.builder(counting).build();
            assertThat(addresses(responder, Exchange.UDP)).containsExactly("10.96.0.20");
            assertThat(responder.slowPathCount()).isZero();
            Exchange.of(
                    responder,
                    Exchange.UDP,
                    Packet.query("cluster.local.", Type.SOA).bytes());
            assertThat(responder.slowPathCount()).isEqualTo(1);
            assertThat(counting.resolved).isEqualTo(1);
        }
    }

    @Test
    void aDecoratorThatChangesAnswersTakesTheSlowPath() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ResolverChain chain = ResolverChain.of(zone);
        DnsResponder responder = DnsResponder.builder((question, client) -> chain.resolve(question, client)
                        .then(answer -> new Resolution.Ready(Answer.failure(Rcode.REFUSED))))
                .build();
        assertThat(Exchange.of(responder, Exchange.UDP, CART).message().getRcode())
                .isEqualTo(Rcode.REFUSED);
    }

    @Test
    void tenantsResolveOnlyNamesOfTheirNamespaces() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"), ClusterIpService.of("pay", "bank", "10.96.0.21"));
        Map<String, ResolverChain> tenants = new HashMap<>();
        for (String name : List.of("shop", "pay")) {
            tenants.put(name, ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of(name)))));
        }
        ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
        DnsResponder responder = DnsResponder.builder(DnsResolver.byClient(
                        client -> client.namespace().map(tenants::get).orElse(nothing)))
                .build();

        assertThat(addresses(responder, client("shop"))).containsExactly("10.96.0.20");
        assertThat(addresses(responder, client("pay"))).isEmpty();
        assertThat(addresses(responder, Exchange.UDP)).isEmpty();
        assertThat(responder.slowPathCount()).isZero();
        assertThat(Exchange.of(responder, client("unknown"), CART).message().getRcode())
                .isEqualTo(Rcode.NXDOMAIN);
    }

    @Test
    void tenantsAreDistinguishedByTheirTlsCertificates() throws Exception {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
        ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
        X500Principal subject = new X500Principal("CN=shop");
        DnsResponder responder = DnsResponder.builder(DnsResolver.byClient(client -> client.tlsCertificates().stream()
                                .limit(1)
                                .anyMatch(own -> own.getSubjectX500Principal().equals(subject))
                        ? shop
                        : nothing))
                .build();
        X509Certificate certificate = (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(CERTIFICATE));
        Client client = Client.builder(Client.Transport.TCP)
                .tlsCertificates(List.of(certificate))
                .build();

        assertThat(addresses(responder, client)).containsExactly("10.96.0.20");
        assertThat(addresses(responder, Exchange.TCP)).isEmpty();
        assertThat(client.toBuilder().build())
                .isEqualTo(client)
                .hasSameHashCodeAs(client)
                .hasToString("TCP CN=shop");
        assertThat(client).isNotEqualTo(Client.builder(Client.Transport.TCP).build());
    }

    @Test
    void tenantsAreDistinguishedByTheEdnsOptionsOfTheirQueries() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
        ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
        DnsResolver tenants =
                DnsResolver.byClient(client -> client.ednsOptions().isEmpty() ? nothing : shop);
        List<Client> clients = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder(tenants)
                .clients(client -> {
                    clients.add(client);
                    return client;
                })
                .build();
        byte[] withOption = Packet.query("cart.shop.svc.cluster.local.", Type.A)
                .opt(1232, 0, 0, 0, 10, 0, 2, 7, 8)
                .bytes();
        assertThat(Answer.of(Exchange.of(responder, Exchange.UDP, withOption).message())
                        .addresses())
                .containsExactly("10.96.0.20");
        assertThat(clients)
                .last()
                .satisfies(client -> assertThat(client.ednsOptions()).hasSize(1));
        assertThat(addresses(responder, Exchange.UDP)).isEmpty();
        assertThat(clients)
                .last()
                .satisfies(client -> assertThat(client.ednsOptions()).isEmpty());
        assertThat(responder.slowPathCount()).isZero();
    }

    @Test
    void theHostAddsAttributesOfAClient() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ResolverChain shop = ResolverChain.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
        ResolverChain nothing = ResolverChain.of(zone.view(Visibility.NOTHING));
        DnsResponder.Builder builder = DnsResponder.builder(
                DnsResolver.byClient(client -> client.namespace().equals(Optional.of("shop")) ? shop : nothing));
        DnsResponder responder = builder.clients(
                        client -> client.toBuilder().namespace("shop").build())
                .build();
        assertThat(addresses(responder, Exchange.UDP)).containsExactly("10.96.0.20");
        assertThat(responder.slowPathCount()).isZero();

        List<String> failures = new ArrayList<>();
        DnsResponder failing = builder.clients(client -> {
                    throw new IllegalStateException("on purpose");
                })
                .failures((question, failure) -> failures.add(failure.getMessage()))
                .build();
        assertThat(Exchange.of(failing, Exchange.UDP, CART).message().getRcode())
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(failures).containsExactly("on purpose");
    }

    @Test
    void aFailedFunctionCausesServfailAndIsReported() {
        List<String> failures = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder(DnsResolver.byClient(client -> {
                    throw new IllegalStateException("on purpose");
                }))
                .failures((question, failure) -> failures.add(failure.getMessage()))
                .build();
        assertThat(Exchange.of(responder, Exchange.UDP, CART).message().getRcode())
                .isEqualTo(Rcode.SERVFAIL);
        assertThat(failures).containsExactly("on purpose");
    }

    @Test
    void aViewByLabelsIsCreatedBeforeTheObjects() {
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        assertThatThrownBy(() -> zone.view(Visibility.ALL.onlyWith(Selector.parse("public"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("make a view by labels before the first put or apply; this zone already has objects");
    }

    @Test
    void aResolverReceivesAllAttributesOfTheClient() throws Exception {
        List<Client> clients = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder((question, client) -> {
                    clients.add(client);
                    return new Resolution.Ready(Answer.failure(Rcode.REFUSED));
                })
                .build();
        InetSocketAddress address = new InetSocketAddress(InetAddress.getByAddress(new byte[] {10, 0, 0, 7}), 53);
        Client client = Client.builder(Client.Transport.TCP)
                .address(address)
                .principal(new X500Principal("CN=shop"))
                .pod(ObjectRef.of(Pod.KIND, "shop", "web-0"))
                .build();
        Exchange.of(
                responder,
                client,
                Packet.query("a.", Type.A)
                        .opt(1232, 0, 0, 0, 10, 0, 2, 7, 8, 0, 12, 0, 0)
                        .bytes());

        assertThat(clients).singleElement().satisfies(seen -> {
            assertThat(seen.ednsOptions())
                    .containsExactly(
                            new GenericEDNSOption(10, new byte[] {7, 8}), new GenericEDNSOption(12, new byte[0]));
            assertThat(seen.toBuilder().edns(false).ednsOptions(List.of()).build())
                    .isEqualTo(client)
                    .hasSameHashCodeAs(client);
            assertThat(seen.namespace()).contains("shop");
            assertThat(seen).hasToString("TCP /10.0.0.7:53 CN=shop Pod shop/web-0 in shop");
        });
    }

    @Test
    void aResolverReceivesTheDoAndCdBitsOfTheQuery() {
        List<Client> clients = new ArrayList<>();
        DnsResponder responder = DnsResponder.builder((question, client) -> {
                    clients.add(client);
                    return new Resolution.Ready(Answer.failure(Rcode.REFUSED));
                })
                .build();
        Client before = Client.builder(Client.Transport.TCP)
                .dnssecOk(true)
                .checkingDisabled(true)
                .build();
        assertThat(before)
                .isNotEqualTo(Client.IN_PROCESS)
                .isEqualTo(before.toBuilder().build());

        Exchange.of(
                responder,
                Client.IN_PROCESS,
                Packet.query("a.", Type.A).opt(1232, 0, Packet.DO).bytes());
        Exchange.of(
                responder,
                Client.IN_PROCESS,
                Packet.query("a.", Type.A).flags(Packet.CD).bytes());
        Exchange.of(
                responder, before, Packet.query("a.", Type.A).opt(1232, 0, 0).bytes());
        assertThat(clients).extracting(Client::dnssecOk).containsExactly(true, false, false);
        assertThat(clients).extracting(Client::checkingDisabled).containsExactly(false, true, false);
        assertThat(clients).extracting(Client::hasEdns).containsExactly(true, false, true);
        assertThat(clients.get(2))
                .isEqualTo(Client.IN_PROCESS.toBuilder().edns(true).build());
    }

    private static Client client(String namespace) {
        return Client.builder(Client.Transport.UDP).namespace(namespace).build();
    }

    private static List<String> addresses(DnsResponder responder, Client client) {
        return Answer.of(Exchange.of(responder, client, CART).message()).addresses();
    }
}
