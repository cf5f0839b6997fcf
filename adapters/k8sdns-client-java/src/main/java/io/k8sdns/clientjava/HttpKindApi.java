package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.json.ApiReader;
import io.k8sdns.json.InvalidApiResponseException;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.Pair;
import java.io.EOFException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.SocketException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import javax.net.ssl.SSLException;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/**
 * The requests for one kind over HTTP, with the address, credentials and TLS of the Kubernetes client. Responses are decoded by
 * {@link ApiReader}, not by the client's models.
 */
final class HttpKindApi implements KindApi {
    /** The number of objects in a page. */
    private static final int PAGE = 500;

    /** The maximum size of an event in bytes: etcd stores objects of up to 1.5 MB. */
    private static final long LONGEST_EVENT = 16 << 20;

    /** The maximum number of bytes that are read from an error response. */
    private static final long LONGEST_ERROR = 1 << 16;

    private static final String[] CREDENTIALS = {"BearerToken"};

    private final Connection connection;
    private final String path;
    private final List<Pair> selectors;
    private final ApiReader decoder;
    private final Executor blockingCalls;
    private final Loop loop;
    private final Runnable connected;

    /**
     * Prepares the requests.
     *
     * @param connection makes the calls, without a read timeout: {@link PendingRequest} has the watchdog
     * @param path the path of the objects
     * @param selectors parameters of the request that select objects
     * @param decoder decodes the responses
     * @param blockingCalls runs the calls, one thread for each
     * @param loop runs the calls of the receivers passed to {@link #list}, {@link #watch} and {@link #probe}
     * @param connected run by the loop before each request, when there is a client with credentials
     */
    HttpKindApi(
            Connection connection,
            String path,
            List<Pair> selectors,
            ApiReader decoder,
            Executor blockingCalls,
            Loop loop,
            Runnable connected) {
        this.connection = connection;
        this.path = path;
        this.selectors = List.copyOf(selectors);
        this.decoder = decoder;
        this.blockingCalls = blockingCalls;
        this.loop = loop;
        this.connected = connected;
    }

    @Override
    public Call list(Optional<String> continuation, ListReceiver receiver) {
        List<Pair> query = new ArrayList<>(selectors);
        query.add(new Pair("limit", Integer.toString(PAGE)));
        continuation.ifPresent(token -> query.add(new Pair("continue", token)));
        return begin(query, receiver::failed, (response, deliver) -> {
            ApiReader.Page page =
                    decoder.list(response.body().charStream(), item -> deliver.execute(() -> receiver.object(item)));
            deliver.execute(() -> receiver.end(page.version(), page.continuation()));
        });
    }

    @Override
    public Call probe(VersionReceiver receiver) {
        // Without label selectors, for which a server may have to read all objects. A selector by name stays, since a
        // role may permit that name only.
        List<Pair> query = new ArrayList<>(selectors);
        query.removeIf(selector -> !selector.getValue().startsWith("metadata.name="));
        query.add(new Pair("limit", "1"));
        return begin(query, receiver::failed, (response, deliver) -> {
            ApiReader.Page page = decoder.list(response.body().charStream(), any -> {});
            deliver.execute(() -> receiver.version(page.version()));
        });
    }

    @Override
    public Call watch(String version, Duration timeout, WatchReceiver receiver) {
        List<Pair> query = new ArrayList<>(selectors);
        query.add(new Pair("watch", "true"));
        query.add(new Pair("resourceVersion", version));
        query.add(new Pair("allowWatchBookmarks", "true"));
        query.add(new Pair("timeoutSeconds", Long.toString(timeout.toSeconds())));
        return begin(query, receiver::failed, (response, deliver) -> {
            deliver.execute(receiver::opened);
            BufferedSource lines = response.body().source();
            while (!lines.exhausted()) {
                String line = line(lines);
                if (!line.isEmpty() && !deliver(decoder.event(line), receiver, deliver)) {
                    return;
                }
            }
            deliver.execute(receiver::ended);
        });
    }

    /**
     * Returns the next line.
     *
     * @throws EndlessException if the line is longer than an event can be
     * @throws EOFException if the response ends within the line
     */
    private static String line(BufferedSource lines) throws IOException {
        if (lines.indexOf((byte) '\n', 0, LONGEST_EVENT) < 0 && lines.request(LONGEST_EVENT)) {
            throw new EndlessException("an event of more than " + LONGEST_EVENT + " bytes");
        }
        return lines.readUtf8LineStrict(LONGEST_EVENT);
    }

    /** An event that is longer than any event can be. */
    private static final class EndlessException extends IOException {
        private static final long serialVersionUID = 1;

        EndlessException(String message) {
            super(message);
        }
    }

    /** Delivers an event; returns whether more may follow. */
    private static boolean deliver(ApiReader.Event event, WatchReceiver receiver, Executor deliver) {
        switch (event.type()) {
            case "ADDED", "MODIFIED" -> event.item().ifPresent(item -> deliver.execute(() -> receiver.put(item)));
            case "DELETED" -> event.item().ifPresent(item -> deliver.execute(() -> receiver.deleted(item)));
            case "BOOKMARK" -> deliver.execute(() -> receiver.bookmark(event.version()));
            case "ERROR" -> {
                ApiFailure failure = failure(0, event.status(), Optional.empty());
                deliver.execute(() -> receiver.failed(failure));
                return false;
            }
            default -> {
                ApiFailure failure = ApiFailure.of(Cause.BROKEN, "an event of an unknown type");
                deliver.execute(() -> receiver.failed(failure));
                return false;
            }
        }
        return true;
    }

    // ---- a call ----

    /** Reads the body of a successful response, and delivers its contents. */
    private interface BodyHandler {
        void handle(Response response, Executor deliver) throws IOException;
    }

    private Call begin(List<Pair> query, Consumer<ApiFailure> failed, BodyHandler body) {
        Running running = new Running();
        blockingCalls.execute(() -> running.run(query, failed, body));
        return running;
    }

    /** Builds a request. Credentials may come from a program or a file, so this may block and fail. */
    private Request request(ApiClient client, List<Pair> query) throws ApiException {
        Map<String, String> headers = new HashMap<>();
        headers.put("Accept", "application/json");
        return client.buildRequest(
                client.getBasePath(),
                path,
                "GET",
                query,
                List.of(),
                null,
                headers,
                new HashMap<>(),
                new HashMap<>(),
                CREDENTIALS,
                null);
    }

    /** A running call. Closing its connection ends its thread. */
    private final class Running implements Call {
        private volatile okhttp3.@Nullable Call call;
        private volatile boolean cancelled;

        @Override
        public void cancel() {
            cancelled = true;
            okhttp3.Call made = call;
            if (made != null) {
                made.cancel();
            }
        }

        private void deliver(Runnable task) {
            try {
                loop.executeInTurn(() -> {
                    if (!cancelled) {
                        task.run();
                    }
                });
            } catch (InterruptedException ended) {
                // The source is closed; the next read ends the thread.
                Thread.currentThread().interrupt();
                cancel();
            }
        }

        void run(List<Pair> query, Consumer<ApiFailure> failed, BodyHandler body) {
            Connection.Client client;
            Request request;
            try {
                client = connection.client();
                deliver(connected);
                request = request(client.api(), query);
            } catch (Connection.PendingException pending) {
                fail(failed, Cause.SILENT, pending);
                return;
            } catch (IOException | ApiException | RuntimeException none) {
                fail(failed, Cause.NO_CREDENTIALS, none);
                return;
            }
            try {
                okhttp3.Call made = client.http().newCall(request);
                call = made;
                if (!cancelled) {
                    execute(client, made, failed, body);
                }
            } catch (InvalidApiResponseException | EndlessException broken) {
                fail(failed, Cause.BROKEN, broken);
            } catch (SSLException broken) {
                if (isLost(broken)) {
                    fail(failed, Cause.UNREACHABLE, broken);
                } else {
                    // A certificate of either side may have been replaced, so the client is made again.
                    connection.discard(client);
                    fail(failed, Cause.UNTRUSTED, broken);
                }
            } catch (IOException | UncheckedIOException lost) {
                fail(failed, Cause.UNREACHABLE, lost);
            } catch (RuntimeException unexpected) {
                fail(failed, Cause.REFUSED, unexpected);
            }
        }

        private void execute(Connection.Client client, okhttp3.Call made, Consumer<ApiFailure> failed, BodyHandler body)
                throws IOException {
            try (Response response = made.execute()) {
                MediaType type = response.body().contentType();
                if (response.isSuccessful() && type != null && !type.subtype().equals("json")) {
                    ApiFailure failure = ApiFailure.of(Cause.BROKEN, "answered in " + type + ", not in JSON");
                    deliver(() -> failed.accept(failure));
                } else if (response.isSuccessful()) {
                    body.handle(response, this::deliver);
                } else {
                    ApiFailure failure = failure(
                            response.code(),
                            ApiReader.status(response.peekBody(LONGEST_ERROR).string()),
                            Optional.ofNullable(response.header("Retry-After")));
                    if (failure.cause() == Cause.UNAUTHORIZED) {
                        connection.discard(client);
                    }
                    deliver(() -> failed.accept(failure));
                }
            }
        }

        private void fail(Consumer<ApiFailure> failed, Cause cause, Exception why) {
            deliver(() -> failed.accept(ApiFailure.of(cause, ApiFailure.describe(why))));
        }
    }

    /** Returns whether the connection ended during the handshake, which does not mean that a certificate is wrong. */
    private static boolean isLost(SSLException broken) {
        return broken.getCause() instanceof EOFException || broken.getCause() instanceof SocketException;
    }

    private static ApiFailure failure(int code, Optional<ApiReader.Status> status, Optional<String> retryAfter) {
        int actual = code == 0 ? status.map(ApiReader.Status::code).orElse(0) : code;
        String reason = status.map(ApiReader.Status::reason).orElse("");
        Cause cause = switch (actual) {
            case 401 -> Cause.UNAUTHORIZED;
            case 403 -> Cause.FORBIDDEN;
            case 404 -> Cause.UNKNOWN_KIND;
            case 410 -> Cause.GONE;
            case 429, 503 -> Cause.OVERLOADED;
            default -> reason.equals("Expired") || reason.equals("Gone") ? Cause.GONE : Cause.REFUSED;
        };
        Optional<Duration> wait = retryAfter
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(Long::parseLong)
                .or(() -> status.map(one -> (long) one.retryAfterSeconds()))
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds);
        String text = status.map(ApiReader.Status::message)
                .filter(one -> !one.isEmpty())
                .orElse("");
        return new ApiFailure(cause, wait, (actual == 0 ? "" : actual + " ") + text);
    }
}
