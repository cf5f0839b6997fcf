package io.k8sdns.explain;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.xbill.DNS.Name;

/** Finds the causes why a Service has no published endpoint. */
final class UnpublishedEndpoints {
    private static final int MAX_PODS = 5;

    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final DnsLabels labels;
    private final UnservedPorts unserved;
    private final StatefulSetPods statefulSets;
    private final UnusedEndpoints unused;

    UnpublishedEndpoints(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
        this.labels = findings.labels;
        this.unserved = new UnservedPorts(findings);
        this.statefulSets = new StatefulSetPods(findings);
        this.unused = new UnusedEndpoints(findings);
    }

    /** Adds the causes why a Service has no published endpoint, or none with the asked port. */
    void findCauses(Service service) {
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        if (selector.isEmpty()) {
            findCausesOfSlices(service);
        } else if (findings.knowsPods) {
            findCausesOfSelected(service, selector.get());
        }
        boolean isOfPort = ClusterName.PortName.isLabel(labels.label(0));
        if (findings.causes().isEmpty()
                || selector.isPresent() && !findings.knowsPods && (isOfPort || !hasPublishedEndpoint(service))) {
            String port = isOfPort ? " with this port" : "";
            findings.addCause(service.ref(), "", "no EndpointSlice of it has a ready endpoint" + port);
        }
    }

    private boolean hasPublishedEndpoint(Service service) {
        return findings.slices(service).stream()
                .flatMap(slice -> slice.endpoints().stream())
                .anyMatch(service::publishes);
    }

    private void findCausesOfSelected(Service service, Labels selector) {
        List<Pod> selected = matching(service.namespace(), selector);
        if (!selected.isEmpty()) {
            findCausesOfPods(service, selected);
        } else if (findings.hasEndpointsOfUnknownPods(service)) {
            findCausesOfSlices(service);
        } else if (!findCausesOfIdleWorkloads(service)) {
            findCausesOfSelector(service, selector);
        }
    }

    /** Finds the causes in the EndpointSlices of a Service whose Pods do not matter, or are not known. */
    private void findCausesOfSlices(Service service) {
        if (!unserved.checkPortsOfSlices(service)) {
            return;
        }
        int before = findings.causes().size();
        addCausesOfEndpoints(service, endpoint -> true);
        if (findings.causes().size() > before) {
            suggestReady(service);
        }
        if (addCausesOfFqdnSlices(service) || findings.causes().size() > before) {
            return;
        }
        if (!hasPublishedEndpoint(service)
                && EndpointSliceRules.selection(service).selector().isEmpty()) {
            findings.addCause(
                    service.ref(), "spec.selector", "no selector, and no EndpointSlice of it has a ready endpoint");
            findCausesOfMissingSelector(service);
        }
    }

    /** Adds the EndpointSlices of a Service as causes whose endpoints are names; returns whether there is one. */
    boolean addCausesOfFqdnSlices(Service service) {
        List<EndpointSlice> slices = findings.slices(service).stream()
                .filter(slice -> slice.addressType() == AddressType.FQDN)
                .toList();
        slices.stream()
                .limit(MAX_PODS)
                .forEach(slice -> findings.addCause(
                        slice.ref(),
                        "addressType",
                        "is FQDN, and endpoints whose addresses are names have no records; an alias of a name is a"
                                + " Service of type ExternalName"));
        return !slices.isEmpty();
    }

    /** Finds EndpointSlices that are probably meant for a Service without a selector, and suggests a selector. */
    void findCausesOfMissingSelector(Service service) {
        unused.findCauses(service.ref());
        findSlicesOfNoService(service);
        findEndpointsOfNoService(service);
        suggestMissingSelector(service);
    }

    /** Adds the EndpointSlices as causes that are probably meant for a Service, but whose label names no Service. */
    private void findSlicesOfNoService(Service service) {
        cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.namespace().equals(service.namespace())
                        && slice.serviceRef().flatMap(cluster::get).isEmpty()
                        && isProbablyOf(slice, service))
                .limit(MAX_PODS)
                .forEach(slice -> {
                    findings.addCause(slice.ref(), "metadata.labels", UnusedEndpoints.reason(slice));
                    findings.suggestChange(
                            "set the label " + EndpointSlice.SERVICE_NAME_LABEL + " of " + slice.ref() + " to "
                                    + service.name(),
                            new FieldLocation(slice.ref(), "metadata.labels"),
                            slice.toBuilder().service(service.name()).build());
                });
    }

    private static boolean isProbablyOf(EndpointSlice slice, Service service) {
        return slice.name().equals(service.name())
                || slice.name().startsWith(service.name() + "-")
                || slice.serviceName()
                        .filter(named -> isSimilar(named, service.name()))
                        .isPresent();
    }

    /** Adds the Endpoints as causes that are probably meant for a Service, but have no Service of their name, and suggests to rename them. */
    private void findEndpointsOfNoService(Service service) {
        cluster.unusedEndpoints().stream()
                .filter(endpoints -> endpoints.metadata().namespace().equals(service.namespace())
                        && unused.service(endpoints).isEmpty()
                        && isSimilar(endpoints.metadata().name(), service.name()))
                .limit(MAX_PODS)
                .forEach(endpoints -> {
                    findings.addCause(
                            endpoints.ref(),
                            "metadata.name",
                            "there is no Service of this name; Endpoints have the name of their Service");
                    Endpoints renamed =
                            new Endpoints(endpoints.metadata().withName(service.name()), endpoints.subsets());
                    findings.suggestChange(
                            "rename " + endpoints.ref() + " to " + service.name(),
                            findings.name,
                            new FieldLocation(endpoints.ref(), "metadata.name"),
                            EndpointSliceRules.of(renamed).toArray(EndpointSlice[]::new));
                });
    }

    /** Adds some endpoints of a Service as causes if they are not ready. */
    private void addCausesOfEndpoints(Service service, Predicate<Endpoint> which) {
        int added = 0;
        for (EndpointSlice slice : findings.slices(service)) {
            for (int i = 0; i < slice.endpoints().size() && added < MAX_PODS; i++) {
                Endpoint endpoint = slice.endpoints().get(i);
                if (which.test(endpoint) && !service.publishes(endpoint)) {
                    addCauseOfEndpoint(slice, i);
                    added++;
                }
            }
        }
    }

    /** Adds an endpoint that is not ready as a cause. */
    void addCauseOfEndpoint(EndpointSlice slice, int index) {
        Endpoint endpoint = slice.endpoints().get(index);
        String target = endpoint.targetRef()
                .map(ref ->
                        " (" + findings.pod(endpoint).map(PodOrigins::describe).orElseGet(ref::toString) + ")")
                .orElse("");
        findings.addCause(
                slice.ref(), "endpoints[" + index + "].conditions", "not ready, so that it is not published" + target);
    }

    /** Suggests to publish the first endpoint of a Service that is not ready. */
    private void suggestReady(Service service) {
        for (EndpointSlice slice : findings.slices(service)) {
            for (int i = 0; i < slice.endpoints().size(); i++) {
                if (!service.publishes(slice.endpoints().get(i))) {
                    suggestReady(service, slice, i);
                    return;
                }
            }
        }
    }

    /**
     * Suggests to publish an endpoint that is not ready. Only for a Service with a selector there is a controller that reads
     * {@code publishNotReadyAddresses}; other EndpointSlices are published as they were written.
     */
    void suggestReady(Service service, EndpointSlice slice, int index) {
        if (EndpointSliceRules.selection(service).selector().isPresent()) {
            suggestPublishingNotReady(service, Optional.empty());
            return;
        }
        String field = "endpoints[" + index + "].conditions";
        List<Endpoint> endpoints = new ArrayList<>(slice.endpoints());
        endpoints.set(index, endpoints.get(index).withReady(true));
        findings.suggestChange(
                "set " + field + ".ready of " + slice.ref() + " to true",
                new FieldLocation(slice.ref(), field),
                slice.toBuilder().endpoints(endpoints).build());
    }

    /** Adds the endpoints of a Pod as causes if they are not ready although the Pod is: the EndpointSlices were given. */
    void addCausesOfEndpointsOf(Service service, Pod pod) {
        addCausesOfEndpoints(service, endpoint -> endpoint.targetRef().equals(Optional.of(pod.ref())));
    }

    private void findCausesOfPods(Service service, List<Pod> selected) {
        List<Pod> unpublished =
                selected.stream().filter(pod -> !isPublished(pod, service)).toList();
        unpublished.stream().limit(MAX_PODS).forEach(this::addCauseOfNotReady);
        List<Pod> running = selected.stream()
                .filter(pod -> !EndpointSliceRules.hasEnded(pod))
                .toList();
        running.stream().filter(pod -> pod.ips().isEmpty()).limit(MAX_PODS).forEach(this::addCauseOfNoAddress);
        running.stream().limit(MAX_PODS).forEach(pod -> addCauseOfFamily(service, pod));
        running.stream()
                .filter(pod -> isPublished(pod, service))
                .limit(MAX_PODS)
                .forEach(pod -> addCausesOfEndpointsOf(service, pod));
        running.stream()
                .filter(pod -> !isPublished(pod, service) || pod.ips().isEmpty())
                .min(Comparator.comparing(
                        pod -> !isPublished(pod, service) && pod.ips().isEmpty()))
                .ifPresent(first -> {
                    suggestPublished(first, service, findings.name);
                    if (!isPublished(first, service)) {
                        suggestPublishingNotReady(service, Optional.of(first));
                    }
                });
        unserved.findCauses(service, selected);
    }

    /** Suggests to give a Pod what it lacks to be published under a name: readiness, an address, or both. */
    void suggestPublished(Pod pod, Service service, Name publishedName) {
        boolean isPublished = isPublished(pod, service);
        boolean lacksAddress = pod.ips().isEmpty();
        if (lacksAddress && !canGetAddress(pod)) {
            return;
        }
        Pod.Builder changed = pod.toBuilder();
        if (!isPublished) {
            changed.ready(true);
        }
        if (lacksAddress) {
            changed.ips(List.of(exampleAddress(service)));
        }
        String described = PodOrigins.describe(pod);
        String address = PodOrigins.hasInventedName(pod) ? " and give them an address" : " and give it an address";
        findings.suggestChange(
                isPublished
                        ? "give " + described + " an address"
                        : "make " + described + " ready" + (lacksAddress ? address : ""),
                publishedName,
                PodOrigins.location(pod, isPublished ? "status.podIPs" : "status.conditions"),
                changed.build());
    }

    /** Returns whether a Pod without an address gets one of its own, and not that of its Node. */
    static boolean canGetAddress(Pod pod) {
        return !pod.hostNetwork();
    }

    /** Returns an address for documentation (RFC 5737 and 3849), to try what a Pod without an address would have with one. */
    IpAddress exampleAddress(Service service) {
        Set<IpFamily> families = EndpointSliceRules.families(service);
        boolean isIpv6 = findings.type.equals(RecordType.AAAA) || !families.contains(IpFamily.IPV4);
        return IpAddress.parse(isIpv6 ? "2001:db8::1" : "192.0.2.1");
    }

    /** Returns whether a Service publishes a Pod that it selects, if the Pod has an address. */
    static boolean isPublished(Pod pod, Service service) {
        return !EndpointSliceRules.hasEnded(pod) && EndpointSliceRules.isReady(pod, service);
    }

    /** Adds the families of a Service as a cause if a Pod has addresses of others only. */
    void addCauseOfFamily(Service service, Pod pod) {
        Set<IpFamily> wanted = EndpointSliceRules.families(service);
        List<IpFamily> families =
                pod.ips().stream().map(IpAddress::family).distinct().toList();
        if (families.isEmpty() || families.stream().anyMatch(wanted::contains)) {
            return;
        }
        findings.addCause(
                service.ref(),
                "spec.ipFamilies",
                "is " + wanted + ", but " + PodOrigins.describe(pod)
                        + (PodOrigins.hasInventedName(pod) ? " have " : " has ")
                        + "only addresses of " + families.get(0)
                        + (pod.workload().isPresent() ? ", which are from --pod-cidr" : ""));
        if (service instanceof HeadlessService headless) {
            boolean isOfAddresses = findings.type.equals(RecordType.A) || findings.type.equals(RecordType.AAAA);
            RecordType ofFamily = families.get(0) == IpFamily.IPV6 ? RecordType.AAAA : RecordType.A;
            findings.suggestChange(
                    "change spec.ipFamilies of " + service.ref() + " to " + families,
                    isOfAddresses ? ofFamily : findings.type,
                    new FieldLocation(service.ref(), "spec.ipFamilies"),
                    headless.toBuilder().ipFamilies(families).build());
        }
    }

    /**
     * Adds the workloads without Pods whose Pods a Service would select as causes, and suggests to give them one; returns whether there is
     * one.
     */
    boolean findCausesOfIdleWorkloads(Service service) {
        List<IdleWorkload> idle = idleWorkloads(service);
        for (IdleWorkload one : idle) {
            ObjectRef workload = one.workload().ref();
            findings.addCause(
                    workload, one.field(), service.ref() + " selects its Pods, but it has none: " + one.reason());
            one.firstPod().ifPresent(pod -> {
                findings.suggestChange(one.remedy(), new FieldLocation(workload, one.field()), pod);
                unserved.findCauses(service, pod, one.remedy());
            });
        }
        return !idle.isEmpty();
    }

    /** Returns the workloads without Pods whose Pods a Service would select. */
    List<IdleWorkload> idleWorkloads(Service service) {
        Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
        return cluster.idleWorkloads().stream()
                .filter(one -> selector.filter(labels -> one.isSelectedBy(service.namespace(), labels))
                        .isPresent())
                .toList();
    }

    /**
     * Suggests to publish the Pods of a Service that are not ready.
     *
     * @param first the first of these Pods, if known; its StatefulSet may wait for another Pod before it creates this one
     */
    void suggestPublishingNotReady(Service service, Optional<Pod> first) {
        String andParallel = first.filter(pod -> statefulSets.blocking(pod).isPresent())
                .flatMap(Pod::workload)
                // The field of a StatefulSet cannot be changed.
                .map(set -> ", and recreate " + set + " with spec.podManagementPolicy Parallel")
                .orElse("");
        findings.suggestChange(
                "set spec.publishNotReadyAddresses of " + service.ref() + andParallel,
                new FieldLocation(service.ref(), "spec.publishNotReadyAddresses"),
                service.fold(
                        clusterIp -> clusterIp.toBuilder()
                                .publishNotReadyAddresses(true)
                                .build(),
                        headless -> headless.toBuilder()
                                .publishNotReadyAddresses(true)
                                .build(),
                        external -> external));
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

    /** Adds the selector of a Service that selects no Pod as a cause, if it has one. */
    void findCausesOfSelector(Service service) {
        EndpointSliceRules.selection(service).selector().ifPresent(selector -> findCausesOfSelector(service, selector));
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
                        .thenComparing(pod -> isNamedLike(service, pod))
                        .thenComparing(pod -> !hasOtherService(service, pod))
                        .thenComparing(Comparator.comparing(Pod::name).reversed()));
        String similarText = mostSimilarPod
                .map(pod -> (PodOrigins.hasInventedName(pod) ? "; the nearest are " : "; the nearest is ")
                        + PodOrigins.withLabels(pod, selector))
                .orElse("");
        String other = podsOfOtherNamespaces.stream()
                .map(pod -> "; it matches " + PodOrigins.describe(pod)
                        + ", but a Service selects Pods of its own namespace only")
                .findFirst()
                .orElse("");
        findings.addCause(service.ref(), "spec.selector", selectorText + " matches no Pod" + similarText + other);
        unused.findCauses(service.ref());
        podsOfOtherNamespaces.forEach(pod -> suggestNamespace(service, pod.namespace()));
        addUnpredictableLabels(service, selector);
        statefulSets.findCausesOfFewReplicas(
                service.namespace(), pod -> Selector.ofLabels(selector).test(pod.labels()));
        // A Pod with few of the labels is probably one of another program.
        mostSimilarPod
                .filter(pod -> isSubdomain(service, pod) || hasHalf(selector, pod.labels()))
                .ifPresent(pod -> {
                    suggestSelector(service, pod);
                    if (PodOrigins.canHaveLabels(pod, selector)) {
                        Map<String, String> labelled =
                                new TreeMap<>(pod.labels().values());
                        labelled.putAll(selector.values());
                        findings.suggestChange(
                                PodOrigins.describeEdits(
                                        pod, List.of(new PodOrigins.PodEdit("metadata.labels", selectorText))),
                                PodOrigins.location(pod, "metadata.labels"),
                                pod.toBuilder().labels(new Labels(labelled)).build());
                    }
                });
    }

    /** Suggests the same name in another namespace, in which a Service would select Pods; if it has no Service of that name, to move it. */
    private void suggestNamespace(Service service, String namespace) {
        DnsLabels ofService = NameSchema.service(service.name(), service.namespace());
        DnsLabels ofOther = NameSchema.service(service.name(), namespace);
        Service moved = service.fold(
                clusterIp -> clusterIp.toBuilder()
                        .metadata(in(namespace, clusterIp.metadata()))
                        .build(),
                headless -> headless.toBuilder()
                        .metadata(in(namespace, headless.metadata()))
                        .build(),
                external -> external);
        for (DnsLabels zone : findings.settings.zones()) {
            Optional<DnsLabels> prefix = labels.below(zone).flatMap(below -> below.below(ofService));
            if (prefix.isEmpty() || !prefix.get().fitsBelow(ofOther)) {
                continue;
            }
            DnsLabels other = prefix.get().append(ofOther);
            if (cluster.get(moved.ref()).isPresent()) {
                findings.suggestName(other, zone);
            } else if (other.fitsBelow(zone)) {
                findings.suggestChanges(
                        "move " + service.ref() + " to the namespace " + namespace,
                        DnsNames.absolute(other, zone),
                        new FieldLocation(service.ref(), "metadata.namespace"),
                        List.of(
                                new ClusterChange.Remove(service.ref(), Optional.empty()),
                                new ClusterChange.Put(moved)));
            }
        }
    }

    private static Metadata in(String namespace, Metadata metadata) {
        return new Metadata(namespace, metadata.name(), Optional.empty(), metadata.labels());
    }

    /** Adds the labels of a selector as causes whose values only a controller knows, if the Pods are predicted and do not have them. */
    private void addUnpredictableLabels(Service service, Labels selector) {
        List<String> keys = selector.values().keySet().stream()
                .filter(PodTemplate.UNPREDICTABLE_LABELS::contains)
                .toList();
        boolean arePredicted = cluster.objects(Pod.class)
                .anyMatch(pod -> pod.namespace().equals(service.namespace())
                        && pod.workload().isPresent());
        if (!keys.isEmpty() && arePredicted) {
            findings.addCause(
                    service.ref(),
                    "spec.selector",
                    "the controller of a workload chooses the value of " + String.join(" and ", keys)
                            + ", which manifests do not have: explain a live cluster, or select other labels");
        }
    }

    /**
     * Returns a selector that matches a Pod: the keys of the given one, with the values of the Pod. Labels of a whole application
     * stay if the Pod has their values already, or if they tell releases of a chart apart.
     */
    private static Labels fitting(Labels selector, Pod pod) {
        Map<String, String> fitting = new TreeMap<>();
        selector.values()
                .forEach((key, wanted) -> pod.labels()
                        .get(key)
                        .filter(value -> value.equals(wanted)
                                || !PodOrigins.SHARED_LABELS.contains(key)
                                || PodOrigins.RELEASE_LABELS.contains(key))
                        .ifPresent(value -> fitting.put(key, value)));
        return PodOrigins.SHARED_LABELS.containsAll(fitting.keySet())
                ? PodOrigins.selectorOf(pod)
                : new Labels(fitting);
    }

    /** Suggests a selector for a Service without one and without EndpointSlices: that of the Pods that have it as their subdomain. */
    private void suggestMissingSelector(Service service) {
        if (findings.slices(service).isEmpty()) {
            cluster.objects(Pod.class)
                    .filter(pod -> isSubdomain(service, pod))
                    .findFirst()
                    .ifPresent(pod -> suggestSelector(service, pod));
        }
    }

    /**
     * Suggests a selector that matches a Pod: like the given one if the Pod has half of its labels, otherwise of the Pod's own labels. If it
     * matched Pods of other workloads, too, for example of another release, it gets more labels of the Pod.
     */
    void suggestSelector(Service service, Pod pod) {
        Labels likeGiven = EndpointSliceRules.selection(service)
                .selector()
                .filter(given -> hasHalf(given, pod.labels()))
                .map(given -> fitting(given, pod))
                .orElseGet(() -> PodOrigins.selectorOf(pod));
        Map<String, String> more = new TreeMap<>(PodOrigins.selectorOf(pod).values());
        more.putAll(likeGiven.values());
        Labels narrow = new Labels(more);
        Labels selector = !matchesOneWorkload(likeGiven, pod) && matchesOneWorkload(narrow, pod) ? narrow : likeGiven;
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

    private boolean matchesOneWorkload(Labels selector, Pod pod) {
        Optional<ObjectRef> workload = StatefulSetPods.workload(pod);
        return matching(pod.namespace(), selector).stream()
                .allMatch(other -> StatefulSetPods.workload(other).equals(workload));
    }

    /** Returns how similar a Pod is to those that a Service selects: {@link #labelsOf}, and the Service as its subdomain as a quarter. */
    private static double similarity(Pod pod, Service service, Labels selector) {
        return labelsOf(selector, pod.labels()) + (isSubdomain(service, pod) ? 0.25 : 0);
    }

    /** Returns whether the workload of a Pod has the name of a Service, or the name of the Pod begins with it. */
    private static boolean isNamedLike(Service service, Pod pod) {
        return StatefulSetPods.workload(pod)
                .map(workload -> workload.name().equals(service.name()))
                .orElseGet(() -> pod.name().equals(service.name()) || pod.name().startsWith(service.name() + "-"));
    }

    /** Returns whether another Service than the given one selects a Pod. */
    private boolean hasOtherService(Service service, Pod pod) {
        return cluster.objects(Service.class)
                .filter(other -> other.namespace().equals(pod.namespace())
                        && !other.ref().equals(service.ref()))
                .flatMap(other -> EndpointSliceRules.selection(other).selector().stream())
                .anyMatch(selector -> Selector.ofLabels(selector).test(pod.labels()));
    }

    /** Returns whether the subdomain of a Pod is a Service of its namespace. */
    static boolean isSubdomain(Service service, Pod pod) {
        return pod.namespace().equals(service.namespace()) && pod.subdomain().equals(Optional.of(service.name()));
    }

    /** Returns how many labels of a selector a Pod with these labels has, a similar value as half of one; those of a whole application do not count. */
    private static double labelsOf(Labels selector, Labels pod) {
        return selector.values().entrySet().stream()
                .filter(entry -> !PodOrigins.SHARED_LABELS.contains(entry.getKey()))
                .mapToDouble(entry -> pod.get(entry.getKey())
                        .map(value ->
                                value.equals(entry.getValue()) ? 1.0 : isSimilar(value, entry.getValue()) ? 0.5 : 0.0)
                        .orElse(0.0))
                .sum();
    }

    /** Returns whether a Pod with these labels has at least half of the labels of a selector, without those that only controllers know. */
    private static boolean hasHalf(Labels selector, Labels pod) {
        long labels = selector.values().keySet().stream()
                .filter(key ->
                        !PodOrigins.SHARED_LABELS.contains(key) && !PodTemplate.UNPREDICTABLE_LABELS.contains(key))
                .count();
        return labelsOf(selector, pod) * 2 >= labels;
    }

    /** Returns whether labels are similar to those of a selector: a value that counts, and at least half of them. */
    static boolean areSimilar(Labels selector, Labels labels) {
        return labelsOf(selector, labels) > 0 && hasHalf(selector, labels);
    }

    /** Returns whether values differ by typing errors, or one begins with the other, as web and web-frontend. */
    private static boolean isSimilar(String value, String other) {
        return EditDistance.isSimilar(value, other)
                || !value.isEmpty() && !other.isEmpty() && (value.startsWith(other) || other.startsWith(value));
    }

    /** Adds a Pod that no Service publishes, because it has ended, is being deleted, or is not ready. */
    void addCauseOfNotReady(Pod pod) {
        if (EndpointSliceRules.hasEnded(pod)) {
            String text =
                    "has ended, so that it is not published: " + pod.phase().orElseThrow();
            findings.addCause(pod, "status.phase", PodOrigins.sentenceOfOne(pod, text));
            return;
        }
        if (pod.terminating()) {
            findings.addCause(pod, "metadata.deletionTimestamp", "is being deleted");
            return;
        }
        String text = "not ready, so that it is not published"
                + statefulSets
                        .blocking(pod)
                        .map(first -> "; a cluster makes it only when " + first.name()
                                + " is ready (spec.podManagementPolicy is OrderedReady)")
                        .orElse("");
        findings.addCause(
                pod,
                "status.conditions",
                PodOrigins.sentence(pod, text, "is " + text, "are not ready, so that they are not published"));
    }

    void addCauseOfNoAddress(Pod pod) {
        if (pod.hostNetwork()) {
            String text = "no address, because spec.hostNetwork is true and " + reasonOfUnknownNode(pod);
            findings.addCause(pod, "spec.hostNetwork", PodOrigins.sentence(pod, text, "has " + text, "have " + text));
            return;
        }
        findings.addCause(
                pod,
                "status.podIPs",
                PodOrigins.sentence(pod, "no address yet", "has no address yet", "have no address yet"));
    }

    /** Returns why the Node of a Pod does not give its address, and what to do. */
    private String reasonOfUnknownNode(Pod pod) {
        boolean hasNodes = cluster.objects(Node.class).findAny().isPresent();
        boolean isOnEveryNode = pod.workload()
                .filter(workload -> workload.kind().equals(DaemonSet.KIND))
                .isPresent();
        if (!hasNodes && isOnEveryNode) {
            return "there is no Node among the objects (add the Nodes, or explain a live cluster)";
        }
        if (pod.nodeName().isEmpty()) {
            return "spec.nodeName is missing, so that its Node is unknown (add it and the Node, or explain a live"
                    + " cluster)";
        }
        String node = pod.nodeName().get();
        return cluster.get(ObjectRef.of(Node.KIND, node)).isEmpty()
                ? "there is no Node " + node + " among the objects (add it, or explain a live cluster)"
                : "Node " + node + " has neither an InternalIP nor an ExternalIP";
    }
}
