package io.k8sdns.emulators;

import io.k8sdns.hosts.NameText;

/** Reads numbers as the functions of C do. */
final class CNumbers {
    private CNumbers() {}

    /**
     * Reads a number as {@code atoi} does: white space, a sign, digits; the rest is ignored. 0 if there is no number.
     *
     * @param from the index at which to begin
     */
    static int atoi(String text, int from) {
        int i = from;
        while (i < text.length() && Lines.SPACE.indexOf(text.charAt(i)) >= 0) {
            i++;
        }
        boolean negative = i < text.length() && text.charAt(i) == '-';
        if (negative || i < text.length() && text.charAt(i) == '+') {
            i++;
        }
        // strtol saturates at the limits of a long; atoi returns the low 32 bits of it.
        long value = digits(text, i, Long.MAX_VALUE);
        return (int) (negative ? value == Long.MAX_VALUE ? Long.MIN_VALUE : -value : value);
    }

    /** Reads the digits at the beginning of a text; 0 if there are none. */
    static long digits(String text, long max) {
        return digits(text, 0, max);
    }

    private static long digits(String text, int from, long max) {
        long value = 0;
        for (int i = from; i < text.length() && NameText.isDigit(text.charAt(i)); i++) {
            int digit = text.charAt(i) - '0';
            if (value > (max - digit) / 10) {
                return max;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
