package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/**
 * The objects behind a name and its explanation: its Service and those that it is an alias of, their Namespaces, EndpointSlices, Pods and
 * workloads, and the objects that the explanation names.
 */
final class ObjectsBehindName {
    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final Set<ObjectRef> objects = new HashSet<>();

    /** The fields of workloads without Pods that are causes already. */
    private final Set<FieldLocation> idle = new HashSet<>();

    /** The namespaces of Services whose selector matches no Pod: a Pod that is missing because of a fault may be an endpoint. */
    private final Set<String> namespacesWithoutPods = new HashSet<>();

    ObjectsBehindName(Findings findings, Explanation explained) {
        this.findings = findings;
        this.cluster = findings.cluster;
        Stream.concat(Stream.of(findings.name), explained.answer().cnames().stream())
                .forEach(this::addServices);
        Stream.of(
                        explained.sources().stream().map(Source::object),
                        explained.causes().stream().map(Cause::object),
                        explained.suggestions().stream().map(Suggestion::object))
                .flatMap(named -> named.flatMap(Optional::stream))
                .forEach(this::add);
        cluster.idleWorkloads()
                .forEach(one -> idle.add(new FieldLocation(one.workload().ref(), one.field())));
    }

    private void addServices(Name name) {
        findings.settings.zones().stream()
                .flatMap(zone -> DnsNames.labels(name).below(zone).stream())
                .map(NameSchema::parse)
                .flatMap(parsed -> parsed.serviceName().stream())
                .map(ClusterName.ServiceName::ref)
                .forEach(this::add);
    }

    private void add(ObjectRef ref) {
        if (!objects.add(ref)) {
            return;
        }
        ref.namespace().ifPresent(namespace -> objects.add(ObjectRef.of(Namespace.KIND, namespace)));
        if (ref.kind().equals(Service.KIND)) {
            String namespace = ref.namespace().orElseThrow();
            objects.add(ObjectRef.of(Endpoints.KIND, namespace, ref.name()));
            cluster.get(ref).map(Service.class::cast).ifPresent(this::addEndpoints);
        }
        cluster.get(ref)
                .filter(EndpointSlice.class::isInstance)
                .flatMap(slice -> ((EndpointSlice) slice).serviceRef())
                .ifPresent(this::add);
    }

    private void addEndpoints(Service service) {
        findings.slices(service).forEach(slice -> objects.add(slice.ref()));
        List<Pod> selected = new UnpublishedEndpoints(findings).selected(service);
        selected.forEach(this::addPod);
        cluster.objects(Pod.class)
                .filter(pod -> UnpublishedEndpoints.isSubdomain(service, pod))
                .forEach(this::addPod);
        EndpointSliceRules.selection(service).selector().ifPresent(selector -> {
            if (selected.isEmpty()) {
                namespacesWithoutPods.add(service.namespace());
            }
            cluster.idleWorkloads().stream()
                    .filter(one -> one.isSelectedBy(service.namespace(), selector))
                    .map(IdleWorkload::workload)
                    .forEach(workload -> objects.add(workload.ref()));
        });
    }

    private void addPod(Pod pod) {
        objects.add(pod.ref());
        pod.workload().ifPresent(objects::add);
    }

    /** Returns whether an object is probably meant to be one of the Services: its kind or the case of its name is wrong. */
    private boolean isMeantAsService(ObjectRef object) {
        return object.kind().equalsIgnoreCase(Service.KIND)
                && objects.stream()
                        .anyMatch(known -> known.kind().equals(Service.KIND)
                                && known.name().equalsIgnoreCase(object.name())
                                && (object.namespace().isEmpty()
                                        || object.namespace().equals(known.namespace())));
    }

    /** Returns whether a warning is about one of the objects, or about a Pod that was skipped and may be an endpoint. */
    boolean concerns(Diagnostic warning) {
        ObjectRef object = warning.object().orElseThrow();
        boolean isMissingPod = object.kind().equals(Pod.KIND)
                && object.namespace().filter(namespacesWithoutPods::contains).isPresent()
                && cluster.get(object).isEmpty();
        return (objects.contains(object) || isMissingPod || isMeantAsService(object))
                && !idle.contains(new FieldLocation(object, warning.field().orElse("")));
    }
}
