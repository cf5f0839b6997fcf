package io.k8sdns.micrometer;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Meters by number, each registered at its first use. Later lookups allocate nothing. */
final class LazyMeters<M> {
    private final AtomicReferenceArray<@Nullable M> meters;
    private final IntFunction<M> register;

    /**
     * Creates meters numbered from 0.
     *
     * @param register registers the meter of a number; returns the same meter if called again, as registries do
     */
    LazyMeters(int count, IntFunction<M> register) {
        this.meters = new AtomicReferenceArray<>(count);
        this.register = register;
    }

    M get(int number) {
        M known = meters.get(number);
        if (known == null) {
            known = register.apply(number);
            meters.set(number, known);
        }
        return known;
    }
}
