package io.k8sdns.model;

import java.util.Objects;
import java.util.Optional;

/** The phase of a Pod. */
public enum PodPhase {
    PENDING("Pending"),
    RUNNING("Running"),
    SUCCEEDED("Succeeded"),
    FAILED("Failed"),
    UNKNOWN("Unknown");

    private final String text;

    PodPhase(String text) {
        this.text = text;
    }

    /** Reads the API's spelling; empty for anything else. */
    public static Optional<PodPhase> tryParse(String text) {
        Objects.requireNonNull(text, "text");
        for (PodPhase phase : values()) {
            if (phase.text.equals(text)) {
                return Optional.of(phase);
            }
        }
        return Optional.empty();
    }

    /** Returns the API's spelling, for example {@code Running}. */
    @Override
    public String toString() {
        return text;
    }
}
