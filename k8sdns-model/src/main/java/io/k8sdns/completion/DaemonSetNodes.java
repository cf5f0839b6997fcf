package io.k8sdns.completion;

import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Node;
import io.k8sdns.model.NodePlacement;
import io.k8sdns.model.NodePlacement.Toleration;
import io.k8sdns.model.PodTemplate;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The Nodes that the template of a DaemonSet allows, and the fields that forbid the others. */
final class DaemonSetNodes {
    /** The tolerations that the controller adds to the Pods: unhealthy and cordoned Nodes have their Pods, too. */
    private static final List<Toleration> ADDED = List.of(
            toleration("not-ready", "NoExecute"),
            toleration("unreachable", "NoExecute"),
            toleration("disk-pressure", "NoSchedule"),
            toleration("memory-pressure", "NoSchedule"),
            toleration("pid-pressure", "NoSchedule"),
            toleration("unschedulable", "NoSchedule"));

    /** One more for Pods with hostNetwork, which need no network of Pods. */
    private static final Toleration OF_HOST_NETWORK = toleration("network-unavailable", "NoSchedule");

    private final DaemonSet set;
    private final PodTemplate template;
    private final NodePlacement placement;

    DaemonSetNodes(DaemonSet set) {
        this.set = set;
        this.template = set.template();
        List<Toleration> tolerations = new ArrayList<>(set.placement().tolerations());
        tolerations.addAll(ADDED);
        if (template.hostNetwork()) {
            tolerations.add(OF_HOST_NETWORK);
        }
        this.placement = new NodePlacement(tolerations, set.placement().affinity());
    }

    private static Toleration toleration(String key, String effect) {
        return new Toleration("node.kubernetes.io/" + key, true, "", effect);
    }

    /**
     * A field that forbids a Node.
     *
     * @param field the path of the field
     * @param reason the reason, for example "Node n1 lacks the labels {disk=ssd}"
     * @param remedy the change of the field after which it allows the Node
     * @param taint the first taint that is not tolerated; empty if another field forbids the Node
     */
    record Obstacle(String field, String reason, String remedy, Optional<Node.Taint> taint) {}

    /** Returns the fields that forbid a Node; empty if it gets a Pod. */
    List<Obstacle> obstacles(Node node) {
        List<Obstacle> obstacles = new ArrayList<>();
        template.nodeName()
                .filter(name -> !name.equals(node.name()))
                .ifPresent(name -> obstacles.add(
                        obstacle("spec.nodeName", "spec.nodeName is " + name, "remove %s", Optional.empty())));
        Map<String, String> lacking = new TreeMap<>(template.nodeSelector().values());
        lacking.entrySet()
                .removeIf(label -> node.labels()
                        .get(label.getKey())
                        .filter(label.getValue()::equals)
                        .isPresent());
        if (!lacking.isEmpty()) {
            obstacles.add(obstacle(
                    "spec.nodeSelector",
                    "Node " + node.name() + " lacks the labels " + lacking,
                    "remove " + lacking + " from %s",
                    Optional.empty()));
        }
        if (!placement.hasAffinityTo(node)) {
            obstacles.add(obstacle(
                    "spec.affinity.nodeAffinity",
                    "its affinity excludes Node " + node.name(),
                    "allow Node " + node.name() + " in %s",
                    Optional.empty()));
        }
        List<Node.Taint> taints = untolerated(node);
        if (!taints.isEmpty()) {
            obstacles.add(obstacle(
                    "spec.tolerations",
                    "it does not tolerate " + taints + ", the taints of Node " + node.name(),
                    "tolerate " + taints + " in %s",
                    Optional.of(taints.get(0))));
        }
        return obstacles;
    }

    /**
     * Returns an obstacle.
     *
     * @param field the field of a Pod
     * @param remedy the change, with {@code %s} for the path of the field
     */
    private Obstacle obstacle(String field, String reason, String remedy, Optional<Node.Taint> taint) {
        String path = PodTemplate.path(set.ref(), field);
        return new Obstacle(path, reason, remedy.replace("%s", path + " of " + set.ref()), taint);
    }

    private List<Node.Taint> untolerated(Node node) {
        List<Node.Taint> taints = new ArrayList<>();
        NodePlacement tolerant = placement;
        for (Optional<Node.Taint> taint = tolerant.untolerated(node);
                taint.isPresent();
                taint = tolerant.untolerated(node)) {
            taints.add(taint.get());
            List<Toleration> tolerations = new ArrayList<>(tolerant.tolerations());
            tolerations.add(new Toleration(
                    taint.get().key(), false, taint.get().value(), taint.get().effect()));
            tolerant = new NodePlacement(tolerations, tolerant.affinity());
        }
        return taints;
    }
}
