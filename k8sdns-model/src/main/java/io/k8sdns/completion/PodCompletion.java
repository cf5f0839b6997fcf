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
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Completes phase, readiness and addresses of Pods, as the scheduler and the kubelet do. */
final class PodCompletion {
    private final CompletionState state;
    private final Addressing addressing;
    private final AddressChoice choice;
    private final Readiness readiness;
    private final Set<String> usedNames = new HashSet<>();

    /** The addresses of Nodes as Pods report them, and chosen ones; those of an unknown Node by its Pod. */
    private final Map<ObjectRef, List<IpAddress>> byNode = new HashMap<>();

    PodCompletion(CompletionState state, Addressing addressing, AddressChoice choice, Readiness readiness) {
        this.state = state;
        this.addressing = addressing;
        this.choice = choice;
        this.readiness = readiness;
        state.all(Pod.class).stream()
                .filter(pod -> pod.hostNetwork() && !pod.ips().isEmpty())
                .forEach(pod -> nodeRef(pod).ifPresent(node -> byNode.putIfAbsent(node, pod.ips())));
    }

    private static Optional<ObjectRef> nodeRef(Pod pod) {
        return pod.nodeName().map(name -> ObjectRef.of(Node.KIND, name));
    }

    /** Notes the names of the assumptions about readiness that mean no Pod. */
    void noteUnusedNames() {
        readiness.byName().keySet().stream()
                .filter(name -> !usedNames.contains(name))
                .sorted()
                .forEach(name -> state.note(Diagnostic.warning(
                        "no-pod-of-readiness",
                        podRef(name),
                        "the assumed readiness has no effect: no Pod without conditions, and no workload,"
                                + " has this name")));
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
            ips = pod.hostNetwork() ? nodeAddresses(pod) : chosenAddresses(pod.ref());
            if (!ips.isEmpty()) {
                boolean isOfNode = pod.hostNetwork() && state.invented().containsAll(ips);
                parts.add("status.podIPs " + ips + (isOfNode ? " in place of its Node's" : ""));
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

    private List<IpAddress> chosenAddresses(ObjectRef object) {
        List<IpFamily> families =
                addressing.podCidrs().stream().map(IpNetwork::family).toList();
        return choice.choose(object, families, addressing.podCidrs(), "pod");
    }

    /** Returns the addresses of the Node of a Pod on the host network; chosen ones if the manifests do not hold them. */
    private List<IpAddress> nodeAddresses(Pod pod) {
        Optional<ObjectRef> ref = nodeRef(pod);
        Optional<Node> node = ref.flatMap(
                        key -> Optional.ofNullable(state.objects().get(key)))
                .map(Node.class::cast);
        List<IpAddress> reported = node.map(Node::hostIps).orElse(List.of());
        if (!reported.isEmpty()) {
            return reported;
        }
        boolean isMissing = ref.filter(key -> !byNode.containsKey(key)).isPresent() && node.isEmpty();
        if (isMissing && !state.all(Node.class).isEmpty()) {
            state.note(
                    "no-node-address",
                    pod.ref(),
                    "on the host network of a Node that is not among the Nodes of the manifests: no address");
            return List.of();
        }
        // A scheduler may place each Pod without a Node on a Node of its own.
        return byNode.computeIfAbsent(ref.orElse(pod.ref()), this::chosenAddresses);
    }
}
