package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Each benchmark of the zone, once and small, so that none measures something that is not there. */
class BenchmarksRunTest {
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

    /** Asks each question once. */
    private static long allOf(IntSupplier lookup) {
        return IntStream.generate(lookup)
                .limit(LookupBenchmark.QUESTIONS)
                .asLongStream()
                .sum();
    }

    @ParameterizedTest
    @EnumSource
    void everyChangeIsOneAndIsTakenBack(ApplyBenchmark.Changed changed) {
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
                            case ONE_ENDPOINT -> 4;
                            case SLICE -> 202;
                            case BURST -> 400;
                        });
        assertThat(benchmark.apply().names()).hasSize(there);
        assertThat(benchmark.load().current().serial()).isEqualTo(1);
    }
}
