package io.k8sdns.completion;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Completes phase, readiness and addresses of Pods, as the scheduler and the kubelet do. */
final class PodCompletion {
    private final CompletionState state;
    private final Addressing addressing;
    private final AddressChoice choice;

    PodCompletion(CompletionState state, Addressing addressing, AddressChoice choice) {
        this.state = state;
        this.addressing = addressing;
        this.choice = choice;
    }

    void complete(Pod pod) {
        PodPhase phase = pod.phase().orElse(PodPhase.RUNNING);
        if (phase != PodPhase.RUNNING || pod.terminating()) {
            return;
        }
        List<String> parts = new ArrayList<>();
        if (pod.phase().isEmpty()) {
            parts.add("status.phase Running");
        }
        if (pod.ready().isEmpty()) {
            parts.add("condition Ready");
        }
        List<IpAddress> ips = pod.ips();
        if (ips.isEmpty() && state.mayGetAddress(pod)) {
            ips = pod.hostNetwork() ? nodeAddresses(pod) : podAddresses(pod);
            if (!ips.isEmpty()) {
                parts.add("status.podIPs " + ips);
            }
        }
        state.put(pod.toBuilder()
                .phase(phase)
                .ready(pod.ready().orElse(true))
                .ips(ips)
                .build());
        state.noteCompleted("completed-pod", pod, parts);
    }

    private List<IpAddress> podAddresses(Pod pod) {
        List<IpFamily> families =
                addressing.podCidrs().stream().map(IpNetwork::family).toList();
        return choice.choose(pod, families, addressing.podCidrs(), "pod");
    }

    /** Returns the first internal address of each family, as the kubelet reports them. */
    private List<IpAddress> nodeAddresses(Pod pod) {
        List<IpAddress> addresses = new ArrayList<>();
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        Optional<Node> node = pod.nodeName()
                .flatMap(name -> Optional.ofNullable(state.objects().get(ObjectRef.of(Node.KIND, name))))
                .map(Node.class::cast);
        for (IpAddress address : node.map(Node::internalIps).orElse(List.of())) {
            if (families.add(address.family())) {
                addresses.add(address);
            }
        }
        if (addresses.isEmpty()) {
            state.note(
                    "no-node-address", pod.ref(), "on the host network of a Node without a known address: no address");
        }
        return addresses;
    }
}
