package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ObjectRef;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Files that are followed step by step, and what has been told of them: no change that is none. */
final class FollowedFolder {
    private final ManifestFollower follower;
    private final Map<ObjectRef, ClusterObject> objects = new LinkedHashMap<>();

    /**
     * What a step told.
     *
     * @param changes {@code +} or {@code -} and the object
     * @param said one line for each diagnostic, folders left out
     * @param summary empty if there was nothing to tell at all
     */
    record Told(List<String> changes, List<String> said, String summary) {}

    /**
     * Reads the paths for the first time.
     *
     * @param clock the time at which it is always read
     */
    FollowedFolder(List<Path> paths, ManifestOptions options, InstantSource clock) throws IOException {
        follower = new ManifestFollower(paths, options, cluster -> List.of(), clock);
        follower.begin();
        follower.result().snapshot().objects().forEach(object -> objects.put(object.ref(), object));
    }

    Look look() {
        return follower.look();
    }

    /** Takes what two looks find between which nothing happens. */
    Told step() {
        return step(look(), look());
    }

    Told step(Look before, Look now) {
        return follower.step(before, now)
                .map(step -> new Told(
                        step.changes().stream().map(this::applied).toList(),
                        said(step.report()),
                        step.report().summary()))
                .orElse(new Told(List.of(), List.of(), ""));
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

    static List<String> said(ManifestResult result) {
        return result.diagnostics().stream()
                .map(one -> one.severity() + " " + one.toString().replaceAll("^[^ ]*/", ""))
                .toList();
    }

    /** What the first reading, or the last step, makes of the files. */
    ManifestResult result() {
        return follower.result();
    }

    /** All that has been told. */
    ClusterSnapshot told() {
        return ClusterSnapshot.of(objects.values());
    }
}
