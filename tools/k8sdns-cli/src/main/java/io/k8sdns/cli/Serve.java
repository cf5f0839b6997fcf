package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.sockets.UdpTransport;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns serve}: runs a DNS server until it is stopped. */
@SuppressWarnings("NullAway.Init") // spec() sets the command.
final class Serve implements Callable<Integer> {
    private final ServeOptions options = new ServeOptions();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("serve", this);
        command.usageMessage()
                .description(
                        "Serves DNS from Kubernetes manifests, or from a live cluster, until SIGTERM or Ctrl-C.",
                        "",
                        "Prints one line for each address on stdout when it answers there: 'listening on 127.0.0.1:1053 (udp, "
                                + "tcp)'. Manifests are read once, as if they had just been applied: fields that the "
                                + "API server, the scheduler and the kubelet would set are completed (see --as-is). A summary, notes "
                                + "and warnings go to stderr.",
                        "")
                .footer(
                        "  k8sdns serve -f examples/bookstore",
                        "  dig @127.0.0.1 -p 1053 cart.shop.svc.cluster.local",
                        "",
                        "  k8sdns serve --listen '[::]:53' --reverse-zone 10.96.0.0/12 --ns-address 192.0.2.53 -f deploy/",
                        "  kubectl get ns,svc,endpointslices,pods -A -o yaml | k8sdns serve --as-is -f -",
                        "  k8sdns serve --watch -f deploy/",
                        "  k8sdns serve --live --context staging",
                        "  k8sdns serve --config k8sdns.yaml")
                .exitCodeList(exitCodes(
                        "0:ended by SIGTERM, SIGHUP or Ctrl-C, after all pending answers were sent",
                        "1:failed at run time, for example: the port is taken, or a thread has ended for lack of memory",
                        "2:usage or invalid input"));
        options.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        options.readConfig();
        options.checkSources();
        List<InetSocketAddress> addresses = options.addresses();
        RecordRules rules = options.rules(addresses);
        List<DnsLabels> zones = rules.settings().zones();
        options.upstream.check(zones);
        options.federation.check(zones, options.upstream);
        List<String> messages = new ArrayList<>();
        warnOfInsecurePods(rules, messages::add);
        noteWildcard(addresses, zones, messages::add);
        options.upstream.readSearches(zones, messages::add);
        Shutdown shutdown = new Shutdown();
        try (Monitoring monitoring = monitoring(shutdown, messages::add)) {
            options.report(messages);
            return serve(addresses, rules, monitoring, shutdown);
        } finally {
            shutdown.cancel();
        }
    }

    /** A wildcard address is not an address that clients can use, so {@code ns.dns.ZONE} has the address of the loopback interface. */
    private void noteWildcard(List<InetSocketAddress> addresses, List<DnsLabels> zones, Consumer<String> messages) {
        if (options.cluster.zones.nameServers.isEmpty()) {
            addresses.stream()
                    .filter(address -> address.getAddress().isAnyLocalAddress())
                    .findFirst()
                    .ifPresent(wildcard -> messages.accept("note: "
                            + zones.stream().map(zone -> "ns.dns." + zone).collect(Collectors.joining(", "))
                            + (zones.size() == 1 ? " has" : " have") + " the address " + ClusterOptions.LOOPBACK
                            + ", because " + HostAndPort.text(wildcard)
                            + " is a wildcard; set the address that clients reach with --ns-address IP"));
        }
    }

    /**
     * Returns the metrics server, or {@link Monitoring#NONE}. The class of the server is loaded only if it is used, because the
     * metrics libraries are as large as the rest of the command.
     *
     * @param messages receives the address of the server
     */
    private Monitoring monitoring(Shutdown shutdown, Consumer<String> messages) throws IOException {
        if (options.metrics.isEmpty()) {
            return Monitoring.NONE;
        }
        MetricsServer server = MetricsServer.start(options.metrics.get().address());
        shutdown.monitoring(server);
        messages.accept("metrics: http://" + HostAndPort.text(server.address()) + "/metrics");
        return server;
    }

    private int serve(List<InetSocketAddress> addresses, RecordRules rules, Monitoring monitoring, Shutdown shutdown)
            throws IOException {
        FailureLog failures = new FailureLog("io.k8sdns.cli");
        // Binds before the objects are read, to report a port in use immediately. Queries that arrive in the meantime
        // are answered afterwards.
        try (ServedCluster served = new ServedCluster(options, rules, monitoring, failures, err());
                DnsServer server = options.server(addresses, responder(served.resolver(), monitoring, failures))
                        .bind();
                ClusterSource source = options.source(rules, served.observer())) {
            int code = options.cluster.exitCode(Main.DONE);
            if (code != Main.DONE) {
                return code;
            }
            shutdown.onSignal(() -> noteDrops(server), server::close);
            monitoring.receiveBufferDrops(server::udpDrops);
            served.start(server.addresses());
            source.start(served.sink());
            served.follow();
            awaitSynced(served.feed());
            server.answer();
            if (!printAddresses(server)) {
                return Main.FAILED;
            }
            served.probeForLoops(shutdown::fail);
            Optional<String> failure = shutdown.await();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
        }
        return Main.DONE;
    }

    private DnsResponder responder(DnsResolver resolver, Monitoring monitoring, FailureLog failures) {
        DnsResponder.Builder responder = DnsResponder.builder(resolver)
                .order(options.cluster.zones.order)
                .random(new ThreadRandom())
                .tooLarge(truncatedNote())
                .failures(failures);
        monitoring.responses().ifPresent(responder::observer);
        return responder.build();
    }

    private static void warnOfInsecurePods(RecordRules rules, Consumer<String> messages) {
        if (rules.settings().pods() == PodsMode.INSECURE) {
            messages.accept("warning: --pods insecure answers for every address in every namespace, whether a Pod "
                    + "has it or not; the owner of any address can impersonate a Pod");
        }
    }

    /** Prints where the server answers; returns false if stdout is closed. */
    private boolean printAddresses(DnsServer server) {
        PrintableWriter.to(err()).debug("udp: " + text(server.udp()));
        PrintWriter out = command.commandLine().getOut();
        for (InetSocketAddress address : server.addresses()) {
            out.println("listening on " + HostAndPort.text(address) + " (udp, tcp)");
        }
        return !out.checkError();
    }

    /** Waits until the zone is synced, at most for {@code --startup-timeout}. */
    private void awaitSynced(ZoneFeed feed) throws InterruptedException {
        Progress progress = Progress.start("reading the objects of the cluster", err());
        try {
            feed.synced().toCompletableFuture().get(options.live.startupTimeout, TimeUnit.SECONDS);
        } catch (TimeoutException late) {
            progress.close();
            err().println("warning: not all objects of the cluster were listed within " + options.live.startupTimeout
                    + " s; its names are SERVFAIL until they are");
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            progress.close();
        }
    }

    private static String text(UdpTransport udp) {
        return udp.mode().name().toLowerCase(Locale.ROOT)
                + udp.missing()
                        .map(missing -> " (batched needs " + missing + ")")
                        .orElse("")
                + ", " + udp.threads() + (udp.threads() == 1 ? " thread" : " threads")
                + ", receive buffer " + udp.receiveBufferBytes() + " bytes";
    }

    private void noteDrops(DnsServer server) {
        server.udpDrops().stream()
                .filter(drops -> drops > 0)
                .forEach(drops -> err().println(
                                "note: the kernel dropped " + drops + " datagrams because a receive buffer was full"));
    }

    /** Returns an observer of truncated answers. */
    private Consumer<Question> truncatedNote() {
        return new OneNote<>(
                err(),
                question -> "note: the answer to " + question.name() + " " + question.type()
                        + " is longer than a message can be (65535 bytes) and is truncated, with TC");
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }
}
