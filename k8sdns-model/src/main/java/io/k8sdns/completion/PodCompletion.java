package io.k8sdns.completion;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Completes phase, readiness and addresses of Pods, as the scheduler and the kubelet do. */
final class PodCompletion {
    private final CompletionState state;
    private final Addressing addressing;
    private final AddressChoice choice;
    private final Readiness readiness;
    private final Set<String> usedNames = new HashSet<>();

    PodCompletion(CompletionState state, Addressing addressing, AddressChoice choice, Readiness readiness) {
        this.state = state;
        this.addressing = addressing;
        this.choice = choice;
        this.readiness = readiness;
    }

    /** Notes the names of the assumptions about readiness that mean no Pod. */
    void noteUnusedNames() {
        readiness.byName().keySet().stream()
                .filter(name -> !usedNames.contains(name))
                .sorted()
                .forEach(name -> state.note(Diagnostic.warning(
                        "no-pod-of-readiness",
                        podRef(name),
                        "the assumed readiness has no effect: no Pod or workload without a condition Ready has"
                                + " this name")));
    }

    void complete(Pod pod) {
        List<String> parts = new ArrayList<>();
        state.put(completed(pod, parts));
        state.noteCompleted("completed-pod", pod, parts);
    }

    /** Returns a Pod with the fields that the scheduler and the kubelet would set. */
    Pod completed(Pod pod) {
        return completed(pod, new ArrayList<>());
    }

    /** Returns the completed Pod, or the same one if it has ended or is being deleted; adds what was completed. */
    private Pod completed(Pod pod, List<String> parts) {
        PodPhase phase = pod.phase().orElse(PodPhase.RUNNING);
        if (phase != PodPhase.RUNNING || pod.terminating()) {
            return pod;
        }
        if (pod.phase().isEmpty()) {
            parts.add("status.phase Running");
        }
        boolean ready = pod.ready().orElseGet(() -> isAssumedReady(pod));
        if (pod.ready().isEmpty()) {
            parts.add(ready ? "condition Ready" : "condition Ready False");
        }
        List<IpAddress> ips = pod.ips();
        if (ips.isEmpty() && state.mayGetAddress(pod)) {
            ips = pod.hostNetwork() ? nodeAddresses(pod) : podAddresses(pod);
            if (!ips.isEmpty()) {
                parts.add("status.podIPs " + ips);
            }
        }
        return pod.toBuilder().phase(phase).ready(ready).ips(ips).build();
    }

    private static ObjectRef podRef(String name) {
        int slash = name.indexOf('/');
        return slash < 0
                ? ObjectRef.of(Pod.KIND, name)
                : ObjectRef.of(Pod.KIND, name.substring(0, slash), name.substring(slash + 1));
    }

    private boolean isAssumedReady(Pod pod) {
        Optional<String> workload =
                state.maker(pod).map(maker -> maker.metadata().name());
        Optional<String> name = readiness.nameFor(pod.namespace(), pod.name(), workload);
        name.ifPresent(usedNames::add);
        return name.map(readiness.byName()::get).orElse(readiness.others());
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
