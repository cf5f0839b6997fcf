package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;

class TopologyFollowerTest {
    private static final DnsLabels A = DnsLabels.of("a", "eu");
    private static final DnsLabels B = DnsLabels.of("b", "eu");

    private final LocalShards shards = new LocalShards(new ClusterSource.Sink() {
        @Override
        public void changed(List<ClusterChange> batch) {}

        @Override
        public void stateChanged(SyncState now) {}

        @Override
        public void diagnosed(Diagnostic diagnostic) {}
    });
    private final StringWriter err = new StringWriter();
    private Optional<Runnable> next = Optional.empty();
    private Duration delay = Duration.ZERO;
    private boolean isNeeded = true;
    private Callable<Optional<DnsLabels>> nodes = () -> Optional.of(A);

    private final TopologyFollower follower = new TopologyFollower(
            () -> nodes.call(),
            () -> isNeeded,
            shards,
            (after, task) -> {
                delay = after;
                next = Optional.of(task);
            },
            new PrintWriter(err, true));

    /** Runs the next scheduled read. */
    private void readAgain() {
        Runnable task = next.orElseThrow();
        next = Optional.empty();
        task.run();
    }

    @Test
    void changesOfTheNodesAreRead() {
        follower.read();
        assertThat(shards.topology()).contains(A);
        assertThat(delay).isEqualTo(Duration.ofMinutes(1));
        nodes = () -> Optional.of(B);
        readAgain();
        assertThat(shards.topology()).contains(B);
        nodes = Optional::empty;
        readAgain();
        assertThat(shards.topology()).isEmpty();
        assertThat(delay).as("all Nodes were listed").isEqualTo(Duration.ofMinutes(10));
        nodes = () -> Optional.of(A);
        readAgain();
        assertThat(shards.topology()).contains(A);
    }

    @Test
    void theLastLocationIsKeptWhileTheApiServerDoesNotAnswer() {
        follower.read();
        nodes = () -> {
            throw new IOException("no connection");
        };
        readAgain();
        assertThat(shards.topology()).contains(A);
        nodes = () -> Optional.of(B);
        readAgain();
        assertThat(shards.topology()).contains(B);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void nothingIsReadBeforeThereAreFederations() {
        isNeeded = false;
        nodes = () -> {
            throw new AssertionError("read");
        };
        follower.read();
        assertThat(shards.topology()).isEmpty();
        isNeeded = true;
        nodes = () -> Optional.of(A);
        readAgain();
        assertThat(shards.topology()).contains(A);
    }

    @Test
    void withoutPermissionReadingEndsAndThatIsReported() {
        nodes = () -> {
            throw new AccessDeniedException("nodes");
        };
        follower.read();
        assertThat(next).isEmpty();
        assertThat(err.toString())
                .contains("warning: no permission to list nodes")
                .contains("federated names of Services that are not ready here are SERVFAIL");
    }

    @Test
    void theLastLocationIsKeptWhenThePermissionIsRevoked() {
        follower.read();
        nodes = () -> {
            throw new AccessDeniedException("nodes");
        };
        readAgain();
        assertThat(shards.topology()).contains(A);
        assertThat(err.toString()).contains("those that were read last stay, a.eu");
    }
}
