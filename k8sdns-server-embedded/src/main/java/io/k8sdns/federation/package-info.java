/**
 * Federated service discovery: one name for a Service in many clusters, nearest shard first.
 *
 * <pre>{@code
 * FederatedZone zone = FederatedZone.builder(format).build();
 * store.watch(zone);
 * Forwarder nameServers = (question, client) -> {
 *     CompletableFuture<Answer> answer = new CompletableFuture<>();
 *     zone.resolve(question, client).deliver(answer::complete);
 *     return answer;
 * };
 * DnsResolver inFoo = StubZoneResolver.builder(
 *                 FederationZoneName.parse("federation."), new SourceCluster("foo"), others)
 *         .routes(federation -> Optional.of(nameServers))
 *         .build();
 * inFoo.resolve(Question.of("cart.shop.prod.svc.federation.", A), Client.IN_PROCESS)
 *         .deliver(answers::add); // 10.0.3.64
 * }</pre>
 *
 * <p>In the DNS server of federations, start with {@link io.k8sdns.federation.FederatedZone}, a resolver that serves the content of
 * a {@link io.k8sdns.federation.FederationStore}. A {@link io.k8sdns.federation.FederationFormat} parses the values of the store;
 * the module {@code k8sdns-federation} implements the format JSON. In the DNS server of a cluster, start with {@link
 * io.k8sdns.federation.StubZoneResolver}, which forwards federated names together with the name of the cluster.
 *
 * <p>The <i>design document</i> of federations is "Service Discovery in Ubernetes", of the Kubernetes project.
 *
 * <p>Pure: no socket, thread or clock. This package never writes to the store.
 */
@NullMarked
package io.k8sdns.federation;

import org.jspecify.annotations.NullMarked;
