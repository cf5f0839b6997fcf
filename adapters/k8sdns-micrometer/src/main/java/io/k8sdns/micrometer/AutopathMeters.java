package io.k8sdns.micrometer;

import io.k8sdns.autopath.AutopathObserver;
import io.k8sdns.resolver.AnswerStatus;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Meters of questions that are expanded by a search list: {@code k8sdns.autopath.expansions} and {@code k8sdns.autopath.duration}.
 *
 * <pre>{@code
 * AutopathResolver.builder(chain).byName().observer(new AutopathMeters(registry), System::nanoTime)
 * }</pre>
 *
 * <p>The meters are registered at the first expansion of each mode.
 */
public final class AutopathMeters implements AutopathObserver {
    private final MeterRegistry registry;

    /** Creates meters on a registry. */
    public AutopathMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    @Override
    public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
        Timer.builder("k8sdns.autopath.duration")
                .description("How long the lookups of a search list took.")
                .tags("mode", lowerCase(mode))
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry)
                .record(nanos, TimeUnit.NANOSECONDS);
        Counter.builder("k8sdns.autopath.expansions")
                .description("Questions that were expanded by a search list.")
                .tags("mode", lowerCase(mode), "lookups", Integer.toString(lookups), "status", lowerCase(status))
                .register(registry)
                .increment();
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }
}
