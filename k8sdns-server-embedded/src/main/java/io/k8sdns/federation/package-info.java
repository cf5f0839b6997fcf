/**
 * Federated service discovery: one name for a Service in many clusters, nearest shard first.
 *
 * <p>Pure: no socket, thread or clock.
 */
@NullMarked
package io.k8sdns.federation;

import org.jspecify.annotations.NullMarked;
