package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.json.ApiReader;
import java.time.Duration;

/**
 * The request for changes since a version. Checks each event: if it cannot be trusted, the watch ends, and a list shows the present
 * objects.
 */
final class OpenWatch extends PendingRequest implements KindApi.WatchReceiver {
    /**
     * The time after the requested end of a watch at which the client ends it. Lost events are found between two watches, so no
     * watch may last forever. ({@code ListWatchTest.watchThatTheServerDoesNotEndIsEndedByTheClient})
     */
    private static final Duration OVERTIME = Duration.ofSeconds(30);

    /**
     * The time after which a watch that was opened after a failure counts as synced: the server first sends the missed events, and
     * does not mark the last of them. ({@code ListWatchTest.reopenedWatchIsSyncedAfterOneSecond})
     */
    private static final Duration CATCH_UP = Duration.ofSeconds(1);

    private final ListWatch owner;
    private final KindApi api;
    private final Timers timers;
    private final long begunAt;
    private final Duration timeout;
    private boolean accepted;

    /**
     * Creates the request.
     *
     * @param timeout after which the server is asked to end the watch
     */
    OpenWatch(ListWatch owner, KindApi api, Timers timers, Duration timeout) {
        super(owner, timers);
        this.owner = owner;
        this.api = api;
        this.timers = timers;
        this.begunAt = timers.nanoTime();
        this.timeout = timeout;
    }

    /** Returns for how long the watch has lasted. */
    Duration age() {
        return Duration.ofNanos(timers.nanoTime() - begunAt);
    }

    @Override
    KindApi.Call send() {
        return api.watch(owner.version(), timeout, this);
    }

    @Override
    public void opened() {
        if (isCurrent()) {
            accepted = true;
            received();
            if (!owner.isSynced()) {
                timers.after(CATCH_UP, this::caughtUp);
            }
        }
    }

    @Override
    Duration maxSilence() {
        return accepted ? ListWatch.WATCH_SILENCE : super.maxSilence();
    }

    @Override
    void timedOut(Duration silence) {
        if (accepted) {
            owner.watchSilent();
        } else {
            super.timedOut(silence);
        }
    }

    private void caughtUp() {
        if (isCurrent()) {
            owner.watchCaughtUp();
        }
    }

    @Override
    public void put(ApiReader.Item object) {
        if (accept(object)) {
            owner.objectPut(object);
            endIfOverdue();
        }
    }

    @Override
    public void deleted(ApiReader.Item object) {
        if (object.uid().isEmpty() && isCurrent()) {
            received();
            distrust(ApiFailure.of(Cause.BROKEN, "a deletion of " + object.ref() + " that has no uid"));
        } else if (accept(object)) {
            owner.objectDeleted(object);
            endIfOverdue();
        }
    }

    @Override
    public void bookmark(String newest) {
        if (isCurrent() && acceptVersion(newest)) {
            if (!newest.isEmpty()) {
                owner.advance(newest);
            }
            caughtUp();
            endIfOverdue();
        }
    }

    @Override
    public void ended() {
        if (isCurrent()) {
            owner.watchEnded(this);
        }
    }

    @Override
    void fail(ApiFailure failure) {
        owner.watchFailed(this, failure);
    }

    private void endIfOverdue() {
        if (isCurrent() && age().compareTo(timeout.plus(OVERTIME)) >= 0) {
            owner.renewWatch();
        }
    }

    /** Advances to the version of an event; returns false if the event must be ignored. */
    private boolean accept(ApiReader.Item object) {
        if (!isCurrent()) {
            return false;
        }
        if (object.version().isEmpty()) {
            received();
            distrust(ApiFailure.of(Cause.BROKEN, "an event of " + object.ref() + " that has no resourceVersion"));
            return false;
        }
        if (!acceptVersion(object.version())) {
            return false;
        }
        owner.advance(object.version());
        return true;
    }

    /** Records that the server sent a version; if it is older than the known one, ends the watch and returns false. */
    private boolean acceptVersion(String next) {
        received();
        if (owner.isOlderThanKnown(next)) {
            distrust(owner.versionDecreased(next));
            return false;
        }
        return true;
    }

    private void distrust(ApiFailure why) {
        owner.watchDistrusted(this, why);
    }
}
