package io.k8sdns.mutation;

/**
 * One change that PIT made to one class.
 *
 * @param className the binary name of the class
 * @param method the name of the method
 * @param mutator what was changed, in PIT's word without its suffix: {@code NegateConditionals}
 * @param line the number of the line, from 1
 * @param source the line of source, without its indentation
 * @param killed whether a test failed
 */
record Mutant(String className, String method, String mutator, int line, String source, boolean killed) {
    /** The name under which {@code equivalent.txt} lists it: without the line number, which changes often. */
    String key() {
        return className + " " + method + " " + mutator + "\n" + source;
    }

    /** The class in which it is counted: a nested class counts for the one around it. */
    String topLevelClass() {
        int nested = className.indexOf('$');
        return nested < 0 ? className : className.substring(0, nested);
    }
}
