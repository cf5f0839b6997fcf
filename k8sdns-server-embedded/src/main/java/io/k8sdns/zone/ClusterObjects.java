package io.k8sdns.zone;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.Publisher.NamespaceState;
import io.k8sdns.zone.Publisher.PodState;
import io.k8sdns.zone.Publisher.ServiceState;
import io.k8sdns.zone.Publisher.SliceState;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects that records depend on, by namespace and Service, and which of them are shown. Objects may arrive in any order: a
 * slice before its Service, a Service before its Namespace. Until then an object is stored and has no facts.
 *
 * <p>An object is <i>visible</i> if the zone's {@link Visibility} includes it. It is <i>shown</i>, and has facts, if it is visible
 * and so are its Namespace and, for a slice, its Service; a Service without endpoints may be ignored.
 *
 * <p>A change first reports the publishers whose facts may change, the object itself and those that depend on it, and then changes them,
 * so that the facts before the change can still be derived.
 */
final class ClusterObjects {
    private final RecordRules rules;
    private final Visibility visibility;
    private final Map<String, NamespaceState> namespaces = new HashMap<>();

    ClusterObjects(RecordRules rules, Visibility visibility) {
        this.rules = rules;
        this.visibility = visibility;
    }

    /**
     * Applies changes in their order: all of them, or none if the {@link Visibility} throws.
     *
     * @param beforeChange takes each publisher whose facts may change, before they do
     */
    void apply(List<ClusterChange> batch, Consumer<Publisher> beforeChange) {
        List<ClusterChange> changes = Copies.list("batch", batch);
        // The predicates are the host's and may throw: they are evaluated before anything is changed.
        BitSet visible = new BitSet(changes.size());
        for (int i = 0; i < changes.size(); i++) {
            visible.set(i, changes.get(i) instanceof ClusterChange.Put put && isVisible(put.object()));
        }
        for (int i = 0; i < changes.size(); i++) {
            apply(changes.get(i), visible.get(i), beforeChange);
        }
    }

    Visibility visibility() {
        return visibility;
    }

    boolean isEmpty() {
        return namespaces.isEmpty();
    }

    /** Returns whether there is a Namespace, shown or not. */
    boolean hasNamespace(String name) {
        NamespaceState state = namespaces.get(name);
        return state != null && state.namespace != null;
    }

    /** Asks the {@link Visibility}. An EndpointSlice is visible with its Service, and a Node has no records. */
    private boolean isVisible(ClusterObject object) {
        if (object instanceof Service || object instanceof Pod) {
            return visibility.shows((NamespacedObject) object);
        }
        return object instanceof Namespace namespace && visibility.shows(namespace);
    }

    private void apply(ClusterChange change, boolean visible, Consumer<Publisher> beforeChange) {
        if (change instanceof ClusterChange.Put put) {
            put(put.object(), visible, beforeChange);
        } else if (change instanceof ClusterChange.Remove remove) {
            remove(remove, beforeChange);
        } else {
            throw new AssertionError(change);
        }
    }

    private void put(ClusterObject object, boolean visible, Consumer<Publisher> beforeChange) {
        if (object instanceof Namespace namespace) {
            putNamespace(namespace, visible, beforeChange);
        } else if (object instanceof Service service) {
            putService(service, visible, beforeChange);
        } else if (object instanceof EndpointSlice slice) {
            putSlice(slice, beforeChange);
        } else if (object instanceof Pod pod) {
            putPod(pod, visible, beforeChange);
        }
        // A Node and a ServiceExport make no record.
    }

    /** Removes an object. Ignores the removal of an earlier object with its key ({@link ClusterChange.Remove#isFor}). */
    private void remove(ClusterChange.Remove change, Consumer<Publisher> beforeChange) {
        ObjectRef ref = change.ref();
        NamespaceState entry = namespaces.get(ref.namespace().orElse(ref.name()));
        if (entry == null) {
            return;
        }
        switch (ref.kind()) {
            case Namespace.KIND -> {
                if (entry.namespace != null && change.isFor(entry.namespace.uid())) {
                    setVisible(entry, false, beforeChange);
                    entry.namespace = null;
                }
            }
            case Service.KIND -> {
                ServiceState state = entry.services.get(ref.name());
                if (state != null && state.service != null && change.isFor(state.service.uid())) {
                    reportWithSlices(state, beforeChange);
                    state.remove();
                    recount(state);
                    removeIfUnused(state);
                }
            }
            case EndpointSlice.KIND -> {
                SliceState state = entry.slices.get(ref.name());
                if (state != null && state.slice != null && change.isFor(state.slice.uid())) {
                    removeSlice(state, beforeChange);
                }
            }
            case Pod.KIND -> {
                PodState state = entry.pods.get(ref.name());
                if (state != null && state.pod != null && change.isFor(state.pod.uid())) {
                    beforeChange.accept(state);
                    state.pod = null;
                    entry.pods.remove(ref.name());
                }
            }
            default -> {}
        }
        removeIfUnused(entry);
    }

    /** Returns whether an object has the fields of the one that it replaces; its facts are then the same. The UID does not count. */
    private static boolean hasFieldsOf(PackedObject object, @Nullable PackedObject other) {
        return other != null && object.equalsButUid(other);
    }

    private NamespaceState namespace(String name) {
        return namespaces.computeIfAbsent(name, NamespaceState::new);
    }

    private void putNamespace(Namespace namespace, boolean visible, Consumer<Publisher> beforeChange) {
        NamespaceState state = namespace(namespace.name());
        setVisible(state, visible, beforeChange);
        beforeChange.accept(state);
        state.namespace = namespace;
    }

    /** Shows or hides a Namespace, and reports everything in it. */
    private static void setVisible(NamespaceState state, boolean visible, Consumer<Publisher> beforeChange) {
        if (state.visible != visible) {
            beforeChange.accept(state);
            state.services.values().forEach(beforeChange);
            state.slices.values().forEach(beforeChange);
            state.pods.values().forEach(beforeChange);
            state.visible = visible;
        }
    }

    private void putService(Service service, boolean visible, Consumer<Publisher> beforeChange) {
        NamespaceState entry = namespace(service.namespace());
        ServiceState state = service(entry, service.name());
        PackedObject packed = PackedObject.of(service);
        if (state.visible == visible && hasFieldsOf(packed, state.service)) {
            state.service = packed;
            return;
        }
        Service present = state.service();
        if (state.visible == visible && present != null && rules.readsSlicesAlike(service, present)) {
            beforeChange.accept(state);
            state.put(packed, service);
        } else {
            reportWithSlices(state, beforeChange);
            state.put(packed, service);
            state.visible = visible;
            recount(state);
        }
    }

    private static ServiceState service(NamespaceState entry, String name) {
        ServiceState state = entry.services.get(name);
        if (state == null) {
            state = new ServiceState(entry, name);
            entry.services.put(name, state);
        }
        return state;
    }

    /** Reports a Service and its slices, whose facts depend on it. */
    private static void reportWithSlices(ServiceState state, Consumer<Publisher> beforeChange) {
        beforeChange.accept(state);
        for (SliceState slice : state.slices) {
            beforeChange.accept(slice);
        }
    }

    private void removeIfUnused(NamespaceState state) {
        if (state.isUnused()) {
            namespaces.remove(state.name);
        }
    }

    private static void removeIfUnused(ServiceState state) {
        if (state.isUnused()) {
            state.namespace.services.remove(state.name);
        }
    }

    private void putSlice(EndpointSlice slice, Consumer<Publisher> beforeChange) {
        if (!rules.readsSlices()) {
            return;
        }
        NamespaceState entry = namespace(slice.namespace());
        SliceState state = entry.slices.get(slice.name());
        if (state != null && !slice.serviceName().equals(Optional.of(state.service.name))) {
            removeSlice(state, beforeChange);
            state = null;
        }
        if (state == null && slice.serviceName().isPresent()) {
            state = new SliceState(service(entry, slice.serviceName().get()), slice.name());
            entry.slices.put(slice.name(), state);
            state.service.slices.add(state);
        }
        if (state != null) {
            PackedObject packed = PackedObject.of(slice, rules.readsTargets());
            if (hasFieldsOf(packed, state.slice)) {
                state.slice = packed;
            } else {
                replaceSlice(state, packed, beforeChange);
            }
        }
        removeIfUnused(entry);
    }

    private void removeSlice(SliceState state, Consumer<Publisher> beforeChange) {
        replaceSlice(state, null, beforeChange);
        state.service.slices.remove(state);
        state.service.namespace.slices.remove(state.name);
        removeIfUnused(state.service);
    }

    private void replaceSlice(SliceState state, @Nullable PackedObject slice, Consumer<Publisher> beforeChange) {
        beforeChange.accept(state);
        if (rules.ignoresEmptyServices()) {
            beforeChange.accept(state.service);
        }
        state.slice = slice;
        count(state);
    }

    private void recount(ServiceState state) {
        for (SliceState slice : state.slices) {
            count(slice);
        }
    }

    private void count(SliceState state) {
        if (rules.ignoresEmptyServices()) {
            state.service.publishedEndpoints -= state.publishedEndpoints;
            Service service = state.service.service();
            EndpointSlice slice = state.slice();
            state.publishedEndpoints = slice == null || service == null ? 0 : rules.publishedEndpoints(slice, service);
            state.service.publishedEndpoints += state.publishedEndpoints;
        }
    }

    private void putPod(Pod pod, boolean visible, Consumer<Publisher> beforeChange) {
        if (!rules.readsPods()) {
            return;
        }
        NamespaceState entry = namespace(pod.namespace());
        PodState state = entry.pods.computeIfAbsent(pod.name(), any -> new PodState(entry, pod.name()));
        PackedObject packed = PackedObject.of(pod);
        if (state.visible != visible || !hasFieldsOf(packed, state.pod)) {
            beforeChange.accept(state);
        }
        state.pod = packed;
        state.visible = visible;
    }
}
