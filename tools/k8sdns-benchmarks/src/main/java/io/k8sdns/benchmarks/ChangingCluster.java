package io.k8sdns.benchmarks;

import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster that changes at random, behind an API server: headless Services and Services with a cluster IP in the namespace {@code
 * shop}. Optionally records the states of each object.
 *
 * <p>Slices have the time of their last change ({@code endpoints.kubernetes.io/last-change-trigger-time}), as in a real cluster.
 */
final class ChangingCluster implements AutoCloseable {
    private static final int MAX_SLICE = 100;
    private static final int ADDRESSES = 1 << 16;

    private final ApiServer server;
    private final int services;
    private final int endpoints;
    private final Random random;
    private final Map<ObjectRef, History> histories = new HashMap<>();
    private final ApiReader reader = new ApiReader("v1", "Service", true, diagnostic -> {});
    private final ApiReader sliceReader = new ApiReader("discovery.k8s.io/v1", "EndpointSlice", true, diagnostic -> {});
    private final boolean remembers;
    private int uidCount;

    /** The states of an object that a zone may have: the last published one, and later ones. */
    private static final class History {
        private final List<Optional<ClusterObject>> states = new ArrayList<>(List.of(Optional.empty()));
    }

    /**
     * Creates a cluster.
     *
     * @param services the number of Services, every other one headless
     * @param endpoints the number of endpoints of each headless Service, in slices of at most 100
     * @param remembers whether to record the states of objects until they are published
     */
    ChangingCluster(int services, int endpoints, long seed, boolean remembers) throws IOException {
        this.server = new ApiServer();
        this.services = services;
        this.endpoints = endpoints;
        this.random = new Random(seed);
        this.remembers = remembers;
        server.put("namespaces", "shop", "\"uid\": \"shop\"", "");
        for (int i = 0; i < services; i++) {
            putService(i);
            if (isHeadless(i)) {
                for (int slice = 0; slice < slices(); slice++) {
                    putSlice(i, slice, false);
                }
            }
        }
    }

    ApiServer server() {
        return server;
    }

    int services() {
        return services;
    }

    private int slices() {
        return (endpoints + MAX_SLICE - 1) / MAX_SLICE;
    }

    static boolean isHeadless(int service) {
        return service % 2 == 1;
    }

    // ---- changes ----

    /** Creates, changes or deletes one random object. */
    void change() {
        int service = random.nextInt(services);
        switch (random.nextInt(20)) {
            case 0 -> deleteService(service);
            case 1, 2 -> putService(service);
            case 3 -> deleteSlice(service | 1, random.nextInt(slices()));
            default -> putSlice(service | 1, random.nextInt(slices()), true);
        }
    }

    /** Changes one endpoint of a random Service. */
    void changeEndpoint() {
        putSlice(random.nextInt(services) | 1, random.nextInt(slices()), true);
    }

    /** Deletes a random Service that is not headless, and creates it again. */
    void replaceService() {
        int service = random.nextInt(services) & ~1;
        deleteService(service);
        putService(service);
    }

    private void putService(int service) {
        String address = isHeadless(service) ? "None" : "10.96." + service / 256 % 256 + "." + service % 256;
        ObjectRef ref = ref("Service", name(service));
        String uid = known(ref) ? uid(ref) : "s" + ++uidCount;
        put(
                "services",
                reader,
                ref,
                "\"uid\": \"" + uid + "\"",
                String.format(Locale.ROOT, """
                , "spec": {"clusterIP": "%1$s", "clusterIPs": ["%1$s"], "ports": [{"name": "http", "port": %2$d}]}\
                """, address, 80 + random.nextInt(3)));
    }

    private void deleteService(int service) {
        delete("services", ref("Service", name(service)));
    }

    private void putSlice(int service, int slice, boolean triggered) {
        ObjectRef ref = ref("EndpointSlice", name(service) + "-" + slice);
        StringBuilder some = new StringBuilder();
        int count = Math.min(MAX_SLICE, endpoints - slice * MAX_SLICE);
        int changed = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int number = i == changed
                    ? random.nextInt(ADDRESSES)
                    : (service * endpoints + slice * MAX_SLICE + i) % ADDRESSES;
            some.append(some.isEmpty() ? "" : ", ")
                    .append(String.format(Locale.ROOT, """
                    {"addresses": ["%1$s"], "conditions": {"ready": true, "serving": true, \
                    "terminating": false}, "nodeName": "node-%2$d", "targetRef": {"kind": "Pod", "namespace": "shop", \
                    "name": "%3$s-%4$d", "uid": "3f1c9a52-6f0e-4b7e-9a53-7c1d2e%4$06d"}}\
                    """, address(service, number), number % 256, name(service), i));
        }
        String uid = known(ref) ? uid(ref) : "e" + ++uidCount;
        put(
                "endpointslices",
                sliceReader,
                ref,
                "\"uid\": \"" + uid + "\", \"labels\": {\"kubernetes.io/service-name\": \"" + name(service) + "\"}"
                        + (triggered
                                ? ", \"annotations\": {\"endpoints.kubernetes.io/last-change-trigger-time\": \""
                                        + Instant.now() + "\"}"
                                : ""),
                ", \"addressType\": \"IPv4\", \"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}], "
                        + "\"endpoints\": [" + some + "]");
    }

    /** Creates the Pods of the endpoints, which do not change, with about as many fields as those of a small web application. */
    void putPods() {
        for (int service = 1; service < services; service += 2) {
            for (int i = 0; i < endpoints; i++) {
                String address = address(service, (service * endpoints + i) % ADDRESSES);
                String pod = name(service) + "-" + i;
                server.put(
                        "pods",
                        "shop/" + pod,
                        "\"uid\": \"" + pod + "\", \"labels\": {\"app\": \"" + name(service)
                                + "\", \"pod-template-hash\": \"5d4f8c7b9\"}",
                        String.format(Locale.ROOT, """
                , "spec": {"nodeName": "node-%1$d", "serviceAccountName": "default", "dnsPolicy": "ClusterFirst", \
                "containers": [{"name": "web", "image": "registry.example.com/shop/web:1.27.3", \
                "ports": [{"name": "http", "containerPort": 8080, "protocol": "TCP"}], \
                "env": [{"name": "LOG_LEVEL", "value": "info"}, {"name": "DB_HOST", "value": "db.shop"}], \
                "resources": {"requests": {"cpu": "100m", "memory": "128Mi"}, "limits": {"memory": "256Mi"}}, \
                "volumeMounts": [{"name": "token", "mountPath": "/var/run/secrets/kubernetes.io/serviceaccount"}]}], \
                "volumes": [{"name": "token", "projected": {"sources": [{"serviceAccountToken": {"path": "token"}}]}}]}, \
                "status": {"phase": "Running", "conditions": [{"type": "Initialized", "status": "True"}, \
                {"type": "Ready", "status": "True"}, {"type": "ContainersReady", "status": "True"}, \
                {"type": "PodScheduled", "status": "True"}], "hostIP": "172.16.0.%1$d", "podIP": "%2$s", \
                "podIPs": [{"ip": "%2$s"}], "qosClass": "Burstable", "startTime": "2026-11-20T08:00:00Z"}\
                """, i % 256, address));
            }
        }
    }

    private String address(int service, int number) {
        return "10." + (128 + service * (long) endpoints / ADDRESSES) + "." + number / 256 + "." + number % 256;
    }

    private void deleteSlice(int service, int slice) {
        delete("endpointslices", ref("EndpointSlice", name(service) + "-" + slice));
    }

    private static String name(int service) {
        return "service-" + service;
    }

    private static ObjectRef ref(String kind, String name) {
        return ObjectRef.of(kind, "shop", name);
    }

    // ---- states of objects ----

    private final Map<ObjectRef, String> uids = new HashMap<>();

    private boolean known(ObjectRef ref) {
        return uids.containsKey(ref);
    }

    private String uid(ObjectRef ref) {
        return uids.getOrDefault(ref, "");
    }

    private void put(String resource, ApiReader decoder, ObjectRef ref, String metadata, String rest) {
        if (!known(ref)) {
            int from = metadata.indexOf("\"uid\": \"") + 8;
            uids.put(ref, metadata.substring(from, metadata.indexOf('"', from)));
        }
        if (remembers) {
            String json = "{\"type\": \"ADDED\", \"object\": {\"metadata\": {\"name\": \"" + ref.name()
                    + "\", \"namespace\": \"shop\", " + metadata + "}" + rest + "}}";
            record(ref, decoder.event(json).item().flatMap(ApiReader.Item::object));
        }
        server.put(resource, "shop/" + ref.name(), metadata, rest);
    }

    private void delete(String resource, ObjectRef ref) {
        String uid = uids.remove(ref);
        if (uid != null) {
            if (remembers) {
                record(ref, Optional.empty());
            }
            server.delete(resource, "shop/" + ref.name(), "\"uid\": \"" + uid + "\"");
        }
    }

    /** Records a state before it is sent, because a client may query it as soon as it receives it. */
    private synchronized void record(ObjectRef ref, Optional<ClusterObject> state) {
        List<Optional<ClusterObject>> states = histories.computeIfAbsent(ref, any -> new History()).states;
        if (!states.get(states.size() - 1).equals(state)) {
            states.add(state);
        }
    }

    /** Records that a state was published; earlier states cannot be in answers any more. */
    synchronized void published(ClusterChange change) {
        History history = histories.get(change.ref());
        if (history == null) {
            return;
        }
        Optional<ClusterObject> now =
                change instanceof ClusterChange.Put put ? Optional.of(put.object()) : Optional.empty();
        // Keeps the states from the first equal one on, because the published one is that or a later one.
        for (int i = 0; i < history.states.size(); i++) {
            if (history.states.get(i).equals(now)) {
                history.states.subList(0, i).clear();
                return;
            }
        }
    }

    /** Returns the current objects. */
    synchronized List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>(List.of(Namespace.of("shop")));
        histories
                .values()
                .forEach(
                        history -> history.states.get(history.states.size() - 1).ifPresent(objects::add));
        return objects;
    }

    /** Returns the possible states of each object of a Service. */
    synchronized List<List<Optional<ClusterObject>>> states(int service) {
        Stream<ObjectRef> refs = Stream.concat(
                Stream.of(ref("Service", name(service))),
                Stream.iterate(0, slice -> slice < slices(), slice -> slice + 1)
                        .map(slice -> ref("EndpointSlice", name(service) + "-" + slice)));
        List<List<Optional<ClusterObject>>> states = new ArrayList<>();
        refs.forEach(ref -> {
            @Nullable History history = histories.get(ref);
            if (history != null) {
                states.add(List.copyOf(history.states));
            }
        });
        return states;
    }

    @Override
    public void close() {
        server.close();
    }
}
