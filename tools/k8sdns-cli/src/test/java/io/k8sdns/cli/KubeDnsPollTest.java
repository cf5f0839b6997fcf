package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.AccessDeniedException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KubeDnsPollTest {
    private static final Optional<Map<String, String>> A = Optional.of(Map.of("stubDomains", "a"));
    private static final Optional<Map<String, String>> B = Optional.of(Map.of("stubDomains", "b"));

    private final Steps steps = new Steps();
    private final StringWriter err = new StringWriter();
    private final List<Optional<Map<String, String>>> received = new ArrayList<>();
    private Callable<Optional<Map<String, String>>> data = Optional::empty;
    private boolean isUsable = true;

    /** Runs each task when the test says so. */
    private static final class Steps extends ScheduledThreadPoolExecutor {
        private final Deque<Runnable> tasks = new ArrayDeque<>();
        private long delaySeconds;

        Steps() {
            super(1);
        }

        @Override
        public ScheduledFuture<?> schedule(Runnable task, long delay, TimeUnit unit) {
            tasks.add(task);
            delaySeconds = unit.toSeconds(delay);
            return super.schedule(task, 1, TimeUnit.DAYS);
        }
    }

    @AfterEach
    void shutDown() {
        steps.shutdownNow();
    }

    private void start() {
        new KubeDnsPoll(
                        () -> data.call(),
                        read -> {
                            received.add(read);
                            return isUsable;
                        },
                        steps,
                        new PrintWriter(err, true))
                .start();
        poll();
    }

    private void poll() {
        steps.tasks.remove().run();
    }

    @Test
    void onlyChangesAreReceived() {
        start();
        poll();
        assertThat(received).isEmpty();
        data = () -> A;
        poll();
        poll();
        data = () -> B;
        poll();
        data = Optional::empty;
        poll();
        poll();
        assertThat(received).containsExactly(A, B, Optional.empty());
        assertThat(steps.delaySeconds).isEqualTo(10);
    }

    @Test
    void dataThatMayBeUsableLaterAreReceivedAgain() {
        data = () -> A;
        isUsable = false;
        start();
        poll();
        isUsable = true;
        poll();
        poll();
        assertThat(received).containsExactly(A, A, A);
        assertThat(steps.delaySeconds).isEqualTo(10);
    }

    @Test
    void unusableDataAreReplacedByTheNextVersion() {
        data = () -> A;
        start();
        isUsable = false;
        data = () -> B;
        poll();
        isUsable = true;
        data = () -> A;
        poll();
        poll();
        assertThat(received).containsExactly(A, B, A);
    }

    private void deny() {
        data = () -> {
            throw new AccessDeniedException("configmaps kube-system/kube-dns");
        };
    }

    @Test
    void failuresAreTriedAgainLater() {
        data = () -> A;
        start();
        data = () -> {
            throw new IOException("unreachable");
        };
        poll();
        assertThat(steps.delaySeconds).isEqualTo(30);
        data = () -> A;
        poll();
        assertThat(received).containsExactly(A);
        assertThat(steps.delaySeconds).isEqualTo(10);
        assertThat(err.toString()).isEmpty();
    }

    @Test
    void aLostPermissionIsReportedOnceAndTriedAgainUntilItIsBack() {
        data = () -> A;
        start();
        deny();
        poll();
        poll();
        assertThat(err)
                .hasToString("warning: no permission to get configmaps kube-system/kube-dns any more; its last version "
                        + "stays in use" + System.lineSeparator());
        err.getBuffer().setLength(0);
        data = () -> B;
        poll();
        poll();
        assertThat(steps.delaySeconds).isEqualTo(10);
        assertThat(err)
                .hasToString("note: there is permission to get the ConfigMap of kube-dns now" + System.lineSeparator());
        assertThat(received).containsExactly(A, B);
        deny();
        poll();
        assertThat(err.toString()).as("lost again").contains("warning: no permission");
    }

    @Test
    void theDelayDoublesWhilePermissionIsMissing() {
        deny();
        start();
        List<Long> delays = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            delays.add(steps.delaySeconds);
            poll();
        }
        assertThat(delays).containsExactly(30L, 60L, 120L, 240L, 300L, 300L);
        data = () -> A;
        poll();
        assertThat(steps.delaySeconds).isEqualTo(10);
        deny();
        poll();
        assertThat(steps.delaySeconds).as("lost again").isEqualTo(30);
    }

    @Test
    void aMissingPermissionIsReportedOnceAndMayBeGrantedLater() {
        deny();
        start();
        poll();
        assertThat(err)
                .hasToString("note: no permission to get configmaps kube-system/kube-dns, which is not used"
                        + System.lineSeparator());
        data = () -> A;
        poll();
        assertThat(received).containsExactly(A);
    }
}
