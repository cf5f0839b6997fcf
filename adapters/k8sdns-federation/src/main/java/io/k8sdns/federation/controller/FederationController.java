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
 * Keeps the store of a federation as the objects of its clusters have it: a key {@code /FEDERATION/NAMESPACE/SERVICE/CLUSTER} for each
 * Service that takes part and has a ready endpoint, and where each cluster is.
 *
 * <pre>{@code
 * FederationController controller = FederationController.builder("prod", store, executor).start();
 * controller.join("foo", source);
 * controller.settled().toCompletableFuture().get(30, SECONDS);
 * }</pre>
 *
 * <p><b>What it writes.</b> Differences alone, each by compare-and-swap. The keys of other federations, of clusters that have not
 * joined, and keys of another form are never touched.
 *
 * <p><b>A cluster out of reach is not a cluster without Services.</b> Keys of a cluster are written and removed only while its source is
 * {@link io.k8sdns.cluster.SyncState#SYNCED}: not before everything was listed once, and not while it does not answer. After the time of
 * a lease the claim is given up, and the key {@code /_clusters/CLUSTER} has {@code "stale": true} until a controller reads the cluster
 * again.
 *
 * <p><b>Several controllers.</b> One at a time writes the keys of a cluster: the one whose claim is in {@code /_clusters/CLUSTER}. It
 * renews the claim three times per lease, and writes for two thirds of a lease after a renewal that has arrived. Another controller
 * takes over when it has seen no renewal for a whole lease. So a controller never undoes what another one wrote, unless it has taken
 * over since. Clocks are not compared; they must run at about the same rate.
 *
 * <p><b>Creating shards.</b> With {@link #templates} and {@link #createShards} the Services of the federation are created in its clusters,
 * kept as their manifests say, and deleted when they have no manifest any more: by the controller that has claimed the cluster, and
 * while the cluster can be read. Services that no controller of this federation created are not touched. The controller writes Services
 * only while it holds the Lease ({@code coordination.k8s.io/v1}) {@code k8sdns-federation-FEDERATION} of the cluster, so that one of
 * several controllers with different stores writes them. The Lease is renewed, and taken over, as a claim is.
 *
 * <p>It starts no thread: everything is done on the host's executor, one task at a time. A call of the store that does not end by the
 * deadline counts as failed, and whatever failed is repeated after pauses of 1 s to a minute.
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
     * Something that is not as it should be.
     *
     * @param name what it is about, for example {@code prod/shop/cart in cluster foo} or {@code cluster foo}
     * @param reason why
     */
    public record Problem(String name, String reason) {
        /** Checks that nothing is null. */
        public Problem {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(reason, "reason");
        }

        /** Returns the cluster that it is about; empty if it is about no cluster. */
        public Optional<String> cluster() {
            int at = (" " + name).lastIndexOf(IN_CLUSTER);
            return at < 0 ? Optional.empty() : Optional.of(name.substring(at + IN_CLUSTER.length() - 1));
        }

        /** Returns both for a person. */
        @Override
        public String toString() {
            return name + ": " + reason;
        }
    }

    /**
     * How things are at one moment. A problem of a cluster that is not written has not ended because it is no longer among the problems:
     * this controller knows no more about it.
     *
     * @param problems everything that is not as it should be, by name
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
     * @param executor runs everything; the tasks are short, so one thread is enough
     * @throws IllegalArgumentException if the name is no DNS-1123 label
     */
    public static Builder builder(String federation, FederationStore store, ScheduledExecutorService executor) {
        return new Builder(federation, store, executor);
    }

    /**
     * Lets a cluster join, or replaces the source of one that has joined.
     *
     * @param cluster its name, a DNS-1123 subdomain
     * @param source its objects: Services, EndpointSlices and Nodes; started here, and closed when the cluster leaves and with the
     *     controller
     * @throws IllegalArgumentException if it is no name of a cluster
     */
    public void join(String cluster, ClusterSource source) {
        requireClusterName(cluster);
        Objects.requireNonNull(source, "source");
        loop.execute(() -> core.join(cluster, source));
    }

    /**
     * Lets a cluster join, and keeps the stub zone of the federation in its DNS server while this controller has claimed the cluster:
     * writes it when the cluster joins, repeats that after failures, and repairs it when it was changed.
     *
     * @param cluster its name, a DNS-1123 subdomain
     * @param source its objects, as for {@link #join(String, ClusterSource)}
     * @param endpoint the interface of the cluster's DNS server
     * @param nameServers the stub zone of the federation
     * @throws IllegalArgumentException if it is no name of a cluster, or the stub zone is of another federation
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
     * @param templates the Services, all of them; without any, all that were created are deleted
     * @throws IllegalArgumentException if two have one namespace and name
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
     * Lets the Services of {@link #templates} be created in a cluster that has joined. Called again after the cluster has joined again.
     *
     * @param cluster its name; of a cluster that has not joined, nothing is created
     * @param services the Services at its API server; closed when the cluster leaves or joins again, and with the controller
     * @param leases the Leases there, closed as well; nothing is written without the Lease of the federation
     */
    public void createShards(String cluster, ServiceApi services, LeaseApi leases) {
        Objects.requireNonNull(cluster, "cluster");
        LeasedShards.Access access = new LeasedShards.Access(
                Objects.requireNonNull(services, "services"), Objects.requireNonNull(leases, "leases"));
        loop.execute(() -> core.createShards(cluster, access));
    }

    /** Lets a cluster leave: its keys are removed, and Services that were created in it stay. Does nothing if it has not joined. */
    public void leave(String cluster) {
        Objects.requireNonNull(cluster, "cluster");
        loop.execute(() -> core.leave(cluster));
    }

    /**
     * Completes when everything is as it should be: every cluster has been read, its claim belongs to this controller, and the store
     * has what it should have; or when what is not so has been tried three times, which {@link #problems} lists.
     *
     * @return never fails; a cluster that cannot be read may keep it from completing
     */
    public CompletionStage<Void> settled() {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        loop.execute(() -> core.settled(settled));
        return settled.minimalCompletionStage();
    }

    /** Completes with everything that is not as it should be at this moment, by name. */
    public CompletionStage<List<Problem>> problems() {
        CompletableFuture<List<Problem>> problems = new CompletableFuture<>();
        loop.execute(() -> problems.complete(core.problems()));
        return problems.minimalCompletionStage();
    }

    /** Completes with the problems of this moment, and the clusters that this controller writes. */
    public CompletionStage<ControllerReport> report() {
        CompletableFuture<ControllerReport> report = new CompletableFuture<>();
        loop.execute(() -> report.complete(new ControllerReport(core.problems(), core.written())));
        return report.minimalCompletionStage();
    }

    /**
     * Gives up all clusters and their Leases, so that another controller can take over at once, and then closes.
     *
     * @return completes when they are given up, or the deadline has passed
     */
    public CompletionStage<Void> release() {
        CompletableFuture<Void> released = new CompletableFuture<>();
        loop.execute(() -> core.release(released));
        return released.minimalCompletionStage();
    }

    /**
     * Ends the work and closes the sources of the clusters. Nothing is written from then on; claims end with their leases. Closing
     * again does nothing.
     */
    @Override
    public void close() {
        loop.execute(core::close);
    }

    /** Collects what a controller needs. Not thread-safe. */
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

        /** Sets which Services take part; those labelled with the name of the federation or with a ServiceExport unless set. */
        public Builder services(FederatedServices value) {
            services = Objects.requireNonNull(value, "services");
            return this;
        }

        /**
         * Sets how long a claim and a Lease last that are not renewed; 30 s unless set. All controllers of a federation need the same. At
         * least three times the deadline, so that each request has ended when another controller takes over.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder lease(Duration value) {
            lease = positive("lease", value);
            return this;
        }

        /**
         * Sets after which time a call of the store or of an API server counts as failed; 10 s unless set.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder deadline(Duration value) {
            deadline = positive("deadline", value);
            return this;
        }

        /**
         * Sets how often everything is compared again, beside what is compared because it changed; a minute unless set.
         *
         * @throws IllegalArgumentException if it is not positive
         */
        public Builder interval(Duration value) {
            interval = positive("interval", value);
            return this;
        }

        /**
         * Sets the namespace of the Leases; {@code kube-system} unless set. All controllers of a federation need the same.
         *
         * @throws IllegalArgumentException if it is no DNS-1123 label
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
                throw new IllegalArgumentException(name + ": more than nothing, not " + value);
            }
            return value;
        }

        /** Starts a controller, without a cluster. */
        public FederationController start() {
            FederationController controller = new FederationController(this);
            controller.loop.execute(controller.core::start);
            return controller;
        }
    }
}
