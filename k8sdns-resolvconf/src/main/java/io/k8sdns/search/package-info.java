/**
 * Which queries a program sends for a name: the search lists of resolvers, dialect by dialect.
 *
 * <pre>{@code
 * QueryTrace lookup = QueryPlan.of(dns.resolvConf(), "api.payments.example", Dialect.GLIBC)
 *         .run(AnswerScript.of(Map.of("api.payments.example", "A")));
 * assertThat(lookup.queries()).hasSize(8); // A and AAAA of three search domains, and of the name itself
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.search.QueryPlan}: what {@link io.k8sdns.search.ResolverSettings} (a file as a
 * {@link io.k8sdns.search.Dialect} reads it) and a {@link io.k8sdns.search.LookupRequest} make. Run against
 * {@link io.k8sdns.search.Answers} it gives a {@link io.k8sdns.search.QueryTrace}.
 * {@link io.k8sdns.advice} suggests cheaper spellings.
 *
 * <p>Nothing here sends a query: answers come from a script or a function that the host hands in. The file that is
 * searched by comes from {@link io.k8sdns.resolvconf}.
 */
@NullMarked
package io.k8sdns.search;

import org.jspecify.annotations.NullMarked;
