package io.k8sdns.benchmarks;

import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
 * Measures the parsing of manifests in memory: 1,000 Services and a hundred headless ones with twenty endpoints.
 *
 * <p>{@code java -cp tools/k8sdns-benchmarks/target/k8sdns-benchmarks-0.1.0-SNAPSHOT.jar org.openjdk.jmh.Main Manifest -prof gc}
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class ManifestBenchmark {
    /** The number of Services. */
    @Param("1000")
    public int services;

    private byte[] json;
    private byte[] yaml;

    /** Creates the manifests. */
    @Setup
    public void texts() {
        SampleManifests cluster = new SampleManifests(services, services / 10);
        json = cluster.json().getBytes(StandardCharsets.UTF_8);
        yaml = cluster.yaml().getBytes(StandardCharsets.UTF_8);
    }

    /** Parses one List in JSON. */
    @Benchmark
    public ManifestResult json() throws IOException {
        return read(json);
    }

    /** Parses one YAML document for each object. */
    @Benchmark
    public ManifestResult yaml() throws IOException {
        return read(yaml);
    }

    private static ManifestResult read(byte[] text) throws IOException {
        return Manifests.read(
                List.of(new ManifestInput.OfStream("cluster", new ByteArrayInputStream(text))),
                ManifestOptions.DEFAULTS);
    }
}
