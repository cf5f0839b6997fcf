package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.benchmarks.ReplicaSimulation.Cluster;
import io.k8sdns.benchmarks.ReplicaSimulation.Outcome;
import org.assertj.core.data.Offset;
import org.junit.jupiter.api.Test;

class ReplicaSimulationTest {
    @Test
    void sameClusterGivesTheSameFigures() {
        Cluster cluster = new Cluster(2, 50, 1_000);
        assertThat(cluster.run().row(cluster)).isEqualTo(cluster.run().row(cluster));
    }

    @Test
    void replicaThatIsHardlyBusyAnswersInTheTimeOfAnAnswer() {
        // Of two queries at once the second waits for the first: the median of all is that of one or two such times.
        Outcome idle = new Cluster(1, 100, 10).run();
        assertThat(idle.lost()).isZero();
        assertThat(idle.waited(0.5)).isCloseTo(122, Offset.offset(25.0));
    }

    @Test
    void moreThanAReplicaCanDoIsLost() {
        assertThat(new Cluster(1, 200, 2_000).run().lost()).isPositive();
    }

    @Test
    void replicaThatIsGoneLosesItsShare() {
        Outcome outcome = new Cluster(2, 10, 500).losingOne().run();
        assertThat(outcome.lost()).isPositive();
    }

    @Test
    void cacheWithALongerTimeToLiveAnswersMore() {
        assertThat(ReplicaSimulation.cacheHits(100, 30)).isGreaterThan(ReplicaSimulation.cacheHits(100, 5));
    }
}
