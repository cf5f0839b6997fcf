package io.k8sdns.sockets;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class FailureLogTest {
    private final List<String> lines = new ArrayList<>();
    private final List<@Nullable Throwable> causes = new ArrayList<>();
    private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 5);
    private final FailureLog log = new FailureLog(Lines::new, nanos::get);

    @Test
    void eachKindIsLoggedOnceAMinuteWithTheSuppressedNumber() {
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
                        "sending: java.io.IOException: no (and 3 more since this was last logged)",
                        "receiving: java.io.IOException: no");
    }

    @Test
    void questionsAreLoggedOnceAMinuteForEachClassOfCause() {
        Question first = Question.of(TestZone.name("a.test."), RecordType.A);
        Question second = Question.of(TestZone.name("b.test."), RecordType.AAAA);
        log.failed(first, new IOException("no"));
        log.failed(second, new IOException("no"));
        log.failed(second, new IllegalStateException("broken"));
        nanos.addAndGet(TimeUnit.MINUTES.toNanos(1));
        log.failed(second, new IOException("no"));
        assertThat(lines)
                .containsExactly(
                        "a.test. A could not be answered: java.io.IOException: no",
                        "b.test. AAAA could not be answered: java.lang.IllegalStateException: broken",
                        "b.test. AAAA could not be answered: java.io.IOException: no (and 1 more since this was last"
                                + " logged)");
        assertThat(causes).singleElement().isInstanceOf(IllegalStateException.class);
    }

    @Test
    void aServerThatDoesNotAnswerIsOneLineWithoutAStackTrace() {
        Question question = Question.of(TestZone.name("a.test."), RecordType.A);
        log.failed(question, new SocketTimeoutException("192.0.2.53:53: no response in time"));
        log.failed(question, new TimeoutException("late"));
        assertThat(lines)
                .containsExactly(
                        "a.test. A could not be answered: java.net.SocketTimeoutException: 192.0.2.53:53: no response in time",
                        "a.test. A could not be answered: java.util.concurrent.TimeoutException: late");
        assertThat(causes).isEmpty();
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
            causes.add(thrown);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... parameters) {
            lines.add(format);
        }
    }
}
