package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import io.k8sdns.etcd.EtcdFailure.Cause;
import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpConnectTimeoutException;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.UnresolvedAddressException;
import java.security.cert.CertificateExpiredException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLException;

/**
 * etcd's JSON gateway over the HTTP client of the JDK, with HTTP/1.1: a watch is a response without end, one JSON object on each
 * line.
 *
 * <p>Responses are decoded on the threads of the HTTP client and handed to the loop. Of a watch no more is read before the loop has
 * processed what was; a response or a line that is too long is an error.
 */
final class HttpEtcd implements EtcdTransport {
    /** etcd refuses requests above 1.5 MB; a page of a list has many values. */
    static final int MAX_RESPONSE = 64 << 20;

    /** The start of the HTTP client's message when a connection ends before a response begins. */
    private static final String NO_RESPONSE = "HTTP/1.1 header parser received no bytes";

    /** The start of its message when a body ends too early. */
    private static final String CUT_RESPONSE = "chunked transfer encoding, state: ";

    private static final int MAX_THREADS = 4;
    private static final int IDLE_SECONDS = 10;
    private static final JsonFactory JSON = new JsonFactory();

    private final List<URI> endpoints;
    private final Executor loop;
    private final ThreadPoolExecutor executor;
    private final HttpClient http;

    /**
     * Creates the client.
     *
     * @param tls empty for the default of the JDK
     * @param loop runs the replies
     */
    HttpEtcd(List<URI> endpoints, Optional<SSLContext> tls, Duration connectTimeout, Executor loop) {
        this.endpoints = endpoints;
        this.loop = loop;
        this.executor = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread made = new Thread(task, "k8sdns-etcd-http");
                    made.setDaemon(true);
                    return made;
                });
        executor.allowCoreThreadTimeOut(true);
        HttpClient.Builder builder = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .proxy(HttpClient.Builder.NO_PROXY)
                .connectTimeout(connectTimeout)
                .executor(executor);
        tls.ifPresent(builder::sslContext);
        this.http = builder.build();
    }

    /**
     * Frees the threads. Requests have ended before. The JDK's own thread of an HTTP client ends with its close method from version
     * 21 on, and before that soon after the garbage collector has found the client.
     */
    void close() {
        if (http instanceof AutoCloseable closeable) {
            shutDown(closeable);
        }
        executor.shutdownNow();
        try {
            executor.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private void shutDown(AutoCloseable closeable) {
        try {
            // Waits for exchanges, all of which are cancelled; on a thread of its own, since their ends need this one.
            CompletableFuture<Void> closed = new CompletableFuture<>();
            Thread once = new Thread(
                    () -> {
                        try {
                            closeable.close();
                        } catch (Exception ignored) {
                            // Nothing uses it any more.
                        }
                        closed.complete(null);
                    },
                    "k8sdns-etcd-close");
            once.setDaemon(true);
            once.start();
            once.join(TimeUnit.SECONDS.toMillis(IDLE_SECONDS));
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
    }

    private HttpRequest request(int endpoint, String token, String path, byte[] body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(
                        endpoints.get(endpoint).resolve(path))
                .header("Content-Type", "application/json")
                .POST(HttpRequest.BodyPublishers.ofByteArray(body));
        if (!token.isEmpty()) {
            request.header("Authorization", token);
        }
        return request.build();
    }

    private boolean isTls(int endpoint) {
        return "https".equalsIgnoreCase(endpoints.get(endpoint).getScheme());
    }

    /** Writes a JSON body. */
    private interface Body {
        void write(JsonGenerator json) throws IOException;
    }

    private static byte[] bytes(Body body) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator json = JSON.createGenerator(bytes)) {
            body.write(json);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
        return bytes.toByteArray();
    }

    @Override
    public <R> Call send(int endpoint, String token, EtcdRequest<R> request, Reply<R> reply) {
        CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(
                request(endpoint, token, request.path(), bytes(request::write)), info -> new LimitedBody());
        CompletableFuture<?> unusedStage = exchange.whenComplete((response, failed) -> {
            if (failed != null) {
                EtcdFailure failure = failure(failed, isTls(endpoint));
                loop.execute(() -> reply.failed(failure));
                return;
            }
            try {
                if (!EtcdErrors.isOk(response.statusCode())) {
                    EtcdFailure failure = EtcdErrors.ofStatus(response.statusCode(), response.body());
                    loop.execute(() -> reply.failed(failure));
                    return;
                }
                R read = JsonFields.document(response.body(), request::read);
                loop.execute(() -> reply.received(read));
            } catch (IOException malformed) {
                EtcdFailure failure = malformed(request.path(), malformed);
                loop.execute(() -> reply.failed(failure));
            }
        });
        return () -> {
            boolean unused = exchange.cancel(true);
        };
    }

    @Override
    public Call watch(int endpoint, String token, WatchRequest request, WatchReader reader) {
        WatchBody body = new WatchBody(reader, isTls(endpoint));
        CompletableFuture<HttpResponse<Void>> exchange =
                http.sendAsync(request(endpoint, token, WatchRequest.PATH, bytes(request::write)), info -> {
                    body.status = info.statusCode();
                    return body;
                });
        CompletableFuture<?> unusedStage = exchange.whenComplete((response, failed) -> {
            if (failed != null) {
                body.end(failure(failed, isTls(endpoint)));
            }
        });
        return () -> {
            body.cancel();
            boolean unused = exchange.cancel(true);
        };
    }

    private static EtcdFailure malformed(String path, IOException malformed) {
        return EtcdFailure.of(Cause.BROKEN, "malformed response to " + path + ": " + malformed.getMessage());
    }

    /** Returns what an exception of the HTTP client means. */
    static EtcdFailure failure(Throwable thrown, boolean overTls) {
        Throwable why = thrown;
        while (why instanceof CompletionException && why.getCause() != null) {
            why = why.getCause();
        }
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof ResponseTooLongException) {
                return EtcdFailure.of(Cause.BROKEN, words(cause));
            }
            if (cause instanceof SSLException) {
                return EtcdFailure.of(Cause.UNTRUSTED, "TLS: " + tlsWords(cause));
            }
            if (cause instanceof HttpConnectTimeoutException) {
                return new EtcdFailure(Cause.SILENT, true, "no connection in time");
            }
            if (cause instanceof UnresolvedAddressException) {
                return new EtcdFailure(Cause.UNREACHABLE, true, "unknown host");
            }
            if (cause instanceof ConnectException) {
                return new EtcdFailure(
                        Cause.UNREACHABLE,
                        true,
                        "no connection" + (cause.getMessage() == null ? "" : ": " + words(cause)));
            }
            if (cause instanceof HttpTimeoutException) {
                return EtcdFailure.of(Cause.SILENT, words(cause));
            }
        }
        String message = words(why);
        if (message.startsWith(NO_RESPONSE)) {
            return EtcdFailure.of(
                    Cause.UNREACHABLE,
                    "the server ended the connection without a response"
                            + (overTls
                                    ? "; over TLS that may mean that it does not accept the client's certificate"
                                    : ""));
        }
        if (why instanceof EOFException || message.startsWith(CUT_RESPONSE)) {
            return EtcdFailure.of(Cause.UNREACHABLE, "the connection ended in the middle of a response");
        }
        return EtcdFailure.of(why instanceof IOException ? Cause.UNREACHABLE : Cause.REFUSED, message);
    }

    /** Names a server's certificate that has expired: the message of TLS is "validity check failed". */
    private static String tlsWords(Throwable why) {
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "a certificate of the server has expired, " + words(cause);
            }
        }
        return words(why);
    }

    private static String words(Throwable why) {
        return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    /** A response that is longer than any that is expected. */
    private static final class ResponseTooLongException extends IOException {
        private static final long serialVersionUID = 1;

        ResponseTooLongException() {
            super("a response of more than " + MAX_RESPONSE + " bytes");
        }
    }

    /** The bytes of one response. */
    private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> all = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.Subscription subscription = new NoSubscription();

        @Override
        public CompletionStage<byte[]> getBody() {
            return all;
        }

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            subscription = begun;
            begun.request(Long.MAX_VALUE);
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            for (ByteBuffer buffer : buffers) {
                if (bytes.size() + buffer.remaining() > MAX_RESPONSE) {
                    subscription.cancel();
                    all.completeExceptionally(new ResponseTooLongException());
                    return;
                }
                append(bytes, buffer);
            }
        }

        @Override
        public void onError(Throwable failed) {
            all.completeExceptionally(failed);
        }

        @Override
        public void onComplete() {
            all.complete(bytes.toByteArray());
        }
    }

    private static void append(ByteArrayOutputStream bytes, ByteBuffer buffer) {
        byte[] some = new byte[buffer.remaining()];
        buffer.get(some);
        bytes.write(some, 0, some.length);
    }

    private static final class NoSubscription implements Flow.Subscription {
        @Override
        public void request(long number) {}

        @Override
        public void cancel() {}
    }

    /** The lines of a watch, or the body of an error instead of one. */
    private final class WatchBody implements HttpResponse.BodySubscriber<Void> {
        private final WatchReader reader;
        private final boolean overTls;
        private final CompletableFuture<Void> opened = CompletableFuture.completedFuture(null);
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private volatile int status;
        private volatile boolean over;
        private volatile Flow.Subscription subscription = new NoSubscription();

        WatchBody(WatchReader reader, boolean overTls) {
            this.reader = reader;
            this.overTls = overTls;
        }

        @Override
        public CompletionStage<Void> getBody() {
            return opened;
        }

        @Override
        public void onSubscribe(Flow.Subscription begun) {
            subscription = begun;
            if (over) {
                begun.cancel();
            } else {
                begun.request(1);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            try {
                for (ByteBuffer buffer : buffers) {
                    while (buffer.hasRemaining() && !over) {
                        next(buffer);
                    }
                }
            } catch (IOException malformed) {
                end(
                        malformed instanceof ResponseTooLongException
                                ? EtcdFailure.of(Cause.BROKEN, words(malformed))
                                : malformed(WatchRequest.PATH, malformed));
                return;
            }
            // After what was handed to it, the loop asks for more.
            loop.execute(() -> {
                if (!over) {
                    subscription.request(1);
                }
            });
        }

        /** Takes a line, or the part of it that is there. */
        private void next(ByteBuffer buffer) throws IOException {
            int end = buffer.position();
            while (end < buffer.limit() && buffer.get(end) != '\n') {
                end++;
            }
            if (line.size() + end - buffer.position() > MAX_RESPONSE) {
                throw new ResponseTooLongException();
            }
            append(line, buffer.slice(buffer.position(), end - buffer.position()));
            boolean whole = end < buffer.limit();
            buffer.position(whole ? end + 1 : end);
            if (whole && EtcdErrors.isOk(status)) {
                byte[] text = line.toByteArray();
                line.reset();
                if (text.length > 0) {
                    WatchMessage message = JsonFields.document(text, HttpEtcd::message);
                    loop.execute(() -> {
                        if (!over) {
                            reader.message(message);
                        }
                    });
                }
            }
        }

        @Override
        public void onError(Throwable failed) {
            end(failure(failed, overTls));
        }

        @Override
        public void onComplete() {
            end(
                    EtcdErrors.isOk(status)
                            ? EtcdFailure.of(Cause.UNREACHABLE, "the server has ended the watch")
                            : EtcdErrors.ofStatus(status, line.toByteArray()));
        }

        private void end(EtcdFailure failure) {
            subscription.cancel();
            loop.execute(() -> {
                if (!over) {
                    over = true;
                    reader.failed(failure);
                }
            });
        }

        void cancel() {
            over = true;
            subscription.cancel();
        }
    }

    private static WatchMessage message(JsonParser json) throws IOException {
        return WatchMessage.read(json);
    }
}
