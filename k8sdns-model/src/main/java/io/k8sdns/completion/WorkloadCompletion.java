package io.k8sdns.completion;

import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Node;
import io.k8sdns.model.NodePlacement;
import io.k8sdns.model.NodePlacement.Toleration;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import io.k8sdns.slices.EndpointSliceRules;
import io.k8sdns.slices.PodIndex;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Makes the Pods of workloads, as many as their controllers would run at first. Pods that the manifests hold already are
 * not made again: those of the same name, and for the other workloads those that match the selector.
 *
 * <p>Names that a controller would choose at random are replaced by {@code NAME-KIND-NUMBER}.
 */
final class WorkloadCompletion {
    /** The code of the notes about Services that select the Pods of a workload that has none. */
    private static final String NO_PODS_OF_SERVICE = "no-replicas";

    /** The maximum number of Pods of one workload: a mistyped number must not exhaust the memory. */
    private static final int MAX_PODS = 100_000;

    private static final int LONGEST_NAME = 253;

    /** The room for the number in a name. */
    private static final int DIGITS = 10;

    /** The tolerations that the DaemonSet controller adds to the Pods: unhealthy and cordoned Nodes have their Pods, too. */
    private static final List<Toleration> OF_DAEMONS = List.of(
            toleration("not-ready", "NoExecute"),
            toleration("unreachable", "NoExecute"),
            toleration("disk-pressure", "NoSchedule"),
            toleration("memory-pressure", "NoSchedule"),
            toleration("pid-pressure", "NoSchedule"),
            toleration("unschedulable", "NoSchedule"));

    /** One more for Pods with hostNetwork, which need no network of Pods. */
    private static final Toleration OF_HOST_NETWORK = toleration("network-unavailable", "NoSchedule");

    private final CompletionState state;

    /** The Pods of the manifests, by namespace. */
    private final Map<String, List<Pod>> given = new HashMap<>();

    WorkloadCompletion(CompletionState state) {
        this.state = state;
        for (Pod pod : state.all(Pod.class)) {
            given.computeIfAbsent(pod.namespace(), any -> new ArrayList<>()).add(pod);
        }
    }

    void addPods() {
        // Their names are predictable and must not be taken by an invented one.
        for (Workload workload : state.workloads()) {
            if (workload instanceof StatefulSet set) {
                add(set, set.replicas(), index -> set.pod(index));
            }
        }
        for (Workload workload : state.workloads()) {
            if (workload instanceof ReplicaWorkload replicas) {
                add(replicas);
            } else if (workload instanceof DaemonSet set) {
                add(set);
            } else if (workload instanceof Job job) {
                add(job);
            } else if (workload instanceof CronJob job) {
                state.note("no-pods-yet", job.ref(), "no Pod until its schedule starts a Job");
            }
        }
    }

    /** Notes the Services that select no Pod, but the template of a workload without Pods. */
    void noteServicesOfIdleWorkloads() {
        List<Workload> idle = state.workloads().stream()
                .filter(workload -> reasonOfNoPods(workload).isPresent())
                .toList();
        if (idle.isEmpty()) {
            return;
        }
        PodIndex pods = new PodIndex(state.all(Pod.class));
        for (Service service : state.all(Service.class)) {
            Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
            if (selector.isPresent() && pods.selectedBy(service).isEmpty()) {
                idle.stream()
                        .filter(workload -> workload.metadata().namespace().equals(service.namespace())
                                && Selector.ofLabels(selector.get()).test(labelsOfPods(workload)))
                        .findFirst()
                        .ifPresent(workload -> state.note(
                                NO_PODS_OF_SERVICE,
                                service.ref(),
                                "selects the Pods of " + workload.ref()
                                        + reasonOfNoPods(workload).orElseThrow()));
            }
        }
    }

    /** Returns why a workload has no Pods, as the end of a sentence; empty if it has some. */
    private static Optional<String> reasonOfNoPods(Workload workload) {
        if (workload instanceof CronJob) {
            return Optional.of(", which has none until its schedule starts a Job");
        }
        if (workload instanceof Job job && job.pods() == 0) {
            return Optional.of(", which has none, because it is suspended or has no parallelism");
        }
        boolean isScaledDown = workload instanceof StatefulSet set && set.replicas() == 0
                || workload instanceof ReplicaWorkload replicas && replicas.replicas() == 0;
        return isScaledDown ? Optional.of(", whose spec.replicas is 0; with 1 it would select one") : Optional.empty();
    }

    private static Labels labelsOfPods(Workload workload) {
        return workload instanceof Job job
                ? job.podLabels()
                : workload.template().labels();
    }

    private void add(ReplicaWorkload workload) {
        boolean ofDeployment = workload.deployment()
                .filter(name -> state.hasWorkload(ObjectRef.of(
                        ReplicaWorkload.DEPLOYMENT, workload.metadata().namespace(), name)))
                .isPresent();
        if (!ofDeployment) {
            int missing = workload.replicas()
                    - existing(workload, workload.selector()).size();
            addInvented(
                    workload,
                    missing,
                    (index, name) -> workload.template()
                            .pod(workload.metadata().namespace(), name)
                            .build());
        }
    }

    private void add(Job job) {
        Labels selector = new Labels(Map.of("job-name", job.metadata().name()));
        int missing = job.pods() - existing(job, selector).size();
        if (job.pods() == 0) {
            state.note("no-pods-yet", job.ref(), "no Pod: it is suspended or has no parallelism");
        }
        addInvented(job, missing, job::pod);
    }

    /** Adds one Pod for each Node that the template allows; one without a Node if the manifests hold no Node. */
    private void add(DaemonSet set) {
        List<Pod> existing = existing(set, set.selector());
        List<Node> nodes = state.all(Node.class);
        List<Optional<String>> places = new ArrayList<>();
        if (nodes.isEmpty()) {
            if (existing.isEmpty()) {
                places.add(set.template().nodeName());
            }
        } else {
            NodePlacement placement = placement(set);
            Selector allowed = Selector.ofLabels(set.template().nodeSelector());
            List<String> tainted = new ArrayList<>();
            for (Node node : nodes) {
                Optional<String> name = Optional.of(node.name());
                if (allowed.test(node.labels())
                        && set.template().nodeName().map(node.name()::equals).orElse(true)
                        && placement.hasAffinityTo(node)
                        && existing.stream().noneMatch(pod -> pod.nodeName().equals(name))) {
                    placement
                            .untolerated(node)
                            .ifPresentOrElse(
                                    taint -> tainted.add(
                                            node.name() + ", because it does not tolerate the taint " + taint),
                                    () -> places.add(name));
                }
            }
            noteTainted(set, tainted);
        }
        addInvented(set, places.size(), (index, name) -> {
            Pod.Builder pod = set.template().pod(set.metadata().namespace(), name);
            places.get(index).ifPresent(pod::nodeName);
            return pod.build();
        });
    }

    private static Toleration toleration(String key, String effect) {
        return new Toleration("node.kubernetes.io/" + key, true, "", effect);
    }

    /** Returns the placement of a DaemonSet with the tolerations that its controller adds. */
    private static NodePlacement placement(DaemonSet set) {
        List<Toleration> tolerations = new ArrayList<>(set.placement().tolerations());
        tolerations.addAll(OF_DAEMONS);
        if (set.template().hostNetwork()) {
            tolerations.add(OF_HOST_NETWORK);
        }
        return new NodePlacement(tolerations, set.placement().affinity());
    }

    private void noteTainted(DaemonSet set, List<String> nodes) {
        if (!nodes.isEmpty()) {
            int others = nodes.size() - 1;
            state.note(
                    "untolerated-taint",
                    set.ref(),
                    "no Pod on Node " + nodes.get(0)
                            + (others == 0
                                    ? ""
                                    : "; nor on " + others + " other tainted " + (others == 1 ? "Node" : "Nodes")));
        }
    }

    /** Returns the Pods of the manifests that a controller would count: those with the labels that have not ended. */
    private List<Pod> existing(Workload workload, Labels selector) {
        Selector labels = Selector.ofLabels(selector);
        return given.getOrDefault(workload.metadata().namespace(), List.of()).stream()
                .filter(pod -> labels.test(pod.labels()) && !pod.terminating() && !EndpointSliceRules.hasEnded(pod))
                .toList();
    }

    /** Makes the Pod with an index. */
    private interface PodMaker {
        Pod make(int index, String name);
    }

    private void addInvented(Workload workload, int count, PodMaker maker) {
        String suffix = "-" + workload.ref().kind().toLowerCase(Locale.ROOT) + "-";
        String name = workload.metadata().name();
        int room = LONGEST_NAME - suffix.length() - DIGITS;
        // A name must not end with a dot or dash before the suffix.
        String base = (name.length() <= room ? name : name.substring(0, room).replaceFirst("[-.]+$", "")) + suffix;
        add(workload, count, index -> {
            int number = index + 1;
            String namespace = workload.metadata().namespace();
            while (state.objects().containsKey(ObjectRef.of(Pod.KIND, namespace, base + number))) {
                number += count;
            }
            return maker.make(index, base + number);
        });
    }

    private void add(Workload workload, int count, Function<Integer, Pod> maker) {
        int limited = Math.min(count, MAX_PODS);
        if (limited < count) {
            state.note("too-many-replicas", workload.ref(), "only the first " + limited + " Pods are made");
        }
        int made = 0;
        for (int i = 0; i < limited; i++) {
            try {
                made += state.add(maker.apply(i), workload) ? 1 : 0;
            } catch (InvalidFieldException e) {
                state.note("no-pods", workload.ref(), "Kubernetes would refuse its Pods: " + e.getMessage());
                break;
            }
        }
        if (made > 0) {
            String invented = workload instanceof StatefulSet
                    ? ""
                    : made == 1 ? ", whose name is invented" : ", whose names are invented";
            state.note(
                    "completed-workload",
                    workload.ref(),
                    "completed: " + made + (made == 1 ? " Pod" : " Pods") + invented);
        }
    }
}
