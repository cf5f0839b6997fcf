package io.k8sdns.zone;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The publishers that have a fact at a name, at least one. Immutable. Most names have one publisher; it implements this interface itself,
 * so that no second object is stored.
 */
sealed interface Publishers permits Publisher, Publishers.Several {
    /** Returns all of them, in the order in which they were added. */
    List<Publisher> all();

    /** Returns whether this is one of them. */
    boolean contains(Publisher publisher);

    /** Returns whether all of them are slices. */
    boolean areSlices();

    /** Returns these and another one, which is not among them. */
    default Publishers with(Publisher another) {
        List<Publisher> more = new ArrayList<>(all());
        more.add(another);
        return new Several(more.toArray(Publisher[]::new));
    }

    /** Returns these without one of them; null if none is left. */
    default @Nullable Publishers without(Publisher publisher) {
        List<Publisher> rest = new ArrayList<>(all());
        rest.remove(publisher);
        return rest.isEmpty() ? null : rest.size() == 1 ? rest.get(0) : new Several(rest.toArray(Publisher[]::new));
    }

    /** Two or more publishers. */
    final class Several implements Publishers {
        private final Publisher[] publishers;

        /** Whether all are slices; stored, since each change of the name needs it. */
        private final boolean areSlices;

        private Several(Publisher[] publishers) {
            this.publishers = publishers;
            this.areSlices = all().stream().allMatch(Publisher::areSlices);
        }

        @Override
        public boolean areSlices() {
            return areSlices;
        }

        @Override
        public List<Publisher> all() {
            return Collections.unmodifiableList(Arrays.asList(publishers));
        }

        @Override
        @SuppressWarnings("ReferenceEquality") // a publisher has an identity
        public boolean contains(Publisher publisher) {
            for (Publisher one : publishers) {
                if (one == publisher) {
                    return true;
                }
            }
            return false;
        }
    }
}
