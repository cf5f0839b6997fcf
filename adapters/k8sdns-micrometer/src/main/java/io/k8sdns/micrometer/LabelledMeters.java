package io.k8sdns.micrometer;

import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Meters by the value of a label that is not under our control. Each value is a time series that is never removed, so that values
 * beyond a limit share the value {@code other}.
 */
final class LabelledMeters<M> {
    static final String OTHER = "other";

    private static final int MAX_VALUES = 32;

    private final Map<String, M> meters = new ConcurrentHashMap<>();
    private final Function<String, M> register;

    LabelledMeters(Function<String, M> register) {
        this.register = register;
    }

    /** Returns the registered meters by label value; a live view. */
    Map<String, M> used() {
        return Collections.unmodifiableMap(meters);
    }

    M get(String value) {
        @Nullable M known = meters.get(value);
        return known != null ? known : meters.computeIfAbsent(meters.size() < MAX_VALUES ? value : OTHER, register);
    }
}
