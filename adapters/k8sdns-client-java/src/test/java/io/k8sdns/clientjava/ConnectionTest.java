package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class ConnectionTest {
    private final ExecutorService others = Executors.newCachedThreadPool();
    private final AtomicInteger connected = new AtomicInteger();
    private final VirtualTime time = new VirtualTime();

    @AfterEach
    void end() {
        others.shutdownNow();
    }

    /** A connection, and the thread that creates its first client. */
    private record Hanging(Connection connection, Future<Connection.Client> first) {}

    /** Returns a connection whose first client is created once the gate opens. */
    private Hanging hanging(CountDownLatch gate) throws InterruptedException {
        CountDownLatch asked = new CountDownLatch(1);
        Connection connection = new Connection(
                () -> {
                    if (connected.incrementAndGet() == 1) {
                        asked.countDown();
                        try {
                            gate.await();
                        } catch (InterruptedException over) {
                            throw new IOException(over);
                        }
                    }
                    return new ApiClient();
                },
                Duration.ofMillis(1),
                time::nanoTime);
        Hanging hanging = new Hanging(connection, others.submit(connection::client));
        asked.await();
        return hanging;
    }

    @Test
    void otherThreadsTimeOutWhileTheClientHangs() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Hanging hanging = hanging(gate);
        Connection connection = hanging.connection();
        assertThatThrownBy(connection::client).isInstanceOf(IOException.class).hasMessageContaining("may hang");
        gate.countDown();
        Connection.Client made = hanging.first().get();
        assertThat(connection.client()).isSameAs(made);
        assertThat(connected).hasValue(1);
    }

    @Test
    void anotherThreadMakesTheClientAfterAMinute() throws Exception {
        CountDownLatch gate = new CountDownLatch(1);
        Hanging hanging = hanging(gate);
        Connection connection = hanging.connection();
        time.step(Duration.ofMinutes(1).toNanos());
        Connection.Client second = connection.client();
        gate.countDown();
        assertThat(hanging.first().get()).isNotSameAs(second);
        assertThat(connection.client()).isSameAs(second);
    }

    @Test
    void failedClientIsMadeAgain() throws IOException {
        Connection connection = new Connection(
                () -> {
                    if (connected.incrementAndGet() == 1) {
                        throw new IOException("no token");
                    }
                    return new ApiClient();
                },
                Duration.ofSeconds(30),
                time::nanoTime);
        assertThatThrownBy(connection::client).hasMessage("no token");
        assertThatThrownBy(connection::client)
                .as("a call that follows immediately gets the same failure")
                .hasMessage("no token");
        assertThat(connected).hasValue(1);
        time.step(Duration.ofSeconds(3).toNanos());
        Connection.Client client = connection.client();
        assertThat(connection.client()).isSameAs(client);
        connection.discard(client);
        assertThat(connection.client()).isNotSameAs(client);
        connection.discard(client);
        assertThat(connected).as("one failure and two clients").hasValue(3);
    }

    @Test
    void changedCredentialFileMakesANewClient(@TempDir Path folder) throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "first");
        Connection connection = new Connection(
                new ApiConnector() {
                    @Override
                    public ApiClient connect() {
                        return new ApiClient();
                    }

                    @Override
                    public Set<Path> files() {
                        return Set.of(token);
                    }
                },
                Duration.ofSeconds(30),
                time::nanoTime);
        Connection.Client first = connection.client();
        connection.checkFiles();
        assertThat(connection.client()).isSameAs(first);
        Files.writeString(token, "another");
        assertThat(connection.client()).as("nothing has failed yet").isSameAs(first);
        connection.checkFiles();
        Connection.Client second = connection.client();
        assertThat(second).isNotSameAs(first);
        connection.checkFiles();
        assertThat(connection.client()).isSameAs(second);
    }

    @Test
    void connectTimeoutIsAtMostFourSeconds() throws IOException {
        for (int millis : new int[] {0, 10_000, 1_500}) {
            ApiClient client = new ApiClient().setConnectTimeout(millis);
            Connection connection = new Connection(() -> client, Duration.ofSeconds(30), time::nanoTime);
            assertThat(connection.client().http().connectTimeoutMillis()).isEqualTo(millis == 1_500 ? 1_500 : 4_000);
        }
    }
}
