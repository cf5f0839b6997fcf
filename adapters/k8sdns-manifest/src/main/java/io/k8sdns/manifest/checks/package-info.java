/**
 * Internal, not exported: what an API server would refuse about an object, in its words.
 *
 * <p>{@code ManifestChecks} calls the others in order: {@code KnownTypes} finds misspelt names and values of the wrong
 * type, {@code RequiredFields} finds fragments, {@code ApiServerValidation} finds values that are refused.
 * {@code PodDecoder} decodes the DNS fields of a Pod as an API server does.
 */
@NullMarked
package io.k8sdns.manifest.checks;

import org.jspecify.annotations.NullMarked;
