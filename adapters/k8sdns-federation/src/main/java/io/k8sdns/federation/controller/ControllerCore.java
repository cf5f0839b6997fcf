package io.k8sdns.federation.controller;

import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.FederationKey;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.FederationStore.Entry;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneClient;
import io.k8sdns.federation.controller.FederationController.Problem;
import io.k8sdns.federation.controller.RegistryValue.Claim;
import io.k8sdns.federation.controller.StoreWriter.KeyEdit;
import io.k8sdns.federation.store.FederationJson;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The state machine of a controller: decides the wanted value of each key, and whether this controller may write it. For the loop's
 * thread.
 *
 * <p>A claim is valid for two thirds of a lease after the controller <em>sent</em> the last successful renewal. Another controller takes
 * over when it has <em>seen</em> no renewal for a whole lease, which is later. A write that is still under way then does no harm: it names
 * a version, and fails if the new owner has written the key.
 */
final class ControllerCore implements StoreWriter.DesiredState {
    private static final KeyEdit KEEP = new KeyEdit.Keep();
    private static final KeyEdit REMOVE = new KeyEdit.Remove();

    /** The number of failures in a row after which {@link #reconciled} no longer waits for a key. */
    private static final int MANY_FAILURES = 3;

    private static final int RENEWALS_PER_LEASE = 3;

    /** The number of checks of the claims per lease. */
    private static final int TICKS_PER_LEASE = 6;

    private final Settings settings;
    private final ControllerTimers time;
    private final RandomGenerator random;
    private final StoreWriter writer;
    private final FederationJson json = new FederationJson();
    private final Map<String, JoinedCluster> clusters = new TreeMap<>();
    private final List<CompletableFuture<Void>> waiting = new ArrayList<>();
    private @Nullable List<ShardTemplate> templates;
    private @Nullable CompletableFuture<Void> released;

    /** The shards of clusters that have left or joined again, while their Leases are being released. */
    private final Set<LeasedShards> ending = new HashSet<>();

    /** The number of identities that have held Leases. */
    private int holders;

    private boolean isReleasing;
    private boolean isClosed;

    /** The settings of a controller. */
    record Settings(
            String federation,
            String id,
            FederatedServices services,
            Duration lease,
            Duration deadline,
            Duration interval,
            String leaseNamespace) {}

    ControllerCore(Settings settings, FederationStore store, ControllerTimers time, RandomGenerator random) {
        this.settings = settings;
        this.time = time;
        this.random = random;
        this.writer = new StoreWriter(store, time, random, settings.deadline(), this);
    }

    void start() {
        writer.start();
        tick();
        compareAll();
    }

    // ---- clusters ----

    void join(String name, ClusterSource source) {
        join(name, source, null, null);
    }

    void join(String name, ClusterSource source, @Nullable StubZoneClient endpoint, @Nullable StubZone zone) {
        if (isClosed) {
            source.close();
            return;
        }
        JoinedCluster before = clusters.remove(name);
        if (before != null) {
            endShards(before);
            before.close();
        }
        JoinedCluster cluster = new JoinedCluster(name, settings, time, source);
        if (endpoint != null && zone != null) {
            cluster.keep(new StubZoneKeeper(
                    endpoint,
                    zone,
                    time,
                    random,
                    settings,
                    () -> isClaimWanted(cluster) && cluster.isOwner(time.nanoTime()),
                    this::checkDone));
        }
        clusters.put(name, cluster);
        observe(cluster);
        cluster.start(changed -> changed.forEach(service -> check(cluster, service)), () -> stateChanged(cluster));
    }

    /** Creates the Services of the templates in a cluster that has joined, with this access to its API server. */
    void createShards(String name, LeasedShards.Access access) {
        JoinedCluster cluster = clusters.get(name);
        if (isClosed || isReleasing || cluster == null || cluster.hasLeft()) {
            access.close();
            return;
        }
        endShards(cluster);
        LeasedShards shards = new LeasedShards(
                name,
                access,
                // A new identity each time, because the last write of the previous one may arrive late.
                settings.id() + "-" + ++holders,
                time,
                random,
                settings,
                () -> isClaimWanted(cluster) && cluster.state() == SyncState.SYNCED && cluster.isOwner(time.nanoTime()),
                () -> leaseIntent(cluster),
                this::checkDone);
        cluster.keep(shards);
        List<ShardTemplate> all = templates;
        if (all != null) {
            shards.templates(all);
        }
    }

    private boolean isClaimWanted(JoinedCluster cluster) {
        return !isClosed && !isReleasing && !cluster.isClosed() && !cluster.hasLeft();
    }

    private ClusterLease.Intent leaseIntent(JoinedCluster cluster) {
        if (!isClaimWanted(cluster)) {
            return ClusterLease.Intent.RELEASE;
        }
        if (cluster.isOwner(time.nanoTime())) {
            return ClusterLease.Intent.HOLD;
        }
        // A claim whose renewal is late is not lost yet.
        return isClaimed(cluster) ? ClusterLease.Intent.WAIT : ClusterLease.Intent.RELEASE;
    }

    private void endShards(JoinedCluster cluster) {
        cluster.takeLeasedShards().ifPresent(shards -> {
            ending.add(shards);
            shards.end(() -> time.execute(() -> {
                ending.remove(shards);
                checkDone();
            }));
        });
    }

    void templates(List<ShardTemplate> all) {
        templates = all;
        clusters.values().forEach(cluster -> cluster.leasedShards().ifPresent(shards -> shards.templates(all)));
    }

    void leave(String name) {
        JoinedCluster cluster = clusters.get(name);
        if (cluster != null) {
            cluster.leave();
            endShards(cluster);
            checkAll(cluster);
        }
    }

    private void stateChanged(JoinedCluster cluster) {
        checkAll(cluster);
        cluster.leasedShards().ifPresent(LeasedShards::run);
    }

    private void tick() {
        if (!isClosed) {
            List.copyOf(clusters.values()).forEach(cluster -> {
                writer.check(cluster.key().text());
                cluster.leasedShards().ifPresent(LeasedShards::run);
            });
            checkDone();
            var unused = time.after(settings.lease().dividedBy(TICKS_PER_LEASE), this::tick);
        }
    }

    private void compareAll() {
        if (!isClosed) {
            List.copyOf(clusters.values()).forEach(this::checkAll);
            var unused = time.after(settings.interval(), this::compareAll);
        }
    }

    // ---- keys ----

    private void check(JoinedCluster cluster, ObjectRef service) {
        writer.check(key(cluster, service).text());
    }

    private FederationKey.OfShard key(JoinedCluster cluster, ObjectRef service) {
        return new FederationKey.OfShard(
                new FederationKey.ServiceKey(
                        settings.federation(), service.namespace().orElseThrow(), service.name()),
                cluster.name());
    }

    /** Compares all keys of a cluster with what is wanted. */
    private void checkAll(JoinedCluster cluster) {
        writer.check(cluster.key().text());
        keys(cluster).forEach(writer::check);
        checkDone();
    }

    private Set<String> keys(JoinedCluster cluster) {
        Set<String> keys = presentKeys(cluster);
        cluster.shards()
                .shards()
                .keySet()
                .forEach(service -> keys.add(key(cluster, service).text()));
        return keys;
    }

    private Set<String> presentKeys(JoinedCluster cluster) {
        Set<String> keys = new HashSet<>();
        for (String text : writer.present().keySet()) {
            // Most keys of a large store are of other clusters.
            if (text.endsWith("/" + cluster.name())
                    && parse(text).filter(key -> isOf(key, cluster)).isPresent()) {
                keys.add(text);
            }
        }
        return keys;
    }

    private boolean isOf(FederationKey key, JoinedCluster cluster) {
        return key instanceof FederationKey.OfShard shard
                && shard.cluster().equals(cluster.name())
                && shard.service().federation().equals(settings.federation());
    }

    private static Optional<FederationKey> parse(String text) {
        try {
            return Optional.of(FederationKey.parse(text));
        } catch (IllegalArgumentException other) {
            return Optional.empty();
        }
    }

    @Override
    public void entriesRead(Set<String> keys) {
        for (String text : keys) {
            FederationKey key = parse(text).orElse(null);
            JoinedCluster cluster = key instanceof FederationKey.OfCluster one
                    ? clusters.get(one.cluster())
                    : key instanceof FederationKey.OfShard shard ? clusters.get(shard.cluster()) : null;
            if (key == null || cluster == null) {
                continue;
            }
            if (key instanceof FederationKey.OfCluster) {
                boolean was = cluster.isOwner(time.nanoTime());
                observe(cluster);
                writer.check(text);
                if (!was && cluster.isOwner(time.nanoTime())) {
                    keys(cluster).forEach(writer::check);
                    cluster.stubZone().ifPresent(StubZoneKeeper::run);
                    cluster.leasedShards().ifPresent(LeasedShards::run);
                }
            } else if (isOf(key, cluster)) {
                writer.check(text);
            }
        }
        // A cluster that joined before the store was known was not checked.
        checkDone();
    }

    private void observe(JoinedCluster cluster) {
        cluster.observe(registry(cluster).claims(), time.nanoTime());
    }

    private RegistryValue registry(JoinedCluster cluster) {
        return RegistryValue.parse(writer.present(cluster.key().text()).map(Entry::value));
    }

    @Override
    public KeyEdit edit(String text, Optional<Entry> present) {
        FederationKey key = parse(text).orElse(null);
        if (key instanceof FederationKey.OfCluster one) {
            JoinedCluster cluster = clusters.get(one.cluster());
            return cluster == null ? KEEP : edit(cluster, present);
        }
        if (key instanceof FederationKey.OfShard shard) {
            JoinedCluster cluster = clusters.get(shard.cluster());
            return cluster == null || !isOf(key, cluster) ? KEEP : edit(cluster, shard, present);
        }
        return KEEP;
    }

    private KeyEdit edit(JoinedCluster cluster, FederationKey.OfShard key, Optional<Entry> present) {
        if (isReleasing || !cluster.isOwner(time.nanoTime()) || !cluster.isReadable()) {
            return KEEP;
        }
        Optional<Shard> wanted = cluster.hasLeft()
                ? Optional.empty()
                : cluster.shards()
                        .shard(ObjectRef.of(
                                Service.KIND,
                                key.service().namespace(),
                                key.service().service()));
        if (wanted.isEmpty()) {
            return present.isPresent() ? REMOVE : KEEP;
        }
        return present.filter(entry -> isEqual(entry.value(), wanted.get())).isPresent()
                ? KEEP
                : new KeyEdit.Put(json.write(wanted.get()));
    }

    private boolean isEqual(String value, Shard wanted) {
        try {
            return json.shard(value).equals(wanted);
        } catch (IllegalArgumentException malformed) {
            return false;
        }
    }

    /** Returns the edit of the registry's key of a cluster: to claim it, to renew or release the claim, or to set the location. */
    private KeyEdit edit(JoinedCluster cluster, Optional<Entry> present) {
        long now = time.nanoTime();
        RegistryValue value = RegistryValue.parse(present.map(Entry::value));
        // The value may be newer than the claims that were seen.
        cluster.observe(value.claims(), now);
        Claim claim = value.claims().get(settings.federation());
        boolean isMine = claim != null && claim.id().equals(settings.id());
        if (isReleasing) {
            return isMine ? put(value.withoutClaim(settings.federation())) : KEEP;
        }
        if (cluster.hasLeft() && presentKeys(cluster).isEmpty()) {
            if (!isMine) {
                return KEEP;
            }
            RegistryValue without = value.withoutClaim(settings.federation());
            return without.hasClaims() ? put(without) : REMOVE;
        }
        if (isMine && cluster.isOutOfReach(now)) {
            return new KeyEdit.Put(
                    value.withoutClaim(settings.federation()).withStale(true).text(), cluster::releasing);
        }
        boolean isFree = claim == null || cluster.hasExpired(settings.federation(), now);
        if (!isMine && !(isFree && cluster.isReadable())) {
            return KEEP;
        }
        RegistryValue wanted = located(cluster, value, now);
        if (cluster.isReadable()) {
            wanted = wanted.withStale(false);
        }
        boolean isDue =
                !isMine || cluster.sinceRenewal(now).compareTo(settings.lease().dividedBy(RENEWALS_PER_LEASE)) >= 0;
        if (!isDue && wanted.text().equals(value.text())) {
            return KEEP;
        }
        long renewed = cluster.nextRenewal(claim == null ? 0 : claim.renewed());
        return new KeyEdit.Put(
                wanted.withClaim(settings.federation(), new Claim(settings.id(), renewed))
                        .text(),
                () -> cluster.sending(renewed, now));
    }

    private static KeyEdit put(RegistryValue value) {
        return new KeyEdit.Put(value.text());
    }

    /** Sets the location of the cluster if it is known, and no controller of another federation sets it. */
    private RegistryValue located(JoinedCluster cluster, RegistryValue value, long now) {
        ClusterLocation location = cluster.shards().location();
        boolean isFirst = value.claims().keySet().stream()
                .noneMatch(other -> other.compareTo(settings.federation()) < 0 && !cluster.hasExpired(other, now));
        return cluster.isReadable()
                        && !cluster.hasLeft()
                        && isFirst
                        && !location.equals(ClusterLocation.UNKNOWN)
                        && !location.equals(value.location())
                ? value.withLocation(location)
                : value;
    }

    // ---- reports ----

    @Override
    public void attemptEnded() {
        checkDone();
    }

    private void checkDone() {
        clusters.values().removeIf(cluster -> cluster.hasLeft() && isGone(cluster));
        if (!waiting.isEmpty() && isReconciled()) {
            List<CompletableFuture<Void>> all = List.copyOf(waiting);
            waiting.clear();
            all.forEach(one -> one.complete(null));
        }
        CompletableFuture<Void> end = released;
        if (end != null
                && ending.isEmpty()
                && clusters.values().stream().noneMatch(cluster -> isClaimed(cluster) || isBeingClaimed(cluster))) {
            released = null;
            close();
            end.complete(null);
        }
    }

    private boolean isGone(JoinedCluster cluster) {
        return writer.isKnown() && presentKeys(cluster).isEmpty() && !isClaimed(cluster);
    }

    private boolean isClaimed(JoinedCluster cluster) {
        Claim claim = registry(cluster).claims().get(settings.federation());
        return claim != null && claim.id().equals(settings.id());
    }

    /** Returns whether a claim may have been written that has not been seen yet. */
    private boolean isBeingClaimed(JoinedCluster cluster) {
        return writer.isBusy(cluster.key().text());
    }

    private boolean isReconciled() {
        return writer.isKnown()
                && writer.isIdle(MANY_FAILURES)
                && clusters.values().stream()
                        .allMatch(cluster -> cluster.isReadable()
                                && !cluster.hasLeft()
                                && (cluster.isOwner(time.nanoTime())
                                                && cluster.stubZone()
                                                        .map(keeper -> keeper.isReconciled(MANY_FAILURES))
                                                        .orElse(true)
                                                && cluster.leasedShards()
                                                        .map(shards -> shards.isReconciled(MANY_FAILURES))
                                                        .orElse(true)
                                        || hasFailed(cluster)));
    }

    private boolean hasFailed(JoinedCluster cluster) {
        boolean[] failed = new boolean[1];
        writer.failures((key, reason) -> failed[0] |= key.equals(cluster.key().text()));
        return failed[0];
    }

    void reconciled(CompletableFuture<Void> future) {
        waiting.add(future);
        checkDone();
    }

    List<Problem> problems() {
        List<Problem> problems = new ArrayList<>();
        if (!writer.isKnown()) {
            problems.add(new Problem("store", "it has not been read"));
            clusters.values()
                    .forEach(cluster -> cluster.shards().shards().keySet().stream()
                            .map(service -> name(key(cluster, service).text()))
                            .sorted()
                            .forEach(name -> problems.add(new Problem(name, "the store has not been read"))));
        }
        long now = time.nanoTime();
        for (JoinedCluster cluster : clusters.values()) {
            String name = "cluster " + cluster.name();
            if (cluster.state() == SyncState.SYNCING) {
                problems.add(new Problem(name, "its objects have not been read; its keys are kept"));
            } else if (cluster.state() == SyncState.STALE) {
                problems.add(new Problem(name, "it does not answer; its keys are kept"));
            } else if (writer.isKnown() && !cluster.isOwner(now) && !isClaimed(cluster) && !hasFailed(cluster)) {
                problems.add(new Problem(
                        name,
                        Optional.ofNullable(registry(cluster).claims().get(settings.federation()))
                                .map(claim -> "its keys are written by the controller " + claim.id())
                                .orElse("it has not been claimed")));
            }
        }
        clusters.values()
                .forEach(cluster -> cluster.stubZone()
                        .flatMap(StubZoneKeeper::failure)
                        .ifPresent(
                                reason -> problems.add(new Problem("stub zone of cluster " + cluster.name(), reason))));
        clusters.values().stream()
                .filter(cluster -> mayWrite(cluster, now))
                .flatMap(cluster -> cluster.leasedShards().stream())
                .forEach(
                        shards -> shards.failures().forEach((name, reason) -> problems.add(new Problem(name, reason))));
        Map<String, String> failures = new TreeMap<>();
        writer.failures(failures::put);
        failures.forEach((key, reason) -> problems.add(new Problem(name(key), reason)));
        return List.copyOf(problems);
    }

    /** Returns whether this controller has the claim of a cluster, even while its renewal is late. */
    private boolean mayWrite(JoinedCluster cluster, long now) {
        return cluster.isOwner(now) || isClaimed(cluster);
    }

    /** Returns the clusters whose keys this controller writes now. */
    Set<String> written() {
        long now = time.nanoTime();
        return clusters.values().stream()
                .filter(cluster -> cluster.isReadable() && !cluster.hasLeft() && mayWrite(cluster, now))
                .map(JoinedCluster::name)
                .collect(Collectors.toSet());
    }

    private static String name(String text) {
        FederationKey key = parse(text).orElseThrow();
        if (key instanceof FederationKey.OfShard shard) {
            FederationKey.ServiceKey service = shard.service();
            return service.federation() + "/" + service.namespace() + "/" + service.service() + " in cluster "
                    + shard.cluster();
        }
        return "cluster " + ((FederationKey.OfCluster) key).cluster();
    }

    // ---- the end ----

    void release(CompletableFuture<Void> future) {
        if (isClosed) {
            future.complete(null);
            return;
        }
        isReleasing = true;
        released = future;
        var unused = time.after(settings.deadline(), () -> {
            close();
            future.complete(null);
        });
        List.copyOf(clusters.values()).forEach(cluster -> {
            endShards(cluster);
            writer.check(cluster.key().text());
        });
        checkDone();
    }

    void close() {
        if (!isClosed) {
            isClosed = true;
            writer.close();
            clusters.values().forEach(JoinedCluster::close);
            ending.forEach(LeasedShards::close);
            waiting.clear();
        }
    }
}
