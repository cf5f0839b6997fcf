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
 * One question on its way to the servers of a zone: asks one after another until one answers, or the deadline is reached. Used on
 * the loop's thread alone, but for {@link #result}.
 */
final class UpstreamExchange {
    static final int HEADER_LENGTH = 12;

    /** How often a question is sent if every attempt fails at once, for each server of the zone. */
    private static final int ATTEMPTS_PER_SERVER = 3;

    private final UpstreamGroup group;
    private final UpstreamQuery query;
    private final CompletableFuture<Answer> result = new CompletableFuture<>();

    /** The attempts that a response may still come to. */
    private final List<Attempt> open = new ArrayList<>();

    private List<ServerState> order = List.of();
    private int attempts;
    private boolean isProbe;

    /** How often the same server was asked again in another way: over TCP, without EDNS. */
    private int repetitions;

    private long deadline;
    private @Nullable IOException lastFailure;

    /** SERVFAIL or REFUSED of a server, handed on if no other one answers. */
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

    /** Begins. */
    void start() {
        deadline = System.nanoTime() + zone().deadline().toNanos();
        order = group.order();
        if (zone().failsFast() && order.stream().allMatch(ServerState::isAside)) {
            fail(new IOException("all servers of " + zone().name() + ". are set aside"));
            return;
        }
        next();
    }

    /** Asks one server, once, whether it works. */
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
            fail(failure != null ? failure : new SocketTimeoutException("no time left"));
            return;
        }
        ServerState server = order.get(attempts % order.size());
        attempts++;
        ask(server, server.isStream(), server.takesEdns(), left);
    }

    private void ask(ServerState server, boolean stream, boolean edns, long left) {
        long timeout = Math.min(left, zone().attemptTimeout().toNanos());
        Attempt.start(this, server, stream, edns, timeout);
    }

    /** Asks the same server in another way. */
    void again(ServerState server, boolean stream, boolean edns) {
        long left = deadline - System.nanoTime();
        if (left <= 0 || ++repetitions > 2 * order.size()) {
            failed(server, new IOException(server + ": no usable response"));
            return;
        }
        ask(server, stream, edns, left);
    }

    /**
     * Takes the response of a server.
     *
     * @param withoutEdns asks again without EDNS, if the question was asked with it; returns whether it was
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
                failed(server, new IOException("BADVERS to a question without EDNS"));
            }
            return;
        }
        if (content.hasOpt()) {
            server.knowsEdns();
        }
        server.answered(answer.rcode(), nanos);
        if (zone().isNextOnFailure() && (answer.rcode() == Rcode.SERVFAIL || answer.rcode() == Rcode.REFUSED)) {
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
        // Each takes itself off the list.
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
