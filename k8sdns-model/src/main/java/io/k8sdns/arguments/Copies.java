package io.k8sdns.arguments;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;

/**
 * Makes immutable copies of the collections that callers pass. Unlike {@link List#copyOf}, {@link Set#copyOf} and
 * {@link Map#copyOf}, its exceptions name the argument, and in a list the element: {@code NullPointerException: zones},
 * {@code NullPointerException: batch[3]}.
 *
 * <p>Used by the other modules of this library, too.
 */
public final class Copies {
    private Copies() {}

    /**
     * Returns an immutable copy of a list or another collection, in its order.
     *
     * @param name the name of the argument
     * @throws NullPointerException if the argument or one of its elements is null
     * @throws IllegalArgumentException if reading the argument throws; the cause is what it threw
     */
    public static <T> List<T> list(String name, Collection<? extends T> values) {
        Objects.requireNonNull(values, name);
        try {
            return List.copyOf(values);
        } catch (RuntimeException e) {
            throw explained(name, () -> values, e);
        }
    }

    /** Like {@link #list(String, Collection)}, for another iterable. */
    public static <T> List<T> list(String name, Iterable<? extends T> values) {
        Objects.requireNonNull(values, name);
        try {
            List<T> all = new ArrayList<>();
            values.forEach(all::add);
            return List.copyOf(all);
        } catch (RuntimeException e) {
            throw explained(name, () -> values, e);
        }
    }

    /**
     * Returns a list with one more element, for builders: the same list if this method made it, otherwise a copy.
     *
     * @param values an immutable list, or a list that this method returned
     */
    public static <T> List<T> added(List<T> values, T value) {
        List<T> all = values instanceof ArrayList<T> ? values : new ArrayList<>(values);
        all.add(value);
        return all;
    }

    /**
     * Returns an immutable copy of a set.
     *
     * @param name the name of the argument
     * @throws NullPointerException if the argument or one of its elements is null
     * @throws IllegalArgumentException if reading the argument throws; the cause is what it threw
     */
    public static <T> Set<T> set(String name, Collection<? extends T> values) {
        Objects.requireNonNull(values, name);
        try {
            return Set.copyOf(values);
        } catch (RuntimeException e) {
            throw explained(name, () -> values, e);
        }
    }

    /**
     * Returns an immutable copy of a map, in the same order.
     *
     * @param name the name of the argument
     * @throws NullPointerException if the argument, one of its keys or one of its values is null
     * @throws IllegalArgumentException if reading the argument throws; the cause is what it threw
     */
    public static <K, V> Map<K, V> map(String name, Map<? extends K, ? extends V> values) {
        Objects.requireNonNull(values, name);
        try {
            Map<K, V> all = new LinkedHashMap<>();
            values.forEach((key, value) -> all.put(Objects.requireNonNull(key), Objects.requireNonNull(value)));
            return Collections.unmodifiableMap(all);
        } catch (RuntimeException e) {
            throw explained(name, values::entrySet, e);
        }
    }

    /** Returns an exception that names the argument, in place of the one that copying threw. */
    private static RuntimeException explained(String name, Supplier<Iterable<?>> values, RuntimeException cause) {
        int index = 0;
        try {
            for (Object value : values.get()) {
                Map.Entry<?, ?> entry = value instanceof Map.Entry<?, ?> some ? some : null;
                if (value == null || entry != null && entry.getKey() == null) {
                    return new NullPointerException(name + "[" + index + "]");
                }
                if (entry != null && entry.getValue() == null) {
                    return new NullPointerException(name + "[" + entry.getKey() + "]");
                }
                index++;
            }
        } catch (RuntimeException again) {
            // The first exception is reported.
        }
        return new IllegalArgumentException(name + ": cannot be read: " + cause, cause);
    }
}
