package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureLogTest {
    private final List<String> lines = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final FailureLog log = new FailureLog(Lines::new, nanos::get);

    @Test
    void eachKindIsSaidOnceAMinuteWithTheNumberThatWentUnsaid() {
        report("sending", 3);
        report("receiving", 1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(59));
        report("sending", 1);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(1));
        report("sending", 2);
        nanos.addAndGet(TimeUnit.SECONDS.toNanos(60));
        report("receiving", 1);
        assertThat(lines)
                .containsExactly(
                        "sending: java.io.IOException: no",
                        "receiving: java.io.IOException: no",
                        "sending: java.io.IOException: no (and 3 more since the last time this was said)",
                        "receiving: java.io.IOException: no");
    }

    private void report(String what, int times) {
        for (int i = 0; i < times; i++) {
            log.report(what, new IOException("no"));
        }
    }

    private final class Lines implements System.Logger {
        @Override
        public String getName() {
            return "test";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String message, @Nullable Throwable thrown) {
            lines.add(message);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {
            lines.add(format);
        }
    }
}
