/**
 * Kubernetes manifests in YAML and JSON as cluster objects.
 *
 * <pre>{@code
 * ClusterSnapshot cluster = Manifests.read(deploy); // throws with everything that is wrong
 *
 * ManifestResult lenient = Manifests.read(List.of(ManifestInput.path(deploy)), ManifestOptions.DEFAULTS);
 * lenient.diagnostics().forEach(System.out::println);
 * }</pre>
 *
 * <p>Start with {@link io.k8sdns.manifest.Manifests}. The walk of one file: {@code ManifestFiles} finds it, {@code Piece}
 * cuts it at its {@code ---} lines, {@code PieceReader} reads a piece as JSON or YAML, {@code ManifestChecks} checks its
 * objects ({@code KnownTypes} finds misspelt names and values of the wrong type, {@code RequiredFields} finds fragments,
 * {@code ApiServerValidation} finds values that an API server refuses), {@code Gathering} puts all files together: of two
 * objects with one name the later one counts, unless it has a fault and the earlier one has none. The steps between, from
 * tokens to objects, are shared with the live adapter: {@code io.k8sdns.json}.
 *
 * <p>{@link io.k8sdns.manifest.WatchedManifests} goes on to follow the files: {@code Lookout} says when to look,
 * {@code Look} what there is, {@code ManifestFollower} reads what has changed, {@code FollowedCluster} tells the difference.
 *
 * <p>{@link io.k8sdns.manifest.PodManifest} is another matter: one Pod, judged as an API server judges it, for
 * {@link io.k8sdns.resolvconf}.
 *
 * <p>The objects are {@link io.k8sdns.model}'s; what the files leave out is completed by {@link io.k8sdns.cluster}. This is
 * the only module that uses SnakeYAML.
 */
@NullMarked
package io.k8sdns.manifest;

import org.jspecify.annotations.NullMarked;
