package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Finds and reports upstream servers that forward to this program. Used under the lock of its owner. */
final class LoopReports {
    private final String program;
    private final UpstreamReports reports;

    /** Finds loops; null until this program answers, because only then a loop can be found. */
    private @Nullable Supplier<CompletableFuture<List<UpstreamZone>>> probe;

    /**
     * Creates reports that do not probe before {@link #start}.
     *
     * @param program the noun for this program in messages: server or cache
     */
    LoopReports(String program, UpstreamReports reports) {
        this.program = program;
        this.reports = reports;
    }

    /** Reports the zones that are in a loop now, after they changed; empty for none. Thread-safe. */
    void changed(List<UpstreamZone> looping) {
        if (looping.isEmpty()) {
            reports.print("note: no upstream server forwards to this " + program + " any more");
        } else {
            warn(looping);
        }
    }

    /**
     * Probes for loops, because this program answers from now on.
     *
     * @param probe sends a question to each zone, now and after each change; completes with the zones that are in a loop
     * @param ofConfigMap the zones whose servers are those of a ConfigMap: a loop over them is only a warning
     * @param found receives the message about a loop over other servers, on another thread
     */
    void start(
            Supplier<CompletableFuture<List<UpstreamZone>>> probe, Set<DnsLabels> ofConfigMap, Consumer<String> found) {
        this.probe = probe;
        find(probe.get(), ofConfigMap, Optional.of(found));
    }

    /** Probes for loops after a change of the servers, if this program answers; a loop is a warning. */
    void findAgain() {
        if (probe != null) {
            find(probe.get(), Set.of(), Optional.empty());
        }
    }

    private void find(
            CompletableFuture<List<UpstreamZone>> probed,
            Set<DnsLabels> ofConfigMap,
            Optional<Consumer<String>> found) {
        CompletableFuture<Void> unused = probed.thenAccept(looping -> {
            if (looping.isEmpty()) {
                return;
            }
            if (found.isPresent() && !ofConfigMap.containsAll(names(looping))) {
                reports.observer().get().setupError(SetupError.LOOP);
                found.get().accept(text(looping));
            } else {
                warn(looping);
            }
        });
    }

    private void warn(List<UpstreamZone> looping) {
        reports.warn(SetupError.LOOP, "warning: " + text(looping));
    }

    private String text(List<UpstreamZone> looping) {
        return "the upstream servers forward to this " + program + ": " + looping;
    }

    private static List<DnsLabels> names(List<UpstreamZone> zones) {
        return zones.stream().map(UpstreamZone::name).toList();
    }
}
