package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ObjectRef;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Consumer;

/**
 * A simulated API server of one kind of object, whose responses have all faults: late, cut, doubled, swapped, lost, refused,
 * silent, and continued after they were cancelled. All faults follow from the seed.
 */
final class SimulatedApi implements KindApi {
    private static final List<Cause> CAUSES = List.of(Cause.values());
    private static final Duration BOOKMARKS = Duration.ofSeconds(60);

    /** A change of an object. */
    private record Event(long revision, boolean deletion, ApiReader.Item object) {}

    /** The saved state of a server. */
    private record Backup(long revision, Map<ObjectRef, ApiReader.Item> objects) {}

    private final VirtualTime time;
    private final Random random;
    private final Map<ObjectRef, ApiReader.Item> objects = new TreeMap<>();
    private final List<Event> history = new ArrayList<>();
    private final Map<Long, List<ApiReader.Item>> snapshots = new HashMap<>();
    private final List<Watch> watches = new ArrayList<>();
    private final IdentityHashMap<ClusterObject, Long> revisions = new IdentityHashMap<>();
    private long revision = 100;
    private long forgotten = 100;
    private int restored;
    private Optional<Backup> backup = Optional.empty();
    private long listed = -1;
    private double faults;
    private boolean loses;

    SimulatedApi(VirtualTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    // ---- changes ----

    /**
     * Sets the share of actions that fail.
     *
     * @param alsoLosses whether events may be lost without a report, or arrive in another order
     */
    void faults(double share, boolean alsoLosses) {
        faults = share;
        loses = alsoLosses;
    }

    /** Returns the objects that a client must have reported after it has received the last list completely. */
    List<ObjectRef> listed() {
        return objects.values().stream()
                .filter(object -> Long.parseLong(object.version()) <= listed)
                .map(ApiReader.Item::ref)
                .toList();
    }

    List<ClusterObject> objects() {
        return objects.values().stream()
                .map(object -> object.object().orElseThrow())
                .toList();
    }

    Optional<ApiReader.Item> find(ObjectRef ref) {
        return Optional.ofNullable(objects.get(ref));
    }

    /** Returns the revision of a state of an object. */
    long revision(ClusterObject object) {
        return revisions.getOrDefault(object, 0L);
    }

    void put(ObjectRef ref, String uid, ClusterObject object) {
        ApiReader.Item now = new ApiReader.Item(ref, uid, Long.toString(++revision), Optional.of(object));
        revisions.put(object, revision);
        objects.put(ref, now);
        happened(new Event(revision, false, now));
    }

    void delete(ObjectRef ref) {
        ApiReader.Item last = objects.remove(ref);
        if (last != null) {
            String version = Long.toString(++revision);
            happened(new Event(revision, true, new ApiReader.Item(ref, last.uid(), version, Optional.empty())));
        }
    }

    /** Compacts the history, as etcd does. */
    void compact() {
        forgotten = revision;
        history.clear();
        snapshots.clear();
    }

    /** Saves the current state, and advances the revision. */
    void backUp() {
        backup = Optional.of(new Backup(revision, Map.copyOf(objects)));
        // A large distance, so that a restored server is always recognized by its older version.
        revision += 1_000;
    }

    /** Restores the saved state, and ends all requests; returns false if there is no saved state. */
    boolean restore() {
        if (backup.isEmpty()) {
            return false;
        }
        restored++;
        revision = backup.get().revision();
        objects.clear();
        objects.putAll(backup.get().objects());
        objects.values()
                .forEach(object -> revisions.put(object.object().orElseThrow(), Long.parseLong(object.version())));
        listed = -1;
        compact();
        List.copyOf(watches).forEach(Watch::cut);
        return true;
    }

    private void happened(Event event) {
        history.add(event);
        watches.forEach(Watch::proceed);
    }

    // ---- responses ----

    private boolean shouldFail() {
        return random.nextDouble() < faults;
    }

    private Duration latency() {
        if (!shouldFail()) {
            return Duration.ofMillis(random.nextInt(20));
        }
        return Duration.ofMillis(random.nextInt(random.nextInt(20) == 0 ? 300_000 : 10_000));
    }

    private ApiFailure anyFailure() {
        Cause cause = CAUSES.get(random.nextInt(CAUSES.size()));
        Optional<Duration> retryAfter =
                cause == Cause.OVERLOADED ? Optional.of(Duration.ofSeconds(random.nextInt(10))) : Optional.empty();
        return new ApiFailure(cause, retryAfter, "simulated");
    }

    /** A response that is sent step by step until it is cancelled. */
    private abstract class Answer implements Call {
        private final boolean deaf = shouldFail();
        private final int begun = restored;
        private boolean cancelled;

        /** Runs a step later, unless the response was cancelled; some responses ignore that. */
        final void soon(Runnable work) {
            time.after(latency(), () -> {
                if (begun == restored && (!cancelled || deaf)) {
                    work.run();
                }
            });
        }

        final boolean isCancelled() {
            return cancelled;
        }

        @Override
        public void cancel() {
            cancelled = true;
            watches.remove(this);
        }
    }

    @Override
    public Call list(Optional<String> continuation, ListReceiver reader) {
        return new Page(continuation, reader);
    }

    private final class Page extends Answer {
        private final ListReceiver reader;

        Page(Optional<String> continuation, ListReceiver reader) {
            this.reader = reader;
            soon(() -> begin(continuation));
        }

        private void begin(Optional<String> continuation) {
            if (shouldFail()) {
                fail();
                return;
            }
            if (continuation.isEmpty()) {
                snapshots.put(revision, List.copyOf(objects.values()));
                send(revision, 0);
                return;
            }
            int space = continuation.get().indexOf(' ');
            long snapshot = Long.parseLong(continuation.get().substring(0, space));
            if (snapshots.containsKey(snapshot)) {
                send(snapshot, Integer.parseInt(continuation.get().substring(space + 1)));
            } else {
                reader.failed(ApiFailure.of(Cause.GONE, "the list has expired"));
            }
        }

        private void fail() {
            // One failure in three is silence.
            if (random.nextInt(3) > 0) {
                reader.failed(anyFailure());
            }
        }

        private void send(long snapshot, int from) {
            List<ApiReader.Item> all = snapshots.getOrDefault(snapshot, List.of());
            int to = Math.min(all.size(), from + 1 + random.nextInt(4));
            send(
                    snapshot,
                    all.subList(from, to),
                    to < all.size() ? Optional.of(snapshot + " " + to) : Optional.empty());
        }

        private void send(long snapshot, List<ApiReader.Item> rest, Optional<String> continuation) {
            if (shouldFail()) {
                fail();
            } else if (rest.isEmpty()) {
                if (continuation.isEmpty() && !isCancelled()) {
                    listed = snapshot;
                }
                reader.end(Long.toString(snapshot), continuation);
            } else {
                reader.object(rest.get(0));
                soon(() -> send(snapshot, rest.subList(1, rest.size()), continuation));
            }
        }
    }

    @Override
    public Call probe(VersionReceiver reader) {
        return new Probe(reader);
    }

    private final class Probe extends Answer {
        Probe(VersionReceiver reader) {
            soon(() -> {
                if (!shouldFail()) {
                    reader.version(Long.toString(revision));
                } else if (random.nextInt(3) > 0) {
                    reader.failed(anyFailure());
                }
            });
        }
    }

    @Override
    public Call watch(String version, Duration timeout, WatchReceiver reader) {
        return new Watch(Long.parseLong(version), timeout, reader);
    }

    private final class Watch extends Answer {
        private final WatchReceiver reader;
        private final List<Consumer<WatchReceiver>> unsent = new ArrayList<>();
        private long position;
        private boolean opened;
        private boolean silent;
        private boolean broken;
        private boolean sending;

        Watch(long version, Duration timeout, WatchReceiver reader) {
            this.position = version;
            this.reader = reader;
            soon(() -> open(timeout));
        }

        private void open(Duration timeout) {
            if (position < forgotten) {
                over(ended -> ended.failed(ApiFailure.of(Cause.GONE, "too old a version")));
            } else if (shouldFail()) {
                over(failed -> failed.failed(anyFailure()));
            } else {
                opened = true;
                watches.add(this);
                reader.opened();
                time.after(timeout, () -> {
                    if (watches.contains(this) && !silent) {
                        over(WatchReceiver::ended);
                    }
                });
                bookmarks();
                proceed();
            }
        }

        private void over(Consumer<WatchReceiver> end) {
            watches.remove(this);
            end.accept(reader);
        }

        /** The connection is lost; one in four times without a report to the client. */
        void cut() {
            silent = random.nextInt(4) == 0;
            if (silent) {
                watches.remove(this);
            } else {
                over(lost -> lost.failed(ApiFailure.of(Cause.UNREACHABLE, "restarted")));
            }
        }

        private void bookmarks() {
            time.after(BOOKMARKS, () -> {
                if (watches.contains(this)) {
                    if (unsent.isEmpty() && !silent && position <= revision) {
                        reader.bookmark(Long.toString(position));
                    }
                    bookmarks();
                }
            });
        }

        /** Queues the events since the last one. */
        private void proceed() {
            if (!opened) {
                return;
            }
            for (Event event : List.copyOf(history)) {
                if (event.revision() > position && !broken) {
                    position = event.revision();
                    add(event);
                }
            }
            send();
        }

        private void add(Event event) {
            Consumer<WatchReceiver> delivery = event.deletion()
                    ? reading -> reading.deleted(event.object())
                    : reading -> reading.put(event.object());
            if (!shouldFail()) {
                unsent.add(delivery);
                return;
            }
            switch (random.nextInt(loses ? 4 : 2)) {
                case 0 -> unsent.addAll(List.of(delivery, delivery));
                case 1 -> {
                    broken = true;
                    unsent.add(reading -> over(end -> end.failed(anyFailure())));
                }
                // A client that receives the later event first, and then loses the connection, has lost the earlier
                // one.
                case 2 -> unsent.add(Math.max(0, unsent.size() - 1), delivery);
                default -> {
                    // The event is lost unnoticed.
                }
            }
        }

        private void send() {
            if (!sending && !unsent.isEmpty()) {
                sending = true;
                soon(() -> {
                    sending = false;
                    if (!watches.contains(this)) {
                        return;
                    }
                    silent |= shouldFail() && random.nextInt(4) == 0;
                    if (!silent) {
                        unsent.remove(0).accept(reader);
                        send();
                    }
                });
            }
        }
    }
}
