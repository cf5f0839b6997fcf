package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Applies the changes of a source to a zone, batch by batch, and tracks whether the zone is synced.
 *
 * <pre>{@code
 * ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
 * DnsResolver resolver = ResolverChain.of(zone);
 * source.start(feed);
 * }</pre>
 *
 * <p>While a source has no connection to its API server, the zone keeps its records and continues to answer, until {@link
 * Builder#staleLimit} has passed. By default there is no limit.
 */
public final class ZoneFeed implements ClusterSource.Sink {
    private final ClusterZone zone;
    private final InstantSource clock;
    private final ClusterObserver observer;
    private final Consumer<Diagnostic> diagnostics;
    private final @Nullable Consumer<? super Throwable> listenerFailures;
    private final Optional<Duration> staleLimit;
    private final CompletableFuture<Void> synced = new CompletableFuture<>();
    private volatile Reported reported = new Reported(SyncState.SYNCING, null);

    /** The state that the source has reported last, and the time since when it has been stale; null if it is not stale. */
    private record Reported(SyncState state, @Nullable Instant staleSince) {}

    private ZoneFeed(Builder builder) {
        this.zone = builder.zone;
        this.clock = builder.clock;
        this.observer = builder.observer;
        this.diagnostics = builder.diagnostics;
        this.listenerFailures = builder.listenerFailures;
        this.staleLimit = builder.staleLimit;
        zone.setState(this::state);
    }

    /**
     * Returns a builder of a feed.
     *
     * @param zone the zone; only this feed may change it. {@link ClusterZone#state} is that of the feed built last
     * @param clock measures the duration of batches, and the time since when the source is stale
     */
    public static Builder builder(ClusterZone zone, InstantSource clock) {
        return new Builder(Objects.requireNonNull(zone, "zone"), Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Returns how up to date the zone is; {@link ClusterZone#state} returns the same. A zone that has been stale for longer than the
     * {@linkplain Builder#staleLimit limit} is {@link SyncState#SYNCING} again: its names are SERVFAIL.
     */
    public SyncState state() {
        Reported now = reported;
        Instant since = now.staleSince;
        boolean tooOld = since != null
                && staleLimit
                        .filter(limit ->
                                Duration.between(since, clock.instant()).compareTo(limit) > 0)
                        .isPresent();
        return tooOld ? SyncState.SYNCING : now.state;
    }

    /** Returns the time since when the source has had no connection to its API server; empty while it is connected. */
    public Optional<Instant> staleSince() {
        return Optional.ofNullable(reported.staleSince);
    }

    /** Returns a stage that completes when the zone holds all objects for the first time; it never completes exceptionally. */
    public CompletionStage<Void> synced() {
        return synced.minimalCompletionStage();
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        Objects.requireNonNull(batch, "batch");
        Instant begun = clock.instant();
        // The time as the serial: it increases across restarts, so that secondary servers transfer the zone again.
        List<Throwable> failures = new ArrayList<>();
        ZoneChange change = zone.apply(batch, begun.getEpochSecond() & 0xFFFF_FFFFL, failures::add);
        observer.applied(batch.size(), change.revision().nameCount(), Duration.between(begun, clock.instant()));
        // Reported last: a handler may throw, and every view and listener must have received the change by then.
        if (listenerFailures == null) {
            ChangeListeners.throwFirst(failures);
        } else {
            failures.forEach(listenerFailures);
        }
    }

    @Override
    public void stateChanged(SyncState now) {
        // A stored null would be treated as synced, because readers compare with SYNCING.
        Objects.requireNonNull(now, "now");
        Instant since = reported.staleSince;
        boolean stale = now == SyncState.STALE;
        reported = new Reported(now, !stale ? null : since == null ? clock.instant() : since);
        zone.stateChanged();
        // A source may report STALE first: it lost the watch of one kind while it listed the last one.
        if (now != SyncState.SYNCING) {
            synced.complete(null);
        }
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        diagnostics.accept(Objects.requireNonNull(diagnostic, "diagnostic"));
    }

    /** Collects the settings of a feed. */
    public static final class Builder {
        private final ClusterZone zone;
        private final InstantSource clock;
        private ClusterObserver observer = ClusterObserver.NONE;
        private Consumer<Diagnostic> diagnostics = diagnostic -> {};
        private @Nullable Consumer<? super Throwable> listenerFailures;
        private Optional<Duration> staleLimit = Optional.empty();

        private Builder(ClusterZone zone, InstantSource clock) {
            this.zone = zone;
            this.clock = clock;
        }

        /** Sets the observer of each batch; none by default. */
        public Builder observer(ClusterObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /**
         * Sets a handler for exceptions and errors of the zone's listeners ({@link ClusterZone#onChange}).
         *
         * @param value receives each of them after the batch has been published and all listeners have been called. By default the first
         *     one is thrown to the source, which may apply the batch again
         */
        public Builder listenerFailures(Consumer<? super Throwable> value) {
            listenerFailures = Objects.requireNonNull(value, "listenerFailures");
            return this;
        }

        /** Sets a listener for the source's diagnostics; none by default. */
        public Builder diagnostics(Consumer<Diagnostic> value) {
            diagnostics = Objects.requireNonNull(value, "diagnostics");
            return this;
        }

        /**
         * Sets how long the zone answers from its last objects while the source has no connection; no limit by default.
         *
         * @throws IllegalArgumentException if it is negative
         */
        public Builder staleLimit(Duration value) {
            Objects.requireNonNull(value, "staleLimit");
            if (value.isNegative()) {
                throw new IllegalArgumentException("a negative limit: " + value);
            }
            staleLimit = Optional.of(value);
            return this;
        }

        /** Returns the feed. */
        public ZoneFeed build() {
            return new ZoneFeed(this);
        }
    }
}
