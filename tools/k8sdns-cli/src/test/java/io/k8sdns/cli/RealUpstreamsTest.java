package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Tests {@code serve --forward} with Unbound, BIND and Knot Resolver as upstream servers, which query Knot DNS; all on loopback.
 */
@Tag("real")
@Timeout(600)
class RealUpstreamsTest {
    private static final int RANDOM_QUESTIONS = 400;
    private static final String TLS_NAME = "dns.lab.example";

    @TempDir
    private static Path authorityFolder;

    private static RealServer authority;

    @TempDir
    private Path folder;

    @BeforeAll
    static void startAuthority() throws Exception {
        authority = RealServer.knot(authorityFolder);
    }

    @AfterAll
    static void endAuthority() throws IOException {
        if (authority != null) {
            authority.close();
        }
    }

    private static RunningServer serve(String... options) throws InterruptedException {
        return RunningServer.atFreePort(List.of(options), Run.BOOKSTORE);
    }

    private static Name name(String text) {
        return Name.fromConstantString(text + ".");
    }

    /** Returns the RCODE and the records of an answer, without TTLs and in lower case. */
    private static List<String> outcome(Message response) {
        String rcode = Rcode.string(response.getRcode());
        Set<String> records = response.getSection(Section.ANSWER).stream()
                .map(one -> (one.getName() + " " + Type.string(one.getType()) + " " + one.rdataToString())
                        .toLowerCase(Locale.ROOT))
                .collect(Collectors.toSet());
        return java.util.stream.Stream.concat(
                        java.util.stream.Stream.of(rcode), records.stream().sorted())
                .toList();
    }

    @ParameterizedTest
    @ValueSource(strings = {"unbound", "named", "kresd"})
    void everyKindOfAnswerEqualsTheResolversAnswer(String kind) throws Exception {
        try (RealServer resolver = RealServer.resolver(kind, folder, authority);
                RunningServer server = serve("--forward", resolver.text());
                TestClient client = server.client()) {
            for (Transport transport : List.of(Transport.UDP, Transport.TCP)) {
                assertThat(outcome(client.ask(name("www.lab.example"), Type.A, transport)))
                        .containsExactly("NOERROR", "www.lab.example. a 198.18.0.1");
                assertThat(outcome(client.ask(name("missing.lab.example"), Type.A, transport)))
                        .containsExactly("NXDOMAIN");
                assertThat(outcome(client.ask(name("v4.lab.example"), Type.AAAA, transport)))
                        .containsExactly("NOERROR");
                assertThat(outcome(client.ask(name("below.lab.example"), Type.A, transport)))
                        .containsExactly("NOERROR");
                assertThat(outcome(client.ask(name("outside.lab.example"), Type.A, transport)))
                        .containsExactly(
                                "NOERROR",
                                "outside.lab.example. cname www.corp.example.",
                                "www.corp.example. a 198.18.9.1");
                assertThat(outcome(client.ask(name("nowhere.lab.example"), Type.A, transport)))
                        .containsExactly("NXDOMAIN", "nowhere.lab.example. cname missing.corp.example.");
                assertThat(outcome(client.ask(name("chain7.lab.example"), Type.A, transport)))
                        .hasSize(10)
                        .contains("www.lab.example. a 198.18.0.1");
                assertThat(client.ask(name("big.lab.example"), Type.A, transport)
                                .getSection(Section.ANSWER))
                        .hasSize(90);
            }
            Message negative = client.ask(name("missing.lab.example"), Type.A, Transport.UDP);
            assertThat(negative.getSection(Section.AUTHORITY)).hasSize(1);
            assertThat(negative.getHeader().getFlag(Flags.AA)).isFalse();
            assertThat(negative.getHeader().getFlag(Flags.RA)).isTrue();
            assertThat(outcome(client.ask(name("cart.shop.svc.cluster.local"), Type.A, Transport.UDP)))
                    .containsExactly("NOERROR", "cart.shop.svc.cluster.local. a 10.96.0.20");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"unbound", "named", "kresd"})
    void answersToRandomQuestionsEqualTheResolversAnswers(String kind) throws Exception {
        Random random = new Random(18);
        try (RealServer resolver = RealServer.resolver(kind, folder, authority);
                RunningServer server = serve("--forward", resolver.text());
                TestClient ours = server.client();
                TestClient theirs = resolver.client()) {
            for (int i = 0; i < RANDOM_QUESTIONS; i++) {
                Name name = name(randomName(random));
                int type = TYPES[random.nextInt(TYPES.length)];
                Transport transport = random.nextInt(4) == 0 ? Transport.TCP : Transport.UDP;
                List<String> direct = outcome(followed(theirs, name, type, transport));
                for (String from : List.of("forwarded", "cached")) {
                    assertThat(outcome(ours.ask(name, type, transport)))
                            .as("%s %s over %s, %s", name, Type.string(type), transport, from)
                            .isEqualTo(direct);
                }
            }
        }
    }

    /** Queries a resolver, and then the target of an unresolved CNAME, which Knot Resolver returns from Knot DNS. */
    private static Message followed(TestClient resolver, Name name, int type, Transport transport) throws IOException {
        Message response = resolver.ask(name, type, transport);
        List<Record> answer = response.getSection(Section.ANSWER);
        if (type == Type.CNAME
                || response.getRcode() != Rcode.NOERROR
                || answer.isEmpty()
                || !answer.stream().allMatch(CNAMERecord.class::isInstance)) {
            return response;
        }
        Name target = ((CNAMERecord) answer.get(answer.size() - 1)).getTarget();
        Message rest = resolver.ask(target, type, transport);
        answer.forEach(one -> rest.addRecord(one, Section.ANSWER));
        return rest;
    }

    private static final int[] TYPES = {
        Type.A,
        Type.A,
        Type.A,
        Type.AAAA,
        Type.AAAA,
        Type.CNAME,
        Type.MX,
        Type.NS,
        Type.SOA,
        Type.SRV,
        Type.TXT,
        Type.PTR
    };

    private static final String[] HEADS = {
        "www", "v4", "txt", "alias", "outside", "nowhere", "below", "empty.below", "a.wild", "b.c.wild", "wild",
                "x.wildalias",
        "_http._tcp", "_tcp", "chain3", "chain7", "big", "missing", "a.missing", "www.www", "ns", "mail", "back", ""
    };

    private static String randomName(Random random) {
        String zone = new String[] {"lab.example", "lab.example", "corp.example", "example", "org"}[random.nextInt(5)];
        String head = HEADS[random.nextInt(HEADS.length)];
        String name = head.isEmpty() ? zone : head + "." + zone;
        return name.chars()
                .mapToObj(one -> String.valueOf((char) (random.nextBoolean() ? Character.toUpperCase(one) : one)))
                .collect(Collectors.joining());
    }

    @Test
    void truncatedAnswersAreFetchedOverTcpAndTruncatedForTheClientOnly() throws Exception {
        try (RealServer resolver = RealServer.resolver("unbound", folder, authority);
                RunningServer server = serve("--forward", resolver.text())) {
            HostAndPort at = HostAndPort.parse(server.address());
            Program.Result cut = Program.run(
                    RealServer.program("dig", "bind9-dnsutils"),
                    "@127.0.0.1",
                    "-p",
                    Integer.toString(at.port()),
                    "+notcp",
                    "+ignore",
                    "+bufsize=512",
                    "big.lab.example");
            assertThat(String.join("\n", cut.out())).containsPattern("flags: qr[^;]* tc");
            Program.Result whole = Program.run(
                    RealServer.program("dig", "bind9-dnsutils"),
                    "@127.0.0.1",
                    "-p",
                    Integer.toString(at.port()),
                    "+short",
                    "big.lab.example");
            assertThat(whole.out()).hasSize(90);
        }
    }

    @Test
    void refusedIsForwarded() throws Exception {
        try (RealServer resolver = RealServer.resolver("unbound", folder, authority);
                RunningServer server = serve("--forward", resolver.text());
                TestClient client = server.client()) {
            assertThat(outcome(client.ask(name("www.refused.example"), Type.A, Transport.UDP)))
                    .containsExactly("REFUSED");
        }
    }

    @Test
    void aStoppedResolverIsServfailAndASecondOneIsQueried() throws Exception {
        String gone = "127.0.0.1:" + RealServer.freePort();
        try (RealServer resolver = RealServer.resolver("unbound", folder, authority);
                RunningServer alone = serve("--forward", gone);
                RunningServer both = serve("--forward", gone, "--forward", resolver.text());
                TestClient client = alone.client();
                TestClient second = both.client()) {
            assertThat(outcome(client.ask(name("www.lab.example"), Type.A, Transport.UDP)))
                    .containsExactly("SERVFAIL");
            for (String head : List.of("www", "v4", "mail", "alias", "chain1", "chain2")) {
                assertThat(second.ask(name(head + ".lab.example"), Type.A, Transport.UDP)
                                .getRcode())
                        .isEqualTo(Rcode.NOERROR);
            }
        }
    }

    @Test
    void aStubDomainHasItsOwnServer() throws Exception {
        // The resolver refuses names that the server of the stub domain, Knot DNS itself, answers.
        try (RealServer resolver =
                        RealServer.unbound(folder, authority, "  local-zone: \"corp.example.\" always_nxdomain");
                RunningServer server =
                        serve("--forward", resolver.text(), "--stub-domain", "corp.example=" + authority.text());
                TestClient client = server.client();
                TestClient direct = resolver.client()) {
            assertThat(outcome(direct.ask(name("www.corp.example"), Type.A, Transport.UDP)))
                    .containsExactly("NXDOMAIN");
            assertThat(outcome(client.ask(name("www.corp.example"), Type.A, Transport.UDP)))
                    .containsExactly("NOERROR", "www.corp.example. a 198.18.9.1");
            assertThat(outcome(client.ask(name("www.lab.example"), Type.A, Transport.UDP)))
                    .containsExactly("NOERROR", "www.lab.example. a 198.18.0.1");
        }
    }

    @Test
    void aServerWithOnlyTcpIsQueriedOverTcp() throws Exception {
        try (RealServer resolver = RealServer.unbound(folder, authority, "  do-udp: no\n  tcp-upstream: yes");
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.builder(".")
                        .server(UpstreamServer.udp(resolver.address()).overTcp())
                        .build())) {
            for (int i = 0; i <= 7; i++) {
                assertThat(forwarder
                                .forward(Question.of("chain" + i + ".lab.example", RecordType.A), Client.IN_PROCESS)
                                .toCompletableFuture()
                                .get(60, TimeUnit.SECONDS)
                                .addresses())
                        .containsExactly("198.18.0.1");
            }
        }
    }

    @Test
    void unboundIsQueriedOverTlsIfItsCertificateIsForTheName() throws Exception {
        HeldCertificate root =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        HeldCertificate host = new HeldCertificate.Builder()
                .addSubjectAlternativeName(TLS_NAME)
                .signedBy(root)
                .build();
        Path key = Files.writeString(folder.resolve("key.pem"), host.privateKeyPkcs8Pem());
        Path certificate = Files.writeString(folder.resolve("certificate.pem"), host.certificatePem());
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("root", root.certificate());
        Path store = folder.resolve("trusted.p12");
        try (OutputStream out = Files.newOutputStream(store)) {
            trusted.store(out, "changeit".toCharArray());
        }
        int tlsPort = RealServer.freePort();
        String tls = "  interface: 127.0.0.1@" + tlsPort + "\n  tls-port: " + tlsPort + "\n  tls-service-key: \"" + key
                + "\"\n  tls-service-pem: \"" + certificate + "\"";
        try (RealServer resolver = RealServer.unbound(folder, authority, tls)) {
            assertThat(resolver.address().getPort()).isNotEqualTo(tlsPort);
            String server = "tls://127.0.0.1:" + tlsPort;
            assertThat(askedOverTls(store, server + "#" + TLS_NAME)).containsExactly("NOERROR", "90");
            assertThat(askedOverTls(store, server + "#other.example")).containsExactly("SERVFAIL", "0");
            assertThat(askedOverTls(store, server)).containsExactly("SERVFAIL", "0");
        }
    }

    /** Returns RCODE and number of records of an answer over TLS, from a client process that trusts the certificate authority. */
    private static List<String> askedOverTls(Path store, String server) throws Exception {
        try (Program serve = Program.start(
                Path.of("."),
                Map.of(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-Djavax.net.ssl.trustStore=" + store,
                "-Djavax.net.ssl.trustStorePassword=changeit",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName(),
                "serve",
                "--listen",
                "127.0.0.1:0",
                "--forward",
                server,
                Run.BOOKSTORE)) {
            HostAndPort at = HostAndPort.parse(serve.line().split(" ", -1)[2]);
            try (TestClient client = new TestClient(at.address())) {
                Message response = client.ask(name("big.lab.example"), Type.A, Transport.TCP);
                return List.of(
                        Rcode.string(response.getRcode()),
                        Integer.toString(response.getSection(Section.ANSWER).size()));
            }
        }
    }
}
