package io.k8sdns.cluster;

import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;

/** A change of one object of a cluster. */
public sealed interface ClusterChange {
    /** Returns which object changed. */
    ObjectRef ref();

    /** Applies the function that fits; the compiler sees that both are there. */
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
     * An object was added or took the place of the one with its kind, namespace and name.
     *
     * @param object the object as it is now
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
     * An object went away.
     *
     * @param ref which object
     * @param uid the UID of the object that went; a removal with a UID leaves a successor with another UID alone, so
     *     that one that comes late does no harm
     */
    record Remove(ObjectRef ref, Optional<String> uid) implements ClusterChange {
        /** Checks that nothing is null. */
        @Internal
        public Remove {
            Objects.requireNonNull(ref, "ref");
            Objects.requireNonNull(uid, "uid");
        }
    }
}
