package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.CacheStalePolicy;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Function;
import org.xbill.DNS.TTL;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} for the cache of forwarded answers. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class CacheOptions {
    /** The default of {@code --cache-max-ttl}. */
    static final int MAX_TTL = (int) AnswerCache.MAX_TTL.toSeconds();

    /** The default of {@code --cache-max-negative-ttl}. */
    private static final int MAX_NEGATIVE_TTL = (int) AnswerCache.MAX_NEGATIVE_TTL.toSeconds();

    /** The minimum of all TTLs other than 0. A lower maximum takes precedence. */
    static final int MIN_TTL = (int) AnswerCache.MIN_TTL.toSeconds();

    /** The longest time that the library serves a stale answer. */
    static final long MAX_STALE_SECONDS = Duration.ofDays(7).toSeconds();

    private long size;
    private Optional<Long> maxTtl;
    private Optional<Long> maxNegativeTtl;
    private long serveStale;
    private Optional<StaleMode> staleMode;
    private long prefetch;

    /** When a stale answer is served. */
    enum StaleMode {
        ON_FAILURE,
        IMMEDIATE
    }

    /** Declares the options under a heading. */
    void declare(CommandSpec command, String heading) {
        addOptions(
                command,
                heading,
                option("--cache-size", long.class, value -> size = value)
                        .paramLabel("BYTES")
                        .defaultValue("33554432")
                        .description(
                                "How much memory forwarded answers may take, 0 for none (default: ${DEFAULT-VALUE})."),
                optional("--cache-max-ttl", Long.class, value -> maxTtl = value)
                        .paramLabel("SECONDS")
                        .description("The highest TTL of forwarded answers, 0 to not cache them; TTLs of 1 to 4 become "
                                + MIN_TTL + ", or this maximum (default: " + MAX_TTL + ")."),
                optional("--cache-max-negative-ttl", Long.class, value -> maxNegativeTtl = value)
                        .paramLabel("SECONDS")
                        .description("The same for NXDOMAIN and NODATA (default: " + MAX_NEGATIVE_TTL
                                + ", or that of --cache-max-ttl if it is lower)."),
                option("--serve-stale", long.class, value -> serveStale = value)
                        .paramLabel("SECONDS")
                        .defaultValue("0")
                        .description(
                                "For how long after its TTL an answer is used if the servers fail (RFC 8767), at most "
                                        + MAX_STALE_SECONDS + "; 0 for never (default: ${DEFAULT-VALUE})."),
                optional("--serve-stale-mode", StaleMode.class, value -> staleMode = value)
                        .paramLabel("on-failure|immediate")
                        .description(
                                "When --serve-stale uses such an answer: on-failure: if the servers fail, or take longer than 1.8 "
                                        + "seconds; immediate: always, and the servers are queried for the next client (default: "
                                        + "on-failure)."),
                option("--prefetch", long.class, value -> prefetch = value)
                        .paramLabel("HITS")
                        .defaultValue("0")
                        .description(
                                "Query the servers again before a cached answer expires, in the last tenth of its TTL or its last second, if "
                                        + "it had this number of hits, at most a minute apart; 0 for never (default: ${DEFAULT-VALUE})."));
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @param usage returns the exception for a text
     * @throws ParameterException if an option is invalid
     */
    void check(Function<String, ParameterException> usage) {
        if (size < 0) {
            throw usage.apply("--cache-size: not a number of bytes: " + size);
        }
        requireRange("--cache-max-ttl: not a TTL", maxTtl.orElse(0L), TTL.MAX_VALUE, usage);
        requireRange("--cache-max-negative-ttl: not a TTL", maxNegativeTtl.orElse(0L), TTL.MAX_VALUE, usage);
        requireRange("--serve-stale: not a number of seconds", serveStale, MAX_STALE_SECONDS, usage);
        requireRange("--prefetch: not a number of hits", prefetch, Integer.MAX_VALUE, usage);
        if (staleMode.isPresent() && serveStale == 0) {
            throw usage.apply("--serve-stale-mode needs --serve-stale");
        }
        if (!isEnabled()) {
            requireUnset("--cache-max-ttl", maxTtl.isPresent(), usage);
            requireUnset("--cache-max-negative-ttl", maxNegativeTtl.isPresent(), usage);
            requireUnset("--serve-stale", serveStale > 0, usage);
            requireUnset("--prefetch", prefetch > 0, usage);
        }
    }

    private static void requireUnset(String option, boolean isSet, Function<String, ParameterException> usage) {
        if (isSet) {
            throw usage.apply(option + " has no effect with --cache-size 0, which caches no answers");
        }
    }

    private static void requireRange(String message, long value, long max, Function<String, ParameterException> usage) {
        if (value < 0 || value > max) {
            throw usage.apply(message + " (0 to " + max + "): " + value);
        }
    }

    /** Returns whether forwarded answers are cached. */
    boolean isEnabled() {
        return size > 0;
    }

    /** Sets the size and the bounds of TTLs in a builder. */
    AnswerCache.Builder bound(AnswerCache.Builder builder) {
        return builder.capacityBytes(size)
                .positiveTtl(minTtl(maxPositive()), Duration.ofSeconds(maxPositive()))
                .negativeTtl(minTtl(maxNegative()), Duration.ofSeconds(maxNegative()));
    }

    /**
     * Sets all options in a builder.
     *
     * @param timer ends the wait for servers while there is a stale answer
     */
    AnswerCache.Builder apply(AnswerCache.Builder builder, ScheduledExecutorService timer) {
        bound(builder);
        if (serveStale > 0) {
            CacheStalePolicy policy = staleMode.equals(Optional.of(StaleMode.IMMEDIATE))
                    ? CacheStalePolicy.immediate()
                    : CacheStalePolicy.onFailure().afterWaiting(CacheStalePolicy.CLIENT_WAIT, timer);
            builder.serveStale(policy.maxAge(Duration.ofSeconds(serveStale)));
        }
        return prefetch > 0 ? builder.prefetch((int) prefetch) : builder;
    }

    private static Duration minTtl(long maxTtl) {
        return Duration.ofSeconds(Math.min(MIN_TTL, maxTtl));
    }

    private long maxPositive() {
        return maxTtl.orElse((long) MAX_TTL);
    }

    private long maxNegative() {
        return maxNegativeTtl.orElse(maxNegativeTtl(maxPositive()));
    }

    /** Returns the default of {@code --cache-max-negative-ttl} for a value of {@code --cache-max-ttl}. */
    static long maxNegativeTtl(long maxTtl) {
        return Math.min(MAX_NEGATIVE_TTL, maxTtl);
    }
}
