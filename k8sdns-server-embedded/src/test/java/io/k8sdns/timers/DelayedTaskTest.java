package io.k8sdns.timers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class DelayedTaskTest {
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);

    @AfterEach
    void stop() {
        executor.shutdownNow();
    }

    @Test
    void aTaskRunsAfterItsDelay() throws InterruptedException {
        CountDownLatch ran = new CountDownLatch(1);
        DelayedTask unused = DelayedTask.schedule(executor, Duration.ofMillis(1), ran::countDown);
        assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aCancelledTaskIsRemoved() {
        executor.setRemoveOnCancelPolicy(true);
        DelayedTask task = DelayedTask.schedule(executor, Duration.ofHours(1), () -> {});
        assertThat(executor.getQueue())
                .singleElement(InstanceOfAssertFactories.type(Delayed.class))
                .extracting(scheduled -> scheduled.getDelay(TimeUnit.MINUTES))
                .asInstanceOf(InstanceOfAssertFactories.LONG)
                .isBetween(50L, 60L);
        task.cancel();
        assertThat(executor.getQueue()).isEmpty();
    }

    @Test
    void aTaskForAnExecutorThatIsShutDownIsIgnored() {
        executor.shutdownNow();
        assertThatCode(() ->
                        DelayedTask.schedule(executor, Duration.ZERO, () -> {}).cancel())
                .doesNotThrowAnyException();
    }
}
