package io.k8sdns.clientjava;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ObjectRef;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The objects of one kind that the listener has. Converts lists and events to changes: an object that is known in the same version
 * is not reported again, and an object that is missing from a complete list is removed. Keeps name, UID and version of an object,
 * not the object. Used by one thread.
 */
final class KnownObjects {
    private static final int UUID_LENGTH = 36;

    /** Decimal digits of {@link Long#MAX_VALUE}: a number with fewer always fits in a {@code long}. */
    private static final int LONG_DIGITS = 19;

    private final Consumer<ClusterChange> listener;
    private final Map<ObjectRef, Known> objects = new HashMap<>();
    private int list;

    /** Creates an empty set of objects, whose changes the listener receives. */
    KnownObjects(Consumer<ClusterChange> listener) {
        this.listener = listener;
    }

    /**
     * A known object.
     *
     * @param uid its UID, compacted
     * @param version its version, compacted; empty if it must not be compared
     * @param list the number of the last list that contained the object or that it was watched after
     * @param reported whether the listener has the object
     * @param triggered the trigger time of this version; null if the object has none
     */
    private record Known(
            Object uid,
            Object version,
            int list,
            boolean reported,
            @Nullable Instant triggered) {
        Known inList(int number) {
            return new Known(uid, version, number, reported, triggered);
        }

        Known withoutVersion() {
            return new Known(uid, "", list, reported, triggered);
        }

        boolean hasUidOf(ApiReader.Item object) {
            return uid.equals(compact(object.uid()));
        }

        boolean hasVersionOf(ApiReader.Item object) {
            return hasUidOf(object) && !object.version().isEmpty() && version.equals(compact(object.version()));
        }
    }

    /**
     * Returns a smaller object for a text; two such objects are equal if and only if their texts are. Clusters have hundreds of
     * thousands of UIDs.
     */
    private static Object compact(String text) {
        if (ResourceVersions.isNumber(text)
                && text.length() < LONG_DIGITS
                && (text.charAt(0) != '0' || text.length() == 1)) {
            return Long.valueOf(text);
        }
        if (text.length() == UUID_LENGTH) {
            try {
                UUID uuid = UUID.fromString(text);
                return uuid.toString().equals(text) ? uuid : text;
            } catch (IllegalArgumentException other) {
                return text;
            }
        }
        return text;
    }

    /** Returns the number of objects. */
    int size() {
        return objects.size();
    }

    /** Returns whether an object has a trigger time that its known version does not have. */
    boolean isNewlyTriggered(ApiReader.Item object) {
        Known before = objects.get(object.ref());
        return object.triggered().isPresent()
                && (before == null || !object.triggered().get().equals(before.triggered()));
    }

    /** Adds or replaces an object; returns false if it is known in this version. */
    boolean put(ApiReader.Item object) {
        Known before = objects.get(object.ref());
        if (before != null && before.hasVersionOf(object)) {
            objects.put(object.ref(), before.inList(list));
            return false;
        }
        objects.put(
                object.ref(),
                new Known(
                        compact(object.uid()),
                        compact(object.version()),
                        list,
                        object.object().isPresent(),
                        object.triggered().orElse(null)));
        if (object.object().isPresent()) {
            listener.accept(new ClusterChange.Put(object.object().get()));
        } else if (before != null) {
            // The object has changed and cannot be decoded, so its last known state is wrong.
            reportRemoval(before, object.ref());
        }
        return true;
    }

    /** Removes an object; returns false if it is not known with this UID. */
    boolean remove(ApiReader.Item object) {
        Known before = objects.get(object.ref());
        if (before == null || !before.hasUidOf(object)) {
            return false;
        }
        remove(before, object.ref());
        return true;
    }

    /** Begins a list: all objects count as missing until {@link #put}. */
    void beginList() {
        list++;
    }

    /** Ends a complete list: removes the objects that were missing from it. */
    void endList() {
        Map<ObjectRef, Known> missing = new LinkedHashMap<>();
        objects.forEach((ref, object) -> {
            if (object.list() != list) {
                missing.put(ref, object);
            }
        });
        missing.forEach((ref, object) -> remove(object, ref));
    }

    /** Removes all objects. */
    void clear() {
        beginList();
        endList();
    }

    /** Drops all versions, so that the next list reports each object again. */
    void dropVersions() {
        objects.replaceAll((ref, object) -> object.withoutVersion());
    }

    private void remove(Known object, ObjectRef ref) {
        objects.remove(ref);
        reportRemoval(object, ref);
    }

    private void reportRemoval(Known object, ObjectRef ref) {
        if (object.reported()) {
            Optional<String> uid = Optional.of(object.uid().toString()).filter(one -> !one.isEmpty());
            listener.accept(new ClusterChange.Remove(ref, uid));
        }
    }
}
