/**
 * Kubernetes manifests in YAML and JSON as cluster objects.
 *
 * <p>Start with {@link io.k8sdns.manifest.Manifests}. Reading happens once, when asked; files are not watched.
 *
 * <p>The objects are {@link io.k8sdns.model}'s; this is the only module that knows Jackson.
 */
@NullMarked
package io.k8sdns.manifest;

import org.jspecify.annotations.NullMarked;
