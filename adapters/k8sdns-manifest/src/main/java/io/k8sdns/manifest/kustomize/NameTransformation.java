package io.k8sdns.manifest.kustomize;

/**
 * The changes that one kustomization makes to names; an empty text changes nothing.
 *
 * @param namespace the new namespace
 * @param prefix is put before each name
 * @param suffix is put after each name
 */
record NameTransformation(String namespace, String prefix, String suffix) {
    boolean isNone() {
        return namespace.isEmpty() && !isAffix();
    }

    /** Returns whether names get longer. */
    boolean isAffix() {
        return !prefix.isEmpty() || !suffix.isEmpty();
    }
}
