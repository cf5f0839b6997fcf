/**
 * The JSON of a federation's store: values of its keys, and the files of {@code k8sdns federated-dns}.
 *
 * <pre>{@code
 * FederationJson json = new FederationJson();
 * FederatedZone zone = FederatedZone.builder(json).build();
 * MemoryStore store = new MemoryStore();
 * store.replaceAll(json.readStore("{\"/prod/shop/cart/foo\": {\"externalIP\": \"192.0.2.10\"}}"));
 * store.watch(zone);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.federation.store.FederationJson}. {@link io.k8sdns.federation.store.ExternalContent} derives the
 * records of {@link io.k8sdns.federation.external} from a store. {@link io.k8sdns.federation} answers questions from the parsed values.
 */
@NullMarked
package io.k8sdns.federation.store;

import org.jspecify.annotations.NullMarked;
