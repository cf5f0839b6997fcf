package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.following.FollowedFile;
import io.k8sdns.manifest.following.FollowedFiles;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Position;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * The cluster that files make together. Each step takes the contents of the files and returns the changes. It uses no
 * file system, clock or thread.
 *
 * <p>Every step makes the whole cluster again, because objects depend on other files: which of two equal names is used,
 * the endpoints of a Service, and a chosen address. It reports only the differences.
 */
final class FollowedCluster {
    private final ManifestOptions options;
    private final Function<ClusterSnapshot, List<Diagnostic>> check;
    private List<FollowedFile> files = List.of();
    private List<Diagnostic> remarks = List.of();
    private ManifestResult result = new ManifestResult(ClusterSnapshot.of(List.of()), List.of(), "");
    private Set<Diagnostic> reported = Set.of();

    /**
     * The result of a step.
     *
     * @param changes one batch; empty if there are only diagnostics
     * @param report the whole cluster, with the new diagnostics only
     */
    record Step(List<ClusterChange> changes, ManifestResult report) {}

    /**
     * Makes a cluster without files.
     *
     * @param check returns additional diagnostics of the cluster
     */
    FollowedCluster(ManifestOptions options, Function<ClusterSnapshot, List<Diagnostic>> check) {
        this.options = options;
        this.check = check;
    }

    /** Returns the files of the last accepted step. */
    List<FollowedFile> files() {
        return files;
    }

    /** Returns the cluster of these files. */
    ManifestResult result() {
        return result;
    }

    /**
     * Sets the initial files.
     *
     * @throws ManifestException if the options are strict and a part of the input is omitted
     */
    void begin(FollowedFiles.Reading reading) {
        Gathering gathering = gathering(reading.files());
        gathering.passedOver(reading.others());
        keep(reading, gathering.result(List.of()));
    }

    /**
     * Sets the current files. If the options are strict and a part is omitted, the cluster does not change.
     *
     * @return empty if there is neither a change nor a new diagnostic
     */
    Optional<Step> next(FollowedFiles.Reading reading) {
        List<FollowedFile> all = reading.files();
        List<Diagnostic> others = reading.others();
        if (areAsBefore(all) && others.equals(remarks)) {
            files = all;
            return Optional.empty();
        }
        List<Diagnostic> deviations = new ArrayList<>();
        all.forEach(file -> deviations.addAll(file.deviation()));
        deviations.addAll(others);
        try {
            ManifestResult next = gathering(all).result(deviations);
            List<ClusterChange> changes = difference(result.snapshot(), next.snapshot());
            List<Diagnostic> news = news(next.diagnostics());
            boolean configChanged = !result.kubeDnsData().equals(next.kubeDnsData());
            keep(reading, next);
            return configChanged
                    ? Optional.of(new Step(changes, report(news, next.summaryLines())))
                    : step(changes, news, next.summaryLines());
        } catch (ManifestException refused) {
            deviations.addAll(0, refused.diagnostics());
            List<Diagnostic> news = news(deviations);
            reported = keys(result.diagnostics());
            reported.addAll(keys(deviations));
            return step(List.of(), news, List.of("the cluster does not change: " + problems(refused)));
        }
    }

    private static String problems(ManifestException refused) {
        return Plurals.counted(refused.diagnostics().size(), "problem") + " in the manifests";
    }

    /** Returns whether these files make the current cluster; a quick check without reading. */
    private boolean areAsBefore(List<FollowedFile> all) {
        if (all.size() != files.size()) {
            return false;
        }
        Iterator<FollowedFile> before = files.iterator();
        return all.stream().allMatch(file -> file.countsAs(before.next()));
    }

    private Gathering gathering(List<FollowedFile> all) {
        Gathering gathering = new Gathering(options, false, check);
        all.forEach(file -> file.inForce().ifPresent(gathering::file));
        return gathering;
    }

    private void keep(FollowedFiles.Reading reading, ManifestResult next) {
        files = reading.files();
        remarks = reading.others();
        result = next;
        reported = keys(next.diagnostics());
    }

    private Optional<Step> step(List<ClusterChange> changes, List<Diagnostic> news, List<String> summary) {
        return changes.isEmpty() && news.isEmpty()
                ? Optional.empty()
                : Optional.of(new Step(changes, report(news, summary)));
    }

    private ManifestResult report(List<Diagnostic> news, List<String> summary) {
        return new ManifestResult(result.snapshot(), news, summary, result.kubeDnsData());
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
