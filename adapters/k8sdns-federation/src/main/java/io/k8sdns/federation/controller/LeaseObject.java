package io.k8sdns.federation.controller;

import io.k8sdns.federation.json.RelaxedJson;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A Lease of {@code coordination.k8s.io/v1}, and the JSON with which it is taken over, renewed and released. Unknown members are kept. An
 * immutable value.
 *
 * <p>Times and duration are written for users and other programs, and never read, so that clocks are not compared.
 */
final class LeaseObject {
    private static final String HOLDER = "holderIdentity";
    private static final String ACQUIRED = "acquireTime";
    private static final String TRANSITIONS = "leaseTransitions";
    private static final int MAX_TRANSITIONS = Integer.MAX_VALUE - 1;
    private static final RelaxedJson JSON = new RelaxedJson();

    /** The form of a MicroTime of Kubernetes. */
    private static final DateTimeFormatter MICRO_TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSSSSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Map<String, @Nullable Object> members;
    private final Map<String, @Nullable Object> spec;
    private final String holder;

    private LeaseObject(Map<String, @Nullable Object> members) {
        this.members = members;
        this.spec = JsonTree.object(members, "spec");
        this.holder = holder(spec.get(HOLDER));
    }

    private static String holder(@Nullable Object value) {
        if (value == null) {
            return "";
        }
        if (value instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException("spec." + HOLDER + ": not a text");
    }

    /**
     * Reads a Lease of an API server.
     *
     * @throws IllegalArgumentException if it is not a JSON object, has no version, or a holder that is not a text
     */
    static LeaseObject parse(String json) {
        LeaseObject lease = new LeaseObject(JSON.object(json));
        if (lease.version().isEmpty()) {
            throw new IllegalArgumentException("metadata.resourceVersion: missing");
        }
        return lease;
    }

    /** Returns the JSON of a new Lease that is held. */
    static String create(String namespace, String name, String holder, Duration duration, Instant now) {
        Map<String, @Nullable Object> metadata = new LinkedHashMap<>();
        metadata.put("namespace", namespace);
        metadata.put("name", name);
        metadata.put("labels", Map.of(ShardTemplate.MANAGED_BY, ShardTemplate.MANAGER));
        Map<String, @Nullable Object> members = new LinkedHashMap<>();
        members.put("apiVersion", "coordination.k8s.io/v1");
        members.put("kind", "Lease");
        members.put("metadata", metadata);
        return new LeaseObject(members).heldBy(holder, duration, now);
    }

    /** Returns the identity of the holder; the empty text if the Lease is free. */
    String holder() {
        return holder;
    }

    String version() {
        return JsonTree.text(members, "metadata", "resourceVersion");
    }

    /** Returns the program that manages it according to its label; the empty text if there is no label. */
    String manager() {
        return JsonTree.text(members, "metadata", "labels", ShardTemplate.MANAGED_BY);
    }

    /** Returns the JSON of the Lease with a new holder, or with a renewal of the current one. */
    String heldBy(String next, Duration duration, Instant now) {
        Map<String, @Nullable Object> held = new LinkedHashMap<>(spec);
        String time = MICRO_TIME.format(now);
        held.put(HOLDER, next);
        held.put("leaseDurationSeconds", Math.max(1, duration.toSeconds()));
        held.put("renewTime", time);
        if (!next.equals(holder)) {
            held.put(ACQUIRED, time);
            long before = held.get(TRANSITIONS) instanceof Number number ? number.longValue() : -1;
            held.put(TRANSITIONS, before < 0 || before > MAX_TRANSITIONS ? 0 : before + 1);
        }
        return with(held);
    }

    /** Returns the JSON of the Lease without a holder, so that another controller can take it over at once. */
    String withoutHolder() {
        Map<String, @Nullable Object> free = new LinkedHashMap<>(spec);
        free.put(HOLDER, "");
        return with(free);
    }

    private String with(Map<String, @Nullable Object> next) {
        Map<String, @Nullable Object> lease = new LinkedHashMap<>(members);
        lease.put("spec", next);
        return JSON.text(lease);
    }
}
