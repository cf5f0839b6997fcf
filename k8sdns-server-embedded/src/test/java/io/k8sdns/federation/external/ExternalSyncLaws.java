package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * Laws of {@link ExternalSync} for random faults: after the last fault the zone gets exactly the wanted records, and names of
 * others are never changed. Each seed determines one history: {@code k8sdns.simulation.seed} is the first seed, {@code
 * k8sdns.simulation.seeds} the number of seeds.
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
    void aSeedDeterminesTheHistory() {
        ExternalZoneSimulation one = new ExternalZoneSimulation(7);
        ExternalZoneSimulation other = new ExternalZoneSimulation(7);
        one.run();
        other.run();
        assertThat(one.history()).isEqualTo(other.history()).isNotEmpty();
    }

    /** Every kind of fault occurs in at least one history. */
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
