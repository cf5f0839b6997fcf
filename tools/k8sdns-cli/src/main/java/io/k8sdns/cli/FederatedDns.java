package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederatedZone;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.store.FederationJson;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.NoSuchFileException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;

/** The command {@code k8sdns federated-dns}: runs the DNS server of federations until it is stopped. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederatedDns implements Callable<Integer> {
    /** The time between two reads of a file. Changes of files must be in the zone within a second. */
    private static final Duration POLL_INTERVAL = Duration.ofMillis(250);

    /** The longest wait for the content of the store before the server answers. */
    private static final Duration STARTUP_TIMEOUT = Duration.ofSeconds(5);

    private static final long CACHE_BYTES = 8L << 20;

    private final FederationJson json = new FederationJson();
    private final FederatedDnsOptions options;
    private CommandSpec command;

    FederatedDns() {
        options = new FederatedDnsOptions(new StoreOptions(StoreOptions.Use.SERVED));
    }

    /** Creates the server for a command that declares the options itself. */
    FederatedDns(FederatedDnsOptions options, CommandSpec command) {
        this.options = options;
        this.command = command;
    }

    /** The store of the server, and its lifecycle. */
    interface Content extends AutoCloseable {
        FederationStore store();

        /** Receives the locations of the clusters in {@code --clusters}. */
        default void clusters(Map<String, ClusterLocation> locations) {}

        /** Waits until the store has the content to serve. */
        default void await() throws InterruptedException {}

        /** Called when the server has started to answer. */
        default void started() {}

        /** Returns the last step of a shutdown, after the server has sent its answers. */
        default Runnable drain() {
            return () -> {};
        }

        @Override
        void close();
    }

    /** Opens the content after the server has bound its addresses. */
    interface ContentOpener {
        Content open(Monitoring monitoring) throws IOException;
    }

    /** A store that only this server reads and no controller of this process writes. */
    private final class OwnStore implements Content {
        private final ScheduledExecutorService timer = TimerThreads.start("k8sdns-shards");
        private final FederationStore store;

        OwnStore() throws IOException {
            store = FederatedDns.this.store(timer);
        }

        @Override
        public FederationStore store() {
            return store;
        }

        @Override
        public void close() {
            store.close();
            timer.shutdownNow();
        }
    }

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("federated-dns", this);
        command.usageMessage()
                .description(
                        "Serves the zone of federated Services, nearest shard first, until SIGTERM or Ctrl-C.",
                        "",
                        "Prints one line for each address on stdout when it answers there: 'listening on 127.0.0.1:1053 (udp, "
                                + "tcp)'. The DNS server of a cluster names the cluster in an EDNS option of the questions that it "
                                + "forwards; docs/federation.md describes names and answers.",
                        "")
                .footer(
                        "  k8sdns federated-dns --shards shards.json --clusters clusters.json",
                        "  k8sdns federated-dns --store etcd --etcd https://192.0.2.1,https://192.0.2.2 --etcd-ca ca.pem",
                        "  dig @127.0.0.1 -p 1053 +ednsopt=65432:666f6f cart.shop.prod.svc.federation  # from cluster foo")
                .exitCodeList(exitCodes(
                        "0:ended by SIGTERM, SIGHUP or Ctrl-C, after all pending answers were sent",
                        "1:failed at run time, for example: the port is taken",
                        "2:usage or invalid input"));
        options.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        options.check();
        return run(monitoring -> new OwnStore());
    }

    /**
     * Serves until the process is stopped.
     *
     * @param opener opens the content; the options must be valid
     */
    int run(ContentOpener opener) throws IOException {
        List<InetSocketAddress> addresses = options.addresses();
        Shutdown shutdown = new Shutdown();
        FailureLog failures = new FailureLog("io.k8sdns.cli");
        try (Monitoring monitoring = monitoring()) {
            shutdown.monitoring(monitoring);
            @Nullable UpstreamForwarder upstream = upstream(monitoring);
            try (upstream) {
                FederatedZone zone = zone(addresses, upstream, failures);
                monitoring.serves(zone);
                return serve(zone, addresses, opener, failures, monitoring, shutdown);
            }
        } finally {
            shutdown.cancel();
        }
    }

    private Monitoring monitoring() throws IOException {
        if (options.metrics.isEmpty()) {
            return Monitoring.NONE;
        }
        MetricsServer server = MetricsServer.start(options.metrics.get().address());
        err().println("metrics: http://" + HostAndPort.text(server.address()) + "/metrics");
        return server;
    }

    /** Starts the forwarder that looks up the host names of load balancers; returns null if there is no upstream server. */
    private @Nullable UpstreamForwarder upstream(Monitoring monitoring) throws IOException {
        List<UpstreamServer> servers;
        try {
            servers = options.upstream(err()::println);
        } catch (IOException none) {
            // Not an error, because many federations have no load balancers with host names.
            err().println("warning: load balancers that have host names have no address; --upstream is not given, and "
                    + (none instanceof NoSuchFileException missing
                            ? missing.getFile() + ": no such file"
                            : none.getMessage()));
            return null;
        }
        UpstreamZone.Builder everyName = UpstreamZone.builder(".").policy(UpstreamPolicy.SEQUENTIAL);
        servers.forEach(everyName::server);
        return UpstreamForwarder.builder()
                .zone(everyName.build())
                .observer(monitoring.forwarding())
                .start();
    }

    private FederatedZone zone(
            List<InetSocketAddress> addresses, @Nullable UpstreamForwarder upstream, FailureLog failures) {
        FederatedZone.Builder zone = FederatedZone.builder(json)
                .zone(options.zone)
                .ttlSeconds(options.ttl)
                .sourceClusterOption(options.sourceClusterCode())
                .nameServerAddresses(options.nameServers(addresses))
                .skipped((key, reason) -> err().println("warning: " + key + " is skipped: " + reason));
        if (upstream != null) {
            zone.hostNames(ForwardingResolver.builder(AnswerCache.builder(upstream)
                            .capacityBytes(CACHE_BYTES)
                            .build())
                    .failures(failures)
                    .build());
        }
        try {
            return zone.build();
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--zone, --ttl: " + invalid.getMessage());
        }
    }

    private int serve(
            FederatedZone zone,
            List<InetSocketAddress> addresses,
            ContentOpener opener,
            FailureLog failures,
            Monitoring monitoring,
            Shutdown shutdown)
            throws IOException {
        DnsResponder.Builder responder = DnsResponder.builder(zone)
                .order(options.order)
                .random(new ThreadRandom())
                .failures(failures);
        monitoring.responses().ifPresent(responder::observer);
        ScheduledExecutorService timer = TimerThreads.start("k8sdns-files");
        // Binds before the store is read, to report a port in use immediately. Queries that arrive in the meantime are
        // answered afterwards.
        try (DnsServer server = DnsServer.builder(addresses, responder.build()).bind();
                Content content = opener.open(monitoring)) {
            shutdown.onSignal(server::close, content.drain());
            monitoring.receiveBufferDrops(server::udpDrops);
            if (options.clusters.isPresent()) {
                follow(
                        new WatchedFile<>(
                                options.clusters.get(),
                                json::readClusters,
                                locations -> {
                                    zone.clusters(locations);
                                    content.clusters(locations);
                                },
                                this::reportInvalid),
                        timer);
            }
            content.await();
            content.store().watch(zone);
            awaitContent(content.store());
            server.answer();
            PrintWriter out = command.commandLine().getOut();
            for (InetSocketAddress address : server.addresses()) {
                out.println("listening on " + HostAndPort.text(address) + " (udp, tcp)");
            }
            if (out.checkError()) {
                return Main.FAILED;
            }
            content.started();
            Optional<String> failure = shutdown.await();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
            return Main.DONE;
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
            return Main.DONE;
        } finally {
            timer.shutdownNow();
        }
    }

    /** Waits for the content of the store, at most {@link #STARTUP_TIMEOUT}. */
    private void awaitContent(FederationStore store) throws InterruptedException {
        CountDownLatch first = new CountDownLatch(1);
        // Listeners are called in order, so the zone has the content when this listener is called.
        store.watch(new FederationStore.Listener() {
            @Override
            public void content(Map<String, FederationStore.Entry> entries) {
                first.countDown();
            }

            @Override
            public void changed(Map<String, Optional<FederationStore.Entry>> changes) {}

            @Override
            public void stale() {}

            @Override
            public void upToDate() {}
        });
        if (!first.await(STARTUP_TIMEOUT.toSeconds(), TimeUnit.SECONDS)) {
            err().println("warning: the store has not been read after " + STARTUP_TIMEOUT.toSeconds()
                    + " s; every name is SERVFAIL until it is");
        }
    }

    /** Returns the store of the options. */
    private FederationStore store(ScheduledExecutorService timer) throws IOException {
        if (options.store.isInEtcd()) {
            return EtcdConnector.start(options.store.etcd);
        }
        MemoryStore store = new MemoryStore();
        if (options.store.shards.isPresent()) {
            follow(
                    new WatchedFile<>(
                            options.store.shards.get(), json::readStore, store::replaceAll, this::reportInvalid),
                    timer);
        } else {
            err().println("note: without --shards the memory store is empty, so no name of a Service exists");
        }
        return store;
    }

    private void follow(WatchedFile<?> file, ScheduledExecutorService timer) throws IOException {
        try {
            file.start();
        } catch (IllegalArgumentException invalid) {
            throw options.usage(String.valueOf(invalid.getMessage()));
        }
        file.follow(timer, POLL_INTERVAL);
    }

    private void reportInvalid(String reason) {
        err().println("warning: the last valid version is still used: " + reason);
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }
}
