/**
 * What any DNS server for a cluster should answer, as a list of questions, and how to tell whether it did.
 *
 * <pre>{@code
 * for (Expectation one : Expectations.of(zone.current(), cluster, Visibility.ALL)) {
 *     Message response = server.send(one.query(1));
 *     assertThat(one.difference(response)).as(one.toString()).isEmpty();
 * }
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.verify.Expectations}, which draws up the list from a zone and its objects;
 * {@link io.k8sdns.verify.Expectation} is one question with its answer. What the specification leaves open is not
 * compared: TTL, order, priority and weight.
 *
 * <p>It sends nothing: the host sends the query and passes the response, or uses {@code ServerCheck} of
 * {@code k8sdns-sockets}, which does both. The records come from {@link io.k8sdns.zone}; none is
 * derived here.
 */
@NullMarked
package io.k8sdns.verify;

import org.jspecify.annotations.NullMarked;
