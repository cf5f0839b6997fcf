package io.k8sdns.autopath;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.resolver.Client;
import io.k8sdns.rules.RecordRules;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Finds the namespace of a client by the address of its Pod, for the mode <i>pod</i> of an {@link AutopathResolver}. Reads the Pods of a
 * source and passes all objects on to another sink, usually a {@link io.k8sdns.zone.ZoneFeed}.
 *
 * <pre>{@code
 * PodNamespaces pods = new PodNamespaces(feed);
 * AutopathResolver autopath = AutopathResolver.builder(chain).byPod(pods::of).build();
 * source.start(pods);
 * }</pre>
 *
 * <p>The namespace is unknown if the address does not belong to Pods of exactly one namespace: an address in two namespaces is being
 * reused. It is also unknown if one of the Pods has another search list than an {@link AutopathResolver} expands, so that it would get
 * answers that it does not find by its own list:
 *
 * <ul>
 *   <li>Pods with {@code hostNetwork}; they also share the address of their Node with other Pods.
 *   <li>Pods with another {@code dnsPolicy} than {@code ClusterFirst}, the default, and {@code ClusterFirstWithHostNet}.
 *   <li>Pods with search domains in their {@code dnsConfig}.
 *   <li>Pods that require another operating system than Linux ({@link Pod#os}). Windows has only the first search domain.
 * </ul>
 *
 * <p>Limit: a Pod on a Windows Node that has neither {@code spec.os} nor {@code kubernetes.io/os} in its {@code nodeSelector} counts as a
 * Pod on Linux. A host with such Pods can find them by the label {@code kubernetes.io/os} of their Nodes, and pass a function of its own
 * to {@link AutopathResolver.Builder#byPod(java.util.function.Function)}.
 *
 * <p>Pods that have no pod name because of their phase ({@link RecordRules#hasPodName(Pod)}: Succeeded, Failed, Unknown) are ignored; a
 * Pod need not be ready.
 *
 * <p>The source calls the sink from one thread at a time. {@link #of} can be called from any thread, and does not block.
 */
public final class PodNamespaces implements ClusterSource.Sink {
    /** The policies that give a Pod the search list of its namespace. Unknown policies do not, nor does autopath's own. */
    private static final Set<String> POLICIES_WITH_SEARCHES =
            Set.of(DnsPolicy.CLUSTER_FIRST.word(), DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET.word());

    private final ClusterSource.Sink next;
    private final Map<ObjectRef, Owner> pods = new HashMap<>();
    private final Map<IpAddress, Set<ObjectRef>> owners = new HashMap<>();
    private final Map<IpAddress, String> namespaces = new ConcurrentHashMap<>();

    /**
     * The fields of a Pod that are kept.
     *
     * @param hasSearchList whether it has the usual search list of its namespace
     */
    private record Owner(Optional<String> uid, List<IpAddress> ips, boolean hasSearchList) {}

    /**
     * Creates a sink in front of another one.
     *
     * @param next receives all objects
     */
    public PodNamespaces(ClusterSource.Sink next) {
        this.next = Objects.requireNonNull(next, "next");
    }

    /**
     * Returns the namespace of a client; empty if it is unknown.
     *
     * @param client the client; its {@link Client#namespace} takes precedence over its address
     */
    public Optional<String> of(Client client) {
        return client.namespace()
                .or(() -> client.address()
                        .map(InetSocketAddress::getAddress)
                        .map(address -> namespaces.get(IpAddress.ofBytes(address.getAddress()))));
    }

    @Override
    public void changed(List<ClusterChange> batch) {
        Set<IpAddress> affected = new HashSet<>();
        for (ClusterChange change : batch) {
            if (change instanceof ClusterChange.Put put && put.object() instanceof Pod pod) {
                remove(pod.ref(), affected);
                add(pod, affected);
            } else if (change instanceof ClusterChange.Remove remove) {
                Owner known = pods.get(remove.ref());
                if (known != null && remove.isFor(known.uid())) {
                    remove(remove.ref(), affected);
                }
            }
        }
        affected.forEach(this::update);
        next.changed(batch);
    }

    private void add(Pod pod, Set<IpAddress> affected) {
        if (!RecordRules.hasPodName(pod)) {
            return;
        }
        pods.put(pod.ref(), new Owner(pod.uid(), pod.ips(), hasSearchList(pod)));
        for (IpAddress address : pod.ips()) {
            owners.computeIfAbsent(address, any -> new HashSet<>()).add(pod.ref());
            affected.add(address);
        }
    }

    private static boolean hasSearchList(Pod pod) {
        return !pod.hostNetwork()
                && pod.dnsPolicy().map(POLICIES_WITH_SEARCHES::contains).orElse(true)
                && pod.dnsConfig().map(config -> config.searches().isEmpty()).orElse(true)
                && pod.os().map("linux"::equals).orElse(true);
    }

    private void remove(ObjectRef ref, Set<IpAddress> affected) {
        Owner before = pods.remove(ref);
        if (before != null) {
            for (IpAddress address : before.ips()) {
                Set<ObjectRef> remaining = owners.getOrDefault(address, Set.of());
                remaining.remove(ref);
                if (remaining.isEmpty()) {
                    owners.remove(address);
                }
                affected.add(address);
            }
        }
    }

    private void update(IpAddress address) {
        Set<String> found = new HashSet<>();
        boolean allHaveSearchList = true;
        for (ObjectRef ref : owners.getOrDefault(address, Set.of())) {
            found.add(ref.namespace().orElseThrow());
            Owner owner = pods.get(ref);
            allHaveSearchList &= owner != null && owner.hasSearchList();
        }
        if (found.size() == 1 && allHaveSearchList) {
            namespaces.put(address, found.iterator().next());
        } else {
            namespaces.remove(address);
        }
    }

    @Override
    public void stateChanged(SyncState now) {
        next.stateChanged(now);
    }

    @Override
    public void diagnosed(Diagnostic diagnostic) {
        next.diagnosed(diagnostic);
    }
}
