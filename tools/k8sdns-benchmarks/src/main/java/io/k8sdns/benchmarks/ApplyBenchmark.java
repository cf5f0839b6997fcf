package io.k8sdns.benchmarks;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneChange;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
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
 * Measures a change, from the object to the published revision, in a zone of 10,000 other Services. Each change is applied and
 * reverted; the figure is the mean of both.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Apply -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ApplyBenchmark {
    private static final int SLICE = 100;

    /** The kind of change. */
    public enum Changed {
        /** A Service without endpoints is added and removed. */
        SERVICE("a Service without endpoints"),
        /** The port of a Service with many endpoints changes, which does not affect the facts of its endpoints. */
        SERVICE_PORT("the port of the Service"),
        /** One endpoint of a slice becomes not ready, and ready again. */
        ONE_ENDPOINT("one endpoint of a slice of 100"),
        /** A slice of a hundred endpoints with hostnames is added and removed. */
        SLICE("100 endpoints with hostnames"),
        /** A hundred Services are added in one batch and removed in one. */
        BURST("a burst of 100 Services");

        private final String title;

        Changed(String title) {
            this.title = title;
        }

        String title() {
            return title;
        }
    }

    /** The kind of change. */
    @Param
    public Changed changed;

    /** The number of endpoints of the Service, in slices of a hundred. */
    @Param({"100", "5000"})
    public int endpoints;

    /** The number of other Services. */
    @Param("10000")
    public int services;

    private ClusterZone zone;
    private List<ClusterChange> forward = List.of();
    private List<ClusterChange> back = List.of();
    private boolean isForward;

    /** Creates the zone and the changes. */
    @Setup
    public void zone() {
        List<ClusterObject> objects = new ArrayList<>(SampleObjects.namespaces());
        for (int i = 0; i < services; i++) {
            objects.add(SampleObjects.clusterIp(i));
        }
        objects.add(SampleObjects.headless("namespace-0", "large"));
        for (int i = 0; i < endpoints / SLICE; i++) {
            objects.add(slice(i));
        }
        zone = ClusterZone.of(ClusterSnapshot.of(objects), new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL);
        switch (changed) {
            case SERVICE -> add(List.of(SampleObjects.clusterIp(services)));
            case SERVICE_PORT -> {
                back = List.of(new ClusterChange.Put(SampleObjects.headless("namespace-0", "large")));
                forward = List.of(new ClusterChange.Put(SampleObjects.headless("namespace-0", "large").toBuilder()
                        .ports(ServicePort.of("https", Protocol.TCP, 443))
                        .build()));
            }
            case ONE_ENDPOINT -> {
                EndpointSlice slice = slice(0);
                List<Endpoint> fewer = new ArrayList<>(slice.endpoints());
                fewer.set(SLICE / 2, fewer.get(SLICE / 2).withReady(false));
                back = List.of(new ClusterChange.Put(slice));
                forward = List.of(
                        new ClusterChange.Put(slice.toBuilder().endpoints(fewer).build()));
            }
            case SLICE -> add(List.of(slice(endpoints / SLICE)));
            case BURST -> {
                List<ClusterObject> burst = new ArrayList<>();
                for (int i = 0; i < 100; i++) {
                    burst.add(SampleObjects.clusterIp(services + i));
                }
                add(burst);
            }
        }
    }

    private void add(List<ClusterObject> objects) {
        forward = objects.stream().<ClusterChange>map(ClusterChange.Put::new).toList();
        back = objects.stream()
                .<ClusterChange>map(object -> new ClusterChange.Remove(object.ref(), Optional.empty()))
                .toList();
    }

    private static EndpointSlice slice(int number) {
        return SampleObjects.slice("namespace-0", "large", number, number * SLICE, SLICE, true);
    }

    /** Applies one change. */
    @Benchmark
    public ZoneChange apply() {
        isForward = !isForward;
        return zone.apply(isForward ? forward : back);
    }
}
