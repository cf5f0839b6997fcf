package io.k8sdns.manifest;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.Readiness;
import java.util.Objects;

/**
 * Options for reading manifests: {@link #DEFAULTS}, changed by the methods whose names begin with {@code with}.
 * Immutable.
 */
public final class ManifestOptions {
    /** Namespace {@code default}, read as if applied, not strict, {@link Addressing#DEFAULTS}, {@link Readiness#ALL}. */
    public static final ManifestOptions DEFAULTS =
            new ManifestOptions("default", false, false, Addressing.DEFAULTS, Readiness.ALL);

    private final String defaultNamespace;
    private final boolean asIs;
    private final boolean strict;
    private final Addressing addressing;
    private final Readiness readiness;

    private ManifestOptions(
            String defaultNamespace, boolean asIs, boolean strict, Addressing addressing, Readiness readiness) {
        this.defaultNamespace = defaultNamespace;
        this.asIs = asIs;
        this.strict = strict;
        this.addressing = addressing;
        this.readiness = readiness;
    }

    /**
     * Returns the same options with this default namespace.
     *
     * @throws IllegalArgumentException if it is not a DNS label
     */
    public ManifestOptions withDefaultNamespace(String defaultNamespace) {
        Objects.requireNonNull(defaultNamespace, "defaultNamespace");
        if (!KubernetesNames.isDnsLabel(defaultNamespace)) {
            throw new IllegalArgumentException("not the name of a namespace: \"" + defaultNamespace + "\"");
        }
        return new ManifestOptions(defaultNamespace, asIs, strict, addressing, readiness);
    }

    /** Returns the same options for reading the files as they are, without completion and required fields. */
    public ManifestOptions withAsIs() {
        return new ManifestOptions(defaultNamespace, true, strict, addressing, readiness);
    }

    /** Returns the same options with every warning as an error. */
    public ManifestOptions withStrict() {
        return new ManifestOptions(defaultNamespace, asIs, true, addressing, readiness);
    }

    /** Returns the same options with these networks. */
    public ManifestOptions withAddressing(Addressing addressing) {
        Objects.requireNonNull(addressing, "addressing");
        return new ManifestOptions(defaultNamespace, asIs, strict, addressing, readiness);
    }

    /** Returns the same options with these assumptions about Pods without conditions. */
    public ManifestOptions withReadiness(Readiness readiness) {
        Objects.requireNonNull(readiness, "readiness");
        return new ManifestOptions(defaultNamespace, asIs, strict, addressing, readiness);
    }

    /** Returns the default namespace, as {@code kubectl apply -n} sets it. */
    public String defaultNamespace() {
        return defaultNamespace;
    }

    /** Returns whether the files are read as they are, without completion and required fields. */
    public boolean asIs() {
        return asIs;
    }

    /** Returns whether everything that would be skipped with a warning is an error. */
    public boolean strict() {
        return strict;
    }

    /** Returns the networks from which missing addresses are chosen; not used with {@code asIs}. */
    public Addressing addressing() {
        return addressing;
    }

    /** Returns the assumptions about Pods without conditions; not used with {@code asIs}. */
    public Readiness readiness() {
        return readiness;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof ManifestOptions that
                && defaultNamespace.equals(that.defaultNamespace)
                && asIs == that.asIs
                && strict == that.strict
                && addressing.equals(that.addressing)
                && readiness.equals(that.readiness);
    }

    @Override
    public int hashCode() {
        return Objects.hash(defaultNamespace, asIs, strict, addressing, readiness);
    }

    @Override
    public String toString() {
        return "ManifestOptions[defaultNamespace=" + defaultNamespace + ", asIs=" + asIs + ", strict=" + strict
                + ", addressing=" + addressing + ", readiness=" + readiness + "]";
    }
}
