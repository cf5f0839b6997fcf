package io.k8sdns.completion;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Internal;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.slices.PodIndex;
import io.k8sdns.slices.Unpublished;
import java.util.List;
import java.util.Objects;

/**
 * Makes a cluster of what manifests hold. Pure: the order of the input does not matter.
 *
 * <p>Read {@linkplain #asApplied as applied}, every part that the API server, the scheduler and the kubelet would fill
 * in is completed, each by itself, and noted; read {@linkplain #asIs as is}, nothing is. Both ways the result holds the
 * EndpointSlices of each Service: those with its label, else those that its legacy Endpoints stand for, else those that
 * its selector finds among the Pods.
 *
 * <p>What a field means that is absent by itself (type, protocol, target port, replicas) is not completed here: whoever
 * reads a manifest knows it, and the model's objects hold it.
 *
 * <p>The notes also name what yields no record although somebody wrote it for one.
 */
@Internal
public final class Completion {
    private Completion() {}

    /**
     * A cluster, and what there is to say of it.
     *
     * @param snapshot the cluster: Namespaces, Services, EndpointSlices, Pods and Nodes
     * @param notes what was completed ({@link Diagnostic.Severity#NOTE}, codes {@code completed-...}), what could not be,
     *     and what yields no record (the text begins with {@code no record: })
     */
    public record Result(ClusterSnapshot snapshot, List<Diagnostic> notes) {
        /** Copies the list. */
        public Result {
            Objects.requireNonNull(snapshot, "snapshot");
            notes = Copies.list("notes", notes);
        }
    }

    /**
     * Returns the cluster that there would be if the draft was applied to an empty one.
     *
     * <p>Completed are Services (address families, cluster IPs), Pods (phase, readiness, addresses) and Namespaces (those
     * that something lies in, and those that every cluster has); the Pods of StatefulSets are made. No other object is.
     *
     * @param draft what the manifests hold
     * @param addressing where addresses are taken from
     */
    public static Result asApplied(ClusterDraft draft, Addressing addressing) {
        Objects.requireNonNull(draft, "draft");
        Objects.requireNonNull(addressing, "addressing");
        CompletionState state = new CompletionState(draft);
        new StatefulSetCompletion(state).addPods();
        state.sort();
        completeObjects(state, addressing);
        new NamespaceCompletion(state).complete();
        return finish(state);
    }

    /**
     * Returns the cluster that the draft holds, as an API server holds it.
     *
     * <p>A draft without any Namespace has those that its objects lie in; StatefulSets are passed over.
     *
     * @param draft what the manifests hold
     */
    public static Result asIs(ClusterDraft draft) {
        Objects.requireNonNull(draft, "draft");
        CompletionState state = new CompletionState(draft);
        if (state.all(Namespace.class).isEmpty()) {
            new NamespaceCompletion(state).addUsed();
        }
        return finish(state);
    }

    private static void completeObjects(CompletionState state, Addressing addressing) {
        AddressChoice choice = new AddressChoice(state);
        ServiceCompletion services = new ServiceCompletion(state, addressing, choice);
        PodCompletion pods = new PodCompletion(state, addressing, choice);
        for (ClusterObject object : List.copyOf(state.objects().values())) {
            if (object instanceof ClusterIpService service) {
                services.complete(service);
            } else if (object instanceof HeadlessService service) {
                services.complete(service);
            } else if (object instanceof Pod pod) {
                pods.complete(pod);
            }
        }
    }

    private static Result finish(CompletionState state) {
        state.sort();
        PodIndex pods = new PodIndex(state.all(Pod.class));
        Unpublished unpublished = new Unpublished(state.objects(), state.endpoints(), pods, state::note);
        unpublished.noteMissingNamespaces();
        new SliceCompletion(state).addSlices(pods);
        state.sort();
        unpublished.completed(state.objects());
        unpublished.noteObjects();
        return new Result(ClusterSnapshot.of(state.objects().values()), state.notes());
    }
}
