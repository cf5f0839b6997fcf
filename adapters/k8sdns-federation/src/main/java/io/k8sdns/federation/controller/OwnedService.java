package io.k8sdns.federation.controller;

import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.json.RelaxedJson;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A Service that a controller of the federation created in a cluster, and the JSON that updates it to its manifest.
 *
 * <p><b>Ownership.</b> A Service is the federation's own if it has the label {@value ShardTemplate#MANAGED_BY} of these controllers and
 * an annotation {@value ShardTemplate#APPLIED} that names this Service and the federation. A copy with another name has both, but its
 * annotation names the original.
 *
 * <p><b>Fields.</b> The annotation records the fields that were written last. So a field that has been removed from the manifest is
 * removed from the Service, as by {@code kubectl apply}, and a field that was never in the manifest is kept.
 */
final class OwnedService {
    private static final RelaxedJson JSON = new RelaxedJson();

    private final Map<String, @Nullable Object> live;
    private final Map<String, @Nullable Object> applied;

    private OwnedService(Map<String, @Nullable Object> live, Map<String, @Nullable Object> applied) {
        this.live = live;
        this.applied = applied;
    }

    /**
     * Returns a Service if it is the federation's own.
     *
     * @param json the Service of the API server
     * @throws IllegalArgumentException if it is not a JSON object
     */
    static Optional<OwnedService> of(String json, String federation) {
        Map<String, @Nullable Object> live = JSON.object(json);
        // The items of a list have no apiVersion and kind.
        live.putIfAbsent("apiVersion", "v1");
        live.putIfAbsent("kind", "Service");
        if (!JsonTree.text(live, "metadata", "labels", ShardTemplate.MANAGED_BY).equals(ShardTemplate.MANAGER)) {
            return Optional.empty();
        }
        Map<String, @Nullable Object> applied;
        try {
            applied = JSON.object(JsonTree.text(live, "metadata", "annotations", ShardTemplate.APPLIED));
        } catch (IllegalArgumentException changed) {
            return Optional.empty();
        }
        OwnedService service = new OwnedService(live, applied);
        boolean isOwn = !service.name().isEmpty()
                && JsonTree.text(applied, "metadata", "name").equals(service.name())
                && JsonTree.text(applied, "metadata", "namespace").equals(service.namespace())
                && JsonTree.text(applied, "metadata", "labels", FederatedServices.LABEL)
                        .equals(federation);
        return isOwn ? Optional.of(service) : Optional.empty();
    }

    String namespace() {
        return JsonTree.text(live, "metadata", "namespace");
    }

    String name() {
        return JsonTree.text(live, "metadata", "name");
    }

    String uid() {
        return JsonTree.text(live, "metadata", "uid");
    }

    String resourceVersion() {
        return JsonTree.text(live, "metadata", "resourceVersion");
    }

    /** Returns whether the Service is being deleted: the API server waits until its finalizers are removed. */
    boolean isBeingDeleted() {
        return !JsonTree.text(live, "metadata", "deletionTimestamp").isEmpty();
    }

    boolean isHeadless() {
        return JsonTree.isHeadless(JsonTree.object(live, "spec"));
    }

    /** Returns the JSON of a new Service. */
    static String create(ShardTemplate template, String federation) {
        return JSON.text(recorded(template.fields(federation)));
    }

    /** Returns the JSON that updates the Service to the manifest; empty if no field differs. */
    Optional<String> update(ShardTemplate template, String federation) {
        Map<String, @Nullable Object> wanted = withoutAddresses(recorded(template.fields(federation)));
        Map<String, @Nullable Object> metadata = JsonTree.object(applied, "metadata");
        metadata.keySet().retainAll(Set.of("labels", "annotations"));
        Map<String, @Nullable Object> before = new LinkedHashMap<>();
        before.put("metadata", metadata);
        before.put("spec", JsonTree.object(applied, "spec"));
        before = withoutAddresses(before);
        Map<String, @Nullable Object> result = merge(live, before, wanted);
        return result.equals(live) ? Optional.empty() : Optional.of(JSON.text(result));
    }

    /** Returns the fields without cluster IPs, which only the cluster sets. */
    private static Map<String, @Nullable Object> withoutAddresses(Map<String, @Nullable Object> fields) {
        Map<String, @Nullable Object> spec = JsonTree.object(fields, "spec");
        spec.keySet().removeAll(Set.of("clusterIP", "clusterIPs"));
        Map<String, @Nullable Object> result = new LinkedHashMap<>(fields);
        result.put("spec", spec);
        return result;
    }

    /** Returns the fields with the annotation that records them. */
    private static Map<String, @Nullable Object> recorded(Map<String, @Nullable Object> fields) {
        Map<String, @Nullable Object> metadata = JsonTree.object(fields, "metadata");
        Map<String, @Nullable Object> annotations = JsonTree.object(metadata, "annotations");
        annotations.put(ShardTemplate.APPLIED, JSON.text(fields));
        metadata.put("annotations", annotations);
        Map<String, @Nullable Object> recorded = new LinkedHashMap<>(fields);
        recorded.put("metadata", metadata);
        return recorded;
    }

    /** Returns the live fields with the wanted ones, without those that were written before and are no longer wanted. */
    private static Map<String, @Nullable Object> merge(
            Map<String, @Nullable Object> live, Map<?, ?> before, Map<?, ?> wanted) {
        Map<String, @Nullable Object> result = new LinkedHashMap<>(live);
        before.forEach((key, value) -> {
            String member = String.valueOf(key);
            if (wanted.containsKey(member)) {
                return;
            }
            if (value instanceof Map<?, ?> fields && result.get(member) instanceof Map<?, ?> present) {
                Map<String, @Nullable Object> rest = merge(JsonTree.members(present), fields, Map.of());
                result.put(member, rest);
                if (rest.isEmpty()) {
                    result.remove(member);
                }
            } else {
                result.remove(member);
            }
        });
        wanted.forEach((key, value) -> {
            String member = String.valueOf(key);
            Object present = result.get(member);
            // A selector is replaced as a whole, because each of its labels changes which Pods it selects.
            if (value instanceof Map<?, ?> fields && !member.equals("selector")) {
                result.put(
                        member,
                        merge(
                                present instanceof Map<?, ?> object ? JsonTree.members(object) : Map.of(),
                                before.get(member) instanceof Map<?, ?> object ? object : Map.of(),
                                fields));
            } else if (value instanceof List<?>
                    && JsonTree.covers(present, value)
                    && value.equals(before.get(member))) {
                // The API server has completed the items, for example ports.
                result.put(member, present);
            } else if (present != null || !JsonTree.isZero(value)) {
                result.put(member, value);
            }
        });
        return result;
    }
}
