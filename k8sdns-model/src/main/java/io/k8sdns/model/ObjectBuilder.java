package io.k8sdns.model;

import java.util.Objects;

/**
 * Sets the metadata of an object in a namespace; the common part of the builders of such objects. Not thread-safe.
 *
 * @param <B> the builder itself
 */
public abstract sealed class ObjectBuilder<B extends ObjectBuilder<B>>
        permits ServiceBuilder, EndpointSlice.Builder, Pod.Builder, StatefulSet.Builder {
    Metadata metadata;

    ObjectBuilder(Metadata metadata) {
        this.metadata = metadata;
    }

    abstract B self();

    /** Sets namespace, name, UID and labels, in place of those set before. */
    public final B metadata(Metadata value) {
        metadata = Objects.requireNonNull(value, "metadata");
        return self();
    }

    /** Sets the labels of the object, in place of those of the metadata. */
    public final B labels(Labels all) {
        metadata = metadata.withLabels(Objects.requireNonNull(all, "labels"));
        return self();
    }

    /**
     * Sets the labels of the object, in place of those of the metadata.
     *
     * @param all keys and values joined by commas, for example {@code app=web,tier=front}
     * @throws InvalidFieldException if one of them is not a label
     */
    public final B labels(String all) {
        return labels(Labels.parse(Objects.requireNonNull(all, "labels")));
    }
}
