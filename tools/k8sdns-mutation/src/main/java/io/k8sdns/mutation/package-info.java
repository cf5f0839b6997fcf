/**
 * Mutation testing: PIT changes one instruction at a time in the classes that decide answers, and the tests have to
 * notice.
 *
 * <p>Start with {@link io.k8sdns.mutation.MutationTesting}. Which classes, and how many of their mutants must be killed,
 * stands in {@code classes.txt}; mutants that behave like the original in {@code equivalent.txt}.
 */
@NullMarked
package io.k8sdns.mutation;

import org.jspecify.annotations.NullMarked;
