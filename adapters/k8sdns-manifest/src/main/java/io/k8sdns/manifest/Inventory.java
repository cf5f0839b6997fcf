package io.k8sdns.manifest;

import io.k8sdns.completion.ClusterDraft;
import io.k8sdns.json.ConfigMap;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.StatefulSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects of all files, each kind, namespace and name once: the later one counts, except that one with a fault never
 * replaces one without, and one that is kept from an earlier content of its file
 * counts only where no current one is without a fault. Of two that are kept, the one that was valid last counts.
 */
final class Inventory {
    private static final int MOST_PARTS = 6;

    private final Map<ObjectRef, Entry> entries = new LinkedHashMap<>();

    /**
     * An object and where it stands.
     *
     * @param object a {@link ClusterObject}, {@link Endpoints}, {@link StatefulSet} or {@link ConfigMap}, which have no type
     *     in common
     * @param addressRefused whether it names an address that is none
     * @param faultless whether no part of it was reported as wrong
     * @param kept if it is kept from an earlier content of its file, since when; otherwise empty
     */
    record Entry(
            ObjectRef ref,
            Object object,
            Position position,
            boolean addressRefused,
            boolean faultless,
            Optional<Kept> kept) {
        Entry asKept(Map<SkippedDocument, Integer> skippedBeside, int step) {
            int since = kept.map(Kept::since).orElse(step);
            return new Entry(
                    ref, object, position, addressRefused, faultless, Optional.of(new Kept(skippedBeside, since)));
        }

        boolean isKept() {
            return kept.isPresent();
        }

        /** Returns whether this counts rather than a later entry: it has the higher rank, or is kept since later. */
        private boolean countsRatherThan(Entry later) {
            return rank() > later.rank()
                    || rank() == later.rank() && isKept() && kept.get().since > later.kept.orElseThrow().since;
        }

        /** Returns the rank: of two entries the one with the higher rank counts, whatever their order. */
        private int rank() {
            return (faultless ? 2 : 0) + (isKept() ? 0 : 1);
        }
    }

    /**
     * Why an object is kept from an earlier content of its file ({@link FileContents#keeping}).
     *
     * @param skippedBeside what was skipped in the last content that had a document of it
     * @param since the step in which its document became invalid
     */
    record Kept(Map<SkippedDocument, Integer> skippedBeside, int since) {}

    /** Adds an object; says what is lost if one of its kind, namespace and name was there. */
    Optional<Diagnostic> add(Entry entry) {
        Entry known = entries.get(entry.ref);
        if (known != null && known.countsRatherThan(entry)) {
            // The file of a kept entry has reported it.
            return entry.isKept()
                    ? Optional.empty()
                    : Optional.of(Diagnostic.warning(
                                    "given-twice",
                                    entry.ref,
                                    "skipped because of its faults; the one at " + known.position
                                            + " has none, and counts")
                            .atPosition(entry.position));
        }
        // Removed first, so that the objects stand in the order of those that count.
        Entry earlier = entries.remove(entry.ref);
        entries.put(entry.ref, entry);
        if (earlier == null || earlier.isKept()) {
            return Optional.empty();
        }
        return Optional.of(Diagnostic.warning(
                        "given-twice",
                        entry.ref,
                        "given before at " + earlier.position + "; this one counts"
                                + difference(earlier.object, entry.object))
                .atPosition(entry.position));
    }

    /** What is lost counts most; what is new says at least how they differ; not every difference has words. */
    private static String difference(Object earlier, Object later) {
        if (earlier.equals(later)) {
            return " and nothing is lost";
        }
        List<String> lost = new ArrayList<>(ObjectParts.of(earlier));
        lost.removeAll(ObjectParts.of(later));
        if (!lost.isEmpty()) {
            return " and has no " + inWords(lost);
        }
        List<String> gained = new ArrayList<>(ObjectParts.of(later));
        gained.removeAll(ObjectParts.of(earlier));
        return gained.isEmpty() ? ", they are not equal" : " and has also " + inWords(gained);
    }

    private static String inWords(List<String> parts) {
        String shown = String.join(", ", parts.subList(0, Math.min(parts.size(), MOST_PARTS)));
        return shown + (parts.size() > MOST_PARTS ? " and " + (parts.size() - MOST_PARTS) + " parts more" : "");
    }

    /** Returns where the object stands; empty if it comes from no file. */
    Optional<Position> position(ObjectRef ref) {
        return Optional.ofNullable(entries.get(ref)).map(Entry::position);
    }

    /** Returns a ConfigMap; empty if there is none. */
    Optional<ConfigMap> configMap(ObjectRef ref) {
        return Optional.ofNullable(entries.get(ref)).map(entry -> (ConfigMap) entry.object);
    }

    /** Returns how many objects there are of each kind, in the order in which the kinds came. */
    Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        entries.keySet().forEach(ref -> counts.merge(ref.kind(), 1, Integer::sum));
        return counts;
    }

    /** Returns the objects of the cluster. */
    ClusterDraft draft() {
        List<ClusterObject> objects = new ArrayList<>();
        List<Endpoints> endpoints = new ArrayList<>();
        List<StatefulSet> statefulSets = new ArrayList<>();
        Set<ObjectRef> addressRefused = new HashSet<>();
        for (Entry entry : entries.values()) {
            if (entry.addressRefused) {
                addressRefused.add(entry.ref);
            }
            if (entry.object instanceof ClusterObject object) {
                objects.add(object);
            } else if (entry.object instanceof Endpoints one) {
                endpoints.add(one);
            } else if (entry.object instanceof StatefulSet one) {
                statefulSets.add(one);
            } else if (!(entry.object instanceof ConfigMap)) {
                throw new AssertionError(entry.object);
            }
        }
        return new ClusterDraft(objects, endpoints, statefulSets, addressRefused);
    }
}
