package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.clientjava.OptionalKindPolicy.Reaction;
import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class OptionalKindPolicyTest {
    private final VirtualTime time = new VirtualTime();
    private final OptionalKindPolicy pods = new OptionalKindPolicy(ApiKind.PODS, true, time);

    private Reaction failed(Cause cause, SyncState state) {
        return pods.failed(ApiFailure.of(cause, ""), state, true);
    }

    private void pass(Duration duration) {
        boolean unused = time.step(time.nanoTime() + duration.toNanos());
    }

    @Test
    void isAbandonedAfterOneSecondAtTheStart() {
        assertThat(failed(Cause.FORBIDDEN, SyncState.SYNCING)).isEqualTo(Reaction.RETRY_AFTER_GRACE_PERIOD);
        pass(Duration.ofMillis(999));
        assertThat(failed(Cause.FORBIDDEN, SyncState.SYNCING)).isEqualTo(Reaction.RETRY);
        pass(Duration.ofMillis(1));
        assertThat(failed(Cause.FORBIDDEN, SyncState.SYNCING)).isEqualTo(Reaction.ABANDON);
        assertThat(failed(Cause.UNREACHABLE, SyncState.SYNCING)).isEqualTo(Reaction.STAY_WITHOUT);
        assertThat(pods.countsAsSynced(SyncState.SYNCING)).isTrue();
        pods.synced();
        assertThat(pods.countsAsSynced(SyncState.STALE)).isFalse();
    }

    @Test
    void knownObjectsAreKeptForThirtySeconds() {
        assertThat(failed(Cause.FORBIDDEN, SyncState.STALE)).isEqualTo(Reaction.RETRY_AFTER_GRACE_PERIOD);
        assertThat(pods.countsAsSynced(SyncState.STALE)).isTrue();
        pass(Duration.ofMillis(29_999));
        assertThat(failed(Cause.FORBIDDEN, SyncState.STALE)).isEqualTo(Reaction.RETRY);
        pass(Duration.ofMillis(1));
        assertThat(failed(Cause.FORBIDDEN, SyncState.STALE)).isEqualTo(Reaction.ABANDON);
    }

    @Test
    void anotherFailureStartsTheGracePeriodAgain() {
        assertThat(failed(Cause.FORBIDDEN, SyncState.STALE)).isEqualTo(Reaction.RETRY_AFTER_GRACE_PERIOD);
        assertThat(failed(Cause.UNREACHABLE, SyncState.STALE)).isEqualTo(Reaction.RETRY);
        assertThat(pods.countsAsSynced(SyncState.STALE)).isFalse();
        assertThat(failed(Cause.FORBIDDEN, SyncState.STALE)).isEqualTo(Reaction.RETRY_AFTER_GRACE_PERIOD);
    }

    @Test
    void noKindIsAbandonedWhileRequiredOnesAreForbidden() {
        ApiFailure forbidden = ApiFailure.of(Cause.FORBIDDEN, "");
        assertThat(pods.failed(forbidden, SyncState.SYNCING, false)).isEqualTo(Reaction.RETRY_AFTER_GRACE_PERIOD);
        pass(Duration.ofSeconds(1));
        assertThat(pods.failed(forbidden, SyncState.SYNCING, false)).isEqualTo(Reaction.RETRY);
        assertThat(pods.failed(forbidden, SyncState.SYNCING, true)).isEqualTo(Reaction.ABANDON);
    }

    @Test
    void requiredKindsAreNeverAbandoned() {
        OptionalKindPolicy services = new OptionalKindPolicy(ApiKind.SERVICES, false, time);
        for (Cause cause : Cause.values()) {
            assertThat(services.failed(ApiFailure.of(cause, ""), SyncState.SYNCING, true))
                    .isEqualTo(Reaction.RETRY);
            pass(Duration.ofMinutes(1));
        }
    }
}
