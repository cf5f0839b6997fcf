/**
 * Explains why a name has records in a cluster, or why it has none.
 *
 * <pre>{@code
 * Explanation why = Explainer.of(cluster).explain("crat.shop", A);
 * assertThat(why.causes()).hasToString("[Service shop/crat: no such Service]");
 * assertThat(why.suggestions().get(0).text()).isEqualTo("look up cart.shop.svc.cluster.local.");
 * }</pre>
 *
 * <p>{@link io.k8sdns.explain.Explainer} looks a name up in a snapshot. For each record of the answer, {@code RecordSources} finds
 * the object and the field that make it. For an answer without records, {@code MissingRecords} chooses the class for the form of the
 * name, such as {@code MissingServiceName} or {@code MissingEndpoint}, which adds causes, and proposes changes and other names.
 * {@code WhatIf} tries each proposal; only those with which a name resolves become suggestions. {@code ManifestWarnings} puts what was
 * reported about the manifests of these objects first, and decides whether records are of an object that an API server refuses.
 */
@NullMarked
package io.k8sdns.explain;

import org.jspecify.annotations.NullMarked;
