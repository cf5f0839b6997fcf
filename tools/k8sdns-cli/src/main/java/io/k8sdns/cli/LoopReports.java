package io.k8sdns.cli;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Finds and reports upstream servers that forward to this server. Used under the lock of its owner. */
final class LoopReports {
    private final UpstreamReports reports;
    private final LoopProbe probe = new LoopProbe();

    /** Whether this server answers, so that a loop can be found. */
    private boolean isAnswering;

    LoopReports(UpstreamReports reports) {
        this.reports = reports;
    }

    /** Returns the probe, which must see all questions of this server. */
    LoopProbe probe() {
        return probe;
    }

    /** Reports the zones that are in a loop now, after they changed; empty for none. Thread-safe. */
    void changed(List<UpstreamZone> looping) {
        if (looping.isEmpty()) {
            reports.print("note: no upstream server forwards to this server any more");
        } else {
            warn(looping);
        }
    }

    /**
     * Probes for loops, because this server answers from now on.
     *
     * @param forwarder forwards to the servers; null if there are none
     * @param ofConfigMap the zones whose servers are those of a ConfigMap: a loop over them is only a warning
     * @param found receives the message about a loop over other servers, on another thread
     */
    void start(@Nullable UpstreamForwarder forwarder, Set<DnsLabels> ofConfigMap, Consumer<String> found) {
        isAnswering = true;
        find(forwarder, ofConfigMap, Optional.of(found));
    }

    /** Probes for loops after a change of the servers, if this server answers; a loop is a warning. */
    void findAgain(@Nullable UpstreamForwarder forwarder) {
        if (isAnswering) {
            find(forwarder, Set.of(), Optional.empty());
        }
    }

    private void find(
            @Nullable UpstreamForwarder forwarder, Set<DnsLabels> ofConfigMap, Optional<Consumer<String>> found) {
        if (forwarder == null) {
            return;
        }
        CompletableFuture<Void> unused = probe.looping(forwarder).thenAccept(looping -> {
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

    private static String text(List<UpstreamZone> looping) {
        return "the upstream servers forward to this server: " + looping;
    }

    private static List<DnsLabels> names(List<UpstreamZone> zones) {
        return zones.stream().map(UpstreamZone::name).toList();
    }
}
