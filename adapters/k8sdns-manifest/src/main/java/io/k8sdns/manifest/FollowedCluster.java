package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
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
 * What files make together, step by step: contents in, difference out. Knows no file system, clock or thread.
 *
 * <p>Every step makes the whole cluster anew, for all may depend on all: which of two objects counts, the endpoints of a
 * Service on Pods in other files, an address that is made up on who has it already. Only what differs is told.
 */
final class FollowedCluster {
    private final ManifestOptions options;
    private final Function<ClusterSnapshot, List<Diagnostic>> check;
    private List<FollowedFile> files = List.of();
    private List<Diagnostic> remarks = List.of();
    private ManifestResult result = new ManifestResult(ClusterSnapshot.of(List.of()), List.of(), "");
    private Set<Diagnostic> said = Set.of();

    /**
     * What a step changes.
     *
     * @param changes one batch; empty if there is only something to say
     * @param report the whole cluster; of the diagnostics those that have not been said before
     */
    record Step(List<ClusterChange> changes, ManifestResult report) {}

    /**
     * Starts without a file.
     *
     * @param check finds what else there is to say of the cluster
     */
    FollowedCluster(ManifestOptions options, Function<ClusterSnapshot, List<Diagnostic>> check) {
        this.options = options;
        this.check = check;
    }

    /** Returns the files of the last step that counts. */
    List<FollowedFile> files() {
        return files;
    }

    /** Returns what they make. */
    ManifestResult result() {
        return result;
    }

    /**
     * Takes the files that there are in the beginning.
     *
     * @param others what there is to say of those that cannot be read
     * @throws ManifestException if the options are strict and something of the input is left out
     */
    void begin(List<FollowedFile> all, List<Diagnostic> others) {
        Gathering gathering = gathering(all);
        gathering.passedOver(others);
        keep(all, others, gathering.result(List.of()));
    }

    /**
     * Takes the files as they are now. If the options are strict and something is left out, everything stays as it was.
     *
     * @param all the files in the order in which they count
     * @param others what there is to say of paths that hold no such file, or one that cannot be read now
     * @return empty if there is nothing to tell
     */
    Optional<Step> next(List<FollowedFile> all, List<Diagnostic> others) {
        if (areAsBefore(all) && others.equals(remarks)) {
            files = List.copyOf(all);
            return Optional.empty();
        }
        List<Diagnostic> complaints = new ArrayList<>();
        all.forEach(file -> complaints.addAll(file.complaint()));
        complaints.addAll(others);
        try {
            ManifestResult next = gathering(all).result(complaints);
            List<ClusterChange> changes = difference(result.snapshot(), next.snapshot());
            List<Diagnostic> news = news(next.diagnostics());
            boolean configChanged = !result.kubeDnsData().equals(next.kubeDnsData());
            keep(all, others, next);
            return configChanged
                    ? Optional.of(new Step(changes, report(news, next.summary())))
                    : step(changes, news, next.summary());
        } catch (ManifestException refused) {
            complaints.addAll(0, refused.diagnostics());
            List<Diagnostic> news = news(complaints);
            said = keys(result.diagnostics());
            said.addAll(keys(complaints));
            return step(List.of(), news, "everything stays as it was: " + refused.getMessage());
        }
    }

    /** Whether these files make what is there already, which takes no time to say. */
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

    private void keep(List<FollowedFile> all, List<Diagnostic> others, ManifestResult next) {
        files = List.copyOf(all);
        remarks = List.copyOf(others);
        result = next;
        said = keys(next.diagnostics());
    }

    private Optional<Step> step(List<ClusterChange> changes, List<Diagnostic> news, String summary) {
        return changes.isEmpty() && news.isEmpty()
                ? Optional.empty()
                : Optional.of(new Step(changes, report(news, summary)));
    }

    private ManifestResult report(List<Diagnostic> news, String summary) {
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
        return diagnostics.stream().filter(one -> !said.contains(key(one))).toList();
    }

    private static Set<Diagnostic> keys(List<Diagnostic> diagnostics) {
        Set<Diagnostic> keys = new HashSet<>();
        diagnostics.forEach(one -> keys.add(key(one)));
        return keys;
    }

    /** What is said of an object is no news because the object has moved to another line. */
    private static Diagnostic key(Diagnostic one) {
        return one.object().isEmpty()
                ? one
                : one.position()
                        .map(place -> one.atPosition(new Position(place.file(), 0)))
                        .orElse(one);
    }
}
