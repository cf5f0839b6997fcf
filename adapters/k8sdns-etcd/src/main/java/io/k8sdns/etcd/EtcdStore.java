package io.k8sdns.etcd;

import io.k8sdns.arguments.Copies;
import io.k8sdns.etcd.EtcdTransport.ResponseHandler;
import io.k8sdns.federation.FederationStore;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A {@link FederationStore} in etcd 3.4 or later, over etcd's JSON gateway.
 *
 * <pre>{@code
 * EtcdStore store = EtcdStore.builder(List.of(URI.create("https://127.0.0.1:2379")))
 *         .tls(EtcdTls.withClientCertificate(ca, certificate, key))
 *         .start();
 * store.watch(listener);
 * }</pre>
 *
 * <p>Keys and values have the format of {@code docs/federation.md}. Use a {@linkplain Builder#prefix prefix} if the etcd cluster is
 * shared: without one, every key that begins with a slash is followed.
 *
 * <p>While no member answers, the last content stays, and {@link FederationStore.Listener#stale} is called: immediately if the
 * connection ends, otherwise within 3 s plus the timeout. A member that answers again is used within 6 s. A member without a connection
 * to the majority counts as not answering.
 *
 * <p>A failed call is repeated at another member; {@link #compareAndSet} and {@link #compareAndRemove} only if the first member
 * certainly has not received them. Every call ends within the timeout.
 *
 * <p>One daemon thread, {@code k8sdns-etcd}, calls the listeners and completes the calls, so that listeners and dependent stages must
 * be fast. Up to four more threads handle connections. Outages are logged to the {@link System.Logger} {@code io.k8sdns.etcd}, each
 * failure once and then at most once a minute.
 */
public final class EtcdStore implements FederationStore {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);

    /** The longest time that {@link #close} waits for a listener. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(10);

    private final EtcdLog log = new EtcdLog(System.getLogger("io.k8sdns.etcd"));
    private final EtcdLoop loop = new EtcdLoop(log::unexpected);
    private final KeyRange range;
    private final HttpEtcd http;
    private final EtcdCaller caller;

    /** This field and the following two are used only on the thread of the loop. */
    private final List<Listener> listeners = new ArrayList<>();

    /** Tasks that fail the calls in flight. */
    private final Set<Runnable> pending = new HashSet<>();

    private @Nullable EtcdFollower follower;

    private volatile boolean closed;

    private EtcdStore(Builder builder) {
        this.range = new KeyRange(builder.prefix);
        List<URI> endpoints = builder.endpoints;
        Duration connectTimeout = builder.timeout.dividedBy(endpoints.size());
        this.http = new HttpEtcd(endpoints, Optional.ofNullable(builder.tls), connectTimeout, loop);
        this.caller = new EtcdCaller(
                http,
                loop,
                endpoints.stream().map(endpoint -> "etcd at " + endpoint).toList(),
                Optional.ofNullable(builder.user),
                builder.timeout);
    }

    /**
     * Returns a builder of a store; by default without TLS, user and prefix, and with a timeout of 5 s.
     *
     * @param endpoints the members of the cluster, for example {@code https://10.0.0.1:2379}; at least one. The default port is 2379
     * @throws IllegalArgumentException if there is no endpoint, or one is not a valid URL; the message names it
     */
    public static Builder builder(List<URI> endpoints) {
        return new Builder(Copies.list("endpoints", endpoints));
    }

    @Override
    public void watch(Listener listener) {
        Objects.requireNonNull(listener, "listener");
        if (closed || !loop.tryExecute(() -> addListener(listener))) {
            throw new IllegalStateException("the store is closed");
        }
    }

    private void addListener(Listener listener) {
        listeners.add(listener);
        EtcdFollower running = follower;
        if (running == null) {
            running = new EtcdFollower(
                    caller, loop, new SplittableRandom(new SecureRandom().nextLong()), range, new Broadcast());
            follower = running;
            running.start();
        } else if (running.content().isPresent()) {
            boolean isUpToDate = running.isUpToDate();
            Map<String, Entry> content = running.content().get();
            call(listener, one -> one.content(content));
            call(listener, isUpToDate ? Listener::upToDate : Listener::stale);
        }
    }

    private void call(Listener listener, Consumer<Listener> event) {
        try {
            event.accept(listener);
        } catch (RuntimeException | Error failure) {
            log.unexpected(failure);
        }
    }

    /** Forwards all events to all listeners. */
    private final class Broadcast implements EtcdFollower.Listener {
        private void toEach(Consumer<Listener> event) {
            List.copyOf(listeners).forEach(listener -> call(listener, event));
        }

        @Override
        public void content(Map<String, Entry> entries) {
            toEach(listener -> listener.content(Map.copyOf(entries)));
        }

        @Override
        public void changed(Map<String, Optional<Entry>> changes) {
            toEach(listener -> listener.changed(Map.copyOf(changes)));
        }

        @Override
        public void stale() {
            toEach(Listener::stale);
        }

        @Override
        public void upToDate() {
            log.upToDate();
            toEach(Listener::upToDate);
        }

        @Override
        public void failed(EtcdFailure failure) {
            log.failed(failure, loop.nanoTime());
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the key does not begin with a slash, or is not valid Unicode
     */
    @Override
    public CompletionStage<Optional<Entry>> get(String key) {
        String etcdKey = checkedKey(key);
        return call(
                EtcdRequest.Range.one(etcdKey),
                response -> response.pairs().stream()
                        .filter(pair -> pair.key().equals(etcdKey))
                        .map(pair -> new Entry(pair.value(), pair.modRevision()))
                        .findFirst());
    }

    /**
     * {@inheritDoc}
     *
     * <p>The message of a failure ends with "nothing was written" if that is certain.
     *
     * @throws IllegalArgumentException if the key does not begin with a slash, key or value is not valid Unicode, or the version is
     *     negative
     */
    @Override
    public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
        String etcdKey = checkedKey(key);
        byte[] unused = KeyRange.utf8(Objects.requireNonNull(value, "value"));
        if (version < 0) {
            throw new IllegalArgumentException("the version must not be negative: " + version);
        }
        return call(new EtcdRequest.Swap(etcdKey, version, new EtcdRequest.Swap.Put(value)), written -> written);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The message of a failure ends with "nothing was written" if that is certain.
     *
     * @throws IllegalArgumentException if the key does not begin with a slash or is not valid Unicode, or the version is less than 1
     */
    @Override
    public CompletionStage<Boolean> compareAndRemove(String key, long version) {
        String etcdKey = checkedKey(key);
        if (version <= 0) {
            throw new IllegalArgumentException("the version must be at least 1: " + version);
        }
        return call(new EtcdRequest.Swap(etcdKey, version, new EtcdRequest.Swap.Delete()), removed -> removed);
    }

    private String checkedKey(String key) {
        if (!Objects.requireNonNull(key, "key").startsWith("/")) {
            throw new IllegalArgumentException("the key must begin with a slash: \"" + key + "\"");
        }
        byte[] unused = KeyRange.utf8(key);
        return range.toEtcdKey(key);
    }

    /** Converts a response to a result. */
    private interface Result<R, T> {
        T of(R response);
    }

    private <R, T> CompletionStage<T> call(EtcdRequest<R> request, Result<R, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Runnable abort = () -> future.completeExceptionally(closedStore());
        boolean begun = !closed
                && loop.tryExecute(() -> {
                    pending.add(abort);
                    caller.call(request, new ResponseHandler<R>() {
                        @Override
                        public void received(R response) {
                            pending.remove(abort);
                            future.complete(result.of(response));
                        }

                        @Override
                        public void failed(EtcdFailure failure) {
                            pending.remove(abort);
                            boolean nothing = failure.unsent() && !request.isRepeatable();
                            future.completeExceptionally(
                                    nothing
                                            ? new IOException(failure.text() + "; nothing was written")
                                            : failure.exception());
                        }
                    });
                });
        if (!begun) {
            abort.run();
        }
        return future.minimalCompletionStage();
    }

    private static IOException closedStore() {
        return new IOException("the store is closed");
    }

    /**
     * Removes all listeners, fails the calls in flight, and ends the threads. Waits for the end of the threads, at most 10 s for a
     * listener; does not wait if called on the store's thread. Closing again does nothing.
     *
     * <p>Before JDK 21 a thread of the JDK's HTTP client ends only after the client was garbage-collected.
     */
    @Override
    public void close() {
        closed = true;
        loop.end(
                () -> {
                    if (follower != null) {
                        follower.close();
                    }
                    listeners.clear();
                    List.copyOf(pending).forEach(Runnable::run);
                    pending.clear();
                    caller.close();
                },
                CLOSE_TIMEOUT);
        http.close();
    }

    /** Collects the settings of a store. */
    public static final class Builder {
        private static final int DEFAULT_PORT = 2379;

        private final List<URI> endpoints;
        private String prefix = "";
        private Duration timeout = DEFAULT_TIMEOUT;
        private @Nullable SSLContext tls;
        private EtcdRequest.@Nullable Authenticate user;

        private Builder(List<URI> endpoints) {
            if (endpoints.isEmpty()) {
                throw new IllegalArgumentException("no endpoint");
            }
            this.endpoints = endpoints.stream().map(Builder::member).toList();
        }

        private static URI member(URI endpoint) {
            boolean isWeb =
                    "http".equalsIgnoreCase(endpoint.getScheme()) || "https".equalsIgnoreCase(endpoint.getScheme());
            boolean hasPath = endpoint.getRawPath() != null
                    && !endpoint.getRawPath().isEmpty()
                    && !endpoint.getRawPath().equals("/");
            if (!isWeb
                    || endpoint.getHost() == null
                    || hasPath
                    || endpoint.getRawQuery() != null
                    || endpoint.getRawFragment() != null
                    || endpoint.getRawUserInfo() != null) {
                throw new IllegalArgumentException("not an etcd member (http://HOST[:PORT] or https://HOST[:PORT]): \""
                        + (endpoint.getRawUserInfo() == null ? endpoint : "URL with a user name") + "\"");
            }
            int port = endpoint.getPort() < 0 ? DEFAULT_PORT : endpoint.getPort();
            return URI.create(endpoint.getScheme() + "://" + endpoint.getHost() + ":" + port);
        }

        /**
         * Sets the TLS context for members with an https URL, which checks certificates and provides the client certificate; the JDK's
         * default context by default. {@link EtcdTls} creates one from PEM files.
         */
        public Builder tls(SSLContext value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** Sets user and password of etcd's authentication. The store uses them to obtain a token, and a new one when it expires. */
        public Builder user(String name, String password) {
            user = new EtcdRequest.Authenticate(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(password, "password"));
            return this;
        }

        /**
         * Sets the prefix of all keys; empty by default.
         *
         * @param value empty, or a text that begins with a slash and does not end with one, for example {@code /k8sdns}
         * @throws IllegalArgumentException if it has another form
         */
        public Builder prefix(String value) {
            Objects.requireNonNull(value, "prefix");
            if (!value.isEmpty() && (!value.startsWith("/") || value.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "the prefix must begin with a slash and must not end with one: \"" + value + "\"");
            }
            byte[] unused = KeyRange.utf8(value);
            prefix = value;
            return this;
        }

        /**
         * Sets the longest duration of a call with all its attempts; 5 s by default.
         *
         * @param value 10 ms to 10 minutes
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder timeout(Duration value) {
            Objects.requireNonNull(value, "timeout");
            if (value.compareTo(MIN_TIMEOUT) < 0 || value.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException("the timeout must be 10 ms to 10 minutes: " + value);
            }
            timeout = value;
            return this;
        }

        /** Starts a store. Sends no request before the store is used, so that an unreachable member is not an error here. */
        public EtcdStore start() {
            return new EtcdStore(this);
        }
    }
}
