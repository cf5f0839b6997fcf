package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.zone.ZoneLookup;
import io.k8sdns.zone.ZoneRevision;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Type;

/** Runs each benchmark of the zone once with a small size, and checks that it measures the intended work. */
class BenchmarksRunTest {
    /** The timeout of a test whose server does not answer; long enough for a slow machine. */
    private static final Duration QUIET = Duration.ofMinutes(1);

    private final ByteArrayOutputStream text = new ByteArrayOutputStream();
    private final PrintStream out = new PrintStream(text, true, StandardCharsets.UTF_8);

    @Test
    void allLayoutsFindTheSameAddresses() {
        LookupBenchmark benchmark = new LookupBenchmark();
        benchmark.names = 3_000;
        benchmark.fill();
        long oneArray = allOf(benchmark::oneArray);
        assertThat(oneArray / LookupBenchmark.QUESTIONS).isBetween(0x0A60_0000L, 0x0A60_0000L + 1_000);
        assertThat(allOf(benchmark::entries)).isEqualTo(oneArray);
        assertThat(allOf(benchmark::hashMap)).isEqualTo(oneArray);
    }

    /** Sends each question once. */
    private static long allOf(IntSupplier lookup) {
        return IntStream.generate(lookup)
                .limit(LookupBenchmark.QUESTIONS)
                .asLongStream()
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void everyChangeIsAppliedAndReverted(ApplyBenchmark.Changed changed) {
        ApplyBenchmark benchmark = new ApplyBenchmark();
        benchmark.changed = changed;
        benchmark.services = 100;
        benchmark.endpoints = 300;
        benchmark.zone();
        int there = benchmark.apply().names().size();
        assertThat(there)
                .isEqualTo(
                        switch (changed) {
                            case SERVICE -> 4;
                            case SERVICE_PORT -> 0;
                            case ONE_ENDPOINT -> 5;
                            case SLICE -> 302;
                            case BURST -> 400;
                        });
        assertThat(benchmark.apply().names()).hasSize(there);
    }

    @ParameterizedTest
    @EnumSource
    void bothServersAnswerEveryQuestion(QueryKind kind) throws IOException {
        RespondBenchmark benchmark = new RespondBenchmark();
        benchmark.kind = kind;
        benchmark.services = 200;
        benchmark.payload = 1232;
        benchmark.zone();
        assertThat(benchmark.k8sdns()).isGreaterThan(12);
        assertThat(benchmark.dnsjava()).isGreaterThan(12);
    }

    @Test
    void allObjectsAreLoadedAtOnce() {
        LoadBenchmark benchmark = new LoadBenchmark();
        benchmark.services = 100;
        benchmark.headless = 5;
        benchmark.objects();
        ZoneRevision loaded = benchmark.load().current();
        assertThat(loaded.serial()).isEqualTo(1);
        assertThat(loaded.lookup(DnsLabels.of("headless-4", "namespace-4", "svc"), Type.A))
                .isInstanceOf(ZoneLookup.Found.class);
    }

    @Test
    void jsonAndYamlManifestsAreEqual() throws IOException {
        ManifestBenchmark benchmark = new ManifestBenchmark();
        benchmark.services = 30;
        benchmark.texts();
        assertThat(benchmark.json().snapshot().objects()).hasSize(5 + 30 + 3 + 3);
        assertThat(benchmark.yaml().snapshot().objects())
                .containsExactlyInAnyOrderElementsOf(benchmark.json().snapshot().objects());
    }

    @Test
    void answerCostsPrintsARowForEachQuestion() {
        AnswerCosts costs = new AnswerCosts(out, 1, 0, 0);
        costs.ratios(100);
        costs.growth(List.of(1_000, 2_000));
        costs.writing(100);
        assertThat(printed().stream().filter(row -> row.matches("\\|.+\\|")))
                .hasSize(2 + QueryKind.values().length + 2 + 3 + 2 + 5);
        assertThat(printed()).last().asString().matches("One after the other: [1-9][0-9,]* changes a second.");
    }

    @Test
    void answerCostsComparesChainsWithAndWithoutFederatedNames() {
        new AnswerCosts(out, 1, 0, 0).federation(100);
        assertThat(printed()).hasSize(2 + 2 * 6).allMatch(row -> row.matches("\\|.+\\|"));
    }

    @Test
    void clusterCostsPrintsARowForEachCluster() {
        ClusterCosts costs = new ClusterCosts(out, 300);
        costs.memory();
        costs.loading();
        costs.changes();
        costs.clusterSize();
        int changes = ApplyBenchmark.Changed.values().length;
        assertThat(printed()).hasSize(2 + 16 + 2 + 6 + 2 + changes + 2 + 4).allMatch(row -> row.matches("\\|.+\\|"));
    }

    @Test
    void offeredLoadCountsAnAnswerForEachQuery() throws Exception {
        Thread answering;
        try (DatagramSocket echo = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            answering = new Thread(() -> sendBack(echo), "echo");
            answering.start();
            new OfferedLoad(out, echo.getLocalPort(), 10, QUIET).offer(0.1, 1_000);
        }
        answering.join();
        assertThat(printed()).singleElement().asString().contains("| 0.0 % |");
    }

    @Test
    void nettyServerAnswers(@TempDir Path folder) throws Exception {
        Path manifest = Files.writeString(folder.resolve("cluster.json"), new SampleManifests(1, 0).json());
        try (NettyServer server = new NettyServer(0, manifest)) {
            new OfferedLoad(out, server.address().getPort(), 1, QUIET).offer(0.1, 1_000);
        }
        assertThat(printed()).singleElement().asString().contains("| 0.0 % |");
    }

    @Test
    void overloadCostsOffersEachRate() throws Exception {
        OverloadCosts.measure(out, QUIET, 0.1, 100, 200);
        assertThat(printed()).hasSize(2 + 2 + 2).last().asString().matches("Receive buffer: [1-9][0-9]* bytes.");
    }

    private static void sendBack(DatagramSocket echo) {
        DatagramPacket packet = new DatagramPacket(new byte[512], 512);
        try {
            while (true) {
                packet.setLength(512);
                echo.receive(packet);
                echo.send(packet);
            }
        } catch (IOException closed) {
            // The test has ended.
        }
    }

    private List<String> printed() {
        return text.toString(StandardCharsets.UTF_8).lines().toList();
    }

    @Test
    void lookupOfANameOutsideTheClusterHasTenQueries() {
        PodBenchmark benchmark = new PodBenchmark();
        assertThat(benchmark.resolvConf()).startsWith("nameserver 10.96.0.10\nsearch shop.svc.cluster.local ");
        assertThat(benchmark.settings().nameservers()).hasSize(1);
        assertThat(benchmark.lookup().queries()).hasSize(10);
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "NXDOMAIN", "HEADLESS_20"})
    void serializedMessageIsTheAnswer(QueryKind kind) throws IOException {
        MessageBenchmark benchmark = new MessageBenchmark();
        benchmark.kind = kind;
        benchmark.messages();
        Message answer = new Message(benchmark.render());
        assertThat(answer.getQuestion()).isEqualTo(benchmark.parse().getQuestion());
        assertThat(answer.getHeader().getFlag(Flags.QR)).isTrue();
    }
}
