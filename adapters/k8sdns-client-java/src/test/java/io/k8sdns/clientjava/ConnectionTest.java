package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ConnectionTest {
    private final ExecutorService others = Executors.newCachedThreadPool();
    private final AtomicInteger connected = new AtomicInteger();
    private final VirtualTime time = new VirtualTime();

    @AfterEach
    void end() {
        others.shutdownNow();
    }

    /** A connection, and who is still making its first client. */
    private record Hanging(Connection connection, Future<Connection.Client> first) {}

    /** Returns a connection whose first client takes until the gate is open. */
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
    void whoeverMakesTheClientHangsAloneAndOthersAreToldSo() throws Exception {
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
    void whoeverHangsForAMinuteIsLeftToItAndAnotherMakesTheClient() throws Exception {
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
    void clientThatCannotBeMadeIsTriedAgainByTheNext() throws IOException {
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
        assertThatThrownBy(connection::client).as("shared by who comes at once").hasMessage("no token");
        assertThat(connected).hasValue(1);
        time.step(Duration.ofSeconds(3).toNanos());
        Connection.Client client = connection.client();
        assertThat(connection.client()).isSameAs(client);
        connection.refused(client);
        assertThat(connection.client()).isNotSameAs(client);
        connection.refused(client);
        assertThat(connected).as("one that was refused long ago does not count").hasValue(3);
    }
}
