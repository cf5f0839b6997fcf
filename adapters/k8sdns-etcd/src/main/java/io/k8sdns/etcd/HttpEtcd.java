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
 * Calls etcd's JSON gateway over HTTP/1.1 with the JDK's HTTP client. A watch is an endless response with one JSON object per line.
 *
 * <p>Responses are decoded on the threads of the HTTP client and passed to the loop. A watch is read only as fast as the loop processes
 * its messages. A response or line that is too long is an error.
 */
final class HttpEtcd implements EtcdTransport {
    /** The largest response, in bytes. etcd rejects values above 1.5 MB, but a page of a list has many values. */
    static final int MAX_RESPONSE = 64 << 20;

    /** The start of the HTTP client's message when a connection ends before a response begins. */
    private static final String NO_RESPONSE = "HTTP/1.1 header parser received no bytes";

    /** The start of the HTTP client's message when a body ends too early. */
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
     * @param tls empty for the JDK's default context
     * @param loop runs the replies
     */
    HttpEtcd(List<URI> endpoints, Optional<SSLContext> tls, Duration connectTimeout, Executor loop) {
        this.endpoints = endpoints;
        this.loop = loop;
        this.executor = new ThreadPoolExecutor(
                MAX_THREADS, MAX_THREADS, IDLE_SECONDS, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
                    Thread thread = new Thread(task, "k8sdns-etcd-http");
                    thread.setDaemon(true);
                    return thread;
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
     * Ends the threads. All requests have ended before. From JDK 21 on, closing the HTTP client also ends its own thread; before, that
     * thread ends soon after the client was garbage-collected.
     */
    void close() {
        if (http instanceof AutoCloseable closeable) {
            shutDown(closeable);
        }
        executor.shutdownNow();
        try {
            executor.awaitTermination(IDLE_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void shutDown(AutoCloseable closeable) {
        try {
            // Waits for the end of the exchanges, which are all cancelled. On a separate thread, because the exchanges
            // need this one to end.
            CompletableFuture<Void> closed = new CompletableFuture<>();
            Thread closer = new Thread(
                    () -> {
                        try {
                            closeable.close();
                        } catch (Exception ignored) {
                            // The client is not used any more.
                        }
                        closed.complete(null);
                    },
                    "k8sdns-etcd-close");
            closer.setDaemon(true);
            closer.start();
            closer.join(TimeUnit.SECONDS.toMillis(IDLE_SECONDS));
        } catch (InterruptedException interrupted) {
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
    public <R> Call send(int endpoint, String token, EtcdRequest<R> request, ResponseHandler<R> handler) {
        CompletableFuture<HttpResponse<byte[]>> exchange = http.sendAsync(
                request(endpoint, token, request.path(), bytes(request::write)), info -> new LimitedBody());
        CompletableFuture<?> unusedStage = exchange.whenComplete((response, failed) -> {
            if (failed != null) {
                EtcdFailure failure = failure(failed, isTls(endpoint));
                loop.execute(() -> handler.failed(failure));
                return;
            }
            try {
                if (!EtcdErrors.isOk(response.statusCode())) {
                    EtcdFailure failure = EtcdErrors.ofStatus(response.statusCode(), response.body());
                    loop.execute(() -> handler.failed(failure));
                    return;
                }
                R read = JsonFields.document(response.body(), request::read);
                loop.execute(() -> handler.received(read));
            } catch (IOException malformed) {
                EtcdFailure failure = malformed(request.path(), malformed);
                loop.execute(() -> handler.failed(failure));
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
        return EtcdFailure.of(Cause.MALFORMED, "malformed response to " + path + ": " + malformed.getMessage());
    }

    /** Classifies an exception of the HTTP client. */
    static EtcdFailure failure(Throwable thrown, boolean overTls) {
        Throwable why = thrown;
        while (why instanceof CompletionException && why.getCause() != null) {
            why = why.getCause();
        }
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof ResponseTooLongException) {
                return EtcdFailure.of(Cause.MALFORMED, describe(cause));
            }
            if (cause instanceof SSLException) {
                return EtcdFailure.of(Cause.UNTRUSTED, "TLS: " + describeTls(cause));
            }
            if (cause instanceof HttpConnectTimeoutException) {
                return new EtcdFailure(Cause.TIMEOUT, true, "no connection in time");
            }
            if (cause instanceof UnresolvedAddressException) {
                return new EtcdFailure(Cause.UNREACHABLE, true, "unknown host");
            }
            if (cause instanceof ConnectException) {
                return new EtcdFailure(
                        Cause.UNREACHABLE,
                        true,
                        "no connection" + (cause.getMessage() == null ? "" : ": " + describe(cause)));
            }
            if (cause instanceof HttpTimeoutException) {
                return EtcdFailure.of(Cause.TIMEOUT, describe(cause));
            }
        }
        String message = describe(why);
        if (message.startsWith(NO_RESPONSE)) {
            return EtcdFailure.of(
                    Cause.UNREACHABLE,
                    "the server closed the connection without a response"
                            + (overTls ? "; over TLS the server may have rejected the client's certificate" : ""));
        }
        if (why instanceof EOFException || message.startsWith(CUT_RESPONSE)) {
            return EtcdFailure.of(Cause.UNREACHABLE, "the connection ended in the middle of a response");
        }
        return EtcdFailure.of(why instanceof IOException ? Cause.UNREACHABLE : Cause.REFUSED, message);
    }

    /** Returns the message of a TLS failure. The JDK's message for an expired certificate, "validity check failed", is extended. */
    private static String describeTls(Throwable why) {
        for (Throwable cause = why; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "a certificate of the server has expired, " + describe(cause);
            }
        }
        return describe(why);
    }

    private static String describe(Throwable why) {
        return why.getMessage() == null ? why.getClass().getSimpleName() : why.getMessage();
    }

    /** Thrown if a response is longer than {@link #MAX_RESPONSE}. */
    private static final class ResponseTooLongException extends IOException {
        private static final long serialVersionUID = 1;

        ResponseTooLongException() {
            super("response of more than " + MAX_RESPONSE + " bytes");
        }
    }

    /** Collects the bytes of one response. */
    private static final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
        private final CompletableFuture<byte[]> all = new CompletableFuture<>();
        private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        private Flow.Subscription subscription = new NoSubscription();

        @Override
        public CompletionStage<byte[]> getBody() {
            return all;
        }

        @Override
        public void onSubscribe(Flow.Subscription started) {
            subscription = started;
            started.request(Long.MAX_VALUE);
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

    /** Reads the lines of a watch, or the body of an error response. */
    private final class WatchBody implements HttpResponse.BodySubscriber<Void> {
        private final WatchReader reader;
        private final boolean overTls;
        private final CompletableFuture<Void> opened = CompletableFuture.completedFuture(null);
        private final ByteArrayOutputStream line = new ByteArrayOutputStream();
        private volatile int status;
        private volatile boolean isDone;
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
        public void onSubscribe(Flow.Subscription started) {
            subscription = started;
            if (isDone) {
                started.cancel();
            } else {
                started.request(1);
            }
        }

        @Override
        public void onNext(List<ByteBuffer> buffers) {
            try {
                for (ByteBuffer buffer : buffers) {
                    while (buffer.hasRemaining() && !isDone) {
                        next(buffer);
                    }
                }
            } catch (IOException malformed) {
                end(
                        malformed instanceof ResponseTooLongException
                                ? EtcdFailure.of(Cause.MALFORMED, describe(malformed))
                                : malformed(WatchRequest.PATH, malformed));
                return;
            }
            // Requests more only after the loop has processed the previous lines.
            loop.execute(() -> {
                if (!isDone) {
                    subscription.request(1);
                }
            });
        }

        /** Reads up to the end of a line or of the buffer. */
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
                        if (!isDone) {
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
                if (!isDone) {
                    isDone = true;
                    reader.failed(failure);
                }
            });
        }

        void cancel() {
            isDone = true;
            subscription.cancel();
        }
    }

    private static WatchMessage message(JsonParser json) throws IOException {
        return WatchMessage.read(json);
    }
}
