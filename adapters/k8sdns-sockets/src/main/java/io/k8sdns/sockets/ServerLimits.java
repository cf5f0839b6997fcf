package io.k8sdns.sockets;

import io.k8sdns.model.Internal;
import java.time.Duration;
import java.util.Objects;

/**
 * What one client, or all of them, may take from a {@link DnsServer}.
 *
 * <p>UDP needs few limits: its queue is the socket's buffer, and what does not fit there is dropped by the kernel. On TCP
 * nothing that a client does, or leaves undone, may hold a connection for ever (RFC 7766, sections 6.2 and 10).
 *
 * @param udpReceiveBufferOctets what the kernel is asked to queue per UDP socket; it may give less
 *     ({@code net.core.rmem_max}). On Linux an ordinary query takes 416 of them, and what the queue holds, times the time
 *     of an answer, is the longest that an answered query has waited: 13 ms for 1 MiB at 5 us. Less bounds that; more
 *     loses less while the process stands still
 * @param connections TCP connections at once, all addresses together. When one more comes, the connection idle for the
 *     longest time makes room; when none is idle, the new one is closed at once
 * @param queriesPerConnection queries of one connection in flight. While there are so many nothing more is read from it,
 *     so that TCP's own flow control stops the sender
 * @param unsentOctetsPerConnection responses of one connection that wait for their reader, in octets. While there is so
 *     much no further query of it is begun; those in flight may still add a message each
 * @param idle how long a connection stays open on which nothing is asked and nothing is due
 * @param receive how long one message may take from its first octet to its last
 * @param answer how long a connection whose queries are in flight may see no octet go either way
 * @param send how long one response may take until the client's side has room for all of it
 * @param drain how long {@link DnsServer#close()} waits for the answers that are due
 */
public record ServerLimits(
        int udpReceiveBufferOctets,
        int connections,
        int queriesPerConnection,
        int unsentOctetsPerConnection,
        Duration idle,
        Duration receive,
        Duration answer,
        Duration send,
        Duration drain) {
    private static final Duration LONGEST = Duration.ofDays(1);

    /**
     * 1 MiB of datagrams; 1,000 connections with 100 queries in flight and 64 KiB unsent each; 10 s idle (RFC 7766
     * section 6.2.3 asks for "a few seconds"), 5 s to receive, 30 s to answer, 5 s to send, 5 s to drain.
     */
    public static final ServerLimits DEFAULTS = new ServerLimits(
            1 << 20,
            1_000,
            100,
            1 << 16,
            Duration.ofSeconds(10),
            Duration.ofSeconds(5),
            Duration.ofSeconds(30),
            Duration.ofSeconds(5),
            Duration.ofSeconds(5));

    /**
     * Checks that every number is at least 1 and every time from a millisecond to a day ({@code drain} may be zero).
     *
     * @throws IllegalArgumentException if one is not; the message names it
     */
    @Internal
    public ServerLimits {
        atLeastOne("udpReceiveBufferOctets", udpReceiveBufferOctets);
        atLeastOne("connections", connections);
        atLeastOne("queriesPerConnection", queriesPerConnection);
        atLeastOne("unsentOctetsPerConnection", unsentOctetsPerConnection);
        within("idle", idle, Duration.ofMillis(1));
        within("receive", receive, Duration.ofMillis(1));
        within("answer", answer, Duration.ofMillis(1));
        within("send", send, Duration.ofMillis(1));
        within("drain", drain, Duration.ZERO);
    }

    /** Returns these limits with another {@code udpReceiveBufferOctets}. */
    public ServerLimits withUdpReceiveBufferOctets(int udpReceiveBufferOctets) {
        return new ServerLimits(
                udpReceiveBufferOctets,
                connections,
                queriesPerConnection,
                unsentOctetsPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    /** Returns these limits with another {@code connections}. */
    public ServerLimits withConnections(int connections) {
        return new ServerLimits(
                udpReceiveBufferOctets,
                connections,
                queriesPerConnection,
                unsentOctetsPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    /** Returns these limits with another {@code queriesPerConnection}. */
    public ServerLimits withQueriesPerConnection(int queriesPerConnection) {
        return new ServerLimits(
                udpReceiveBufferOctets,
                connections,
                queriesPerConnection,
                unsentOctetsPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    /** Returns these limits with other times of a connection. */
    public ServerLimits withTimes(Duration idle, Duration receive, Duration answer, Duration send) {
        return new ServerLimits(
                udpReceiveBufferOctets,
                connections,
                queriesPerConnection,
                unsentOctetsPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    /** Returns these limits with another {@code drain}. */
    public ServerLimits withDrain(Duration drain) {
        return new ServerLimits(
                udpReceiveBufferOctets,
                connections,
                queriesPerConnection,
                unsentOctetsPerConnection,
                idle,
                receive,
                answer,
                send,
                drain);
    }

    private static void atLeastOne(String name, int number) {
        if (number < 1) {
            throw new IllegalArgumentException(name + " must be at least 1: " + number);
        }
    }

    private static void within(String name, Duration time, Duration least) {
        Objects.requireNonNull(time, name);
        if (time.compareTo(least) < 0 || time.compareTo(LONGEST) > 0) {
            throw new IllegalArgumentException(name + " must be from " + least + " to " + LONGEST + ": " + time);
        }
    }
}
