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
 * A cluster of headless Services and Services with a cluster IP in the namespace {@code shop}, behind an API server, that
 * changes at random, and what became of each of its objects.
 *
 * <p>A change says when it came about ({@code endpoints.kubernetes.io/last-change-trigger-time}), as those of a cluster do.
 */
final class ChangingCluster implements AutoCloseable {
    private static final int MOST_A_SLICE = 100;
    private static final int ADDRESSES = 1 << 16;

    private final ApiServer server;
    private final int services;
    private final int endpoints;
    private final Random random;
    private final Map<ObjectRef, Past> pasts = new HashMap<>();
    private final ApiReader reader = new ApiReader("v1", "Service", true, diagnostic -> {});
    private final ApiReader sliceReader = new ApiReader("discovery.k8s.io/v1", "EndpointSlice", true, diagnostic -> {});
    private final boolean remembers;
    private int made;

    /** The states of an object that a zone may have: the one that it has for sure, and those after it. */
    private static final class Past {
        private final List<Optional<ClusterObject>> states = new ArrayList<>(List.of(Optional.empty()));
    }

    /**
     * Makes a cluster.
     *
     * @param services how many Services there are, every other one headless
     * @param endpoints how many endpoints each headless one has, in slices of at most 100
     * @param remembers whether the states of its objects are kept until they are published
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
        return (endpoints + MOST_A_SLICE - 1) / MOST_A_SLICE;
    }

    static boolean isHeadless(int service) {
        return service % 2 == 1;
    }

    // ---- what happens ----

    /** Changes one object, makes or deletes it. */
    void change() {
        int service = random.nextInt(services);
        switch (random.nextInt(20)) {
            case 0 -> deleteService(service);
            case 1, 2 -> putService(service);
            case 3 -> deleteSlice(service | 1, random.nextInt(slices()));
            default -> putSlice(service | 1, random.nextInt(slices()), true);
        }
    }

    /** Makes one endpoint another, of one Service. */
    void changeEndpoint() {
        putSlice(random.nextInt(services) | 1, random.nextInt(slices()), true);
    }

    private void putService(int service) {
        String address = isHeadless(service) ? "None" : "10.96." + service / 256 % 256 + "." + service % 256;
        ObjectRef ref = ref("Service", name(service));
        String uid = known(ref) ? uid(ref) : "s" + ++made;
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
        int count = Math.min(MOST_A_SLICE, endpoints - slice * MOST_A_SLICE);
        int changed = random.nextInt(count);
        for (int i = 0; i < count; i++) {
            int number = i == changed
                    ? random.nextInt(ADDRESSES)
                    : (service * endpoints + slice * MOST_A_SLICE + i) % ADDRESSES;
            some.append(some.isEmpty() ? "" : ", ")
                    .append(String.format(
                            Locale.ROOT,
                            """
                    {"addresses": ["10.%1$d.%2$d.%3$d"], "conditions": {"ready": true, "serving": true, \
                    "terminating": false}, "nodeName": "node-%3$d", "targetRef": {"kind": "Pod", "namespace": "shop", \
                    "name": "%4$s-%5$d", "uid": "3f1c9a52-6f0e-4b7e-9a53-7c1d2e%5$06d"}}\
                    """,
                            128 + service * (long) endpoints / ADDRESSES,
                            number / 256,
                            number % 256,
                            name(service),
                            i));
        }
        String uid = known(ref) ? uid(ref) : "e" + ++made;
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

    private void deleteSlice(int service, int slice) {
        delete("endpointslices", ref("EndpointSlice", name(service) + "-" + slice));
    }

    private static String name(int service) {
        return "service-" + service;
    }

    private static ObjectRef ref(String kind, String name) {
        return ObjectRef.of(kind, "shop", name);
    }

    // ---- what became of it ----

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
            happens(ref, decoder.event(json).item().flatMap(ApiReader.Item::object));
        }
        server.put(resource, "shop/" + ref.name(), metadata, rest);
    }

    private void delete(String resource, ObjectRef ref) {
        String uid = uids.remove(ref);
        if (uid != null) {
            if (remembers) {
                happens(ref, Optional.empty());
            }
            server.delete(resource, "shop/" + ref.name(), "\"uid\": \"" + uid + "\"");
        }
    }

    /** Before it is told: whoever is told and asked at once must find it here. */
    private synchronized void happens(ObjectRef ref, Optional<ClusterObject> state) {
        List<Optional<ClusterObject>> states = pasts.computeIfAbsent(ref, any -> new Past()).states;
        if (!states.get(states.size() - 1).equals(state)) {
            states.add(state);
        }
    }

    /** What a change says has been published; what was before cannot be asked for any more. */
    synchronized void published(ClusterChange change) {
        Past past = pasts.get(change.ref());
        if (past == null) {
            return;
        }
        Optional<ClusterObject> now =
                change instanceof ClusterChange.Put put ? Optional.of(put.object()) : Optional.empty();
        // The first one that it can be: what was published is that or a later one.
        for (int i = 0; i < past.states.size(); i++) {
            if (past.states.get(i).equals(now)) {
                past.states.subList(0, i).clear();
                return;
            }
        }
    }

    /** Returns all objects as they are. */
    synchronized List<ClusterObject> objects() {
        List<ClusterObject> objects = new ArrayList<>(List.of(Namespace.of("shop")));
        pasts.values().forEach(past -> past.states.get(past.states.size() - 1).ifPresent(objects::add));
        return objects;
    }

    /** Returns what may be known of each object of a Service. */
    synchronized List<List<Optional<ClusterObject>>> states(int service) {
        Stream<ObjectRef> refs = Stream.concat(
                Stream.of(ref("Service", name(service))),
                Stream.iterate(0, slice -> slice < slices(), slice -> slice + 1)
                        .map(slice -> ref("EndpointSlice", name(service) + "-" + slice)));
        List<List<Optional<ClusterObject>>> states = new ArrayList<>();
        refs.forEach(ref -> {
            @Nullable Past past = pasts.get(ref);
            if (past != null) {
                states.add(List.copyOf(past.states));
            }
        });
        return states;
    }

    @Override
    public void close() {
        server.close();
    }
}
