/**
 * Internal: Kubernetes objects from JSON, for {@code io.k8sdns.clientjava} and {@code io.k8sdns.manifest}. The module
 * exports this package only to those two, and it may change in any version.
 *
 * <p>{@code ApiReader} reads the responses of an API server. {@code JsonTokens} reads a text, {@code Documents}
 * composes {@code Value}s with lines of any {@code Tokens}, {@code ObjectReader} makes objects of
 * {@link io.k8sdns.model} of a value through {@code Field}, which reports wrong values to {@code FileNotes}.
 * {@code ServiceReader}, {@code EndpointsReader}, {@code PodReader} and others read the kinds; {@code PortFields} and
 * {@code FieldValues} read their common fields. A source adds checks with an implementation of {@code ObjectChecks}.
 *
 * <p>This package uses only the tokens of Jackson, which have line numbers; {@code io.k8sdns.manifest} reads YAML.
 */
@NullMarked
package io.k8sdns.json;

import org.jspecify.annotations.NullMarked;
