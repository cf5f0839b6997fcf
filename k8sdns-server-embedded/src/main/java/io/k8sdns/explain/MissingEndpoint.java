package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
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
    private final UnpublishedEndpoints unpublished;

    MissingEndpoint(Findings findings, UnpublishedEndpoints unpublished) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.unpublished = unpublished;
    }

    void findCauses(ClusterName.EndpointName asked, Service service, DnsLabels zone) {
        String hostname = lower(asked.hostname());
        if (!findings.knowsPods) {
            findings.addCause(service.ref(), "", "no published endpoint has the hostname " + hostname);
            suggestHostnames(hostname, service, zone);
            return;
        }
        if (EndpointSliceRules.selection(service).selector().isEmpty() || findings.hasEndpointsOfUnknownPods(service)) {
            findCausesOfSlices(hostname, service, zone);
            return;
        }
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()))
                .filter(pod -> PodOrigins.isCalled(pod, hostname) || isNamedAfterPod(pod, hostname, service))
                .toList();
        boolean selectsNoPod = unpublished.selected(service).isEmpty();
        boolean isIdle = selectsNoPod
                && (pods.isEmpty()
                        || unpublished.idleWorkloads(service).stream().anyMatch(idle -> wouldHave(idle, hostname)));
        if (isIdle && unpublished.findCausesOfIdleWorkloads(service)) {
            unpublished.idleWorkloads(service).forEach(idle -> findCausesOfIdle(idle, hostname, service, zone));
            return;
        }
        if (pods.isEmpty()) {
            findings.addCause(service.ref(), "", "no Pod in the namespace has the hostname or the name " + hostname);
            if (selectsNoPod) {
                unpublished.findCausesOfSelector(service);
            }
            addCausesOfPort(hostname, service, zone);
            addCausesOfNumbers(hostname, service, zone);
            new StatefulSetPods(findings).findCausesOfReplacedHostname(service, hostname, zone);
            new SimilarServices(findings).suggestPods(hostname, any -> true, zone);
            suggestHostnames(hostname, service, zone);
            return;
        }
        for (Pod pod : pods) {
            findCauses(pod, hostname, service, zone);
        }
    }

    /** Adds that a hostname is the name of ports as a cause, and suggests their names. */
    private void addCausesOfPort(String hostname, Service service, DnsLabels zone) {
        List<ServicePort> ports = service.ports().stream()
                .filter(port -> port.name().equals(Optional.of(hostname)))
                .toList();
        if (!ports.isEmpty()) {
            findings.addCause(
                    service.ref(),
                    "spec.ports",
                    hostname + " is the name of a port, which is looked up as " + NameOutsideSchema.PORT_FORM);
        }
        ports.forEach(port -> findings.suggestName(
                NameSchema.service(service.name(), service.namespace())
                        .prepend(port.protocol().label())
                        .prepend(ClusterName.PortName.label(hostname)),
                zone,
                RecordType.SRV));
    }

    /**
     * Finds the causes below a Service without a selector, or whose Pods are not known: its endpoints have the hostnames of its slices,
     * whatever the Pods have.
     */
    private void findCausesOfSlices(String hostname, Service service, DnsLabels zone) {
        boolean isFound = false;
        for (EndpointSlice slice : findings.slices(service)) {
            for (int i = 0; i < slice.endpoints().size(); i++) {
                Endpoint endpoint = slice.endpoints().get(i);
                boolean isNamed = findings.rules.endpointName(endpoint).equals(Optional.of(hostname));
                if (!isNamed && !isPod(endpoint, hostname)) {
                    continue;
                }
                isFound |= !isNamed || !service.publishes(endpoint);
                if (!isNamed) {
                    addCauseOfEndpointHostname(slice, i, hostname, service);
                }
                if (!service.publishes(endpoint)) {
                    unpublished.addCauseOfEndpoint(slice, i);
                    unpublished.suggestReady(service, slice, i);
                }
            }
        }
        if (!isFound) {
            boolean hasSelector =
                    EndpointSliceRules.selection(service).selector().isPresent();
            boolean isOfFqdn = unpublished.addCausesOfFqdnSlices(service);
            boolean hasAddresses =
                    findings.slices(service).stream().anyMatch(slice -> slice.addressType() != AddressType.FQDN);
            if (!isOfFqdn || hasAddresses) {
                findings.addCause(
                        service.ref(),
                        hasSelector ? "" : "spec.selector",
                        (hasSelector ? "" : "no selector, and ")
                                + "no endpoint in an EndpointSlice of it has the hostname " + hostname);
            }
            addCausesOfPort(hostname, service, zone);
            suggestHostnames(hostname, service, zone);
            if (!hasSelector) {
                unpublished.findCausesOfMissingSelector(service);
            }
            // The asked name is the right one of a Pod whose subdomain is the Service.
            new SimilarServices(findings)
                    .suggestPods(hostname, pod -> hasSelector || !UnpublishedEndpoints.isSubdomain(service, pod), zone);
        }
    }

    private static boolean isPod(Endpoint endpoint, String podName) {
        return KubernetesNames.isDnsLabel(podName)
                && endpoint.targetRef()
                        .filter(target ->
                                target.kind().equals(Pod.KIND) && target.name().equals(podName))
                        .isPresent();
    }

    private void addCauseOfEndpointHostname(EndpointSlice slice, int index, String hostname, Service service) {
        String field = "endpoints[" + index + "].hostname";
        Endpoint endpoint = slice.endpoints().get(index);
        boolean hasSelector = EndpointSliceRules.selection(service).selector().isPresent();
        findings.addCause(
                slice.ref(),
                field,
                endpoint.hostname().map(one -> "is " + one).orElse("missing")
                        + (hasSelector
                                ? "; it is the spec.hostname of the Pod, if its spec.subdomain is the name of the Service"
                                : "; it is the name of an endpoint of a Service without a selector"));
        if (hasSelector) {
            // The controller would undo a change of the EndpointSlice.
            return;
        }
        List<Endpoint> endpoints = new ArrayList<>(slice.endpoints());
        endpoints.set(index, endpoint.withHostname(hostname));
        findings.suggestChange(
                "give " + slice.ref() + " " + field + " " + hostname,
                new FieldLocation(slice.ref(), field),
                slice.toBuilder().endpoints(endpoints).build());
    }

    /** Suggests the hostname of the published endpoints with the nearest number, then those that are similar otherwise. */
    private void suggestHostnames(String hostname, Service service, DnsLabels zone) {
        Set<String> hostnames = hostnames(service);
        String numbered = StatefulSetPods.withoutLeadingZeros(hostname);
        int before = findings.suggestions().size();
        for (String one : StatefulSetPods.nearestNumbers(numbered, hostnames)) {
            if (findings.suggestions().size() == before) {
                suggestHostname(one, service, zone);
            }
        }
        hostnames.stream()
                .filter(one -> EditDistance.isSimilar(one, hostname) && !StatefulSetPods.areOfOneSet(numbered, one))
                .sorted(Comparator.comparing(one -> EditDistance.of(one, hostname)))
                .forEach(one -> suggestHostname(one, service, zone));
    }

    private void suggestHostname(String hostname, Service service, DnsLabels zone) {
        findings.suggestName(
                NameSchema.service(service.name(), service.namespace()).prepend(hostname), zone);
    }

    /** The changes after which a Pod is the endpoint. */
    private static final class PodChange {
        final Pod pod;
        final Pod.Builder changed;
        final List<PodOrigins.PodEdit> edits = new ArrayList<>();
        boolean isPossible = true;

        PodChange(Pod pod) {
            this.pod = pod;
            this.changed = pod.toBuilder();
        }

        void edit(String field, String value) {
            edits.add(new PodOrigins.PodEdit(field, value));
        }
    }

    /** Adds the causes why a Pod is not the endpoint, and suggests to change the Pod. */
    private void findCauses(Pod pod, String hostname, Service service, DnsLabels zone) {
        PodChange change = new PodChange(pod);
        // First, because nothing else makes a Pod the endpoint of a Service that does not select it.
        checkLabels(change, service);
        if (!isNamedAfterPod(pod, hostname, service)) {
            checkHostname(change, hostname);
            checkSubdomain(change, hostname, service, zone);
        }
        checkReadiness(change, service);
        checkAddress(change, service);
        unpublished.addCauseOfFamily(service, pod);
        if (change.edits.isEmpty()) {
            unpublished.addCausesOfEndpointsOf(service, pod);
        }
        if (findings.causes().isEmpty()) {
            findings.addCause(service.ref(), "", "no published endpoint is " + PodOrigins.describe(pod));
        }
        if (!change.edits.isEmpty() && change.isPossible) {
            suggest(change, service);
        }
    }

    /** Returns whether a workload without Pods would have one with a hostname. */
    private boolean wouldHave(IdleWorkload idle, String hostname) {
        return !nextPods(idle.workload(), hostname).isEmpty()
                || idle.firstPod()
                        .flatMap(pod -> withHostname(pod, idle.workload(), hostname))
                        .isPresent();
    }

    /** Adds the missing subdomain of the Pod that a workload without Pods would have as a cause, and suggests to change both. */
    private void findCausesOfIdle(IdleWorkload idle, String hostname, Service service, DnsLabels zone) {
        List<Pod> nextPods = nextPods(idle.workload(), hostname);
        if (nextPods.size() > 1) {
            ObjectRef set = idle.workload().ref();
            findCausesOfIdle(
                    "set spec.replicas of " + set + " to " + nextPods.size(),
                    new FieldLocation(set, "spec.replicas"),
                    nextPods,
                    hostname,
                    service,
                    zone);
        } else {
            idle.firstPod()
                    .flatMap(pod -> withHostname(pod, idle.workload(), hostname))
                    .ifPresent(pod -> findCausesOfIdle(
                            idle.remedy(),
                            new FieldLocation(idle.workload().ref(), idle.field()),
                            List.of(pod),
                            hostname,
                            service,
                            zone));
        }
    }

    /**
     * Adds the missing subdomain of Pods as a cause, and suggests to change it together with another change.
     *
     * @param remedy the change that gives these Pods, of which the last one has the asked hostname
     */
    private void findCausesOfIdle(
            String remedy, FieldLocation location, List<Pod> pods, String hostname, Service service, DnsLabels zone) {
        Pod asked = pods.get(pods.size() - 1);
        PodChange change = new PodChange(asked);
        checkSubdomain(change, hostname, service, zone);
        boolean hasSubdomain = change.edits.isEmpty();
        findings.suggestChange(
                hasSubdomain ? remedy : remedy + ", and " + PodOrigins.describeEdits(asked, change.edits),
                findings.name,
                location,
                pods.stream()
                        .map(pod -> hasSubdomain
                                ? pod
                                : pod.toBuilder().subdomain(service.name()).build())
                        .toArray(Pod[]::new));
    }

    /** Returns the Pods that more replicas of a StatefulSet would give, up to the one with a hostname; none if it is not among them. */
    private List<Pod> nextPods(Workload workload, String hostname) {
        List<Pod> next =
                workload instanceof StatefulSet ? cluster.nextPods().getOrDefault(workload, List.of()) : List.of();
        for (int i = 0; i < next.size(); i++) {
            if (next.get(i).hostname().equals(Optional.of(hostname))) {
                return next.subList(0, i + 1);
            }
        }
        return List.of();
    }

    /** Returns the Pod of a workload that has a hostname, made from the first one; empty if the workload would have none. */
    private static Optional<Pod> withHostname(Pod first, Workload workload, String hostname) {
        if (first.hostname().equals(Optional.of(hostname))) {
            return Optional.of(first);
        }
        if (!(workload instanceof Job job) || !job.indexed()) {
            return Optional.empty();
        }
        return StatefulSetPods.ordinal(hostname).stream()
                .filter(index -> index < job.resumed().pods() && hostname.equals(hostname(job, index)))
                .mapToObj(index -> first.toBuilder()
                        .hostname(hostname)
                        .labels(job.resumed().pod(index, first.name()).labels())
                        .build())
                .findFirst();
    }

    /** Returns the hostname of a Pod of an Indexed Job. */
    private static String hostname(Job job, int index) {
        return job.metadata().name() + "-" + index;
    }

    /**
     * Adds the number of Pods that an Indexed Job runs at first, or in all, as a cause, and suggests that more run at first; returns whether
     * there is such a Job.
     */
    private boolean findCausesOfIndex(String hostname, Service service, DnsLabels zone) {
        int index = StatefulSetPods.ordinal(hostname).orElseThrow();
        for (Map.Entry<Workload, List<Pod>> known : cluster.nextPods().entrySet()) {
            if (known.getKey() instanceof Job job
                    && job.metadata().namespace().equals(service.namespace())
                    && index >= job.pods()
                    && hostname.equals(hostname(job, index))) {
                int all = job.completions().orElse(job.pods());
                if (index >= all) {
                    findings.addCause(
                            job.ref(),
                            "spec.completions",
                            "is " + all + ", so that its last Pod is " + hostname(job, all - 1));
                } else {
                    findings.addCause(
                            job.ref(),
                            "spec.parallelism",
                            "is " + job.parallelism() + ", so that " + hostname
                                    + " runs only when Pods before it have succeeded");
                    String remedy = "set spec.parallelism of " + job.ref() + " to " + (index + 1);
                    FieldLocation location = new FieldLocation(job.ref(), "spec.parallelism");
                    known.getValue().stream()
                            .flatMap(next -> withHostname(next, job.withParallelism(index + 1), hostname).stream())
                            .forEach(pod -> findCausesOfIdle(remedy, location, List.of(pod), hostname, service, zone));
                }
                return true;
            }
        }
        return false;
    }

    /** Returns whether the endpoint of a Pod has the asked name because it is the name of the Pod. */
    private boolean isNamedAfterPod(Pod pod, String asked, Service service) {
        return findings.rules.readsTargets()
                && pod.name().equals(asked)
                && EndpointSliceRules.hostname(pod, service).isEmpty();
    }

    private void checkHostname(PodChange change, String hostname) {
        Pod pod = change.pod;
        if (pod.hostname().equals(Optional.of(hostname))) {
            return;
        }
        findings.addCause(
                pod,
                "spec.hostname",
                pod.hostname().map(one -> "is " + one).orElse("missing")
                        + "; the name of an endpoint is the hostname of its Pod");
        change.changed.hostname(hostname);
        change.edit("spec.hostname", hostname);
    }

    private void checkSubdomain(PodChange change, String hostname, Service service, DnsLabels zone) {
        Pod pod = change.pod;
        if (pod.subdomain().equals(Optional.of(service.name()))) {
            return;
        }
        findings.addCause(
                pod,
                "spec.subdomain",
                pod.subdomain().map(one -> "is " + one).orElse("missing")
                        + "; it must be " + service.name() + ", the name of the Service"
                        + (pod.workload().isPresent() ? "" : " (a StatefulSet sets it to its spec.serviceName)"));
        pod.subdomain()
                .ifPresent(other -> findings.suggestName(
                        NameSchema.service(other, pod.namespace()).prepend(hostname), zone));
        change.changed.subdomain(service.name());
        change.edit("spec.subdomain", service.name());
    }

    /** Adds the selector of the Service as a cause if it does not match the Pod, and suggests another one. */
    private void checkLabels(PodChange change, Service service) {
        Pod pod = change.pod;
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isEmpty() || Selector.ofLabels(selector.get()).test(pod.labels())) {
            return;
        }
        Map<String, String> selected = selector.get().values();
        findings.addCause(
                service.ref(),
                "spec.selector",
                selected + " does not match " + PodOrigins.withLabels(pod, selector.get()));
        unpublished.suggestSelector(service, pod);
        change.isPossible = PodOrigins.canHaveLabels(pod, selector.get());
        Map<String, String> all = new TreeMap<>(pod.labels().values());
        all.putAll(selected);
        change.changed.labels(new Labels(all));
        change.edit("metadata.labels", selected.toString());
    }

    private void checkReadiness(PodChange change, Service service) {
        if (!UnpublishedEndpoints.isPublished(change.pod, service)) {
            unpublished.addCauseOfNotReady(change.pod);
            change.isPossible &= !EndpointSliceRules.hasEnded(change.pod);
            change.changed.ready(true);
            change.edit("status.conditions", "");
        }
    }

    private void checkAddress(PodChange change, Service service) {
        Pod pod = change.pod;
        if (!pod.ips().isEmpty()) {
            return;
        }
        unpublished.addCauseOfNoAddress(pod);
        if (UnpublishedEndpoints.canGetAddress(pod)) {
            change.changed.ips(List.of(unpublished.exampleAddress(service)));
            change.edit("status.podIPs", "");
        }
    }

    private void suggest(PodChange change, Service service) {
        Pod pod = change.pod;
        String field = change.edits.get(0).field();
        Optional<ObjectRef> statefulSet = change.edits.size() == 1 && field.equals("spec.subdomain")
                ? StatefulSetPods.statefulSet(pod)
                : Optional.empty();
        String text = statefulSet
                .map(set -> StatefulSetPods.changeOfServiceName(set, service))
                .orElseGet(() -> PodOrigins.describeEdits(pod, change.edits));
        findings.suggestChange(text, PodOrigins.location(pod, field), change.changed.build());
        if (field.equals("status.conditions")) {
            unpublished.suggestPublishingNotReady(service, Optional.of(pod));
        }
    }

    /** Adds the numbers of a StatefulSet or an Indexed Job, or that other workloads have no predictable names, as causes, and suggests more. */
    private void addCausesOfNumbers(String hostname, Service service, DnsLabels zone) {
        String numbered = StatefulSetPods.withoutLeadingZeros(hostname);
        if (!numbered.equals(hostname) && isOfSet(numbered, service)) {
            findings.addCause("the number at the end of the name of a Pod has no leading zeros");
        }
        if (StatefulSetPods.ordinal(numbered).isEmpty()
                || hostnames(service).contains(numbered)
                || new StatefulSetPods(findings).findCausesOfMissing(service, numbered)
                || findCausesOfIndex(numbered, service, zone)) {
            return;
        }
        unpublished.selected(service).stream()
                .filter(pod -> PodOrigins.hasInventedName(pod) && pod.hostname().isEmpty())
                .forEach(
                        pod -> findings.addCause(
                                pod,
                                "",
                                "its Pods have random names and no hostnames; those of a StatefulSet have both, with a number"));
    }

    /** Returns whether a hostname differs from that of a Pod of the namespace only in the number at its end. */
    private boolean isOfSet(String hostname, Service service) {
        return cluster.objects(Pod.class)
                .filter(pod -> pod.namespace().equals(service.namespace()))
                .flatMap(pod -> pod.hostname().stream())
                .anyMatch(one -> StatefulSetPods.areOfOneSet(hostname, one));
    }

    private Set<String> hostnames(Service service) {
        Set<String> hostnames = new LinkedHashSet<>();
        findings.slices(service)
                .forEach(
                        slice -> slice.endpoints().forEach(one -> one.hostname().ifPresent(hostnames::add)));
        return hostnames;
    }
}
