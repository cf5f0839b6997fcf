package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/**
 * The metadata of an object in a namespace.
 *
 * @param namespace the namespace, a DNS-1123 label
 * @param name the object's name, a DNS-1123 subdomain; some kinds allow less
 * @param uid the UID that the API server assigned; empty for an object that was never stored in an API server
 * @param labels the object's labels
 */
public record Metadata(String namespace, String name, Optional<String> uid, Labels labels) {
    /**
     * Checks namespace and name.
     *
     * @throws InvalidFieldException if one of them is not what Kubernetes allows
     */
    @Internal
    public Metadata {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(uid, "uid");
        Objects.requireNonNull(labels, "labels");
        FieldChecks.requireDnsLabel("metadata.namespace", namespace);
        FieldChecks.requireDnsSubdomain("metadata.name", name);
    }

    /** Returns metadata without UID and labels. */
    public static Metadata of(String namespace, String name) {
        return new Metadata(namespace, name, Optional.empty(), Labels.NONE);
    }

    /**
     * Returns the same metadata with this name.
     *
     * @throws InvalidFieldException if it is not a DNS subdomain
     */
    public Metadata withName(String newName) {
        Objects.requireNonNull(newName, "newName");
        return new Metadata(namespace, newName, uid, labels);
    }

    /** Returns the same metadata with these labels. */
    public Metadata withLabels(Labels newLabels) {
        Objects.requireNonNull(newLabels, "newLabels");
        return new Metadata(namespace, name, uid, newLabels);
    }

    /**
     * Returns the same metadata with these labels.
     *
     * @param newLabels keys and values joined by commas, for example {@code app=web,tier=front}
     * @throws InvalidFieldException if one of them is not a label
     */
    public Metadata withLabels(String newLabels) {
        return withLabels(Labels.parse(Objects.requireNonNull(newLabels, "newLabels")));
    }

    /** Returns the same metadata with this UID. */
    public Metadata withUid(String newUid) {
        return new Metadata(namespace, name, Optional.of(Objects.requireNonNull(newUid, "newUid")), labels);
    }
}
