package io.k8sdns.benchmarks;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Runs the benchmark and the soak test of a live cluster once with a small size. */
@Timeout(600)
class LiveBenchmarksTest {
    @Test
    void noAnswerOfASmallClusterIsWrongDuringFaults() throws Exception {
        assertThat(LiveSoak.run(4, 3, 200, Duration.ofSeconds(1), Duration.ofMillis(100), 0, 1))
                .isEmpty();
    }

    @Test
    void liveCostsPrintsARowForEachFigure() throws Exception {
        ByteArrayOutputStream text = new ByteArrayOutputStream();
        LiveCosts.measure(new PrintStream(text, true, StandardCharsets.UTF_8), 4, 3, 100, 1, 1);
        assertThat(text.toString(StandardCharsets.UTF_8).lines())
                .hasSize(15)
                .allMatch(row -> row.matches("\\|.+\\|"))
                .last()
                .asString()
                .matches("\\| questions that failed, of [1-9][0-9,]* in all \\| 0 \\|");
    }

    @Test
    void changesAreInTheAnswers() throws Exception {
        try (ChangingCluster cluster = new ChangingCluster(2, 150, 1, true);
                FollowedZone zone =
                        new FollowedZone(cluster.server().url(), ClusterObserver.NONE, cluster::published)) {
            zone.await(SyncState.SYNCED);
            assertThat(FollowedZone.parsed(zone.ask(LiveSoak.query("service-1.shop.svc.cluster.local.")))
                            .getHeader()
                            .getCount(1))
                    .isBetween(148, 150);
        }
    }
}
