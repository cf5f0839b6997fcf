package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.util.List;
import java.util.Set;

/** Translates {@code kubernetes}: the zones and the records of the cluster. */
final class CorefileKubernetes {
    private static final String ZONE_OPTION =
            CorefileOptions.ZONE + " names the cluster's domain (default: " + ZoneKey.DEFAULT_ZONE + ")";

    private final CorefileOptions options;
    private final CorefileRemarks remarks;
    private final CorefileFallthrough fallthrough;

    /**
     * Creates a translation.
     *
     * @param fallthrough receives the lines with {@code fallthrough}
     */
    CorefileKubernetes(CorefileOptions options, CorefileRemarks remarks, CorefileFallthrough fallthrough) {
        this.options = options;
        this.remarks = remarks;
        this.fallthrough = fallthrough;
    }

    /** Adds the options of a directive. */
    void translate(Directive directive, ServerBlock block) {
        List<String> zones = directive.arguments().isEmpty()
                ? ZoneKey.zones(block)
                : directive.arguments().stream()
                        .map(zone -> ZoneKey.zone(zone, directive.line()))
                        .toList();
        for (String zone : zones) {
            if (zone.equals(ZoneKey.ROOT)) {
                remarks.warn(directive, "without a zone; " + ZONE_OPTION);
            } else {
                options.add(ZoneKey.isReverse(zone) ? CorefileOptions.REVERSE_ZONE : CorefileOptions.ZONE, zone);
            }
        }
        if (zones.stream().allMatch(ZoneKey::isReverse)) {
            remarks.warn(directive, "only reverse zones; " + ZONE_OPTION);
        }
        if (zones.stream().noneMatch(ZoneKey::isReverse)) {
            remarks.note(directive, "no reverse zone here; addresses of the cluster have PTR records all the same");
        }
        boolean connected = false;
        boolean podsGiven = false;
        for (Directive property : directive.block()) {
            connected |= property.name().equals("kubeconfig");
            podsGiven |= property.name().equals("pods");
            property(property, zones, block);
        }
        if (!connected) {
            options.add("--in-cluster", "");
        }
        if (!podsGiven) {
            options.set("--pods", "disabled", directive);
        }
        refuseTogether("namespaces", "--namespace", "namespace_labels", "--namespace-labels", directive);
        refuseTogether("noendpoints", "--no-endpoints", "ignore empty_service", "--ignore-empty-services", directive);
    }

    private void property(Directive property, List<String> zones, ServerBlock block) {
        List<String> arguments = property.arguments();
        switch (property.name()) {
            case "kubeconfig" -> {
                options.set("--kubeconfig", CorefileValues.first(property), property);
                arguments.stream()
                        .skip(1)
                        .findFirst()
                        .ifPresent(context -> options.set("--context", context, property));
            }
            case "pods" -> {
                String mode = CorefileValues.first(property);
                if (!Set.of("disabled", "insecure", "verified").contains(mode)) {
                    throw new InvalidCorefileException(
                            property.line(), "pods takes disabled, insecure or verified, not " + mode);
                }
                options.set("--pods", mode, property);
            }
            case "ttl" -> {
                String ttl = CorefileValues.first(property);
                if (!ttl.matches("\\d{1,4}") || Integer.parseInt(ttl) > 3600) {
                    throw new InvalidCorefileException(property.line(), "ttl takes 0 to 3600 seconds, not " + ttl);
                }
                options.set("--ttl", ttl, property);
            }
            case "namespaces" -> {
                CorefileValues.first(property);
                arguments.forEach(namespace -> options.add("--namespace", namespace));
            }
            case "labels" -> options.set("--labels", CorefileValues.text(property), property);
            case "namespace_labels" -> options.set("--namespace-labels", CorefileValues.text(property), property);
            case "endpoint_pod_names" -> options.add("--endpoint-names", "pod");
            case "noendpoints" -> options.add("--no-endpoints", "");
            case "ignore" -> ignore(property);
            case "fallthrough" -> fallthrough.add(property, zones, block);
            case "startup_timeout" -> options.set("--startup-timeout", CorefileValues.seconds(property), property);
            case "endpoint", "tls" ->
                remarks.warn(property, "write the API server into a kubeconfig, and name that with --kubeconfig");
            case "upstream", "resyncperiod", "apiserver_qps", "apiserver_burst", "apiserver_max_inflight" ->
                remarks.note(property, "decided without an option");
            default -> remarks.warn(property, "a property of kubernetes without a counterpart");
        }
    }

    private void ignore(Directive property) {
        if (CorefileValues.first(property).equals("empty_service")) {
            options.add("--ignore-empty-services", "");
        } else {
            remarks.warn(property, "a property of kubernetes without a counterpart");
        }
    }

    /** Refuses two properties whose options exclude each other. */
    private void refuseTogether(String one, String option, String other, String otherOption, Directive directive) {
        if (options.has(option) && options.has(otherOption)) {
            throw new InvalidCorefileException(directive.line(), one + " and " + other + " exclude each other");
        }
    }
}
