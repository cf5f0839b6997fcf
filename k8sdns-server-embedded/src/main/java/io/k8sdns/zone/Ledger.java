package io.k8sdns.zone;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.name.AddressLabels;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.Fact;
import io.k8sdns.records.NameData;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
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
 *   <li>{@link #finish} compares that with what it says now, which gives the names to make anew and their publishers, and
 *       then makes those names: from the facts of all of their publishers, or, where many slices share a name of which
 *       little has changed, from what it was and the facts about the addresses and targets that changed.
 * </ol>
 */
final class Ledger {
    /** The most statements that are kept at once; a statement that was dropped is made again. */
    private static final int STATEMENTS = 2_048;

    /** What asking about one address or target costs, in addresses and targets that a name is made of. */
    private static final int MENDING = 4;

    private final RecordRules rules;
    private final NameTable.Edit names;
    private final AddressTable.Edit addresses;
    private final Map<Publisher, Statement> before = new LinkedHashMap<>();
    private final Map<Publisher, Statement> now = new HashMap<>();
    private final Map<OwnerName, Touched> touched = new LinkedHashMap<>();

    /** A name of which a publisher says something else. */
    private static final class Touched {
        /** What it was; null if it is new. */
        final @Nullable NameEntry was;

        /** Who has a fact at it by now; null for nobody. */
        @Nullable
        Publishers publishers;

        /** Whether only slices have had a say in it. */
        boolean slicesAlone;

        /** What facts that came or went are about, if they are of slices. */
        final Set<IpAddress> addresses = new LinkedHashSet<>(2);

        final Set<DnsLabels> targets = new LinkedHashSet<>(2);

        Touched(@Nullable NameEntry was) {
            this.was = was;
            this.publishers = was == null ? null : was.publishers();
            this.slicesAlone = was != null && areSlices(was.publishers());
        }

        private static boolean areSlices(Publishers publishers) {
            return publishers.all().stream().allMatch(Publisher.SliceState.class::isInstance);
        }

        void attach(Publisher publisher) {
            if (publishers == null) {
                publishers = publisher;
            } else if (!publishers.contains(publisher)) {
                publishers = publishers.with(publisher);
            }
        }

        void detach(Publisher publisher) {
            if (publishers != null && publishers.contains(publisher)) {
                publishers = publishers.without(publisher);
            }
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

    /** Makes all names anew whose facts changed, and returns those names, gone ones too. */
    Set<OwnerName> finish() {
        before.forEach(this::compare);
        touched.forEach((name, change) -> put(name, change, packed(name, change)));
        return touched.keySet();
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
        if (change.now().equals(change.before())) {
            return;
        }
        Map<OwnerName, List<Fact>> gone = Statement.byName(change.before());
        Statement.byName(change.now()).forEach((name, facts) -> {
            List<Fact> old = gone.remove(name);
            if (!facts.equals(old)) {
                touch(name, publisher, old == null ? List.of() : old, facts).attach(publisher);
            }
        });
        gone.forEach((name, facts) -> {
            Touched left = touch(name, publisher, facts, List.of());
            if (!is.isAbout(name)) {
                left.detach(publisher);
            }
        });
    }

    private Touched touch(OwnerName name, Publisher publisher, List<Fact> old, List<Fact> facts) {
        Touched change = touched.computeIfAbsent(name, any -> new Touched(entry(name)));
        change.slicesAlone &= publisher instanceof Publisher.SliceState;
        if (change.slicesAlone) {
            Set<Fact> different = new HashSet<>(old);
            for (Fact fact : facts) {
                if (!different.remove(fact)) {
                    different.add(fact);
                }
            }
            for (Fact fact : different) {
                add(change.addresses, Statement.address(fact));
                if (fact instanceof Fact.Srv srv) {
                    change.targets.add(srv.target());
                }
            }
        }
        return change;
    }

    private static <T> void add(Set<T> set, @Nullable T one) {
        if (one != null) {
            set.add(one);
        }
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
        if (change.was != null && name instanceof OwnerName.Forward && change.slicesAlone) {
            NameData was = change.was.data();
            int size = was.addressCount(IpFamily.IPV4) + was.addressCount(IpFamily.IPV6) + was.srvCount();
            if (MENDING * (change.addresses.size() + change.targets.size()) <= size) {
                return amended(name, was, change);
            }
        }
        List<Publisher> publishers = change.publishers.all();
        if (publishers.size() == 1) {
            return rules.assemble(name, now(publishers.get(0)).at(name)).packed();
        }
        List<Fact> facts = new ArrayList<>();
        publishers.forEach(publisher -> facts.addAll(now(publisher).at(name)));
        return rules.assemble(name, facts).packed();
    }

    /**
     * Asks again for the few addresses and targets that changed, whoever says something about them. Who that may be is
     * known: a slice that says something about an address lends it a dashed name, and a slice's targets are such names,
     * or have an address of their own.
     */
    private byte[] amended(OwnerName name, NameData was, Touched change) {
        TreeMap<IpAddress, Boolean> addressesNow = new TreeMap<>();
        int pairs = 0;
        for (IpAddress address : change.addresses) {
            List<Fact> facts = about(name, address, false);
            addressesNow.put(address, facts.stream().anyMatch(Fact.Address.class::isInstance));
            pairs += ports(facts) - ports(about(name, address, true));
        }
        TreeMap<NameData.Srv, Boolean> srvsNow = new TreeMap<>();
        for (DnsLabels target : change.targets) {
            about(name, target, true).forEach(fact -> putSrv(srvsNow, fact, false));
            about(name, target, false).forEach(fact -> putSrv(srvsNow, fact, true));
        }
        return was.amended(addressesNow, srvsNow, pairs).packed();
    }

    private static void putSrv(Map<NameData.Srv, Boolean> srvs, Fact fact, boolean there) {
        if (fact instanceof Fact.Srv srv) {
            srvs.put(new NameData.Srv(srv.port().port().orElseThrow(), srv.target()), there);
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

    private List<Fact> about(OwnerName name, DnsLabels target, boolean then) {
        Set<Publisher> publishers = new LinkedHashSet<>(publishers(new OwnerName.Forward(target), then));
        Optional<IpAddress> spelled = AddressLabels.parseEndpointLabel(target.label(0));
        if (spelled.isPresent()) {
            publishers.addAll(publishers(new OwnerName.Reverse(spelled.get()), then));
        }
        List<Fact> facts = new ArrayList<>(2);
        for (Publisher publisher : publishers) {
            addAt(facts, name, statement(publisher, then).about(target));
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

    @SuppressWarnings("ReferenceEquality") // the same publishers need not be stored again
    private void put(OwnerName name, Touched change, byte @Nullable [] packed) {
        Publishers publishers = change.publishers;
        if (packed == null || publishers == null) {
            remove(name);
            return;
        }
        byte[] same = change.was != null && Arrays.equals(change.was.packed(), packed) ? change.was.packed() : packed;
        if (change.was != null && same == change.was.packed() && publishers == change.was.publishers()) {
            return;
        }
        if (name instanceof OwnerName.Forward forward) {
            names.put(forward.labels(), same, publishers);
        } else if (name instanceof OwnerName.Reverse reverse) {
            addresses.put(reverse.address(), same, publishers);
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
