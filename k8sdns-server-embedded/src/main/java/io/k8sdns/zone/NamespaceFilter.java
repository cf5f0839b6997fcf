package io.k8sdns.zone;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The names of some namespaces: those below {@code NS.svc} and {@code NS.pod}, and all that belong to no namespace. Allocates nothing for a
 * name in bytes.
 */
final class NamespaceFilter {
    /** The namespaces as one label each in wire form, hashed; at least every second slot is empty. */
    private final byte[] @Nullable [] slots;

    private final Set<String> namespaces;

    NamespaceFilter(Set<String> namespaces) {
        this.namespaces = new TreeSet<>(namespaces);
        slots = new byte[Integer.highestOneBit(Math.max(1, namespaces.size())) * 4][];
        for (String namespace : namespaces) {
            byte[] label = DnsLabels.of(namespace).toWire();
            int slot = slot(DnsLabels.hash(label, 0, label.length));
            while (slots[slot] != null) {
                slot = slot + 1 & slots.length - 1;
            }
            slots[slot] = label;
        }
    }

    private int slot(int hash) {
        return (hash ^ hash >>> 16) & slots.length - 1;
    }

    /**
     * Returns whether a name is shown.
     *
     * @param belowZone the labels below the zone
     */
    boolean shows(DnsLabels belowZone) {
        byte[] wire = belowZone.toWire();
        return shows(wire, wire.length);
    }

    @Override
    public String toString() {
        return "namespaces " + namespaces;
    }

    /**
     * Returns whether a name is shown.
     *
     * @param bytes holds the name in wire form
     * @param namespace where the last label but one below the zone begins
     * @param last where the last label below the zone begins
     * @param apex where the zone's name begins
     */
    boolean shows(byte[] bytes, int namespace, int last, int apex) {
        return !NameSchema.isServicesOrPods(bytes, last, apex) || showsNamespace(bytes, namespace);
    }

    /**
     * Returns whether a name is shown.
     *
     * @param bytes begins with the labels below the zone, in wire form
     * @param length where they end
     */
    boolean shows(byte[] bytes, int length) {
        int namespace = -1;
        int last = -1;
        for (int at = 0; at < length; at += 1 + bytes[at]) {
            namespace = last;
            last = at;
        }
        return namespace < 0 || shows(bytes, namespace, last, length);
    }

    private boolean showsNamespace(byte[] bytes, int at) {
        int end = at + 1 + bytes[at];
        int slot = slot(DnsLabels.hash(bytes, at, end));
        for (byte[] label = slots[slot]; label != null; label = slots[slot]) {
            if (label.length == end - at && DnsLabels.matches(bytes, at, end, label, 0)) {
                return true;
            }
            slot = slot + 1 & slots.length - 1;
        }
        return false;
    }
}
