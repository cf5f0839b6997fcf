package io.k8sdns.benchmarks;

import io.k8sdns.model.IpAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.ResolverSettings;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Measures the Pod's side: to create a resolv.conf, to parse it, and to compute the queries of a lookup.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Pod -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class PodBenchmark {
    private static final NodeDns NODE = NodeDns.builder()
            .clusterDns(IpAddress.parse("10.96.0.10"))
            .hostResolvConf("search corp.example\nnameserver 192.0.2.53\noptions edns0\n")
            .build();

    private static final PodDnsSpec POD =
            PodDnsSpec.builder("web-0").namespace("shop").build();

    private static final String FILE = KubeletDns.forPod(POD, NODE).resolvConf().render();

    private static final AnswerScript ANSWERS = AnswerScript.of(Map.of("api.payments.example", "A"));

    /** Creates the resolv.conf of one Pod. */
    @Benchmark
    public String resolvConf() {
        return KubeletDns.forPod(POD, NODE).resolvConf().render();
    }

    /** Parses the file as glibc does. */
    @Benchmark
    public ResolverSettings settings() {
        return SettingsReader.read(Dialect.GLIBC, FILE, Map.of());
    }

    /** Computes one lookup of a name outside the cluster: ten queries. */
    @Benchmark
    public QueryTrace lookup() {
        return QueryPlan.of(settings(), LookupRequest.of("api.payments.example"))
                .run(ANSWERS);
    }
}
