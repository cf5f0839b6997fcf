package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.zone.ClusterZone;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.xbill.DNS.Name;

/** Looks names up in a cluster as it is, and as it would be after a change. */
final class WhatIf {
    private final ClusterSnapshot cluster;
    private final ZoneSettings settings;
    private final Visibility visibility;
    private final ResolverChain now;

    WhatIf(ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility) {
        this.cluster = cluster;
        this.settings = settings;
        this.visibility = visibility;
        this.now = resolver(cluster, settings, visibility);
    }

    /** Returns the resolver of a server of a cluster. */
    static ResolverChain resolver(ClusterSnapshot cluster, ZoneSettings settings, Visibility visibility) {
        return ResolverChain.of(ClusterZone.of(cluster, new RecordRules(settings), visibility));
    }

    /** Looks a name up; never blocks, because without an upstream resolver the answer is always ready. */
    static Answer lookup(ResolverChain resolver, Name name, RecordType type) {
        return resolver.resolve(Question.of(name, type), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    /** Looks a name up in the cluster as it is. */
    Answer lookup(Name name, RecordType type) {
        return lookup(now, name, type);
    }

    /** Returns whether a name resolves after some changes. */
    boolean resolves(Name name, RecordType type, List<ClusterChange> changes) {
        return resolves(changes.isEmpty() ? now : resolver(after(changes), settings, visibility), name, type);
    }

    private static boolean resolves(ResolverChain resolver, Name name, RecordType type) {
        return Explanation.resolves(lookup(resolver, name, type), name, type);
    }

    /**
     * Returns the cluster after some changes, with the EndpointSlices that their controller would make. Those of a Service whose Pods are
     * not all known remain: they could not be made again.
     */
    ClusterSnapshot after(List<ClusterChange> changes) {
        Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();
        cluster.objects().forEach(object -> objects.put(object.ref(), object));
        for (ClusterChange change : changes) {
            if (change instanceof ClusterChange.Put put) {
                objects.put(put.ref(), put.object());
            } else {
                objects.remove(change.ref());
            }
        }
        ClusterSnapshot changed = ClusterSnapshot.of(objects.values());
        List<Pod> pods = changed.objects(Pod.class).toList();
        List<Node> nodes = changed.objects(Node.class).toList();
        Set<ObjectRef> given = servicesOfUnknownPods();
        for (ClusterChange change : changes) {
            String namespace = change.ref().namespace().orElse("");
            changed.objects(Service.class)
                    .filter(service -> service.namespace().equals(namespace)
                            && EndpointSliceRules.selection(service).selector().isPresent()
                            && !given.contains(service.ref()))
                    .forEach(service -> {
                        objects.values()
                                .removeIf(object -> object instanceof EndpointSlice slice && slice.belongsTo(service));
                        EndpointSliceRules.of(service, pods, nodes).forEach(slice -> objects.put(slice.ref(), slice));
                    });
        }
        return ClusterSnapshot.of(objects.values());
    }

    /** Returns whether an EndpointSlice has an endpoint whose target is no object of a cluster: it cannot be made of the Pods. */
    static boolean hasUnknownTarget(EndpointSlice slice, ClusterSnapshot cluster) {
        return slice.endpoints().stream()
                .anyMatch(endpoint -> endpoint.targetRef().flatMap(cluster::get).isEmpty());
    }

    /** Returns the Services that have an endpoint whose target is no Pod of the cluster. */
    private Set<ObjectRef> servicesOfUnknownPods() {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> hasUnknownTarget(slice, cluster))
                .flatMap(slice -> slice.serviceRef().stream())
                .collect(Collectors.toSet());
    }
}
