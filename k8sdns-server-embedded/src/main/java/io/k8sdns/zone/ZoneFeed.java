package io.k8sdns.zone;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Fills a zone with what a source tells, batch by batch, and knows how far the zone can be trusted.
 *
 * <pre>{@code
 * ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
 * DnsResolver resolver = ResolverChain.of(zone);
 * source.start(feed);
 * }</pre>
 *
 * <p>A source that has lost its API server leaves the zone as it is, and its names are answered as before for as long as
 * {@link Builder#staleLimit} says, which is for ever unless set.
 */
public final class ZoneFeed implements ClusterSource.Sink {
    private final ClusterZone zone;
    private final InstantSource clock;
    private final ClusterObserver observer;
    private final Consumer<Diagnostic> diagnostics;
    private final Consumer<? super Throwable> listenerFailures;
    private final Optional<Duration> staleLimit;
    private final CompletableFuture<Void> synced = new CompletableFuture<>();
    private volatile Told told = new Told(SyncState.SYNCING, null);

    /** The state that the source has reported, and since when it has been out of touch. */
    private record Told(SyncState state, @Nullable Instant staleSince) {}

    private ZoneFeed(Builder builder) {
        this.zone = builder.zone;
        this.clock = builder.clock;
        this.observer = builder.observer;
        this.diagnostics = builder.diagnostics;
        this.listenerFailures = builder.listenerFailures;
        this.staleLimit = builder.staleLimit;
        zone.followed(this::state);
    }

    /**
     * Returns a builder of a feed.
     *
     * @param zone the zone, which nothing but this feed may change; {@link ClusterZone#state} is that of the feed built last
     * @param clock measures how long things take, and since when the source is out of touch
     */
    public static Builder builder(ClusterZone zone, InstantSource clock) {
        return new Builder(Objects.requireNonNull(zone, "zone"), Objects.requireNonNull(clock, "clock"));
    }

    /**
     * Returns how far the zone can be trusted now, which is the zone's {@link ClusterZone#state}. What has been stale for
     * longer than allowed is {@link SyncState#SYNCING} again: its names are SERVFAIL.
     */
    public SyncState state() {
        Told now = told;
        Instant since = now.staleSince;
        boolean tooOld = since != null
                && staleLimit
                        .filter(limit ->
                                Duration.between(since, clock.instant()).compareTo(limit) > 0)
                        .isPresent();
        return tooOld ? SyncState.SYNCING : now.state;
    }

    /** Returns since when the source has been out of touch with its API server; empty while it is not. */
    public Optional<Instant> staleSince() {
        return Optional.ofNullable(told.staleSince);
    }

    /** Returns what is completed as soon as the zone holds all objects for the first time; never exceptionally. */
    public CompletionStage<Void> synced() {
        return synced.minimalCompletionStage();
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        Objects.requireNonNull(batch, "batch");
        Instant begun = clock.instant();
        // A serial that grows from start to start, so that secondaries see a restart as news.
        ZoneChange change = zone.apply(batch, begun.getEpochSecond() & 0xFFFF_FFFFL, listenerFailures);
        observer.applied(batch.size(), change.revision().nameCount(), Duration.between(begun, clock.instant()));
    }

    @Override
    public void state(SyncState now) {
        // A null that was stored would count as synced: readers compare with SYNCING.
        Objects.requireNonNull(now, "now");
        Instant since = told.staleSince;
        boolean stale = now == SyncState.STALE;
        told = new Told(now, !stale ? null : since == null ? clock.instant() : since);
        zone.stateChanged();
        // Stale all the same: what was listed whole can be lost again before the last kind has been.
        if (now != SyncState.SYNCING) {
            synced.complete(null);
        }
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        diagnostics.accept(Objects.requireNonNull(diagnostic, "diagnostic"));
    }

    /** Collects what a feed needs. */
    public static final class Builder {
        private final ClusterZone zone;
        private final InstantSource clock;
        private ClusterObserver observer = ClusterObserver.NONE;
        private Consumer<Diagnostic> diagnostics = diagnostic -> {};
        private Consumer<? super Throwable> listenerFailures = Builder::rethrow;
        private Optional<Duration> staleLimit = Optional.empty();

        private Builder(ClusterZone zone, InstantSource clock) {
            this.zone = zone;
            this.clock = clock;
        }

        private static void rethrow(Throwable failure) {
            if (failure instanceof Error error) {
                throw error;
            }
            throw (RuntimeException) failure;
        }

        /** Sets the observer of each batch; none by default. */
        public Builder observer(ClusterObserver value) {
            observer = Objects.requireNonNull(value, "observer");
            return this;
        }

        /**
         * Sets a handler for exceptions and errors of the zone's listeners ({@link ClusterZone#onChange}).
         *
         * @param value takes each of them, after its batch was published. By default it is thrown to the source, which may
         *     apply the batch again
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
         * Sets for how long the last objects are answered from when the source is out of touch; for ever unless set.
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
