package io.k8sdns.cluster;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Workload;
import io.k8sdns.slices.PodIndex;
import io.k8sdns.slices.Unpublished;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * All objects of a cluster at one moment, each once.
 *
 * <p>Two snapshots are equal when they hold equal objects, in any order. {@link #idleWorkloads}, {@link
 * #nextPods} and {@link #blockingPods} do not count.
 */
public final class ClusterSnapshot {
    private final Map<ObjectRef, ClusterObject> objects;
    private final List<IdleWorkload> idleWorkloads;
    private final Map<Workload, List<Pod>> nextPods;
    private final Map<ObjectRef, Pod> blockingPods;
    private final List<Endpoints> unusedEndpoints;

    private ClusterSnapshot(
            Map<ObjectRef, ClusterObject> objects,
            List<IdleWorkload> idleWorkloads,
            Map<Workload, List<Pod>> nextPods,
            Map<ObjectRef, Pod> blockingPods,
            List<Endpoints> unusedEndpoints) {
        this.objects = Collections.unmodifiableMap(objects);
        this.idleWorkloads = idleWorkloads;
        this.nextPods = nextPods;
        this.blockingPods = blockingPods;
        this.unusedEndpoints = unusedEndpoints;
    }

    /**
     * Returns a snapshot of these objects; of several with the same kind, namespace and name, only the last is kept.
     */
    public static ClusterSnapshot of(Iterable<? extends ClusterObject> objects) {
        Map<ObjectRef, ClusterObject> byRef = new LinkedHashMap<>();
        for (ClusterObject object : Copies.<ClusterObject>list("objects", objects)) {
            byRef.put(object.ref(), object);
        }
        return new ClusterSnapshot(byRef, List.of(), Map.of(), Map.of(), List.of());
    }

    /** Returns the same objects with these workloads of their manifests that have no Pods. */
    @Internal
    public ClusterSnapshot withIdleWorkloads(List<IdleWorkload> workloads) {
        return new ClusterSnapshot(
                objects, Copies.list("workloads", workloads), nextPods, blockingPods, unusedEndpoints);
    }

    /**
     * Returns the same objects with the workloads of their manifests whose Pods are numbered.
     *
     * @param next the StatefulSets and Indexed Jobs, each with the Pods that larger numbers in them would give, in order
     * @param blocking the Pod that is not ready of each StatefulSet whose controller waits for it
     */
    @Internal
    public ClusterSnapshot withNumberedPods(Map<? extends Workload, List<Pod>> next, Map<ObjectRef, Pod> blocking) {
        return new ClusterSnapshot(
                objects, idleWorkloads, Copies.map("next", next), Copies.map("blocking", blocking), unusedEndpoints);
    }

    /** Returns the same objects with the Endpoints of their manifests of which no slices were made. */
    @Internal
    public ClusterSnapshot withUnusedEndpoints(List<Endpoints> unused) {
        return new ClusterSnapshot(objects, idleWorkloads, nextPods, blockingPods, Copies.list("unused", unused));
    }

    /**
     * Returns the workloads of manifests that have no Pods, for explanations. They are no objects of the snapshot, because no record
     * depends on them.
     */
    public List<IdleWorkload> idleWorkloads() {
        return idleWorkloads;
    }

    /**
     * Returns the StatefulSets of manifests, each with the first Pods that more replicas would give, for suggestions; with none if the
     * StatefulSet waits for a Pod, or if they would have no address. Also returns the Indexed Jobs that have Pods, each with the first Pod
     * that a larger parallelism would give, if any. These Pods are no objects of the snapshot.
     */
    @Internal
    public Map<Workload, List<Pod>> nextPods() {
        return nextPods;
    }

    /**
     * Returns the first Pod that is not ready of each StatefulSet of manifests that makes its Pods in order: its controller makes the Pods
     * after it only when it is ready.
     */
    @Internal
    public Map<ObjectRef, Pod> blockingPods() {
        return blockingPods;
    }

    /** Returns the Endpoints of manifests of which no slices were made, for explanations. */
    @Internal
    public List<Endpoints> unusedEndpoints() {
        return unusedEndpoints;
    }

    /** Returns the objects, in the order in which they were added. */
    public Collection<ClusterObject> objects() {
        return objects.values();
    }

    /** Returns the objects of one type, in the order in which they were added. */
    public <T extends ClusterObject> Stream<T> objects(Class<T> type) {
        return objects.values().stream().filter(type::isInstance).map(type::cast);
    }

    /**
     * Returns notes about the objects without records, each with the reason: in a Namespace that does not exist, an
     * EndpointSlice without a Service, a headless Service that selects no Pod, and so on. For snapshots that are made in code;
     * manifests have these notes among their diagnostics.
     */
    public List<Diagnostic> diagnostics() {
        List<Diagnostic> notes = new ArrayList<>();
        Unpublished unpublished = new Unpublished(
                objects, Map.of(), new PodIndex(objects(Pod.class).toList()), PodIndex.NONE, notes::add);
        unpublished.noteMissingNamespaces();
        unpublished.noteObjects();
        return notes;
    }

    /** Returns the object with this key. */
    public Optional<ClusterObject> get(ObjectRef ref) {
        return Optional.ofNullable(objects.get(ref));
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ClusterSnapshot snapshot && objects.equals(snapshot.objects);
    }

    @Override
    public int hashCode() {
        return objects.hashCode();
    }

    @Override
    public String toString() {
        return "ClusterSnapshot" + objects.keySet();
    }
}
