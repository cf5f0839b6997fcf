package io.k8sdns.explain;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Finds the causes why a Service has no published endpoint. */
final class UnpublishedEndpoints {
    private static final int MAX_PODS = 5;

    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final RecordType type;
    private final DnsLabels labels;
    private final UnservedPorts unserved;

    UnpublishedEndpoints(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.type = findings.type;
        this.labels = findings.labels;
        this.unserved = new UnservedPorts(findings);
    }

    /** Adds the causes why a Service has no published endpoint. */
    void findCauses(Service service) {
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isEmpty()) {
            if (unserved.checkPortsOfSlices(service)) {
                findings.addCause(
                        service.ref(), "spec.selector", "no selector, and no EndpointSlice of it has a ready endpoint");
            }
            return;
        }
        if (!findings.knowsPods) {
            String port = ClusterName.PortName.isLabel(labels.label(0)) ? " with this port" : "";
            findings.addCause(service.ref(), "", "no EndpointSlice of it has a ready endpoint" + port);
            return;
        }
        List<Pod> selected = matching(service.namespace(), selector.get());
        if (selected.isEmpty()) {
            findCausesOfSelector(service, selector.get());
            return;
        }
        List<Pod> waiting = selected.stream()
                .filter(pod -> !EndpointSliceRules.isReady(pod, service))
                .toList();
        waiting.stream().limit(MAX_PODS).forEach(this::addCauseOfNotReady);
        selected.stream().filter(pod -> pod.ips().isEmpty()).limit(MAX_PODS).forEach(this::addCauseOfNoAddress);
        if (!waiting.isEmpty()) {
            Pod first = waiting.get(0);
            findings.suggestChange(
                    "make " + PodOrigins.describe(first) + " ready",
                    PodOrigins.location(first, "status.conditions"),
                    first.toBuilder().ready(true).build());
            suggestPublishingNotReady(service);
        }
        List<ServicePort> unservedPorts = service.ports().stream()
                .filter(port -> findings.slices(service).stream()
                        .noneMatch(slice ->
                                slice.ports().stream().anyMatch(one -> one.key().equals(port.key()))))
                .toList();
        if (!unservedPorts.isEmpty()
                && (type.equals(RecordType.SRV) || ClusterName.PortName.isLabel(labels.label(0)))) {
            unservedPorts.forEach(port -> unserved.addCauseOfTargetPort(service, port, selected));
        }
    }

    /** Suggests to publish the Pods of a headless Service that are not ready. */
    void suggestPublishingNotReady(Service service) {
        if (service instanceof HeadlessService headless) {
            findings.suggestChange(
                    "set spec.publishNotReadyAddresses of " + service.ref(),
                    new FieldLocation(service.ref(), "spec.publishNotReadyAddresses"),
                    headless.toBuilder().publishNotReadyAddresses(true).build());
        }
    }

    /** Returns the Pods that a Service selects. */
    List<Pod> selected(Service service) {
        return EndpointSliceRules.selection(service).selector().stream()
                .flatMap(selector -> matching(service.namespace(), selector).stream())
                .toList();
    }

    private List<Pod> matching(String namespace, Labels labels) {
        Selector selector = Selector.ofLabels(labels);
        return cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(namespace) && selector.test(pod.labels()))
                .toList();
    }

    private void findCausesOfSelector(Service service, Labels selector) {
        String selectorText = selector.values().toString();
        List<Pod> podsOfOtherNamespaces = cluster.objects(Pod.class)
                .filter(pod -> !pod.namespace().equals(service.namespace())
                        && Selector.ofLabels(selector).test(pod.labels()))
                .limit(1)
                .toList();
        Optional<Pod> mostSimilarPod = cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()) && similarity(pod, service, selector) > 0)
                .max(Comparator.comparing((Pod pod) -> similarity(pod, service, selector))
                        .thenComparing(Comparator.comparing(Pod::name).reversed()));
        String similarText = mostSimilarPod
                .map(pod -> (PodOrigins.hasInventedName(pod) ? "; the nearest are " : "; the nearest is ")
                        + PodOrigins.withLabels(pod))
                .orElse("");
        String other = podsOfOtherNamespaces.stream()
                .map(pod -> "; it matches " + PodOrigins.describe(pod)
                        + ", but a Service selects Pods of its own namespace only")
                .findFirst()
                .orElse("");
        findings.addCause(service.ref(), "spec.selector", selectorText + " matches no Pod" + similarText + other);
        mostSimilarPod.ifPresent(pod -> {
            suggestSelector(service, fitting(selector, pod));
            if (PodOrigins.canHaveLabels(pod, selector)) {
                Map<String, String> labelled = new TreeMap<>(pod.labels().values());
                labelled.putAll(selector.values());
                findings.suggestChange(
                        PodOrigins.describeEdits(pod, List.of(new PodOrigins.PodEdit("metadata.labels", selectorText))),
                        PodOrigins.location(pod, "metadata.labels"),
                        pod.toBuilder().labels(new Labels(labelled)).build());
            }
        });
    }

    /**
     * Returns a selector that matches a Pod: the keys of the given one, with the values of the Pod. Labels of a whole application
     * stay if the Pod has their values already.
     */
    private static Labels fitting(Labels selector, Pod pod) {
        Map<String, String> fitting = new TreeMap<>();
        selector.values()
                .forEach((key, wanted) -> pod.labels()
                        .get(key)
                        .filter(value -> value.equals(wanted) || !PodOrigins.SHARED_LABELS.contains(key))
                        .ifPresent(value -> fitting.put(key, value)));
        return PodOrigins.SHARED_LABELS.containsAll(fitting.keySet())
                ? PodOrigins.selectorOf(pod)
                : new Labels(fitting);
    }

    void suggestSelector(Service service, Labels selector) {
        if (!selector.values().isEmpty()) {
            findings.suggestChange(
                    "change spec.selector of " + service.ref() + " to " + selector.values(),
                    new FieldLocation(service.ref(), "spec.selector"),
                    service.fold(
                            clusterIp ->
                                    clusterIp.toBuilder().selector(selector).build(),
                            headless -> headless.toBuilder().selector(selector).build(),
                            external -> external));
        }
    }

    /**
     * Returns how many labels of a selector a Pod has, a similar value as half of one, and the Service as its subdomain as a quarter.
     */
    private static double similarity(Pod pod, Service service, Labels selector) {
        return selector.values().entrySet().stream()
                        .filter(entry -> !PodOrigins.SHARED_LABELS.contains(entry.getKey()))
                        .mapToDouble(entry -> pod.labels()
                                .get(entry.getKey())
                                .map(value -> value.equals(entry.getValue())
                                        ? 1.0
                                        : isSimilar(value, entry.getValue()) ? 0.5 : 0.0)
                                .orElse(0.0))
                        .sum()
                + (pod.subdomain().equals(Optional.of(service.name())) ? 0.25 : 0);
    }

    /** Returns whether values differ by typing errors, or one begins with the other, as web and web-frontend. */
    private static boolean isSimilar(String value, String other) {
        return EditDistance.isSimilar(value, other)
                || !value.isEmpty() && !other.isEmpty() && (value.startsWith(other) || other.startsWith(value));
    }

    void addCauseOfNotReady(Pod pod) {
        if (pod.terminating()) {
            findings.addCause(pod, "metadata.deletionTimestamp", "is being deleted");
            return;
        }
        String text = "not ready, so that it is not published";
        findings.addCause(
                pod,
                "status.conditions",
                PodOrigins.sentence(pod, text, "is " + text, "are not ready, so that they are not published"));
    }

    void addCauseOfNoAddress(Pod pod) {
        if (pod.hostNetwork() && cluster.objects(Node.class).findAny().isEmpty()) {
            String text = "no address, because spec.hostNetwork is true and there is no Node among the objects"
                    + " (add the Nodes, or explain a live cluster)";
            findings.addCause(pod, "spec.hostNetwork", PodOrigins.sentence(pod, text, "has " + text, "have " + text));
            return;
        }
        findings.addCause(
                pod,
                "status.podIPs",
                PodOrigins.sentence(pod, "no address yet", "has no address yet", "have no address yet"));
    }
}
