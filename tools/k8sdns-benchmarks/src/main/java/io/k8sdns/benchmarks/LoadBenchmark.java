package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.util.ArrayList;
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
 * Measures the creation of a zone from a snapshot of all objects.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Load -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LoadBenchmark {
    /** The number of Services. */
    @Param({"1000", "10000"})
    public int services;

    /** The number of additional headless Services with twenty endpoints with hostnames. */
    @Param({"0", "1000"})
    public int headless;

    private ClusterSnapshot snapshot;

    /** Creates the objects. */
    @Setup
    public void objects() {
        List<ClusterObject> objects = new ArrayList<>(SampleObjects.namespaces());
        for (int i = 0; i < services; i++) {
            objects.add(SampleObjects.clusterIp(i));
        }
        for (int i = 0; i < headless; i++) {
            objects.add(SampleObjects.headless(SampleObjects.namespace(i), "headless-" + i));
            objects.add(SampleObjects.slice(SampleObjects.namespace(i), "headless-" + i, 0, 20 * i, 20, true));
        }
        snapshot = ClusterSnapshot.of(objects);
    }

    /** Creates one zone. */
    @Benchmark
    public ClusterZone load() {
        return ClusterZone.of(snapshot, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
    }
}
