package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import io.k8sdns.cli.ForwardingObserver.SetupError;
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
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns node-cache}: runs a DNS cache on a node, in front of the cluster DNS, until it is stopped. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class NodeCacheCommand implements Callable<Integer> {
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
                        "0:ended by SIGTERM, SIGHUP or Ctrl-C, after all pending answers were sent",
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
        try (RunningNodeCache running = new RunningNodeCache(options, cluster, observer, failures, err());
                DnsListeners listeners = bind(addresses, own, running, monitoring, failures)) {
            shutdown.onSignal(listeners::close);
            monitoring.receiveBufferDrops(listeners::udpDrops);
            own.addAll(listeners.addresses());
            running.start(own);
            answering = Optional.of(listeners);
            listeners.answer();
            if (command.commandLine().getOut().checkError()) {
                return Main.FAILED;
            }
            running.probeForLoops(shutdown::fail);
            Optional<String> failure = shutdown.await();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
        }
        return Main.DONE;
    }

    private DnsListeners bind(
            List<InetSocketAddress> addresses,
            List<InetSocketAddress> own,
            RunningNodeCache running,
            Monitoring monitoring,
            FailureLog failures)
            throws IOException {
        running.requireOthers(own);
        DnsResponder.Builder builder = DnsResponder.builder(running.resolver())
                .order(options.live.isChosen() ? AnswerOrder.ROTATE : AnswerOrder.STABLE)
                .random(new ThreadRandom())
                .failures(failures);
        running.passZones(monitoring::countsZones);
        monitoring.responses().ifPresent(builder::observer);
        monitoring.requires(() -> notReady(running));
        DnsResponder responder = builder.build();
        return DnsListeners.bind(
                addresses,
                address -> DnsServer.builder(List.of(address), responder)
                        .sharePort()
                        .bind(),
                new Reports(monitoring.forwarding()));
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

    private List<String> notReady(RunningNodeCache running) {
        return Stream.concat(unbound().stream(), running.unanswered().stream()).toList();
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
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
