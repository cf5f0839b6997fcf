package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Whatever goes wrong between an API server and its client: nothing that is gone comes back, nothing is denied before all
 * is known, and in the end everything is as the server has it.
 *
 * <p>A seed is a whole history of a cluster and of its faults; which ones are run says {@link Seeds}. {@code ./mvnw
 * -Psimulation -pl adapters/k8sdns-client-java -am verify} runs a hundred thousand from a random seed on, which it prints.
 */
class ListWatchLaws {
    private static final long FIRST = Seeds.first();
    private static final long SEEDS = Seeds.count(300);

    /** Those that have failed once: 11, a first page that was asked for again counted as the same list. */
    @ParameterizedTest
    @ValueSource(longs = {11})
    void seedsThatFailedOnceHold(long seed) {
        new Simulation(seed).run();
    }

    @Test
    void everyHistoryEndsAsTheServerHasIt() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            try {
                new Simulation(seed).run();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("-Dk8sdns.simulation.seed=" + seed, failed);
            }
        });
    }

    @Test
    void aSeedIsOneHistory() {
        Simulation one = new Simulation(7);
        Simulation other = new Simulation(7);
        one.run();
        other.run();
        assertThat(one.told()).isEqualTo(other.told()).isNotEmpty();
    }
}
