package io.k8sdns.micrometer;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Meters by number, each registered when it is first used: to look one up allocates nothing from then on. */
final class LazyMeters<M> {
    private final AtomicReferenceArray<@Nullable M> meters;
    private final IntFunction<M> registered;

    /**
     * Makes meters numbered from 0.
     *
     * @param registered registers one; asked twice for the same number it returns the same meter, as registries do
     */
    LazyMeters(int count, IntFunction<M> registered) {
        this.meters = new AtomicReferenceArray<>(count);
        this.registered = registered;
    }

    M get(int number) {
        M known = meters.get(number);
        if (known == null) {
            known = registered.apply(number);
            meters.set(number, known);
        }
        return known;
    }
}
