package io.k8sdns.sockets;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits of a {@link DnsServer}, for one client and for all clients together.
 *
 * <p>UDP needs few limits: its queue is the socket's buffer, and the kernel drops the datagrams that do not fit. On TCP no client
 * can hold a connection forever, whatever it sends or does not send (RFC 7766, sections 6.2 and 10).
 *
 * <pre>{@code
 * ServerLimits limits = ServerLimits.builder().connections(200).idle(Duration.ofSeconds(3)).build();
 * }</pre>
 *
 * <p>An immutable value.
 */
public final class ServerLimits {
    private static final Duration MAX = Duration.ofDays(1);

    /**
     * 1 MiB of datagrams; 1,000 connections with 100 queries in flight and 64 KiB unsent each; 10 s idle (RFC 7766
     * section 6.2.3 asks for "a few seconds"), 5 s to receive, 30 s to answer, 5 s to send, 5 s to drain.
     */
    public static final ServerLimits DEFAULTS = new Builder().build();

    private final int udpReceiveBufferBytes;
    private final int connections;
    private final int queriesPerConnection;
    private final int unsentBytesPerConnection;
    private final Duration idle;
    private final Duration receive;
    private final Duration answer;
    private final Duration send;
    private final Duration drain;

    private ServerLimits(Builder builder) {
        udpReceiveBufferBytes = builder.udpReceiveBufferBytes;
        connections = builder.connections;
        queriesPerConnection = builder.queriesPerConnection;
        unsentBytesPerConnection = builder.unsentBytesPerConnection;
        idle = builder.idle;
        receive = builder.receive;
        answer = builder.answer;
        send = builder.send;
        drain = builder.drain;
        atLeastOne("udpReceiveBufferBytes", udpReceiveBufferBytes);
        atLeastOne("connections", connections);
        atLeastOne("queriesPerConnection", queriesPerConnection);
        atLeastOne("unsentBytesPerConnection", unsentBytesPerConnection);
        within("idle", idle, Duration.ofMillis(1));
        within("receive", receive, Duration.ofMillis(1));
        within("answer", answer, Duration.ofMillis(1));
        within("send", send, Duration.ofMillis(1));
        within("drain", drain, Duration.ZERO);
    }

    /** Returns a builder that holds {@link #DEFAULTS}. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that holds these limits. */
    public Builder toBuilder() {
        return new Builder(this);
    }

    private static void atLeastOne(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + number);
        }
    }

    private static void within(String name, Duration time, Duration min) {
        if (time.compareTo(min) < 0 || time.compareTo(MAX) > 0) {
            throw new IllegalArgumentException(name + " must be from " + min + " to " + MAX + ": " + time);
        }
    }

    /**
     * Returns the size in bytes of the buffer that is requested for each UDP socket; the kernel may grant less ({@code
     * net.core.rmem_max}). On Linux an ordinary query takes 416 bytes. The number of queries that the buffer holds,
     * times the time of one answer, is the longest wait of an answered query: 13 ms for 1 MiB at 5 us. A smaller buffer
     * shortens that wait; a larger one loses fewer queries while the process is paused.
     */
    public int udpReceiveBufferBytes() {
        return udpReceiveBufferBytes;
    }

    /**
     * Returns the maximum number of open TCP connections on all addresses together. If one more arrives, the connection that has
     * been idle longest is closed; if none is idle, the new one is closed at once.
     */
    public int connections() {
        return connections;
    }

    /**
     * Returns the maximum number of queries in flight on one connection. At that number the server stops reading from the
     * connection, so that TCP's flow control stops the client.
     */
    public int queriesPerConnection() {
        return queriesPerConnection;
    }

    /**
     * Returns the maximum size, in bytes, of the unsent responses of one connection. At that size the server starts no further
     * query of the connection; each query in flight may still add one response.
     */
    public int unsentBytesPerConnection() {
        return unsentBytesPerConnection;
    }

    /** Returns how long a connection stays open with no query in flight and no response unsent. */
    public Duration idle() {
        return idle;
    }

    /** Returns how long one message may take from its first byte to its last. */
    public Duration receive() {
        return receive;
    }

    /** Returns how long a connection with queries in flight may transfer no byte in either direction. */
    public Duration answer() {
        return answer;
    }

    /** Returns how long the client may take to accept one response. */
    public Duration send() {
        return send;
    }

    /** Returns how long {@link DnsServer#close()} waits for answers in flight. */
    public Duration drain() {
        return drain;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ServerLimits that
                && udpReceiveBufferBytes == that.udpReceiveBufferBytes
                && connections == that.connections
                && queriesPerConnection == that.queriesPerConnection
                && unsentBytesPerConnection == that.unsentBytesPerConnection
                && idle.equals(that.idle)
                && receive.equals(that.receive)
                && answer.equals(that.answer)
                && send.equals(that.send)
                && drain.equals(that.drain);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                udpReceiveBufferBytes,
                connections,
                queriesPerConnection,
                unsentBytesPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    @Override
    public String toString() {
        return "ServerLimits[udpReceiveBufferBytes=" + udpReceiveBufferBytes + ", connections=" + connections
                + ", queriesPerConnection=" + queriesPerConnection + ", unsentBytesPerConnection="
                + unsentBytesPerConnection + ", idle=" + idle + ", receive=" + receive + ", answer=" + answer
                + ", send=" + send + ", drain=" + drain + "]";
    }

    /** Builds {@link ServerLimits}. Not thread-safe. */
    public static final class Builder {
        private int udpReceiveBufferBytes = 1 << 20;
        private int connections = 1_000;
        private int queriesPerConnection = 100;
        private int unsentBytesPerConnection = 1 << 16;
        private Duration idle = Duration.ofSeconds(10);
        private Duration receive = Duration.ofSeconds(5);
        private Duration answer = Duration.ofSeconds(30);
        private Duration send = Duration.ofSeconds(5);
        private Duration drain = Duration.ofSeconds(5);

        private Builder() {}

        private Builder(ServerLimits limits) {
            udpReceiveBufferBytes = limits.udpReceiveBufferBytes;
            connections = limits.connections;
            queriesPerConnection = limits.queriesPerConnection;
            unsentBytesPerConnection = limits.unsentBytesPerConnection;
            idle = limits.idle;
            receive = limits.receive;
            answer = limits.answer;
            send = limits.send;
            drain = limits.drain;
        }

        /** Sets {@link ServerLimits#udpReceiveBufferBytes()}. */
        public Builder udpReceiveBufferBytes(int value) {
            udpReceiveBufferBytes = value;
            return this;
        }

        /** Sets {@link ServerLimits#connections()}. */
        public Builder connections(int value) {
            connections = value;
            return this;
        }

        /** Sets {@link ServerLimits#queriesPerConnection()}. */
        public Builder queriesPerConnection(int value) {
            queriesPerConnection = value;
            return this;
        }

        /** Sets {@link ServerLimits#unsentBytesPerConnection()}. */
        public Builder unsentBytesPerConnection(int value) {
            unsentBytesPerConnection = value;
            return this;
        }

        /** Sets {@link ServerLimits#idle()}. */
        public Builder idle(Duration value) {
            idle = Objects.requireNonNull(value, "idle");
            return this;
        }

        /** Sets {@link ServerLimits#receive()}. */
        public Builder receive(Duration value) {
            receive = Objects.requireNonNull(value, "receive");
            return this;
        }

        /** Sets {@link ServerLimits#answer()}. */
        public Builder answer(Duration value) {
            answer = Objects.requireNonNull(value, "answer");
            return this;
        }

        /** Sets {@link ServerLimits#send()}. */
        public Builder send(Duration value) {
            send = Objects.requireNonNull(value, "send");
            return this;
        }

        /** Sets {@link ServerLimits#drain()}. */
        public Builder drain(Duration value) {
            drain = Objects.requireNonNull(value, "drain");
            return this;
        }

        /**
         * Returns the limits.
         *
         * @throws IllegalArgumentException if a number is less than 1, or a time is less than a millisecond ({@code drain}
         *     may be zero) or more than a day; the message names it
         */
        public ServerLimits build() {
            return new ServerLimits(this);
        }
    }
}
