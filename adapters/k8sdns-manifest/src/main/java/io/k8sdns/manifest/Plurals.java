package io.k8sdns.manifest;

import java.util.List;

/** Counts in words: {@code 1 Ingress}, {@code 2 Ingresses}. */
final class Plurals {
    private static final List<String> WITH_ES = List.of("ss", "us", "x", "z", "ch", "sh");

    private Plurals() {}

    /** Returns a number with a word in the singular or plural. */
    static String counted(int count, String word) {
        return count + " " + (count == 1 ? word : of(word));
    }

    /** Returns the plural of an English word or of a kind of object, some of which are plurals already (Endpoints). */
    static String of(String word) {
        if (WITH_ES.stream().anyMatch(word::endsWith)) {
            return word + "es";
        }
        if (word.endsWith("s")) {
            return word;
        }
        boolean yToIes = word.endsWith("y") && word.length() > 1 && "aeiou".indexOf(word.charAt(word.length() - 2)) < 0;
        return yToIes ? word.substring(0, word.length() - 1) + "ies" : word + "s";
    }
}
