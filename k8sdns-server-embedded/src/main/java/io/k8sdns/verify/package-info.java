/**
 * Checks the answers of any DNS server for a cluster: a list of questions with their expected outcomes, and the comparison.
 *
 * <pre>{@code
 * for (Expectation one : Expectations.of(zone.current(), cluster, Visibility.ALL)) {
 *     Message response = server.send(one.query(1));
 *     assertThat(one.difference(response)).as(one.toString()).isEmpty();
 * }
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.verify.Expectations}, which creates the list from a zone and its objects; {@link
 * io.k8sdns.verify.Expectation} is one question with its expected outcome. TTL, order, priority and weight are not compared,
 * because the specification does not define them.
 *
 * <p>{@link io.k8sdns.verify.ZoneDiff} compares the records of two zones, for example those of manifests before and after a change.
 *
 * <p>This package opens no connection: the host sends the query and passes the response, or uses {@code ServerCheck} of {@code
 * k8sdns-sockets}, which does both. The expected records are those of {@link io.k8sdns.zone}.
 */
@NullMarked
package io.k8sdns.verify;

import org.jspecify.annotations.NullMarked;
