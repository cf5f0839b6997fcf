package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterObserver.ServiceKind;
import io.k8sdns.cluster.ClusterObserver.Since;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Measures how long it takes from what led to a change of endpoints until it can be asked for. Where the EndpointSlice does
 * not say what that was, or said so before, it counts from the receipt; and so it does where that was before anything was
 * followed here, which says nothing about who was not there.
 */
final class ProgrammingLatency {
    private final ClusterObserver observer;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Instant begun;
    private final Map<ObjectRef, ServiceKind> services = new HashMap<>();
    private final List<Unpublished> unpublished = new ArrayList<>();

    /** A change that cannot be asked for yet. */
    private record Unpublished(ObjectRef service, Optional<Instant> triggered, long receivedAt) {}

    ProgrammingLatency(ClusterObserver observer, InstantSource clock, LongSupplier nanoTime) {
        this.observer = observer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.begun = clock.instant();
    }

    /** Learns what sort of Service it is whose endpoints change. */
    void changed(ClusterChange change) {
        if (observer == ClusterObserver.NONE) {
            return;
        }
        if (change instanceof ClusterChange.Put put
                && put.object() instanceof Service service
                && !(service instanceof ExternalNameService)) {
            services.put(put.ref(), kind(service));
        } else if (change instanceof ClusterChange.Remove || change.ref().kind().equals(Service.KIND)) {
            // The endpoints of an alias are of no use to anybody.
            services.remove(change.ref());
        }
    }

    private static ServiceKind kind(Service service) {
        if (!(service instanceof HeadlessService headless)) {
            return ServiceKind.CLUSTER_IP;
        }
        return headless.selection().selector().isPresent()
                ? ServiceKind.HEADLESS_WITH_SELECTOR
                : ServiceKind.HEADLESS_WITHOUT_SELECTOR;
    }

    /**
     * A watch told of an EndpointSlice, or a list of what a watch has missed.
     *
     * @param newlyTriggered whether what it says of its reason counts
     * @param receivedAt when it came, by the same clock as all
     */
    void received(ApiReader.Item item, boolean newlyTriggered, long receivedAt) {
        if (observer == ClusterObserver.NONE) {
            return;
        }
        item.object().ifPresent(object -> {
            if (object instanceof EndpointSlice slice && slice.serviceName().isPresent()) {
                ObjectRef service = ObjectRef.of(
                        Service.KIND, slice.namespace(), slice.serviceName().get());
                Optional<Instant> triggered = item.triggered().filter(when -> newlyTriggered && !when.isBefore(begun));
                unpublished.add(new Unpublished(service, triggered, receivedAt));
            }
        });
    }

    /** What was received can be asked for now. Of a Service that is not known yet nothing is told: nobody can ask for it. */
    void published() {
        for (Unpublished one : unpublished) {
            ServiceKind kind = services.get(one.service());
            if (kind != null) {
                Duration sinceReceipt = Duration.ofNanos(nanoTime.getAsLong() - one.receivedAt());
                if (one.triggered().isPresent()) {
                    Duration latency = Duration.between(one.triggered().get(), clock.instant());
                    // Clocks differ; nothing is known before it has come about.
                    observer.programmed(kind, Since.TRIGGER, latency.isNegative() ? Duration.ZERO : latency);
                } else {
                    observer.programmed(kind, Since.RECEIPT, sinceReceipt);
                }
            }
        }
        unpublished.clear();
    }
}
