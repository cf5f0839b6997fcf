package io.k8sdns.netty;

import java.time.Duration;
import java.util.Objects;

/**
 * What one client may take from a {@link DnsStreamHandler} (RFC 7766, sections 6.2 and 10). Octets of responses that wait
 * for their reader are limited by the channel's own water mark: while it is not writable no query is begun.
 *
 * @param queries queries of one connection in flight. While there are so many nothing more is read from it
 * @param idle how long a connection stays open on which nothing is asked and nothing is due
 * @param receive how long one message may take from its first octet to its last
 * @param due how long a connection may see nothing answered, sent or received while an answer is due
 */
public record StreamLimits(int queries, Duration idle, Duration receive, Duration due) {
    private static final Duration LONGEST = Duration.ofDays(1);

    /** 100 queries in flight; 10 s idle, 5 s to receive, 30 s for what is due. */
    public static final StreamLimits DEFAULTS =
            new StreamLimits(100, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(30));

    /**
     * Checks that there may be a query and that every time is from a millisecond to a day.
     *
     * @throws IllegalArgumentException if not; the message names what is wrong
     */
    public StreamLimits {
        if (queries < 1) {
            throw new IllegalArgumentException("queries must be at least 1: " + queries);
        }
        within("idle", idle);
        within("receive", receive);
        within("due", due);
    }

    /** Returns the same limits with another number of queries in flight. */
    public StreamLimits withQueries(int value) {
        return new StreamLimits(value, idle, receive, due);
    }

    /** Returns the same limits with other times. */
    public StreamLimits withTimes(Duration idleTime, Duration receiveTime, Duration dueTime) {
        return new StreamLimits(queries, idleTime, receiveTime, dueTime);
    }

    private static void within(String name, Duration time) {
        Objects.requireNonNull(time, name);
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from PT0.001S to " + LONGEST + ": " + time);
        }
    }
}
