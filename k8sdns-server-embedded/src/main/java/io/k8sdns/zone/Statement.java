package io.k8sdns.zone;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.AddressLabels;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What a publisher says at one moment, however its object changes afterwards. Facts are derived when they are asked for,
 * and kept while this is: for the length of a batch.
 */
abstract sealed class Statement {
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
    boolean isAbout(OwnerName name) {
        return !at(name).isEmpty();
    }

    /** Returns the facts that are about one address of an endpoint, at whatever name. */
    List<Fact> about(IpAddress address) {
        return List.of();
    }

    /** Returns the SRV facts with this target, at whatever name, and what is at the target itself. */
    List<Fact> about(DnsLabels target) {
        return List.of();
    }

    /**
     * What made a difference, or may have.
     *
     * @param came all facts that are new; one of them may have been said before, too, by an endpoint that stayed
     * @param went all facts that are not said any more; one of them may be said still, by an endpoint that stayed
     */
    record Change(List<Fact> came, List<Fact> went) {
        /** Returns the change from some facts to others. */
        static Change of(List<Fact> before, List<Fact> now) {
            if (before.isEmpty() || now.isEmpty()) {
                return new Change(now, before);
            }
            Set<Fact> went = new LinkedHashSet<>(before);
            List<Fact> came = new ArrayList<>();
            for (Fact fact : now) {
                if (!went.remove(fact)) {
                    came.add(fact);
                }
            }
            return new Change(came, List.copyOf(went));
        }
    }

    /** Returns what made a difference. */
    Change since(Statement was) {
        return Change.of(was.facts(), facts());
    }

    /** Facts that are at hand. */
    static final class Whole extends Statement {
        static final Statement NOTHING = new Whole(List.of());

        private final List<Fact> facts;

        Whole(List<Fact> facts) {
            this.facts = facts;
        }

        @Override
        List<Fact> facts() {
            return facts;
        }
    }

    /**
     * What a slice says. Its facts are those of its endpoints, so that those of a few can be asked for alone: those with
     * an address, since each fact but a bare existence is about an address of its endpoint, or those with a name, since
     * an endpoint's label is its hostname, the name of what is behind it, or its address with dashes.
     */
    static final class OfSlice extends Statement {
        /** From so many questions about single endpoints on, all are derived at once. */
        private static final int MANY = 16;

        private final RecordRules rules;
        private final PackedObject slice;
        private final String name;
        private final Service owner;

        private @Nullable List<Fact> facts;

        /** Those of the first endpoint that is published. */
        private @Nullable List<Fact> first;

        private final Map<IpAddress, List<Fact>> byAddress = new HashMap<>();
        private final Map<DnsLabels, List<Fact>> byTarget = new HashMap<>();
        private boolean indexed;

        OfSlice(RecordRules rules, PackedObject slice, String name, Service owner) {
            this.rules = rules;
            this.slice = slice;
            this.name = name;
            this.owner = owner;
        }

        @Override
        List<Fact> facts() {
            if (facts == null) {
                facts = facts(SliceEndpoints.Range.ALL);
            }
            return facts;
        }

        private List<Fact> facts(SliceEndpoints.Range range) {
            return facts(range, any -> true);
        }

        private List<Fact> facts(SliceEndpoints.Range range, Predicate<SliceEndpoints.Place> wanted) {
            List<Endpoint> some = slice.endpoints().in(range, wanted);
            return some.isEmpty()
                    ? List.of()
                    : rules.of(slice.slice(owner.namespace(), name, owner.name(), some), owner);
        }

        @Override
        List<Fact> at(OwnerName at) {
            if (facts == null && at instanceof OwnerName.Reverse reverse) {
                return ownedBy(at, about(reverse.address()));
            }
            if (facts == null && isEndpoint(at)) {
                return ownedBy(at, about(((OwnerName.Forward) at).labels()));
            }
            return super.at(at);
        }

        /** Names below the Service's own are its endpoints' and, with an underscore, its ports'. */
        private static boolean isEndpoint(OwnerName name) {
            return name instanceof OwnerName.Forward forward
                    && forward.labels().count() == 4
                    && forward.labels().label(0).charAt(0) != '_';
        }

        private static List<Fact> which(List<Fact> facts, Predicate<Fact> wanted) {
            List<Fact> some = new ArrayList<>();
            for (Fact fact : facts) {
                if (wanted.test(fact)) {
                    some.add(fact);
                }
            }
            return some;
        }

        private static List<Fact> ownedBy(OwnerName owner, List<Fact> facts) {
            return which(facts, fact -> fact.owner().equals(owner));
        }

        @Override
        boolean isAbout(OwnerName at) {
            if (facts != null || at instanceof OwnerName.Reverse || isEndpoint(at)) {
                return super.isAbout(at);
            }
            // Every published endpoint has facts at the names that all share: the first one will do.
            if (first == null) {
                first = slice.endpoints()
                        .first(owner::publishes)
                        .map(this::facts)
                        .orElse(List.of());
            }
            return !ownedBy(at, first).isEmpty() || super.isAbout(at);
        }

        @Override
        List<Fact> about(IpAddress address) {
            if (isIndexed()) {
                return byAddress.getOrDefault(address, List.of());
            }
            List<Fact> known = byAddress.get(address);
            if (known == null) {
                byte[] octets = address.bytes();
                known = which(
                        facts(SliceEndpoints.Range.ALL, place -> place.has(octets)),
                        fact -> Objects.equals(address, address(fact)));
                byAddress.put(address, known);
            }
            return known;
        }

        @Override
        List<Fact> about(DnsLabels target) {
            if (isIndexed()) {
                return byTarget.getOrDefault(target, List.of());
            }
            List<Fact> known = byTarget.get(target);
            if (known == null) {
                byte[] label = target.label(0).getBytes(StandardCharsets.ISO_8859_1);
                byte[] spelled = AddressLabels.parseEndpointLabel(target.label(0))
                        .map(IpAddress::bytes)
                        .orElse(label);
                known = which(
                        facts(SliceEndpoints.Range.ALL, place -> place.isNamed(label) || place.has(spelled)),
                        fact -> Objects.equals(target, target(fact)));
                byTarget.put(target, known);
            }
            return known;
        }

        private boolean isIndexed() {
            if (!indexed && byAddress.size() + byTarget.size() > MANY) {
                byAddress.clear();
                byTarget.clear();
                for (Fact fact : facts()) {
                    IpAddress address = address(fact);
                    if (address != null) {
                        byAddress
                                .computeIfAbsent(address, any -> new ArrayList<>(6))
                                .add(fact);
                    }
                    DnsLabels target = target(fact);
                    if (target != null) {
                        byTarget.computeIfAbsent(target, any -> new ArrayList<>(4))
                                .add(fact);
                    }
                }
                indexed = true;
            }
            return indexed;
        }

        @Override
        Change since(Statement was) {
            if (was instanceof OfSlice old
                    && owner.name().equals(old.owner.name())
                    && rules.readsSlicesAlike(owner, old.owner)) {
                SliceEndpoints.Difference difference = slice.endpoints().differenceFrom(old.slice.endpoints());
                if (difference != null) {
                    return Change.of(old.facts(difference.there()), facts(difference.here()));
                }
            }
            return super.since(was);
        }
    }

    /** Returns the address of an endpoint that a fact is about; null if it is about none. */
    static @Nullable IpAddress address(Fact fact) {
        if (fact instanceof Fact.Address address) {
            return address.address();
        }
        if (fact instanceof Fact.Srv srv) {
            return srv.address();
        }
        return fact.owner() instanceof OwnerName.Reverse reverse ? reverse.address() : null;
    }

    /** Returns the target of an SRV fact, or the name that has an address; null for other facts. */
    static @Nullable DnsLabels target(Fact fact) {
        if (fact instanceof Fact.Srv srv) {
            return srv.target();
        }
        return fact instanceof Fact.Address && fact.owner() instanceof OwnerName.Forward forward
                ? forward.labels()
                : null;
    }
}
