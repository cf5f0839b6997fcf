/**
 * Kubernetes objects as DNS needs them: small immutable values that cannot be invalid.
 *
 * <pre>{@code
 * HeadlessService db = HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432));
 * EndpointSlice slice = EndpointSlice.of(
 *         "shop", "db", Endpoint.builder("10.244.30.31").hostname("db-0").build());
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.model.Service}, sealed by the headings of the DNS specification, and
 * {@link io.k8sdns.model.EndpointSlice}. The objects hold only the fields on which a record or a Pod's search list can
 * depend: no annotations, no status beyond addresses, readiness, phase and load balancer, no fields that only a proxy reads.
 * {@link io.k8sdns.model.Endpoints} and {@link io.k8sdns.model.Workload} are converted to slices and Pods, and are not
 * {@link io.k8sdns.model.ClusterObject}s. An invalid value causes an {@link io.k8sdns.model.InvalidFieldException},
 * which names the field.
 *
 * <p>Objects are made by short factories ({@code Endpoint.of("192.0.2.10")}) and builders
 * ({@code EndpointSlice.builder("shop", "db-1").service("db")}); {@code toBuilder()} starts from an object that exists.
 * A field that is not set is absent; no default is added.
 *
 * <p>This package reads no file and no API; the adapters do. {@link io.k8sdns.cluster.ClusterSnapshot} is the set of
 * objects, {@link io.k8sdns.name} holds the names, and the records module derives the records.
 */
@NullMarked
package io.k8sdns.model;

import org.jspecify.annotations.NullMarked;
