package io.k8sdns.clientjava;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Selector;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.Pair;
import java.io.IOException;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A live cluster: lists the objects of an API server and watches their changes. Address, credentials and TLS are those of the
 * client that is passed in.
 *
 * <p>The credentials need the verbs {@code list} and {@code watch} on namespaces, services and endpointslices, and on the other
 * requested kinds. Failed requests are repeated after at most 6 s. The wait is at most 32 s in three cases: a list whose watch
 * fails again and again, a list because the server has forgotten or reset its versions, and a kind that the source continues
 * without. A server may request a longer wait (Retry-After), which is obeyed for at most 5 minutes; any other wait ends when a file
 * of the credentials ({@link ApiConnector#files}) changes. Until every kind has been listed completely, the source is {@link
 * SyncState#SYNCING}. If the connection is lost, the last objects are kept ({@link SyncState#STALE}); the next list is delivered as
 * the difference to them.
 *
 * <p>It starts one thread that delivers everything, and one thread for each running request. There is a watch for each kind, or for
 * each kind and namespace if only some namespaces are followed. All changes that arrive while the sink is busy are delivered as one
 * batch. Problems are logged by the {@link System.Logger} {@code io.k8sdns.clientjava}.
 */
public final class ApiClusterSource implements ClusterSource {
    /** The longest time that fits into a {@code long} of nanoseconds. */
    private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    /** Selects the Pods that have a name. */
    private static final String PODS_WITH_A_NAME = Stream.of(PodPhase.values())
            .filter(phase -> !RecordRules.hasPodName(phase))
            .map(phase -> "status.phase!=" + phase)
            .collect(Collectors.joining(","));

    /** The time between two checks of the credential files while requests fail. */
    static final Duration BETWEEN_FILE_CHECKS = Duration.ofMillis(500);

    /** The maximum number of changes in one batch, so that a complete list is not in memory twice. */
    private static final int MAX_CHANGES = 1_000;

    private static final String CLOSED = "the source was closed before it was synced";

    private final Connection connection;
    private final Set<String> namespaces;
    private final Set<ApiKind> kinds;
    private final Selector namespaceLabels;
    private final Selector labels;
    private final ClusterObserver observer;
    private final Function<Loop, Timers> timers;
    private final ProgrammingLatency latency;
    private final Optional<Duration> responseWithin;
    private final boolean isSnapshot;
    private final List<FollowedKind> followed = new ArrayList<>();
    private final List<ClusterChange> changes = new ArrayList<>();
    private final RandomGenerator random = new SplittableRandom();
    private final Failures failures;

    /** Completed when the source has synced for the first time, or exceptionally when it is closed before. */
    private final CompletableFuture<Void> synced = new CompletableFuture<>();

    /** Completed exceptionally when the objects are not to be expected any more; then replaced at the next response. */
    private volatile CompletableFuture<Void> unanswered = new CompletableFuture<>();

    private volatile @Nullable IOException lastProblem;
    private SyncState state = SyncState.SYNCING;
    private boolean checksFiles;
    private boolean hasResponded;
    private @Nullable Loop loop;
    private @Nullable ExecutorService blockingCalls;
    private @Nullable Sink sink;
    private boolean closed;

    private ApiClusterSource(Builder builder, boolean isSnapshot) {
        this.failures = new Failures(System::nanoTime, isSnapshot);
        this.connection = new Connection(builder.connector, ListWatch.RESPONSE_SILENCE.dividedBy(2), System::nanoTime);
        this.namespaces = Set.copyOf(builder.namespaces);
        this.kinds = EnumSet.copyOf(builder.kinds);
        this.namespaceLabels = builder.namespaceLabels;
        this.labels = builder.labels;
        this.observer = GuardedObserver.of(builder.observer, failures::ofObserver);
        this.timers = builder.timers;
        this.responseWithin = builder.responseWithin;
        this.isSnapshot = isSnapshot;
        this.latency = new ProgrammingLatency(observer, InstantSource.system(), System::nanoTime);
    }

    /**
     * Fills a zone with the objects of a cluster from now on, Pods included if the zone's settings need them. Until every kind
     * has been listed, the zone's names are SERVFAIL.
     *
     * <pre>{@code
     * try (ApiClusterSource source = ApiClusterSource.follow(client, zone)) {
     *     source.awaitSynced(Duration.ofSeconds(30));
     * }
     * }</pre>
     *
     * @param client the API server's address and the credentials; its read timeouts are ignored
     * @param zone the zone; only the source may change it while the source is open
     * @return the source, which has started; closing it leaves the zone as it is
     */
    public static ApiClusterSource follow(ApiClient client, ClusterZone zone) {
        Objects.requireNonNull(client, "client");
        return follow(() -> client, zone);
    }

    /**
     * Fills a zone with the objects of a cluster, as {@link #follow(ApiClient, ClusterZone)} does.
     *
     * @param connector finds the API server and the credentials: {@link KubeconfigConnector}, {@link InClusterConnector} or the
     *     host's own; called again when the credentials are refused
     * @param zone the zone; only the source may change it while the source is open
     * @return the source, which has started; closing it leaves the zone as it is
     */
    public static ApiClusterSource follow(ApiConnector connector, ClusterZone zone) {
        Builder builder = builder(connector);
        ZoneSettings settings = Objects.requireNonNull(zone, "zone").current().settings();
        if (settings.pods() == PodsMode.VERIFIED) {
            builder.pods();
        }
        if (!settings.endpoints()) {
            builder.noEndpoints();
        }
        ApiClusterSource source = builder.build();
        source.start(ZoneFeed.builder(zone, InstantSource.system())
                .listenerFailures(source.failures::ofObserver)
                .build());
        return source;
    }

    /**
     * Lists the namespaces, Services and EndpointSlices of a cluster once. For other kinds, or for some namespaces or labels
     * only, use {@link Builder#snapshot}.
     *
     * <pre>{@code
     * ClusterDns dns = ClusterDns.of(ApiClusterSource.snapshot(Config.defaultClient(), Duration.ofSeconds(30)));
     * }</pre>
     *
     * <p>{@code Config} is in {@code io.kubernetes:client-java}, which the host adds.
     *
     * @param client the API server's address and the credentials; its read timeouts are not used
     * @param timeout how long to wait at most; requests that fail are repeated until then
     * @throws TimeoutException if not all objects were received in time; its cause is the last failure, if a request failed
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public static ClusterSnapshot snapshot(ApiClient client, Duration timeout)
            throws InterruptedException, TimeoutException {
        return builder(client).snapshot(timeout);
    }

    /**
     * Returns a builder of a source.
     *
     * @param client the API server's address and the credentials; its read timeouts are ignored
     */
    public static Builder builder(ApiClient client) {
        Objects.requireNonNull(client, "client");
        return builder(() -> client);
    }

    /**
     * Returns a builder of a source.
     *
     * @param connector finds the API server and the credentials; called again when they are refused, and when its files change
     *     while requests fail
     */
    public static Builder builder(ApiConnector connector) {
        return new Builder(Objects.requireNonNull(connector, "connector"));
    }

    @Override
    public synchronized void start(Sink to) {
        if (closed || loop != null) {
            throw new IllegalStateException("the source was started or closed before; build a new one");
        }
        sink = Objects.requireNonNull(to, "sink");
        Loop thread = new Loop("k8sdns-api", this::publish);
        Timers time = timers.apply(thread);
        ExecutorService blocking = Executors.newCachedThreadPool(task -> {
            Thread one = new Thread(task, "k8sdns-api-reader");
            one.setDaemon(true);
            return one;
        });
        for (ApiKind kind : kinds) {
            for (Request request : requests(kind)) {
                followed.add(new FollowedKind(kind, request, blocking, thread, time));
            }
        }
        loop = thread;
        blockingCalls = blocking;
        FileStamps files = connection.checkFiles();
        thread.execute(() -> {
            followed.forEach(one -> one.credentials = files);
            kinds.forEach(kind -> observer.state(kind.kind(), SyncState.SYNCING));
            followed.forEach(one -> one.listWatch.start());
        });
    }

    /**
     * Waits until all objects have been delivered to the sink for the first time.
     *
     * @param timeout how long to wait at most
     * @return this
     * @throws NoResponseException if no API server has responded in the time of {@link Builder#responseWithin}; the source continues
     * @throws InvalidCredentialsException if it has accepted no credentials in this time; the source continues
     * @throws MissingPermissionException if it has permitted to list not all needed kinds in this time; the source continues
     * @throws TimeoutException if they were not delivered in time; its cause is the last failure, if a request failed; the source continues
     * @throws IllegalStateException if the source is closed before, or was not started
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public ApiClusterSource awaitSynced(Duration timeout) throws InterruptedException, TimeoutException {
        Objects.requireNonNull(timeout, "timeout");
        synchronized (this) {
            if (loop == null && !closed) {
                throw new IllegalStateException("the source was not started");
            }
        }
        try {
            CompletableFuture.anyOf(synced, unanswered)
                    .get(
                            timeout.compareTo(LONGEST_WAIT) > 0 ? Long.MAX_VALUE : timeout.toNanos(),
                            TimeUnit.NANOSECONDS);
            return this;
        } catch (TimeoutException late) {
            IOException problem = lastProblem;
            TimeoutException notSynced = new TimeoutException(
                    "not synced within " + timeout + (problem == null ? "" : ": " + problem.getMessage()));
            notSynced.initCause(problem);
            throw notSynced;
        } catch (ExecutionException ended) {
            if (ended.getCause() instanceof TimeoutException absent) {
                throw absent;
            }
            throw new IllegalStateException(CLOSED, ended);
        }
    }

    /** The path of some objects, and the parameters that select them. */
    private record Request(String path, List<Pair> selectors, Optional<String> namespace) {
        static Request all(ApiKind kind, List<Pair> selectors) {
            return new Request(kind.path(), selectors, Optional.empty());
        }
    }

    /** Returns the requests for a kind: one for each namespace if only some are served, so that no cluster-wide role is needed. */
    private List<Request> requests(ApiKind kind) {
        List<Pair> wanted = selectors(kind);
        if (namespaces.isEmpty()) {
            return List.of(Request.all(kind, wanted));
        }
        Stream<String> names = namespaces.stream().sorted();
        return switch (kind) {
            case NODES -> List.of(Request.all(kind, wanted));
            case NAMESPACES ->
                names.map(name -> new Request(
                                kind.path(),
                                List.of(new Pair("fieldSelector", "metadata.name=" + name)),
                                Optional.of(name)))
                        .toList();
            case SERVICES, ENDPOINT_SLICES, PODS, SERVICE_EXPORTS ->
                names.map(name -> new Request(kind.path(name), wanted, Optional.of(name)))
                        .toList();
        };
    }

    /** Returns the selectors of a kind. EndpointSlices have none: they belong to their Service, whatever their labels are. */
    private List<Pair> selectors(ApiKind kind) {
        List<Pair> selectors = new ArrayList<>();
        Selector wanted = switch (kind) {
            case NAMESPACES -> namespaceLabels;
            case SERVICES, PODS -> labels;
            case ENDPOINT_SLICES, NODES, SERVICE_EXPORTS -> Selector.EVERYTHING;
        };
        if (!wanted.equals(Selector.EVERYTHING)) {
            selectors.add(new Pair("labelSelector", wanted.toString()));
        }
        if (kind == ApiKind.PODS) {
            selectors.add(new Pair("fieldSelector", PODS_WITH_A_NAME));
        }
        return selectors;
    }

    /** Ends the delivery and the threads. */
    @Override
    public void close() {
        Loop thread;
        ExecutorService blocking;
        synchronized (this) {
            closed = true;
            thread = loop;
            blocking = blockingCalls;
            loop = null;
        }
        synced.completeExceptionally(new IllegalStateException(CLOSED));
        if (thread == null || blocking == null) {
            return;
        }
        try {
            thread.end(
                    () -> {
                        changes.clear();
                        followed.forEach(one -> one.listWatch.close());
                    },
                    CLOSE_TIMEOUT);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        blocking.shutdownNow();
        connection.close();
    }

    // ---- on the loop's thread ----

    private Sink sink() {
        return Objects.requireNonNull(sink);
    }

    private void publish() {
        if (!changes.isEmpty()) {
            List<ClusterChange> batch = List.copyOf(changes);
            changes.clear();
            if (!deliver(() -> sink().changed(batch))) {
                // If the sink rejects one change, the others of its batch must still be delivered.
                batch.forEach(change -> deliver(() -> sink().changed(List.of(change))));
            }
            latency.published();
            for (ApiKind kind : kinds) {
                observer.objects(
                        kind.kind(),
                        of(kind).mapToInt(one -> one.listWatch.size()).sum());
            }
        }
    }

    private Stream<FollowedKind> of(ApiKind kind) {
        return followed.stream().filter(one -> one.kind == kind);
    }

    /** Calls the sink. If it throws, logs that and returns false. */
    private boolean deliver(Runnable call) {
        try {
            call.run();
            return true;
        } catch (RuntimeException | Error broken) {
            failures.ofSink(broken);
            return false;
        }
    }

    private void kindStateChanged(ApiKind kind) {
        observer.state(kind.kind(), worst(of(kind)));
        SyncState now = worst(followed.stream().filter(one -> !one.isOptionalNow()));
        if (now != state) {
            state = now;
            publish();
            failures.state(now, followed.stream().map(FollowedKind::objectState).toList());
            deliver(() -> sink().stateChanged(now));
            if (now != SyncState.SYNCING) {
                synced.complete(null);
            }
        }
    }

    /**
     * Checks the credential files for changes while requests fail. Reads them on another thread, since a file system may block.
     */
    private void checkFiles(Loop thread, ExecutorService blocking, Timers time) {
        checksFiles = followed.stream().anyMatch(one -> one.failing.isPresent());
        if (checksFiles) {
            time.after(
                    BETWEEN_FILE_CHECKS,
                    () -> blocking.execute(() -> {
                        FileStamps now = connection.checkFiles();
                        thread.execute(() -> {
                            followed.forEach(one -> one.credentialsAre(now));
                            checkFiles(thread, blocking, time);
                        });
                    }));
        }
    }

    /** Records a response of a trusted server that accepts the credentials. */
    private void responded() {
        hasResponded = true;
        if (unanswered.isDone()) {
            unanswered = new CompletableFuture<>();
        }
    }

    /** Ends the wait for the objects if there was no response in time. */
    private void endWithoutResponse(ApiFailure failure, Duration elapsed) {
        boolean isOfCredentials = failure.cause().isOfCredentials();
        if (!isOfCredentials && !failure.cause().isAbsence()) {
            responded();
        }
        responseWithin
                .filter(limit -> !hasResponded && elapsed.compareTo(limit) >= 0)
                .ifPresent(limit -> {
                    IOException last = new IOException(failure.text());
                    unanswered.completeExceptionally(
                            isOfCredentials
                                    ? new InvalidCredentialsException(limit, last)
                                    : new NoResponseException(limit, last));
                });
    }

    /** Ends the wait for the objects if some that are needed are still forbidden. */
    private void endWithoutPermission(Duration elapsed) {
        responseWithin
                .filter(limit -> elapsed.compareTo(limit) >= 0)
                .ifPresent(limit -> unanswered.completeExceptionally(
                        new MissingPermissionException(limit, Objects.requireNonNull(lastProblem))));
    }

    /** Returns the worst of some states: SYNCING if there is one, otherwise STALE, otherwise SYNCED. */
    private static SyncState worst(Stream<FollowedKind> some) {
        Set<SyncState> all = EnumSet.noneOf(SyncState.class);
        some.forEach(one -> all.add(one.state));
        return Stream.of(SyncState.SYNCING, SyncState.STALE)
                .filter(all::contains)
                .findFirst()
                .orElse(SyncState.SYNCED);
    }

    /** The objects of one kind, in one namespace or all: their {@link ListWatch}, its state and its failures. */
    private final class FollowedKind implements ListWatch.Listener {
        private final ApiKind kind;

        /** The objects' description for the log. */
        private final String objects;

        private final Loop thread;
        private final ExecutorService blocking;
        private final Timers time;
        private final ListWatch listWatch;
        private final boolean isOptional;
        private final OptionalKindPolicy policy;

        /** The namespace that a snapshot assumes to exist if it may not be listed, because the caller named it; otherwise empty. */
        private final Optional<Namespace> assumed;

        /** When the source started, and then when there was a client for the first time. */
        private long awaitedSince;

        private boolean hasConnected;
        private SyncState state = SyncState.SYNCING;

        /** The cause of the last failure; empty once the server has responded again. */
        private Optional<ApiFailure.Cause> failing = Optional.empty();

        /** The state of the credential files when a wait was last cut short because of them, or before the first request. */
        private FileStamps credentials = FileStamps.NONE;

        /** The last failure; empty once the objects are synced again. */
        private Optional<ApiFailure> lastFailure = Optional.empty();

        /** Whether the log reports these objects as not watched while the others are. */
        private boolean loggedAsMissing;

        FollowedKind(ApiKind kind, Request request, ExecutorService blocking, Loop thread, Timers time) {
            this.kind = kind;
            this.objects = request.namespace()
                    .map(name -> kind == ApiKind.NAMESPACES
                            ? "namespace " + name
                            : kind.resource() + " of namespace " + name)
                    .orElse(kind.resource());
            this.thread = thread;
            this.blocking = blocking;
            this.time = time;
            this.assumed = request.namespace()
                    .filter(name -> isSnapshot && kind == ApiKind.NAMESPACES)
                    .map(Namespace::of);
            this.isOptional = kind.isOptional() || assumed.isPresent();
            this.policy = new OptionalKindPolicy(kind, isOptional, time);
            this.awaitedSince = time.nanoTime();
            ApiReader decoder = new ApiReader(kind.apiVersion(), kind.kind(), kind.isNamespaced(), this::report);
            this.listWatch = new ListWatch(
                    new HttpKindApi(
                            connection,
                            request.path(),
                            request.selectors(),
                            decoder,
                            blocking,
                            thread,
                            this::connected),
                    time,
                    random,
                    this);
        }

        /** Begins to wait for a response. A program that prints credentials may have taken longer than a response does. */
        private void connected() {
            if (!hasConnected) {
                hasConnected = true;
                awaitedSince = time.nanoTime();
            }
        }

        /** Reports a diagnostic from the thread that decodes a response. */
        private void report(Diagnostic diagnostic) {
            try {
                thread.executeInTurn(() -> diagnosed(diagnostic));
            } catch (InterruptedException ended) {
                // The next object meets the interrupt, too, and ends the thread.
                Thread.currentThread().interrupt();
            }
        }

        private void diagnosed(Diagnostic diagnostic) {
            if (diagnostic.severity() == Diagnostic.Severity.WARNING) {
                failures.skipped(kind, diagnostic);
                observer.rejected(kind.kind());
            }
            deliver(() -> sink().diagnosed(diagnostic));
        }

        @Override
        public void changed(ClusterChange change) {
            latency.changed(change);
            changes.add(change);
            if (changes.size() >= MAX_CHANGES) {
                publish();
            }
        }

        @Override
        public void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered) {
            observer.event(kind.kind(), event);
            latency.received(object, newlyTriggered, thread.submittedAt());
        }

        @Override
        public void missed(ApiReader.Item object, boolean newlyTriggered) {
            latency.received(object, newlyTriggered, thread.submittedAt());
        }

        @Override
        public void listed(Duration took) {
            observer.listed(kind.kind(), took);
        }

        @Override
        public void received() {
            observer.received(kind.kind());
            responded();
            if (failing.isPresent()) {
                ApiFailure.Cause last = failing.get();
                failing = Optional.empty();
                if (last.isAbsence()) {
                    followed.forEach(one -> one.listWatch.serverIsBack());
                } else if (last == ApiFailure.Cause.FORBIDDEN && isEverythingElseAllowed()) {
                    followed.forEach(one -> one.listWatch.permissionMayBeBack());
                }
            }
        }

        @Override
        public void state(SyncState now) {
            state = now;
            if (now == SyncState.SYNCED) {
                policy.synced();
                lastFailure = Optional.empty();
                if (loggedAsMissing) {
                    loggedAsMissing = false;
                    failures.followsAgain(objects);
                }
            }
            kindStateChanged(kind);
        }

        /** Cuts a wait short once for each state of the credential files. */
        private void credentialsAre(FileStamps now) {
            if (failing.isPresent() && !now.equals(credentials) && listWatch.credentialsChanged()) {
                credentials = now;
            }
        }

        /** Returns the state for the log, and remembers that it was logged. */
        private Failures.ObjectState objectState() {
            loggedAsMissing = isOptionalNow();
            return new Failures.ObjectState(objects, state, lastFailure);
        }

        @Override
        public void failed(ApiFailure failure) {
            observer.failed(kind.kind(), failure.cause().word());
            failures.failed(kind, failure);
            lastProblem = new IOException(objects + ": " + failure.text());
            failing = Optional.of(failure.cause());
            lastFailure = Optional.of(failure);
            // Without a client, it is the program for the credentials that is silent, for example while its user logs
            // in.
            if (hasConnected || failure.cause() != ApiFailure.Cause.SILENT) {
                endWithoutResponse(failure, Duration.ofNanos(time.nanoTime() - awaitedSince));
            }
            if (failure.cause() == ApiFailure.Cause.FORBIDDEN && !isOptional) {
                endWithoutPermission(Duration.ofNanos(time.nanoTime() - awaitedSince));
            }
            if (!checksFiles) {
                checkFiles(thread, blocking, time);
            }
            switch (policy.failed(failure, state, isEverythingElseAllowed())) {
                case RETRY -> {}
                case RETRY_AFTER_GRACE_PERIOD -> time.after(policy.gracePeriod(state), listWatch::retryDenied);
                case ABANDON -> {
                    loggedAsMissing = true;
                    logAbandoned(failure);
                    listWatch.forgetObjects();
                    assumed.ifPresent(namespace -> changed(new ClusterChange.Put(namespace)));
                }
                case STAY_WITHOUT -> listWatch.forgetObjects();
            }
            kindStateChanged(kind);
        }

        private void logAbandoned(ApiFailure failure) {
            if (assumed.isPresent()) {
                failures.assumed(objects);
            } else if (failure.cause() == ApiFailure.Cause.FORBIDDEN) {
                failures.forbidden(objects);
            } else {
                failures.unknownKind(objects);
            }
        }

        /** Returns whether all required kinds are permitted. */
        private boolean isEverythingElseAllowed() {
            return followed.stream()
                    .filter(one -> !one.isOptional)
                    .noneMatch(one -> one.failing.equals(Optional.of(ApiFailure.Cause.FORBIDDEN)));
        }

        /** Returns whether the source counts as synced without these objects. */
        private boolean isOptionalNow() {
            return policy.countsAsSynced(state);
        }
    }

    /** Builds an {@link ApiClusterSource}. Not thread-safe. */
    public static final class Builder {
        private final ApiConnector connector;
        private final Set<String> namespaces = new TreeSet<>();
        private final Set<ApiKind> kinds = EnumSet.of(ApiKind.NAMESPACES, ApiKind.SERVICES, ApiKind.ENDPOINT_SLICES);
        private Selector namespaceLabels = Selector.EVERYTHING;
        private Selector labels = Selector.EVERYTHING;
        private ClusterObserver observer = ClusterObserver.NONE;
        private Function<Loop, Timers> timers = loop -> loop;
        private Optional<Duration> responseWithin = Optional.empty();

        private Builder(ApiConnector connector) {
            this.connector = connector;
        }

        /**
         * Follows only the objects of these namespaces; those of all namespaces by default. The namespaces themselves are followed
         * by name, because names below a namespace exist only while it exists. {@link #namespaceLabels} is then ignored.
         *
         * @param names their names
         * @throws IllegalArgumentException if the set is empty: a source that was limited to nothing must not follow everything
         */
        public Builder namespaces(Set<String> names) {
            Set<String> given = Copies.set("names", names);
            if (given.isEmpty()) {
                throw new IllegalArgumentException(
                        "names is empty: pass at least one namespace, or do not call this method to follow all");
            }
            namespaces.clear();
            namespaces.addAll(given);
            return this;
        }

        /**
         * Follows only the namespaces with such labels, and publishes nothing from others; all namespaces by default.
         *
         * @throws IllegalArgumentException if the selector has no requirements
         */
        public Builder namespaceLabels(Selector value) {
            namespaceLabels = limit("namespaceLabels", value);
            return this;
        }

        /**
         * Follows only the Services and Pods with such labels; all by default.
         *
         * @throws IllegalArgumentException if the selector has no requirements
         */
        public Builder labels(Selector value) {
            labels = limit("labels", value);
            return this;
        }

        private static Selector limit(String name, Selector value) {
            if (Objects.requireNonNull(value, name).equals(Selector.EVERYTHING)) {
                throw new IllegalArgumentException(
                        name + " has no requirement: pass at least one, or do not call this method to follow all");
            }
            return value;
        }

        /** Does not follow EndpointSlices, for zones without endpoints. */
        public Builder noEndpoints() {
            kinds.remove(ApiKind.ENDPOINT_SLICES);
            return this;
        }

        /** Sets the observer of the source's work; none by default. */
        public Builder observer(ClusterObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /**
         * Follows Pods as well, for zones that answer for Pods that exist. Pods that have ended are not requested. If the
         * credentials do not permit listing Pods for a second, everything else is served without them; if the permission is removed
         * later, the Pods are removed after 30 s.
         */
        public Builder pods() {
            kinds.add(ApiKind.PODS);
            return this;
        }

        /** Follows Nodes as well. */
        public Builder nodes() {
            kinds.add(ApiKind.NODES);
            return this;
        }

        /**
         * Follows ServiceExports of the Multi-Cluster Services API ({@code multicluster.x-k8s.io/v1alpha1}) as well. An API server
         * that does not know the kind, or does not permit it, counts as one without ServiceExports.
         */
        public Builder serviceExports() {
            kinds.add(ApiKind.SERVICE_EXPORTS);
            return this;
        }

        /**
         * Ends the wait for the objects at the first request after this time that fails without a response of a trusted API server ({@link
         * NoResponseException}) or because of its credentials ({@link InvalidCredentialsException}), if no request had another response
         * before. By default, such requests are repeated like all others. For callers that do not start together with the server.
         *
         * <p>The time begins when the first credentials were read. Refused connections are tried again after at most some seconds. A host
         * that does not answer at all fails after up to 4 s for each of its addresses, a server that accepts a connection and sends nothing
         * after a minute. A source that was started continues.
         *
         * <p>The wait also ends at the first request after this time that is forbidden, unless the source works without the objects ({@link
         * MissingPermissionException}).
         *
         * @throws IllegalArgumentException if the duration is negative
         */
        public Builder responseWithin(Duration value) {
            if (Objects.requireNonNull(value, "responseWithin").isNegative()) {
                throw new IllegalArgumentException("responseWithin is negative: " + value);
            }
            responseWithin = Optional.of(value);
            return this;
        }

        /** Sets the clock and the timers of the requests; for tests. */
        Builder timers(Function<Loop, Timers> value) {
            timers = value;
            return this;
        }

        /** Returns the source, which does nothing until it is started. */
        public ApiClusterSource build() {
            return new ApiClusterSource(this, false);
        }

        /**
         * Lists the objects once, and keeps no connection or thread.
         *
         * <p>The snapshot is consistent within a kind, but not across kinds, because each kind is listed by its own request.
         * Objects that cannot be decoded are logged and omitted. Failures that the exceptions report are logged at level debug.
         * A namespace of {@link #namespaces} that may not be listed is assumed to exist, because a Role cannot permit that.
         *
         * @param timeout how long to wait at most; requests that fail are repeated until then
         * @return the objects of the kinds, namespaces and labels that this builder names
         * @throws NoResponseException if no API server has responded in the time of {@link #responseWithin}
         * @throws InvalidCredentialsException if it has accepted no credentials in this time
         * @throws MissingPermissionException if it has permitted to list not all needed kinds in this time
         * @throws TimeoutException if not all objects were received in time; its cause is the last failure, if a request failed
         * @throws InterruptedException if the thread is interrupted while it waits
         */
        public ClusterSnapshot snapshot(Duration timeout) throws InterruptedException, TimeoutException {
            Objects.requireNonNull(timeout, "timeout");
            SnapshotSink received = new SnapshotSink();
            try (ApiClusterSource source = new ApiClusterSource(this, true)) {
                source.start(received);
                source.awaitSynced(timeout);
            }
            return received.snapshot();
        }
    }
}
