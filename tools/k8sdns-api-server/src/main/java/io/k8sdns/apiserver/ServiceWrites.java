package io.k8sdns.apiserver;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Completes and checks Services that clients write, as an API server does. */
final class ServiceWrites {
    private static final String CLUSTER_IP = "clusterIP";

    private ServiceWrites() {}

    /**
     * Completes the specification of a Service.
     *
     * @param number a number that no other Service has, from which the cluster IP is computed
     */
    static void complete(
            Map<String, @Nullable Object> service, @Nullable Map<String, @Nullable Object> before, long number) {
        Map<String, @Nullable Object> spec = JsonValue.members(service.get("spec"));
        spec.putIfAbsent("type", "ClusterIP");
        spec.putIfAbsent("sessionAffinity", "None");
        Map<String, @Nullable Object> old = before == null ? Map.of() : JsonValue.members(before.get("spec"));
        Object address = old.getOrDefault(CLUSTER_IP, "10.96." + number / 250 % 250 + "." + (number % 250 + 1));
        spec.putIfAbsent(CLUSTER_IP, address);
        spec.putIfAbsent("clusterIPs", List.of(Objects.requireNonNull(spec.get(CLUSTER_IP))));
        List<@Nullable Object> ports = new ArrayList<>();
        for (Object one : spec.get("ports") instanceof List<?> all ? all : List.of()) {
            Map<String, @Nullable Object> port = JsonValue.members(one);
            port.putIfAbsent("protocol", "TCP");
            port.putIfAbsent("targetPort", port.get("port"));
            ports.add(port);
        }
        spec.put("ports", ports);
        service.put("spec", spec);
    }

    /** Returns the reason why a Service cannot replace another one; the empty text if it can. */
    static String refusal(Map<String, @Nullable Object> service, Map<String, @Nullable Object> before) {
        Object address = JsonValue.members(service.get("spec")).get(CLUSTER_IP);
        Object old = JsonValue.members(before.get("spec")).get(CLUSTER_IP);
        return address == null || address.equals(old)
                ? ""
                : "spec.clusterIPs[0]: Invalid value: may not change once set";
    }
}
