package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.FederationStore.Entry;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link EtcdStore} with faulty servers, and servers that are not etcd. */
@Timeout(120)
class EtcdStoreTest {
    private static final String HEADER = "\"header\":{\"cluster_id\":\"18446744073709551615\",\"revision\":\"7\"}";
    private static final String EMPTY = HostileEtcd.ok("{" + HEADER + "}");

    /** {@code /a} = {@code b}. */
    private static final String ONE_KEY = HostileEtcd.ok(
            "{" + HEADER + ",\"kvs\":[{\"key\":\"L2E=\",\"value\":\"Yg==\",\"mod_revision\":\"5\"}],\"count\":\"1\"}");

    private final RecordingListener listener = new RecordingListener();

    private static <T> T result(CompletionStage<T> stage) throws Exception {
        return stage.toCompletableFuture().get(60, TimeUnit.SECONDS);
    }

    private static EtcdStore store(URI... members) {
        return EtcdStore.builder(List.of(members))
                .timeout(Duration.ofSeconds(20))
                .start();
    }

    // ---- hostile responses ----

    static Stream<Arguments> malformed() {
        String deep = "{\"kvs\":" + "[".repeat(100_000);
        return Stream.of(
                Arguments.of("", "closed the connection without a response"),
                Arguments.of("220 mail.example ESMTP\r\n", "Invalid status line"),
                Arguments.of("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{", "fixed content-length"),
                Arguments.of("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n", ""),
                Arguments.of(
                        "HTTP/1.1 302 Found\r\nLocation: http://192.0.2.1/\r\nContent-Length: 0\r\n\r\n",
                        "HTTP status 302"),
                Arguments.of(
                        "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\nCommonName of client sending a request against "
                                + "gateway will be ignored and not used as expected\n",
                        "without a common name"),
                Arguments.of("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "enable-grpc-gateway: true"),
                Arguments.of("HTTP/1.1 500 Oops\r\nContent-Length: 5\r\n\r\n<html", "HTTP status 500"),
                Arguments.of(
                        "HTTP/1.1 400 Bad\r\nConnection: close\r\n\r\n{\"error\":\"bad\\u0000 \\n\",\"code\":3,\"a\":0}",
                        "bad?"),
                Arguments.of(HostileEtcd.ok(""), "malformed response to /v3/kv/range"),
                Arguments.of(HostileEtcd.ok("<html>"), "malformed response to /v3/kv/range"),
                Arguments.of(HostileEtcd.ok("[]"), "not an object"),
                Arguments.of(HostileEtcd.ok("null"), "not an object"),
                Arguments.of(HostileEtcd.ok("{}"), "without a revision"),
                Arguments.of(HostileEtcd.ok("{" + HEADER + "} {}"), "after the JSON object"),
                Arguments.of(HostileEtcd.ok("{" + HEADER + ",\"kvs\":{}}"), "not an array: kvs"),
                Arguments.of(HostileEtcd.ok("{" + HEADER + ",\"kvs\":[{}]}"), "without key or mod_revision"),
                Arguments.of(
                        HostileEtcd.ok("{" + HEADER + ",\"kvs\":[{\"key\":\"?\",\"mod_revision\":\"1\"}]}"),
                        "malformed response to /v3/kv/range"),
                Arguments.of(HostileEtcd.ok("{\"header\":{\"revision\":\"seven\"}}"), "not a number: revision"),
                Arguments.of(HostileEtcd.ok("{\"header\":{\"revision\":\"-7\"}}"), "negative: revision"),
                Arguments.of(HostileEtcd.ok("{\"header\":{\"revision\":1e999}}"), "not a number"),
                Arguments.of(
                        HostileEtcd.ok("{" + HEADER + ",\"count\":\"99999999999999999999\"}"), "not a number: count"),
                Arguments.of(HostileEtcd.ok(deep), "malformed response to /v3/kv/range"));
    }

    @ParameterizedTest
    @MethodSource("malformed")
    void aMalformedResponseIsAnExceptionWithTheServer(String response, String message) throws Exception {
        try (HostileEtcd etcd = HostileEtcd.always(response);
                EtcdStore store = store(etcd.uri())) {
            assertThatThrownBy(() -> result(store.get("/a")))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("etcd at " + etcd.uri())
                    .hasMessageContaining(message);
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "{}", "[]", "{\"succeeded\":true}", "{\"header\":{\"revision\":\"1\"},\"succeeded\":\"yes\"}"
            })
    void aMalformedResponseToAWriteDoesNotClaimThatNothingWasWritten(String body) throws Exception {
        try (HostileEtcd etcd = HostileEtcd.always(HostileEtcd.ok(body));
                EtcdStore store = store(etcd.uri())) {
            assertThatThrownBy(() -> result(store.compareAndSet("/a", 0, "b")))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("malformed response to /v3/kv/txn")
                    .hasMessageNotContaining("nothing was written");
        }
    }

    @Test
    void anEndlessResponseIsAFailure() throws Exception {
        byte[] much = "x".repeat(1 << 20).getBytes(StandardCharsets.ISO_8859_1);
        HostileEtcd.Answer endless = (path, out) -> {
            out.write(HostileEtcd.stream("\"").getBytes(StandardCharsets.ISO_8859_1));
            for (int i = 0; i < 1_000; i++) {
                out.write(much);
            }
        };
        try (HostileEtcd etcd = new HostileEtcd(endless);
                EtcdStore store = store(etcd.uri())) {
            assertThatThrownBy(() -> result(store.compareAndRemove("/a", 1)))
                    .hasMessageContaining("response of more than");
        }
    }

    static Stream<String> watches() {
        String created = "{\"result\":{" + HEADER + ",\"created\":true}}\n";
        return Stream.of(
                "",
                "{\n",
                "null\n",
                "\"\n",
                "{\"error\":{\"grpc_code\":14,\"message\":\"stopped\"}}\n",
                "{\"result\":{\"events\":[{\"kv\":{\"key\":\"L2I=\",\"value\":\"Yg==\",\"mod_revision\":\"9\"}}]}}\n",
                "{\"result\":{\"created\":true}}\n",
                created + "{\"result\":{\"events\":[{}]}}\n",
                created + "{\"result\":{\"events\":[{\"kv\":{\"key\":\"L2I=\"}}]}}\n",
                created + "{\"result\":{\"events\":{}}}\n",
                created + "{\"result\":{\"canceled\":true,\"cancel_reason\":\"no\"}}\n",
                created + "garbage\n");
    }

    /** The follower keeps its content, reports that it is stale, and is up to date again once the server answers correctly. */
    @ParameterizedTest
    @MethodSource("watches")
    void aMalformedWatchIsOpenedAgain(String lines) throws Exception {
        AtomicInteger watches = new AtomicInteger();
        HostileEtcd[] self = new HostileEtcd[1];
        HostileEtcd.Answer answer = (path, out) -> {
            if (!path.equals("/v3/watch")) {
                out.write(ONE_KEY.getBytes(StandardCharsets.ISO_8859_1));
            } else if (watches.incrementAndGet() < 3) {
                out.write(HostileEtcd.stream(lines).getBytes(StandardCharsets.ISO_8859_1));
            } else {
                String event =
                        "{\"result\":{\"events\":[{\"kv\":{\"key\":\"L2E=\",\"value\":\"Yw==\",\"mod_revision\":\"9\"}}]}}\n";
                out.write(HostileEtcd.stream("{\"result\":{" + HEADER + ",\"created\":true}}\n" + event)
                        .getBytes(StandardCharsets.ISO_8859_1));
                out.flush();
                self[0].keepSilent();
            }
        };
        try (HostileEtcd etcd = new HostileEtcd(answer);
                EtcdStore store = store(etcd.uri())) {
            self[0] = etcd;
            store.watch(listener);
            RecordingListener.State state =
                    listener.await("changed", seen -> seen.values().equals(Map.of("/a", "c")));
            assertThat(state.calls()).startsWith("content", "upToDate", "stale");
            assertThat(watches.get()).isEqualTo(3);
        }
    }

    // ---- deadlines and failover ----

    @Test
    void callsOfASilentServerEndAtTheTimeout() throws Exception {
        try (ServerSocket silent = new ServerSocket(0, 50, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
                EtcdStore store = EtcdStore.builder(List.of(URI.create("http://127.0.0.1:" + silent.getLocalPort())))
                        .timeout(Duration.ofMillis(300))
                        .start()) {
            long begun = System.nanoTime();
            CompletionStage<Optional<Entry>> first = store.get("/a");
            CompletionStage<Boolean> second = store.compareAndSet("/a", 0, "b");
            assertThatThrownBy(() -> result(first)).hasMessageContaining("no answer within 300 ms");
            assertThatThrownBy(() -> result(second)).hasMessageContaining("no answer within 300 ms");
            // The calls run concurrently. The upper bound allows for a machine under load.
            assertThat(Duration.ofNanos(System.nanoTime() - begun))
                    .isBetween(Duration.ofMillis(300), Duration.ofSeconds(30));
        }
    }

    @Test
    void anotherMemberIsUsedWhenOneIsDeadSilentOrFaulty() throws Exception {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        // Bound and not listening: refuses connections, and keeps other programs from the port.
        Socket dead = new Socket();
        dead.bind(new InetSocketAddress(loopback, 0));
        try (dead;
                ServerSocket silent = new ServerSocket(0, 50, loopback);
                HostileEtcd hostile = HostileEtcd.always("nonsense");
                HostileEtcd good = HostileEtcd.always(ONE_KEY);
                EtcdStore store = EtcdStore.builder(List.of(
                                URI.create("http://127.0.0.1:" + dead.getLocalPort()),
                                URI.create("http://127.0.0.1:" + silent.getLocalPort()),
                                hostile.uri(),
                                good.uri()))
                        .timeout(Duration.ofSeconds(40))
                        .start()) {
            assertThat(result(store.get("/a"))).contains(new Entry("b", 5));
            assertThat(good.paths()).containsExactly("/v3/kv/range");
            // The member that answered is asked first from now on.
            assertThat(result(store.get("/a"))).contains(new Entry("b", 5));
            assertThat(hostile.paths()).hasSize(1);
        }
    }

    @Test
    void aWriteIsNotRepeatedWhenItMayHaveBeenExecuted() throws Exception {
        try (HostileEtcd cut = HostileEtcd.always("");
                HostileEtcd other = HostileEtcd.always(EMPTY);
                EtcdStore store = store(cut.uri(), other.uri())) {
            assertThatThrownBy(() -> result(store.compareAndSet("/a", 0, "b")))
                    .hasMessageContaining(cut.uri().toString())
                    .hasMessageNotContaining("nothing was written");
            assertThat(other.paths()).isEmpty();
        }
    }

    // ---- listeners ----

    @Test
    void anExceptionOfAListenerAffectsNeitherOthersNorTheStore() throws Exception {
        try (HostileEtcd etcd = HostileEtcd.always(ONE_KEY);
                EtcdStore store = store(etcd.uri())) {
            store.watch(new FederationStore.Listener() {
                @Override
                public void content(Map<String, Entry> entries) {
                    throw new IllegalStateException("a test's exception");
                }

                @Override
                public void changed(Map<String, Optional<Entry>> changes) {}

                @Override
                public void stale() {
                    throw new AssertionError("a test's error");
                }

                @Override
                public void upToDate() {}
            });
            store.watch(listener);
            listener.awaitUpToDate(Map.of("/a", "b"));
            assertThat(result(store.get("/a"))).contains(new Entry("b", 5));
        }
    }

    // ---- the end ----

    @Test
    void closeFailsCallsAndEndsListenersAndThreads() throws Exception {
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        useAndClose();
        Set<Thread> after = Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> !before.contains(thread))
                .filter(thread -> !thread.getName().equals("hostile"))
                .collect(Collectors.toSet());
        // A terminated pool may still have a thread that is about to end.
        // Before JDK 21 the thread of the HTTP client ends after a garbage collection.
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        for (Thread thread : after) {
            while (isOfStore(thread) && thread.isAlive() && System.nanoTime() < until) {
                System.gc();
                thread.join(50);
            }
        }
        assertThat(after)
                .filteredOn(Thread::isAlive)
                .filteredOn(EtcdStoreTest::isOfStore)
                .extracting(Thread::getName)
                .isEmpty();
    }

    private static boolean isOfStore(Thread thread) {
        return thread.getName().startsWith("k8sdns") || thread.getName().startsWith("HttpClient");
    }

    private void useAndClose() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        HostileEtcd[] self = new HostileEtcd[1];
        HostileEtcd.Answer answer = (path, out) -> {
            if (path.equals("/v3/kv/txn")) {
                asked.countDown();
                self[0].keepSilent();
            } else {
                out.write(ONE_KEY.getBytes(StandardCharsets.ISO_8859_1));
            }
        };
        try (HostileEtcd etcd = new HostileEtcd(answer)) {
            self[0] = etcd;
            EtcdStore store = store(etcd.uri());
            store.watch(listener);
            listener.await("content", state -> state.values().equals(Map.of("/a", "b")));
            CompletableFuture<Boolean> call = store.compareAndSet("/a", 0, "b").toCompletableFuture();
            asked.await();
            store.close();
            assertThatThrownBy(() -> result(call))
                    .hasCauseInstanceOf(IOException.class)
                    .hasMessageContaining("closed");
            int calls = listener.state().calls().size();
            store.close();
            assertThatThrownBy(() -> store.watch(listener)).isInstanceOf(IllegalStateException.class);
            assertThatThrownBy(() -> result(store.get("/a"))).hasMessageContaining("closed");
            assertThat(listener.state().calls()).hasSize(calls);
        }
    }

    @Test
    void aListenerMayCloseTheStore() throws Exception {
        CountDownLatch closed = new CountDownLatch(1);
        try (HostileEtcd etcd = HostileEtcd.always(ONE_KEY)) {
            EtcdStore store = store(etcd.uri());
            store.watch(new FederationStore.Listener() {
                @Override
                public void content(Map<String, Entry> entries) {
                    store.close();
                    closed.countDown();
                }

                @Override
                public void changed(Map<String, Optional<Entry>> changes) {}

                @Override
                public void stale() {}

                @Override
                public void upToDate() {}
            });
            assertThat(closed.await(60, TimeUnit.SECONDS)).isTrue();
            assertThatThrownBy(() -> result(store.get("/a"))).hasMessageContaining("closed");
        }
    }

    // ---- arguments ----

    @Test
    @SuppressWarnings("NullAway")
    void argumentsAreChecked() {
        assertThatIllegalArgumentException().isThrownBy(() -> EtcdStore.builder(List.of()));
        for (String url : List.of(
                "etcd",
                "ftp://127.0.0.1",
                "http:///path",
                "http://127.0.0.1/v3",
                "http://127.0.0.1?a=b",
                "http://127.0.0.1#a")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> EtcdStore.builder(List.of(URI.create(url))))
                    .withMessageContaining(url);
        }
        assertThatIllegalArgumentException()
                .isThrownBy(() -> EtcdStore.builder(List.of(URI.create("http://root:secret@127.0.0.1"))))
                .withMessageNotContaining("secret");
        EtcdStore.Builder builder = EtcdStore.builder(List.of(URI.create("http://127.0.0.1/")));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.prefix("k8sdns"));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.prefix("/k8sdns/"));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.timeout(Duration.ZERO));
        assertThatIllegalArgumentException().isThrownBy(() -> builder.timeout(Duration.ofDays(1)));
        assertThatNullPointerException()
                .isThrownBy(() -> builder.user("root", null))
                .withMessage("password");
        try (EtcdStore store = builder.start()) {
            assertThatIllegalArgumentException().isThrownBy(() -> store.get("a"));
            assertThatIllegalArgumentException().isThrownBy(() -> store.get("/\ud800"));
            assertThatIllegalArgumentException().isThrownBy(() -> store.compareAndSet("/a", -1, ""));
            assertThatIllegalArgumentException().isThrownBy(() -> store.compareAndSet("/a", 0, "\ud800"));
            assertThatIllegalArgumentException().isThrownBy(() -> store.compareAndRemove("/a", 0));
            assertThatNullPointerException().isThrownBy(() -> store.watch(null)).withMessage("listener");
        }
    }
}
