package io.k8sdns.completion;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Workload;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Supplier;

/** The objects and the notes of one completion; each step of the completion reads and replaces them. */
final class CompletionState {
    /** Sorted by key after {@link #sort}, so that the result does not depend on the order of the input. */
    private Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    private int sorted;
    private final Map<ObjectRef, Endpoints> endpoints = new TreeMap<>();
    private final Map<ObjectRef, Workload> workloads = new TreeMap<>();
    private final Set<ObjectRef> addressRefused;
    private final Set<IpAddress> invented = new HashSet<>();
    private final List<Diagnostic> notes = new ArrayList<>();

    CompletionState(ClusterDraft draft) {
        draft.objects().forEach(this::put);
        sort();
        draft.endpoints().forEach(object -> endpoints.put(object.ref(), object));
        draft.workloads().forEach(workload -> workloads.put(workload.ref(), workload));
        addressRefused = draft.addressRefused();
    }

    /** Returns the objects, in the order of {@link #sort}. */
    Map<ObjectRef, ClusterObject> objects() {
        return objects;
    }

    Map<ObjectRef, Endpoints> endpoints() {
        return endpoints;
    }

    Collection<Workload> workloads() {
        return workloads.values();
    }

    boolean hasWorkload(ObjectRef ref) {
        return workloads.containsKey(ref);
    }

    /** Returns whether an address may be chosen for an object that has none. */
    boolean mayGetAddress(ClusterObject object) {
        return !addressRefused.contains(object.ref());
    }

    /** Returns the addresses that were chosen here, to be added to. */
    Set<IpAddress> invented() {
        return invented;
    }

    List<Diagnostic> notes() {
        return notes;
    }

    /** Adds a Pod that a workload makes, unless one of its name exists; returns whether it was added. */
    boolean add(Pod pod, Workload maker) {
        return add(pod.toBuilder().workload(maker.ref()).build());
    }

    /** Returns the workload for which a Pod was made; empty for a Pod of the manifests. */
    Optional<Workload> maker(Pod pod) {
        return pod.workload().map(workloads::get);
    }

    /** Returns the workload of each Pod that was made. */
    Map<ObjectRef, ObjectRef> workloadsOfPods() {
        Map<ObjectRef, ObjectRef> all = new HashMap<>();
        all(Pod.class).forEach(pod -> pod.workload().ifPresent(workload -> all.put(pod.ref(), workload)));
        return all;
    }

    /** Adds an object unless one of its kind, namespace and name exists; returns whether it was added. */
    boolean add(ClusterObject object) {
        return objects.putIfAbsent(object.ref(), object) == null;
    }

    <T extends ClusterObject> List<T> all(Class<T> type) {
        List<T> all = new ArrayList<>();
        for (ClusterObject object : objects.values()) {
            if (type.isInstance(object)) {
                all.add(type.cast(object));
            }
        }
        return all;
    }

    void put(ClusterObject object) {
        objects.put(object.ref(), object);
    }

    /**
     * Sorts the objects by key. A TreeMap would compare keys for each replaced object too, not only for each added one.
     */
    void sort() {
        // No key is ever removed, so an unchanged size means unchanged keys.
        if (objects.size() > sorted) {
            List<ObjectRef> keys = new ArrayList<>(objects.keySet());
            Collections.sort(keys);
            Map<ObjectRef, ClusterObject> inOrder = new LinkedHashMap<>();
            keys.forEach(key -> inOrder.put(key, objects.get(key)));
            objects = inOrder;
            sorted = keys.size();
        }
    }

    void note(String code, ObjectRef object, String text) {
        notes.add(Diagnostic.note(code, object, text));
    }

    void noteCompleted(String code, ClusterObject object, List<String> parts) {
        if (!parts.isEmpty()) {
            note(code, object.ref(), "completed: " + String.join(", ", parts));
        }
    }

    /** Takes a step whose notes are dropped, because they are about Pods that do not exist. */
    <T> T withoutNotes(Supplier<T> step) {
        int before = notes.size();
        T result = step.get();
        notes.subList(before, notes.size()).clear();
        return result;
    }

    void note(Diagnostic note) {
        notes.add(note);
    }
}
