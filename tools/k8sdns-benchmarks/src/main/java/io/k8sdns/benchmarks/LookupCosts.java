package io.k8sdns.benchmarks;

import io.k8sdns.model.IpAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolvconf.ResolvConf;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.Reply;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Measures queries and time of lookups in a Pod, by resolver: {@code LookupCosts NAMES SERVER=PORT=SEARCH[,SEARCH]...}, with names
 * separated by commas. Runs the query plan of each resolver against each server on this machine, with {@code ndots:5} and the search
 * list, one query at a time.
 *
 * <p>Prints a table. Resolvers with the same number of queries and the same outcome share a row, whose time is the median of their
 * lookups; behind the name of each resolver is the median of its own. The queries of a resolver are sent by this program, in its order
 * but one after the other, so that these medians differ only as far as the order of the queries does.
 */
public final class LookupCosts {
    private static final int WARM_UP = 300;
    private static final int LOOKUPS = 200;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    private final PrintStream out;
    private final int warmUp;
    private final int lookups;

    /**
     * Creates the measurement.
     *
     * @param warmUp the number of lookups of each kind before the measured ones
     * @param lookups the number of measured lookups of each kind
     */
    LookupCosts(PrintStream out, int warmUp, int lookups) {
        this.out = out;
        this.warmUp = warmUp;
        this.lookups = lookups;
    }

    /** Measures all names, servers and resolvers. */
    public static void main(String[] args) throws IOException {
        LookupCosts costs = new LookupCosts(System.out, WARM_UP, LOOKUPS);
        costs.measure(List.of(args[0].split(",", -1)), Arrays.asList(args).subList(1, args.length));
    }

    void measure(List<String> names, List<String> servers) throws IOException {
        out.println("| lookup | server | queries | us | outcome | resolvers, us |");
        out.println("|---|---|---|---|---|---|");
        for (String name : names) {
            for (String server : servers) {
                String[] parts = server.split("=", -1);
                measure(name, parts[0], Integer.parseInt(parts[1]), parts[2].replace(',', ' '));
            }
        }
    }

    private void measure(String name, String server, int port, String searches) throws IOException {
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        ResolvConf resolvConf = ResolvConf.parse("nameserver 127.0.0.1\nsearch " + searches + "\noptions ndots:5\n");
        Map<String, Row> rows = new LinkedHashMap<>();
        try (DnsClient client = new DnsClient()) {
            AnswerSource answers = query -> answer(client, address, query);
            for (Dialect dialect : Dialect.all()) {
                QueryPlan plan = QueryPlan.of(resolvConf, name, dialect);
                QueryTrace trace = plan.run(answers);
                Row row = rows.computeIfAbsent(
                        trace.queries().size() + " " + trace.outcome(), any -> new Row(trace, new LinkedHashMap<>()));
                List<Long> nanos = new ArrayList<>(lookups);
                row.nanos.put(dialect, nanos);
                for (int i = -warmUp; i < lookups; i++) {
                    long begin = System.nanoTime();
                    QueryTrace again = plan.run(answers);
                    long took = System.nanoTime() - begin;
                    if (!again.queries().equals(trace.queries())) {
                        throw new IllegalStateException(
                                name + " at " + server + ": the queries differ between lookups");
                    }
                    if (i >= 0) {
                        nanos.add(took);
                    }
                }
            }
        }
        rows.values()
                .forEach(row -> out.println(String.format(
                        Locale.ROOT,
                        "| %s | %s | %d | %.0f | %s | %s |",
                        name,
                        server,
                        row.trace.queries().size(),
                        median(row.nanos.values().stream().flatMap(List::stream)) / 1e3,
                        row.trace.outcome().word(),
                        row.resolvers())));
    }

    private static long median(Stream<Long> values) {
        List<Long> sorted = values.sorted().toList();
        return sorted.get(sorted.size() / 2);
    }

    /**
     * The resolvers with the same number of queries and the same outcome.
     *
     * @param nanos the durations of the lookups of each resolver
     */
    private record Row(QueryTrace trace, Map<Dialect, List<Long>> nanos) {
        /** Returns the resolvers, each with its median in microseconds. */
        String resolvers() {
            return nanos.entrySet().stream()
                    .map(one -> String.format(
                            Locale.ROOT, "%s %.0f", one.getKey().word(), median(one.getValue().stream()) / 1e3))
                    .collect(Collectors.joining(", "));
        }
    }

    private static Reply answer(DnsClient client, InetSocketAddress server, PlannedQuery query) {
        Answer answer;
        try {
            answer = client.ask(
                    Question.of(query.name(), RecordType.parse(query.type().name())), server, TIMEOUT);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
        return switch (answer.status()) {
            case NOERROR, NODATA ->
                Reply.of(answer.addresses().stream().map(IpAddress::parse).toList());
            case NXDOMAIN -> Reply.of(Reply.Kind.NXDOMAIN);
            case SERVFAIL -> Reply.of(Reply.Kind.SERVFAIL);
            case REFUSED -> Reply.of(Reply.Kind.REFUSED);
            default -> throw new IllegalStateException(query + ": " + answer);
        };
    }
}
