package io.k8sdns.zone;

import io.k8sdns.records.NameData;

/**
 * A stored name: what it owns, and whose facts that was made of. Immutable, shared by all revisions in which it did not
 * change.
 *
 * <p>The publishers are the ledger: they are all that the writer needs to know to make the name anew, since facts are
 * derived from an object again whenever they are asked for. An array and no list, because most names have one publisher
 * and then share {@link Publisher#alone its} array.
 *
 * @param <K> how the name is given: {@link io.k8sdns.name.DnsLabels labels} or {@link io.k8sdns.model.IpAddress address}
 */
final class NameEntry<K> {
    private final K key;
    private final NameData data;
    private final Publisher[] publishers;

    NameEntry(K key, NameData data, Publisher[] publishers) {
        this.key = key;
        this.data = data;
        this.publishers = publishers;
    }

    K key() {
        return key;
    }

    NameData data() {
        return data;
    }

    /** Returns the objects with a fact at this name, at least one; not to be changed. */
    Publisher[] publishers() {
        return publishers;
    }

    NameEntry<K> with(Publisher[] others) {
        return new NameEntry<>(key, data, others);
    }
}
