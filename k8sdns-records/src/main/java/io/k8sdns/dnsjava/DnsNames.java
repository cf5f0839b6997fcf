package io.k8sdns.dnsjava;

import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.io.IOException;
import java.util.Objects;
import org.xbill.DNS.Name;

/** Conversions between {@link DnsLabels} and dnsjava's names. */
@Internal
public final class DnsNames {
    private DnsNames() {}

    /** Returns the absolute name that consists of these labels. */
    public static Name absolute(DnsLabels labels) {
        return absolute(labels, DnsLabels.EMPTY);
    }

    /**
     * Returns the absolute name of labels below a zone.
     *
     * @throws InvalidNameException if it is longer than 255 bytes
     */
    public static Name absolute(DnsLabels labels, DnsLabels zone) {
        Objects.requireNonNull(labels, "labels");
        Objects.requireNonNull(zone, "zone");
        if (!labels.fitsBelow(zone)) {
            throw new InvalidNameException("longer than 255 bytes: " + labels + "." + zone);
        }
        byte[] wire = new byte[labels.wireLength() + zone.wireLength() + 1];
        labels.copyTo(wire, 0);
        zone.copyTo(wire, labels.wireLength());
        try {
            return new Name(wire);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Returns the labels of an absolute name, in the same case.
     *
     * @throws IllegalArgumentException if the name is not absolute
     */
    public static DnsLabels labels(Name name) {
        byte[] wire = wire(name);
        return DnsLabels.ofWire(wire, 0, wire.length - 1);
    }

    /**
     * Returns the wire form of an absolute name, with its root label, in the same case. Faster than {@link Name#toWire()}, which copies
     * the rest of the name for each label.
     *
     * @throws IllegalArgumentException if the name is not absolute
     */
    public static byte[] wire(Name name) {
        Objects.requireNonNull(name, "name");
        if (!name.isAbsolute()) {
            throw new IllegalArgumentException("not absolute: " + name);
        }
        byte[] wire = new byte[name.length()];
        int at = 0;
        for (int i = 0; i < name.labels(); i++) {
            byte[] label = name.getLabel(i);
            System.arraycopy(label, 0, wire, at, label.length);
            at += label.length;
        }
        return wire;
    }
}
