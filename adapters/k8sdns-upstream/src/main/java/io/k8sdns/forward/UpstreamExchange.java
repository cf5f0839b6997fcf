package io.k8sdns.forward;

import io.k8sdns.resolver.Answer;
import java.io.IOException;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;

/**
 * The forwarding of one question: asks the servers of a zone one after another until one answers or the deadline is reached. Used only
 * on the loop's thread, except for {@link #result}.
 */
final class UpstreamExchange {
    static final int HEADER_LENGTH = 12;

    /** The number of attempts per server of the zone, reached only if attempts fail immediately. */
    private static final int ATTEMPTS_PER_SERVER = 3;

    private final UpstreamGroup group;
    private final UpstreamQuery query;
    private final CompletableFuture<Answer> result = new CompletableFuture<>();

    /** The attempts that may still receive a response. */
    private final List<Attempt> open = new ArrayList<>();

    private List<ServerState> order = List.of();
    private int attempts;
    private boolean isProbe;

    /** The number of retries to the same server over TCP or without EDNS. */
    private int retries;

    private long deadline;
    private @Nullable IOException lastFailure;

    /** SERVFAIL or REFUSED of a server, which is the result if no other server answers. */
    private @Nullable Answer refusal;

    UpstreamExchange(UpstreamGroup group, UpstreamQuery query) {
        this.group = group;
        this.query = query;
    }

    CompletableFuture<Answer> result() {
        return result;
    }

    UpstreamQuery query() {
        return query;
    }

    UpstreamZone zone() {
        return group.zone();
    }

    boolean isOver() {
        return result.isDone();
    }

    /** Sends the question to the first server, or fails if the zone fails fast and all servers are down. */
    void start() {
        order = group.order();
        if (zone().failsFast() && order.stream().allMatch(ServerState::isDown)) {
            fail(new IOException("all servers of " + zone().name() + ". are down"));
        } else {
            begin();
        }
    }

    /** Sends the question of a loop probe to the first server, even if all servers are down. */
    void startProbe() {
        order = group.order();
        begin();
    }

    private void begin() {
        deadline = System.nanoTime() + zone().deadline().toNanos();
        next();
    }

    /** Sends a probe to one server, once. */
    void probe(ServerState server) {
        isProbe = true;
        order = List.of(server);
        attempts = ATTEMPTS_PER_SERVER - 1;
        deadline = System.nanoTime() + zone().deadline().toNanos();
        next();
    }

    private void next() {
        if (result.isDone()) {
            return;
        }
        long left = deadline - System.nanoTime();
        Answer refused = refusal;
        if (refused != null && (left <= 0 || attempts >= order.size())) {
            complete(refused);
            return;
        }
        if (left <= 0 || attempts >= ATTEMPTS_PER_SERVER * order.size()) {
            if (!isProbe) {
                group.observe(observer -> observer.unanswered(zone()));
            }
            IOException failure = lastFailure;
            fail(failure != null ? failure : new SocketTimeoutException("deadline passed"));
            return;
        }
        ServerState server = order.get(attempts % order.size());
        attempts++;
        ask(server, server.isStream(), server.usesEdns(), left);
    }

    private void ask(ServerState server, boolean stream, boolean edns, long left) {
        long timeout = Math.min(left, zone().attemptTimeout().toNanos());
        Attempt.start(this, server, stream, edns, timeout);
    }

    /** Asks the same server again, over TCP or without EDNS. */
    void retry(ServerState server, boolean stream, boolean edns) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || ++retries > 2 * order.size()) {
            failed(server, new IOException(server + ": no usable response"));
            return;
        }
        ask(server, stream, edns, left);
    }

    /**
     * Handles the response of a server.
     *
     * @param withoutEdns retries without EDNS if the query had it; returns whether it had
     */
    void received(ServerState server, ByteBuffer response, long nanos, BooleanSupplier withoutEdns) {
        UpstreamResponse.Content content;
        try {
            content = UpstreamResponse.read(query, zone().name(), response);
        } catch (IOException malformed) {
            server.unreadable();
            failed(server, malformed);
            return;
        }
        Answer answer = content.answer();
        if (answer.rcode() == Rcode.BADVERS) {
            if (!withoutEdns.getAsBoolean()) {
                server.unreadable();
                failed(server, new IOException("answered BADVERS to a query without EDNS"));
            }
            return;
        }
        if (content.hasOpt()) {
            server.recordEdns();
        }
        server.answered(answer.rcode(), nanos);
        if (zone().asksNextOnFailure() && (answer.rcode() == Rcode.SERVFAIL || answer.rcode() == Rcode.REFUSED)) {
            refusal = answer;
            next();
            return;
        }
        complete(answer);
    }

    void started(Attempt attempt) {
        open.add(attempt);
    }

    void ended(Attempt attempt) {
        open.remove(attempt);
    }

    private void endAll() {
        // Each attempt removes itself from the list.
        while (!open.isEmpty()) {
            open.get(open.size() - 1).end();
        }
        group.done(this);
    }

    private void complete(Answer answer) {
        endAll();
        result.complete(answer);
    }

    void failed(ServerState server, IOException failure) {
        lastFailure = new IOException(server + ": " + reason(failure), failure);
        next();
    }

    private static String reason(IOException failure) {
        String message = failure.getMessage();
        return failure instanceof PortUnreachableException
                ? "nothing listens there"
                : message == null ? failure.getClass().getSimpleName() : message;
    }

    void expired(ServerState server) {
        lastFailure = new SocketTimeoutException(server + ": no response in time");
        next();
    }

    void fail(IOException failure) {
        endAll();
        result.completeExceptionally(failure);
    }
}
