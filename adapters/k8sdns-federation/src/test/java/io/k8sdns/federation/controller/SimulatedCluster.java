package io.k8sdns.federation.controller;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.LoadBalancerIngress;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/** A cluster whose objects change at random, and whose sources can be cut off. */
final class SimulatedCluster {
    private final ControllerVirtualTime time;
    private final Random random;
    private final Map<ObjectRef, ClusterObject> objects = new HashMap<>();
    private final List<Source> sources = new ArrayList<>();

    SimulatedCluster(ControllerVirtualTime time, Random random) {
        this.time = time;
        this.random = random;
        put(node("n1"));
    }

    List<ClusterChange> puts() {
        return objects.values().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList();
    }

    void change() {
        String name = "s" + random.nextInt(4);
        switch (random.nextInt(8)) {
            case 0, 1 -> put(service(name));
            case 2 -> remove(ObjectRef.of(Service.KIND, "shop", name));
            case 3, 4, 5 -> put(slice(name));
            case 6 -> remove(ObjectRef.of(EndpointSlice.KIND, "shop", name + "-" + random.nextInt(2)));
            default -> put(node("n" + random.nextInt(3)));
        }
    }

    private Service service(String name) {
        ServicePort http = ServicePort.of("http", Protocol.TCP, 80 + random.nextInt(3));
        String labels = random.nextInt(5) == 0 ? "app=" + name : "federation.k8sdns.io/name=prod";
        if (random.nextInt(4) == 0) {
            return HeadlessService.builder("shop", name)
                    .labels(labels)
                    .port(http)
                    .build();
        }
        ClusterIpService.Builder service = ClusterIpService.builder("shop", name)
                .labels(labels)
                .clusterIp("10.96.0." + random.nextInt(4))
                .port(http);
        if (random.nextBoolean()) {
            service.loadBalancer(LoadBalancerIngress.of("192.0.2." + random.nextInt(4)));
        }
        return service.build();
    }

    private EndpointSlice slice(String name) {
        EndpointSlice.Builder slice =
                EndpointSlice.builder("shop", name + "-" + random.nextInt(2)).service("s" + random.nextInt(4));
        for (int i = random.nextInt(3); i > 0; i--) {
            Endpoint.Builder endpoint = Endpoint.builder("10.244.0." + i);
            if (random.nextBoolean()) {
                endpoint.ready(random.nextInt(3) > 0);
            }
            slice.endpoint(endpoint.build());
        }
        return slice.build();
    }

    private Node node(String name) {
        return Node.builder(name)
                .labels("topology.kubernetes.io/region=r" + random.nextInt(2) + ",topology.kubernetes.io/zone=z"
                        + random.nextInt(3))
                .build();
    }

    private void put(ClusterObject object) {
        objects.put(object.ref(), object);
        sources.forEach(source -> source.queue(new ClusterChange.Put(object)));
    }

    private void remove(ObjectRef ref) {
        if (objects.remove(ref) != null) {
            sources.forEach(source -> source.queue(new ClusterChange.Remove(ref, Optional.empty())));
        }
    }

    Source source() {
        Source source = new Source();
        sources.add(source);
        return source;
    }

    /** The cluster for one controller, which receives every change in order and with a delay. */
    final class Source implements ClusterSource {
        private @Nullable Sink sink;
        private final Map<ObjectRef, ClusterObject> delivered = new HashMap<>();
        private SyncState state = SyncState.SYNCING;
        private boolean isCut;
        private long deliveredUntil;
        private long lastDelivery;
        private int generation;

        @Override
        public void start(Sink to) {
            sink = to;
            if (!isCut) {
                list();
            }
        }

        void cut() {
            if (!isCut) {
                isCut = true;
                generation++;
                if (state == SyncState.SYNCED) {
                    deliver(() -> state(SyncState.STALE));
                }
            }
        }

        void mend() {
            if (isCut) {
                isCut = false;
                list();
            }
        }

        /** Lists everything, as a difference to what was delivered; a list may take as long as a lease. */
        private void list() {
            int now = ++generation;
            deliver(() -> {
                if (now != generation) {
                    return;
                }
                List<ClusterChange> difference = new ArrayList<>();
                delivered.keySet().stream()
                        .filter(ref -> !objects.containsKey(ref))
                        .forEach(ref -> difference.add(new ClusterChange.Remove(ref, Optional.empty())));
                objects.values().stream()
                        .filter(object -> !object.equals(delivered.get(object.ref())))
                        .forEach(object -> difference.add(new ClusterChange.Put(object)));
                // In parts: the first ones are delivered before the source is synced.
                int half = difference.size() / 2;
                changed(difference.subList(0, half));
                changed(difference.subList(half, difference.size()));
                state(SyncState.SYNCED);
            });
        }

        private void queue(ClusterChange change) {
            int then = generation;
            if (!isCut && sink != null) {
                deliver(() -> {
                    if (then == generation) {
                        changed(List.of(change));
                    }
                });
            }
        }

        private void deliver(Runnable event) {
            long delay = random.nextInt(15) == 0 ? random.nextInt(60_000) : random.nextInt(100);
            deliveredUntil = Math.max(
                    deliveredUntil, time.now() + Duration.ofMillis(delay).toNanos());
            var unused = time.after(Duration.ofNanos(deliveredUntil - time.now()), event);
        }

        private void changed(List<ClusterChange> batch) {
            Sink to = sink;
            if (to != null && !batch.isEmpty()) {
                batch.forEach(change -> {
                    if (change instanceof ClusterChange.Put put) {
                        delivered.put(change.ref(), put.object());
                    } else {
                        delivered.remove(change.ref());
                    }
                });
                lastDelivery = time.now();
                to.changed(List.copyOf(batch));
            }
        }

        private void state(SyncState now) {
            Sink to = sink;
            if (to != null) {
                state = now;
                lastDelivery = time.now();
                to.stateChanged(now);
            }
        }

        /** Returns whether a shard may be removed according to the delivered objects. */
        boolean allowsRemoval(String service) {
            if (lastDelivery == time.now()) {
                return true;
            }
            io.k8sdns.federation.ClusterShards shards =
                    new io.k8sdns.federation.ClusterShards(FederatedServices.labelledFor("prod"));
            shards.apply(delivered.values().stream()
                    .<ClusterChange>map(ClusterChange.Put::new)
                    .toList());
            return state == SyncState.SYNCED
                    && shards.shard(ObjectRef.of(Service.KIND, "shop", service)).isEmpty();
        }

        @Override
        public void close() {
            sink = null;
            sources.remove(this);
        }
    }
}
