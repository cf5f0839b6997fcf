package io.k8sdns.benchmarks;

import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures an answer in process, from query bytes to response bytes, and compares it with dnsjava: parse a query, look the name up in a
 * {@code HashMap}, and serialize the answer.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Respond -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 700, timeUnit = TimeUnit.MILLISECONDS)
public class RespondBenchmark {
    private static final Client CLIENT = Client.builder(Client.Transport.UDP).build();

    /** The kind of query. */
    @Param
    public QueryKind kind;

    /** The number of Services. */
    @Param("10000")
    public int services;

    /** The payload size in the OPT record of the queries; 0 for no OPT record. */
    @Param({"0", "1232"})
    public int payload;

    private DnsResponder responder;
    private DnsjavaServer dnsjava;
    private List<ByteBuffer> queries;
    private List<byte[]> wires;
    private DnsSession session;
    private final DnsResponder.Sink sink = this::take;
    private int next;
    private int bytesOut;

    /** Creates the zone and the queries. */
    @Setup
    public void zone() {
        responder =
                DnsResponder.builder(ResolverChain.of(QueryKind.zone(services))).build();
        session = responder.session();
        dnsjava = new DnsjavaServer(QueryKind.zone(services).current());
        wires = kind.queries(services, payload);
        queries = wires.stream().map(ByteBuffer::wrap).toList();
    }

    private int next() {
        next = next + 1 & queries.size() - 1;
        return next;
    }

    /** Answers with the responder, as a transport does. */
    @Benchmark
    public int k8sdns() {
        session.respond(queries.get(next()), CLIENT, sink);
        return bytesOut;
    }

    private void take(ByteBuffer response) {
        bytesOut += response.remaining();
    }

    /** Answers with the lower bound of a server that uses dnsjava. */
    @Benchmark
    public int dnsjava() throws IOException {
        return dnsjava.respond(wires.get(next())).length;
    }
}
