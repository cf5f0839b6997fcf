/**
 * Internal: checks and copies of arguments. The package is exported to modules of k8sdns only and may change in any release.
 *
 * <p>{@code Copies} copies collections and names the argument that it cannot copy; {@code KubernetesNames} checks names as the
 * Kubernetes API server does.
 */
@NullMarked
package io.k8sdns.arguments;

import org.jspecify.annotations.NullMarked;
