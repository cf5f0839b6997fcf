package io.k8sdns.micrometer;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Meters by the value of a label that somebody else chooses. Each value is a time series that is kept for ever, so that
 * after so many all others are one.
 */
final class LabelledMeters<M> {
    static final String OTHER = "other";

    private static final int MOST = 32;

    private final Map<String, M> meters = new ConcurrentHashMap<>();
    private final Function<String, M> registered;

    LabelledMeters(Function<String, M> registered) {
        this.registered = registered;
    }

    /** Returns those that have been used, by value; a live view. */
    Map<String, M> used() {
        return Collections.unmodifiableMap(meters);
    }

    M get(String value) {
        @Nullable M known = meters.get(value);
        return known != null ? known : meters.computeIfAbsent(meters.size() < MOST ? value : OTHER, registered);
    }
}
