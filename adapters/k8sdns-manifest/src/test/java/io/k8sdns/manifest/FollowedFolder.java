package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.ManifestFollower;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Follows files step by step and applies the changes; checks that every change has an effect. */
final class FollowedFolder {
    private final ManifestFollower follower;
    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    /**
     * The report of a step.
     *
     * @param changes {@code +} or {@code -} and the object
     * @param diagnostics one line for each diagnostic, without folders
     * @param summary empty if the step reported nothing
     */
    record StepReport(List<String> changes, List<String> diagnostics, String summary) {}

    /**
     * Reads the paths for the first time.
     *
     * @param clock the constant time of the clock
     */
    FollowedFolder(List<Path> paths, ManifestOptions options, InstantSource clock) throws IOException {
        follower = WatchedManifests.follower(paths, options, cluster -> List.of(), clock);
        ManifestResult.of(follower.begin(follower.scan()))
                .snapshot()
                .objects()
                .forEach(object -> objects.put(object.ref(), object));
    }

    FileScan scan() {
        return follower.scan();
    }

    /** Makes a step with two equal scans. */
    StepReport step() {
        return step(scan(), scan());
    }

    StepReport step(FileScan before, FileScan now) {
        return follower.step(before, now)
                .map(step -> new StepReport(
                        step.changes().stream().map(this::applied).toList(),
                        lines(ManifestResult.of(step.report())),
                        ManifestResult.of(step.report()).summary()))
                .orElse(new StepReport(List.of(), List.of(), ""));
    }

    private String applied(ClusterChange change) {
        return change.fold(
                put -> {
                    assertThat(objects.put(put.ref(), put.object())).isNotEqualTo(put.object());
                    return "+ " + put.ref();
                },
                remove -> {
                    assertThat(objects.remove(remove.ref())).isNotNull();
                    return "- " + remove.ref();
                });
    }

    static List<String> lines(ManifestResult result) {
        return result.diagnostics().stream()
                .map(one -> one.severity() + " " + one.toString().replaceAll("^[^ ]*/", ""))
                .toList();
    }

    /** Returns the result of the first reading or the last step. */
    ManifestResult result() {
        return ManifestResult.of(follower.cluster());
    }

    /** Returns the cluster that the delivered changes make. */
    ClusterSnapshot cluster() {
        return ClusterSnapshot.of(objects.values());
    }
}
