package io.k8sdns.micrometer;

import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Meters of a source of objects and of its zone.
 *
 * <p>By kind of object: {@code k8sdns.source.synced}, {@code k8sdns.source.age}, {@code k8sdns.objects}, {@code k8sdns.events}, {@code
 * k8sdns.list.duration}, {@code k8sdns.api.failures} and {@code k8sdns.rejected.objects}. Of the zone: {@code k8sdns.names}, {@code
 * k8sdns.changes}, {@code k8sdns.apply.duration} and {@code k8sdns.programming.duration}. The meters of a kind are registered at the
 * first event of that kind.
 */
public final class ClusterMeters implements ClusterObserver {
    private final MeterRegistry registry;
    private final Clock clock;
    private final LabelledMeters<Kind> kinds;
    private final Counter changes;
    private final Timer apply;
    private final Map<LatencyLabels, Timer> programming = new ConcurrentHashMap<>();
    private volatile int names;

    /**
     * Registers meters.
     *
     * @param registry the registry, whose clock measures ages
     */
    public ClusterMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.clock = registry.config().clock();
        this.kinds = new LabelledMeters<>(Kind::new);
        Gauge.builder("k8sdns.names", () -> names)
                .description("Names in one forward zone, including empty non-terminals.")
                .register(registry);
        this.changes = Counter.builder("k8sdns.changes")
                .description("Changed objects whose records have been published.")
                .register(registry);
        this.apply = Timer.builder("k8sdns.apply.duration")
                .description("Duration of publishing the records of a batch of changes.")
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry);
    }

    /** Returns the sync state of each reported kind, sorted by kind. */
    public SortedMap<String, SyncState> states() {
        SortedMap<String, SyncState> states = new TreeMap<>();
        kinds.used().forEach((kind, known) -> states.put(kind, known.state));
        return states;
    }

    @Override
    public void state(String kind, SyncState state) {
        kinds.get(kind).state = state;
    }

    @Override
    public void received(String kind) {
        Kind meters = kinds.get(kind);
        meters.receivedNanos = clock.monotonicTime();
        meters.hasReceived = true;
    }

    @Override
    public void objects(String kind, int count) {
        kinds.get(kind).objects = count;
    }

    @Override
    public void event(String kind, Event event) {
        Kind meters = kinds.get(kind);
        (event == Event.PUT ? meters.puts : meters.deletions).increment();
    }

    @Override
    public void listed(String kind, Duration took) {
        kinds.get(kind).list.record(took);
    }

    @Override
    public void failed(String kind, String reason) {
        kinds.get(kind).failures.get(reason).increment();
    }

    @Override
    public void rejected(String kind) {
        kinds.get(kind).rejected.increment();
    }

    @Override
    public void applied(int changed, int nameCount, Duration took) {
        names = nameCount;
        changes.increment(changed);
        apply.record(took);
    }

    @Override
    public void programmed(ServiceKind kind, Since since, Duration latency) {
        programming
                .computeIfAbsent(new LatencyLabels(kind, since), this::programming)
                .record(latency);
    }

    private Timer programming(LatencyLabels what) {
        return Timer.builder("k8sdns.programming.duration")
                .description("The DNS programming latency: from a change of a Service's endpoints to its records.")
                .tag("service_kind", lowerCase(what.kind))
                .tag("since", lowerCase(what.since))
                .serviceLevelObjectives(Buckets.ofProgramming())
                .register(registry);
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** The labels of a programming latency. */
    private record LatencyLabels(ServiceKind kind, Since since) {}

    /** The state and the meters of one kind of object. */
    private final class Kind {
        volatile SyncState state = SyncState.SYNCING;
        volatile int objects;
        volatile long receivedNanos;
        volatile boolean hasReceived;
        final Counter puts;
        final Counter deletions;
        final LabelledMeters<Counter> failures;
        final Counter rejected;
        final Timer list;

        Kind(String kind) {
            Gauge.builder("k8sdns.source.synced", () -> state == SyncState.SYNCED ? 1 : 0)
                    .description("1 while the source is synced, 0 before and while it is stale.")
                    .tag("kind", kind)
                    .register(registry);
            Gauge.builder("k8sdns.source.age", this::ageSeconds)
                    .description("Time since the last message of the API server; NaN before the first.")
                    .baseUnit("seconds")
                    .tag("kind", kind)
                    .register(registry);
            Gauge.builder("k8sdns.objects", () -> objects)
                    .description("Objects in the source.")
                    .tag("kind", kind)
                    .register(registry);
            this.puts = events(kind, Event.PUT);
            this.deletions = events(kind, Event.DELETED);
            this.failures = new LabelledMeters<>(reason -> Counter.builder("k8sdns.api.failures")
                    .description("Failed requests to the API server: lists, watches and version probes.")
                    .tag("kind", kind)
                    .tag("reason", reason)
                    .register(registry));
            this.rejected = Counter.builder("k8sdns.rejected.objects")
                    .description("Objects, or parts of objects, that were skipped because they are invalid.")
                    .tag("kind", kind)
                    .register(registry);
            this.list = Timer.builder("k8sdns.list.duration")
                    .description("Duration of a list of all objects.")
                    .tag("kind", kind)
                    .register(registry);
        }

        private Counter events(String kind, Event event) {
            return Counter.builder("k8sdns.events")
                    .description("Watch events of objects.")
                    .tag("kind", kind)
                    .tag("event", lowerCase(event))
                    .register(registry);
        }

        private double ageSeconds() {
            return hasReceived
                    ? (clock.monotonicTime() - receivedNanos) / (double) TimeUnit.SECONDS.toNanos(1)
                    : Double.NaN;
        }
    }
}
