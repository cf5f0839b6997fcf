package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.text.MessageFormat;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class FailuresTest {
    private static final Logger LOG = Logger.getLogger("io.k8sdns.clientjava");

    private final List<String> lines = new ArrayList<>();
    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            if (record.getLongThreadID() == Thread.currentThread().getId()) {
                lines.add(MessageFormat.format(record.getMessage(), record.getParameters()));
            }
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };
    private final VirtualTime time = new VirtualTime();
    private final Failures failures = new Failures(time::nanoTime, false);

    @BeforeEach
    void listen() {
        LOG.addHandler(handler);
    }

    @AfterEach
    void stopListening() {
        LOG.removeHandler(handler);
    }

    private void fail(Cause cause) {
        failures.failed(ApiKind.PODS, ApiFailure.of(cause, "why"));
    }

    @Test
    void eachCauseIsLoggedOnceAMinute() {
        for (int i = 0; i < 5; i++) {
            fail(Cause.UNREACHABLE);
            fail(Cause.REFUSED);
        }
        assertThat(lines).containsExactly("pods: unreachable: why", "pods: refused: why");
        time.step(Duration.ofMinutes(1).toNanos());
        fail(Cause.REFUSED);
        assertThat(lines).last().isEqualTo("pods: refused: why (and 4 more since the last time)");
    }

    /** The exception of the snapshot reports the others. */
    @Test
    void ofASnapshotOnlyFailuresThatAreRepeatedAreWarnings() {
        Failures ofSnapshot = new Failures(time::nanoTime, true);
        for (Cause cause : Cause.values()) {
            ofSnapshot.failed(ApiKind.PODS, ApiFailure.of(cause, "why"));
        }
        ofSnapshot.state(SyncState.SYNCED, List.of());
        assertThat(lines)
                .isNotEmpty()
                .hasSize((int) Stream.of(Cause.values())
                        .filter(cause -> !cause.isAbsence() && !cause.isOfCredentials())
                        .count())
                .anyMatch(line -> line.startsWith("pods: forbidden: "))
                .noneMatch(line -> line.contains("unreachable") || line.contains("are listed"));
    }

    @Test
    void kindsAreLoggedIndependently() {
        fail(Cause.UNREACHABLE);
        failures.failed(ApiKind.SERVICES, ApiFailure.of(Cause.UNREACHABLE, "why"));
        assertThat(lines).containsExactly("pods: unreachable: why", "services: unreachable: why");
    }

    @Test
    void throwingSinkIsLoggedOnceAMinute() {
        failures.ofSink(new IllegalStateException("first"));
        failures.ofSink(new IllegalStateException("second"));
        assertThat(lines).hasSize(1);
        time.step(Duration.ofMinutes(1).toNanos());
        failures.ofSink(new IllegalStateException("third"));
        assertThat(lines).hasSize(2).last().asString().endsWith("(and 1 more since the last time)");
    }

    @Test
    void tenSkippedObjectsAreLoggedEachMinute() {
        for (int i = 0; i < 25; i++) {
            failures.skipped(
                    ApiKind.SERVICES,
                    Diagnostic.warning("no-name", ObjectRef.of("Service", "shop", "bad-" + i), "bad"));
        }
        assertThat(lines).hasSize(10).last().isEqualTo("skipped: Service shop/bad-9: bad");
        time.step(Duration.ofMinutes(1).toNanos());
        failures.skipped(ApiKind.SERVICES, Diagnostic.warning("no-name", ObjectRef.of("Service", "shop", "x"), "bad"));
        assertThat(lines)
                .hasSize(11)
                .last()
                .isEqualTo("skipped: Service shop/x: bad (and 15 more since the last time)");
    }

    private static Failures.ObjectState state(String objects, SyncState state) {
        return new Failures.ObjectState(objects, state, Optional.empty());
    }

    @Test
    void stateLogsWhatIsFollowedAndWhy() {
        Failures.ObjectState services = state("services", SyncState.SYNCED);
        Failures.ObjectState nodes = state("nodes", SyncState.SYNCED);
        ApiFailure forbidden = ApiFailure.of(Cause.FORBIDDEN, "403 pods is forbidden");
        failures.state(SyncState.SYNCED, List.of(services, nodes));
        failures.state(
                SyncState.SYNCED,
                List.of(
                        services,
                        new Failures.ObjectState("pods", SyncState.STALE, Optional.of(forbidden)),
                        new Failures.ObjectState("nodes", SyncState.SYNCING, Optional.of(forbidden))));
        failures.state(
                SyncState.STALE,
                List.of(
                        new Failures.ObjectState(
                                "services",
                                SyncState.STALE,
                                Optional.of(ApiFailure.of(Cause.UNREACHABLE, "Failed to connect"))),
                        nodes));
        failures.state(SyncState.SYNCING, List.of(services, state("nodes", SyncState.SYNCING)));
        assertThat(lines)
                .containsExactly(
                        "all objects are listed and watched",
                        "listed and watched: services; not watched: pods (forbidden: 403 pods is forbidden; the last"
                                + " ones are kept), nodes (forbidden: 403 pods is forbidden; none are listed)",
                        "some objects are not watched: services (unreachable: Failed to"
                                + " connect; the last ones are kept)",
                        "not all objects are listed yet; missing: nodes (none are listed)");
    }

    @Test
    void stateListsAtMostTenNamespaces() {
        failures.state(
                SyncState.STALE,
                IntStream.range(0, 25)
                        .mapToObj(i -> state("services of namespace " + i, SyncState.STALE))
                        .toList());
        assertThat(lines).singleElement().asString().contains("namespace 9 (").endsWith(" and 15 more");
    }
}
