package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever goes wrong between etcd and its client: no entry goes back in version, nothing is called up to date that is not, every
 * call ends in time, and once all outages end, the listener's content equals the store's.
 *
 * <p>A seed is a whole history; {@link EtcdSeeds} decides which ones are run. {@code ./mvnw -Psimulation -pl adapters/k8sdns-etcd -am
 * verify} runs a hundred thousand from a random seed on, which it prints.
 */
class EtcdFollowerLaws {
    @Test
    void everyHistoryEndsAsTheStoreHasIt() {
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
    void aSeedIsOneHistory() {
        EtcdSimulation one = new EtcdSimulation(7);
        EtcdSimulation other = new EtcdSimulation(7);
        one.run();
        other.run();
        assertThat(one.calls()).isEqualTo(other.calls()).isNotEmpty();
    }
}
