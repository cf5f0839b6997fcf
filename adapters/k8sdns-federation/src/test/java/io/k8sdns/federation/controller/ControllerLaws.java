package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import java.security.SecureRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * The laws of a controller, for any faults between clusters, controllers and store: no controller undoes a write of another one
 * unless it has taken over the cluster since; no key is removed because a cluster is unreachable; and after all outages, the store
 * depends only on the objects of the clusters.
 *
 * <p>A seed determines a whole history. {@code -Dk8sdns.simulation.seed} is the first seed, or {@code random} for a new one each time;
 * {@code -Dk8sdns.simulation.seeds} is the number of seeds.
 */
class ControllerLaws {
    private static final long DEFAULT = 20_261;

    @Test
    void everyHistoryEndsAsTheClustersHaveIt() {
        long first = first();
        LongStream.range(first, first + Integer.getInteger("k8sdns.simulation.seeds", 200))
                .forEach(seed -> {
                    try {
                        new ControllerSimulation(seed).run();
                    } catch (AssertionError | RuntimeException failed) {
                        throw new AssertionError(
                                "-Dk8sdns.simulation.seeds=1 -Dk8sdns.simulation.seed=" + seed, failed);
                    }
                });
    }

    private static long first() {
        String text = System.getProperty("k8sdns.simulation.seed", Long.toString(DEFAULT));
        if (!text.equals("random")) {
            return Long.parseLong(text);
        }
        long seed = new SecureRandom().nextInt(Integer.MAX_VALUE);
        System.out.println("simulation: seeds from " + seed + " on; again with -Dk8sdns.simulation.seed=" + seed);
        return seed;
    }

    @Test
    void aSeedIsOneHistory() {
        ControllerSimulation one = new ControllerSimulation(7);
        ControllerSimulation other = new ControllerSimulation(7);
        one.run();
        other.run();
        assertThat(one.content()).isEqualTo(other.content()).isNotEmpty();
    }
}
