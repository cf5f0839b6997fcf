package io.k8sdns.explain;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.EndpointsMirroring;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Finds legacy Endpoints that give no EndpointSlice, and EndpointSlices whose Service is missing, and suggests what they need. */
final class UnusedEndpoints {
    private static final int MAX_OBJECTS = 5;

    private final Findings findings;
    private final ClusterSnapshot cluster;

    UnusedEndpoints(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
    }

    /** Adds those of a Service as causes, which need not exist. */
    void findCauses(ObjectRef service) {
        addEndpoints(endpoints -> ofService(endpoints).equals(service), "");
        addSlices(slice -> slice.serviceRef().equals(Optional.of(service)), "");
    }

    /** Adds those that have an address as causes. */
    void findCauses(IpAddress address) {
        addEndpoints(
                endpoints -> endpoints.subsets().stream()
                        .flatMap(subset ->
                                Stream.concat(subset.addresses().stream(), subset.notReadyAddresses().stream()))
                        .anyMatch(one -> one.ip().equals(address)),
                "has this address, but ");
        addSlices(
                slice -> slice.endpoints().stream()
                        .anyMatch(endpoint -> endpoint.addresses().contains(address)),
                "has this address, but ");
    }

    /** Returns the Service of Endpoints, if it exists. */
    Optional<Service> service(Endpoints endpoints) {
        return cluster.get(ofService(endpoints)).map(Service.class::cast);
    }

    private static ObjectRef ofService(Endpoints endpoints) {
        return ObjectRef.of(
                Service.KIND,
                endpoints.metadata().namespace(),
                endpoints.metadata().name());
    }

    private void addEndpoints(Predicate<Endpoints> which, String subject) {
        cluster.unusedEndpoints().stream().filter(which).limit(MAX_OBJECTS).forEach(endpoints -> {
            String reason = EndpointsMirroring.obstacle(endpoints, service(endpoints))
                    .map(EndpointsMirroring.Obstacle::text)
                    .orElse("its Service has EndpointSlices of a cluster");
            findings.addCause(endpoints.ref(), "", subject + reason);
            suggestUse(endpoints);
        });
    }

    /** Suggests each change after which slices are made of Endpoints. */
    private void suggestUse(Endpoints endpoints) {
        service(endpoints)
                .ifPresentOrElse(
                        service -> suggestUse(endpoints, service),
                        () -> headless(ofService(endpoints))
                                .ifPresent(added -> suggest(
                                        addition(added), new FieldLocation(added.ref(), ""), added, endpoints)));
    }

    private void suggestUse(Endpoints endpoints, Service service) {
        Service withoutSelector = service.fold(
                clusterIp -> clusterIp.toBuilder().selector(Labels.NONE).build(),
                headless -> headless.toBuilder().selector(Labels.NONE).build(),
                external -> external);
        suggest(
                "remove spec.selector of " + service.ref(),
                new FieldLocation(service.ref(), "spec.selector"),
                withoutSelector,
                endpoints);
        Map<String, String> labels = new TreeMap<>(endpoints.metadata().labels().values());
        labels.remove(Endpoints.SKIP_MIRROR_LABEL);
        suggest(
                "remove the label " + Endpoints.SKIP_MIRROR_LABEL + " of " + endpoints.ref(),
                new FieldLocation(endpoints.ref(), "metadata.labels"),
                service,
                new Endpoints(
                        endpoints.metadata().withLabels(new Labels(labels)),
                        endpoints.subsets(),
                        endpoints.leaderLock()));
    }

    private void suggest(String change, FieldLocation location, Service service, Endpoints endpoints) {
        if (EndpointsMirroring.obstacle(endpoints, Optional.of(service)).isEmpty()) {
            Stream<Service> changedService =
                    Stream.of(service).filter(one -> !cluster.get(one.ref()).equals(Optional.of(one)));
            ClusterObject[] changed = Stream.concat(changedService, EndpointSliceRules.of(endpoints).stream())
                    .toArray(ClusterObject[]::new);
            findings.suggestChange(change, findings.name, location, changed);
        }
    }

    private void addSlices(Predicate<EndpointSlice> which, String subject) {
        cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.serviceRef().flatMap(cluster::get).isEmpty() && which.test(slice))
                .limit(MAX_OBJECTS)
                .forEach(slice -> addSlice(slice, subject));
    }

    private void addSlice(EndpointSlice slice, String subject) {
        findings.addCause(slice.ref(), "metadata.labels", subject + reason(slice));
        slice.serviceRef()
                .flatMap(UnusedEndpoints::headless)
                .ifPresent(added -> findings.suggestChange(addition(added), new FieldLocation(added.ref(), ""), added));
    }

    /** Returns why a slice belongs to no Service. */
    static String reason(EndpointSlice slice) {
        String label = EndpointSlice.SERVICE_NAME_LABEL;
        return slice.serviceName()
                .map(name -> label + " is " + name + ", and there is no such Service")
                .orElse("no label " + label + ", so that it belongs to no Service");
    }

    /** Returns the smallest Service with a name; empty if no Service can have it. */
    private static Optional<Service> headless(ObjectRef service) {
        return Optional.of(service.name())
                .filter(KubernetesNames::isDnsLabel)
                .map(name -> HeadlessService.builder(service.namespace().orElseThrow(), name)
                        .build());
    }

    private static String addition(Service added) {
        return "add a headless " + added.ref() + " without a selector";
    }
}
