package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.explain.Explanation;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.HostAlias;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.name.InvalidNameException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/** The hint at Pods of a namespace in which a lookup has another result, because they have other DNS settings. */
record OtherPodsHint(PodLookup lookup, ClusterSnapshot cluster) {
    /** The number of different settings that are tried: each is a lookup of its own. */
    private static final int MAX_SETTINGS = 20;

    /** The fields of a Pod on which the result depends. */
    private record Settings(
            Optional<String> dnsPolicy, Optional<DnsConfig> dnsConfig, boolean hostNetwork, List<HostAlias> aliases) {
        static Settings of(Pod pod) {
            return new Settings(pod.dnsPolicy(), pod.dnsConfig(), pod.hostNetwork(), pod.hostAliases());
        }

        /** Returns whether they differ from those of a Pod without settings; with most policies the host network makes no difference. */
        boolean areSpecial() {
            String policy = dnsPolicy.orElse(DnsPolicy.CLUSTER_FIRST.word());
            return hostNetwork
                    || !policy.equals(DnsPolicy.CLUSTER_FIRST.word())
                    || dnsConfig.isPresent()
                    || !aliases.isEmpty();
        }
    }

    /**
     * Returns the hint; empty if no Pod or workload of the namespace has another result.
     *
     * @param usual the result in a Pod without DNS settings
     */
    Optional<String> of(String namespace, LookupWalk usual) {
        Map<Settings, Optional<String>> tried = new HashMap<>();
        Map<String, String> different = new LinkedHashMap<>();
        pods(namespace).forEach(pod -> {
            Settings settings = Settings.of(pod);
            if (tried.size() < MAX_SETTINGS || tried.containsKey(settings)) {
                ObjectRef object = pod.workload().orElse(pod.ref());
                String place = namespace + "/" + object.name();
                tried.computeIfAbsent(settings, any -> otherResult(place, pod, usual))
                        .ifPresent(result -> different.putIfAbsent(place, "--from " + place + " (" + result + ")"));
            }
        });
        return different.isEmpty()
                ? Optional.empty()
                : Optional.of("note: Pods with other DNS settings have another result: "
                        + PlanTable.first(List.copyOf(different.values())));
    }

    /** Returns the Pods of a namespace with DNS settings, also of workloads that have no Pods. */
    private Stream<Pod> pods(String namespace) {
        return Stream.concat(
                        cluster.objects(Pod.class),
                        cluster.idleWorkloads().stream()
                                .map(IdleWorkload::workload)
                                .map(PodLookup::podOf))
                .filter(pod ->
                        pod.namespace().equals(namespace) && Settings.of(pod).areSpecial())
                .sorted(PodLookup.BY_NAME);
    }

    private Optional<String> otherResult(String place, Pod pod, LookupWalk usual) {
        try {
            // Pods with the same settings have other names and addresses in their files /etc/hosts.
            String result =
                    result(lookup.walk(place, pod.toBuilder().ips(List.of()).build()));
            return result.equals(result(usual)) ? Optional.empty() : Optional.of(result);
        } catch (InvalidInputException | InvalidNameException refused) {
            return Optional.empty();
        }
    }

    private static String result(LookupWalk walk) {
        Explanation explained = walk.mostUseful().explanation();
        if (!explained.resolves()) {
            return "does not resolve";
        }
        List<String> addresses = explained.answer().addresses();
        return "resolves " + (addresses.isEmpty() ? "as " + explained.name() : "to " + PlanTable.first(addresses));
    }
}
