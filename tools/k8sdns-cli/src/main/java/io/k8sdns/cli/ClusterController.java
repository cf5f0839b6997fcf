package io.k8sdns.cli;

import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.api.StubZoneClient;
import io.k8sdns.federation.controller.FederationController;
import io.k8sdns.federation.controller.FederationController.Problem;
import io.k8sdns.federation.controller.LeaseApi;
import io.k8sdns.federation.controller.ServiceApi;
import io.k8sdns.federation.controller.ShardTemplate;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.ManifestSource;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.manifest.WatchedManifests;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import org.jspecify.annotations.Nullable;

/** Runs the controller of a federation with the clusters of the options. Reports problems on standard error. */
final class ClusterController implements AutoCloseable {
    /**
     * The timeout of calls to the controller. The controller responds immediately, except for requests to servers, which have
     * shorter deadlines.
     */
    private static final Duration CALL_TIMEOUT = Duration.ofSeconds(20);

    private static final Duration REPORT_INTERVAL = Duration.ofSeconds(5);

    private final PrintWriter err;
    private final FederationController controller;
    private final ControllerOptions options;
    private final boolean isOnce;
    private final ScheduledExecutorService executor;

    /** The problems of the first read of the directory of clusters. */
    private final List<Problem> unusable = new ArrayList<>();

    private @Nullable ClusterRegistry registry;
    private @Nullable ShardManifests manifests;

    private ClusterController(
            FederationController controller,
            ControllerOptions options,
            boolean isOnce,
            ScheduledExecutorService executor,
            PrintWriter err) {
        this.controller = controller;
        this.options = options;
        this.isOnce = isOnce;
        this.executor = executor;
        this.err = err;
    }

    /**
     * Starts a controller.
     *
     * @param isOnce whether manifests are read once
     * @throws IOException if a cluster cannot be read
     */
    static ClusterController start(
            ControllerOptions options,
            boolean isOnce,
            FederationStore store,
            ScheduledExecutorService executor,
            PrintWriter err)
            throws IOException {
        FederatedServices services = options.services(isOnce && options.areDirectories());
        Optional<List<ShardTemplate>> templates = templates(options);
        Map<String, StubZoneClient> endpoints = new LinkedHashMap<>();
        Map<String, ClusterSource> sources = new LinkedHashMap<>();
        Map<String, Writable> writable = new LinkedHashMap<>();
        for (String cluster : options.clusters().keySet()) {
            try {
                options.endpoint(cluster, Optional.empty(), executor)
                        .ifPresent(endpoint -> endpoints.put(cluster, endpoint));
            } catch (IllegalArgumentException invalid) {
                throw options.usage("--stubzone-endpoint: " + invalid.getMessage());
            }
        }
        for (Map.Entry<String, Path> cluster : options.clusters().entrySet()) {
            try {
                sources.put(
                        cluster.getKey(),
                        source(cluster.getKey(), cluster.getValue(), isOnce, services.includesExported(), err));
                writable(options, cluster.getKey(), cluster.getValue(), err)
                        .ifPresent(one -> writable.put(cluster.getKey(), one));
            } catch (IllegalArgumentException invalid) {
                throw options.usage("--cluster: " + invalid.getMessage());
            }
        }
        ClusterController started = new ClusterController(
                FederationController.builder(options.federation, store, executor)
                        .services(services)
                        .interval(options.interval())
                        .leaseNamespace(options.leaseNamespace)
                        .start(),
                options,
                isOnce,
                executor,
                err);
        templates.ifPresent(started.controller::templates);
        sources.forEach((name, source) -> started.join(
                name, source, Optional.ofNullable(endpoints.get(name)), Optional.ofNullable(writable.get(name))));
        try {
            started.readDirectory();
        } catch (IOException unreadable) {
            started.close();
            throw unreadable;
        }
        templates.ifPresent(started::follow);
        return started;
    }

    private static Optional<List<ShardTemplate>> templates(ControllerOptions options) throws IOException {
        if (options.createShards().isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(ShardManifests.read(options.createShards().get()));
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--create-shards: " + invalid.getMessage());
        }
    }

    /** A cluster in which Services are created. */
    private record Writable(ServiceApi services, LeaseApi leases) {}

    /** Returns access to a cluster if Services are to be created and it has an API server. */
    private static Optional<Writable> writable(ControllerOptions options, String cluster, Path path, PrintWriter err)
            throws IOException {
        if (options.createShards().isEmpty()) {
            return Optional.empty();
        }
        if (Files.isDirectory(path)) {
            err.println("warning: cluster " + cluster
                    + ": a directory of manifests is not written to: --create-shards creates nothing in it");
            return Optional.empty();
        }
        return Optional.of(new Writable(LiveCluster.services(path), LiveCluster.leases(path)));
    }

    /** Watches the manifests of the Services that are created. */
    private void follow(List<ShardTemplate> first) {
        if (!isOnce) {
            ShardManifests followed = new ShardManifests(
                    options.createShards().orElseThrow(),
                    templates -> {
                        controller.templates(templates);
                        err.println(
                                "note: --create-shards: the manifests have changed; Services now: " + templates.size());
                    },
                    problem -> err.println("warning: --create-shards: " + problem));
            manifests = followed;
            followed.follow(first);
        }
    }

    private void join(
            String name, ClusterSource source, Optional<StubZoneClient> endpoint, Optional<Writable> writable) {
        if (endpoint.isEmpty()) {
            controller.join(name, source);
        } else {
            controller.join(name, source, endpoint.get(), options.stubZone());
        }
        writable.ifPresent(one -> controller.createShards(name, one.services(), one.leases()));
    }

    /** Joins the clusters of the directory, and watches the directory. */
    private void readDirectory() throws IOException {
        if (options.directory().isEmpty()) {
            return;
        }
        ClusterRegistry clusters = new ClusterRegistry(
                options.directory().get(), options.clusters().keySet(), new Registered());
        clusters.start();
        registry = clusters;
        if (!isOnce) {
            clusters.follow();
        }
    }

    /** Joins and removes clusters of the directory. */
    private final class Registered implements ClusterRegistry.Members {
        @Override
        public void join(String name, ClusterRegistry.RegisteredCluster cluster) throws IOException {
            Optional<StubZoneClient> endpoint = options.endpoint(name, cluster.endpoint(), executor);
            ClusterController.this.join(
                    name,
                    source(name, cluster.path(), isOnce, options.services(false).includesExported(), err),
                    endpoint,
                    writable(options, name, cluster.path(), err));
            err.println("note: cluster " + name + ": joins, from " + cluster.path());
        }

        @Override
        public void leave(String name) {
            controller.leave(name);
            err.println("note: cluster " + name + ": leaves, its keys are removed");
        }

        @Override
        public void problem(String text) {
            err.println("warning: " + text);
            if (registry == null) {
                unusable.add(new Problem("--clusters-dir", text));
            }
        }
    }

    private static ClusterSource source(
            String cluster, Path path, boolean isOnce, boolean readsExports, PrintWriter err) throws IOException {
        if (!Files.isDirectory(path)) {
            return LiveCluster.federated(path, readsExports);
        }
        if (isOnce) {
            ManifestResult result = Manifests.read(List.of(ManifestInput.path(path)), ManifestOptions.DEFAULTS);
            report(cluster, result, err);
            return ManifestSource.of(result);
        }
        return new DirectorySource(
                path,
                WatchedManifests.read(
                        List.of(path),
                        ManifestOptions.DEFAULTS,
                        complete -> List.of(),
                        result -> report(cluster, result, err)));
    }

    private static void report(String cluster, ManifestResult result, PrintWriter err) {
        DiagnosticReport.lines(result, "k8sdns records -f -", false).stream()
                .map(InventedRecords.of(result)::marked)
                // The controller has no such option.
                .map(line -> line.replace("--verbose prints", "k8sdns records --verbose prints"))
                .forEach(line -> err.println(line.replaceFirst(
                        "^(note: |warning: |)", "$1cluster " + Matcher.quoteReplacement(cluster) + ": ")));
    }

    /**
     * Waits until the controller has finished its work.
     *
     * @param timeout the longest wait
     * @return the remaining problems
     */
    List<Problem> await(Duration timeout) throws InterruptedException {
        try {
            get(controller.reconciled(), timeout);
        } catch (TimeoutException late) {
            // The problems contain the reason.
        }
        List<Problem> all = new ArrayList<>(unusable);
        all.addAll(problems());
        return List.copyOf(all);
    }

    private List<Problem> problems() throws InterruptedException {
        try {
            return get(controller.problems(), CALL_TIMEOUT);
        } catch (TimeoutException stuck) {
            return List.of(new Problem("controller", "it does not answer"));
        }
    }

    private static <T> T get(CompletionStage<T> stage, Duration timeout) throws InterruptedException, TimeoutException {
        try {
            return stage.toCompletableFuture().get(timeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /**
     * Completes when the controller has finished its work, with whether all clusters were read and all of their Services are in the
     * store.
     */
    CompletionStage<Boolean> isWritten() {
        return controller
                .reconciled()
                .thenCompose(reconciled -> controller.problems())
                .thenApply(ClusterController::isWritten);
    }

    /** Returns whether all problems are outside of the store: problems of stub zones and of Services in clusters. */
    static boolean isWritten(List<Problem> problems) {
        return problems.stream()
                .map(Problem::name)
                .allMatch(name -> name.startsWith("stub zone of ")
                        || name.startsWith("Service ")
                        || name.startsWith("Services "));
    }

    /** Starts to report problems, each when it occurs and when it ends. */
    void report(ScheduledExecutorService timer) {
        ProblemLog log = new ProblemLog(err::println);
        var unused = timer.scheduleWithFixedDelay(
                () -> controller.report().thenAccept(log::report),
                REPORT_INTERVAL.toMillis(),
                REPORT_INTERVAL.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    /** Releases the claims on clusters, so that another controller can take over immediately. */
    @Override
    public void close() {
        ClusterRegistry clusters = registry;
        if (clusters != null) {
            clusters.close();
        }
        ShardManifests followed = manifests;
        if (followed != null) {
            followed.close();
        }
        boolean isInterrupted = false;
        try {
            get(controller.release(), CALL_TIMEOUT);
        } catch (TimeoutException late) {
            // The claims expire.
        } catch (InterruptedException interrupted) {
            isInterrupted = true;
        }
        controller.close();
        try {
            // The caller shuts down the executor next. Wait until the controller has closed the sources on it.
            get(controller.problems(), CALL_TIMEOUT);
        } catch (TimeoutException stuck) {
            // The sources stay open.
        } catch (InterruptedException interrupted) {
            isInterrupted = true;
        }
        if (isInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
