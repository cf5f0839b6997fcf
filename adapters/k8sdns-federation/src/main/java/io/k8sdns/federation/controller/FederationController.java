package io.k8sdns.federation.controller;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneClient;
import java.nio.charset.StandardCharsets;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Keeps the store of a federation equal to the objects of its clusters: a key {@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER} for each
 * Service that takes part and has a ready endpoint, and the location of each cluster.
 *
 * <pre>{@code
 * FederationController controller = FederationController.builder("prod", store, executor).start();
 * controller.join("foo", source);
 * controller.reconciled().toCompletableFuture().get(30, SECONDS);
 * }</pre>
 *
 * <p><b>Writes.</b> Only differences are written, each by compare-and-swap. The keys of other federations, of clusters that have not
 * joined, and keys of another form are never written or removed.
 *
 * <p><b>Unreachable clusters.</b> The keys of a cluster are written and removed only while its source is {@link
 * io.k8sdns.cluster.SyncState#SYNCED}: not before all of its objects have been listed, and not while it does not answer. If it does not
 * answer for the time of a lease, the claim is released, and the key {@code /_clusters/CLUSTER} has {@code "stale": true} until a
 * controller can read the cluster again.
 *
 * <p><b>Several controllers.</b> One controller at a time writes the keys of a cluster: the one whose claim is in {@code
 * /_clusters/CLUSTER}. It renews the claim three times per lease, and writes for two thirds of a lease after each successful renewal.
 * Another controller takes over when it has seen no renewal for a whole lease. So a controller never undoes a write of another one,
 * unless it has taken over since. Clocks are not compared; they only have to run at about the same rate.
 *
 * <p><b>Creating shards.</b> With {@link #templates} and {@link #createShards} the controller creates the Services of the federation in its
 * clusters, updates them to their manifests, and deletes those without a manifest. It does so in clusters that it has claimed and can
 * read. Services that no controller of this federation created are not changed. The controller writes Services only while it holds the
 * Lease ({@code coordination.k8s.io/v1}) {@code k8sdns-federation-FEDERATION} of the cluster, so that only one of several controllers
 * with different stores writes them. A Lease is renewed and taken over like a claim.
 *
 * <p>The controller starts no thread: all of its work runs on the host's executor, one task at a time. A call that does not end by the
 * deadline has failed; failed calls are repeated after 1 s to a minute.
 */
public final class FederationController implements AutoCloseable {
    private static final Duration DEFAULT_LEASE = Duration.ofSeconds(30);
    private static final Duration DEFAULT_DEADLINE = Duration.ofSeconds(10);
    private static final Duration DEFAULT_INTERVAL = Duration.ofMinutes(1);
    private static final String DEFAULT_LEASE_NAMESPACE = "kube-system";

    /** Names of problems end with a cluster, which has no blank in its name. */
    private static final String IN_CLUSTER = " cluster ";

    private final String federation;
    private final ControllerTimers loop;
    private final ControllerCore core;

    private FederationController(Builder builder) {
        federation = builder.federation;
        loop = new ControllerLoop(builder.executor);
        core = new ControllerCore(
                new ControllerCore.Settings(
                        builder.federation,
                        UUID.randomUUID().toString(),
                        builder.services,
                        builder.lease,
                        builder.deadline,
                        builder.interval,
                        builder.leaseNamespace),
                builder.store,
                loop,
                new SplittableRandom(new SecureRandom().nextLong()));
    }

    /**
     * A difference between the wanted and the actual state that the controller cannot remove at the moment.
     *
     * @param name the object of the problem, for example {@code prod/shop/cart in cluster foo} or {@code cluster foo}
     * @param reason the reason
     */
    public record Problem(String name, String reason) {
        /** Checks that nothing is null. */
        public Problem {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(reason, "reason");
        }

        /** Returns the cluster of the problem if it concerns one, otherwise empty. */
        public Optional<String> cluster() {
            int at = (" " + name).lastIndexOf(IN_CLUSTER);
            return at < 0 ? Optional.empty() : Optional.of(name.substring(at + IN_CLUSTER.length() - 1));
        }

        /** Returns name and reason in one line. */
        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    /**
     * The state of a controller. A problem that is no longer listed may persist if its cluster is not in {@code written}, because the
     * controller then has no information about it.
     *
     * @param problems all problems, by name
     * @param written the clusters that have been read and whose keys this controller writes
     */
    public record ControllerReport(List<Problem> problems, Set<String> written) {
        /** Copies the collections. */
        public ControllerReport {
            problems = Copies.list("problems", problems);
            written = Copies.set("written", written);
        }
    }

    /**
     * Returns a builder of a controller.
     *
     * @param federation the name of the federation
     * @param store the store, which stays open when the controller is closed
     * @param executor runs all tasks of the controller; they are short, so one thread is enough
     * @throws IllegalArgumentException if the name is not a DNS-1123 label
     */
    public static Builder builder(String federation, FederationStore store, ScheduledExecutorService executor) {
        return new Builder(federation, store, executor);
    }

    /**
     * Adds a cluster, or replaces the source of a cluster that has joined.
     *
     * @param cluster its name, a DNS-1123 subdomain
     * @param source its objects: Services, EndpointSlices and Nodes. The controller starts it, and closes it when the cluster leaves or
     *     the controller is closed
     * @throws IllegalArgumentException if the name is not valid
     */
    public void join(String cluster, ClusterSource source) {
        requireClusterName(cluster);
        Objects.requireNonNull(source, "source");
        loop.execute(() -> core.join(cluster, source));
    }

    /**
     * Adds a cluster, and keeps the stub zone of the federation in the cluster's DNS server while this controller has claimed the
     * cluster: writes it when the cluster joins, repeats failed writes, and writes it again if it has been changed.
     *
     * @param cluster its name, a DNS-1123 subdomain
     * @param source its objects, as for {@link #join(String, ClusterSource)}
     * @param endpoint the interface of the cluster's DNS server
     * @param nameServers the stub zone of the federation
     * @throws IllegalArgumentException if the name is not valid, or the stub zone is of another federation
     */
    public void join(String cluster, ClusterSource source, StubZoneClient endpoint, StubZone nameServers) {
        requireClusterName(cluster);
        Objects.requireNonNull(source, "source");
        Objects.requireNonNull(endpoint, "endpoint");
        if (!nameServers.federation().equals(federation)) {
            throw new IllegalArgumentException("a stub zone of another federation: " + nameServers);
        }
        loop.execute(() -> core.join(cluster, source, endpoint, nameServers));
    }

    private static void requireClusterName(String cluster) {
        boolean isName = SourceCluster.parse(cluster.getBytes(StandardCharsets.UTF_8))
                .filter(one -> one.name().equals(cluster))
                .isPresent();
        if (!isName) {
            throw new IllegalArgumentException("not the name of a cluster (a DNS-1123 subdomain): \"" + cluster + "\"");
        }
    }

    /**
     * Sets the Services that are created in each cluster with a {@link ServiceApi}. A Service that a controller of the federation created
     * and that is not among them is deleted. Until this is called for the first time, nothing is created or deleted.
     *
     * @param templates all Services; an empty list deletes all that were created
     * @throws IllegalArgumentException if two have the same namespace and name
     */
    public void templates(List<ShardTemplate> templates) {
        List<ShardTemplate> all = Copies.list("templates", templates);
        Set<String> names = new HashSet<>();
        all.forEach(template -> {
            if (!names.add(template.toString())) {
                throw new IllegalArgumentException("two Services with the name " + template);
            }
        });
        loop.execute(() -> core.templates(all));
    }

    /**
     * Enables the creation of the Services of {@link #templates} in a cluster that has joined. Must be called again when the cluster joins
     * again.
     *
     * @param cluster its name; ignored if the cluster has not joined
     * @param services the Services at its API server; closed when the cluster leaves or joins again, or the controller is closed
     * @param leases the Leases there, closed like the Services; Services are written only while the Lease of the federation is held
     */
    public void createShards(String cluster, ServiceApi services, LeaseApi leases) {
        Objects.requireNonNull(cluster, "cluster");
        LeasedShards.Access access = new LeasedShards.Access(
                Objects.requireNonNull(services, "services"), Objects.requireNonNull(leases, "leases"));
        loop.execute(() -> core.createShards(cluster, access));
    }

    /** Removes a cluster and its keys; Services that were created in it stay. Does nothing if it has not joined. */
    public void leave(String cluster) {
        Objects.requireNonNull(cluster, "cluster");
        loop.execute(() -> core.leave(cluster));
    }

    /**
     * Waits until every cluster has been read and claimed, and store and clusters are in the wanted state. Also completes if each of the
     * remaining {@link #problems} has failed three times.
     *
     * @return a stage that never fails; it may not complete while a cluster cannot be read
     */
    public CompletionStage<Void> reconciled() {
        CompletableFuture<Void> reconciled = new CompletableFuture<>();
        loop.execute(() -> core.reconciled(reconciled));
        return reconciled.minimalCompletionStage();
    }

    /** Returns the current problems, by name. */
    public CompletionStage<List<Problem>> problems() {
        CompletableFuture<List<Problem>> problems = new CompletableFuture<>();
        loop.execute(() -> problems.complete(core.problems()));
        return problems.minimalCompletionStage();
    }

    /** Returns the current problems, and the clusters that this controller writes. */
    public CompletionStage<ControllerReport> report() {
        CompletableFuture<ControllerReport> report = new CompletableFuture<>();
        loop.execute(() -> report.complete(new ControllerReport(core.problems(), core.written())));
        return report.minimalCompletionStage();
    }

    /**
     * Releases all claims and Leases, so that another controller can take over at once, and then closes.
     *
     * @return a stage that completes when they are released, or the deadline has passed
     */
    public CompletionStage<Void> release() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        loop.execute(() -> core.release(released));
        return released.minimalCompletionStage();
    }

    /**
     * Stops the controller and closes the sources of the clusters. Nothing is written any more; claims and Leases expire. Closing again
     * does nothing.
     */
    @Override
    public void close() {
        loop.execute(core::close);
    }

    /** Collects the settings of a controller. Not thread-safe. */
    public static final class Builder {
        private final String federation;
        private final FederationStore store;
        private final ScheduledExecutorService executor;
        private FederatedServices services;
        private Duration lease = DEFAULT_LEASE;
        private Duration deadline = DEFAULT_DEADLINE;
        private Duration interval = DEFAULT_INTERVAL;
        private String leaseNamespace = DEFAULT_LEASE_NAMESPACE;

        private Builder(String federation, FederationStore store, ScheduledExecutorService executor) {
            this.federation = Objects.requireNonNull(federation, "federation");
            if (!KubernetesNames.isDnsLabel(federation)) {
                throw new IllegalArgumentException(
                        "not the name of a federation (a DNS-1123 label): \"" + federation + "\"");
            }
            this.store = Objects.requireNonNull(store, "store");
            this.executor = Objects.requireNonNull(executor, "executor");
            this.services = FederatedServices.labelledFor(federation).orExported();
        }

        /** Sets which Services take part; by default those labelled with the name of the federation or with a ServiceExport. */
        public Builder services(FederatedServices value) {
            services = Objects.requireNonNull(value, "services");
            return this;
        }

        /**
         * Sets the time of a lease: how long a claim and a Lease last without renewal; 30 s by default. It must be the same for all
         * controllers of a federation, and should be at least three times the deadline, so that each request has ended when another
         * controller takes over.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder lease(Duration value) {
            lease = positive("lease", value);
            return this;
        }

        /**
         * Sets the time after which a call of the store or of an API server has failed; 10 s by default.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder deadline(Duration value) {
            deadline = positive("deadline", value);
            return this;
        }

        /**
         * Sets the time between complete comparisons; a minute by default. Changes are compared immediately.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder interval(Duration value) {
            interval = positive("interval", value);
            return this;
        }

        /**
         * Sets the namespace of the Leases; {@code kube-system} by default. It must be the same for all controllers of a federation.
         *
         * @throws IllegalArgumentException if it is not a DNS-1123 label
         */
        public Builder leaseNamespace(String value) {
            if (!KubernetesNames.isDnsLabel(Objects.requireNonNull(value, "leaseNamespace"))) {
                throw new IllegalArgumentException(
                        "leaseNamespace: not the name of a namespace (a DNS-1123 label): \"" + value + "\"");
            }
            leaseNamespace = value;
            return this;
        }

        private static Duration positive(String name, Duration value) {
            if (Objects.requireNonNull(value, name).isNegative() || value.isZero()) {
                throw new IllegalArgumentException(name + " must be positive, not " + value);
            }
            return value;
        }

        /** Starts a controller without clusters. */
        public FederationController start() {
            FederationController controller = new FederationController(this);
            controller.loop.execute(controller.core::start);
            return controller;
        }
    }
}
