package io.k8sdns.forward;

import io.k8sdns.forward.UpstreamObserver.Failure;
import java.io.IOException;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/** One query of an exchange to one server. A response, a failure or a timeout ends it. */
final class Attempt {
    private final UpstreamExchange exchange;
    private final ServerState server;
    private final boolean stream;
    private final boolean edns;
    private final boolean exactCase;
    private final int id;
    private final byte[] message;
    private final long sentAt = System.nanoTime();
    private boolean resent;
    private boolean isLate;

    private @Nullable UpstreamUdpSocket socket;
    private @Nullable StreamConnection connection;
    private IoLoop.@Nullable Timer timer;

    private Attempt(UpstreamExchange exchange, ServerState server, boolean stream, boolean edns, int id) {
        this.exchange = exchange;
        this.server = server;
        this.stream = stream;
        this.edns = edns;
        this.id = id;
        byte[] cases =
                stream || !exchange.zone().randomCase() ? null : server.random().bytes(Long.BYTES * 2);
        this.exactCase = cases != null;
        this.message = exchange.query().message(id, edns, cases);
    }

    /** Sends the exchange's query to a server. */
    static void start(UpstreamExchange exchange, ServerState server, boolean stream, boolean edns, long timeoutNanos) {
        UpstreamUdpSocket socket = null;
        StreamConnection connection = null;
        Attempt attempt;
        try {
            if (stream) {
                connection = server.connection();
                int id = server.freeId(connection::isPending);
                attempt = new Attempt(exchange, server, true, edns, id);
            } else {
                socket = server.socket();
                int id = server.freeId(socket::isPending);
                attempt = new Attempt(exchange, server, false, edns, id);
            }
        } catch (IOException failed) {
            server.failed(Failure.NETWORK);
            exchange.failed(server, failed);
            return;
        }
        attempt.socket = socket;
        exchange.started(attempt);
        attempt.timer = server.loop().schedule(timeoutNanos, attempt::expired);
        attempt.connect(connection);
    }

    private void connect(@Nullable StreamConnection to) {
        connection = to;
        try {
            if (to != null) {
                to.send(this);
            } else if (socket != null) {
                socket.send(this);
            }
        } catch (IOException failed) {
            if (to != null) {
                to.end(failed);
            } else if (socket != null) {
                socket.failed(failed);
            }
        }
    }

    int id() {
        return id;
    }

    byte[] message() {
        return message;
    }

    /** Returns when the query was sent, by {@link System#nanoTime()}. */
    long sentAt() {
        return sentAt;
    }

    boolean isResponse(ByteBuffer response) {
        if (!UpstreamQuery.isResponse(message, response, false)) {
            return false;
        }
        if (exactCase && !UpstreamQuery.isResponse(message, response, true)) {
            // Either the server changed the letter case or omitted the question, or the response is forged. The
            // response over TCP cannot be forged.
            end();
            exchange.retry(server, true, edns);
            return false;
        }
        return true;
    }

    void received(ByteBuffer response) {
        end();
        if (UpstreamResponse.isTruncated(response)) {
            if (stream) {
                server.failed(Failure.MALFORMED);
                exchange.failed(server, new IOException("truncated over TCP"));
            } else {
                server.answered();
                exchange.retry(server, true, edns);
            }
            return;
        }
        boolean mayRefuseEdns = mayRefuseEdns(response);
        if (edns && mayRefuseEdns) {
            exchange.retry(server, stream, false);
            return;
        }
        if (!edns && !mayRefuseEdns) {
            server.answeredWithoutEdns();
        }
        exchange.received(server, response, System.nanoTime() - sentAt, () -> {
            if (edns) {
                exchange.retry(server, stream, false);
            }
            return edns;
        });
    }

    /**
     * Returns whether a response may come from a server without EDNS (RFC 6891, 7): FORMERR or NOTIMP, without an OPT record or with a
     * copy of the query's. A server with EDNS can send it too, to reject the question itself; the same query without EDNS distinguishes
     * the cases.
     */
    private boolean mayRefuseEdns(ByteBuffer response) {
        int rcode = UpstreamResponse.rcode(response);
        if (rcode != Rcode.FORMERR && rcode != Rcode.NOTIMP) {
            return false;
        }
        boolean hasAdditional = response.getShort(response.position() + 10) != 0;
        return !hasAdditional || isEcho(response);
    }

    /** Returns whether a response equals the query after the header. */
    private boolean isEcho(ByteBuffer response) {
        int header = UpstreamExchange.HEADER_LENGTH;
        return response.slice(response.position() + header, response.remaining() - header)
                .equals(ByteBuffer.wrap(message, header, message.length - header));
    }

    /** Ends the attempt because the server could not be reached. */
    void failed(IOException failure) {
        end();
        if (isLate) {
            return;
        }
        server.failed(Failure.NETWORK);
        exchange.failed(server, failure);
    }

    /**
     * Ends the attempt, or sends the query again, because the connection was closed.
     *
     * @param stale whether the connection had worked before. The server may then have closed it because it was idle, so that the query
     *     is sent once more (RFC 7766, 6.2.4)
     */
    void lost(IOException failure, boolean stale) {
        if (!stale || resent || exchange.isOver()) {
            failed(failure);
            return;
        }
        resent = true;
        try {
            connect(server.unusedConnection(id));
        } catch (IOException unreachable) {
            failed(unreachable);
        }
    }

    /**
     * Ends the wait for a response. Over UDP a late response is still accepted until the exchange ends, because the server may only be
     * slow.
     */
    private void expired() {
        isLate = true;
        if (connection != null) {
            connection.forget(this, true);
        }
        server.failed(Failure.TIMEOUT);
        exchange.expired(server);
    }

    /** Stops waiting for the response. */
    void end() {
        exchange.ended(this);
        IoLoop.Timer running = timer;
        if (running != null) {
            running.cancel();
        }
        if (socket != null) {
            socket.forget(this);
        }
        if (connection != null) {
            connection.forget(this, false);
        }
    }
}
