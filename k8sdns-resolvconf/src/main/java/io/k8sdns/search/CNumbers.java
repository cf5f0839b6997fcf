package io.k8sdns.search;

import io.k8sdns.hosts.NameText;

/** Numbers as the functions of C read them. */
final class CNumbers {
    private CNumbers() {}

    /**
     * Reads as {@code atoi}: white space, a sign, digits; the rest is left. 0 if there is no number.
     *
     * @param from where in the text to begin
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
        // strtol stays at the ends of a long; of that the low half is taken.
        long value = digits(text, i, Long.MAX_VALUE);
        return (int) (negative ? value == Long.MAX_VALUE ? Long.MIN_VALUE : -value : value);
    }

    /** Reads the digits at the beginning; 0 if there are none. */
    static long digits(String text, long most) {
        return digits(text, 0, most);
    }

    private static long digits(String text, int from, long most) {
        long value = 0;
        for (int i = from; i < text.length() && NameText.isDigit(text.charAt(i)); i++) {
            int digit = text.charAt(i) - '0';
            if (value > (most - digit) / 10) {
                return most;
            }
            value = value * 10 + digit;
        }
        return value;
    }
}
