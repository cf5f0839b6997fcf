package io.k8sdns.cli;

import io.k8sdns.advice.KnownServices;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The namespaces and Services of a snapshot, including those that are hidden from DNS. */
final class SnapshotServices implements KnownServices {
    private final ClusterSnapshot snapshot;
    private final Set<String> namespaces;

    SnapshotServices(ClusterSnapshot snapshot) {
        this.snapshot = snapshot;
        // Manifests often contain no Namespace objects, so a namespace also exists if an object is in it.
        this.namespaces = Stream.concat(
                        snapshot.objects(Namespace.class).map(Namespace::name),
                        snapshot.objects(NamespacedObject.class).map(NamespacedObject::namespace))
                .collect(Collectors.toUnmodifiableSet());
    }

    @Override
    public boolean hasNamespace(String namespace) {
        return namespaces.contains(namespace);
    }

    @Override
    public boolean hasService(String namespace, String service) {
        return snapshot.get(ObjectRef.of(Service.KIND, namespace, service)).isPresent();
    }
}
