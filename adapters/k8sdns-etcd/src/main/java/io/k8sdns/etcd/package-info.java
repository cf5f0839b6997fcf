/**
 * A {@link io.k8sdns.federation.FederationStore} in etcd.
 *
 * <pre>{@code
 * EtcdStore store = EtcdStore.builder(List.of(URI.create("https://127.0.0.1:2379")))
 *         .tls(EtcdTls.withClientCertificate(ca, certificate, key))
 *         .start();
 * store.watch(listener);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.etcd.EtcdStore}; {@link io.k8sdns.etcd.EtcdTls} reads certificates from PEM files. This package does
 * not interpret keys and values; {@link io.k8sdns.federation} defines their meaning.
 */
@NullMarked
package io.k8sdns.etcd;

import org.jspecify.annotations.NullMarked;
