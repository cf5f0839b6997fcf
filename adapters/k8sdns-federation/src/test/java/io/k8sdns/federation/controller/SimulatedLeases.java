package io.k8sdns.federation.controller;

import io.k8sdns.federation.json.RelaxedJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Leases of an API server in memory, with versions, and with requests that are late, fail or lose their answer. */
final class SimulatedLeases {
    static final String NAME = "kube-system/k8sdns-federation-prod";
    private static final RelaxedJson JSON = new RelaxedJson();

    private final ControllerVirtualTime time;
    private final Map<String, String> objects = new TreeMap<>();

    /** The writes: the client, and the holder afterwards. */
    final List<String> writes = new ArrayList<>();

    private int version = 100;

    SimulatedLeases(ControllerVirtualTime time) {
        this.time = time;
    }

    /** Returns the Lease of the federation; empty if there is none. */
    Optional<String> get() {
        return Optional.ofNullable(objects.get(NAME));
    }

    /** Returns the holder of the Lease; the empty text if it is free or absent. */
    String holder() {
        return get().map(json -> JsonTree.text(JSON.object(json), "spec", "holderIdentity"))
                .orElse("");
    }

    /** Writes the Lease of the federation, as another program does. */
    void put(String json) {
        Map<String, @Nullable Object> lease = JSON.object(json);
        Map<String, @Nullable Object> metadata = JsonTree.object(lease, "metadata");
        metadata.put("resourceVersion", Integer.toString(++version));
        lease.put("metadata", metadata);
        objects.put(NAME, JSON.text(lease));
    }

    /** Writes the Lease of the federation as a text that no API server stores. */
    void putWithoutVersion(String json) {
        objects.put(NAME, json);
    }

    /** Changes a text of the Lease, as another program does. */
    void edit(String from, String to) {
        String before = get().orElseThrow();
        if (!before.contains(from)) {
            throw new AssertionError("no " + from + " in " + before);
        }
        put(before.replace(from, to));
    }

    void remove() {
        objects.remove(NAME);
    }

    /** The Leases as one controller sees them. */
    final class Client implements LeaseApi {
        private final String name;
        private final Random random;
        private final double faults;

        /** Requests fail with this reason unless it is empty. */
        String refusal = "";

        /** The time until a request is executed. */
        Supplier<Duration> delay = () -> Duration.ZERO;

        int requests;
        boolean isClosed;

        Client(String name) {
            this(name, new Random(0), 0);
        }

        Client(String name, Random random, double faults) {
            this.name = name;
            this.random = random;
            this.faults = faults;
        }

        private <T> CompletionStage<T> answer(Supplier<T> work) {
            if (isClosed) {
                throw new IllegalStateException("closed");
            }
            requests++;
            CompletableFuture<T> answer = new CompletableFuture<>();
            var unused = time.after(delay.get(), () -> {
                if (!refusal.isEmpty() || random.nextDouble() < faults) {
                    boolean unusedFailure = answer.completeExceptionally(new IllegalStateException(refusal));
                    return;
                }
                T result = work.get();
                // An answer may be late, or lost after the request was executed.
                if (random.nextDouble() >= faults) {
                    var unusedTimer = time.after(delay.get(), () -> answer.complete(result));
                }
            });
            return answer;
        }

        @Override
        public CompletionStage<Optional<String>> get(String namespace, String lease) {
            return answer(() -> Optional.ofNullable(objects.get(namespace + "/" + lease)));
        }

        @Override
        public CompletionStage<Boolean> create(String namespace, String json) {
            return answer(() -> {
                String key = namespace + "/" + JsonTree.text(JSON.object(json), "metadata", "name");
                return !objects.containsKey(key) && write(key, json);
            });
        }

        @Override
        public CompletionStage<Boolean> replace(String namespace, String lease, String json) {
            return answer(() -> {
                String key = namespace + "/" + lease;
                String present = objects.get(key);
                return present != null && version(present).equals(version(json)) && write(key, json);
            });
        }

        private boolean write(String key, String json) {
            if (!key.equals(NAME)) {
                throw new AssertionError("another Lease: " + key);
            }
            put(json);
            writes.add(name + ": " + holder());
            return true;
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    private static String version(String json) {
        return JsonTree.text(new LinkedHashMap<>(JSON.object(json)), "metadata", "resourceVersion");
    }
}
