/**
 * Mutation testing: PIT changes one instruction at a time in the classes that decide answers, and the tests have to
 * notice.
 *
 * <p>Start with {@link io.k8sdns.mutation.MutationTesting}. {@code classes.txt} lists the classes, and how many of their mutants
 * must be killed; {@code equivalent.txt} lists mutants that behave like the original.
 */
@NullMarked
package io.k8sdns.mutation;

import org.jspecify.annotations.NullMarked;
