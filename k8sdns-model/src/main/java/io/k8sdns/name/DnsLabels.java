package io.k8sdns.name;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.Internal;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import java.util.Optional;

/**
 * A sequence of DNS labels: a name, or the part of a name below a zone. Immutable. Labels are bytes; their case is
 * kept, and comparisons ignore it (A to Z only, RFC 4343). The root label is not stored, so the empty sequence is the
 * root, or a zone's apex.
 *
 * <p>The order is the canonical one (RFC 4034, 6.1): by the rightmost label first, in lower case.
 */
public final class DnsLabels implements Comparable<DnsLabels> {
    /** The empty sequence. */
    public static final DnsLabels EMPTY = new DnsLabels(new byte[0]);

    /** The maximum length of the wire form, length bytes included, without the root label. */
    private static final int MAX_WIRE = 254;

    private static final long HASH_FACTOR = 0x9E37_79B9_7F4A_7C15L;

    private final byte[] wire;
    private final int hash;

    private DnsLabels(byte[] wire) {
        this.wire = wire;
        this.hash = hash(wire, 0, wire.length);
    }

    /**
     * Returns the {@link #hashCode()} of labels that an array holds in wire form, without the root label. The array is
     * not checked.
     *
     * @param bytes the array that holds the labels, in upper or lower case
     * @param from the index of the first length byte
     * @param to the index after the last label
     */
    @Internal
    public static int hash(byte[] bytes, int from, int to) {
        long hash = (long) to - from;
        int at = from;
        for (; at + 8 <= to; at += 8) {
            hash = (hash ^ FoldedWords.folded((long) FoldedWords.WORDS.get(bytes, at))) * HASH_FACTOR;
            hash ^= hash >>> 32;
        }
        if (at < to) {
            hash = (hash ^ FoldedWords.folded(FoldedWords.tail(bytes, from, at, to))) * HASH_FACTOR;
            hash ^= hash >>> 32;
        }
        hash *= HASH_FACTOR;
        return (int) (hash >>> 32);
    }

    /**
     * Returns whether an array holds these labels in wire form, without the root label.
     *
     * @param bytes the array that holds the labels, in upper or lower case
     * @param from the index of the first length byte
     * @param to the index after the last label
     */
    @Internal
    public boolean matches(byte[] bytes, int from, int to) {
        return to - from == wire.length && matches(bytes, from, to, wire, 0);
    }

    /**
     * Returns whether two arrays hold equal labels in wire form; the case of letters is ignored. The arrays are not
     * checked.
     *
     * @param bytes the array that holds the first name
     * @param from the index of its first length byte
     * @param to the index after its last label
     * @param other the array that holds the second name, at least {@code to - from} bytes from {@code otherFrom} on
     * @param otherFrom the index of the second name's first length byte
     */
    @Internal
    public static boolean matches(byte[] bytes, int from, int to, byte[] other, int otherFrom) {
        int at = from;
        int otherAt = otherFrom;
        for (; at + 8 <= to; at += 8, otherAt += 8) {
            if (FoldedWords.differ(
                    (long) FoldedWords.WORDS.get(bytes, at), (long) FoldedWords.WORDS.get(other, otherAt))) {
                return false;
            }
        }
        return at == to
                || !FoldedWords.differ(
                        FoldedWords.tail(bytes, from, at, to),
                        FoldedWords.tail(other, otherFrom, otherAt, otherFrom + to - from));
    }

    /**
     * Copies the wire form, without the root label, into an array.
     *
     * @param bytes the array, with at least {@link #wireLength()} bytes from {@code at} on
     * @param at the index of the first byte to write
     */
    @Internal
    public void copyTo(byte[] bytes, int at) {
        System.arraycopy(wire, 0, bytes, at, wire.length);
    }

    /**
     * Returns a sequence of labels, each given as text of one character for each byte (ISO 8859-1).
     *
     * @param labels the labels from left to right, each of 1 to 63 bytes
     * @throws InvalidNameException if a label or the whole name is too long, or a label is empty
     */
    public static DnsLabels of(String... labels) {
        Objects.requireNonNull(labels, "labels");
        int length = 0;
        for (String label : labels) {
            length += 1 + Objects.requireNonNull(label, "label").length();
        }
        byte[] wire = new byte[length];
        int position = 0;
        for (int i = 0; i < labels.length; i++) {
            byte[] bytes = bytesOf(labels[i], i + 1);
            wire[position++] = (byte) bytes.length;
            System.arraycopy(bytes, 0, wire, position, bytes.length);
            position += bytes.length;
        }
        return checked(wire);
    }

    private static byte[] bytesOf(String label, int number) {
        byte[] bytes = label.getBytes(StandardCharsets.ISO_8859_1);
        if (bytes.length == 0 || bytes.length > 63) {
            throw new InvalidNameException(
                    "label " + number + " is " + bytes.length + " bytes, 1 to 63 are allowed: " + label);
        }
        return bytes;
    }

    /**
     * Reads the presentation form (RFC 1035, 5.1): labels joined by dots, with {@code \.} and {@code \DDD} escapes,
     * with or without the trailing dot.
     *
     * @throws InvalidNameException if the text is not a name
     */
    public static DnsLabels parse(String text) {
        return checked(PresentationForm.parse(Objects.requireNonNull(text, "text")));
    }

    /**
     * Reads a host name: labels of letters, digits and inner dashes (RFC 1123, section 2.1), without escapes, with or without
     * the trailing dot.
     *
     * @throws InvalidNameException if the text is not a host name, or has no label; the message names the label
     */
    public static DnsLabels parseHostName(String text) {
        Objects.requireNonNull(text, "text");
        if (text.indexOf('\\') >= 0) {
            throw new InvalidNameException("a host name has no backslash: " + text);
        }
        return parse(text).requireHostName(text);
    }

    /**
     * Returns these labels if they are a host name: labels of letters, digits and inner dashes.
     *
     * @throws InvalidNameException if a label holds another character, or there is no label; the message names the
     *     label
     */
    public DnsLabels requireHostName() {
        return requireHostName(toString());
    }

    private DnsLabels requireHostName(String text) {
        int count = count();
        if (count == 0) {
            throw new InvalidNameException("a host name has at least one label: \"" + text + "\"");
        }
        for (int i = 0; i < count; i++) {
            if (!KubernetesNames.isDnsLabel(foldedLabel(i))) {
                throw new InvalidNameException("label " + (i + 1)
                        + " of a host name may hold letters, digits and inner dashes alone: \"" + text + "\"");
            }
        }
        return this;
    }

    /**
     * Reads labels from the wire form: for each label its length byte and its bytes, without the root label.
     *
     * @throws InvalidNameException if a length byte is 0, more than 63, or exceeds the rest
     */
    @Internal
    public static DnsLabels ofWire(byte[] bytes, int from, int to) {
        Objects.requireNonNull(bytes, "bytes");
        int position = from;
        while (position < to) {
            int length = bytes[position] & 0xFF;
            if (length == 0 || length > 63 || position + 1 + length > to) {
                throw new InvalidNameException("a label of " + length + " bytes at byte " + (position - from));
            }
            position += 1 + length;
        }
        return checked(Arrays.copyOfRange(bytes, from, to));
    }

    private static DnsLabels checked(byte[] wire) {
        if (wire.length > MAX_WIRE) {
            throw new InvalidNameException("a name of " + (wire.length + 1) + " bytes, at most 255 are allowed");
        }
        return wire.length == 0 && EMPTY != null ? EMPTY : new DnsLabels(wire);
    }

    /** Returns a copy of the wire form, without the root label. */
    public byte[] toWire() {
        return wire.clone();
    }

    /** Returns the number of bytes of the wire form, without the root label. */
    public int wireLength() {
        return wire.length;
    }

    /** Returns whether there is no label. */
    public boolean isEmpty() {
        return wire.length == 0;
    }

    /** Returns the number of labels. */
    public int count() {
        int count = 0;
        for (int position = 0; position < wire.length; position += 1 + wire[position]) {
            count++;
        }
        return count;
    }

    /**
     * Returns a label as text of one character for each byte (ISO 8859-1), in the original case, without escapes.
     *
     * @param index the number of the label, 0 for the leftmost
     */
    public String label(int index) {
        int position = start(index);
        if (position >= wire.length) {
            throw new IndexOutOfBoundsException("label " + index + " of " + this);
        }
        return new String(wire, position + 1, wire[position], StandardCharsets.ISO_8859_1);
    }

    /** Returns a label in lower case (A to Z only); see {@link #label}. */
    public String foldedLabel(int index) {
        String label = label(index);
        StringBuilder folded = new StringBuilder(label.length());
        for (int i = 0; i < label.length(); i++) {
            folded.append((char) FoldedWords.fold((byte) label.charAt(i)));
        }
        return folded.toString();
    }

    private int start(int index) {
        int position = 0;
        for (int i = 0; i < index && position < wire.length; i++) {
            position += 1 + wire[position];
        }
        return position;
    }

    /** Returns the labels without the leftmost {@code count}. */
    public DnsLabels skip(int count) {
        int position = start(count);
        return position == 0
                ? this
                : position == wire.length ? EMPTY : new DnsLabels(Arrays.copyOfRange(wire, position, wire.length));
    }

    /** Returns the leftmost {@code count} labels. */
    public DnsLabels first(int count) {
        int position = start(count);
        return position == wire.length ? this : position == 0 ? EMPTY : new DnsLabels(Arrays.copyOf(wire, position));
    }

    /**
     * Returns these labels followed by the labels of a suffix.
     *
     * @throws InvalidNameException if the result is too long for a name
     */
    public DnsLabels append(DnsLabels suffix) {
        if (!fitsBelow(Objects.requireNonNull(suffix, "suffix"))) {
            throw new InvalidNameException("longer than 255 bytes: " + this + "." + suffix);
        }
        if (suffix.isEmpty()) {
            return this;
        }
        byte[] joined = Arrays.copyOf(wire, wire.length + suffix.wire.length);
        System.arraycopy(suffix.wire, 0, joined, wire.length, suffix.wire.length);
        return new DnsLabels(joined);
    }

    /** Returns whether these labels followed by a suffix are a name of at most 255 bytes; see {@link #append}. */
    public boolean fitsBelow(DnsLabels suffix) {
        return wire.length + suffix.wire.length <= MAX_WIRE;
    }

    /** Returns a label followed by these labels; see {@link #of} and {@link #append}. */
    public DnsLabels prepend(String label) {
        byte[] bytes = bytesOf(Objects.requireNonNull(label, "label"), 1);
        byte[] joined = new byte[1 + bytes.length + wire.length];
        joined[0] = (byte) bytes.length;
        System.arraycopy(bytes, 0, joined, 1, bytes.length);
        System.arraycopy(wire, 0, joined, 1 + bytes.length, wire.length);
        return checked(joined);
    }

    /** Returns whether these labels end with the labels of a suffix, or are equal to it. */
    public boolean endsWith(DnsLabels suffix) {
        int from = wire.length - suffix.wire.length;
        int position = 0;
        while (position < from) {
            position += 1 + wire[position];
        }
        return position == from && matches(wire, from, wire.length, suffix.wire, 0);
    }

    /**
     * Returns the labels below a zone, without the labels of the zone.
     *
     * @param zone the zone's labels up to the root
     * @return {@link #EMPTY} for the zone itself; empty if this name is not in the zone
     */
    public Optional<DnsLabels> below(DnsLabels zone) {
        if (!endsWith(zone)) {
            return Optional.empty();
        }
        int length = wire.length - zone.wire.length;
        return Optional.of(
                length == 0 ? EMPTY : length == wire.length ? this : new DnsLabels(Arrays.copyOf(wire, length)));
    }

    @Override
    public int compareTo(DnsLabels other) {
        if (wire.length > 0 && other.wire.length > 0) {
            // Large sorts compare names below one parent, which differ in their first label only.
            int rest = 1 + wire[0];
            int otherRest = 1 + other.wire[0];
            if (wire.length - rest == other.wire.length - otherRest
                    && matches(wire, rest, wire.length, other.wire, otherRest)) {
                return compareLabels(wire, 0, other.wire, 0);
            }
        }
        int mine = count();
        int theirs = other.count();
        for (int i = 1; i <= Math.min(mine, theirs); i++) {
            int difference = compareLabels(wire, start(mine - i), other.wire, other.start(theirs - i));
            if (difference != 0) {
                return difference;
            }
        }
        return mine - theirs;
    }

    /**
     * Compares two labels in wire form, in the canonical order.
     *
     * @param bytes the array that holds the first label
     * @param at the index of its length byte
     * @param other the array that holds the second label
     * @param otherAt the index of its length byte
     */
    @Internal
    public static int compareLabels(byte[] bytes, int at, byte[] other, int otherAt) {
        int shorter = Math.min(bytes[at], other[otherAt]);
        for (int i = 1; i <= shorter; i++) {
            int difference = FoldedWords.fold(bytes[at + i]) - FoldedWords.fold(other[otherAt + i]);
            if (difference != 0) {
                return difference;
            }
        }
        return bytes[at] - other[otherAt];
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof DnsLabels labels
                && labels.hash == hash
                && labels.wire.length == wire.length
                && matches(wire, 0, wire.length, labels.wire, 0);
    }

    @Override
    public int hashCode() {
        return hash;
    }

    /**
     * Returns the presentation form without the trailing dot; dots, backslashes and other special characters are
     * escaped.
     */
    @Override
    public String toString() {
        return PresentationForm.of(wire);
    }
}
