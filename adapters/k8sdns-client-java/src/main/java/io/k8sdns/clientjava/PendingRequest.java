package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * A request of a {@link ListWatch}, from its beginning until its outcome is reported. A watchdog ends it when the server is
 * silent.
 *
 * <p>A subclass passes on a response only while {@link #isCurrent}, because a cancelled call may still deliver data that it has
 * already read. ({@code ListWatchTest.eventsAfterTheEndAreIgnored})
 */
abstract class PendingRequest {
    private final ListWatch owner;
    private final Timers timers;
    private KindApi.@Nullable Call call;
    private Timers.@Nullable Timer watchdog;
    private long receivedAt;

    PendingRequest(ListWatch owner, Timers timers) {
        this.owner = owner;
        this.timers = timers;
    }

    /** Sends the request. */
    abstract KindApi.Call send();

    /** Reports that the request failed. */
    abstract void fail(ApiFailure failure);

    /** Returns how long the server may be silent. */
    Duration maxSilence() {
        return ListWatch.RESPONSE_SILENCE;
    }

    /** Reports that the server was silent for longer. */
    void timedOut(Duration silence) {
        fail(ApiFailure.of(Cause.SILENT, "nothing was received for " + silence.toSeconds() + " s"));
    }

    final void begin() {
        receivedAt = timers.nanoTime();
        startWatchdog(maxSilence());
        KindApi.Call sent = send();
        if (isCurrent()) {
            call = sent;
        } else {
            sent.cancel();
        }
    }

    final void end() {
        if (watchdog != null) {
            watchdog.cancel();
        }
        if (call != null) {
            call.cancel();
        }
    }

    /** Returns whether the state machine waits for this request. */
    final boolean isCurrent() {
        return owner.isCurrent(this);
    }

    /** Fails the request if it is current. */
    public final void failed(ApiFailure failure) {
        if (isCurrent()) {
            fail(failure);
        }
    }

    /** Records that the server has sent data. */
    final void received() {
        receivedAt = timers.nanoTime();
        owner.serverResponded();
    }

    private void startWatchdog(Duration time) {
        watchdog = timers.after(time, this::checkSilence);
    }

    private void checkSilence() {
        Duration silence = Duration.ofNanos(timers.nanoTime() - receivedAt);
        if (!isCurrent()) {
            return;
        }
        if (silence.compareTo(maxSilence()) >= 0) {
            timedOut(silence);
        } else {
            startWatchdog(maxSilence().minus(silence));
        }
    }
}
