package io.k8sdns.zone;

/**
 * An SOA serial: an unsigned 32-bit number that wraps around, compared as in RFC 1982.
 *
 * @param value the number, 0 to 4294967295
 */
record SoaSerial(long value) {
    private static final long MAX = 0xFFFF_FFFFL;

    /**
     * Checks the range.
     *
     * @throws IllegalArgumentException if the number is outside
     */
    SoaSerial {
        if (value < 0 || value > MAX) {
            throw new IllegalArgumentException("not a serial (0 to 4294967295): " + value);
        }
    }

    /** Returns the serial after this one; never 0, which stands for a zone that has published nothing. */
    SoaSerial next() {
        return new SoaSerial(value == MAX ? 1 : value + 1);
    }

    /** Returns the serial after this one, or the hint if that is later still; any hint is later than 0. */
    SoaSerial next(SoaSerial hint) {
        SoaSerial next = next();
        boolean later = value == 0 ? hint.value > next.value : (int) (hint.value - next.value) > 0;
        return later ? hint : next;
    }
}
