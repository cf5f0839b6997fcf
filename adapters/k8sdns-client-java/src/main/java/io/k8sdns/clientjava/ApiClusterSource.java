package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.manifest.ApiReader;
import io.k8sdns.model.Diagnostic;
import io.kubernetes.client.openapi.ApiClient;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.random.RandomGenerator;
import java.util.stream.Stream;
import okhttp3.OkHttpClient;
import org.jspecify.annotations.Nullable;

/**
 * A live cluster: its objects are listed from the API server and watched from there on. Address, credentials and TLS are
 * those of the client that is handed in.
 *
 * <p>Needed are the verbs {@code list} and {@code watch} on namespaces, services and endpointslices, and on what else is
 * asked for. What cannot be had is asked for again, later each time, and no state is reached before: while one kind has
 * not been listed whole the source is {@link SyncState#SYNCING}. A connection that is lost leaves the last objects in
 * place ({@link SyncState#STALE}), and a list after it is told as a difference.
 *
 * <p>It starts a thread that everything is told on, and one for each request under way: a watch for each kind. All that
 * has come while the sink was at work is one batch.
 */
public final class ApiClusterSource implements ClusterSource {
    private static final Duration PATIENCE = Duration.ofSeconds(5);
    private static final Duration PING = Duration.ofSeconds(30);

    private final ApiClient client;
    private final Set<String> namespaces;
    private final Set<ApiKind> kinds;
    private final List<Followed> followed = new ArrayList<>();
    private final List<ClusterChange> changes = new ArrayList<>();
    private final RandomGenerator random = new SplittableRandom();
    private final Failures failures = new Failures();
    private SyncState state = SyncState.SYNCING;
    private @Nullable Loop loop;
    private @Nullable ExecutorService readers;
    private @Nullable Sink sink;
    private boolean over;

    private ApiClusterSource(Builder builder) {
        this.client = builder.client;
        this.namespaces = Set.copyOf(builder.namespaces);
        this.kinds = EnumSet.copyOf(builder.kinds);
    }

    /**
     * Returns a builder of a source.
     *
     * @param client which API server, and with which credentials; its timeouts for reading do not count
     */
    public static Builder builder(ApiClient client) {
        return new Builder(Objects.requireNonNull(client, "client"));
    }

    @Override
    public synchronized void start(Sink to) {
        if (over || loop != null) {
            throw new IllegalStateException("a source starts once, before it is closed");
        }
        sink = Objects.requireNonNull(to, "sink");
        Loop thread = new Loop("k8sdns-api", this::publish);
        ExecutorService blocking = Executors.newCachedThreadPool(task -> {
            Thread one = new Thread(task, "k8sdns-api-reader");
            one.setDaemon(true);
            return one;
        });
        // Whether an answer goes on is looked after elsewhere; a dead connection must not be given to the next request.
        OkHttpClient http = client.getHttpClient()
                .newBuilder()
                .readTimeout(Duration.ZERO)
                .pingInterval(PING)
                .build();
        for (ApiKind kind : kinds) {
            for (String path : paths(kind)) {
                followed.add(new Followed(kind, path, http, blocking, thread));
            }
        }
        loop = thread;
        readers = blocking;
        thread.execute(() -> followed.forEach(one -> one.listWatch.start()));
    }

    /** Namespaces are seen one by one where only some are served, so that no right to all of them is needed. */
    private List<String> paths(ApiKind kind) {
        if (namespaces.isEmpty() || !kind.isNamespaced()) {
            return List.of(kind.path());
        }
        return namespaces.stream().sorted().map(kind::path).toList();
    }

    /** Ends the delivery and the threads. */
    @Override
    public void close() {
        Loop thread;
        ExecutorService blocking;
        synchronized (this) {
            over = true;
            thread = loop;
            blocking = readers;
            loop = null;
        }
        if (thread == null || blocking == null) {
            return;
        }
        try {
            thread.end(
                    () -> {
                        changes.clear();
                        followed.forEach(one -> one.listWatch.close());
                    },
                    PATIENCE);
        } catch (InterruptedException hurried) {
            Thread.currentThread().interrupt();
        }
        blocking.shutdownNow();
    }

    // ---- on the loop's thread ----

    private Sink sink() {
        return Objects.requireNonNull(sink);
    }

    private void publish() {
        if (!changes.isEmpty()) {
            List<ClusterChange> batch = List.copyOf(changes);
            changes.clear();
            tell(() -> sink().changed(batch));
        }
    }

    /** A sink that throws has lost what it was told, which somebody should know. */
    private void tell(Runnable what) {
        try {
            what.run();
        } catch (RuntimeException broken) {
            failures.ofSink(broken);
        }
    }

    private void stateOfOneChanged() {
        SyncState now = common();
        if (now != state) {
            state = now;
            publish();
            failures.state(now);
            tell(() -> sink().state(now));
        }
    }

    /** The state of the worst: what is not known yet counts most. */
    private SyncState common() {
        List<SyncState> all = followed.stream().map(one -> one.state).toList();
        return Stream.of(SyncState.SYNCING, SyncState.STALE)
                .filter(all::contains)
                .findFirst()
                .orElse(SyncState.SYNCED);
    }

    /** The objects of one kind, of one namespace or all. */
    private final class Followed implements ListWatch.Listener {
        private final ApiKind kind;
        private final ListWatch listWatch;
        private SyncState state = SyncState.SYNCING;

        Followed(ApiKind kind, String path, OkHttpClient http, ExecutorService blocking, Loop thread) {
            this.kind = kind;
            ApiReader reader = new ApiReader(
                    kind.apiVersion(),
                    kind.kind(),
                    kind.isNamespaced(),
                    diagnostic -> thread.execute(() -> diagnosed(diagnostic)));
            this.listWatch = new ListWatch(
                    new HttpKindApi(client, http, path, List.of(), reader, blocking, thread), thread, random, this);
        }

        private void diagnosed(Diagnostic diagnostic) {
            tell(() -> sink().diagnosed(diagnostic));
        }

        @Override
        public void changed(ClusterChange change) {
            changes.add(change);
        }

        @Override
        public void state(SyncState now) {
            state = now;
            stateOfOneChanged();
        }

        @Override
        public void failed(ApiFailure failure) {
            failures.failed(kind, failure);
        }
    }

    /** Collects what a source needs. */
    public static final class Builder {
        private final ApiClient client;
        private final Set<String> namespaces = new TreeSet<>();
        private final Set<ApiKind> kinds = EnumSet.of(ApiKind.NAMESPACES, ApiKind.SERVICES, ApiKind.ENDPOINT_SLICES);

        private Builder(ApiClient client) {
            this.client = client;
        }

        /**
         * Follows the objects of these namespaces alone; of all unless set. Namespaces themselves are followed all the
         * same, since names below one exist only while it does.
         *
         * @param names their names; none means all
         */
        public Builder namespaces(Set<String> names) {
            namespaces.clear();
            namespaces.addAll(names);
            return this;
        }

        /** Follows Pods as well, for zones that answer for Pods that exist. */
        public Builder pods() {
            kinds.add(ApiKind.PODS);
            return this;
        }

        /** Follows Nodes as well. */
        public Builder nodes() {
            kinds.add(ApiKind.NODES);
            return this;
        }

        /** Returns the source, which does nothing until it is started. */
        public ApiClusterSource build() {
            return new ApiClusterSource(this);
        }
    }
}
