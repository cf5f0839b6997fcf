package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** Malformed and hostile messages: each has one deterministic outcome, and none causes an exception. */
class HostileMessageTest {
    private static final Path CORPUS = Path.of(
            System.getProperty("k8sdns.root", ".."),
            "k8sdns-server-embedded/src/test/resources/io/k8sdns/wire/hostile");

    private static final int MUTATIONS = 60_000;

    private static final Set<Integer> RCODES =
            Set.of(Rcode.NOERROR, Rcode.NXDOMAIN, Rcode.FORMERR, Rcode.NOTIMP, Rcode.REFUSED, Rcode.BADVERS);

    private static final DnsResponder RESPONDER =
            DnsResponder.builder(ResolverChain.of(zone())).build();

    private static final DnsResponder ON_SLOW_PATH =
            DnsResponder.builder(ResolverChain.of(zone())).slowPathOnly().build();

    /** One file: its description, its expected outcome, and its bytes in hexadecimal digits; {@code #} begins a comment. */
    record Sample(String name, String expected, String hex) {
        static Sample read(Path file) throws IOException {
            String expected = "";
            StringBuilder digits = new StringBuilder();
            for (String line : Files.readAllLines(file, StandardCharsets.UTF_8)) {
                if (line.startsWith("# expect: ")) {
                    expected = line.substring("# expect: ".length());
                }
                int comment = line.indexOf('#');
                digits.append(comment < 0 ? line : line.substring(0, comment));
            }
            return new Sample(
                    file.getFileName().toString(), expected, digits.toString().replace(" ", ""));
        }

        byte[] bytes() {
            return HexFormat.of().parseHex(hex);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static List<Sample> corpus() throws IOException {
        List<Sample> samples = new ArrayList<>();
        try (Stream<Path> files = Files.list(CORPUS)) {
            for (Path file : files.sorted().toList()) {
                samples.add(Sample.read(file));
            }
        }
        return samples;
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void everySampleHasItsExpectedOutcome(Sample sample) {
        for (Client client : List.of(Exchange.UDP, Exchange.TCP)) {
            Exchange exchange = Exchange.of(RESPONDER, client, sample.bytes());

            String outcome = exchange.isDropped()
                    ? "silence"
                    : Rcode.string(exchange.message().getRcode())
                            + (exchange.message().getOPT() == null ? "" : " opt");
            assertThat(outcome).isEqualTo(sample.expected());
            check(sample.bytes(), client, exchange);
        }
    }

    @Test
    void mutatedMessagesHaveOneOutcomeThatIsAllowed() throws IOException {
        List<byte[]> seeds =
                new ArrayList<>(corpus().stream().map(Sample::bytes).toList());
        seeds.addAll(wellFormed());
        Random random = new Random(20261121);
        Set<Integer> seen = new TreeSet<>();
        int silent = 0;
        for (int i = 0; i < MUTATIONS; i++) {
            byte[] bytes = mutated(seeds, random);
            Client client = random.nextInt(4) == 0 ? Exchange.TCP : Exchange.UDP;
            Exchange exchange;
            try {
                exchange = Exchange.of(RESPONDER, client, bytes);
                check(bytes, client, exchange);
            } catch (RuntimeException | AssertionError failed) {
                throw new AssertionError(
                        "mutation " + i + ": " + HexFormat.ofDelimiter(" ").formatHex(bytes), failed);
            }
            if (exchange.isDropped()) {
                silent++;
            } else {
                seen.add(exchange.message().getRcode());
            }
        }
        // The mutations must reach every outcome.
        assertThat(seen).containsExactlyInAnyOrderElementsOf(RCODES);
        assertThat(silent).isGreaterThan(MUTATIONS / 100);
    }

    /** Checks the properties of every exchange. */
    private static void check(byte[] bytes, Client client, Exchange exchange) {
        assertThat(exchange.outcomes()).isEqualTo(1);
        assertThat(exchange.isDropped()).isEqualTo(bytes.length < 12 || (bytes[2] & 0x80) != 0);
        if (exchange.isDropped()) {
            return;
        }
        byte[] response = exchange.bytes();
        assertThat(response)
                .as("the slow path")
                .isEqualTo(Exchange.of(ON_SLOW_PATH, client, bytes).bytes());
        Message message = exchange.message();
        assertThat(Arrays.copyOf(response, 2)).isEqualTo(Arrays.copyOf(bytes, 2));
        assertThat(exchange.flags() & 0xF910).isEqualTo(0x8000 | flags(bytes) & 0x7910);
        assertThat(RCODES).contains(message.getRcode());
        assertThat(response.length).isLessThanOrEqualTo(limit(client, message));
        assertThat(message.getRcode() == Rcode.NOTIMP).isEqualTo((bytes[2] & 0x78) != 0);
        assertQuestionOfTheQuery(bytes, message);
    }

    /** A response has an OPT record if and only if one was read; without it the limit is 512. */
    private static int limit(Client client, Message response) {
        return client.transport() == Client.Transport.TCP ? 65535 : response.getOPT() == null ? 512 : 1232;
    }

    private static int flags(byte[] bytes) {
        return (bytes[2] & 0xFF) << 8 | bytes[3] & 0xFF;
    }

    /** Checks that the returned question is the one that dnsjava reads from the query. */
    private static void assertQuestionOfTheQuery(byte[] bytes, Message response) {
        if (response.getQuestion() == null) {
            return;
        }
        byte[] alone = bytes.clone();
        Arrays.fill(alone, 2, 12, (byte) 0);
        alone[5] = 1;
        try {
            assertThat(response.getQuestion()).isEqualTo(new Message(alone).getQuestion());
        } catch (IOException unreadable) {
            throw new AssertionError("dnsjava reads no question here", unreadable);
        }
    }

    private static byte[] mutated(List<byte[]> seeds, Random random) {
        byte[] bytes = seeds.get(random.nextInt(seeds.size())).clone();
        for (int i = random.nextInt(4); i >= 0; i--) {
            bytes = mutated(bytes, seeds, random);
        }
        return bytes;
    }

    private static byte[] mutated(byte[] bytes, List<byte[]> seeds, Random random) {
        if (bytes.length == 0) {
            return bytes;
        }
        int at = random.nextInt(bytes.length);
        switch (random.nextInt(9)) {
            case 0 -> bytes[at] = (byte) random.nextInt(256);
            case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> bytes[at] = (byte) (0xC0 | random.nextInt(64));
            case 3 ->
                bytes[at] = (byte) List.of(0, 1, 63, 64, 127, 128, 255)
                        .get(random.nextInt(7))
                        .intValue();
            case 4 -> bytes[Math.min(bytes.length - 1, 4 + random.nextInt(8))] = (byte) random.nextInt(3);
            case 5 -> {
                return Arrays.copyOf(bytes, at);
            }
            case 6 -> {
                byte[] longer = Arrays.copyOf(bytes, bytes.length + 1 + random.nextInt(20));
                for (int i = bytes.length; i < longer.length; i++) {
                    longer[i] = (byte) random.nextInt(256);
                }
                return longer;
            }
            case 7 -> {
                byte[] other = seeds.get(random.nextInt(seeds.size()));
                byte[] spliced = Arrays.copyOf(bytes, at + other.length);
                System.arraycopy(other, 0, spliced, at, other.length);
                return spliced;
            }
            default -> {
                int length = random.nextInt(bytes.length - at);
                System.arraycopy(bytes, random.nextInt(bytes.length - length), bytes, at, length);
            }
        }
        return bytes;
    }

    private static List<byte[]> wellFormed() {
        List<byte[]> queries = new ArrayList<>();
        for (String name : List.of(
                "web.prod.svc.cluster.local.",
                "many.prod.svc.cluster.local.",
                "_p._tcp.many.prod.svc.cluster.local.",
                "alias.prod.svc.cluster.local.",
                "nobody.prod.svc.cluster.local.",
                "cluster.local.",
                "1.0.96.10.in-addr.arpa.",
                "example.com.")) {
            for (int type : new int[] {Type.A, Type.AAAA, Type.SRV, Type.PTR, Type.NS, Type.ANY}) {
                queries.add(Packet.query(name, type).flags(Packet.RD).bytes());
                queries.add(Packet.query(name, type).opt(4096, 0, Packet.DO).bytes());
                queries.add(Packet.query(name, type)
                        .opt(800, 0, 0, 0, 10, 0, 8, 1, 2, 3, 4, 5, 6, 7, 8)
                        .bytes());
            }
        }
        return queries;
    }

    private static ClusterZone zone() {
        List<Endpoint> endpoints = IntStream.range(0, 200)
                .mapToObj(i -> Endpoint.of("10.244.0." + i))
                .toList();
        return ClusterZone.of(
                ClusterSnapshot.of(List.of(
                        Namespace.of("prod"),
                        ClusterIpService.of(
                                "prod",
                                "web",
                                List.of(IpAddress.parse("10.96.0.1")),
                                List.of(ServicePort.of("http", Protocol.TCP, 80))),
                        HeadlessService.of("prod", "many", ServicePort.of("p", Protocol.TCP, 1)),
                        EndpointSlice.builder("prod", "many-1")
                                .service("many")
                                .endpoints(endpoints)
                                .ports(EndpointPort.of("p", Protocol.TCP, 1))
                                .build(),
                        ExternalNameService.of("prod", "alias", "many.prod.svc.cluster.local"))),
                new RecordRules(ZoneSettings.DEFAULTS),
                Visibility.ALL);
    }
}
