/**
 * The parts of a simulated lookup: the program's request, its resolver's queries and the servers' replies.
 *
 * <pre>{@code
 * AnswerSource answers = AnswerScript.of(Map.of("api.payments.example", "A"));
 * Reply reply = answers.answer(new PlannedQuery(
 *         "api.payments.example.", QueryType.A, "10.96.0.10", Transport.UDP, 0, 0, Reason.FIRST));
 * assertThat(reply.kind()).isEqualTo(Reply.Kind.DATA);
 * }</pre>
 *
 * <p>A {@link io.k8sdns.search.Dialect} names a resolver, {@link io.k8sdns.search.ResolverSettings} is a resolv.conf as
 * that resolver reads it, {@link io.k8sdns.search.LookupRequest} what the program asks for, and
 * {@link io.k8sdns.search.AnswerSource} the servers. {@link io.k8sdns.plan} runs a lookup with them.
 */
@NullMarked
package io.k8sdns.search;

import org.jspecify.annotations.NullMarked;
