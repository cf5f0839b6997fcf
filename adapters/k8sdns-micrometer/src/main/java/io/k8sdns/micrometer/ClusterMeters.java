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
 * How a source is doing, and the zone that it fills, as meters.
 *
 * <p>By kind of object they are {@code k8sdns.source.synced}, {@code k8sdns.source.age}, {@code k8sdns.objects},
 * {@code k8sdns.events}, {@code k8sdns.list.duration}, {@code k8sdns.watch.restarts} and {@code k8sdns.rejected.objects};
 * of the zone {@code k8sdns.names}, {@code k8sdns.changes}, {@code k8sdns.apply.duration} and
 * {@code k8sdns.programming.duration}. A kind has meters from when it is first told of.
 */
public final class ClusterMeters implements ClusterObserver {
    private final MeterRegistry registry;
    private final Clock clock;
    private final LabelledMeters<Kind> kinds;
    private final Counter changes;
    private final Timer apply;
    private final Map<Programmed, Timer> programming = new ConcurrentHashMap<>();
    private volatile int names;

    /**
     * Registers meters.
     *
     * @param registry also brings the clock that ages are measured by
     */
    public ClusterMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.clock = registry.config().clock();
        this.kinds = new LabelledMeters<>(Kind::new);
        Gauge.builder("k8sdns.names", () -> names)
                .description("Names in one forward zone, those included that are only above others.")
                .register(registry);
        this.changes = Counter.builder("k8sdns.changes")
                .description("Changed objects whose records have been published.")
                .register(registry);
        this.apply = Timer.builder("k8sdns.apply.duration")
                .description("How long it took to publish the records of a batch of changes.")
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry);
    }

    /** Returns how far what is known of each kind can be trusted now, of every kind that it was told of, sorted. */
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
    public void heard(String kind) {
        Kind heard = kinds.get(kind);
        heard.heardNanos = clock.monotonicTime();
        heard.isHeard = true;
    }

    @Override
    public void objects(String kind, int count) {
        kinds.get(kind).objects = count;
    }

    @Override
    public void event(String kind, Event event) {
        Kind told = kinds.get(kind);
        (event == Event.PUT ? told.puts : told.deletions).increment();
    }

    @Override
    public void listed(String kind, Duration took) {
        kinds.get(kind).list.record(took);
    }

    @Override
    public void failed(String kind, String reason) {
        kinds.get(kind).restarts.get(reason).increment();
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
                .computeIfAbsent(new Programmed(kind, since), this::programming)
                .record(latency);
    }

    private Timer programming(Programmed what) {
        return Timer.builder("k8sdns.programming.duration")
                .description("The DNS programming latency: from a change of a Service's endpoints to its records.")
                .tag("service_kind", word(what.kind))
                .tag("since", word(what.since))
                .serviceLevelObjectives(Buckets.ofProgramming())
                .register(registry);
    }

    private static String word(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    /** What latencies are told apart by. */
    private record Programmed(ServiceKind kind, Since since) {}

    /** What is known of one kind of object, and its meters. */
    private final class Kind {
        volatile SyncState state = SyncState.SYNCING;
        volatile int objects;
        volatile long heardNanos;
        volatile boolean isHeard;
        final Counter puts;
        final Counter deletions;
        final LabelledMeters<Counter> restarts;
        final Counter rejected;
        final Timer list;

        Kind(String kind) {
            Gauge.builder("k8sdns.source.synced", () -> state == SyncState.SYNCED ? 1 : 0)
                    .description(
                            "1 while all objects are known and followed, 0 before and while the source is out of touch.")
                    .tag("kind", kind)
                    .register(registry);
            Gauge.builder("k8sdns.source.age", this::ageSeconds)
                    .description("How long ago the API server was last heard of; no number before.")
                    .baseUnit("seconds")
                    .tag("kind", kind)
                    .register(registry);
            Gauge.builder("k8sdns.objects", () -> objects)
                    .description("Objects that are known.")
                    .tag("kind", kind)
                    .register(registry);
            this.puts = events(kind, Event.PUT);
            this.deletions = events(kind, Event.DELETED);
            this.restarts = new LabelledMeters<>(reason -> Counter.builder("k8sdns.watch.restarts")
                    .description("Requests to the API server that failed and were made again.")
                    .tag("kind", kind)
                    .tag("reason", reason)
                    .register(registry));
            this.rejected = Counter.builder("k8sdns.rejected.objects")
                    .description(
                            "How often an object or a part of it was skipped because Kubernetes does not allow it.")
                    .tag("kind", kind)
                    .register(registry);
            this.list = Timer.builder("k8sdns.list.duration")
                    .description("How long it took to list all objects; the count is that of lists.")
                    .tag("kind", kind)
                    .register(registry);
        }

        private Counter events(String kind, Event event) {
            return Counter.builder("k8sdns.events")
                    .description("Events of objects that a watch reported.")
                    .tag("kind", kind)
                    .tag("event", word(event))
                    .register(registry);
        }

        private double ageSeconds() {
            return isHeard ? (clock.monotonicTime() - heardNanos) / (double) TimeUnit.SECONDS.toNanos(1) : Double.NaN;
        }
    }
}
