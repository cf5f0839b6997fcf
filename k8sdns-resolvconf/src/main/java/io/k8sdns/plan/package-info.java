/**
 * Simulates the queries that a program sends for a name, for each dialect of resolvers.
 *
 * <pre>{@code
 * QueryTrace lookup = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC)
 *         .run(AnswerScript.of(Map.of("api.payments.example", "A")));
 * assertThat(lookup.queries()).hasSize(8); // A and AAAA of three search domains, and of the name itself
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.plan.QueryPlan}, made of {@link io.k8sdns.search.ResolverSettings} (a file as read
 * by {@link io.k8sdns.plan.SettingsReader}) and a {@link io.k8sdns.search.LookupRequest}. Its run with
 * {@link io.k8sdns.search.AnswerSource} returns a {@link io.k8sdns.plan.QueryTrace}. {@link io.k8sdns.advice} suggests
 * cheaper spellings.
 *
 * <p>This package sends no query: the caller passes a script or a function that returns the answers.
 * {@link io.k8sdns.resolvconf} makes the resolv.conf of a Pod.
 */
@NullMarked
package io.k8sdns.plan;

import org.jspecify.annotations.NullMarked;
