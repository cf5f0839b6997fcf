package io.k8sdns.cli;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.controller.FederationController.Problem;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import org.jspecify.annotations.Nullable;

/**
 * The store of a federation, together with the controller that writes the store and the external names that are derived from it.
 */
final class ControlledStore implements FederatedDns.Content {
    private final StoreOptions options;
    private final Duration startupTimeout;
    private final PrintWriter out;
    private final PrintWriter err;
    private final ScheduledExecutorService executor = TimerThreads.start("k8sdns-federation-controller");

    private @Nullable StoreFile file;
    private @Nullable FederationStore store;
    private @Nullable ExternalNames external;
    private @Nullable ClusterController controller;
    private boolean writesFile;

    private ControlledStore(StoreOptions options, Duration startupTimeout, PrintWriter out, PrintWriter err) {
        this.options = options;
        this.startupTimeout = startupTimeout;
        this.out = out;
        this.err = err;
    }

    /**
     * Opens a store, and starts its controller. The options must be valid.
     *
     * @param isOnce whether manifests are read once
     * @throws IOException if a file or a cluster cannot be read
     */
    static ControlledStore open(
            StoreOptions store,
            ControllerOptions controller,
            ExternalOptions external,
            boolean isOnce,
            Monitoring monitoring,
            PrintWriter out,
            PrintWriter err)
            throws IOException {
        ControlledStore opened = new ControlledStore(store, controller.startupTimeout(), out, err);
        try {
            opened.open(controller, external, isOnce, monitoring);
            return opened;
        } catch (IOException | RuntimeException failed) {
            opened.close();
            throw failed;
        }
    }

    private void open(
            ControllerOptions controllerOptions, ExternalOptions externalOptions, boolean isOnce, Monitoring monitoring)
            throws IOException {
        FederationStore target = openStore(isOnce);
        store = target;
        if (externalOptions.isEnabled()) {
            ExternalNames names = ExternalNames.open(
                    externalOptions, controllerOptions.federation, controllerOptions.interval(), err);
            external = names;
            monitoring.updates(names.sync());
            names.follow(target);
        }
        controller = ClusterController.start(controllerOptions, isOnce, target, executor, err);
    }

    private FederationStore openStore(boolean isOnce) throws IOException {
        if (options.isInEtcd()) {
            return EtcdConnector.start(options.etcd);
        }
        StoreFile own = new StoreFile(options.shards.map(Path::of));
        MemoryStore memory;
        try {
            memory = own.open();
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--shards: " + invalid.getMessage());
        }
        file = own;
        if (options.shards.isPresent() && !isOnce) {
            writesFile = true;
            own.follow(executor, problem -> err.println("warning: " + problem));
        }
        return memory;
    }

    private static <T> T opened(@Nullable T part) {
        if (part == null) {
            throw new IllegalStateException("not open");
        }
        return part;
    }

    @Override
    public FederationStore store() {
        return opened(store);
    }

    // ---- once ----

    /**
     * Waits until the controller has written the store, writes the file of the store, and updates the external names.
     *
     * @return the failures, one line each
     */
    List<String> once() throws IOException, InterruptedException {
        ClusterController running = opened(controller);
        List<Problem> problems = running.await(startupTimeout);
        // Releases the claims, so that they are not in the file.
        running.close();
        controller = null;
        if (file != null) {
            file.write(out);
        }
        List<String> failures =
                new ArrayList<>(problems.stream().map(Problem::toString).toList());
        if (external != null) {
            boolean isWritten = ClusterController.isWritten(problems);
            if (options.isInEtcd()) {
                // The listeners of this store can receive the last writes with a delay; a new connection reads the
                // current content.
                try (FederationStore fresh = EtcdConnector.start(options.etcd)) {
                    failures.addAll(external.once(fresh, isWritten, startupTimeout));
                }
            } else {
                failures.addAll(external.once(store(), isWritten, startupTimeout));
            }
        }
        return failures;
    }

    // ---- until it is closed ----

    /**
     * Waits until the controller has written the store, and starts to report problems.
     *
     * @return whether everything was written
     */
    boolean start() throws InterruptedException {
        List<Problem> problems = opened(controller).await(startupTimeout);
        started();
        return problems.isEmpty();
    }

    @Override
    public void clusters(Map<String, ClusterLocation> locations) {
        if (external != null) {
            external.clusters(locations);
        }
    }

    /**
     * Waits for the controller if the store is in memory and was empty. Otherwise the server would answer NXDOMAIN until the
     * controller has written the store.
     */
    @Override
    public void await() throws InterruptedException {
        if (file != null && file.wasEmpty()) {
            List<Problem> unused = opened(controller).await(startupTimeout);
        }
    }

    @Override
    public void started() {
        ClusterController running = opened(controller);
        running.report(executor);
        if (external != null) {
            external.start(running::isWritten);
        }
    }

    @Override
    public Runnable drain() {
        return this::close;
    }

    /** Releases the claims on clusters, and writes the file. Idempotent. */
    @Override
    public void close() {
        if (controller != null) {
            controller.close();
        }
        if (external != null) {
            external.close();
        }
        if (file != null && writesFile) {
            try {
                file.write(out);
            } catch (IOException failed) {
                err.println("warning: " + failed.getMessage());
            }
        }
        if (store != null) {
            store.close();
        }
        executor.shutdownNow();
    }
}
