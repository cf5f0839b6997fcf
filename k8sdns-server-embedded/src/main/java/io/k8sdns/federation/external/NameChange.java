package io.k8sdns.federation.external;

import io.k8sdns.name.DnsLabels;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A conditional change of the records of one name and of its owner record. It must be applied only if the zone has the old owner
 * record.
 */
public final class NameChange {
    private final @Nullable OwnedRecords before;
    private final @Nullable OwnedRecords after;
    private final DnsLabels name;

    private NameChange(DnsLabels name, @Nullable OwnedRecords before, @Nullable OwnedRecords after) {
        this.name = name;
        this.before = before;
        this.after = after;
    }

    /** Returns the creation of a name, on condition that neither the name nor its owner record exists. */
    public static NameChange create(OwnedRecords after) {
        return new NameChange(Objects.requireNonNull(after, "after").name(), null, after);
    }

    /**
     * Returns the change of a name, on condition that it has the owner record of {@code before}.
     *
     * @throws IllegalArgumentException if the names differ
     */
    public static NameChange replace(OwnedRecords before, OwnedRecords after) {
        Objects.requireNonNull(before, "before");
        Objects.requireNonNull(after, "after");
        if (!before.name().equals(after.name())) {
            throw new IllegalArgumentException("two names: " + before.name() + ", " + after.name());
        }
        return new NameChange(after.name(), before, after);
    }

    /** Returns the removal of a name, on condition that it has the owner record of {@code before}. */
    public static NameChange delete(OwnedRecords before) {
        return new NameChange(Objects.requireNonNull(before, "before").name(), before, null);
    }

    /** Returns the name, the labels up to the root. */
    public DnsLabels name() {
        return name;
    }

    /** Returns the expected old records; empty for a new name. */
    public Optional<OwnedRecords> before() {
        return Optional.ofNullable(before);
    }

    /** Returns the new records; empty for a removed name. */
    public Optional<OwnedRecords> after() {
        return Optional.ofNullable(after);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof NameChange that
                && name.equals(that.name)
                && Objects.equals(before, that.before)
                && Objects.equals(after, that.after);
    }

    @Override
    public int hashCode() {
        return Objects.hash(name, before, after);
    }

    /** Returns the change for logs. */
    @Override
    public String toString() {
        return before == null
                ? "create " + after
                : after == null ? "delete " + before : "replace " + before + " by " + after;
    }
}
