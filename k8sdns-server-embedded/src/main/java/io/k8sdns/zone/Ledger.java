package io.k8sdns.zone;

import io.k8sdns.records.Fact;
import io.k8sdns.records.OwnerName;
import io.k8sdns.records.RecordRules;
import java.util.ArrayList;
import java.util.HashMap;
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
 * the second lets go of it. The price is that all publishers of a name are asked again when one changes (slices of large
 * Services keep their facts for that); the gain is that an endpoint costs no memory here beyond its names.
 *
 * <ol>
 *   <li>{@link #alters} notes the facts of a publisher before its object changes.
 *   <li>{@link #finish} compares them with the facts that it has now, which gives the names to make anew and their
 *       publishers, and then makes those names from the facts of all of their publishers.
 * </ol>
 */
final class Ledger {
    private final RecordRules rules;
    private final NameTable.Edit names;
    private final AddressTable.Edit addresses;
    private final Map<Publisher, List<Fact>> before = new LinkedHashMap<>();
    private final Set<OwnerName> touched = new LinkedHashSet<>();

    /** Starts a batch on these tables, which stay as they are. */
    Ledger(RecordRules rules, NameTable names, AddressTable addresses) {
        this.rules = rules;
        this.names = names.edit();
        this.addresses = addresses.edit();
    }

    /** Notes that the facts of a publisher may change after this call. */
    void alters(Publisher publisher) {
        if (!before.containsKey(publisher)) {
            before.put(publisher, publisher.facts(rules));
            publisher.forget();
        }
    }

    /** Notes that a publisher is new, whatever it has to say by now. */
    void adds(Publisher publisher) {
        before.putIfAbsent(publisher, List.of());
    }

    /** Makes all names anew whose facts changed, and returns those names, gone ones too. */
    Set<OwnerName> finish() {
        before.forEach(this::compare);
        before.clear();
        assemble();
        return touched;
    }

    NameTable names() {
        return names.build();
    }

    AddressTable addresses() {
        return addresses.build();
    }

    private void compare(Publisher publisher, List<Fact> old) {
        List<Fact> now = publisher.facts(rules);
        if (now.equals(old)) {
            return;
        }
        Map<OwnerName, List<Fact>> oldByName = byName(old);
        byName(now).forEach((name, facts) -> {
            List<Fact> oldFacts = oldByName.remove(name);
            if (oldFacts == null) {
                attach(name, publisher);
                touched.add(name);
            } else if (!oldFacts.equals(facts)) {
                touched.add(name);
            }
        });
        for (OwnerName name : oldByName.keySet()) {
            detach(name, publisher);
            touched.add(name);
        }
    }

    private static Map<OwnerName, List<Fact>> byName(List<Fact> facts) {
        Map<OwnerName, List<Fact>> byName = new LinkedHashMap<>();
        for (Fact fact : facts) {
            byName.computeIfAbsent(fact.owner(), any -> new ArrayList<>(2)).add(fact);
        }
        return byName;
    }

    private void attach(OwnerName name, Publisher publisher) {
        NameEntry entry = entry(name);
        if (entry == null) {
            put(name, rules.assemble(name, List.of()).packed(), publisher);
        } else {
            put(name, entry.packed(), entry.publishers().with(publisher));
        }
    }

    private void detach(OwnerName name, Publisher publisher) {
        NameEntry entry = entry(name);
        if (entry == null) {
            throw new AssertionError(name);
        }
        Publishers rest = entry.publishers().without(publisher);
        if (rest == null) {
            remove(name);
        } else {
            put(name, entry.packed(), rest);
        }
    }

    /**
     * Derives each publisher that any touched name needs once more. A name of one publisher is made on the spot, so that
     * not all facts of a large batch are held at once; only those of shared names are gathered.
     */
    private void assemble() {
        Map<OwnerName, List<Fact>> shared = new HashMap<>();
        Set<Publisher> needed = new LinkedHashSet<>();
        for (OwnerName name : touched) {
            NameEntry entry = entry(name);
            if (entry != null) {
                List<Publisher> publishers = entry.publishers().all();
                needed.addAll(publishers);
                if (publishers.size() > 1) {
                    shared.put(name, new ArrayList<>());
                }
            }
        }
        Map<OwnerName, List<Fact>> own = new LinkedHashMap<>();
        for (Publisher publisher : needed) {
            for (Fact fact : publisher.facts(rules)) {
                List<Fact> gathered = shared.get(fact.owner());
                if (gathered != null) {
                    gathered.add(fact);
                } else if (touched.contains(fact.owner())) {
                    own.computeIfAbsent(fact.owner(), any -> new ArrayList<>(2)).add(fact);
                }
            }
            own.forEach(this::assemble);
            own.clear();
        }
        shared.forEach(this::assemble);
    }

    private void assemble(OwnerName name, List<Fact> facts) {
        NameEntry entry = entry(name);
        if (entry == null) {
            throw new AssertionError(name);
        }
        put(name, rules.assemble(name, facts).packed(), entry.publishers());
    }

    private @Nullable NameEntry entry(OwnerName name) {
        if (name instanceof OwnerName.Forward forward) {
            return names.get(forward.labels());
        }
        if (name instanceof OwnerName.Reverse reverse) {
            return addresses.get(reverse.address());
        }
        throw new AssertionError(name);
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
