package io.k8sdns.federation.controller;

import io.k8sdns.federation.json.RelaxedJson;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The Services of an API server in memory, with versions, defaults, and faults on demand. */
final class SimulatedServices {
    private static final RelaxedJson JSON = new RelaxedJson();

    private final Map<String, Map<String, @Nullable Object>> objects = new TreeMap<>();
    final Set<String> namespaces = new TreeSet<>(Set.of("shop", "web"));
    final List<String> writes = new ArrayList<>();
    private int version = 100;

    /** Called before each request with its verb. */
    Consumer<String> before = verb -> {};

    /** The answers that a silent server has not given yet. */
    final List<Runnable> late = new ArrayList<>();

    boolean isAway;
    boolean isSilent;

    /** The access of one client, with faults of its own. */
    final class Client implements ServiceApi {
        private final @Nullable ControllerVirtualTime time;
        private final Random random;
        private final double faults;
        boolean isClosed;

        /** Called immediately before a write is executed. */
        Runnable writing = () -> {};

        /** The maximum time of a request. */
        Duration longest = Duration.ofMillis(500);

        /** Answers at once and without faults. */
        Client() {
            this(null, new Random(0), 0);
        }

        /** Answers later, or never. */
        Client(@Nullable ControllerVirtualTime time, Random random, double faults) {
            this.time = time;
            this.random = random;
            this.faults = faults;
        }

        private <T> CompletionStage<T> answer(String verb, Supplier<T> work) {
            if (isClosed) {
                throw new IllegalStateException("closed");
            }
            before.accept(verb);
            CompletableFuture<T> answer = new CompletableFuture<>();
            Runnable run = () -> {
                if (isAway || random.nextDouble() < faults) {
                    boolean unused = answer.completeExceptionally(new IllegalStateException("connection refused"));
                    return;
                }
                try {
                    T result = work.get();
                    // An answer may be lost after the request was executed.
                    if (isSilent) {
                        late.add(() -> answer.complete(result));
                    } else if (random.nextDouble() >= faults) {
                        boolean unused = answer.complete(result);
                    }
                } catch (IllegalStateException refused) {
                    boolean unused = answer.completeExceptionally(refused);
                }
            };
            ControllerVirtualTime virtual = time;
            if (virtual == null) {
                run.run();
            } else {
                var unused = virtual.after(Duration.ofMillis(random.nextLong(longest.toMillis())), run);
            }
            return answer;
        }

        @Override
        public CompletionStage<List<String>> list(String label) {
            String[] parts = label.split("=", -1);
            return answer(
                    "list",
                    () -> objects.values().stream()
                            .filter((Map<String, @Nullable Object> one) -> JsonTree.text(
                                            one, "metadata", "labels", parts[0])
                                    .equals(parts[1]))
                            .map(SimulatedServices::item)
                            .toList());
        }

        @Override
        public CompletionStage<Optional<String>> get(String namespace, String name) {
            return answer("get", () -> SimulatedServices.this.get(namespace + "/" + name));
        }

        @Override
        public CompletionStage<Boolean> create(String namespace, String json) {
            return answer("create", () -> {
                Map<String, @Nullable Object> service = JSON.object(json);
                String name = namespace + "/" + JsonTree.text(service, "metadata", "name");
                if (!namespaces.contains(namespace)) {
                    throw new IllegalStateException("404 namespaces \"" + namespace + "\" not found");
                }
                if (objects.containsKey(name)) {
                    return false;
                }
                writing.run();
                writes.add("create " + name);
                put(name, json);
                return true;
            });
        }

        @Override
        public CompletionStage<Boolean> replace(String namespace, String name, String json) {
            return answer("replace", () -> {
                String key = namespace + "/" + name;
                Map<String, @Nullable Object> present = objects.get(key);
                Map<String, @Nullable Object> service = JSON.object(json);
                if (present == null || !version(present).equals(version(service))) {
                    return false;
                }
                if (!JsonTree.text(present, "spec", "clusterIP").equals(JsonTree.text(service, "spec", "clusterIP"))) {
                    throw new IllegalStateException("422 spec.clusterIP: may not change");
                }
                writing.run();
                writes.add("replace " + key);
                put(key, json);
                return true;
            });
        }

        @Override
        public CompletionStage<Boolean> delete(String namespace, String name, String uid, String resourceVersion) {
            return answer("delete", () -> {
                String key = namespace + "/" + name;
                Map<String, @Nullable Object> present = objects.get(key);
                if (present == null) {
                    return true;
                }
                if (!version(present).equals(resourceVersion)
                        || !JsonTree.text(present, "metadata", "uid").equals(uid)) {
                    return false;
                }
                writing.run();
                writes.add("delete " + key);
                objects.remove(key);
                return true;
            });
        }

        @Override
        public void close() {
            isClosed = true;
        }
    }

    /** Returns an item of a list, which has no apiVersion and kind. */
    private static String item(Map<String, @Nullable Object> object) {
        Map<String, @Nullable Object> item = new LinkedHashMap<>(object);
        item.remove("apiVersion");
        item.remove("kind");
        return JSON.text(item);
    }

    private static String version(Map<String, @Nullable Object> object) {
        return JsonTree.text(object, "metadata", "resourceVersion");
    }

    Set<String> names() {
        return new TreeSet<>(objects.keySet());
    }

    Optional<String> get(String name) {
        return Optional.ofNullable(objects.get(name)).map(JSON::text);
    }

    /** Returns a Service as an object. */
    Map<String, @Nullable Object> object(String name) {
        return JSON.object(get(name).orElseThrow());
    }

    /** Writes a Service, as another program does. */
    void put(String name, String json) {
        Map<String, @Nullable Object> service = JSON.object(json);
        Map<String, @Nullable Object> metadata = JsonTree.object(service, "metadata");
        Map<String, @Nullable Object> present = objects.get(name);
        metadata.put("namespace", name.substring(0, name.indexOf('/')));
        metadata.put("name", name.substring(name.indexOf('/') + 1));
        metadata.put("uid", present == null ? "uid-" + ++version : JsonTree.text(present, "metadata", "uid"));
        metadata.put("resourceVersion", Integer.toString(++version));
        service.put("metadata", metadata);
        Map<String, @Nullable Object> spec = JsonTree.object(service, "spec");
        spec.values().removeIf(JsonTree::isZero);
        spec.putIfAbsent("type", "ClusterIP");
        spec.putIfAbsent("sessionAffinity", "None");
        spec.putIfAbsent("clusterIP", "10.96.0." + version % 250);
        if (spec.get("ports") instanceof List<?> ports) {
            List<Object> completed = new ArrayList<>();
            ports.forEach(one -> {
                Map<String, @Nullable Object> port = JsonTree.members((Map<?, ?>) one);
                port.putIfAbsent("protocol", "TCP");
                port.putIfAbsent("targetPort", port.get("port"));
                completed.add(port);
            });
            spec.put("ports", completed);
        }
        service.put("spec", spec);
        objects.put(name, new LinkedHashMap<>(service));
    }

    /** Changes a text of a Service, as another program does. */
    void edit(String name, String from, String to) {
        String before = get(name).orElseThrow();
        if (!before.contains(from)) {
            throw new AssertionError("no " + from + " in " + before);
        }
        put(name, before.replace(from, to));
    }

    void remove(String name) {
        objects.remove(name);
    }
}
