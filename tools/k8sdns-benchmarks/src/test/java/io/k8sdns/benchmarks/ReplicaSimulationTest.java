package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.benchmarks.ReplicaSimulation.Cluster;
import io.k8sdns.benchmarks.ReplicaSimulation.Result;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ReplicaSimulationTest {
    @Test
    void equalArgumentsGiveEqualFigures() {
        Cluster cluster = new Cluster(2, 50, 1_000);
        assertThat(cluster.run().row(cluster)).isEqualTo(cluster.run().row(cluster));
    }

    @Test
    void waitingTimeOfAnIdleReplicaIsTheTimeOfAnAnswer() {
        // The second of two simultaneous queries waits for the first, so that the median is one or two times that of an
        // answer.
        Result idle = new Cluster(1, 100, 10).run();
        assertThat(idle.lost()).isZero();
        assertThat(idle.waited(0.5)).isCloseTo(122, Offset.offset(25.0));
    }

    @Test
    void queriesAboveTheCapacityAreLost() {
        assertThat(new Cluster(1, 200, 2_000).run().lost()).isPositive();
    }

    @Test
    void aFailedReplicaLosesItsShareOfTheQueries() {
        Result result = new Cluster(2, 10, 500).losingOne().run();
        assertThat(result.lost()).isPositive();
    }

    @Test
    void cacheWithALongerTtlAnswersMore() {
        assertThat(ReplicaSimulation.cacheHits(100, 30)).isGreaterThan(ReplicaSimulation.cacheHits(100, 5));
    }
}
