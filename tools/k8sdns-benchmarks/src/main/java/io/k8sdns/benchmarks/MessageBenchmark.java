package io.k8sdns.benchmarks;

import java.io.IOException;
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
import org.xbill.DNS.Message;

/**
 * Measures dnsjava's parts of an answer: to parse a query, and to serialize a prepared response.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Message -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 500, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 5, time = 700, timeUnit = TimeUnit.MILLISECONDS)
public class MessageBenchmark {
    private static final int SERVICES = 100;

    /** The kind of query. */
    @Param
    public QueryKind kind;

    private byte[] query;
    private Message answer;

    /** Creates a query and its response. */
    @Setup
    public void messages() throws IOException {
        List<byte[]> queries = kind.queries(SERVICES, 1232);
        query = queries.get(0);
        answer = new Message(new DnsjavaServer(QueryKind.zone(SERVICES).current()).respond(query));
    }

    /** Parses the query. */
    @Benchmark
    public Message parse() throws IOException {
        return new Message(query);
    }

    /** Serializes the response. */
    @Benchmark
    public byte[] render() {
        return answer.toWire(1232);
    }
}
