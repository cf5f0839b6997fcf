package io.k8sdns.zone;

import io.k8sdns.rules.Fact;
import io.k8sdns.rules.NameData;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Applies one batch of changes to the tables.
 *
 * <p>A name has a list of its publishers, not of their facts: facts are derived from an object whenever they are needed, since the rules
 * are pure. So an address in two slices has two publishers, and is removed with the second one.
 *
 * <ol>
 *   <li>{@link #willChange} records the facts of a publisher before its object changes.
 *   <li>{@link #finish} compares them with its facts now. Each name where facts were added or removed is stored again, with data that are
 *       <ul>
 *         <li>assembled from the added facts, if the name is new;
 *         <li>edited, if only slices publish it and the rules allow it ({@link RecordRules#canEdit});
 *         <li>assembled from the facts of all its publishers otherwise.
 *       </ul>
 * </ol>
 *
 * <p>An edit is an optimization: its result equals that of assembling all facts.
 */
final class ChangeBatch {
    /** The maximum size of {@link #factsNow}. {@link #factsBefore} has all publishers that the batch changes. */
    private static final int MAX_FACTS_NOW = 2_048;

    /** The room for names that a publisher needs in a map: a Service has four names, and a map is at most three quarters full. */
    private static final int MAP_ROOM_PER_PUBLISHER = 6;

    private final RecordRules rules;
    private final NameTable.Editor names;
    private final AddressTable.Editor addresses;
    private final Map<Publisher, PublisherFacts> factsBefore = new LinkedHashMap<>();
    private final Map<Publisher, PublisherFacts> factsNow = new HashMap<>();
    private Map<OwnerName, PendingName> pendingNames = Map.of();

    /** An upper bound of the number of new names below the zone. */
    private int newNames;

    /** A name whose facts change in this batch, and that {@link #finish} will store. */
    private static final class PendingName {
        /** The name before; null if it is new. */
        final @Nullable NameEntry before;

        /** The publishers with a fact at it; null if there is none. */
        @Nullable
        Publishers publishers;

        /** Whether all publishers of the name are slices, before and after this batch; false for a new name. */
        boolean onlySlices;

        private List<Fact> added = List.of();
        private List<Fact> removed = List.of();
        private @Nullable Publisher lastRemoving;

        PendingName(@Nullable NameEntry before) {
            this.before = before;
            this.publishers = before == null ? null : before.publishers();
            this.onlySlices = before != null && before.publishers().areSlices();
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
        void remove(Publisher publisher, Fact fact, PublisherFacts now) {
            removed = with(removed, fact);
            if (lastRemoving != publisher) {
                lastRemoving = publisher;
                if (publishers != null && publishers.contains(publisher) && !now.hasFactAt(fact.owner())) {
                    publishers = publishers.without(publisher);
                }
            }
        }

        /** Adds a fact to a list; creates the list for the first one. */
        private static List<Fact> with(List<Fact> facts, Fact fact) {
            List<Fact> list = facts.isEmpty() ? new ArrayList<>(2) : facts;
            list.add(fact);
            return list;
        }
    }

    /** Starts a batch; the tables themselves do not change. */
    ChangeBatch(RecordRules rules, NameTable names, AddressTable addresses) {
        this.rules = rules;
        this.names = names.edit();
        this.addresses = addresses.edit();
    }

    /** Records the facts of a publisher, which may change after this call. */
    void willChange(Publisher publisher) {
        if (!factsBefore.containsKey(publisher)) {
            factsBefore.put(publisher, publisher.currentFacts(rules));
        }
    }

    /** Records that a publisher is new, and had no facts before. */
    void willAdd(Publisher publisher) {
        factsBefore.putIfAbsent(publisher, PublisherFacts.FactList.EMPTY);
    }

    /**
     * Stores all names whose facts have changed, and returns those whose data differ from before, removed ones too; each once.
     */
    List<OwnerName> finish() {
        pendingNames = new LinkedHashMap<>(MAP_ROOM_PER_PUBLISHER * factsBefore.size());
        factsBefore.forEach(this::compare);
        names.expect(newNames);
        List<OwnerName> changed = new ArrayList<>(pendingNames.size());
        pendingNames.forEach((name, pending) -> {
            if (put(name, pending, newData(name, pending))) {
                changed.add(name);
            }
        });
        factsBefore.keySet().forEach(Publisher::endBatch);
        return changed;
    }

    NameTable names() {
        return names.build();
    }

    AddressTable addresses() {
        return addresses.build();
    }

    // ---- affected names ----

    private void compare(Publisher publisher, PublisherFacts before) {
        PublisherFacts after = now(publisher);
        PublisherFacts.Change change = after.since(before);
        for (Fact fact : change.added()) {
            pendingName(fact.owner(), publisher).add(publisher, fact);
        }
        for (Fact fact : change.removed()) {
            pendingName(fact.owner(), publisher).remove(publisher, fact, after);
        }
    }

    /** Returns the pending name at which a publisher has an added or removed fact. */
    private PendingName pendingName(OwnerName name, Publisher publisher) {
        PendingName pending = pendingNames.get(name);
        if (pending == null) {
            pending = new PendingName(entry(name));
            pendingNames.put(name, pending);
            if (pending.before == null && name instanceof OwnerName.Forward) {
                newNames++;
            }
        }
        pending.onlySlices &= publisher.areSlices();
        return pending;
    }

    private PublisherFacts now(Publisher publisher) {
        PublisherFacts facts = factsNow.get(publisher);
        if (facts == null) {
            if (factsNow.size() == MAX_FACTS_NOW) {
                factsNow.clear();
            }
            facts = publisher.currentFacts(rules);
            factsNow.put(publisher, facts);
        }
        return facts;
    }

    // ---- their new data ----

    /** Returns the data of a name after this batch; null if it does not exist. */
    private byte @Nullable [] newData(OwnerName name, PendingName pending) {
        if (pending.publishers == null) {
            return null;
        }
        if (pending.before == null) {
            return rules.assemble(name, pending.added).packed();
        }
        if (pending.onlySlices && canEdit(name, pending)) {
            return rules.edit(pending.before.data(), pending.added, pending.removed)
                    .packed();
        }
        List<Fact> facts = new ArrayList<>();
        pending.publishers
                .all()
                .forEach(publisher -> facts.addAll(now(publisher).at(name)));
        return rules.assemble(name, facts).packed();
    }

    /** Asks {@link RecordRules#canEdit}. */
    private boolean canEdit(OwnerName name, PendingName pending) {
        return RecordRules.canEdit(
                name,
                pending.added,
                pending.removed,
                other -> haveCommon(publishersBefore(other), publishersOf(pending.before)),
                other -> haveCommon(publishersAfter(other), pending.publishers));
    }

    private static boolean haveCommon(@Nullable Publishers one, @Nullable Publishers other) {
        return one != null && other != null && one.all().stream().anyMatch(other::contains);
    }

    /** Returns the publishers that had a fact at a name before this batch; null if there were none. */
    private @Nullable Publishers publishersBefore(OwnerName name) {
        PendingName pending = pendingNames.get(name);
        return publishersOf(pending == null ? entry(name) : pending.before);
    }

    /** Returns the publishers that have a fact at a name after this batch; null if there are none. */
    private @Nullable Publishers publishersAfter(OwnerName name) {
        PendingName pending = pendingNames.get(name);
        return pending == null ? publishersOf(entry(name)) : pending.publishers;
    }

    private static @Nullable Publishers publishersOf(@Nullable NameEntry entry) {
        return entry == null ? null : entry.publishers();
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

    /** Stores a name, and returns whether its data differ from before. */
    @SuppressWarnings("ReferenceEquality") // the same publishers need not be stored again
    private boolean put(OwnerName name, PendingName pending, byte @Nullable [] packed) {
        NameEntry before = pending.before;
        Publishers publishers = pending.publishers;
        if (packed == null || publishers == null) {
            remove(name);
            return before != null;
        }
        if (before == null) {
            add(name, packed, publishers);
            return true;
        }
        // Equal data may have different numbers of pairs of address and port, from which the next edit computes the
        // weight: data are kept only if their bytes are equal.
        boolean same = Arrays.equals(before.packed(), packed);
        if (!same || publishers != before.publishers()) {
            put(name, same ? before.packed() : packed, publishers);
        }
        return !same && !before.data().equals(NameData.ofPacked(packed));
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
