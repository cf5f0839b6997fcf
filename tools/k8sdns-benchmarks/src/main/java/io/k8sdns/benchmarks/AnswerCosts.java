package io.k8sdns.benchmarks;

import com.sun.management.ThreadMXBean;
import io.k8sdns.federation.FederationZoneName;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.federation.StubZoneResolver;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;
import org.xbill.DNS.Rcode;

/**
 * Measures the cost of an answer in process, from query bytes to response bytes: processor time of the working thread, and allocated
 * bytes. The subjects take turns in one process, so that other load of the machine affects all of them equally. A figure is the median
 * of the rounds, after a warm-up. {@link RespondBenchmark} measures the same in wall-clock time.
 *
 * <pre>
 * java -XX:+UseSerialGC -Xmx3g -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar \
 *     io.k8sdns.benchmarks.AnswerCosts [ratios|growth|writing|federation]
 * </pre>
 *
 * <p>{@code ratios} compares the fast path and the slow path with {@link DnsjavaServer} at 10,000 Services. {@code growth} compares the
 * fast path at 10,000 Services with 1,000, 100,000 and 1,000,000. {@code writing} compares it with itself while another thread changes
 * the zone, which needs a second processor. {@code federation} compares answers for the cluster's own names with and without federated
 * names. Tables are Markdown.
 */
public final class AnswerCosts {
    private static final Client CLIENT = Client.builder(Client.Transport.UDP).build();
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private final PrintStream out;
    private final int rounds;
    private final long warmUpNanos;
    private final long turnNanos;
    private long bytes;

    /**
     * Creates the benchmark.
     *
     * @param out receives the tables
     * @param rounds the number of rounds
     * @param warmUpNanos the warm-up of each subject; long enough for the compiler, which uses the same processor
     * @param turnNanos the minimum duration of a turn; the clock of a thread is accurate to a few microseconds
     */
    AnswerCosts(PrintStream out, int rounds, long warmUpNanos, long turnNanos) {
        this.out = out;
        this.rounds = rounds;
        this.warmUpNanos = warmUpNanos;
        this.turnNanos = turnNanos;
    }

    /** Prints one of the tables, or all. */
    public static void main(String[] args) {
        AnswerCosts costs = new AnswerCosts(System.out, 9, 2_000_000_000, 20_000_000);
        List<String> tables = args.length == 0 ? List.of("ratios", "growth", "writing", "federation") : List.of(args);
        for (String table : tables) {
            System.out.print(table.equals(tables.get(0)) ? "" : "\n");
            switch (table) {
                case "ratios" -> costs.ratios(QueryKind.SERVICES);
                case "growth" -> costs.growth(List.of(QueryKind.SERVICES, 1_000, 100_000, 1_000_000));
                case "writing" -> costs.writing(QueryKind.SERVICES);
                case "federation" -> costs.federation(QueryKind.SERVICES);
                default -> throw new IllegalArgumentException("no such table: " + table);
            }
        }
        if (costs.bytes == 0) {
            throw new AssertionError("nothing was answered");
        }
    }

    /** One of the compared implementations. */
    private static final class Subject {
        private final IntUnaryOperator answer;
        private final long[] nanos;
        private final Runnable before;
        private int operations = 1_000;
        private long allocated;

        /** Creates a subject from a function that answers the question with a number and returns the size of the answer. */
        Subject(IntUnaryOperator answer, int rounds) {
            this(answer, rounds, () -> {});
        }

        private Subject(IntUnaryOperator answer, int rounds, Runnable before) {
            this.answer = answer;
            this.nanos = new long[rounds];
            this.before = before;
        }

        /** Returns the same subject with an action before each turn, which is not measured. */
        Subject after(Runnable before) {
            return new Subject(answer, nanos.length, before);
        }

        double median() {
            long[] sorted = nanos.clone();
            Arrays.sort(sorted);
            return sorted[sorted.length / 2] / 1_000.0;
        }

        /** Returns the median of the ratios to another subject in each round, so that a slow round has no larger weight. */
        double ratioTo(Subject base) {
            return IntStream.range(0, nanos.length)
                    .mapToDouble(round -> (double) nanos[round] / base.nanos[round])
                    .sorted()
                    .toArray()[nanos.length / 2];
        }
    }

    private void run(List<Subject> subjects) {
        for (Subject subject : subjects) {
            long begin = THREADS.getCurrentThreadCpuTime();
            while (THREADS.getCurrentThreadCpuTime() - begin < warmUpNanos) {
                turn(subject, 0);
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (Subject subject : subjects) {
                turn(subject, round);
            }
        }
    }

    private void turn(Subject subject, int round) {
        subject.before.run();
        long id = Thread.currentThread().getId();
        long allocated = THREADS.getThreadAllocatedBytes(id);
        long begin = THREADS.getCurrentThreadCpuTime();
        for (int i = 0; i < subject.operations; i++) {
            bytes += subject.answer.applyAsInt(i);
        }
        long nanos = THREADS.getCurrentThreadCpuTime() - begin;
        subject.allocated = (THREADS.getThreadAllocatedBytes(id) - allocated) / subject.operations;
        // In thousandths of a nanosecond, to keep precision in the division.
        subject.nanos[round] = nanos * 1_000 / subject.operations;
        if (nanos < turnNanos) {
            subject.operations *= 2;
        }
    }

    void ratios(int services) {
        ClusterZone zone = QueryKind.zone(services);
        ResolverChain chain = ResolverChain.of(zone);
        DnsResponder fast = DnsResponder.builder(chain).build();
        // A lambda has no direct answers, so that this responder always takes the slow path.
        DnsResponder plain = DnsResponder.builder((question, client) -> chain.resolve(question, client))
                .build();
        DnsjavaServer dnsjava = new DnsjavaServer(zone.current());
        out.println(
                "| question | k8sdns ns (B) | slow path ns (B) | dnsjava ns (B) | k8sdns / dnsjava | slow path / dnsjava |");
        out.println("|---|---|---|---|---|---|");
        for (QueryKind kind : QueryKind.values()) {
            List<byte[]> queries = kind.queries(services, 0);
            Subject ours = subject(fast, queries);
            Subject slow = subject(plain, queries);
            Subject theirs = new Subject(i -> respond(dnsjava, queries.get(i & queries.size() - 1)), rounds);
            run(List.of(ours, slow, theirs));
            out.println(String.format(
                    Locale.ROOT,
                    "| %s | %.0f (%d) | %.0f (%d) | %.0f (%d) | %.3f | %.2f |",
                    kind,
                    ours.median(),
                    ours.allocated,
                    slow.median(),
                    slow.allocated,
                    theirs.median(),
                    theirs.allocated,
                    ours.median() / theirs.median(),
                    slow.median() / theirs.median()));
        }
    }

    void growth(List<Integer> sizes) {
        List<DnsResponder> responders = new ArrayList<>();
        for (int size : sizes) {
            responders.add(
                    DnsResponder.builder(ResolverChain.of(QueryKind.zone(size))).build());
        }
        StringBuilder title =
                new StringBuilder(String.format(Locale.ROOT, "| question | %,d Services, ns |", sizes.get(0)));
        sizes.stream().skip(1).forEach(size -> title.append(String.format(Locale.ROOT, " %,d |", size)));
        out.println(title);
        out.println("|---".repeat(sizes.size() + 1) + "|");
        for (QueryKind kind : List.of(QueryKind.A, QueryKind.NODATA, QueryKind.NXDOMAIN)) {
            List<Subject> subjects = new ArrayList<>();
            for (int i = 0; i < sizes.size(); i++) {
                subjects.add(subject(responders.get(i), new RandomQuery(kind, sizes.get(i))));
            }
            run(subjects);
            row(kind, subjects);
        }
    }

    void writing(int services) {
        ClusterZone zone = QueryKind.zone(services);
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
        try (ZoneChanger sameZone = new ZoneChanger(zone, services);
                ZoneChanger otherZone = new ZoneChanger(QueryKind.zone(services), services)) {
            List<Runnable> paces = List.of(
                    () -> pace(sameZone, ZoneChanger.Pace.NONE, otherZone, ZoneChanger.Pace.NONE),
                    () -> pace(sameZone, ZoneChanger.Pace.STEADY, otherZone, ZoneChanger.Pace.NONE),
                    () -> pace(sameZone, ZoneChanger.Pace.NONE, otherZone, ZoneChanger.Pace.FASTEST),
                    () -> pace(sameZone, ZoneChanger.Pace.FASTEST, otherZone, ZoneChanger.Pace.NONE));
            out.println("| question | no changes, ns | 1,000 changes/s | another zone, one after the other "
                    + "| this zone, one after the other |");
            out.println("|---|---|---|---|---|");
            for (QueryKind kind :
                    List.of(QueryKind.A, QueryKind.NODATA, QueryKind.NXDOMAIN, QueryKind.HEADLESS_20, QueryKind.PTR)) {
                List<Subject> subjects = new ArrayList<>();
                for (Runnable pace : paces) {
                    subjects.add(subject(responder, kind.queries(services, 0)).after(pace));
                }
                run(subjects);
                row(kind, subjects);
            }
            out.println(String.format(Locale.ROOT, "%nOne after the other: %,d changes a second.", sameZone.fastest()));
        }
    }

    /**
     * Compares the resolver chains of {@code serve}: without federated names, the same again to show the precision of a ratio, with a
     * federation zone, and with the federations of kube-dns. All questions are for the cluster's own names.
     */
    void federation(int services) {
        ClusterZone zone = QueryKind.zone(services);
        ResolverChain cluster = ResolverChain.of(zone);
        DnsResolver others = (question, client) -> new Resolution.Ready(Answer.failure(Rcode.REFUSED));
        DnsResolver stubZones = StubZoneResolver.builder(
                        FederationZoneName.parse("federation."), new SourceCluster("foo"), others)
                .build();
        DnsLabels domain = cluster.zones().get(0);
        Map<String, DnsLabels> federations = Map.of("myfed", DnsLabels.of("example", "com"));
        List<DnsResolver> chains = List.of(
                KubeDnsFederations.builder(cluster, domain).build(),
                KubeDnsFederations.builder(cluster, domain).build(),
                KubeDnsFederations.builder(cluster.withUpstream(stubZones), domain)
                        .build(),
                KubeDnsFederations.builder(cluster, domain)
                        .federations(() -> federations)
                        .build());
        out.println("| path | question | without, ns | again | federation zone | kube-dns's federations |");
        out.println("|---|---|---|---|---|---|");
        for (boolean isFast : new boolean[] {true, false}) {
            for (QueryKind kind : List.of(
                    QueryKind.A,
                    QueryKind.NODATA,
                    QueryKind.NXDOMAIN,
                    QueryKind.HEADLESS_20,
                    QueryKind.PTR,
                    QueryKind.MIXED)) {
                List<byte[]> queries = kind.queries(services, 0);
                List<Subject> subjects = new ArrayList<>();
                for (DnsResolver chain : chains) {
                    // A lambda has no direct answers.
                    DnsResolver resolver = isFast ? chain : (question, client) -> chain.resolve(question, client);
                    subjects.add(subject(DnsResponder.builder(resolver).build(), queries));
                }
                run(subjects);
                Subject base = subjects.get(0);
                StringBuilder line = new StringBuilder(String.format(
                        Locale.ROOT, "| %s | %s | %.0f |", isFast ? "fast" : "slow", kind, base.median()));
                for (Subject one : subjects.subList(1, subjects.size())) {
                    line.append(String.format(Locale.ROOT, " %.3f |", one.ratioTo(base)));
                }
                out.println(line);
            }
        }
    }

    private static void pace(ZoneChanger one, ZoneChanger.Pace pace, ZoneChanger other, ZoneChanger.Pace otherPace) {
        one.setPace(pace);
        other.setPace(otherPace);
    }

    /** Prints the first subject, and the ratios of the others to it. */
    private void row(QueryKind kind, List<Subject> subjects) {
        double base = subjects.get(0).median();
        StringBuilder line = new StringBuilder(String.format(Locale.ROOT, "| %s | %.0f |", kind, base));
        for (Subject subject : subjects.subList(1, subjects.size())) {
            line.append(String.format(Locale.ROOT, " %.0f (%.2fx) |", subject.median(), subject.median() / base));
        }
        out.println(line);
    }

    private Subject subject(DnsResponder responder, List<byte[]> queries) {
        List<ByteBuffer> buffers = queries.stream().map(ByteBuffer::wrap).toList();
        DnsSession session = responder.session();
        int[] length = new int[1];
        DnsResponder.Sink sink = response -> length[0] = response.remaining();
        return new Subject(
                i -> {
                    session.respond(buffers.get(i & buffers.size() - 1), CLIENT, sink);
                    return length[0];
                },
                rounds);
    }

    private Subject subject(DnsResponder responder, RandomQuery query) {
        DnsSession session = responder.session();
        for (int i = 0; i < 1_000; i++) {
            session.respond(query.next(), CLIENT, query::check);
        }
        int[] length = new int[1];
        DnsResponder.Sink sink = response -> length[0] = response.remaining();
        return new Subject(
                i -> {
                    session.respond(query.next(), CLIENT, sink);
                    return length[0];
                },
                rounds);
    }

    /** A query for a random Service each time; a fixed list of queries would stay in the processor's caches. */
    private static final class RandomQuery {
        private final QueryKind kind;
        private final byte[] bytes;
        private final ByteBuffer view;
        private final int service;
        private final int namespace;
        private final int digits;
        private final int services;
        private int last = 1;

        RandomQuery(QueryKind kind, int services) {
            // Numbers have at least five digits; only those of a million Services have more.
            this.digits = services > 100_000 ? 6 : 5;
            this.services = services;
            this.kind = kind;
            this.bytes = kind.queries(services, 0).stream()
                    .filter(query -> query[12] == prefix(query) + digits)
                    .findFirst()
                    .orElseThrow()
                    .clone();
            this.view = ByteBuffer.wrap(bytes);
            this.service = 13 + prefix(bytes);
            this.namespace = service + digits + 1 + "ns-".length();
        }

        /** Returns the number of bytes of the first label before the Service's number. */
        private static int prefix(byte[] query) {
            int at = 13;
            while (query[at] != '-') {
                at++;
            }
            return at + 1 - 13;
        }

        ByteBuffer next() {
            last = last * 1_664_525 + 1_013_904_223;
            int least = digits == 6 ? 100_000 : 0;
            int number = least + (int) ((last & 0xFFFF_FFFFL) * (services - least) >>> 32);
            write(number, digits, service);
            write(number % 100, 3, namespace);
            return view.clear();
        }

        /** Checks that the measured answer is the expected one. */
        void check(ByteBuffer response) {
            int rcode = response.get(3) & 0xF;
            int answers = response.get(7);
            if (rcode != (kind == QueryKind.NXDOMAIN ? Rcode.NXDOMAIN : Rcode.NOERROR)
                    || answers != (kind == QueryKind.A ? 1 : 0)) {
                throw new AssertionError(kind + ": RCODE " + rcode + ", " + answers + " records");
            }
        }

        private void write(int number, int count, int at) {
            int rest = number;
            for (int i = at + count - 1; i >= at; i--) {
                bytes[i] = (byte) ('0' + rest % 10);
                rest /= 10;
            }
        }
    }

    private static int respond(DnsjavaServer server, byte[] query) {
        try {
            return server.respond(query).length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
