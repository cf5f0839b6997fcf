/**
 * Internal: Kubernetes objects from JSON, for {@code io.k8sdns.clientjava} and {@code io.k8sdns.manifest}. The module exports
 * this package to those two alone, and it may change in any version. Its types are public only because two of our packages
 * use them.
 *
 * <p>{@code ApiReader} reads the responses of an API server. {@code JsonTokens} reads a text, {@code Documents} composes
 * {@code Value}s with lines of any {@code Tokens}, {@code ObjectReader} makes objects of {@link io.k8sdns.model} of a value
 * through {@code Field}, which reports wrong values to {@code FileNotes}. What a source checks besides is its implementation
 * of {@code ObjectChecks}.
 *
 * <p>Jackson is used here for its tokens, which have lines; YAML is read by {@code io.k8sdns.manifest}.
 */
@NullMarked
package io.k8sdns.json;

import org.jspecify.annotations.NullMarked;
