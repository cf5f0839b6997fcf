package io.k8sdns.records;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.IOException;
import java.util.Arrays;
import org.xbill.DNS.Name;

/** Between our label sequences and dnsjava's names. */
public final class DnsNames {
    private DnsNames() {}

    /** Returns the absolute name of labels that reach up to the root. */
    public static Name absolute(DnsLabels labels) {
        byte[] wire = Arrays.copyOf(labels.toWire(), labels.wireLength() + 1);
        try {
            return new Name(wire);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Returns the absolute name of labels below a zone.
     *
     * @throws InvalidNameException if it is longer than 255 octets
     */
    public static Name absolute(DnsLabels labels, DnsLabels zone) {
        return absolute(labels.append(zone));
    }

    /** Returns the labels of an absolute name, case kept. */
    public static DnsLabels labels(Name name) {
        byte[] wire = name.toWire();
        return DnsLabels.ofWire(wire, 0, wire.length - 1);
    }
}
