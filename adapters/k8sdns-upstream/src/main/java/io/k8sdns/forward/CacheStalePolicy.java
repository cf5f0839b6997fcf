package io.k8sdns.forward;

import io.k8sdns.model.Internal;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The conditions under which an {@link AnswerCache} serves stale answers, those whose TTL has expired (RFC 8767). An immutable value.
 *
 * <pre>{@code
 * CacheStalePolicy.onFailure();
 * CacheStalePolicy.onFailure().afterWaiting(Duration.ofMillis(1800), scheduler);
 * CacheStalePolicy.immediate().maxAge(Duration.ofHours(24));
 * }</pre>
 *
 * <p>By default a stale answer is served for at most an hour after its TTL expired, with a TTL of 30 seconds, and after a failure the
 * upstream server is not asked again for 30 seconds about the same question. RFC 8767, section 5, recommends these values, except for
 * the hour, where it recommends 1 to 3 days: in a cluster an IP address is reused sooner.
 *
 * <p>A stale answer has the extended error 3 (<i>Stale Answer</i>), a stale NXDOMAIN 19 (<i>Stale NXDOMAIN Answer</i>): RFC 8914, 4.4 and
 * 4.20, has a code for each. A stale NODATA has 3, since its RCODE is NOERROR.
 */
public final class CacheStalePolicy {
    /** The time after which RFC 8767, section 5, recommends a stale answer, just below the usual timeout of clients. */
    @Internal
    public static final Duration CLIENT_WAIT = Duration.ofMillis(1_800);

    private static final Duration MAX_TIME = Duration.ofDays(7);

    private final boolean isImmediate;
    private final Duration maxAge;
    private final Duration ttl;
    private final Duration recheck;
    private final @Nullable Waiting waiting;

    /** The time that a client waits for the upstream server before it receives a stale answer. */
    record Waiting(Duration time, ScheduledExecutorService scheduler) {}

    private CacheStalePolicy(
            boolean isImmediate, Duration maxAge, Duration ttl, Duration recheck, @Nullable Waiting waiting) {
        this.isImmediate = isImmediate;
        this.maxAge = maxAge;
        this.ttl = ttl;
        this.recheck = recheck;
        this.waiting = waiting;
    }

    /**
     * Returns a policy that asks the upstream server first, and serves a stale answer if the forwarder fails or the answer is SERVFAIL.
     *
     * <p>A {@link io.k8sdns.upstream.ForwardingResolver} in front of the cache must have a later deadline than the forwarder behind it:
     * otherwise the client receives SERVFAIL before the forwarder fails. {@link #afterWaiting} also avoids that.
     */
    public static CacheStalePolicy onFailure() {
        return new CacheStalePolicy(false, Duration.ofHours(1), Duration.ofSeconds(30), Duration.ofSeconds(30), null);
    }

    /**
     * Returns a policy that serves a stale answer immediately and refreshes it for the next client, as CoreDNS's {@code serve_stale}
     * does by default.
     */
    public static CacheStalePolicy immediate() {
        return new CacheStalePolicy(true, Duration.ofHours(1), Duration.ofSeconds(30), Duration.ofSeconds(30), null);
    }

    /**
     * Returns the same policy, with a limit on how long a client waits for the upstream server while there is a stale answer (the
     * client response timer of RFC 8767, section 5). The query continues, and its answer is cached. A policy that is {@link #immediate}
     * never waits.
     *
     * @param time more than zero, at most 7 days; RFC 8767 recommends 1.8 seconds, just below the usual timeout of clients
     * @param scheduler runs the tasks that serve stale answers. The host must shut it down; after that, clients wait for the upstream
     *     server
     * @throws IllegalArgumentException if the time is out of that range
     */
    public CacheStalePolicy afterWaiting(Duration time, ScheduledExecutorService scheduler) {
        Objects.requireNonNull(scheduler, "scheduler");
        return new CacheStalePolicy(
                isImmediate, maxAge, ttl, recheck, new Waiting(positive("wait limit", time), scheduler));
    }

    /**
     * Returns the same policy with another maximum age.
     *
     * @param time how long an answer is served after its TTL expired, more than zero, at most 7 days; an hour by default
     * @throws IllegalArgumentException if it is out of that range
     */
    public CacheStalePolicy maxAge(Duration time) {
        return new CacheStalePolicy(isImmediate, positive("maximum age", time), ttl, recheck, waiting);
    }

    /**
     * Returns the same policy with another TTL of stale answers.
     *
     * @param time more than zero, at most 7 days, in whole seconds; 30 seconds by default. A stale answer never has a longer TTL than
     *     the remaining maximum age
     * @throws IllegalArgumentException if it is out of that range or has a fraction of a second
     */
    public CacheStalePolicy ttl(Duration time) {
        CacheRules.seconds("TTL of stale answers", positive("TTL of stale answers", time));
        return new CacheStalePolicy(isImmediate, maxAge, time, recheck, waiting);
    }

    /**
     * Returns the same policy with another time between a failure and the next query for the same question.
     *
     * @param time more than zero, at most 7 days; 30 seconds by default
     * @throws IllegalArgumentException if it is out of that range
     */
    public CacheStalePolicy recheck(Duration time) {
        return new CacheStalePolicy(isImmediate, maxAge, ttl, positive("recheck time", time), waiting);
    }

    private static Duration positive(String name, Duration time) {
        Objects.requireNonNull(time, name);
        if (time.isNegative() || time.isZero() || time.compareTo(MAX_TIME) > 0) {
            throw new IllegalArgumentException(name + " must be more than zero and at most 7 days: " + time);
        }
        return time;
    }

    boolean isImmediate() {
        return isImmediate;
    }

    long maxAgeNanos() {
        return maxAge.toNanos();
    }

    long ttlSeconds() {
        return ttl.toSeconds();
    }

    long recheckNanos() {
        return recheck.toNanos();
    }

    @Nullable
    Waiting waiting() {
        return waiting;
    }
}
