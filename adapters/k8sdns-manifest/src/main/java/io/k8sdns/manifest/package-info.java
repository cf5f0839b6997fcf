/**
 * Reads Kubernetes manifests in YAML and JSON as cluster objects.
 *
 * <pre>{@code
 * ClusterSnapshot cluster = Manifests.read(deploy); // throws with all problems
 *
 * ManifestResult lenient = Manifests.read(List.of(ManifestInput.path(deploy)), ManifestOptions.DEFAULTS);
 * lenient.diagnostics().forEach(System.out::println);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.manifest.Manifests}. The steps of reading one file: {@code ManifestFiles} finds it,
 * {@code io.k8sdns.manifest.syntax} splits and parses it, {@code FileReading} of {@code io.k8sdns.manifest.objects} collects its objects,
 * {@code io.k8sdns.manifest.checks} checks them as an API server would, and {@code Gathering} combines all files: of several
 * objects with one name, the last one without a fault is used, otherwise the last one. The live adapter shares the steps from
 * tokens to objects: {@code io.k8sdns.json}.
 *
 * <p>{@link io.k8sdns.manifest.WatchedManifests} also follows the files: {@code io.k8sdns.manifest.following} waits for
 * changes and reads the changed files, and {@code FollowedCluster} computes the changes of the cluster.
 *
 * <p>{@link io.k8sdns.manifest.PodManifest} reads one Pod for {@link io.k8sdns.resolvconf} and checks it as an API
 * server does.
 *
 * <p>{@link io.k8sdns.model} holds the objects; {@code io.k8sdns.completion} completes omitted fields. This is the only
 * module that uses SnakeYAML.
 */
@NullMarked
package io.k8sdns.manifest;

import org.jspecify.annotations.NullMarked;
