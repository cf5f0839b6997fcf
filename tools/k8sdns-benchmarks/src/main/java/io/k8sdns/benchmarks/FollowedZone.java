package io.k8sdns.benchmarks;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.Consumer;
import org.xbill.DNS.Message;

/** A zone that is updated from an API server, as in a real server, with a responder for queries in wire form. */
final class FollowedZone implements ClusterSource.Sink, AutoCloseable {
    static final RecordRules RULES = new RecordRules(ZoneSettings.DEFAULTS);

    private final ClusterZone zone = ClusterZone.empty(RULES, Visibility.ALL);
    private final ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
    private final DnsResponder responder =
            DnsResponder.builder(ResolverChain.of(zone)).build();
    private final Consumer<ClusterChange> published;
    private final BlockingQueue<SyncState> states = new LinkedBlockingQueue<>();
    private final ClusterSource source;

    /**
     * Starts to follow the API server.
     *
     * @param published receives each change once it is published
     */
    FollowedZone(String url, ClusterObserver observer, Consumer<ClusterChange> published) {
        this.published = published;
        this.source = ApiClusterSource.builder(new ApiClient().setBasePath(url))
                .observer(observer)
                .build();
        source.start(this);
    }

    ClusterZone zone() {
        return zone;
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        feed.changed(batch);
        batch.forEach(published);
    }

    @Override
    public void stateChanged(SyncState state) {
        feed.stateChanged(state);
        states.add(state);
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        throw new IllegalStateException("invalid object of the benchmark: " + diagnostic);
    }

    /** Waits until the source reports a state. */
    void await(SyncState state) throws InterruptedException {
        SyncState next = states.take();
        while (next != state) {
            next = states.take();
        }
    }

    /** Returns whether the source is synced. */
    boolean isSynced() {
        return feed.state() == SyncState.SYNCED;
    }

    /** Returns the response in wire form, as over TCP. */
    byte[] ask(Message query) {
        return ask(responder, query);
    }

    /** Returns a responder for a zone that is synced. */
    static DnsResponder responder(ClusterZone zone) {
        return DnsResponder.builder(ResolverChain.of(zone)).build();
    }

    static byte[] ask(DnsResponder responder, Message query) {
        byte[][] answer = new byte[1][];
        responder.respond(ByteBuffer.wrap(query.toWire()), Client.IN_PROCESS, wire -> {
            answer[0] = new byte[wire.remaining()];
            wire.get(answer[0]);
        });
        return answer[0];
    }

    static Message parsed(byte[] wire) {
        try {
            return new Message(wire);
        } catch (IOException broken) {
            throw new IllegalStateException(broken);
        }
    }

    /** Stops the source and waits for its threads, so that its memory can be collected afterwards. */
    @Override
    public void close() {
        source.close();
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            if (thread.getName().startsWith("k8sdns-api")) {
                try {
                    thread.join(10_000);
                } catch (InterruptedException interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }
}
