package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Chooses which of the names that a lookup tries is the most useful one to explain. */
record NearestStep(ClusterSnapshot cluster, List<DnsLabels> zones) {
    private static final int OF_NO_OBJECT = 0;
    private static final int OF_NAMESPACE_OF_SEARCH_LIST = 1;
    private static final int OF_NAMESPACE = 2;
    private static final int OF_SERVICE = 3;

    /**
     * Returns the step that resolves; otherwise that of the name itself, if it ends in a zone; otherwise the first one whose Service
     * exists, or that has a suggestion, or whose Namespace exists; otherwise that of another server, or the first one.
     *
     * @param name the name as a program passes it to its resolver
     */
    LookupWalk.Step of(String name, List<LookupWalk.Step> steps) {
        LookupWalk.Step last = steps.get(steps.size() - 1);
        if (last.explanation().resolves() || steps.stream().allMatch(LookupWalk.Step::isOutside)) {
            return last.explanation().resolves() ? last : steps.get(0);
        }
        DnsLabels labels = DnsLabels.parse(name);
        Optional<LookupWalk.Step> own = steps.stream()
                .filter(step -> DnsNames.labels(step.explanation().name()).equals(labels))
                .findFirst();
        if (own.isPresent() && !own.get().isOutside()) {
            return own.get();
        }
        LookupWalk.Step nearest = steps.stream()
                .max(Comparator.comparing((LookupWalk.Step step) -> nearness(step, labels) == OF_SERVICE)
                        .thenComparing(step -> !step.explanation().suggestions().isEmpty())
                        .thenComparing(step -> nearness(step, labels))
                        .thenComparing(step -> -steps.indexOf(step)))
                .orElseThrow();
        boolean isOfCluster = nearness(nearest, labels) >= OF_NAMESPACE
                || !nearest.explanation().suggestions().isEmpty();
        return own.isPresent() && labels.count() > 1 && !isOfCluster ? answeredOutside(own.get()) : nearest;
    }

    private int nearness(LookupWalk.Step step, DnsLabels asked) {
        DnsLabels labels = DnsNames.labels(step.explanation().name());
        Optional<DnsLabels> below =
                zones.stream().flatMap(zone -> labels.below(zone).stream()).findFirst();
        int count = below.map(DnsLabels::count).orElse(0);
        if (count < 3 || !NameSchema.endsInServicesOrPods(below.orElseThrow())) {
            return OF_NO_OBJECT;
        }
        String namespace = labels.foldedLabel(count - 2);
        if (cluster.get(ObjectRef.of(Namespace.KIND, namespace)).isEmpty()) {
            return OF_NO_OBJECT;
        }
        if (cluster.get(ObjectRef.of(Service.KIND, namespace, labels.foldedLabel(count - 3)))
                .isPresent()) {
            return OF_SERVICE;
        }
        return count - 2 < asked.count() ? OF_NAMESPACE : OF_NAMESPACE_OF_SEARCH_LIST;
    }

    private LookupWalk.Step answeredOutside(LookupWalk.Step step) {
        Explanation explained = step.explanation();
        String texts = String.join(", ", zones.stream().map(DnsLabels::toString).toList());
        Cause cause = new Cause(
                Optional.empty(),
                "",
                "outside the cluster's zones (" + texts
                        + "): an upstream server answers it, and decides whether it resolves");
        return new LookupWalk.Step(
                new Explanation(
                        explained.name(), explained.type(), explained.answer(), List.of(), List.of(cause), List.of()),
                step.queries());
    }
}
