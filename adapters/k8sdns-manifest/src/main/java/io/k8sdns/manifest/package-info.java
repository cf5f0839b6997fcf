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
 * <p>Start with {@link io.k8sdns.manifest.Manifests}. A file is read in these steps, each in a package that does not use the ones
 * above it:
 *
 * <pre>
 *   manifest             the public types; ManifestFiles loads the files of an input, FileCollector combines the files and completes
 *      |                 the cluster, DiagnosticReport and Summary describe the result
 *   manifest.kustomize   which files the kustomizations of an input name, and how they change names
 *      |
 *   manifest.following   everything about files that change, except its public type WatchedManifests
 *      |
 *   manifest.objects     the objects of one file (FileReading), and of all files (Inventory)
 *      |
 *   manifest.checks      what an API server would refuse
 *   manifest.syntax      the documents of a file
 * </pre>
 *
 * <p>Of several objects with one name, the last one without a fault is used, otherwise the last one. The live adapter shares the
 * steps from tokens to objects: {@code io.k8sdns.json}.
 *
 * <p>{@link io.k8sdns.manifest.PodManifest} reads one Pod for {@link io.k8sdns.resolvconf} and checks it as an API
 * server does. {@link io.k8sdns.manifest.HostUses} finds the host names that programs will look up.
 *
 * <p>{@link io.k8sdns.model} holds the objects; {@code io.k8sdns.completion} completes omitted fields. This is the only
 * module that uses SnakeYAML.
 */
@NullMarked
package io.k8sdns.manifest;

import org.jspecify.annotations.NullMarked;
