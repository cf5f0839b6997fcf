package io.k8sdns.cluster;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** A change of one object of a cluster. */
public sealed interface ClusterChange {
    /** Returns the key of the object that changed. */
    ObjectRef ref();

    /** Applies the function of this change's type; the compiler checks that no type is missing. */
    default <T> T fold(Function<Put, T> put, Function<Remove, T> remove) {
        if (this instanceof Put change) {
            return put.apply(change);
        }
        if (this instanceof Remove change) {
            return remove.apply(change);
        }
        throw new AssertionError(this);
    }

    /**
     * An object was added, or replaced the object with the same kind, namespace and name.
     *
     * @param object the new state of the object
     */
    record Put(ClusterObject object) implements ClusterChange {
        /** Checks that the object is not null. */
        public Put {
            Objects.requireNonNull(object, "object");
        }

        @Override
        public ObjectRef ref() {
            return object.ref();
        }
    }

    /**
     * An object was removed.
     *
     * @param ref the key of the object
     * @param uid the UID of the removed object; empty if it is unknown. If the known object has another UID, it is a successor of the
     *     removed one and stays, so that a late removal is harmless; otherwise it is removed
     */
    record Remove(ObjectRef ref, Optional<String> uid) implements ClusterChange {
        /** Checks that nothing is null. */
        @Internal
        public Remove {
            Objects.requireNonNull(ref, "ref");
            Objects.requireNonNull(uid, "uid");
        }

        /**
         * Returns whether this removes a known object with this key. It does unless both UIDs are known and differ: then the known object
         * is a successor of the removed one.
         *
         * @param known the UID of the known object; empty if it is unknown
         */
        @Internal
        public boolean isFor(Optional<String> known) {
            Objects.requireNonNull(known, "known");
            return uid.isEmpty() || known.isEmpty() || uid.equals(known);
        }
    }
}
