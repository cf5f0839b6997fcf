package io.k8sdns.netty;

import io.k8sdns.model.Internal;
import java.time.Duration;
import java.util.Objects;

/**
 * Limits of one client of a {@link DnsStreamHandler} (RFC 7766, sections 6.2 and 10). The channel's own water mark limits
 * the bytes of responses that wait for the client: while the channel is not writable, no query is started.
 *
 * @param queries queries of one connection in flight. At that number the handler stops reading from the connection
 * @param idle how long a connection stays open with no query in flight and no response unsent
 * @param receive how long one message may take from its first byte to its last
 * @param pending how long a connection may be inactive (nothing is answered, sent or received) while an answer is pending
 */
public record StreamLimits(int queries, Duration idle, Duration receive, Duration pending) {
    private static final Duration MAX = Duration.ofDays(1);

    /** 100 queries in flight; 10 s idle, 5 s to receive, 30 s for pending answers. */
    public static final StreamLimits DEFAULTS =
            new StreamLimits(100, Duration.ofSeconds(10), Duration.ofSeconds(5), Duration.ofSeconds(30));

    /**
     * Checks that there is at least one query and that every time is from a millisecond to a day.
     *
     * @throws IllegalArgumentException if not; the message names the field
     */
    @Internal
    public StreamLimits {
        if (queries < 1) {
            throw new IllegalArgumentException("queries must be at least 1: " + queries);
        }
        within("idle", idle);
        within("receive", receive);
        within("pending", pending);
    }

    /** Returns a builder that holds {@link #DEFAULTS}. */
    public static Builder builder() {
        return DEFAULTS.toBuilder();
    }

    /** Returns a builder that holds these limits. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    private static void within(String name, Duration time) {
        if (time.compareTo(Duration.ofMillis(1)) < 0 || time.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(name + " must be from PT0.001S to " + MAX + ": " + time);
        }
    }

    /** Builds {@link StreamLimits}. Not thread-safe. */
    public static final class Builder {
        private int queries;
        private Duration idle;
        private Duration receive;
        private Duration pending;

        private Builder(StreamLimits limits) {
            queries = limits.queries;
            idle = limits.idle;
            receive = limits.receive;
            pending = limits.pending;
        }

        /** Sets {@link StreamLimits#queries()}. */
        public Builder queries(int value) {
            queries = value;
            return this;
        }

        /** Sets {@link StreamLimits#idle()}. */
        public Builder idle(Duration value) {
            idle = Objects.requireNonNull(value, "idle");
            return this;
        }

        /** Sets {@link StreamLimits#receive()}. */
        public Builder receive(Duration value) {
            receive = Objects.requireNonNull(value, "receive");
            return this;
        }

        /** Sets {@link StreamLimits#pending()}. */
        public Builder pending(Duration value) {
            pending = Objects.requireNonNull(value, "pending");
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException if {@code queries} is less than 1, or a time is less than a millisecond or more than
         *     a day; the message names it
         */
        public StreamLimits build() {
            return new StreamLimits(queries, idle, receive, pending);
        }
    }
}
