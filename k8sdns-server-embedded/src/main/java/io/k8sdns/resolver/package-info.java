/**
 * Questions to answers, as functions over values.
 *
 * <p>Start with {@link io.k8sdns.resolver.DnsResolver}, the one extension point, and
 * {@link io.k8sdns.resolver.ClusterResolver}, which answers from a zone. Resolvers compose; every one of them answers
 * every question.
 *
 * <p>It knows no bytes ({@link io.k8sdns.wire} does) and derives no record ({@link io.k8sdns.zone} looks them up).
 */
@NullMarked
package io.k8sdns.resolver;

import org.jspecify.annotations.NullMarked;
