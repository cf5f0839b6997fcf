package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import java.text.MessageFormat;
import java.util.ArrayList;
import java.util.List;
import java.util.ResourceBundle;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Tests of {@link EtcdLog}. */
class EtcdLogTest {
    private final List<String> lines = new ArrayList<>();
    private final EtcdLog log = new EtcdLog(new Lines());

    private static EtcdFailure failure(String text) {
        return EtcdFailure.of(EtcdFailure.Cause.UNREACHABLE, text);
    }

    private static long at(int seconds) {
        return TimeUnit.SECONDS.toNanos(seconds);
    }

    @Test
    void aPersistentFailureIsLoggedOnceAMinuteAndItsEndOnce() {
        for (int second = 0; second < 150; second++) {
            log.failed(failure("no connection"), at(second));
        }
        log.failed(failure("no leader {0}"), at(151));
        log.upToDate();
        log.upToDate();
        log.failed(failure("no leader {0}"), at(152));
        assertThat(lines)
                .containsExactly(
                        "WARNING not up to date, retrying: no connection",
                        "WARNING not up to date, retrying: no connection",
                        "WARNING not up to date, retrying: no connection",
                        "WARNING not up to date, retrying: no leader {0}",
                        "INFO up to date again",
                        "WARNING not up to date, retrying: no leader {0}");
    }

    @Test
    void nothingIsLoggedWithoutAnOutage() {
        log.upToDate();
        assertThat(lines).isEmpty();
    }

    private final class Lines implements System.Logger {
        @Override
        public String getName() {
            return "lines";
        }

        @Override
        public boolean isLoggable(Level level) {
            return true;
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String text, @Nullable Throwable thrown) {
            lines.add(level + " " + text);
        }

        @Override
        public void log(Level level, @Nullable ResourceBundle bundle, String format, Object... arguments) {
            lines.add(level + " " + MessageFormat.format(format, arguments));
        }
    }
}
