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
 * {@link io.k8sdns.model.EndpointSlice}. Everything a record can depend on is here and nothing else: no annotation, no
 * status beyond addresses and readiness, no spec that only a proxy reads. {@link io.k8sdns.model.Endpoints} and
 * {@link io.k8sdns.model.StatefulSet} are read to make slices and Pods of them, and are no
 * {@link io.k8sdns.model.ClusterObject} themselves. What is refused is refused with
 * {@link io.k8sdns.model.InvalidFieldException}, which names the field.
 *
 * <p>Objects are made by short factories ({@code Endpoint.of("192.0.2.10")}) and builders ({@code
 * EndpointSlice.builder("shop", "db-1").service("db")}); {@code toBuilder()} starts from an object that exists. Values are
 * plain: a field that is not set is absent.
 *
 * <p>This package reads no file and no API: manifests and the live cluster hand objects in. The set of objects is
 * {@link io.k8sdns.cluster.ClusterSnapshot}; names are {@link io.k8sdns.name}; records are derived in the records
 * module.
 */
@NullMarked
package io.k8sdns.model;

import org.jspecify.annotations.NullMarked;
