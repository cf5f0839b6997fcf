package io.k8sdns.federation.controller;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The Lease of one cluster, which a controller holds while it writes the Services there. The claim in the store excludes the other
 * controllers of the store; the Lease excludes those with another store. For the loop's thread.
 *
 * <pre>
 *              free, or no change seen for a lease       renewed after each third of a lease
 *   not held ------------------------------------> held ---.
 *      ^                                            | ^----'
 *      '-- released, another holder, or no renewal -'
 *          for two thirds of a lease
 * </pre>
 *
 * <p>The holder measures the lease from when it <em>sent</em> the last renewal. Another controller takes over when it has <em>seen</em> no
 * change for a whole lease, which is later. So clocks are not compared; they only have to run at about the same rate. The last third
 * of a lease is reserved for requests about Services that are still under way.
 *
 * <p>Each round reads the Lease, and each write names the version that was read. So a lost response, a conflict and a restart are
 * handled alike. A Lease that cannot be read or that another program manages is never held.
 */
final class ClusterLease {
    /** The maximum number of conflicts in a round; then the round has failed. */
    private static final int MAX_CONFLICTS = 3;

    private static final int THIRDS = 3;
    private static final int MAX_NAME = 100;

    private final String namespace;
    private final String name;
    private final String identity;
    private final LeaseApi api;
    private final ControllerTimers time;
    private final ControllerCore.Settings settings;
    private final Supplier<Intent> intent;
    private final Runnable changed;

    /** The Lease that was read last; null if there was none, or this controller has written it since. */
    private @Nullable LeaseObject seen;

    /** The time at which the version of {@link #seen} was read first. */
    private long seenSince;

    /** Whether the holder has renewed the Lease while it was watched. */
    private boolean isOtherAlive;

    /** The time at which the last successful renewal was sent; null while the Lease is not held. */
    private @Nullable Long renewedAt;

    /** Whether a write was sent that may have made this controller the holder. */
    private boolean mayBeHolder;

    private boolean isRunning;
    private boolean isClosed;
    private int conflicts;
    private int failures;
    private @Nullable String reason;

    /** Called when the Lease has been released; null before {@link #release}. */
    private @Nullable Runnable released;

    /** Whether the current round began after {@link #release}, and is the last one. */
    private boolean isLastRound;

    /** The wanted state of the Lease. */
    enum Intent {
        /** Held: it is taken over when that is possible, and renewed. */
        HOLD,
        /** Unchanged: the Lease is not written. */
        WAIT,
        /** Not held: it is released if it is held. */
        RELEASE
    }

    /**
     * Creates a Lease that is not held and has not been read.
     *
     * @param identity the unique name of this holder
     * @param changed called when a round has ended
     */
    ClusterLease(
            LeaseApi api,
            String identity,
            ControllerTimers time,
            ControllerCore.Settings settings,
            Supplier<Intent> intent,
            Runnable changed) {
        this.namespace = settings.leaseNamespace();
        this.name = "k8sdns-federation-" + settings.federation();
        this.identity = identity;
        this.api = api;
        this.time = time;
        this.settings = settings;
        this.intent = intent;
        this.changed = changed;
    }

    /** Returns whether Services may be written now. */
    boolean isHeld() {
        return !isClosed && released == null && sinceRenewal().compareTo(thirds(2)) < 0;
    }

    private Duration sinceRenewal() {
        Long at = renewedAt;
        return at == null ? settings.lease() : Duration.ofNanos(time.nanoTime() - at);
    }

    private Duration thirds(int count) {
        return settings.lease().dividedBy(THIRDS).multipliedBy(count);
    }

    /** Returns the reason why it is not held; empty if it is. */
    Optional<String> problem() {
        String text = reason;
        return isHeld()
                ? Optional.empty()
                : Optional.of(text == null ? "this controller does not hold the " + this : text);
    }

    /** Returns whether it is held, another controller renews it, or at least this number of rounds in a row have failed. */
    boolean isDecided(int attempts) {
        return isHeld() || failures >= attempts || isOtherAlive;
    }

    /**
     * Starts a round, unless one is running or the last renewal is recent. Called several times per lease, also while another controller
     * holds it, so that its end is noticed.
     */
    void run() {
        boolean isDue = sinceRenewal().compareTo(thirds(1)) >= 0 || intent() == Intent.RELEASE;
        if (!isRunning && !isClosed && isDue) {
            isRunning = true;
            isLastRound = released != null;
            conflicts = 0;
            read();
        }
    }

    private Intent intent() {
        return released == null ? intent.get() : Intent.RELEASE;
    }

    private void read() {
        call(() -> api.get(namespace, name), json -> {
            if (json.isPresent()) {
                decide(LeaseObject.parse(json.get()));
            } else {
                decide();
            }
        });
    }

    /** Creates the Lease if it is wanted; there is none. */
    private void decide() {
        lose();
        seen = null;
        if (intent() == Intent.HOLD) {
            hold(() -> api.create(
                    namespace, LeaseObject.create(namespace, name, identity, settings.lease(), time.instant())));
        } else {
            end();
        }
    }

    private void decide(LeaseObject lease) {
        String manager = lease.manager();
        if (!manager.isEmpty() && !manager.equals(ShardTemplate.MANAGER)) {
            lose();
            fail("another program manages it, " + printable(manager) + "; it is not touched");
            return;
        }
        observe(lease);
        boolean isMine = lease.holder().equals(identity);
        if (!isMine) {
            lose();
        }
        Intent now = intent();
        if (now == Intent.RELEASE && isMine) {
            sendRelease(lease);
        } else if (now == Intent.HOLD && (isMine || lease.holder().isEmpty() || hasExpired())) {
            hold(() -> api.replace(namespace, name, lease.heldBy(identity, settings.lease(), time.instant())));
        } else {
            end();
        }
    }

    private void observe(LeaseObject lease) {
        LeaseObject before = seen;
        if (before == null || !before.version().equals(lease.version())) {
            isOtherAlive = before != null
                    && before.holder().equals(lease.holder())
                    && !lease.holder().equals(identity);
            seen = lease;
            seenSince = time.nanoTime();
        }
    }

    private boolean hasExpired() {
        return time.nanoTime() - seenSince >= settings.lease().toNanos();
    }

    private void lose() {
        renewedAt = null;
        mayBeHolder = false;
    }

    private void hold(Supplier<CompletionStage<Boolean>> request) {
        long sent = time.nanoTime();
        mayBeHolder = true;
        call(request, done -> {
            if (done) {
                renewedAt = sent;
                isOtherAlive = false;
                seen = null;
                end();
            } else {
                conflict();
            }
        });
    }

    private void sendRelease(LeaseObject lease) {
        // Another controller may take it over before the response arrives.
        renewedAt = null;
        call(() -> api.replace(namespace, name, lease.withoutHolder()), done -> {
            if (done) {
                mayBeHolder = false;
                seen = null;
                end();
            } else {
                conflict();
            }
        });
    }

    private void conflict() {
        if (++conflicts > MAX_CONFLICTS) {
            fail("another program changes it again and again");
        } else {
            read();
        }
    }

    private void end() {
        failures = 0;
        String holder = seen == null ? "" : seen.holder();
        reason = holder.isEmpty() || holder.equals(identity)
                ? null
                : "they are written by the controller " + printable(holder) + " (" + this + ")";
        finish();
    }

    private void fail(String text) {
        failures++;
        reason = "nothing is written without the " + this + ": " + text;
        finish();
    }

    private void finish() {
        isRunning = false;
        if (released != null) {
            endRelease();
        }
        changed.run();
    }

    private <T> void call(Supplier<CompletionStage<T>> request, Consumer<T> then) {
        TimedCall.startParsing(
                time,
                settings.deadline(),
                request,
                value -> {
                    if (!isClosed) {
                        then.accept(value);
                    }
                },
                failure -> {
                    if (!isClosed) {
                        fail(failure);
                    }
                });
    }

    /** Returns text of another program, shortened and in printable ASCII, for one line of a log. */
    private static String printable(String text) {
        String start = text.length() > MAX_NAME ? text.substring(0, MAX_NAME) + "..." : text;
        return start.replaceAll("[^!-~]", "?");
    }

    /** Releases the Lease with one attempt if it is held, and ends. If that fails, others can take it over after a lease. */
    void release(Runnable then) {
        released = then;
        if (!isRunning) {
            endRelease();
        }
    }

    private void endRelease() {
        Runnable then = released;
        if (mayBeHolder && !isLastRound) {
            run();
        } else if (then != null) {
            close();
            then.run();
        }
    }

    /** Ends without releasing the Lease. */
    void close() {
        isClosed = true;
        api.close();
    }

    @Override
    public String toString() {
        return "Lease " + namespace + "/" + name;
    }
}
