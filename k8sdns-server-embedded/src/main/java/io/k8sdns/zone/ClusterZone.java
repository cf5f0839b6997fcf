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
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Name;

/**
 * The zone of a cluster: applies batches of changes and publishes an immutable {@link ZoneRevision} after each batch.
 *
 * <p>Writers: {@link #apply} is thread-safe and applies one batch at a time; a concurrent call waits. A source must deliver its
 * batches from one thread at a time, because the zone applies them in the order of the calls.
 *
 * <p>Readers: {@link #current()} never blocks. To get a consistent answer, read it once and take all data from that revision. No
 * thread sees an older revision after a newer one.
 *
 * <p>The records depend only on the remaining objects, not on the order or size of the batches: they are those of {@link #of} for
 * the same objects. The serial may differ.
 */
public final class ClusterZone {
    private static final Set<String> NAMESPACED =
            Set.of(Service.KIND, EndpointSlice.KIND, Pod.KIND, ServiceExport.KIND);

    private static final Set<String> CLUSTER_SCOPED = Set.of(Namespace.KIND, Node.KIND);

    private final ClusterObjects objects;
    private final ChangeListeners listeners = new ChangeListeners();

    /** The zones of views by labels. This zone applies its batches to each of them while the view is reachable. */
    private final List<WeakReference<ClusterZone>> views = new CopyOnWriteArrayList<>();

    private final AwaitedRevisions awaited = new AwaitedRevisions(this::current);

    private volatile ZoneRevision current;
    private volatile Supplier<SyncState> state = () -> SyncState.SYNCED;

    private ClusterZone(RecordRules rules, Visibility visibility, SoaSerial serial) {
        Objects.requireNonNull(rules, "rules");
        this.objects = new ClusterObjects(rules, Objects.requireNonNull(visibility, "visibility"));
        ChangeBatch changes = new ChangeBatch(rules, NameTable.EMPTY, AddressTable.EMPTY);
        changes.willAdd(new Publisher.FixedNames());
        changes.finish();
        this.current = new ZoneRevision(rules, new ServedZones(rules), changes.names(), changes.addresses(), serial);
    }

    /** Returns an empty zone with {@link ZoneSettings#DEFAULTS}. */
    public static ClusterZone create() {
        return create(ZoneSettings.DEFAULTS);
    }

    /** Returns an empty zone. */
    public static ClusterZone create(ZoneSettings settings) {
        return create(settings, Visibility.ALL);
    }

    /** Returns an empty zone that shows only visible objects. */
    public static ClusterZone create(ZoneSettings settings, Visibility visibility) {
        return empty(new RecordRules(Objects.requireNonNull(settings, "settings")), visibility);
    }

    /** Returns the zone of a snapshot. */
    public static ClusterZone of(ClusterSnapshot snapshot, ZoneSettings settings) {
        return of(snapshot, new RecordRules(Objects.requireNonNull(settings, "settings")), Visibility.ALL);
    }

    /**
     * Returns an empty zone with the serial 0. The first change of a record makes it 1, or the hint of {@link #apply(List, long)}.
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
     * @param rules the rules that derive the records
     * @param visibility which objects the zone shows
     * @param serial the SOA serial, an unsigned 32-bit number
     * @throws IllegalArgumentException if the serial is not an unsigned 32-bit number
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
     * Returns how up to date the zone is: the state of its {@link ZoneFeed}, or {@link SyncState#SYNCED} without a feed.
     */
    public SyncState state() {
        return state.get();
    }

    /**
     * Returns the zone as some of its clients see it, for {@link io.k8sdns.resolver.ResolverChain#of(ZoneView)}.
     *
     * <p>A view of some namespaces ({@link Visibility#ofNamespaces}) shares the zone's index. Any other view, for example by labels,
     * has its own index, to which every batch is applied: create one such view for all clients that share it.
     *
     * @param visibility which of the zone's visible objects the view shows
     * @throws IllegalStateException if the view needs its own index and the zone already has objects
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

    /** Sets the source of {@link #state}. */
    void setState(Supplier<SyncState> supplier) {
        state = supplier;
    }

    /**
     * Adds objects, or replaces those with the same kind, namespace and name, all at once. Unlike {@link #apply(List)}, also adds
     * missing Namespaces of these objects, without labels, because names below a namespace exist only while the Namespace does.
     *
     * <p>Rethrows an exception of a listener after all listeners have been called; the change remains.
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
     * Removes the object with the same kind, namespace and name, if the zone has it. Rethrows an exception of a listener after all
     * listeners have been called; the change remains.
     */
    public ZoneChange remove(ClusterObject object) {
        return remove(Objects.requireNonNull(object, "object").ref());
    }

    /**
     * Removes the object with a kind, namespace and name, if the zone has it. Rethrows an exception of a listener after all listeners
     * have been called; the change remains.
     *
     * @throws IllegalArgumentException if a zone cannot hold objects of that kind, or if the kind needs a namespace and the reference
     *     has none, or the other way round
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
     * Registers a listener for batches that change a name. The zone calls it after it has published the revision, one batch after
     * another, on the thread that applies the batch, which waits for the listener.
     *
     * @param listener receives the change. It may apply further batches; it receives their changes afterwards. After all listeners
     *     have been called, an exception or error is rethrown to the caller of {@link #apply}, {@link #put} or {@link #remove}, or
     *     passed to {@link ZoneFeed.Builder#listenerFailures}; the change remains
     * @return a subscription; close it to remove the listener
     */
    public Subscription onChange(Consumer<ZoneChange> listener) {
        return listeners.add(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Waits until a name has records of a type or is an alias, and the zone is not {@link SyncState#SYNCING}. Ignores what views
     * hide. Returns immediately if the condition already holds; does not poll.
     *
     * @param name as {@link ZoneSettings#absoluteName} reads it, for example {@code cart.shop}
     * @param type the type
     * @param timeout how long to wait at most
     * @return the first revision with such a record
     * @throws TimeoutException if the timeout expires first
     * @throws InterruptedException if the thread is interrupted while it waits
     */
    public ZoneRevision await(String name, RecordType type, Duration timeout)
            throws InterruptedException, TimeoutException {
        Name absolute = current.settings().absoluteName(name);
        Objects.requireNonNull(type, "type");
        return await(absolute, type, revision -> state() != SyncState.SYNCING && revision.has(absolute, type), timeout);
    }

    /**
     * Waits for a condition, like {@link #await(String, RecordType, Duration)}.
     *
     * @param has whether the condition holds in a published revision
     */
    @Internal
    public ZoneRevision await(Name absolute, RecordType type, Predicate<ZoneRevision> has, Duration timeout)
            throws InterruptedException, TimeoutException {
        try {
            return awaited.await(has, timeout);
        } catch (TimeoutException late) {
            throw new TimeoutException("no " + type + " record of " + absolute + " within " + timeout);
        }
    }

    /** Notifies this zone that {@link #state} may have changed. */
    void stateChanged() {
        awaited.check();
        views().forEach(view -> view.awaited.check());
    }

    /** A registration of a listener. Closing it removes the listener; closing it again has no effect. */
    @FunctionalInterface
    public interface Subscription extends AutoCloseable {
        @Override
        void close();
    }

    /**
     * Applies a batch of changes atomically: no reader sees a part of them. Increments the serial by one if a record changed.
     *
     * <p>If a predicate of the {@link Visibility} throws, rethrows its exception and leaves the zone unchanged. Views by labels that
     * were created before the failing one have already applied the batch; applying the batch again makes all of them consistent.
     *
     * @param batch the changes, in their order
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch) {
        return applyOrThrow(batch, null);
    }

    /**
     * Applies a batch of changes atomically, like {@link #apply(List)}.
     *
     * @param batch the changes, in their order
     * @param serialHint the serial to use if a record changed and the hint is later than the next serial (RFC 1982), for example the
     *     time in seconds, so that the serial does not decrease when the server restarts; an unsigned 32-bit number
     * @throws IllegalArgumentException if the hint is not an unsigned 32-bit number
     */
    public synchronized ZoneChange apply(List<ClusterChange> batch, long serialHint) {
        return applyOrThrow(batch, new SoaSerial(serialHint));
    }

    private ZoneChange applyOrThrow(List<ClusterChange> batch, @Nullable SoaSerial hint) {
        List<Throwable> failures = new ArrayList<>();
        ZoneChange change = apply(batch, hint, failures::add);
        ChangeListeners.throwFirst(failures);
        return change;
    }

    /**
     * Applies a batch of changes, like {@link #apply(List, long)}.
     *
     * @param failures receives each exception and error of a listener, and throws none
     */
    synchronized ZoneChange apply(List<ClusterChange> batch, long serialHint, Consumer<? super Throwable> failures) {
        return apply(batch, new SoaSerial(serialHint), failures);
    }

    private ZoneChange apply(
            List<ClusterChange> batch, @Nullable SoaSerial hint, Consumer<? super Throwable> failures) {
        ZoneRevision before = current;
        // Views come first, because a predicate of a view may throw, which must leave this zone unchanged.
        views().forEach(view -> view.applyAsView(batch, hint, failures));
        SoaSerial next = before.serialNumber().next();
        List<OwnerName> changed =
                publish(batch, hint == null ? next : before.serialNumber().next(hint));
        awaited.check();
        ZoneChange change = new ZoneChange(before, current, changed);
        if (!change.isEmpty()) {
            listeners.accept(change, failures);
        }
        return change;
    }

    private synchronized void applyAsView(
            List<ClusterChange> batch, @Nullable SoaSerial hint, Consumer<? super Throwable> failures) {
        ZoneChange unused = apply(batch, hint, failures);
    }

    /** Returns the zones of the views by labels that are still reachable, and removes the others. */
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

    /**
     * Applies a batch and publishes the new revision.
     *
     * @param serialIfChanged the serial of the new revision if a record changed
     * @return the stored names whose data changed, each once
     */
    private List<OwnerName> publish(List<ClusterChange> batch, SoaSerial serialIfChanged) {
        ZoneRevision before = current;
        ChangeBatch changes = before.edit();
        objects.apply(batch, changes::willChange);
        List<OwnerName> changed = changes.finish();
        ZoneRevision after = before.with(changes.names(), changes.addresses());
        boolean recordsChange = new RevisionDifference(before, after).hasRecords(changed);
        current = recordsChange ? after.with(serialIfChanged) : after;
        return changed;
    }
}
