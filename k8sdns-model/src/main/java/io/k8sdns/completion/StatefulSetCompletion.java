package io.k8sdns.completion;

import io.k8sdns.model.InvalidFieldException;
import io.k8sdns.model.Pod;
import io.k8sdns.model.StatefulSet;

/** Makes the Pods of StatefulSets, as the StatefulSet controller does. */
final class StatefulSetCompletion {
    /** The maximum number of Pods of one StatefulSet: a mistyped number must not exhaust the memory. */
    private static final int MAX_REPLICAS = 100_000;

    private final CompletionState state;

    StatefulSetCompletion(CompletionState state) {
        this.state = state;
    }

    void addPods() {
        for (StatefulSet set : state.statefulSets()) {
            int replicas = Math.min(set.replicas(), MAX_REPLICAS);
            if (replicas < set.replicas()) {
                state.note("too-many-replicas", set.ref(), "only the first " + replicas + " Pods are made");
            }
            int made = 0;
            for (int i = 0; i < replicas; i++) {
                try {
                    Pod pod = set.pod(i);
                    made += state.add(pod) ? 1 : 0;
                } catch (InvalidFieldException e) {
                    state.note(
                            "no-stateful-set-pods", set.ref(), "Kubernetes would refuse its Pods: " + e.getMessage());
                    break;
                }
            }
            if (made > 0) {
                state.note("completed-stateful-set", set.ref(), "completed: " + made + (made == 1 ? " Pod" : " Pods"));
            }
        }
    }
}
