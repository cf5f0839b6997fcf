package io.k8sdns.explain;

import static io.k8sdns.explain.RecordSources.lower;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
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
    private static final List<String> KINDS_WITH_PODS = List.of(
            ReplicaWorkload.DEPLOYMENT,
            ReplicaWorkload.REPLICA_SET,
            ReplicaWorkload.REPLICATION_CONTROLLER,
            ReplicaWorkload.DEPLOYMENT_CONFIG,
            StatefulSet.KIND,
            DaemonSet.KIND,
            Job.KIND,
            Pod.KIND);

    private final Findings findings;
    private final ClusterSnapshot cluster;
    private final Set<ObjectRef> objects = new HashSet<>();

    /** The fields of workloads without Pods that are causes already. */
    private final Set<FieldLocation> idle = new HashSet<>();

    /** The Services whose selector matches no Pod: a Pod or workload that is missing because of a fault may be an endpoint. */
    private final Set<Service> withoutPods = new HashSet<>();

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
        cluster.idleWorkloads().stream()
                .map(one -> new FieldLocation(one.workload().ref(), one.field()))
                .filter(location -> explained.causes().stream()
                        .anyMatch(cause -> cause.object().equals(Optional.of(location.object()))
                                && cause.field().equals(location.field())))
                .forEach(idle::add);
    }

    /** Returns whether a Service has the asked name, or one that it is below. The name of a refused Service need not be a valid one. */
    private boolean isAskedService(ObjectRef object) {
        if (!object.kind().equals(Service.KIND) || object.namespace().isEmpty()) {
            return false;
        }
        String service = lower("." + object.name() + "." + object.namespace().get() + "." + NameSchema.SERVICES);
        return findings.settings.zones().stream()
                .flatMap(zone -> findings.labels.below(zone).stream())
                .anyMatch(below -> lower("." + below).endsWith(service));
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
                withoutPods.add(service);
            }
            cluster.idleWorkloads().stream()
                    .filter(one -> one.isSelectedBy(service.namespace(), selector)
                            || selected.isEmpty() && isMeantBy(service, selector, one.workload()))
                    .map(IdleWorkload::workload)
                    .forEach(workload -> objects.add(workload.ref()));
        });
    }

    /** Returns whether a selector that matches no Pod has labels like those of a workload's own selector or template. */
    private static boolean isMeantBy(Service service, Labels selector, Workload workload) {
        return workload.metadata().namespace().equals(service.namespace())
                && Stream.of(selectorOf(workload), workload.template().labels())
                        .anyMatch(labels -> UnpublishedEndpoints.areSimilar(selector, labels));
    }

    private static Labels selectorOf(Workload workload) {
        return workload instanceof ReplicaWorkload replicas
                ? replicas.selector()
                : workload instanceof DaemonSet set
                        ? set.selector()
                        : workload.template().labels();
    }

    private void addPod(Pod pod) {
        objects.add(pod.ref());
        pod.workload().ifPresent(objects::add);
    }

    /** Returns whether the asked name is that of a numbered Pod that a StatefulSet or an Indexed Job would have. */
    private boolean isWorkloadOfHostname(ObjectRef object) {
        if (!object.kind().equals(StatefulSet.KIND) && !object.kind().equals(Job.KIND)) {
            return false;
        }
        return findings.settings.zones().stream()
                .flatMap(zone -> findings.labels.below(zone).stream())
                .map(NameSchema::parse)
                .filter(ClusterName.EndpointName.class::isInstance)
                .map(ClusterName.EndpointName.class::cast)
                .anyMatch(asked -> {
                    String hostname = lower(asked.hostname());
                    return StatefulSetPods.ordinal(hostname).isPresent()
                            && hostname.substring(0, hostname.lastIndexOf('-')).equals(object.name())
                            && object.namespace()
                                    .equals(asked.serviceName()
                                            .orElseThrow()
                                            .ref()
                                            .namespace());
                });
    }

    /** Returns whether an object is probably meant to be one of the Services: its kind or the case of its name is wrong. */
    private boolean isMeantAsService(ObjectRef object) {
        return isAskedService(object)
                || isKind(object, List.of(Service.KIND))
                        && objects.stream()
                                .anyMatch(known -> known.kind().equals(Service.KIND)
                                        && known.name().equalsIgnoreCase(object.name())
                                        && (object.namespace().isEmpty()
                                                || object.namespace().equals(known.namespace())));
    }

    /** Returns whether an object of no known kind is probably meant to make the Pods of one of the Services: its name is similar. */
    private boolean isMeantAsWorkload(ObjectRef object) {
        // Objects of kinds that are not known have no namespace.
        return object.namespace().isEmpty()
                && isKind(object, KINDS_WITH_PODS)
                && withoutPods.stream()
                        .anyMatch(service -> service.name().startsWith(object.name())
                                || object.name().startsWith(service.name()));
    }

    private static boolean isKind(ObjectRef object, List<String> kinds) {
        return EditDistance.nearest(object.kind(), kinds).isPresent();
    }

    /** Returns whether a warning is about one of the objects, or about a Pod that was skipped and may be an endpoint. */
    boolean concerns(Diagnostic warning) {
        ObjectRef object = warning.object().orElseThrow();
        boolean isMissingPod = object.kind().equals(Pod.KIND)
                && withoutPods.stream().anyMatch(service -> object.namespace().equals(Optional.of(service.namespace())))
                && cluster.get(object).isEmpty();
        return (objects.contains(object)
                        || isMissingPod
                        || isWorkloadOfHostname(object)
                        || isMeantAsService(object)
                        || isMeantAsWorkload(object))
                && !idle.contains(new FieldLocation(object, warning.field().orElse("")));
    }
}
