package io.k8sdns.zone;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Internal;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;

/**
 * The zone of a cluster: takes changes, publishes an immutable {@link ZoneRevision} after each batch.
 *
 * <p>Writing: one batch at a time. {@link #apply} may be called from several threads; a call waits for the one before.
 * The callers decide the order of their batches, so that a source delivers from one thread at a time.
 *
 * <p>Reading: {@link #current()} never waits. Whoever answers a question reads it once and takes everything from that
 * revision; a later read never gives an earlier revision, on whatever thread.
 *
 * <p>The state after any batches is that of all objects that are left, in whatever order and portions they came: the
 * same as {@link #of} of these objects, but for the serial.
 */
public final class ClusterZone {
    private static final Set<String> NAMESPACED =
            Set.of(Service.KIND, EndpointSlice.KIND, Pod.KIND, ServiceExport.KIND);
    /** The longest time in nanoseconds. */
    private static final Duration LONGEST_WAIT = Duration.ofNanos(Long.MAX_VALUE);

    private static final Set<String> CLUSTER_SCOPED = Set.of(Namespace.KIND, Node.KIND);

    private final ClusterObjects objects;
    private final List<Listening> listeners = new CopyOnWriteArrayList<>();

    /** The zones of views by labels, which take the same batches for as long as a view is in use. */
    private final List<WeakReference<ClusterZone>> views = new CopyOnWriteArrayList<>();

    /** What {@link #await} waits for: looks at the current revision. */
    private final List<Runnable> waiting = new CopyOnWriteArrayList<>();

    /** The changes that listeners have not been called for. */
    private final Queue<ZoneChange> unnotified = new ArrayDeque<>();

    private boolean isNotifying;

    private volatile ZoneRevision current;
    private volatile Supplier<SyncState> state = () -> SyncState.SYNCED;

    private ClusterZone(RecordRules rules, Visibility visibility, SoaSerial serial) {
        Objects.requireNonNull(rules, "rules");
        this.objects = new ClusterObjects(rules, Objects.requireNonNull(visibility, "visibility"));
        ChangeBatch changes = new ChangeBatch(rules, NameTable.EMPTY, AddressTable.EMPTY);
        changes.isNew(new Publisher.Apex());
        changes.finish();
        this.current = new ZoneRevision(
                rules, new ServedZones(rules.settings()), changes.names(), changes.addresses(), serial);
    }

    /** Returns the zone of a cluster without objects, with {@link ZoneSettings#DEFAULTS}. */
    public static ClusterZone create() {
        return create(ZoneSettings.DEFAULTS);
    }

    /** Returns the zone of a cluster without objects. */
    public static ClusterZone create(ZoneSettings settings) {
        return create(settings, Visibility.ALL);
    }

    /** Returns the zone of a cluster without objects, which publishes some of those that it takes. */
    public static ClusterZone create(ZoneSettings settings, Visibility visibility) {
        return empty(new RecordRules(Objects.requireNonNull(settings, "settings")), visibility);
    }

    /** Returns the zone of a snapshot. */
    public static ClusterZone of(ClusterSnapshot snapshot, ZoneSettings settings) {
        return of(snapshot, new RecordRules(Objects.requireNonNull(settings, "settings")), Visibility.ALL);
    }

    /**
     * Returns the zone of a cluster without objects, with the serial 0: the first record of the cluster makes it 1, or
     * what the host hands in.
     */
    @Internal
    @SuppressWarnings("exports")
    public static ClusterZone empty(RecordRules rules, Visibility visibility) {
        return new ClusterZone(rules, visibility, new SoaSerial(0));
    }

    /** Returns the zone of a snapshot, with the serial 1. */
    @Internal
    @SuppressWarnings("exports")
    public static ClusterZone of(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility) {
        return of(snapshot, rules, visibility, 1);
    }

    /**
     * Returns the zone of a snapshot.
     *
     * @param snapshot all objects
     * @param rules which records they make
     * @param visibility which of them are published
     * @param serial the SOA serial, an unsigned 32-bit number
     * @throws IllegalArgumentException if the serial is none
     */
    @Internal
    @SuppressWarnings("exports")
    public static ClusterZone of(ClusterSnapshot snapshot, RecordRules rules, Visibility visibility, long serial) {
        Objects.requireNonNull(snapshot, "snapshot");
        SoaSerial only = new SoaSerial(serial);
        ClusterZone zone = new ClusterZone(rules, visibility, only);
        List<ClusterChange> all = snapshot.objects().stream()
                .<ClusterChange>map(ClusterChange.Put::new)
                .toList();
        zone.publish(all, only);
        return zone;
    }

    /** Returns the revision that was published last. */
    public ZoneRevision current() {
        return current;
    }

    /**
     * Returns whether the zone holds all objects of its source: {@link SyncState#SYNCED} unless a {@link ZoneFeed} fills it,
     * else the feed's state.
     */
    public SyncState state() {
        return state.get();
    }

    /**
     * Returns the zone as some of its clients see it, for {@link io.k8sdns.resolver.ResolverChain#of(ZoneView)}.
     *
     * <p>A view of some namespaces ({@link Visibility#ofNamespaces}) shares the zone's index. Any other, by labels for example,
     * has an index of its own and takes every batch of changes; the host keeps one for all clients that it is for.
     *
     * @param visibility what the view shows, of what the zone shows
     * @throws IllegalStateException if the visibility needs an index of its own and the zone has taken objects already
     */
    public synchronized ZoneView view(Visibility visibility) {
        if (Objects.requireNonNull(visibility, "visibility").equals(Visibility.ALL)) {
            return new ZoneView(this, Optional.empty());
        }
        Optional<Set<String>> namespaces = visibility.onlyNamespaces();
        if (namespaces.isPresent()) {
            return new ZoneView(this, Optional.of(new NamespaceFilter(namespaces.get())));
        }
        if (!objects.isEmpty()) {
            throw new IllegalStateException(
                    "make a view by labels before the first put or apply; this zone already has objects");
        }
        ClusterZone own = new ClusterZone(current.rules(), objects.visibility().and(visibility), new SoaSerial(0));
        own.state = this::state;
        views.add(new WeakReference<>(own));
        return new ZoneView(own, Optional.empty());
    }

    /** Takes the state from a feed from now on. */
    void followed(Supplier<SyncState> by) {
        state = by;
    }

    /**
     * Adds some objects, or replaces those with their kind, namespace and name, all at once. Unlike {@link #apply(List)}, adds
     * the Namespace of each of them if the zone does not have it, without labels: names below a namespace exist only while
     * it does. An exception of a listener is thrown after all listeners have been called; the change stands.
     */
    public synchronized ZoneChange put(ClusterObject... puts) {
        List<ClusterChange> batch = new ArrayList<>();
        Set<String> added = new HashSet<>();
        for (ClusterObject object : Copies.list("puts", Arrays.asList(Objects.requireNonNull(puts, "puts")))) {
            if (object instanceof NamespacedObject named
                    && !objects.hasNamespace(named.namespace())
                    && added.add(named.namespace())) {
                batch.add(new ClusterChange.Put(Namespace.of(named.namespace())));
            }
            batch.add(new ClusterChange.Put(object));
        }
        return apply(batch);
    }

    /**
     * Removes the object with the kind, namespace and name of this one, if the zone has it. An exception of a listener is thrown
     * after all listeners have been called; the change stands.
     */
    public ZoneChange remove(ClusterObject object) {
        return remove(Objects.requireNonNull(object, "object").ref());
    }

    /**
     * Removes the object with a kind, namespace and name, if the zone has it. An exception of a listener is thrown after all
     * listeners have been called; the change stands.
     *
     * @throws IllegalArgumentException if a zone holds no objects of that kind, or none of that kind with or without a namespace
     */
    public ZoneChange remove(ObjectRef ref) {
        boolean isNamespaced = ref.namespace().isPresent();
        if (!(isNamespaced ? NAMESPACED : CLUSTER_SCOPED).contains(ref.kind())) {
            throw new IllegalArgumentException("a zone cannot hold " + ref
                    + (isNamespaced
                            ? "; kinds with a namespace: Service, EndpointSlice, Pod, ServiceExport"
                            : "; kinds without a namespace: Namespace, Node"));
        }
        return apply(List.of(new ClusterChange.Remove(Objects.requireNonNull(ref, "ref"), Optional.empty())));
    }

    /**
     * Calls a listener for every batch that changes a name, from now on: after its revision is published, one batch after
     * another, in the thread that applies it, which waits for the listener.
     *
     * @param listener takes the change. It may apply further batches, whose changes follow. An exception or error is thrown to the caller of {@link #apply}, {@link #put} or {@link #remove}
     *     after all listeners have been called, or goes to {@link ZoneFeed.Builder#listenerFailures}; the change stands
     * @return a subscription; closing it ends the calls
     */
    public Subscription onChange(Consumer<ZoneChange> listener) {
        Listening listening = new Listening(Objects.requireNonNull(listener, "listener"));
        listeners.add(listening);
        return listening;
    }

    /**
     * Waits until a name has records of a type, or is an alias, and the zone is not {@link SyncState#SYNCING}; whatever its views
     * hide. Returns at once if it has; nothing is polled.
     *
     * @param name as {@link ZoneSettings#absoluteName} reads it, for example {@code cart.shop}
     * @param type the type
     * @param timeout how long to wait at most
     * @return the first revision with such a record
     * @throws TimeoutException if there is none in time
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public ZoneRevision await(String name, RecordType type, Duration timeout)
            throws InterruptedException, TimeoutException {
        Name absolute = current.settings().absoluteName(name);
        Objects.requireNonNull(type, "type");
        return await(absolute, type, revision -> state() != SyncState.SYNCING && revision.has(absolute, type), timeout);
    }

    /**
     * Waits as {@link #await(String, RecordType, Duration)} does, for a condition.
     *
     * @param has whether the condition holds in a revision, which is published already
     */
    @Internal
    public ZoneRevision await(Name absolute, RecordType type, Predicate<ZoneRevision> has, Duration timeout)
            throws InterruptedException, TimeoutException {
        CompletableFuture<ZoneRevision> found = new CompletableFuture<>();
        Runnable look = () -> {
            ZoneRevision revision = current;
            if (has.test(revision)) {
                found.complete(revision);
            }
        };
        waiting.add(look);
        try {
            look.run();
            return found.get(nanos(timeout), TimeUnit.NANOSECONDS);
        } catch (TimeoutException late) {
            throw new TimeoutException("no " + type + " record of " + absolute + " within " + timeout);
        } catch (ExecutionException impossible) {
            throw new AssertionError(impossible);
        } finally {
            waiting.remove(look);
        }
    }

    /** Returns a duration in nanoseconds; one that is too long for them is 292 years. */
    private static long nanos(Duration time) {
        return time.compareTo(LONGEST_WAIT) > 0 ? Long.MAX_VALUE : time.isNegative() ? 0 : time.toNanos();
    }

    /** Looks again for whatever {@link #await} waits for. */
    private void wake() {
        waiting.forEach(Runnable::run);
    }

    /** Another state may be in force: {@link #state} is to be asked again. */
    void stateChanged() {
        wake();
        views().forEach(ClusterZone::wake);
    }

    /** One call of {@link #onChange}: a listener that is added twice is removed once by each. */
    private final class Listening implements Subscription {
        private final Consumer<ZoneChange> listener;

        Listening(Consumer<ZoneChange> listener) {
            this.listener = listener;
        }

        @Override
        public void close() {
            listeners.remove(this);
        }
    }

    /** Ends what it stands for when it is closed; closing again does nothing. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Applies some changes, all at once: no reader sees a part of them. The serial goes up by one if a record changed.
     *
     * <p>If a predicate of the {@link Visibility} throws, so does this, and the zone has not changed; views by labels that were made
     * before the one that throws have taken the batch, until it is applied again.
     *
     * @param batch the changes, in their order
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch) {
        return applyOrThrow(batch, null);
    }

    /**
     * Applies some changes, all at once, or none, as {@link #apply(List)} does.
     *
     * @param batch the changes, in their order
     * @param serialHint the serial to take if a record changed and this one is later than the next (RFC 1982), for
     *     example the time in seconds, so that a server that starts anew does not fall behind itself; an unsigned 32-bit
     *     number
     * @throws IllegalArgumentException if the hint is no such number
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch, long serialHint) {
        return applyOrThrow(batch, new SoaSerial(serialHint));
    }

    private ZoneChange applyOrThrow(List<ClusterChange> batch, @Nullable SoaSerial hint) {
        List<Throwable> failures = new ArrayList<>();
        ZoneChange change = apply(batch, hint, failures::add);
        if (failures.isEmpty()) {
            return change;
        }
        Throwable first = failures.get(0);
        failures.stream().filter(other -> other != first).forEach(first::addSuppressed);
        if (first instanceof Error error) {
            throw error;
        }
        throw (RuntimeException) first;
    }

    /**
     * Applies some changes as {@link #apply(List, long)} does.
     *
     * @param failures takes each exception and error of a listener
     */
    synchronized ZoneChange apply(List<ClusterChange> batch, long serialHint, Consumer<? super Throwable> failures) {
        return apply(batch, new SoaSerial(serialHint), failures);
    }

    private ZoneChange apply(
            List<ClusterChange> batch, @Nullable SoaSerial hint, Consumer<? super Throwable> failures) {
        ZoneRevision before = current;
        // First, as they fail closed: a view that throws leaves the zone as it is.
        views().forEach(view -> view.applyAsView(batch, hint, failures));
        SoaSerial next = before.serialNumber().next();
        List<OwnerName> changed =
                publish(batch, hint == null ? next : before.serialNumber().next(hint));
        wake();
        ZoneChange change = new ZoneChange(before, current, changed);
        if (!change.isEmpty()) {
            unnotified.add(change);
            notifyListeners(failures);
        }
        return change;
    }

    private synchronized void applyAsView(
            List<ClusterChange> batch, @Nullable SoaSerial hint, Consumer<? super Throwable> failures) {
        ZoneChange unused = apply(batch, hint, failures);
    }

    /** Calls the listeners for one change after another: one that a listener makes follows the one that it was called with. */
    private void notifyListeners(Consumer<? super Throwable> failures) {
        if (isNotifying) {
            return;
        }
        isNotifying = true;
        try {
            for (ZoneChange change = unnotified.poll(); change != null; change = unnotified.poll()) {
                for (Listening listening : listeners) {
                    try {
                        listening.listener.accept(change);
                    } catch (RuntimeException | Error thrown) {
                        failures.accept(thrown);
                    }
                }
            }
        } finally {
            isNotifying = false;
        }
    }

    /** Returns the zones of the views by labels that are still in use. */
    private List<ClusterZone> views() {
        List<ClusterZone> alive = new ArrayList<>();
        views.removeIf(view -> view.get() == null);
        for (WeakReference<ClusterZone> view : views) {
            ClusterZone own = view.get();
            if (own != null) {
                alive.add(own);
            }
        }
        return alive;
    }

    /** Returns the names that own something else than before, each once. */
    private List<OwnerName> publish(List<ClusterChange> batch, SoaSerial ifRecordsChange) {
        ZoneRevision before = current;
        ChangeBatch changes = before.edit();
        objects.apply(batch, changes::willChange);
        List<OwnerName> changed = changes.finish();
        ZoneRevision after = before.with(changes.names(), changes.addresses());
        boolean recordsChange = after.differsFrom(before, changed);
        current = recordsChange ? after.with(ifRecordsChange) : after;
        return changed;
    }
}
