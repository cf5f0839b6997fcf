package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.SyncState;
import java.time.Duration;
import java.util.Optional;

/**
 * Decides when a source continues without the objects of one kind. Only optional kinds are abandoned: if their requests are
 * forbidden (403) or, for a custom kind, if the server does not know the kind (404).
 *
 * <pre>
 *                                        403 or 404 after the grace period,
 *              403 or 404                while all required kinds are permitted
 *   available -----------> unavailable ---------------------------------------> abandoned
 *     ^   ^                  |                                                    |
 *     |   '-- synced, or ----'                                                    |
 *     |       any other failure                                                   |
 *     '-------------------------------- synced -----------------------------------'
 * </pre>
 *
 * <p>Not thread-safe.
 */
final class OptionalKindPolicy {
    /**
     * The grace period before the first list: right after an API server has started or a role was bound, requests may be refused
     * for a moment.
     */
    private static final Duration GRACE_AT_START = Duration.ofSeconds(1);

    /** The grace period for objects that were known: replacing a role removes their permission for a moment. */
    private static final Duration GRACE_FOR_KNOWN_OBJECTS = Duration.ofSeconds(30);

    /** The reaction of the source to a failed request. */
    enum Reaction {
        /** It repeats the request, as after any failure. */
        RETRY,
        /** It repeats the request, and does so at the end of the grace period at the latest. */
        RETRY_AFTER_GRACE_PERIOD,
        /** It removes the objects and continues without them. */
        ABANDON,
        /** It stays without the objects, and removes those of an incomplete list. */
        STAY_WITHOUT
    }

    private final ApiKind kind;
    private final boolean isOptional;
    private final Timers time;
    private Optional<Long> unavailableSince = Optional.empty();
    private boolean abandoned;

    /**
     * Creates a policy.
     *
     * @param isOptional whether the source can continue without these objects
     */
    OptionalKindPolicy(ApiKind kind, boolean isOptional, Timers time) {
        this.kind = kind;
        this.isOptional = isOptional;
        this.time = time;
    }

    /**
     * Decides about a failed request.
     *
     * @param state the state of the objects before the failure is reported
     * @param isEverythingElseAllowed whether all required kinds are permitted; otherwise no kind is abandoned, because a server
     *     that refuses everything does not refuse this kind in particular
     */
    Reaction failed(ApiFailure failure, SyncState state, boolean isEverythingElseAllowed) {
        if (abandoned) {
            return Reaction.STAY_WITHOUT;
        }
        if (!meansUnavailable(failure.cause())) {
            unavailableSince = Optional.empty();
            return Reaction.RETRY;
        }
        if (unavailableSince.isEmpty()) {
            unavailableSince = Optional.of(time.nanoTime());
            return Reaction.RETRY_AFTER_GRACE_PERIOD;
        }
        abandoned = isGracePeriodOver(state) && isEverythingElseAllowed;
        return abandoned ? Reaction.ABANDON : Reaction.RETRY;
    }

    /** Notes that the objects are synced. */
    void synced() {
        unavailableSince = Optional.empty();
        abandoned = false;
    }

    /** Returns how long objects in this state may be unavailable before they are abandoned. */
    Duration gracePeriod(SyncState state) {
        return state == SyncState.SYNCING ? GRACE_AT_START : GRACE_FOR_KNOWN_OBJECTS;
    }

    /** Returns whether the source counts as synced without objects in this state. */
    boolean countsAsSynced(SyncState state) {
        return abandoned || unavailableSince.isPresent() && state == SyncState.STALE;
    }

    private boolean meansUnavailable(Cause cause) {
        return isOptional && cause == Cause.FORBIDDEN || kind.isCustom() && cause == Cause.UNKNOWN_KIND;
    }

    private boolean isGracePeriodOver(SyncState state) {
        return unavailableSince
                .filter(since -> time.nanoTime() - since >= gracePeriod(state).toNanos())
                .isPresent();
    }
}
