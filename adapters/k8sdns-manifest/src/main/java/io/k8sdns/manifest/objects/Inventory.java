package io.k8sdns.manifest.objects;

import io.k8sdns.completion.ClusterDraft;
import io.k8sdns.json.ConfigMap;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Workload;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * The objects of all files, one for each kind, namespace and name. A later object replaces an earlier one, with two
 * exceptions: an object with a fault never replaces one without a fault, and an object that is kept from an earlier content
 * of its file is used only if every current one has a fault. Of two kept objects, the one that was valid last is used.
 */
public final class Inventory {
    /** The code of warnings about objects that replace another one of their name. */
    public static final String GIVEN_TWICE = "given-twice";

    /** The code of warnings about objects that replace an equal one; they are errors under strictness only. */
    public static final String GIVEN_AGAIN = "given-again";

    private static final int MAX_PARTS = 6;

    private final Map<ObjectRef, Entry> entries = new LinkedHashMap<>();

    /**
     * An object and its position.
     *
     * @param object a {@link ClusterObject}, {@link Endpoints}, {@link Workload} or {@link ConfigMap}, which have no
     *     common type
     * @param addressRefused whether an invalid address was omitted
     * @param faultless whether no part of it has a fault
     * @param kept present if it is kept from an earlier content of its file
     */
    public record Entry(
            ObjectRef ref,
            Object object,
            Position position,
            boolean addressRefused,
            boolean faultless,
            Optional<Kept> kept) {
        Entry asKept(Map<SkippedDocument, Integer> skippedAlongside, int step) {
            int since = kept.map(Kept::since).orElse(step);
            return new Entry(
                    ref, object, position, addressRefused, faultless, Optional.of(new Kept(skippedAlongside, since)));
        }

        boolean isKept() {
            return kept.isPresent();
        }

        /** Returns whether this entry is used instead of a later one: it has a higher rank, or it is kept and was valid longer. */
        private boolean takesPrecedenceOver(Entry later) {
            return rank() > later.rank()
                    || rank() == later.rank() && isKept() && kept.get().since > later.kept.orElseThrow().since;
        }

        /** Returns the rank: of two entries the one with the higher rank is used, in any order. */
        private int rank() {
            return (faultless ? 2 : 0) + (isKept() ? 0 : 1);
        }
    }

    /**
     * The state of an object that is kept from an earlier content of its file ({@link FileContents#keeping}).
     *
     * @param skippedAlongside the skipped documents of the last content that had a document of the object
     * @param since the step in which its document became invalid
     */
    public record Kept(Map<SkippedDocument, Integer> skippedAlongside, int since) {}

    /** Adds an object; if it replaces one of its kind, namespace and name, reports the lost parts. */
    public Optional<Diagnostic> add(Entry entry) {
        Entry known = entries.get(entry.ref);
        if (known != null && known.takesPrecedenceOver(entry)) {
            // The file of a kept entry has already reported it.
            return entry.isKept()
                    ? Optional.empty()
                    : Optional.of(Diagnostic.warning(
                                    GIVEN_TWICE,
                                    entry.ref,
                                    "skipped because of its faults; the one at " + known.position
                                            + " has none and is used")
                            .atPosition(entry.position));
        }
        // Removed first, so that the entry is at the place of the object in use.
        Entry earlier = entries.remove(entry.ref);
        entries.put(entry.ref, entry);
        if (earlier == null || earlier.isKept()) {
            return Optional.empty();
        }
        return Optional.of(Diagnostic.warning(
                        earlier.object.equals(entry.object) ? GIVEN_AGAIN : GIVEN_TWICE,
                        entry.ref,
                        "given before at " + earlier.position + "; this one is used"
                                + difference(earlier.object, entry.object))
                .atPosition(entry.position));
    }

    /** Describes the difference: the lost parts, otherwise the new parts; some differences have no description. */
    private static String difference(Object earlier, Object later) {
        if (earlier.equals(later)) {
            return "; both are equal";
        }
        List<String> lost = new ArrayList<>(ObjectParts.of(earlier));
        lost.removeAll(ObjectParts.of(later));
        if (!lost.isEmpty()) {
            return " and has no " + inWords(lost);
        }
        List<String> gained = new ArrayList<>(ObjectParts.of(later));
        gained.removeAll(ObjectParts.of(earlier));
        return gained.isEmpty() ? "; they differ" : " and has also " + inWords(gained);
    }

    private static String inWords(List<String> parts) {
        String shown = String.join(", ", parts.subList(0, Math.min(parts.size(), MAX_PARTS)));
        return shown + (parts.size() > MAX_PARTS ? " and " + (parts.size() - MAX_PARTS) + " more parts" : "");
    }

    /** Returns the position of an object; empty if it is in no file. */
    public Optional<Position> position(ObjectRef ref) {
        return Optional.ofNullable(entries.get(ref)).map(Entry::position);
    }

    /** Returns whether there is an object, and a part of it has a fault. */
    public boolean isFaulty(ObjectRef ref) {
        Entry entry = entries.get(ref);
        return entry != null && !entry.faultless;
    }

    /** Returns the positions of all objects. */
    public Map<ObjectRef, Position> positions() {
        Map<ObjectRef, Position> positions = new HashMap<>();
        entries.forEach((ref, entry) -> positions.put(ref, entry.position));
        return positions;
    }

    /** Returns a ConfigMap if present, otherwise empty. */
    public Optional<ConfigMap> configMap(ObjectRef ref) {
        return Optional.ofNullable(entries.get(ref)).map(entry -> (ConfigMap) entry.object);
    }

    /** Returns the number of objects of each kind, in the order of the first object of each. */
    public Map<String, Integer> counts() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        entries.keySet().forEach(ref -> counts.merge(ref.kind(), 1, Integer::sum));
        return counts;
    }

    /** Returns the objects of the cluster. */
    public ClusterDraft draft() {
        List<ClusterObject> objects = new ArrayList<>();
        List<Endpoints> endpoints = new ArrayList<>();
        List<Workload> workloads = new ArrayList<>();
        Set<ObjectRef> addressRefused = new HashSet<>();
        for (Entry entry : entries.values()) {
            if (entry.addressRefused) {
                addressRefused.add(entry.ref);
            }
            if (entry.object instanceof ClusterObject object) {
                objects.add(object);
            } else if (entry.object instanceof Endpoints one) {
                endpoints.add(one);
            } else if (entry.object instanceof Workload one) {
                workloads.add(one);
            } else if (!(entry.object instanceof ConfigMap)) {
                throw new AssertionError(entry.object);
            }
        }
        return new ClusterDraft(objects, endpoints, workloads, addressRefused);
    }
}
