package io.k8sdns.completion;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Workload;
import io.k8sdns.slices.PodIndex;
import io.k8sdns.slices.Unpublished;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.UnaryOperator;

/**
 * Makes a {@link ClusterSnapshot} of the objects of manifests. The result does not depend on the order of the input.
 *
 * <p>{@link #asApplied} completes every field that the API server, the scheduler and the kubelet would set, and adds a
 * note for each object; {@link #asIs} completes none. In both results each Service has its EndpointSlices: those with
 * its label and those made from its legacy Endpoints, otherwise those made from the Pods that its selector matches.
 *
 * <p>The reader of the manifests has already set the simple defaults (type, protocol, target port, replicas).
 *
 * <p>The notes also name objects that have no record although their manifest seems to ask for one.
 */
@Internal
public final class Completion {
    private Completion() {}

    /**
     * A cluster and the notes about it.
     *
     * @param snapshot the cluster: Namespaces, Services, EndpointSlices, Pods and Nodes, with the workloads that have no Pods,
     *     and the next Pods of StatefulSets and Indexed Jobs
     * @param invented the addresses of Services and Pods that no manifest holds
     * @param workloads the workload of each Pod that was made
     * @param notes notes about fields that were completed ({@link Diagnostic.Severity#NOTE}, codes
     *     {@code completed-...}), fields that could not be completed, and objects without a record (the text begins
     *     with {@code no record: })
     */
    public record Result(
            ClusterSnapshot snapshot,
            Set<IpAddress> invented,
            Map<ObjectRef, ObjectRef> workloads,
            List<Diagnostic> notes) {
        /** Copies the collections. */
        public Result {
            Objects.requireNonNull(snapshot, "snapshot");
            invented = Copies.set("invented", invented);
            workloads = Copies.map("workloads", workloads);
            notes = Copies.list("notes", notes);
        }
    }

    /**
     * Returns the cluster that results when the draft is applied to an empty cluster.
     *
     * <p>Completes Services (address families, cluster IPs), Pods (phase, readiness, addresses) and Namespaces (those
     * of the objects, and those that every cluster has), and makes the Pods of workloads. Other objects stay as they
     * are.
     *
     * @param draft the objects of the manifests
     * @param addressing the networks from which addresses are chosen
     * @param readiness the Pods that are assumed to be ready
     */
    public static Result asApplied(ClusterDraft draft, Addressing addressing, Readiness readiness) {
        Objects.requireNonNull(draft, "draft");
        Objects.requireNonNull(addressing, "addressing");
        Objects.requireNonNull(readiness, "readiness");
        CompletionState state = new CompletionState(draft);
        WorkloadCompletion workloads = new WorkloadCompletion(state);
        workloads.addPods();
        workloads.noteServicesOfIdleWorkloads();
        state.sort();
        PodCompletion pods = completeObjects(state, addressing, readiness);
        Map<ObjectRef, Pod> blocking = workloads.blockingPods();
        new NamespaceCompletion(state).complete();
        List<IdleWorkload> idle = state.withoutNotes(() -> workloads.idle(pods::completed));
        Map<Workload, List<Pod>> next = state.withoutNotes(() -> workloads.nextPods(blocking, pods::completed));
        return finish(
                state,
                PodIndex.NONE,
                snapshot -> snapshot.withIdleWorkloads(idle).withNumberedPods(next, blocking));
    }

    /**
     * Returns the cluster of a draft that was exported from an API server.
     *
     * <p>If the draft holds no Namespace, the Namespaces of its objects are added. No Pods of workloads are made.
     *
     * @param draft the objects of the manifests
     */
    public static Result asIs(ClusterDraft draft) {
        Objects.requireNonNull(draft, "draft");
        CompletionState state = new CompletionState(draft);
        if (state.all(Namespace.class).isEmpty()) {
            new NamespaceCompletion(state).addUsed();
        }
        // The notes of this state are dropped, and its Pods are no objects of the snapshot.
        CompletionState withPods = new CompletionState(draft);
        WorkloadCompletion workloads = new WorkloadCompletion(withPods);
        workloads.addPods();
        List<IdleWorkload> idle = workloads.idle(UnaryOperator.identity());
        return finish(state, new PodIndex(withPods.all(Pod.class)), snapshot -> snapshot.withIdleWorkloads(idle));
    }

    /** Completes the objects; returns the completion of further Pods. */
    private static PodCompletion completeObjects(CompletionState state, Addressing addressing, Readiness readiness) {
        AddressChoice choice = new AddressChoice(state);
        ServiceCompletion services = new ServiceCompletion(state, addressing, choice);
        PodCompletion pods = new PodCompletion(state, addressing, choice, readiness);
        for (ClusterObject object : List.copyOf(state.objects().values())) {
            if (object instanceof ClusterIpService service) {
                services.complete(service);
            } else if (object instanceof HeadlessService service) {
                services.complete(service);
            } else if (object instanceof Pod pod) {
                pods.complete(pod);
            }
        }
        pods.noteUnusedNames();
        return pods;
    }

    /**
     * Returns the result.
     *
     * @param predicted the Pods that the workloads would have in a cluster, if they are not among the objects
     * @param withWorkloads adds the workloads to the snapshot
     */
    private static Result finish(
            CompletionState state, PodIndex predicted, UnaryOperator<ClusterSnapshot> withWorkloads) {
        state.sort();
        PodIndex pods = new PodIndex(state.all(Pod.class));
        Unpublished unpublished = new Unpublished(state.objects(), state.endpoints(), pods, predicted, state::note);
        unpublished.noteMissingNamespaces();
        List<Endpoints> unused = new SliceCompletion(state).addSlices(pods);
        state.sort();
        unpublished.completed(state.objects(), unused);
        unpublished.noteObjects();
        return new Result(
                withWorkloads
                        .apply(ClusterSnapshot.of(state.objects().values()))
                        .withUnusedEndpoints(unused),
                state.invented(),
                state.workloadsOfPods(),
                state.notes());
    }
}
