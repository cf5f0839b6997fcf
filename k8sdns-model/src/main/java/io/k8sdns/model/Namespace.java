package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * A Namespace. DNS names below it exist only while the Namespace exists.
 *
 * @param name the name, a DNS-1123 label
 * @param uid the UID that the API server assigned; empty for an object that was never stored in an API server
 * @param labels the labels, with {@code kubernetes.io/metadata.name} if the source has it
 */
public record Namespace(String name, Optional<String> uid, Labels labels) implements ClusterObject {
    /** The kind. */
    public static final String KIND = "Namespace";

    /**
     * Checks the name.
     *
     * @throws InvalidFieldException if it is not a DNS label
     */
    @Internal
    public Namespace {
        Objects.requireNonNull(name, "name");
        FieldChecks.requireDnsLabel("metadata.name", name);
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(labels, "labels");
    }

    /** Returns a Namespace without UID and labels. */
    public static Namespace of(String name) {
        return new Namespace(name, Optional.empty(), Labels.NONE);
    }

    /** Returns the same Namespace with these labels. */
    public Namespace withLabels(Labels newLabels) {
        Objects.requireNonNull(newLabels, "newLabels");
        return new Namespace(name, uid, newLabels);
    }

    /**
     * Returns the same Namespace with these labels.
     *
     * @param newLabels keys and values joined by commas, for example {@code team=shop,env=prod}
     * @throws InvalidFieldException if one of them is not a label
     */
    public Namespace withLabels(String newLabels) {
        return withLabels(Labels.parse(Objects.requireNonNull(newLabels, "newLabels")));
    }

    /** Returns the same Namespace with this UID. */
    public Namespace withUid(String newUid) {
        return new Namespace(name, Optional.of(Objects.requireNonNull(newUid, "newUid")), labels);
    }

    @Override
    public ObjectRef ref() {
        return ObjectRef.of(KIND, name);
    }
}
