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
 *      '-- given up, another holder, or no renewal -'
 *          for two thirds of a lease
 * </pre>
 *
 * <p>A renewal is counted from when it was <em>sent</em>, and another controller takes over after a whole lease in which it <em>saw</em> no
 * change, which is later. So clocks are not compared; they must run at about the same rate. The last third is left for the requests
 * about Services that are under way.
 *
 * <p>Each round reads the Lease, and each write names the version that was read. So a lost answer, a conflict and a restart are one case.
 * A Lease that cannot be read or that another program manages is never held.
 */
final class ClusterLease {
    /** After so many conflicts in a row a round has failed. */
    private static final int MAX_CONFLICTS = 3;

    private static final int THIRDS = 3;
    private static final int MAX_NAME = 100;

    private final String namespace;
    private final String name;
    private final String identity;
    private final LeaseApi api;
    private final ControllerTimers time;
    private final ControllerCore.Settings settings;
    private final Supplier<Wish> wish;
    private final Runnable changed;

    /** The Lease that was read last; null if there was none, or it was written since. */
    private @Nullable LeaseObject seen;

    /** When the version of {@link #seen} was seen for the first time. */
    private long seenSince;

    /** Whether the holder has renewed the Lease while it was watched. */
    private boolean isOtherAlive;

    /** When the renewal was sent that the Lease has; null while it is not held. */
    private @Nullable Long renewedAt;

    /** Whether a write was sent that may have made this controller the holder. */
    private boolean mayBeHolder;

    private boolean isRunning;
    private boolean isClosed;
    private int conflicts;
    private int failures;
    private @Nullable String reason;

    /** Called when the Lease has been given up; null before {@link #release}. */
    private @Nullable Runnable released;

    /** Whether the present round began after {@link #release}, and is the last one. */
    private boolean isLastRound;

    /** What a controller wants of the Lease. */
    enum Wish {
        /** To take it over when that is possible, and to renew it. */
        HOLD,
        /** To change nothing. */
        WAIT,
        /** To leave it to others. */
        GIVE_UP
    }

    /**
     * Creates one that is not held and has not been read.
     *
     * @param identity the name of this holder, which no other one has
     * @param changed called when a round has ended
     */
    ClusterLease(
            LeaseApi api,
            String identity,
            ControllerTimers time,
            ControllerCore.Settings settings,
            Supplier<Wish> wish,
            Runnable changed) {
        this.namespace = settings.leaseNamespace();
        this.name = "k8sdns-federation-" + settings.federation();
        this.identity = identity;
        this.api = api;
        this.time = time;
        this.settings = settings;
        this.wish = wish;
        this.changed = changed;
    }

    /** Returns whether Services may be written at this moment. */
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

    /** Returns why it is not held; empty if it is. */
    Optional<String> problem() {
        String text = reason;
        return isHeld()
                ? Optional.empty()
                : Optional.of(text == null ? "this controller does not hold the " + this : text);
    }

    /** Returns whether it is held, so many rounds have failed, or another controller renews it. */
    boolean isSettled(int often) {
        return isHeld() || failures >= often || isOtherAlive;
    }

    /**
     * Starts a round, unless one is running or the last renewal is recent. Called several times per lease, also while another controller
     * holds it, so that its end is noticed.
     */
    void run() {
        boolean isDue = sinceRenewal().compareTo(thirds(1)) >= 0 || wish() == Wish.GIVE_UP;
        if (!isRunning && !isClosed && isDue) {
            isRunning = true;
            isLastRound = released != null;
            conflicts = 0;
            read();
        }
    }

    private Wish wish() {
        return released == null ? wish.get() : Wish.GIVE_UP;
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

    /** There is no Lease. */
    private void decide() {
        lose();
        seen = null;
        if (wish() == Wish.HOLD) {
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
        Wish now = wish();
        if (now == Wish.GIVE_UP && isMine) {
            giveUp(lease);
        } else if (now == Wish.HOLD && (isMine || lease.holder().isEmpty() || hasExpired())) {
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

    private void giveUp(LeaseObject lease) {
        // Another controller may have it before the answer is here.
        renewedAt = null;
        call(() -> api.replace(namespace, name, lease.givenUp()), done -> {
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
        TimedCall.start(
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

    /** Returns what another program wrote, for one line of a log. */
    private static String printable(String text) {
        String start = text.length() > MAX_NAME ? text.substring(0, MAX_NAME) + "..." : text;
        return start.replaceAll("[^!-~]", "?");
    }

    /** Gives the Lease up if it is held, with one attempt, and ends; what cannot be given up is taken over after a lease. */
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

    /** Ends at once. */
    void close() {
        isClosed = true;
        api.close();
    }

    @Override
    public String toString() {
        return "Lease " + namespace + "/" + name;
    }
}
