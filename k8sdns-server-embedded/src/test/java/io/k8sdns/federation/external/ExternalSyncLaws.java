package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Whatever goes wrong between a sync and its zone, once all outages end the zone depends on the wanted records alone, and no name of
 * others is ever changed. A seed is a whole history: {@code k8sdns.simulation.seed} is the first one, {@code k8sdns.simulation.seeds} is
 * how many there are.
 */
class ExternalSyncLaws {
    private static final long FIRST = Long.getLong("k8sdns.simulation.seed", 20_261);
    private static final int COUNT = Integer.getInteger("k8sdns.simulation.seeds", 400);

    @Test
    void everyHistoryEndsWithTheWantedRecords() {
        LongStream.range(FIRST, FIRST + COUNT).forEach(seed -> {
            try {
                new ExternalZoneSimulation(seed).run();
            } catch (AssertionError | RuntimeException failed) {
                throw new AssertionError("-Dk8sdns.simulation.seeds=1 -Dk8sdns.simulation.seed=" + seed, failed);
            }
        });
    }

    @Test
    void aSeedIsOneHistory() {
        ExternalZoneSimulation one = new ExternalZoneSimulation(7);
        ExternalZoneSimulation other = new ExternalZoneSimulation(7);
        one.run();
        other.run();
        assertThat(one.history()).isEqualTo(other.history()).isNotEmpty();
    }

    /** Every fault happens in some history, and is noticed. */
    @Test
    void theHistoriesHaveEveryKindOfResult() {
        String all = LongStream.range(0, 40)
                .mapToObj(seed -> {
                    ExternalZoneSimulation simulation = new ExternalZoneSimulation(seed);
                    simulation.run();
                    return String.join("\n", simulation.history());
                })
                .reduce("", (one, other) -> one + "\n" + other);
        assertThat(all)
                .contains("CONFLICT", "TRANSIENT", "PERMANENT", "unreadable", "restart", "by hand", "late", "lost");
    }
}
