package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import javax.net.ssl.SSLContext;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** The servers of one zone, and the questions in flight to them. */
final class UpstreamGroup {
    private static final UpstreamQuery PROBE =
            new UpstreamQuery(DnsLabels.EMPTY, RecordType.of(Type.NS), false, false, ByteBuffer.allocate(0));

    private final UpstreamZone zone;
    private final UpstreamForwarder forwarder;

    /** The extended error of a question beyond the limit. Compared by identity, so that no response of a server can forge it. */
    private final ExtendedError limitReached;

    private final List<ServerState> servers = new ArrayList<>();
    private final Map<UpstreamQuery, UpstreamExchange> inFlight = new ConcurrentHashMap<>();
    private final AtomicInteger concurrent = new AtomicInteger();
    private int turn;
    private boolean isClosed;

    UpstreamGroup(UpstreamZone zone, UpstreamForwarder forwarder) {
        this.zone = zone;
        this.forwarder = forwarder;
        this.limitReached = new ExtendedError(
                ExtendedError.OTHER,
                "the limit of " + zone.maxConcurrent() + " concurrent questions for " + zone.name() + ". is reached");
        zone.servers().forEach(server -> servers.add(new ServerState(server, this)));
    }

    UpstreamZone zone() {
        return zone;
    }

    IoLoop loop() {
        return forwarder.loop();
    }

    RandomBytes random() {
        return forwarder.random();
    }

    ByteBuffer datagram() {
        return forwarder.datagram();
    }

    SSLContext tlsContext() throws IOException {
        return forwarder.tlsContext();
    }

    /** Looks up the host names of servers again, because a server does not answer. */
    void lookUpAgain() {
        forwarder.lookUpAgain();
    }

    void observe(Consumer<UpstreamObserver> event) {
        forwarder.observe(event);
    }

    /** Forwards a question; called by any thread. Equal questions share one exchange, but each has its own stage. */
    CompletionStage<Answer> forward(Question question, Client client) {
        return forward(question, client, zone.maxConcurrent(), UpstreamExchange::start);
    }

    /**
     * Forwards the question of a loop probe, even at the limit of questions in flight, and to servers that are down in a zone that fails
     * fast: a loop can cause both.
     */
    CompletionStage<Answer> forwardProbe(Question question) {
        return forward(question, Client.IN_PROCESS, Integer.MAX_VALUE, UpstreamExchange::startProbe);
    }

    private CompletionStage<Answer> forward(
            Question question, Client client, int maxConcurrent, Consumer<UpstreamExchange> start) {
        UpstreamQuery query = new UpstreamQuery(
                question.labels(),
                question.type(),
                client.dnssecOk(),
                client.checkingDisabled(),
                UpstreamQuery.wire(zone.options(question, client)));
        if (concurrent.incrementAndGet() > maxConcurrent) {
            concurrent.decrementAndGet();
            observe(observer -> observer.refused(zone));
            return CompletableFuture.completedFuture(Answer.failure(Rcode.REFUSED, limitReached));
        }
        UpstreamExchange created = new UpstreamExchange(this, query);
        UpstreamExchange shared = inFlight.putIfAbsent(query, created);
        UpstreamExchange exchange = shared == null ? created : shared;
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CompletableFuture<Answer> unused = exchange.result().whenComplete((value, failure) -> {
            concurrent.decrementAndGet();
            if (failure == null) {
                answer.complete(value);
            } else {
                answer.completeExceptionally(failure);
            }
        });
        if (shared == null && !loop().execute(() -> start.accept(exchange))) {
            exchange.fail(new IOException("the forwarder is closed"));
        }
        return answer;
    }

    /** Returns whether an extended error is that of a question beyond the limit of this group. */
    @SuppressWarnings("ReferenceEquality") // A response of a server may hold an equal error.
    boolean isLimitReached(ExtendedError error) {
        return error == limitReached;
    }

    void done(UpstreamExchange exchange) {
        inFlight.remove(exchange.query(), exchange);
    }

    /** Returns the servers in the order in which a question is sent to them. */
    List<ServerState> order() {
        if (servers.size() == 1) {
            return servers;
        }
        List<ServerState> order = new ArrayList<>(servers);
        switch (zone.policy()) {
            case SEQUENTIAL -> {}
            case ROUND_ROBIN -> Collections.rotate(order, -(turn++ % order.size()));
            case RANDOM -> {
                for (int i = order.size() - 1; i > 0; i--) {
                    Collections.swap(order, i, random().below(i + 1));
                }
            }
        }
        order.sort((one, other) -> Boolean.compare(one.isDown(), other.isDown()));
        return order;
    }

    /** Sends a probe to a server; runs the callback if it does not answer. */
    void probe(ServerState server, Runnable failed) {
        if (isClosed) {
            return;
        }
        UpstreamExchange probe = new UpstreamExchange(this, PROBE);
        CompletableFuture<Answer> unused = probe.result().whenComplete((answer, failure) -> {
            if (failure != null) {
                failed.run();
            }
        });
        probe.probe(server);
    }

    /** Closes the group at the deadline of the questions in flight, and then runs the callback. Called on the loop's thread. */
    void retire(Runnable closed) {
        IoLoop.Timer unused = loop().schedule(zone.deadline().toNanos(), () -> {
            close();
            closed.run();
        });
    }

    /** Closes all servers and fails the questions in flight. Called on the loop's thread. */
    void close() {
        isClosed = true;
        servers.forEach(ServerState::close);
        List.copyOf(inFlight.values()).forEach(one -> one.fail(new IOException("the forwarder is closed")));
    }
}
