package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Laws of lists and watches under all faults of an API server: a deleted object does not return, no name is denied before all
 * kinds are listed, and in the end the zone has the records of the server's objects.
 *
 * <p>A seed is a history of a cluster and of its faults; {@link Seeds} selects the seeds. {@code ./mvnw -Psimulation -pl
 * adapters/k8sdns-client-java -am verify} runs 100,000 histories from a random seed on, which it prints.
 */
class ListWatchLaws {
    private static final long FIRST = Seeds.first();
    private static final long SEEDS = Seeds.count(300);

    /** Runs seeds that have failed once. 11: a first page that was requested again counted as the same list. */
    @ParameterizedTest
    @ValueSource(longs = {11})
    void seedsThatHaveFailedBeforePass(long seed) {
        new Simulation(seed).run();
    }

    @Test
    void everyHistoryEndsWithTheObjectsOfTheServer() {
        LongStream.range(FIRST, FIRST + SEEDS).forEach(seed -> {
            try {
                new Simulation(seed).run();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("-Dk8sdns.simulation.seed=" + seed, failed);
            }
        });
    }

    @Test
    void equalSeedsGiveEqualHistories() {
        Simulation one = new Simulation(7);
        Simulation other = new Simulation(7);
        one.run();
        other.run();
        assertThat(one.reported()).isEqualTo(other.reported()).isNotEmpty();
    }
}
