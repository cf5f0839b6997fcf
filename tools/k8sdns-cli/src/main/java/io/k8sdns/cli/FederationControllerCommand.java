package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.optional;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/**
 * The command {@code k8sdns federation-controller}: writes the Services of clusters to the store of a federation, once or until it
 * is stopped.
 */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederationControllerCommand implements Callable<Integer> {
    private final StoreOptions store = new StoreOptions(StoreOptions.Use.WRITTEN);
    private final ControllerOptions controller = new ControllerOptions();
    private final ExternalOptions external = new ExternalOptions();
    private boolean once;
    private Optional<HostAndPort> metrics;
    private volatile boolean isStarted;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("federation-controller", this);
        command.usageMessage()
                .description(
                        "Writes the Services of many clusters to the store of a federation, until SIGTERM or Ctrl-C.",
                        "",
                        "A Service of a cluster has a key while it takes part and has a ready endpoint. Only differences are "
                                + "written. Keys of a cluster that does not answer are kept. Several controllers may run: one at a "
                                + "time writes the keys of a cluster. Prints 'up to date' on stdout when the store has everything for "
                                + "the first time; problems go to stderr. docs/federation.md describes the keys.",
                        "")
                .footer(
                        "  k8sdns federation-controller --federation prod --cluster foo=foo.kubeconfig "
                                + "--cluster bar=bar.kubeconfig --store etcd --etcd https://192.0.2.1 --etcd-ca ca.pem",
                        "  k8sdns federation-controller --once --federation prod --cluster foo=clusters/foo "
                                + "--cluster bar=clusters/bar --shards shards.json",
                        "  k8sdns federation-controller --federation prod --clusters-dir clusters --create-shards services.yaml "
                                + "--shards shards.json")
                .exitCodeList(exitCodes(
                        "0:done, or ended by SIGTERM, SIGHUP or Ctrl-C",
                        "1:--once: not everything could be written, each name is printed; or failed at run time",
                        "2:usage or invalid input"));
        store.declare(command);
        addOptions(
                command,
                HelpSections.OWN,
                flag("--once", value -> once = value)
                        .description("Read the clusters, write the differences, and exit. Names that are not written "
                                + "within --startup-timeout seconds have failed; external names have the same time "
                                + "again."),
                optional("--metrics", HostAndPort.class, value -> metrics = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTP, :PORT for all addresses: /metrics for Prometheus (docs/metrics.md), /health, "
                                        + "and /ready, which is 200 once 'up to date' or 'started' is printed (default: nowhere)."));
        store.etcd.declare(command);
        controller.declare(command);
        external.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        check();
        Shutdown shutdown = new Shutdown();
        try (Monitoring monitoring = monitoring()) {
            shutdown.monitoring(monitoring);
            return run(monitoring, shutdown);
        } catch (InterruptedException ended) {
            // Another program runs the command in a thread and has interrupted the thread.
            return Main.DONE;
        } finally {
            shutdown.cancel();
        }
    }

    private void check() {
        store.check();
        if (!store.isInEtcd() && store.shards.isEmpty() && !once) {
            throw usage("--store memory needs --shards or --once: no other process can read a store in memory");
        }
        controller.check();
        external.check(controller.federation);
    }

    private Monitoring monitoring() throws IOException {
        if (metrics.isEmpty()) {
            return Monitoring.NONE;
        }
        MetricsServer server = MetricsServer.start(metrics.get().address());
        server.requires(() -> isStarted ? List.of() : List.of("not everything has been written yet"));
        err().println("metrics: http://" + HostAndPort.text(server.address()) + "/metrics");
        return server;
    }

    private int run(Monitoring monitoring, Shutdown shutdown) throws IOException, InterruptedException {
        try (ControlledStore running =
                ControlledStore.open(store, controller, external, once, monitoring, out(), err())) {
            shutdown.onSignal(running::close);
            if (once) {
                List<String> failures = running.once();
                failures.forEach(failure -> err().println("failed: " + failure));
                return failures.isEmpty() ? Main.DONE : Main.FAILED;
            }
            out().println(running.start() ? "up to date" : "started");
            out().flush();
            isStarted = true;
            Optional<String> failure = shutdown.await();
            if (failure.isPresent()) {
                throw new IOException(failure.get());
            }
            return Main.DONE;
        }
    }

    private PrintWriter out() {
        return command.commandLine().getOut();
    }

    private PrintWriter err() {
        return command.commandLine().getErr();
    }

    private ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
