/**
 * Internal, not exported: the fields of kustomizations that decide the names of objects.
 *
 * <p>{@code Kustomization} is one {@code kustomization.yaml}. {@code KustomizationTree} finds out which files the kustomizations of a
 * directory read, in which order, and with which {@code NameTransformation}s. {@code KustomizedNames} applies the changes to the objects of
 * one file, and {@code RenamedServices} to the fields that name a Service, which {@code ServiceReferences} reads first.
 *
 * <pre>{@code
 *   overlays/prod ---- resources ----> base ---- resources ----> web.yaml
 *   namePrefix: prod-                  namePrefix: eu-           Service web  ->  Service prod-eu-web
 * }</pre>
 */
@NullMarked
package io.k8sdns.manifest.kustomize;

import org.jspecify.annotations.NullMarked;
