package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Finds the causes why the name of an endpoint, below that of its Service, has no records. */
final class MissingEndpoint {
    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final PodOrigins origins;
    private final UnpublishedEndpoints unpublished;

    MissingEndpoint(Findings findings, UnpublishedEndpoints unpublished) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.origins = findings.origins;
        this.unpublished = unpublished;
    }

    void endpointName(ClusterName.EndpointName asked, Service service, DnsLabels zone) {
        String hostname = lower(asked.hostname());
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()))
                .filter(pod -> pod.hostname().orElse(pod.name()).equals(hostname)
                        || pod.name().equals(hostname))
                .toList();
        if (pods.isEmpty()) {
            findings.cause(service.ref(), "", "no Pod in the namespace has the hostname or the name " + hostname);
            new SimilarServices(findings).ofPods(hostname, any -> true, zone);
            hostnames(service).stream()
                    .filter(one -> EditDistance.isSimilar(one, hostname))
                    .sorted(Comparator.comparing(one -> EditDistance.of(one, hostname)))
                    .forEach(one -> findings.lookUp(
                            NameSchema.service(service.name(), service.namespace())
                                    .prepend(one),
                            zone));
            return;
        }
        for (Pod pod : pods) {
            endpointOf(pod, hostname, service, zone);
        }
    }

    private void endpointOf(Pod pod, String hostname, Service service, DnsLabels zone) {
        Pod.Builder changed = pod.toBuilder();
        List<PodOrigins.PodEdit> edits = new ArrayList<>();
        boolean canBeChanged = true;
        if (!pod.hostname().equals(Optional.of(hostname))) {
            findings.cause(
                    pod,
                    "spec.hostname",
                    pod.hostname().map(one -> "is " + one).orElse("missing")
                            + "; the name of an endpoint is the hostname of its Pod");
            changed.hostname(hostname);
            edits.add(new PodOrigins.PodEdit("spec.hostname", hostname));
        }
        if (!pod.subdomain().equals(Optional.of(service.name()))) {
            boolean isServiceName = origins.isServiceName(pod);
            findings.cause(
                    pod,
                    "spec.subdomain",
                    pod.subdomain().map(one -> "is " + one).orElse("missing")
                            + "; it must be the name of the Service"
                            + (isServiceName ? "" : " (a StatefulSet sets it to its spec.serviceName)"));
            pod.subdomain()
                    .ifPresent(other -> findings.lookUp(
                            NameSchema.service(other, pod.namespace()).prepend(hostname), zone));
            changed.subdomain(service.name());
            edits.add(new PodOrigins.PodEdit("spec.subdomain", service.name()));
        }
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isPresent() && !Selector.ofLabels(selector.get()).test(pod.labels())) {
            findings.cause(
                    service.ref(),
                    "spec.selector",
                    selector.get().values() + " does not match " + origins.withLabels(pod));
            if (edits.isEmpty()) {
                unpublished.select(service, PodOrigins.selectorOf(pod));
            }
            canBeChanged = origins.canHaveLabels(pod, selector.get());
            Map<String, String> all = new TreeMap<>(pod.labels().values());
            all.putAll(selector.get().values());
            changed.labels(new Labels(all));
            edits.add(new PodOrigins.PodEdit(
                    "metadata.labels", selector.get().values().toString()));
        }
        if (!EndpointSliceRules.isReady(pod, service)) {
            unpublished.notReady(pod);
            changed.ready(true);
            edits.add(new PodOrigins.PodEdit("status.conditions", ""));
        }
        if (pod.ips().isEmpty()) {
            unpublished.withoutAddress(pod);
        }
        if (edits.isEmpty() || !canBeChanged) {
            return;
        }
        String field = edits.get(0).field();
        String text = edits.size() == 1 && field.equals("spec.subdomain")
                ? statefulSet(pod)
                        .map(set -> "set spec.serviceName of " + set + " to " + service.name())
                        .orElseGet(() -> origins.give(pod, edits))
                : origins.give(pod, edits);
        findings.change(text, origins.place(pod, field), changed.build());
        if (field.equals("status.conditions")) {
            unpublished.publishNotReady(service);
        }
    }

    /** Returns the StatefulSet that has made a Pod: its Pods have a label, and names that end in an ordinal. */
    private static Optional<ObjectRef> statefulSet(Pod pod) {
        int dash = pod.name().lastIndexOf('-');
        return dash > 0
                        && pod.labels()
                                .get(StatefulSet.POD_NAME_LABEL)
                                .filter(pod.name()::equals)
                                .isPresent()
                ? Optional.of(ObjectRef.of(
                        StatefulSet.KIND, pod.namespace(), pod.name().substring(0, dash)))
                : Optional.empty();
    }

    private Set<String> hostnames(Service service) {
        Set<String> hostnames = new LinkedHashSet<>();
        findings.slices(service)
                .forEach(
                        slice -> slice.endpoints().forEach(one -> one.hostname().ifPresent(hostnames::add)));
        return hostnames;
    }
}
