package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the end of a server of which a thread has ended, in a JVM of its own. */
@Timeout(300)
class LostThreadTest {
    private static final int SURVIVED = 7;

    @ParameterizedTest
    @ValueSource(strings = {"thread", "timer"})
    void aServerThatHasLostAThreadForLackOfMemoryExits(String kind) throws Exception {
        Program.Result result = Program.run(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "-Dlost=" + kind,
                LosesAThread.class.getName(),
                "serve",
                "--listen",
                "127.0.0.1:0",
                Run.BOOKSTORE);
        assertThat(result.code()).as(result.err()).isEqualTo(Main.FAILED);
        assertThat(result.err())
                .contains("k8sdns: out of memory in thread lost; JAVA_OPTS=-Xmx4g gives the JVM 4 GiB")
                .doesNotContain("\tat ");
    }

    /** Runs the command; a thread runs out of memory when the command has printed its first message. */
    static final class LosesAThread {
        private LosesAThread() {}

        public static void main(String[] arguments) {
            AtomicBoolean isFirst = new AtomicBoolean(true);
            System.setErr(new PrintStream(System.err, true, StandardCharsets.UTF_8) {
                @Override
                public void write(byte[] bytes, int from, int length) {
                    super.write(bytes, from, length);
                    if (isFirst.getAndSet(false)) {
                        new Thread(LosesAThread::loseAThread).start();
                    }
                }
            });
            Main.main(arguments);
        }

        private static void loseAThread() {
            try {
                if (System.getProperty("lost").equals("timer")) {
                    loseATask();
                } else {
                    Thread lost = new Thread(LosesAThread::runOutOfMemory, "lost");
                    lost.start();
                    lost.join();
                }
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
            Runtime.getRuntime().halt(SURVIVED);
        }

        /** Loses a periodic task, and returns when the thread that ran it has ended. */
        private static void loseATask() throws InterruptedException {
            AtomicReference<Thread> thread = new AtomicReference<>();
            Runnable task = () -> {
                thread.set(Thread.currentThread());
                runOutOfMemory();
            };
            try {
                TimerThreads.start("lost")
                        .scheduleWithFixedDelay(task, 0, 1, TimeUnit.HOURS)
                        .get();
            } catch (ExecutionException lost) {
                Objects.requireNonNull(thread.get()).join();
            }
        }

        private static void runOutOfMemory() {
            throw new OutOfMemoryError("Java heap space");
        }
    }
}
