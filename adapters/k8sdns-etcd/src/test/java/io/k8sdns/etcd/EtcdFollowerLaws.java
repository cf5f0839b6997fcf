package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Properties of the follower under random faults of etcd and the network: no entry gets an older version, "up to date" is never
 * reported wrongly, every call ends in time, and after all outages the listener's content equals that of the store.
 *
 * <p>Each seed determines one simulation; {@link EtcdSeeds} selects the seeds. {@code ./mvnw -Psimulation -pl adapters/k8sdns-etcd -am
 * verify} runs a hundred thousand, starting at a random seed, which it prints.
 */
class EtcdFollowerLaws {
    @Test
    void everySimulationEndsWithTheContentOfTheStore() {
        long first = EtcdSeeds.first();
        LongStream.range(first, first + EtcdSeeds.count(500)).forEach(seed -> {
            try {
                new EtcdSimulation(seed).run();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("-Dk8sdns.simulation.seeds=1 -Dk8sdns.simulation.seed=" + seed, failed);
            }
        });
    }

    @Test
    void equalSeedsGiveEqualSimulations() {
        EtcdSimulation one = new EtcdSimulation(7);
        EtcdSimulation other = new EtcdSimulation(7);
        one.run();
        other.run();
        assertThat(one.calls()).isEqualTo(other.calls()).isNotEmpty();
    }
}
