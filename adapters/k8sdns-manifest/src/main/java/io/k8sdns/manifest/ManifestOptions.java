package io.k8sdns.manifest;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.model.Internal;
import java.util.Objects;

/**
 * How manifests are read.
 *
 * @param defaultNamespace the namespace of objects that name none, what {@code kubectl apply -n} does
 * @param asIs whether nothing is completed, and nothing required: only what the files say counts
 * @param strict whether everything that would be left out with a warning is an error
 * @param addressing the networks that missing addresses are taken from; not used with {@code asIs}
 */
public record ManifestOptions(String defaultNamespace, boolean asIs, boolean strict, Addressing addressing) {
    /** Namespace {@code default}, read as if applied, not strict, {@link Addressing#DEFAULTS}. */
    public static final ManifestOptions DEFAULTS = new ManifestOptions("default", false, false, Addressing.DEFAULTS);

    /**
     * Checks the namespace.
     *
     * @throws IllegalArgumentException if it is no DNS label
     */
    @Internal
    public ManifestOptions {
        Objects.requireNonNull(defaultNamespace, "defaultNamespace");
        if (!KubernetesNames.isDnsLabel(defaultNamespace)) {
            throw new IllegalArgumentException("not the name of a namespace: \"" + defaultNamespace + "\"");
        }
        Objects.requireNonNull(addressing, "addressing");
    }

    /** Returns the same options with this namespace for objects that name none. */
    public ManifestOptions withDefaultNamespace(String defaultNamespace) {
        return new ManifestOptions(defaultNamespace, asIs, strict, addressing);
    }

    /** Returns the same options, reading what the files say and nothing else. */
    public ManifestOptions withAsIs() {
        return new ManifestOptions(defaultNamespace, true, strict, addressing);
    }

    /** Returns the same options, every warning being an error. */
    public ManifestOptions withStrict() {
        return new ManifestOptions(defaultNamespace, asIs, true, addressing);
    }

    /** Returns the same options with these networks. */
    public ManifestOptions withAddressing(Addressing addressing) {
        return new ManifestOptions(defaultNamespace, asIs, strict, addressing);
    }
}
