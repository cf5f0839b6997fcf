package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.ThreadMXBean;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.micrometer.RequestMeters;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.AnswerOrder;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Section;

/** Checks that an answer on the fast path allocates 0 bytes, as counted by the JVM for this thread. */
class FastAnswersTest {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private static final Client UDP = Client.builder(Client.Transport.UDP).build();

    private static final int SERVICES = 1_000;

    /** The number of answers of one round. */
    private static final int ROUND = 20_000;

    /**
     * The maximum number of rounds until an allocation is a failure. The interpreter allocates objects that compiled code does not, and
     * a busy machine compiles late.
     */
    private static final int MAX_ROUNDS = 5_000;

    private static final DnsResponder RESPONDER =
            DnsResponder.builder(ResolverChain.of(QueryKind.zone(SERVICES))).build();

    private static final PrometheusMeterRegistry METERS = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);

    private static final DnsResponder MEASURED = DnsResponder.builder(ResolverChain.of(QueryKind.zone(SERVICES)))
            .observer(new RequestMeters(METERS))
            .build();

    @BeforeAll
    static void thisJvmCountsWhatAThreadAllocates() {
        assertThat(THREADS.isThreadAllocatedMemorySupported() && THREADS.isThreadAllocatedMemoryEnabled())
                .isTrue();
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            names = {"SRV", "DASHED"})
    void nothingIsAllocated(QueryKind kind) {
        for (int payload : new int[] {0, 1232}) {
            List<ByteBuffer> queries = kind.queries(SERVICES, payload).stream()
                    .map(ByteBuffer::wrap)
                    .toList();
            long before = RESPONDER.slowPathCount();
            assertThat(allocated(RESPONDER, queries))
                    .as("bytes, OPT %s", payload)
                    .isZero();
            assertThat(RESPONDER.slowPathCount())
                    .as("nothing took the slow path")
                    .isEqualTo(before);
        }
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "HEADLESS_20", "HEADLESS_1000"})
    void nothingIsAllocatedForShuffledAddresses(QueryKind kind) {
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(QueryKind.zone(SERVICES)))
                .order(AnswerOrder.SHUFFLE)
                .random(new SplittableRandom(1))
                .build();
        List<ByteBuffer> queries =
                kind.queries(SERVICES, 1232).stream().map(ByteBuffer::wrap).toList();

        assertThat(allocated(responder, queries)).as("bytes").isZero();
        assertThat(responder.slowPathCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "AAAA", "NXDOMAIN", "HEADLESS_20"})
    void nothingIsAllocatedForOptionsAndBuffersOutsideTheHeap(QueryKind kind) {
        List<ByteBuffer> queries = kind.queries(SERVICES, 1232).stream()
                .map(FastAnswersTest::withCookie)
                .map(query -> ByteBuffer.allocateDirect(query.length).put(query).flip())
                .toList();
        long before = RESPONDER.slowPathCount();
        assertThat(allocated(RESPONDER, queries)).as("bytes").isZero();
        assertThat(RESPONDER.slowPathCount()).as("nothing took the slow path").isEqualTo(before);
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "NXDOMAIN", "SEARCH_WALK"})
    void nothingIsAllocatedWithFederations(QueryKind kind) {
        ResolverChain chain = ResolverChain.of(QueryKind.zone(SERVICES));
        Map<String, DnsLabels> federations = Map.of("myfed", DnsLabels.of("example"), "other", DnsLabels.of("example"));
        DnsResponder responder = DnsResponder.builder(
                        KubeDnsFederations.builder(chain, chain.zones().get(0))
                                .federations(() -> federations)
                                .build())
                .build();
        List<ByteBuffer> queries =
                kind.queries(SERVICES, 1232).stream().map(ByteBuffer::wrap).toList();

        assertThat(allocated(responder, queries)).as("bytes").isZero();
        assertThat(responder.slowPathCount()).isZero();
    }

    /** Adds a client cookie to the OPT record at the end of a query. */
    private static byte[] withCookie(byte[] query) {
        byte[] longer = Arrays.copyOf(query, query.length + 12);
        longer[query.length - 1] = 12;
        longer[query.length + 1] = 10;
        longer[query.length + 3] = 8;
        return longer;
    }

    @Test
    void nothingIsAllocatedByMeters() {
        List<ByteBuffer> queries = QueryKind.A.queries(SERVICES, 1232).stream()
                .map(ByteBuffer::wrap)
                .toList();

        assertThat(allocated(MEASURED, queries)).as("bytes").isZero();
        assertThat(METERS.get("k8sdns.requests").counter().count()).isGreaterThanOrEqualTo(ROUND);
        assertThat(MEASURED.slowPathCount()).isZero();
    }

    @ParameterizedTest
    @EnumSource(names = {"A", "NXDOMAIN", "SEARCH_WALK"})
    void nothingIsAllocatedByMetersOfZones(QueryKind kind) {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        List<DnsLabels> zones = Stream.of("cluster.local", "in-addr.arpa", "ip6.arpa", "corp.example", ".")
                .map(DnsLabels::parse)
                .toList();
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(QueryKind.zone(SERVICES)))
                .observer(new RequestMeters(registry, zones))
                .build();
        List<ByteBuffer> queries =
                kind.queries(SERVICES, 1232).stream().map(ByteBuffer::wrap).toList();

        assertThat(allocated(responder, queries)).as("bytes").isZero();
        assertThat(registry.get("k8sdns.requests")
                        .tag("zone", "cluster.local.")
                        .counter()
                        .count())
                .isGreaterThanOrEqualTo(ROUND);
        assertThat(responder.slowPathCount()).isZero();
    }

    /** Returns 0 once a round allocates nothing, otherwise the bytes that the last of many rounds allocates. */
    private static long allocated(DnsResponder responder, List<ByteBuffer> queries) {
        DnsSession session = responder.session();
        int[] bytes = {0};
        DnsResponder.Sink sink = response -> bytes[0] += response.remaining();
        long allocated = Long.MAX_VALUE;
        for (int round = 0; round < MAX_ROUNDS && allocated > 0; round++) {
            long before = THREADS.getCurrentThreadAllocatedBytes();
            respond(session, queries, sink, ROUND);
            allocated = THREADS.getCurrentThreadAllocatedBytes() - before;
        }
        return allocated;
    }

    private static void respond(DnsSession session, List<ByteBuffer> queries, DnsResponder.Sink sink, int times) {
        for (int i = 0; i < times; i++) {
            session.respond(queries.get(i & queries.size() - 1), UDP, sink);
        }
    }

    @ParameterizedTest
    @EnumSource
    void bothServersOfTheBenchmarkAnswerTheSame(QueryKind kind) throws Exception {
        DnsjavaServer dnsjava = new DnsjavaServer(QueryKind.zone(SERVICES).current());
        for (byte[] query : kind.queries(SERVICES, 1232).subList(0, 50)) {
            Message theirs = new Message(dnsjava.respond(query));
            Message[] ours = new Message[1];
            RESPONDER.respond(ByteBuffer.wrap(query), UDP, response -> ours[0] = message(response));
            assertThat(Rcode.string(ours[0].getRcode())).isEqualTo(Rcode.string(theirs.getRcode()));
            if (kind != QueryKind.HEADLESS_1000) {
                assertThat(ours[0].getSection(Section.ANSWER))
                        .containsExactlyInAnyOrderElementsOf(theirs.getSection(Section.ANSWER));
            }
            assertThat(ours[0].getSection(Section.AUTHORITY)).isEqualTo(theirs.getSection(Section.AUTHORITY));
            assertThat(ours[0].getSection(Section.ADDITIONAL)).hasSameSizeAs(theirs.getSection(Section.ADDITIONAL));
        }
    }

    private static Message message(ByteBuffer response) {
        byte[] bytes = new byte[response.remaining()];
        response.get(bytes);
        try {
            return new Message(bytes);
        } catch (IOException unreadable) {
            throw new AssertionError(unreadable);
        }
    }
}
