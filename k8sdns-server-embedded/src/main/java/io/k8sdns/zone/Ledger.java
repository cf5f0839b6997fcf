package io.k8sdns.zone;

import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One batch of changes on its way into the tables.
 *
 * <p>A name keeps which publishers have a fact at it, not the facts: those are derived from the object whenever they are
 * needed, which the rules allow because they are pure. So an address in two slices has two publishers and stays until
 * the second lets go of it; and an endpoint costs no memory here beyond its names.
 *
 * <ol>
 *   <li>{@link #alters} notes what a publisher says before its object changes.
 *   <li>{@link #finish} compares that with what it says now, which gives the facts that came and went at each name, and
 *       then makes those names: a new one of what came; one that slices share of what it was, what came and what went;
 *       others of the facts of all of their publishers.
 * </ol>
 */
final class Ledger {
    /** The most statements that are kept at once; a statement that was dropped is made again. */
    private static final int STATEMENTS = 2_048;

    /** Places in a map for the names of one publisher: a Service has four. */
    private static final int PLACES = 6;

    private final RecordRules rules;
    private final NameTable.Edit names;
    private final AddressTable.Edit addresses;
    private final Map<Publisher, Statement> before = new LinkedHashMap<>();
    private final Map<Publisher, Statement> now = new HashMap<>();
    private Map<OwnerName, Touched> touched = Map.of();

    /** How many names below the zone may be new. */
    private int newNames;

    /** A name whose facts change in this batch. */
    private static final class Touched {
        /** The name before; null if it is new. */
        final @Nullable NameEntry before;

        /** The publishers with a fact at it; null if there is none. */
        @Nullable
        Publishers publishers;

        /** Whether all publishers before and after are slices. */
        boolean slicesAlone;

        private List<Fact> added = List.of();
        private List<Fact> removed = List.of();
        private @Nullable Publisher lastRemoving;

        Touched(@Nullable NameEntry before) {
            this.before = before;
            this.publishers = before == null ? null : before.publishers();
            this.slicesAlone = before != null && before.publishers().areSlices();
        }

        @SuppressWarnings("ReferenceEquality") // a publisher has an identity
        void add(Publisher publisher, Fact fact) {
            added = with(added, fact);
            if (publishers == null) {
                publishers = publisher;
            } else if (publishers != publisher && !publishers.contains(publisher)) {
                publishers = publishers.with(publisher);
            }
        }

        @SuppressWarnings("ReferenceEquality") // a publisher has an identity
        void remove(Publisher publisher, Fact fact, Statement now) {
            removed = with(removed, fact);
            if (lastRemoving != publisher) {
                lastRemoving = publisher;
                if (publishers != null && publishers.contains(publisher) && !now.hasFactAt(fact.owner())) {
                    publishers = publishers.without(publisher);
                }
            }
        }

        private static List<Fact> with(List<Fact> facts, Fact another) {
            List<Fact> more = facts.isEmpty() ? new ArrayList<>(2) : facts;
            more.add(another);
            return more;
        }
    }

    /** Starts a batch on these tables, which stay as they are. */
    Ledger(RecordRules rules, NameTable names, AddressTable addresses) {
        this.rules = rules;
        this.names = names.edit();
        this.addresses = addresses.edit();
    }

    /** Notes that the facts of a publisher may change after this call. */
    void alters(Publisher publisher) {
        if (!before.containsKey(publisher)) {
            before.put(publisher, publisher.statement(rules));
        }
    }

    /** Notes that a publisher is new, whatever it has to say by now. */
    void adds(Publisher publisher) {
        before.putIfAbsent(publisher, Statement.Whole.NOTHING);
    }

    /**
     * Makes all names anew whose facts changed, and returns those that own something else than before, gone ones too; each
     * once.
     */
    List<OwnerName> finish() {
        touched = new LinkedHashMap<>(PLACES * before.size());
        before.forEach(this::compare);
        names.expect(newNames);
        List<OwnerName> changed = new ArrayList<>(touched.size());
        for (Map.Entry<OwnerName, Touched> one : touched.entrySet()) {
            OwnerName name = one.getKey();
            Touched change = one.getValue();
            if (put(name, change, packed(name, change))) {
                changed.add(name);
            }
        }
        before.keySet().forEach(Publisher::settle);
        return changed;
    }

    NameTable names() {
        return names.build();
    }

    AddressTable addresses() {
        return addresses.build();
    }

    // ---- which names ----

    private void compare(Publisher publisher, Statement was) {
        Statement is = now(publisher);
        Statement.Change change = is.since(was);
        for (Fact fact : change.added()) {
            touch(fact.owner(), publisher).add(publisher, fact);
        }
        for (Fact fact : change.removed()) {
            touch(fact.owner(), publisher).remove(publisher, fact, is);
        }
    }

    private Touched touch(OwnerName name, Publisher publisher) {
        Touched change = touched.get(name);
        if (change == null) {
            change = new Touched(entry(name));
            touched.put(name, change);
            if (change.before == null && name instanceof OwnerName.Forward) {
                newNames++;
            }
        }
        change.slicesAlone &= publisher.areSlices();
        return change;
    }

    private Statement now(Publisher publisher) {
        Statement statement = now.get(publisher);
        if (statement == null) {
            if (now.size() == STATEMENTS) {
                now.clear();
            }
            statement = publisher.statement(rules);
            now.put(publisher, statement);
        }
        return statement;
    }

    // ---- what they own ----

    /** Returns what a name owns now; null if it does not exist. */
    private byte @Nullable [] packed(OwnerName name, Touched change) {
        if (change.publishers == null) {
            return null;
        }
        if (change.before == null) {
            return rules.assemble(name, change.added).packed();
        }
        if (change.slicesAlone && RecordRules.endpointsAt(name).isAll() && isApart(change)) {
            return rules.edit(change.before.data(), change.added, change.removed)
                    .packed();
        }
        List<Fact> facts = new ArrayList<>();
        change.publishers.all().forEach(publisher -> facts.addAll(now(publisher).at(name)));
        return rules.assemble(name, facts).packed();
    }

    /**
     * Returns whether the endpoints that were added to a shared name, and those that were removed, have nothing to do with the others,
     * as {@link RecordRules#edit} asks: the Service did not have the addresses before, or does not have them any more. Endpoints that
     * move between slices, or share a hostname, are not apart.
     */
    private boolean isApart(Touched change) {
        Set<NameData.Srv> added = new HashSet<>();
        for (Fact fact : change.added) {
            if (isOfService(change, fact.address(), true)) {
                return false;
            }
            if (fact instanceof Fact.Srv srv) {
                added.add(srv.record());
            }
        }
        for (Fact fact : change.removed) {
            if (isOfService(change, fact.address(), false)
                    || fact instanceof Fact.Srv srv && !added.contains(srv.record()) && isNamed(change, srv.target())) {
                return false;
            }
        }
        return true;
    }

    /** Returns whether an endpoint has a name after this batch: stored, or synthesized from an address. */
    private boolean isNamed(Touched change, DnsLabels target) {
        OwnerName name = new OwnerName.Forward(target);
        return publishers(name, false) != null
                || isOfService(change, RecordRules.endpointsAt(name).address(), false);
    }

    /** Returns whether a slice of the Service that has a shared name has an address, before this batch or after it. */
    private boolean isOfService(Touched change, @Nullable IpAddress address, boolean before) {
        Publishers all = address == null ? null : publishers(new OwnerName.Reverse(address), before);
        Publishers slices = before || change.publishers == null ? entryPublishers(change) : change.publishers;
        return all != null && slices != null && all.all().stream().anyMatch(slices::contains);
    }

    private static @Nullable Publishers entryPublishers(Touched change) {
        return change.before == null ? null : change.before.publishers();
    }

    /** Returns the publishers with a fact at a name, before this batch or after it; null if there is none. */
    private @Nullable Publishers publishers(OwnerName name, boolean before) {
        Touched change = touched.get(name);
        if (change == null) {
            NameEntry entry = entry(name);
            return entry == null ? null : entry.publishers();
        }
        return before ? entryPublishers(change) : change.publishers;
    }

    // ---- the tables ----

    private @Nullable NameEntry entry(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return names.get(forward.labels());
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return addresses.get(reverse.address());
        }
        throw new AssertionError(name);
    }

    /** Stores a name, and returns whether it owns something else than before. */
    @SuppressWarnings("ReferenceEquality") // the same publishers need not be stored again
    private boolean put(OwnerName name, Touched change, byte @Nullable [] packed) {
        NameEntry was = change.before;
        Publishers publishers = change.publishers;
        if (packed == null || publishers == null) {
            remove(name);
            return was != null;
        }
        if (was == null) {
            add(name, packed, publishers);
            return true;
        }
        boolean same = Arrays.equals(was.packed(), packed);
        if (!same || publishers != was.publishers()) {
            put(name, same ? was.packed() : packed, publishers);
        }
        return !same && !was.data().equals(NameData.ofPacked(packed));
    }

    private void add(OwnerName name, byte[] packed, Publishers publishers) {
        if (name instanceof OwnerName.Forward forward) {
            names.add(forward.labels(), packed, publishers);
        } else {
            put(name, packed, publishers);
        }
    }

    private void put(OwnerName name, byte[] packed, Publishers publishers) {
        if (name instanceof OwnerName.Forward forward) {
            names.put(forward.labels(), packed, publishers);
        } else if (name instanceof OwnerName.Reverse reverse) {
            addresses.put(reverse.address(), packed, publishers);
        }
    }

    private void remove(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            names.remove(forward.labels());
        } else if (name instanceof OwnerName.Reverse reverse) {
            addresses.remove(reverse.address());
        }
    }
}
