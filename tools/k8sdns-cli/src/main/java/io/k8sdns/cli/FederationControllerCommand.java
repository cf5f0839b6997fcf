package io.k8sdns.cli;

import static io.k8sdns.cli.Declared.addOptions;
import static io.k8sdns.cli.Declared.exitCodes;
import static io.k8sdns.cli.Declared.flag;
import static io.k8sdns.cli.Declared.option;
import static io.k8sdns.cli.Declared.optional;

import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** {@code k8sdns federation-controller}: keeps the store of a federation as its clusters have it, once or until it is stopped. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederationControllerCommand implements Callable<Integer> {
    private static final long LONGEST_TIMEOUT = 86_400;

    private final ControllerOptions controller = new ControllerOptions();
    private final EtcdOptions etcd = new EtcdOptions();
    private String store;
    private Optional<Path> shards;
    private boolean once;
    private long startupTimeout;
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = Declared.command("federation-controller", this);
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
                                + "--cluster bar=clusters/bar --shards shards.json")
                .exitCodeList(exitCodes(
                        "0:done, or ended by SIGTERM or Ctrl-C",
                        "1:--once: not everything could be written, each name is printed; or failed at run time",
                        "2:usage or invalid input"));
        addOptions(
                command,
                HelpSections.OWN,
                option("--store", String.class, value -> store = value)
                        .paramLabel("memory|etcd")
                        .defaultValue("memory")
                        .description("Where to write: the file of --shards (memory), or an etcd cluster (etcd) "
                                + "(default: ${DEFAULT-VALUE})."),
                optional("--shards", Path.class, value -> shards = value)
                        .paramLabel("FILE")
                        .description(
                                "The file that keeps the content of the memory store, JSON, as federated-dns --shards follows it; it "
                                        + "is created if missing. Only one controller may write it (default: stdout, with --once)."),
                flag("--once", value -> once = value).description("Read the clusters, write what differs, and end."),
                option("--startup-timeout", long.class, value -> startupTimeout = value)
                        .paramLabel("SECONDS")
                        .defaultValue("45")
                        .description(
                                "How long to wait until everything is written, 0 to 86400 (default: ${DEFAULT-VALUE}). --once ends "
                                        + "with 1 then. The claim of a controller that was killed ends after 30 seconds."));
        controller.declare(command);
        etcd.declare(command);
        return command;
    }

    @Override
    public Integer call() throws IOException {
        check();
        Shutdown shutdown = new Shutdown();
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor(task -> {
            Thread thread = new Thread(task, "k8sdns-federation-controller");
            thread.setDaemon(true);
            return thread;
        });
        try {
            return run(executor, shutdown);
        } catch (InterruptedException ended) {
            // The end, by the thread of a larger program that runs the command.
            return Main.DONE;
        } finally {
            executor.shutdownNow();
            shutdown.cancel();
        }
    }

    private void check() {
        if (!store.equals("memory") && !store.equals("etcd")) {
            throw usage("--store: '" + store + "' is neither memory nor etcd");
        }
        boolean isInEtcd = store.equals("etcd");
        if (isInEtcd && shards.isPresent()) {
            throw usage("--shards is for --store memory");
        }
        if (!isInEtcd && shards.isEmpty() && !once) {
            throw usage("--store memory needs --shards or --once: what is in memory alone serves nobody");
        }
        if (startupTimeout < 0 || startupTimeout > LONGEST_TIMEOUT) {
            throw usage("--startup-timeout: not a number of seconds (0 to " + LONGEST_TIMEOUT + "): " + startupTimeout);
        }
        etcd.check(isInEtcd);
        controller.check();
    }

    private int run(ScheduledExecutorService executor, Shutdown shutdown) throws IOException, InterruptedException {
        @Nullable StoreFile file = store.equals("memory") ? new StoreFile(shards) : null;
        try (FederationStore target = file == null ? EtcdConnector.start(etcd) : open(file)) {
            if (file != null && shards.isPresent() && !once) {
                file.follow(executor, problem -> err().println("warning: " + problem));
            }
            List<Problem> problems;
            try (ClusterController running = ClusterController.start(controller, once, target, executor, err())) {
                shutdown.drains(running::close, () -> flush(file));
                problems = running.await(Duration.ofSeconds(startupTimeout));
                if (!once) {
                    running.report(executor);
                    out().println(problems.isEmpty() ? "up to date" : "started");
                    out().flush();
                    Optional<String> failure = shutdown.await();
                    if (failure.isPresent()) {
                        throw new IOException(failure.get());
                    }
                    return Main.DONE;
                }
            }
            if (file != null) {
                file.write(out());
            }
            problems.forEach(problem -> err().println("failed: " + problem));
            return problems.isEmpty() ? Main.DONE : Main.FAILED;
        } finally {
            if (!once) {
                flush(file);
            }
        }
    }

    private MemoryStore open(StoreFile file) throws IOException {
        try {
            return file.open();
        } catch (IllegalArgumentException invalid) {
            throw usage("--shards: " + invalid.getMessage());
        }
    }

    private void flush(@Nullable StoreFile file) {
        if (file != null && shards.isPresent()) {
            try {
                file.write(out());
            } catch (IOException failed) {
                err().println("warning: " + failed.getMessage());
            }
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
