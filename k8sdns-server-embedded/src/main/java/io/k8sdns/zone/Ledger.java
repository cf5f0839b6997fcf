package io.k8sdns.zone;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.Fact;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.AddressLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

    /** A name of which a publisher says something else. */
    private static final class Touched {
        /** What it was; null if it is new. */
        final @Nullable NameEntry was;

        /** Who has a fact at it by now; null for nobody. */
        @Nullable
        Publishers publishers;

        /** Whether nobody but slices has had a say in it. */
        boolean slicesAlone;

        /** Facts that publishers did not state before; for a new name all that there are. */
        private List<Fact> came = List.of();

        /** Facts that publishers may not state any more. */
        private List<Fact> went = List.of();

        /** Who was asked last whether it still has a fact here. */
        private @Nullable Publisher asked;

        Touched(@Nullable NameEntry was) {
            this.was = was;
            this.publishers = was == null ? null : was.publishers();
            this.slicesAlone = was != null && was.publishers().areSlices();
        }

        @SuppressWarnings("ReferenceEquality") // somebody, not a value
        void comes(Publisher publisher, Fact fact) {
            came = with(came, fact);
            if (publishers == null) {
                publishers = publisher;
            } else if (publishers != publisher && !publishers.contains(publisher)) {
                publishers = publishers.with(publisher);
            }
        }

        @SuppressWarnings("ReferenceEquality") // somebody, not a value
        void goes(Publisher publisher, Fact fact, Statement now) {
            went = with(went, fact);
            if (asked != publisher) {
                asked = publisher;
                if (publishers != null && publishers.contains(publisher) && !now.isAbout(fact.owner())) {
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
        for (Fact fact : change.came()) {
            touch(fact.owner(), publisher).comes(publisher, fact);
        }
        for (Fact fact : change.went()) {
            touch(fact.owner(), publisher).goes(publisher, fact, is);
        }
    }

    private Touched touch(OwnerName name, Publisher publisher) {
        Touched change = touched.get(name);
        if (change == null) {
            change = new Touched(entry(name));
            touched.put(name, change);
            if (change.was == null && name instanceof OwnerName.Forward) {
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

    /** Returns what a name owns now; null for nothing, not even existence. */
    private byte @Nullable [] packed(OwnerName name, Touched change) {
        if (change.publishers == null) {
            return null;
        }
        if (change.was == null) {
            return rules.assemble(name, change.came).packed();
        }
        if (change.slicesAlone && name instanceof OwnerName.Forward) {
            return amended(name, change.was.data(), change);
        }
        List<Fact> facts = new ArrayList<>();
        change.publishers.all().forEach(publisher -> facts.addAll(now(publisher).at(name)));
        return rules.assemble(name, facts).packed();
    }

    /**
     * Puts into a name of slices what came, and takes out what went unless somebody states it still. Who that may be is
     * known: a slice that says something about an address lends it a dashed name, and a slice's targets are such names,
     * or have an address of their own.
     */
    private byte[] amended(OwnerName name, NameData was, Touched change) {
        NameData.Amendment amendment = new NameData.Amendment();
        Set<DnsLabels> targets = new HashSet<>();
        for (Fact fact : change.went) {
            if (fact instanceof Fact.Address address) {
                amendment.goes(address.address());
                comeAddresses(amendment, about(name, address.address(), false));
            } else if (fact instanceof Fact.Srv srv) {
                amendment.goes(srv(srv));
                targets.add(srv.target());
            }
        }
        for (DnsLabels target : targets) {
            comeSrvs(amendment, about(name, target));
        }
        comeAddresses(amendment, change.came);
        comeSrvs(amendment, change.came);
        amendment.morePairs(morePairs(name, change));
        return was.amended(amendment).packed();
    }

    private static void comeAddresses(NameData.Amendment amendment, List<Fact> facts) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Address address) {
                amendment.comes(address.address());
            }
        }
    }

    private static void comeSrvs(NameData.Amendment amendment, List<Fact> facts) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Srv srv) {
                amendment.comes(srv(srv));
            }
        }
    }

    private static NameData.Srv srv(Fact.Srv fact) {
        return new NameData.Srv(fact.port().port().orElseThrow(), fact.target());
    }

    /** One of those that share the weight of SRV records. */
    private record Pair(IpAddress address, EndpointPort port) {}

    /**
     * Returns how many more pairs there are. Of an address of which nobody said anything, or nobody says anything any more,
     * it is those that came, or went; for others the publishers are asked.
     */
    private int morePairs(OwnerName name, Touched change) {
        Set<Pair> came = new HashSet<>();
        Set<Pair> went = new HashSet<>();
        Set<IpAddress> others = new HashSet<>();
        count(change.came, true, came, others);
        count(change.went, false, went, others);
        int more = came.size() - went.size();
        for (IpAddress address : others) {
            more += ports(about(name, address, false)) - ports(about(name, address, true));
        }
        return more;
    }

    private void count(List<Fact> facts, boolean then, Set<Pair> pairs, Set<IpAddress> others) {
        for (Fact fact : facts) {
            if (fact instanceof Fact.Srv srv) {
                if (publishers(new OwnerName.Reverse(srv.address()), then).isEmpty()) {
                    pairs.add(new Pair(srv.address(), srv.port()));
                } else {
                    others.add(srv.address());
                }
            }
        }
    }

    /** Returns the number of ports in facts about one address. */
    private static int ports(List<Fact> facts) {
        Set<EndpointPort> ports = new HashSet<>(2);
        for (Fact fact : facts) {
            if (fact instanceof Fact.Srv srv) {
                ports.add(srv.port());
            }
        }
        return ports.size();
    }

    private List<Fact> about(OwnerName name, IpAddress address, boolean then) {
        List<Fact> facts = new ArrayList<>(2);
        for (Publisher publisher : publishers(new OwnerName.Reverse(address), then)) {
            addAt(facts, name, statement(publisher, then).about(address));
        }
        return facts;
    }

    private List<Fact> about(OwnerName name, DnsLabels target) {
        Set<Publisher> publishers = new LinkedHashSet<>(publishers(new OwnerName.Forward(target), false));
        AddressLabels.parseEndpointLabel(target.label(0))
                .ifPresent(address -> publishers.addAll(publishers(new OwnerName.Reverse(address), false)));
        List<Fact> facts = new ArrayList<>(2);
        for (Publisher publisher : publishers) {
            addAt(facts, name, now(publisher).about(target));
        }
        return facts;
    }

    private static void addAt(List<Fact> facts, OwnerName name, List<Fact> some) {
        for (Fact fact : some) {
            if (fact.owner().equals(name)) {
                facts.add(fact);
            }
        }
    }

    private List<Publisher> publishers(OwnerName name, boolean then) {
        Touched change = touched.get(name);
        if (change != null && !then) {
            return change.publishers == null ? List.of() : change.publishers.all();
        }
        NameEntry entry = change == null ? entry(name) : change.was;
        return entry == null ? List.of() : entry.publishers().all();
    }

    private Statement statement(Publisher publisher, boolean then) {
        Statement was = then ? before.get(publisher) : null;
        return was == null ? now(publisher) : was;
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
        NameEntry was = change.was;
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
