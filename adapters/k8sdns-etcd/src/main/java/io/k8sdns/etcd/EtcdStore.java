package io.k8sdns.etcd;

import io.k8sdns.arguments.Copies;
import io.k8sdns.etcd.EtcdTransport.Reply;
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
 * The store of federations in etcd 3.4 or later, over etcd's JSON gateway.
 *
 * <pre>{@code
 * EtcdStore store = EtcdStore.builder(List.of(URI.create("https://127.0.0.1:2379")))
 *         .tls(EtcdTls.withClientCertificate(ca, certificate, key))
 *         .start();
 * store.follow(listener);
 * }</pre>
 *
 * <p>Keys and values are those of the federation document, as they are. An etcd cluster that others use too is given a prefix;
 * without one every key that begins with a slash is followed.
 *
 * <p>While no member answers, listeners keep the last content, and {@link FederationStore.Listener#stale} is called: at once when the connection ends,
 * within 3 s and the timeout when nothing is heard any more. A member that answers again is noticed within 6 s. A member that is
 * cut off from a majority of the others does not count as answering.
 *
 * <p>A call is made to another member when one fails; {@link #compareAndSet} and {@link #compareAndRemove} only if the first one
 * certainly has not received them. Every call ends within the timeout.
 *
 * <p>One daemon thread, {@code k8sdns-etcd}, calls the listeners and completes the calls: what depends on them must return soon.
 * Connections have up to four more. Outages are logged to the {@link System.Logger} {@code io.k8sdns.etcd}, each once and the same
 * one at most once a minute.
 */
public final class EtcdStore implements FederationStore {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MIN_TIMEOUT = Duration.ofMillis(10);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);

    /** How long {@link #close} waits for a listener that does not return. */
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private final EtcdLog log = new EtcdLog(System.getLogger("io.k8sdns.etcd"));
    private final EtcdLoop loop = new EtcdLoop(log::broken);
    private final KeyRange range;
    private final HttpEtcd http;
    private final EtcdCaller caller;

    /** Those below are for the thread of the loop. */
    private final List<Listener> listeners = new ArrayList<>();

    /** What fails the calls under way. */
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
     * Returns a builder of a store without TLS, user and prefix, and with a timeout of 5 s.
     *
     * @param endpoints the members of the cluster, for example {@code https://10.0.0.1:2379}; at least one. The port is 2379 unless
     *     given
     * @throws IllegalArgumentException if there is none, or one is no URL of a member; the message names it
     */
    public static Builder builder(List<URI> endpoints) {
        return new Builder(Copies.list("endpoints", endpoints));
    }

    @Override
    public void follow(Listener listener) {
        Objects.requireNonNull(listener, "listener");
        if (closed || !loop.tryExecute(() -> begin(listener))) {
            throw new IllegalStateException("the store is closed");
        }
    }

    private void begin(Listener listener) {
        listeners.add(listener);
        EtcdFollower running = follower;
        if (running == null) {
            running = new EtcdFollower(
                    caller, loop, new SplittableRandom(new SecureRandom().nextLong()), range, new All());
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
            log.broken(failure);
        }
    }

    /** Hands everything on to all listeners. */
    private final class All implements EtcdFollower.Listener {
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
            log.answers();
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
     * @throws IllegalArgumentException if the key does not begin with a slash, or has no UTF-8 form
     */
    @Override
    public CompletionStage<Optional<Entry>> get(String key) {
        String inEtcd = checked(key);
        return call(
                EtcdRequest.Range.one(inEtcd),
                response -> response.pairs().stream()
                        .filter(pair -> pair.key().equals(inEtcd))
                        .map(pair -> new Entry(pair.value(), pair.modRevision()))
                        .findFirst());
    }

    /**
     * {@inheritDoc}
     *
     * <p>The message of a failure ends with "nothing was written" if that is certain.
     *
     * @throws IllegalArgumentException if the key does not begin with a slash, key or value has no UTF-8 form, or the version is
     *     negative
     */
    @Override
    public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
        String inEtcd = checked(key);
        byte[] unused = KeyRange.utf8(Objects.requireNonNull(value, "value"));
        if (version < 0) {
            throw new IllegalArgumentException("a version is not negative: " + version);
        }
        return call(new EtcdRequest.Swap(inEtcd, version, new EtcdRequest.Swap.Put(value)), written -> written);
    }

    /**
     * {@inheritDoc}
     *
     * <p>The message of a failure ends with "nothing was written" if that is certain.
     *
     * @throws IllegalArgumentException if the key does not begin with a slash, or has no UTF-8 form, or the version is not more than
     *     0
     */
    @Override
    public CompletionStage<Boolean> compareAndRemove(String key, long version) {
        String inEtcd = checked(key);
        if (version <= 0) {
            throw new IllegalArgumentException("the version of an entry is more than 0: " + version);
        }
        return call(new EtcdRequest.Swap(inEtcd, version, new EtcdRequest.Swap.Delete()), removed -> removed);
    }

    private String checked(String key) {
        if (!Objects.requireNonNull(key, "key").startsWith("/")) {
            throw new IllegalArgumentException("a key begins with a slash: \"" + key + "\"");
        }
        byte[] unused = KeyRange.utf8(key);
        return range.inEtcd(key);
    }

    /** Turns a response into a result. */
    private interface Result<R, T> {
        T of(R response);
    }

    private <R, T> CompletionStage<T> call(EtcdRequest<R> request, Result<R, T> result) {
        CompletableFuture<T> future = new CompletableFuture<>();
        Runnable abort = () -> future.completeExceptionally(closedStore());
        boolean begun = !closed
                && loop.tryExecute(() -> {
                    pending.add(abort);
                    caller.call(request, new Reply<R>() {
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
     * Ends all listeners, fails the calls under way, and ends the threads. Returns when that is done, but after at most 10 s if a
     * listener does not return; at once on the store's own thread. Closing again does nothing.
     *
     * <p>Before version 21 of the JDK a thread of its HTTP client ends a little later, when the client has been garbage-collected.
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
                PATIENCE);
        http.close();
    }

    /** Collects what a store needs. */
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

        private static URI member(URI given) {
            boolean isWeb = "http".equalsIgnoreCase(given.getScheme()) || "https".equalsIgnoreCase(given.getScheme());
            boolean hasPath = given.getRawPath() != null
                    && !given.getRawPath().isEmpty()
                    && !given.getRawPath().equals("/");
            if (!isWeb
                    || given.getHost() == null
                    || hasPath
                    || given.getRawQuery() != null
                    || given.getRawFragment() != null
                    || given.getRawUserInfo() != null) {
                throw new IllegalArgumentException("not an etcd member (http://HOST[:PORT] or https://HOST[:PORT]): \""
                        + (given.getRawUserInfo() == null ? given : "URL with a user name") + "\"");
            }
            int port = given.getPort() < 0 ? DEFAULT_PORT : given.getPort();
            return URI.create(given.getScheme() + "://" + given.getHost() + ":" + port);
        }

        /**
         * Sets what certificates are checked with and what the client shows, for members whose URL is https; the default of the JDK
         * unless set. {@link EtcdTls} makes one from PEM files.
         */
        public Builder tls(SSLContext value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** Sets user and password of etcd's own authentication. A token is obtained with them, and another one when it expires. */
        public Builder user(String name, String password) {
            user = new EtcdRequest.Authenticate(
                    Objects.requireNonNull(name, "name"), Objects.requireNonNull(password, "password"));
            return this;
        }

        /**
         * Sets what stands in front of all keys; nothing unless set.
         *
         * @param value begins with a slash and does not end with one, for example {@code /k8sdns}; may be empty
         * @throws IllegalArgumentException if it is not
         */
        public Builder prefix(String value) {
            Objects.requireNonNull(value, "prefix");
            if (!value.isEmpty() && (!value.startsWith("/") || value.endsWith("/"))) {
                throw new IllegalArgumentException(
                        "a prefix begins with a slash and does not end with one: \"" + value + "\"");
            }
            byte[] unused = KeyRange.utf8(value);
            prefix = value;
            return this;
        }

        /**
         * Sets the longest time of a call, with all its attempts; 5 s unless set.
         *
         * @param value 10 ms to 10 minutes
         * @throws IllegalArgumentException if it is less or more
         */
        public Builder timeout(Duration value) {
            Objects.requireNonNull(value, "timeout");
            if (value.compareTo(MIN_TIMEOUT) < 0 || value.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException("a timeout is 10 ms to 10 minutes: " + value);
            }
            timeout = value;
            return this;
        }

        /** Starts a store. Nothing is sent before it is used: a member that does not answer is no error here. */
        public EtcdStore start() {
            return new EtcdStore(this);
        }
    }
}
