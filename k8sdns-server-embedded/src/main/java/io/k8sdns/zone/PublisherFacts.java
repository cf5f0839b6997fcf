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
        private final PackedObject packedSlice;
        private final String sliceName;
        private final Service service;

        private @Nullable List<Fact> facts;
        private @Nullable List<Fact> factsOfOneEndpoint;
        private int lookups;

        SliceFacts(RecordRules rules, PackedObject packedSlice, String sliceName, Service service) {
            this.rules = rules;
            this.packedSlice = packedSlice;
            this.sliceName = sliceName;
            this.service = service;
        }

        @Override
        List<Fact> facts() {
            if (facts == null) {
                facts = facts(packedSlice.endpoints().all());
            }
            return facts;
        }

        private List<Fact> facts(List<Endpoint> endpoints) {
            return endpoints.isEmpty()
                    ? List.of()
                    : rules.factsOf(
                            packedSlice.decodeSlice(service.namespace(), sliceName, service.name(), endpoints),
                            service);
        }

        @Override
        List<Fact> at(OwnerName name) {
            if (facts != null || EndpointFilter.isShared(name) || ++lookups > MANY) {
                return super.at(name);
            }
            List<Endpoint> endpoints = packedSlice.endpoints().chosenBy(EndpointFilter.at(name));
            return ownedBy(name, facts(endpoints));
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
        boolean hasFactAt(OwnerName name) {
            if (facts != null || !EndpointFilter.isShared(name)) {
                return super.hasFactAt(name);
            }
            if (factsOfOneEndpoint == null) {
                factsOfOneEndpoint = facts(packedSlice
                        .endpoints()
                        .first(endpoint -> EndpointFilter.hasFactsAtSharedNames(endpoint, service)));
            }
            return !ownedBy(name, factsOfOneEndpoint).isEmpty();
        }

        @Override
        Change since(PublisherFacts before) {
            if (before instanceof SliceFacts old
                    && service.name().equals(old.service.name())
                    && rules.readsSlicesAlike(service, old.service)) {
                SliceDifference difference =
                        SliceDifference.between(old.packedSlice.endpoints(), packedSlice.endpoints());
                if (difference != null) {
                    return Change.of(old.facts(difference.before()), facts(difference.after()));
                }
            }
            return super.since(before);
        }
    }
}
