package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.resolver.Client;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the namespace of a client by the address of its Pod. Reads what a source delivers, and hands it on.
 *
 * <p>Unknown where the address is not a Pod's own: Pods in the network of the host share their Node's, and one that two namespaces
 * have is being reused. Pods that have ended have none.
 */
final class PodNamespaces implements ClusterSource.Sink {
    private static final Set<PodPhase> ENDED = Set.of(PodPhase.SUCCEEDED, PodPhase.FAILED);

    private final ClusterSource.Sink next;
    private final Map<ObjectRef, Pod> pods = new HashMap<>();
    private final Map<IpAddress, Set<ObjectRef>> owners = new HashMap<>();
    private final Map<IpAddress, String> namespaces = new ConcurrentHashMap<>();

    /**
     * Reads on the way to another sink.
     *
     * @param next takes everything
     */
    PodNamespaces(ClusterSource.Sink next) {
        this.next = next;
    }

    /** Returns the namespace of a client; empty if it is unknown. */
    Optional<String> of(Client client) {
        return client.namespace()
                .or(() -> client.address()
                        .map(InetSocketAddress::getAddress)
                        .map(address -> namespaces.get(IpAddress.ofBytes(address.getAddress()))));
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        Set<IpAddress> touched = new HashSet<>();
        for (ClusterChange change : batch) {
            if (change instanceof ClusterChange.Put put && put.object() instanceof Pod pod) {
                remove(pod.ref(), touched);
                add(pod, touched);
            } else if (change instanceof ClusterChange.Remove remove) {
                remove(remove.ref(), touched);
            }
        }
        touched.forEach(this::find);
        next.changed(batch);
    }

    private void add(Pod pod, Set<IpAddress> touched) {
        if (pod.phase().filter(ENDED::contains).isPresent()) {
            return;
        }
        pods.put(pod.ref(), pod);
        for (IpAddress address : pod.ips()) {
            owners.computeIfAbsent(address, any -> new HashSet<>()).add(pod.ref());
            touched.add(address);
        }
    }

    private void remove(ObjectRef ref, Set<IpAddress> touched) {
        Pod before = pods.remove(ref);
        if (before != null) {
            for (IpAddress address : before.ips()) {
                Set<ObjectRef> left = owners.getOrDefault(address, Set.of());
                left.remove(ref);
                if (left.isEmpty()) {
                    owners.remove(address);
                }
                touched.add(address);
            }
        }
    }

    private void find(IpAddress address) {
        Set<String> found = new HashSet<>();
        boolean shared = false;
        for (ObjectRef owner : owners.getOrDefault(address, Set.of())) {
            found.add(owner.namespace().orElseThrow());
            Pod pod = pods.get(owner);
            shared |= pod != null && pod.hostNetwork();
        }
        if (found.size() == 1 && !shared) {
            namespaces.put(address, found.iterator().next());
        } else {
            namespaces.remove(address);
        }
    }

    @Override
    public void state(SyncState now) {
        next.state(now);
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        next.diagnosed(diagnostic);
    }
}
