package io.k8sdns.zone;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.Service;
import io.k8sdns.rules.EndpointFilter;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A snapshot of a publisher's facts. {@link SliceFacts} derives them from the packed slice when they are needed; {@link FactList} holds
 * them.
 */
abstract sealed class PublisherFacts {
    /** All facts, by name. */
    private @Nullable Map<OwnerName, List<Fact>> byName;

    /** Returns all facts. */
    abstract List<Fact> facts();

    /** Returns the facts at a name. */
    List<Fact> at(OwnerName name) {
        if (byName == null) {
            byName = new HashMap<>(facts().size());
            for (Fact fact : facts()) {
                byName.computeIfAbsent(fact.owner(), any -> new ArrayList<>(2)).add(fact);
            }
        }
        return byName.getOrDefault(name, List.of());
    }

    /** Returns whether there is a fact at a name. */
    boolean hasFactAt(OwnerName name) {
        return !at(name).isEmpty();
    }

    /**
     * The difference between two snapshots of one publisher. Of a slice only the endpoints that differ are compared. A fact that is
     * added or removed may also be one of an endpoint that is not compared, for example that {@code _tcp} exists.
     *
     * @param added the facts that only the compared part of the later one has
     * @param removed the facts that only the compared part of the earlier one has
     */
    record Change(List<Fact> added, List<Fact> removed) {
        private static Change of(List<Fact> before, List<Fact> after) {
            if (before.isEmpty() || after.isEmpty()) {
                return new Change(after, before);
            }
            Set<Fact> removed = new LinkedHashSet<>(before);
            List<Fact> added = new ArrayList<>();
            for (Fact fact : after) {
                if (!removed.remove(fact)) {
                    added.add(fact);
                }
            }
            return new Change(added, List.copyOf(removed));
        }
    }

    /** Returns the difference from an earlier snapshot of the same publisher. */
    Change since(PublisherFacts before) {
        return Change.of(before.facts(), facts());
    }

    /** A list of facts. */
    static final class FactList extends PublisherFacts {
        static final PublisherFacts EMPTY = new FactList(List.of());

        private final List<Fact> facts;

        FactList(List<Fact> facts) {
            this.facts = facts;
        }

        @Override
        List<Fact> facts() {
            return facts;
        }
    }

    /** The facts of a slice. They are those of its endpoints, so the facts of a few endpoints can be derived alone. */
    static final class SliceFacts extends PublisherFacts {
        /** The number of lookups at names of single endpoints after which all facts are derived at once. */
        private static final int MANY = 16;

        private final RecordRules rules;
        private final PackedObject slice;
        private final String name;
        private final Service owner;

        private @Nullable List<Fact> facts;
        private @Nullable List<Fact> factsOfOneEndpoint;
        private int lookups;

        SliceFacts(RecordRules rules, PackedObject slice, String name, Service owner) {
            this.rules = rules;
            this.slice = slice;
            this.name = name;
            this.owner = owner;
        }

        @Override
        List<Fact> facts() {
            if (facts == null) {
                facts = facts(slice.endpoints().all());
            }
            return facts;
        }

        private List<Fact> facts(List<Endpoint> endpoints) {
            return endpoints.isEmpty()
                    ? List.of()
                    : rules.factsOf(slice.slice(owner.namespace(), name, owner.name(), endpoints), owner);
        }

        @Override
        List<Fact> at(OwnerName at) {
            return facts != null || EndpointFilter.isShared(at) || ++lookups > MANY
                    ? super.at(at)
                    : ownedBy(at, facts(slice.endpoints().chosenBy(EndpointFilter.at(at))));
        }

        private static List<Fact> ownedBy(OwnerName owner, List<Fact> facts) {
            List<Fact> owned = new ArrayList<>();
            for (Fact fact : facts) {
                if (fact.owner().equals(owner)) {
                    owned.add(fact);
                }
            }
            return owned;
        }

        @Override
        boolean hasFactAt(OwnerName at) {
            if (facts != null || !EndpointFilter.isShared(at)) {
                return super.hasFactAt(at);
            }
            if (factsOfOneEndpoint == null) {
                factsOfOneEndpoint = facts(slice.endpoints().first(endpoint -> EndpointFilter.hasFactsAtSharedNames(endpoint, owner)));
            }
            return !ownedBy(at, factsOfOneEndpoint).isEmpty();
        }

        @Override
        Change since(PublisherFacts before) {
            if (before instanceof SliceFacts old
                    && owner.name().equals(old.owner.name())
                    && rules.readsSlicesAlike(owner, old.owner)) {
                SliceDifference difference = SliceDifference.between(old.slice.endpoints(), slice.endpoints());
                if (difference != null) {
                    return Change.of(old.facts(difference.before()), facts(difference.after()));
                }
            }
            return super.since(before);
        }
    }
}
