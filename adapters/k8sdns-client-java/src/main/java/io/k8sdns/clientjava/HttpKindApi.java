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
import javax.net.ssl.SSLException;
import okhttp3.MediaType;
import okhttp3.Request;
import okhttp3.Response;
import okio.BufferedSource;
import org.jspecify.annotations.Nullable;

/** The requests for one kind over HTTP: with the client's address, credentials and TLS, and a decoding of our own. */
final class HttpKindApi implements KindApi {
    /** So many objects a page. */
    private static final int PAGE = 500;

    /** etcd takes no object of more than 1.5 MB; one that is ten times as large can still be read. */
    private static final long LONGEST_EVENT = 16 << 20;

    /** Of an answer that is an error so much is read. */
    private static final long LONGEST_ERROR = 1 << 16;

    private static final String[] CREDENTIALS = {"BearerToken"};

    private final Connection connection;
    private final String path;
    private final List<Pair> selectors;
    private final ApiReader reader;
    private final Executor readers;
    private final Loop loop;

    /**
     * Prepares the requests.
     *
     * @param connection makes the calls, and waits for ever: others look whether there is life
     * @param path where the objects are
     * @param selectors which of them are wanted, as parameters of the request
     * @param readers runs what blocks
     * @param loop takes what is told
     */
    HttpKindApi(
            Connection connection, String path, List<Pair> selectors, ApiReader reader, Executor readers, Loop loop) {
        this.connection = connection;
        this.path = path;
        this.selectors = List.copyOf(selectors);
        this.reader = reader;
        this.readers = readers;
        this.loop = loop;
    }

    @Override
    public Call list(Optional<String> continuation, ListReader told) {
        List<Pair> query = new ArrayList<>(selectors);
        query.add(new Pair("limit", Integer.toString(PAGE)));
        continuation.ifPresent(token -> query.add(new Pair("continue", token)));
        return begin(query, told::failed, (response, tell) -> {
            ApiReader.Page page =
                    reader.list(response.body().charStream(), item -> tell.execute(() -> told.object(item)));
            tell.execute(() -> told.end(page.version(), page.continuation()));
        });
    }

    @Override
    public Call probe(VersionReader told) {
        // One object, any: to look for one with certain labels, servers may have to look at all. By name a right is
        // given.
        List<Pair> query = new ArrayList<>(selectors);
        query.removeIf(selector -> !selector.getValue().startsWith("metadata.name="));
        query.add(new Pair("limit", "1"));
        return begin(query, told::failed, (response, tell) -> {
            ApiReader.Page page = reader.list(response.body().charStream(), any -> {});
            tell.execute(() -> told.version(page.version()));
        });
    }

    @Override
    public Call watch(String version, Duration timeout, WatchReader told) {
        List<Pair> query = new ArrayList<>(selectors);
        query.add(new Pair("watch", "true"));
        query.add(new Pair("resourceVersion", version));
        query.add(new Pair("allowWatchBookmarks", "true"));
        query.add(new Pair("timeoutSeconds", Long.toString(timeout.toSeconds())));
        return begin(query, told::failed, (response, tell) -> {
            tell.execute(told::opened);
            BufferedSource lines = response.body().source();
            while (!lines.exhausted()) {
                String line = line(lines);
                if (!line.isEmpty() && !tell(reader.event(line), told, tell)) {
                    return;
                }
            }
            tell.execute(told::ended);
        });
    }

    /**
     * Returns the next line.
     *
     * @throws EndlessException if it is longer than an event can be
     * @throws EOFException if the answer ends in it
     */
    private static String line(BufferedSource lines) throws IOException {
        if (lines.indexOf((byte) '\n', 0, LONGEST_EVENT) < 0 && lines.request(LONGEST_EVENT)) {
            throw new EndlessException("an event of more than " + LONGEST_EVENT + " bytes");
        }
        return lines.readUtf8LineStrict(LONGEST_EVENT);
    }

    /** An event that is longer than anything is. */
    private static final class EndlessException extends IOException {
        private static final long serialVersionUID = 1;

        EndlessException(String message) {
            super(message);
        }
    }

    /** Returns whether more may follow. */
    private static boolean tell(ApiReader.Event event, WatchReader told, Executor tell) {
        switch (event.type()) {
            case "ADDED", "MODIFIED" -> event.item().ifPresent(item -> tell.execute(() -> told.put(item)));
            case "DELETED" -> event.item().ifPresent(item -> tell.execute(() -> told.deleted(item)));
            case "BOOKMARK" -> tell.execute(() -> told.bookmark(event.version()));
            case "ERROR" -> {
                ApiFailure failure = failure(0, event.status(), Optional.empty());
                tell.execute(() -> told.failed(failure));
                return false;
            }
            default -> {
                ApiFailure failure = ApiFailure.of(Cause.BROKEN, "an event of an unknown type");
                tell.execute(() -> told.failed(failure));
                return false;
            }
        }
        return true;
    }

    // ---- a call ----

    /** Reads an answer, and tells what is in it. */
    private interface Reading {
        void read(Response response, Executor tell) throws IOException;
    }

    /** Takes why there was none. */
    private interface Failing {
        void failed(ApiFailure failure);
    }

    private Call begin(List<Pair> query, Failing failing, Reading reading) {
        Running running = new Running();
        readers.execute(() -> running.run(query, failing, reading));
        return running;
    }

    /** Credentials may come from a program or a file, which takes its time and can fail. */
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

    /** A call under way; its thread is told of the end by the connection that is closed under it. */
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

        private void tell(Runnable what) {
            try {
                loop.executeInTurn(() -> {
                    if (!cancelled) {
                        what.run();
                    }
                });
            } catch (InterruptedException over) {
                // Nobody takes anything any more; the next read ends the thread.
                Thread.currentThread().interrupt();
                cancel();
            }
        }

        void run(List<Pair> query, Failing failing, Reading reading) {
            Connection.Client client;
            try {
                client = connection.client();
            } catch (IOException | RuntimeException none) {
                failed(failing, Cause.UNAUTHORIZED, none);
                return;
            }
            try {
                okhttp3.Call made = client.http().newCall(request(client.api(), query));
                call = made;
                if (!cancelled) {
                    answer(client, made, failing, reading);
                }
            } catch (InvalidApiResponseException | EndlessException broken) {
                failed(failing, Cause.BROKEN, broken);
            } catch (SSLException broken) {
                if (isLost(broken)) {
                    failed(failing, Cause.UNREACHABLE, broken);
                } else {
                    // Certificates change, on either side.
                    connection.refused(client);
                    failed(failing, Cause.UNTRUSTED, broken);
                }
            } catch (IOException | UncheckedIOException lost) {
                failed(failing, Cause.UNREACHABLE, lost);
            } catch (ApiException | RuntimeException unexpected) {
                failed(failing, Cause.REFUSED, unexpected);
            }
        }

        private void answer(Connection.Client client, okhttp3.Call made, Failing failing, Reading reading)
                throws IOException {
            try (Response response = made.execute()) {
                MediaType type = response.body().contentType();
                if (response.isSuccessful() && type != null && !type.subtype().equals("json")) {
                    ApiFailure failure = ApiFailure.of(Cause.BROKEN, "answered in " + type + ", not in JSON");
                    tell(() -> failing.failed(failure));
                } else if (response.isSuccessful()) {
                    reading.read(response, this::tell);
                } else {
                    ApiFailure failure = failure(
                            response.code(),
                            ApiReader.status(response.peekBody(LONGEST_ERROR).string()),
                            Optional.ofNullable(response.header("Retry-After")));
                    if (failure.cause() == Cause.UNAUTHORIZED) {
                        connection.refused(client);
                    }
                    tell(() -> failing.failed(failure));
                }
            }
        }

        private void failed(Failing failing, Cause cause, Exception why) {
            tell(() -> failing.failed(ApiFailure.of(cause, ApiFailure.words(why))));
        }
    }

    /** A connection that ends while the two sides get to know each other says nothing about who is there. */
    private static boolean isLost(SSLException broken) {
        return broken.getCause() instanceof EOFException || broken.getCause() instanceof SocketException;
    }

    private static ApiFailure failure(int code, Optional<ApiReader.Status> status, Optional<String> retryAfter) {
        int known = code == 0 ? status.map(ApiReader.Status::code).orElse(0) : code;
        String reason = status.map(ApiReader.Status::reason).orElse("");
        Cause cause = switch (known) {
            case 401 -> Cause.UNAUTHORIZED;
            case 403 -> Cause.FORBIDDEN;
            case 404 -> Cause.UNKNOWN_KIND;
            case 410 -> Cause.GONE;
            case 429, 503 -> Cause.OVERLOADED;
            default -> reason.equals("Expired") || reason.equals("Gone") ? Cause.GONE : Cause.REFUSED;
        };
        Optional<Duration> patience = retryAfter
                .filter(text -> text.matches("[0-9]{1,9}"))
                .map(Long::parseLong)
                .or(() -> status.map(one -> (long) one.retryAfterSeconds()))
                .filter(seconds -> seconds > 0)
                .map(Duration::ofSeconds);
        String text = status.map(ApiReader.Status::message)
                .filter(one -> !one.isEmpty())
                .orElse("");
        return new ApiFailure(cause, patience, (known == 0 ? "" : known + " ") + text);
    }
}
