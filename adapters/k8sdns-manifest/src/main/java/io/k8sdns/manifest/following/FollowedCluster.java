package io.k8sdns.manifest.following;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.objects.CombinedFiles;
import io.k8sdns.manifest.objects.CombinedFiles.Cluster;
import io.k8sdns.manifest.objects.CombinedFiles.Refused;
import io.k8sdns.manifest.objects.FileContents;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The cluster of the followed files, and its changes. Uses no file system, clock or thread.
 *
 * <p>Every step combines all files again, because an object depends on other files: of two objects with one name only one is used,
 * endpoints depend on Pods, and a chosen address must be free. Only the differences are reported.
 */
final class FollowedCluster {
    private final CombinedFiles.Combiner combiner;
    private List<FollowedFile> files = List.of();
    private List<Diagnostic> others = List.of();
    private Cluster cluster = new Cluster(
            ClusterSnapshot.of(List.of()),
            Set.of(),
            Map.of(),
            Map.of(),
            List.of(),
            List.of(),
            List.of(),
            Optional.empty());

    /** The diagnostics that have been reported and still apply, as {@link #keys}. */
    private Set<Diagnostic> reported = Set.of();

    /** Makes a cluster without files. */
    FollowedCluster(CombinedFiles.Combiner combiner) {
        this.combiner = combiner;
    }

    /** Returns the files of the last step that was not refused. */
    List<FollowedFile> files() {
        return files;
    }

    /** Returns the cluster of these files. */
    Cluster cluster() {
        return cluster;
    }

    /** Sets the initial files, unless they are refused. */
    CombinedFiles begin(FollowedFiles.Reading reading) {
        CombinedFiles combined = combiner.combine(used(reading.files()), reading.others(), List.of());
        if (combined instanceof Cluster first) {
            keep(reading, first);
        }
        return combined;
    }

    /**
     * Sets the current files. If they are refused, the cluster does not change.
     *
     * @return empty if there is neither a change nor a new diagnostic
     */
    Optional<FollowerStep> next(FollowedFiles.Reading reading) {
        List<FollowedFile> all = reading.files();
        if (areAsBefore(all) && reading.others().equals(others)) {
            files = all;
            return Optional.empty();
        }
        List<Diagnostic> problems = new ArrayList<>();
        all.forEach(file -> problems.addAll(file.problems()));
        problems.addAll(reading.others());
        CombinedFiles combined = combiner.combine(used(all), List.of(), problems);
        if (combined instanceof Refused refused) {
            return refused(refused, problems);
        }
        Cluster next = (Cluster) combined;
        List<ClusterChange> changes = difference(cluster.snapshot(), next.snapshot());
        List<Diagnostic> news = news(next.diagnostics());
        boolean othersChanged = !cluster.kubeDnsData().equals(next.kubeDnsData())
                || !cluster.snapshot().idleWorkloads().equals(next.snapshot().idleWorkloads());
        keep(reading, next);
        return othersChanged
                ? Optional.of(new FollowerStep(changes, report(news, next.summaryLines())))
                : step(changes, news, next.summaryLines());
    }

    private Optional<FollowerStep> refused(Refused refused, List<Diagnostic> fileProblems) {
        List<Diagnostic> all = new ArrayList<>(refused.problems());
        all.addAll(fileProblems);
        List<Diagnostic> news = news(all);
        reported = keys(cluster.diagnostics());
        reported.addAll(keys(all));
        int problems = refused.problems().size();
        String why = problems + (problems == 1 ? " problem" : " problems") + " in the manifests";
        return step(List.of(), news, List.of("the cluster does not change: " + why));
    }

    /** Returns whether these files make the current cluster; a quick check without reading. */
    private boolean areAsBefore(List<FollowedFile> all) {
        if (all.size() != files.size()) {
            return false;
        }
        Iterator<FollowedFile> before = files.iterator();
        return all.stream().allMatch(file -> file.hasSameContentAs(before.next()));
    }

    private static List<FileContents> used(List<FollowedFile> all) {
        return all.stream().flatMap(file -> file.used().stream()).toList();
    }

    private void keep(FollowedFiles.Reading reading, Cluster next) {
        files = reading.files();
        others = reading.others();
        cluster = next;
        reported = keys(next.diagnostics());
    }

    private Optional<FollowerStep> step(List<ClusterChange> changes, List<Diagnostic> news, List<String> summary) {
        return changes.isEmpty() && news.isEmpty()
                ? Optional.empty()
                : Optional.of(new FollowerStep(changes, report(news, summary)));
    }

    private Cluster report(List<Diagnostic> news, List<String> summary) {
        return new Cluster(
                cluster.snapshot(),
                cluster.invented(),
                cluster.workloads(),
                cluster.positions(),
                news,
                cluster.refusals(),
                summary,
                cluster.kubeDnsData());
    }

    private static List<ClusterChange> difference(ClusterSnapshot before, ClusterSnapshot now) {
        List<ClusterChange> changes = new ArrayList<>();
        for (ClusterObject object : before.objects()) {
            if (now.get(object.ref()).isEmpty()) {
                changes.add(new ClusterChange.Remove(object.ref(), object.uid()));
            }
        }
        for (ClusterObject object : now.objects()) {
            if (!before.get(object.ref()).equals(Optional.of(object))) {
                changes.add(new ClusterChange.Put(object));
            }
        }
        return changes;
    }

    private List<Diagnostic> news(List<Diagnostic> diagnostics) {
        return diagnostics.stream().filter(one -> !reported.contains(key(one))).toList();
    }

    private static Set<Diagnostic> keys(List<Diagnostic> diagnostics) {
        Set<Diagnostic> keys = new HashSet<>();
        diagnostics.forEach(one -> keys.add(key(one)));
        return keys;
    }

    /** A diagnostic is not new if only the line of its object has changed. */
    private static Diagnostic key(Diagnostic one) {
        return one.object().isEmpty()
                ? one
                : one.position()
                        .map(place -> one.atPosition(new Position(place.file(), 0)))
                        .orElse(one);
    }
}
