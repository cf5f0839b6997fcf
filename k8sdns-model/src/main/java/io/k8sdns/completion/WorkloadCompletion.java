package io.k8sdns.completion;

import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Node;
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
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * Makes the Pods of workloads, as many as their controllers would run at first. Pods that the manifests hold already are
 * not made again: those of the same name, and for the other workloads those that match the selector.
 *
 * <p>Names that a controller would choose at random are replaced by {@code NAME-KIND-NUMBER}.
 */
final class WorkloadCompletion {
    /** The maximum number of Pods of one workload: a mistyped number must not exhaust the memory. */
    private static final int MAX_PODS = 100_000;

    /** The maximum number of Pods that more replicas of a StatefulSet would give: a larger ordinal is rather a mistyped name. */
    private static final int MAX_NEXT_PODS = 10;

    private static final int LONGEST_NAME = 253;

    /** The room for the number in a name. */
    private static final int DIGITS = 10;

    /** The label that Deployments add to the selectors and Pods of their ReplicaSets. */
    private static final String TEMPLATE_HASH = "pod-template-hash";

    private final CompletionState state;

    /** The Pods of the manifests, by namespace. */
    private final Map<String, List<Pod>> given = new HashMap<>();

    /** The workloads without Pods; the Pod of one replica is not completed. */
    private final List<IdleWorkload> idle = new ArrayList<>();

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
                add(set);
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
                add(job);
            }
        }
    }

    /**
     * Returns the workloads without Pods.
     *
     * @param completion completes the Pod that one replica would give
     */
    List<IdleWorkload> idle(UnaryOperator<Pod> completion) {
        return idle.stream()
                .map(one -> new IdleWorkload(
                        one.workload(),
                        one.field(),
                        one.reason(),
                        one.remedy(),
                        one.firstPod().map(completion)))
                .toList();
    }

    /** Notes the Services that select no Pod, but the template of a workload without Pods. */
    void noteServicesOfIdleWorkloads() {
        if (idle.isEmpty()) {
            return;
        }
        PodIndex pods = new PodIndex(state.all(Pod.class));
        for (Service service : state.all(Service.class)) {
            Optional<Labels> selector = EndpointSliceRules.selection(service).selector();
            if (selector.isPresent() && pods.selectedBy(service).isEmpty()) {
                idle.stream()
                        .filter(one -> one.isSelectedBy(service.namespace(), selector.get()))
                        .findFirst()
                        .ifPresent(one -> state.note(
                                "no-replicas",
                                service.ref(),
                                "selects the Pods of " + one.workload().ref() + ", which has none: " + one.reason()));
            }
        }
    }

    /**
     * Returns the first Pod that is not ready of each StatefulSet whose controller makes the Pods after it only when it is ready, and
     * notes these StatefulSets; to be called when the Pods are completed.
     */
    Map<ObjectRef, Pod> blockingPods() {
        Map<ObjectRef, Pod> blocking = new LinkedHashMap<>();
        for (Workload workload : state.workloads()) {
            if (workload instanceof StatefulSet set && !set.parallel()) {
                firstNotReady(set, index -> made(set, index))
                        .ifPresent(index -> made(set, index).ifPresent(pod -> blocking.put(set.ref(), pod)));
                firstNotReady(set, index -> pod(set, index)).ifPresent(index -> noteMadeInOrder(set, index));
            }
        }
        return blocking;
    }

    private void noteMadeInOrder(StatefulSet set, int waiting) {
        if (IntStream.range(waiting + 1, Math.min(set.replicas(), MAX_PODS))
                .anyMatch(index -> made(set, index).isPresent())) {
            state.note(
                    "ordered-ready",
                    set.ref(),
                    "a cluster makes the Pods after " + podName(set, waiting)
                            + " only when it is ready (spec.podManagementPolicy is OrderedReady)");
        }
    }

    /**
     * Returns the StatefulSets, each with the Pods that more replicas would give, and the Indexed Jobs with Pods, each with the first Pod
     * that a larger parallelism would give; to be called when the Pods are completed.
     *
     * @param blocking the Pods for which the controllers wait; their StatefulSets get no further Pods
     * @param completion completes a Pod
     */
    Map<Workload, List<Pod>> nextPods(Map<ObjectRef, Pod> blocking, UnaryOperator<Pod> completion) {
        Map<Workload, List<Pod>> next = new LinkedHashMap<>();
        for (Workload workload : state.workloads()) {
            if (workload instanceof StatefulSet set) {
                next.put(set, blocking.containsKey(set.ref()) ? List.of() : nextPods(set, completion));
            } else if (workload instanceof Job job && job.indexed() && job.pods() > 0) {
                next.put(job, nextPods(job, completion));
            }
        }
        return next;
    }

    /** Returns the Pod after those that an Indexed Job runs at first; none if these are all. */
    private List<Pod> nextPods(Job job, UnaryOperator<Pod> completion) {
        int index = job.pods();
        return job.completions().filter(all -> index < all).stream()
                .flatMap(all ->
                        predicted(job, () -> job.withParallelism(index + 1).pod(index, inventedName(job, index + 1, 1)))
                                .stream())
                .map(completion)
                .toList();
    }

    /** Returns the Pods that more replicas would give, until one is refused, or is not ready so that the controller waits for it. */
    private static List<Pod> nextPods(StatefulSet set, UnaryOperator<Pod> completion) {
        List<Pod> next = new ArrayList<>();
        boolean isNextMade = true;
        for (int index = set.replicas(); isNextMade && next.size() < MAX_NEXT_PODS; index++) {
            int last = index;
            Optional<Pod> pod = predicted(
                            set,
                            () -> set.toBuilder().replicas(last + 1).build().pod(last))
                    .map(completion);
            pod.ifPresent(next::add);
            isNextMade = pod.filter(one -> set.parallel() || one.ready().orElse(false))
                    .isPresent();
        }
        return next;
    }

    /**
     * Returns the index of the first Pod of a StatefulSet that is not ready; otherwise empty.
     *
     * @param pods returns the Pod with an index
     */
    private static OptionalInt firstNotReady(StatefulSet set, IntFunction<Optional<Pod>> pods) {
        return IntStream.range(0, Math.min(set.replicas(), MAX_PODS))
                .filter(index -> pods.apply(index)
                        .filter(pod -> !pod.ready().orElse(false))
                        .isPresent())
                .findFirst();
    }

    private static String podName(StatefulSet set, int index) {
        return set.metadata().name() + "-" + ((long) set.firstOrdinal() + index);
    }

    /** Returns the Pod with an index, if it was made for a StatefulSet. */
    private Optional<Pod> made(StatefulSet set, int index) {
        return pod(set, index).filter(pod -> pod.workload().equals(Optional.of(set.ref())));
    }

    /** Returns the Pod with an index, which was made for a StatefulSet or is in the manifests. */
    private Optional<Pod> pod(StatefulSet set, int index) {
        ObjectRef ref = ObjectRef.of(Pod.KIND, set.metadata().namespace(), podName(set, index));
        return Optional.ofNullable(state.objects().get(ref)).map(Pod.class::cast);
    }

    private void addIdle(Workload workload, String reason) {
        idle.add(new IdleWorkload(workload, "", reason, Optional.empty()));
    }

    /**
     * Adds a workload with 0 replicas.
     *
     * @param first makes the Pod of one replica
     */
    private void addScaledDown(Workload workload, Supplier<Pod> first) {
        idle.add(new IdleWorkload(workload, "spec.replicas", "spec.replicas is 0", predicted(workload, first)));
    }

    /** Returns a Pod that another number of replicas would give; empty if it would be refused. */
    private static Optional<Pod> predicted(Workload workload, Supplier<Pod> made) {
        try {
            return Optional.of(made.get().toBuilder().workload(workload.ref()).build());
        } catch (InvalidFieldException refused) {
            return Optional.empty();
        }
    }

    private void add(StatefulSet set) {
        if (set.replicas() == 0) {
            addScaledDown(set, () -> set.toBuilder().replicas(1).build().pod(0));
        }
        add(set, set.replicas(), index -> set.pod(index));
    }

    private void add(ReplicaWorkload workload) {
        String owner = workload.kind().equals(ReplicaWorkload.REPLICATION_CONTROLLER)
                ? ReplicaWorkload.DEPLOYMENT_CONFIG
                : ReplicaWorkload.DEPLOYMENT;
        boolean ofDeployment = workload.deployment()
                .filter(name -> state.hasWorkload(
                        ObjectRef.of(owner, workload.metadata().namespace(), name)))
                .isPresent();
        if (ofDeployment) {
            return;
        }
        int existing = existing(workload, workload.selector()).size();
        if (workload.paused() || workload.test()) {
            if (existing == 0) {
                addStopped(workload);
            }
            return;
        }
        if (workload.replicas() == 0) {
            addScaledDown(workload, () -> workload.pod(inventedName(workload, 1, 1)));
        }
        int missing = workload.replicas() - existing;
        addInvented(workload, missing, (index, name) -> workload.pod(name));
    }

    /** Adds a workload that is paused or a test, without Pods; no single field is the reason if there are several. */
    private void addStopped(ReplicaWorkload workload) {
        Map<String, String> reasons = new LinkedHashMap<>();
        if (workload.paused()) {
            reasons.put("spec.paused", "true");
        }
        if (workload.test()) {
            reasons.put("spec.test", "true");
        }
        if (workload.replicas() == 0) {
            reasons.put("spec.replicas", "0");
        }
        String reason = joined(reasons);
        state.note("no-pods-yet", workload.ref(), "no Pod: " + reason);
        Optional<Pod> first = reasons.size() > 1
                ? Optional.empty()
                : predicted(workload, () -> workload.pod(inventedName(workload, 1, 1)));
        String field = reasons.keySet().iterator().next();
        idle.add(
                first.isEmpty()
                        ? new IdleWorkload(workload, "", reason, first)
                        : new IdleWorkload(
                                workload,
                                field,
                                reason,
                                "set " + field + " of " + workload.ref() + " to false",
                                first));
    }

    /** Returns fields and their values: {@code spec.paused is true and spec.replicas is 0}. */
    private static String joined(Map<String, String> reasons) {
        return reasons.entrySet().stream()
                .map(one -> one.getKey() + " is " + one.getValue())
                .collect(Collectors.joining(" and "));
    }

    private void add(CronJob job) {
        if (job.suspended()) {
            String reason = "spec.suspend is true, so that its schedule starts no Job";
            state.note("no-pods-yet", job.ref(), "no Pod: " + reason);
            idle.add(new IdleWorkload(job, "spec.suspend", reason, Optional.empty()));
        } else {
            state.note("no-pods-yet", job.ref(), "no Pod until its schedule starts a Job");
            addIdle(job, "its schedule has not started a Job");
        }
    }

    private void add(Job job) {
        Labels selector = new Labels(Map.of("job-name", job.metadata().name()));
        int missing = job.pods() - existing(job, selector).size();
        if (job.pods() == 0) {
            IdleWorkload stopped = stopped(job);
            state.note("no-pods-yet", job.ref(), "no Pod: " + stopped.reason());
            idle.add(stopped);
        }
        addInvented(job, missing, job::pod);
    }

    /** Returns a Job that runs no Pod, with the fields that are the reason, and the remedy if it is one field. */
    private IdleWorkload stopped(Job job) {
        Map<String, String> reasons = new LinkedHashMap<>();
        if (job.suspended()) {
            reasons.put("spec.suspend", "true");
        }
        if (job.parallelism() == 0) {
            reasons.put("spec.parallelism", "0");
        }
        if (job.completions().equals(Optional.of(0))) {
            reasons.put("spec.completions", "0");
        }
        String reason = joined(reasons);
        if (reasons.size() > 1) {
            return new IdleWorkload(job, "", reason, Optional.empty());
        }
        String field = reasons.keySet().iterator().next();
        Job running = new Job(
                job.metadata(),
                Math.max(job.parallelism(), 1),
                job.completions().map(number -> Math.max(number, 1)),
                false,
                job.indexed(),
                job.template());
        Optional<Pod> first = predicted(job, () -> running.pod(0, inventedName(job, 1, 1)));
        return job.suspended() && first.isPresent()
                ? new IdleWorkload(job, field, reason, "set " + field + " of " + job.ref() + " to false", first)
                : new IdleWorkload(job, field, reason, first);
    }

    /** Adds one Pod for each Node that the template allows; one without a Node if the manifests hold no Node. */
    private void add(DaemonSet set) {
        List<Pod> existing = existing(set, set.selector());
        List<Node> nodes = state.all(Node.class);
        List<Optional<String>> places = new ArrayList<>();
        List<String> tainted = new ArrayList<>();
        if (nodes.isEmpty()) {
            if (existing.isEmpty()) {
                places.add(set.template().nodeName());
            }
        } else {
            DaemonSetNodes allowed = new DaemonSetNodes(set);
            for (Node node : nodes) {
                Optional<String> name = Optional.of(node.name());
                if (existing.stream().anyMatch(pod -> pod.nodeName().equals(name))) {
                    continue;
                }
                List<DaemonSetNodes.Obstacle> obstacles = allowed.obstacles(node);
                if (obstacles.isEmpty()) {
                    places.add(name);
                } else if (obstacles.size() == 1) {
                    obstacles
                            .get(0)
                            .taint()
                            .ifPresent(taint ->
                                    tainted.add(node.name() + ", because it does not tolerate the taint " + taint));
                }
            }
            noteTainted(set, tainted);
        }
        if (places.isEmpty() && existing.isEmpty()) {
            IdleWorkload without = withoutNode(set, nodes);
            if (tainted.isEmpty()) {
                state.note("no-pods-yet", set.ref(), "no Pod: " + without.reason());
            }
            idle.add(without);
        }
        addInvented(set, places.size(), (index, name) -> {
            Pod.Builder pod = set.template().pod(set.metadata().namespace(), name);
            places.get(index).ifPresent(pod::nodeName);
            return pod.build();
        });
    }

    /** Returns a DaemonSet that allows none of the Nodes, with the fields that forbid the nearest one, and the remedy if it is one. */
    private IdleWorkload withoutNode(DaemonSet set, List<Node> nodes) {
        DaemonSetNodes allowed = new DaemonSetNodes(set);
        Node nearest = Collections.min(
                nodes, Comparator.comparing(node -> allowed.obstacles(node).size()));
        List<DaemonSetNodes.Obstacle> obstacles = allowed.obstacles(nearest);
        String reason = "its template allows none of the Nodes; "
                + obstacles.stream().map(DaemonSetNodes.Obstacle::reason).collect(Collectors.joining(", and "));
        if (obstacles.size() > 1) {
            return new IdleWorkload(set, "", reason, Optional.empty());
        }
        Optional<Pod> first = predicted(
                set,
                () -> set.template()
                        .pod(set.metadata().namespace(), inventedName(set, 1, 1))
                        .nodeName(nearest.name())
                        .build());
        DaemonSetNodes.Obstacle only = obstacles.get(0);
        return new IdleWorkload(set, only.field(), reason, first.isEmpty() ? "" : only.remedy(), first);
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
                .filter(pod -> mayHave(workload, pod))
                .toList();
    }

    /** Returns whether a Pod with the labels of a workload's selector is one of it: a ReplicaSet of a Deployment needs another label. */
    private static boolean mayHave(Workload workload, Pod pod) {
        return !workload.ref().kind().equals(ReplicaWorkload.DEPLOYMENT)
                || pod.labels().values().containsKey(TEMPLATE_HASH)
                || pod.workload().equals(Optional.of(workload.ref()));
    }

    /** Makes the Pod with an index. */
    private interface PodMaker {
        Pod make(int index, String name);
    }

    private void addInvented(Workload workload, int count, PodMaker maker) {
        add(workload, count, index -> maker.make(index, inventedName(workload, index + 1, count)));
    }

    /** Returns an unused name with a number, or with that number and a multiple of a step. */
    private String inventedName(Workload workload, int first, int step) {
        String suffix = "-" + workload.ref().kind().toLowerCase(Locale.ROOT) + "-";
        String name = workload.metadata().name();
        int room = LONGEST_NAME - suffix.length() - DIGITS;
        // A name must not end with a dot or dash before the suffix.
        String base = (name.length() <= room ? name : name.substring(0, room).replaceFirst("[-.]+$", "")) + suffix;
        String namespace = workload.metadata().namespace();
        int number = first;
        while (state.objects().containsKey(ObjectRef.of(Pod.KIND, namespace, base + number))) {
            number += step;
        }
        return base + number;
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
                if (made == 0) {
                    addIdle(workload, "Kubernetes would refuse them: " + e.getMessage());
                }
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
