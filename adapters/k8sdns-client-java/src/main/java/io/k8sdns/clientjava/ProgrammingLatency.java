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
 * Measures how long a change of endpoints takes from its trigger until the zone answers with it. If the EndpointSlice has no new
 * trigger time, or one from before the start of this source, measures from the receipt.
 */
final class ProgrammingLatency {
    private final ClusterObserver observer;
    private final InstantSource clock;
    private final LongSupplier nanoTime;
    private final Instant begun;
    private final Map<ObjectRef, ServiceKind> services = new HashMap<>();
    private final List<Unpublished> unpublished = new ArrayList<>();

    /** A change that is not published yet. */
    private record Unpublished(ObjectRef service, Optional<Instant> triggered, long receivedAt) {}

    ProgrammingLatency(ClusterObserver observer, InstantSource clock, LongSupplier nanoTime) {
        this.observer = observer;
        this.clock = clock;
        this.nanoTime = nanoTime;
        this.begun = clock.instant();
    }

    /** Records the kind of a Service, for the changes of its endpoints. */
    void changed(ClusterChange change) {
        if (observer == ClusterObserver.NONE) {
            return;
        }
        if (change instanceof ClusterChange.Put put
                && put.object() instanceof Service service
                && !(service instanceof ExternalNameService)) {
            services.put(put.ref(), kind(service));
        } else if (change instanceof ClusterChange.Remove || change.ref().kind().equals(Service.KIND)) {
            // The metric has no kind for ExternalName Services.
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
     * Records an EndpointSlice from a watch, or from a list if a watch missed it.
     *
     * @param newlyTriggered whether its trigger time is new
     * @param receivedAt when it was received, by the clock of this class
     */
    void received(ApiReader.Item item, boolean newlyTriggered, long receivedAt) {
        if (observer == ClusterObserver.NONE) {
            return;
        }
        item.object().ifPresent(object -> {
            if (object instanceof EndpointSlice slice && slice.serviceRef().isPresent()) {
                ObjectRef service = slice.serviceRef().get();
                Optional<Instant> triggered = item.triggered().filter(when -> newlyTriggered && !when.isBefore(begun));
                unpublished.add(new Unpublished(service, triggered, receivedAt));
            }
        });
    }

    /** Reports the latencies of all received changes, which have just been published; omits Services that are not known yet. */
    void published() {
        for (Unpublished one : unpublished) {
            ServiceKind kind = services.get(one.service());
            if (kind != null) {
                Duration sinceReceipt = Duration.ofNanos(nanoTime.getAsLong() - one.receivedAt());
                if (one.triggered().isPresent()) {
                    Duration latency = Duration.between(one.triggered().get(), clock.instant());
                    // The clocks of two machines may differ; a negative latency is meaningless.
                    observer.programmed(kind, Since.TRIGGER, latency.isNegative() ? Duration.ZERO : latency);
                } else {
                    observer.programmed(kind, Since.RECEIPT, sinceReceipt);
                }
            }
        }
        unpublished.clear();
    }
}
