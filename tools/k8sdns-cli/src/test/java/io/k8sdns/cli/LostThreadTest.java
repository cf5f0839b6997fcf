package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests the end of a server of which a thread has ended, in a JVM of its own. */
@Timeout(300)
class LostThreadTest {
    private static final int SURVIVED = 7;

    @Test
    void aServerThatHasLostAThreadForLackOfMemoryExits() throws Exception {
        Program.Result result = Program.run(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
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
            Thread lost = new Thread(
                    () -> {
                        throw new OutOfMemoryError("Java heap space");
                    },
                    "lost");
            lost.start();
            try {
                lost.join();
            } catch (InterruptedException unexpected) {
                throw new AssertionError(unexpected);
            }
            Runtime.getRuntime().halt(SURVIVED);
        }
    }
}
