package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import io.k8sdns.cli.ForwardingObserver.SetupError;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import io.k8sdns.nodecache.NodeCacheObserver;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.sockets.DnsListeners;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.sockets.ListenersObserver;
import io.k8sdns.wire.AnswerOrder;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns node-cache}: runs a DNS cache on a node, in front of the cluster DNS, until it is stopped. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class NodeCacheCommand implements Callable<Integer> {
    /** The longest wait for the first probe of the autopath suffix before the cache answers. */
    private static final Duration MAX_PROBE_WAIT = Duration.ofSeconds(1);

    private final NodeCacheOptions options = new NodeCacheOptions();
    private CommandSpec command;

    /** The listeners; empty while the cache starts. */
    private volatile Optional<DnsListeners> answering = Optional.empty();

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("node-cache", this);
        command.usageMessage()
                .description(
                        "Forwards DNS queries of a node's Pods and caches the answers, until SIGTERM or Ctrl-C.",
                        "",
                        "Prints one line for each address on stdout when it answers there: 'listening on 169.254.20.10:53 (udp, "
                                + "tcp)'. It programs no packet rules; docs/node-cache.md describes what a node needs.",
                        "")
                .footer(
                        "  k8sdns node-cache --listen 169.254.20.10:53 --metrics 127.0.0.1:9253 \\",
                        "      --zone-upstream cluster.local=10.96.0.11 --zone-upstream in-addr.arpa=10.96.0.11 \\",
                        "      --zone-upstream ip6.arpa=10.96.0.11 --zone-upstream .=/etc/resolv.conf",
                        "",
                        "  k8sdns node-cache --live --listen 127.0.0.1:1053 --zone-upstream .=192.0.2.53",
                        "",
                        "  k8sdns node-cache $(k8sdns from-corefile Corefile)")
                .exitCodeList(exitCodes(
                        "0:ended by SIGTERM or Ctrl-C, after all pending answers were sent",
                        "1:failed at run time, for example: the port is taken, or a server forwards to this cache",
                        "2:usage or invalid input"));
        options.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        List<InetSocketAddress> addresses = options.addresses();
        Shutdown shutdown = new Shutdown();
        try (Monitoring monitoring = monitoring()) {
            shutdown.monitoring(monitoring);
            @Nullable WatchedNames cluster = cluster(addresses, monitoring);
            try (cluster) {
                return serve(addresses, Optional.ofNullable(cluster), monitoring, shutdown);
            }
        } finally {
            shutdown.cancel();
        }
    }

    private Monitoring monitoring() throws IOException {
        if (options.metrics.isEmpty() && options.healthDir.isEmpty()) {
            return Monitoring.NONE;
        }
        MetricsServer server = MetricsServer.create();
        try {
            server.isHealthyWithout(this::notServing);
            server.requires(this::unbound);
            if (options.healthDir.isPresent()) {
                keepFiles(server, options.healthDir.get());
            }
            if (options.metrics.isPresent()) {
                server.listenWhenPossible(options.metrics.get().address(), new Reports(server.forwarding()) {
                    @Override
                    public void listening(InetSocketAddress address) {
                        err().println("metrics: http://" + HostAndPort.text(address) + "/metrics");
                    }
                });
            }
            return server;
        } catch (IOException | RuntimeException failed) {
            server.close();
            throw failed;
        }
    }

    private void keepFiles(MetricsServer server, Path directory) {
        try {
            server.keepFiles(directory, text -> err().println("note: " + text));
        } catch (IOException unusable) {
            throw options.usage(String.valueOf(unusable.getMessage()));
        }
    }

    private @Nullable WatchedNames cluster(List<InetSocketAddress> addresses, Monitoring monitoring)
            throws IOException {
        if (!options.live.isChosen()) {
            return null;
        }
        WatchedNames cluster = new NodeCacheCluster(
                options.live, options.clusterDomain, ListenAddresses.nameServers(addresses), monitoring.cluster());
        monitoring.serves(cluster.feed());
        return cluster;
    }

    private int serve(
            List<InetSocketAddress> addresses, Optional<WatchedNames> cluster, Monitoring monitoring, Shutdown shutdown)
            throws IOException {
        ForwardingObserver observer = monitoring.forwarding();
        FailureLog failures = new FailureLog("io.k8sdns.cli");
        List<InetSocketAddress> own = new ArrayList<>(addresses);
        own.removeIf(address -> address.getPort() == 0);
        options.requireOtherNameServers(own);
        NodeCacheZones zones = new NodeCacheZones(options, observer, err());
        ScheduledExecutorService timer = TimerThreads.start("k8sdns-timer");
        ScheduledExecutorService requests = TimerThreads.start("k8sdns-requests");
        NodeCache.Builder builder = options.builder()
                .zones(zones.ofOptions())
                .timer(timer)
                .failures(failures)
                .observer(new CacheReports(observer, zones))
                .upstreamObserver(observer)
                .cacheObserver(observer);
        cluster.ifPresentOrElse(watched -> builder.cluster(watched.zone()), () -> observer.suffixSupported(false));
        try (NodeCache cache = builder.start()) {
            cache.answers().ifPresent(observer::created);
            cache.requireOthers(own);
            DnsResponder.Builder responder = DnsResponder.builder(cache)
                    .order(cluster.isPresent() ? AnswerOrder.ROTATE : AnswerOrder.STABLE)
                    .random(new Random())
                    .failures(failures);
            List<DnsLabels> others = otherZones(cluster);
            zones.pass(
                    cache,
                    names -> monitoring.countsZones(
                            Stream.concat(names.stream(), others.stream()).toList()));
            monitoring.responses().ifPresent(responder::observer);
            monitoring.requires(() -> notReady(cache));
            DnsResponder answers = responder.build();
            DnsListeners.Binder binder = address ->
                    DnsServer.builder(List.of(address), answers).sharePort().bind();
            try (DnsListeners listeners = DnsListeners.bind(addresses, binder, new Reports(observer))) {
                shutdown.onSignal(listeners::close);
                own.addAll(listeners.addresses());
                cache.requireOthers(own);
                // Only now, because a ConfigMap with a wrong server must not stop the cache.
                zones.poll(cache);
                zones.follow(cache, requests);
                if (!options.live.isChosen()) {
                    options.withoutSuffixServers(cache.zones().stream().map(UpstreamZone::name))
                            .ifPresent(text -> err().println("note: " + text));
                }
                if (options.live.isChosen()) {
                    zones.follow(cache, LiveCluster.kubeDnsData(options.live), requests);
                }
                monitoring.receiveBufferDrops(listeners::udpDrops);
                cluster.ifPresent(WatchedNames::start);
                cache.awaitFirstProbe(MAX_PROBE_WAIT);
                answering = Optional.of(listeners);
                listeners.answer();
                if (command.commandLine().getOut().checkError()) {
                    return Main.FAILED;
                }
                zones.probeForLoops(cache, shutdown::fail);
                Optional<String> failure = shutdown.await();
                if (failure.isPresent()) {
                    throw new IOException(failure.get());
                }
            } catch (InterruptedException ended) {
                // Another program runs the command in a thread and has interrupted the thread.
            }
        } finally {
            timer.shutdownNow();
            requests.shutdownNow();
        }
        return Main.DONE;
    }

    /** Returns the zones of names that the cache answers itself: the autopath suffix, and the zones of the watched cluster. */
    private List<DnsLabels> otherZones(Optional<WatchedNames> cluster) {
        Stream<DnsLabels> watched = cluster.stream()
                .map(names -> names.zone().current().settings())
                .flatMap(settings -> Stream.concat(
                        settings.zones().stream(),
                        settings.reverseZones().stream().map(ReverseZone::name)));
        return Stream.concat(Stream.of(options.autopathSuffix), watched).toList();
    }

    /** Returns why no address is served; empty if at least one is. */
    private List<String> notServing() {
        boolean isServing =
                answering.isPresent() && !answering.get().addresses().isEmpty();
        return isServing ? List.of() : unbound();
    }

    /** Returns the addresses that are not served, and why. */
    private List<String> unbound() {
        return answering.map(DnsListeners::unbound).orElse(List.of("the cache is starting"));
    }

    private List<String> notReady(NodeCache cache) {
        Stream<String> zones =
                cache.unanswered().stream().map(zone -> "zone " + zone.name() + ".: no server has answered yet");
        return Stream.concat(unbound().stream(), zones).toList();
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }

    /** Prints whether the cluster DNS supports the suffix, and loops. */
    private final class CacheReports implements NodeCacheObserver {
        private final ForwardingObserver observer;
        private final NodeCacheZones zones;

        CacheReports(ForwardingObserver observer, NodeCacheZones zones) {
            this.observer = observer;
            this.zones = zones;
        }

        @Override
        public void looping(List<UpstreamZone> looping) {
            zones.loopsChanged(looping);
        }

        @Override
        public void expanded(Mode mode, int lookups, AnswerStatus status, long nanos) {
            observer.expanded(mode, lookups, status, nanos);
        }

        @Override
        public void forwarded() {
            observer.forwarded();
        }

        @Override
        public void suffixSupported(boolean supported) {
            observer.suffixSupported(supported);
            String otherwise = options.expandsLocally()
                    ? "names below it are expanded here"
                    : "names below it are still forwarded";
            err().println(
                            supported
                                    ? "note: the cluster DNS expands names below " + options.autopathSuffix + "."
                                    : "note: the cluster DNS does not expand names below " + options.autopathSuffix
                                            + ".; " + otherwise);
        }
    }

    /** Prints the states of the addresses. */
    private class Reports implements ListenersObserver {
        private final ForwardingObserver observer;

        Reports(ForwardingObserver observer) {
            this.observer = observer;
        }

        @Override
        public void listening(InetSocketAddress address) {
            PrintWriter out = command.commandLine().getOut();
            out.println("listening on " + HostAndPort.text(address) + " (udp, tcp)");
            out.flush();
        }

        @Override
        public void waiting(InetSocketAddress address, IOException why) {
            report(why, "it is bound as soon as it exists");
        }

        @Override
        public void failed(InetSocketAddress address, IOException why) {
            report(why, "it is tried again");
        }

        private void report(IOException why, String next) {
            observer.setupError(SetupError.BIND);
            err().println("note: " + why.getMessage() + "; " + next);
        }
    }
}
