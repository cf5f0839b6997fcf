package io.k8sdns.etcd;

import io.k8sdns.etcd.EtcdFailure.Cause;
import io.k8sdns.etcd.EtcdRequest.Range;
import io.k8sdns.etcd.EtcdRequest.RangeResponse;
import io.k8sdns.etcd.EtcdTransport.Call;
import io.k8sdns.etcd.EtcdTransport.ResponseHandler;
import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.FederationStore.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Maintains a copy of the keys of a range: lists them, watches changes, and lists again if the watch cannot continue.
 *
 * <pre>
 *            all pages            open                 equal
 *   list -------------> watch -----------> check -----------------> up to date
 *    ^  |failed        ^  |failed           | differs, fails           | every 3 s: does the member answer? if the
 *    |  '--> (wait)    |  '--> (wait) ------'                          | store has changed without an event: check
 *    |                 '-----------------------------------------------+ no answer, or the watch has ended
 *    '-----------------------------------------------------------------' compacted, another history, every 10 min
 * </pre>
 *
 * <p>A <em>check</em> tests whether a reopened or silent watch has delivered everything. It compares two values of the server with the
 * copy: the number of keys newer than the copy's revision, which must be 0, and the number of all keys. If both match, the copy is the
 * content at the revision of the response. A check avoids listing megabytes after each outage. The rare differences that it cannot
 * detect, such as lost events between others, are found by the next list.
 *
 * <p>A dead connection, or a member that is cut off from the others, delivers no events and no errors. The follower therefore asks the
 * member of the watch for the number of keys every {@link #PROBE_INTERVAL}; the response needs a majority of the members.
 *
 * <p>Revisions decrease if a store is restored from a backup. A list with an older revision is accepted only if a second one confirms
 * it.
 *
 * <p>Failed requests are repeated with {@link EtcdBackoff}. Uses no clock, thread or socket itself; all methods are called on one
 * thread.
 */
final class EtcdFollower {
    /** The time between requests that test whether the member of the watch answers. */
    static final Duration PROBE_INTERVAL = Duration.ofSeconds(3);

    /**
     * The shortest time between checks while the store's revision increases without events: other keys change, or the watch is dead.
     */
    static final Duration CHECK_INTERVAL = Duration.ofSeconds(10);

    /** The time between lists, which find lost events. */
    static final Duration RELIST_INTERVAL = Duration.ofMinutes(10);

    /** The delay before another check, for events that are in transit. */
    private static final Duration RECHECK_DELAY = Duration.ofMillis(200);

    /** The number of consecutive checks with a difference after which the keys are listed. */
    private static final int MAX_CHECKS = 5;

    private static final int MAX_KEYS = 1_000_000;

    private final EtcdCaller caller;
    private final EtcdTimers timers;
    private final KeyRange range;
    private final Listener listener;
    private final EtcdBackoff backoff;

    /** The copy of the range; keys as in etcd. */
    private Map<String, Entry> copy = new HashMap<>();

    private String cluster = "";

    /** The revision of the copy: if the follower is up to date, the copy has all changes up to it. */
    private long revision;

    private long listedAt;
    private boolean hasContent;
    private boolean isUpToDate;

    /** Whether the last list had an older revision than the copy, or another cluster; the next list confirms it. */
    private boolean sawOtherHistory;

    private @Nullable Step step;
    private boolean closed;

    /** Receives the content and its changes, and failed requests. */
    interface Listener extends FederationStore.Listener {
        /** Reports a failed request, which is retried. */
        void failed(EtcdFailure failure);
    }

    EtcdFollower(EtcdCaller caller, EtcdTimers timers, RandomGenerator random, KeyRange range, Listener listener) {
        this.caller = caller;
        this.timers = timers;
        this.range = range;
        this.listener = listener;
        this.backoff = new EtcdBackoff(random);
    }

    /** Starts with a list. */
    void start() {
        list();
    }

    /** Stops; the listener is not called afterwards. */
    void close() {
        closed = true;
        stop();
    }

    /** Returns the content, which may be stale, with keys of the store; empty before the first list. */
    Optional<Map<String, Entry>> content() {
        return hasContent ? Optional.of(withStoreKeys(copy)) : Optional.empty();
    }

    boolean isUpToDate() {
        return isUpToDate;
    }

    // ---- steps ----

    /** The current state of the follower, with its requests and timers, which are cancelled at its end. */
    private abstract class Step {
        private final List<Call> calls = new ArrayList<>();
        private final List<EtcdTimers.Timer> waits = new ArrayList<>();

        abstract void begin();

        final boolean isCurrent() {
            return step == this;
        }

        /** Registers a call, so that it is cancelled at the end of the step. */
        final void register(Call call) {
            if (isCurrent()) {
                calls.add(call);
            } else {
                call.cancel();
            }
        }

        final void after(Duration time, Runnable task) {
            waits.add(timers.after(time, () -> {
                if (isCurrent()) {
                    task.run();
                }
            }));
        }

        final void dropCalls(int number) {
            while (calls.size() > number) {
                calls.remove(calls.size() - 1);
            }
            waits.clear();
        }

        final void end() {
            calls.forEach(Call::cancel);
            waits.forEach(EtcdTimers.Timer::cancel);
        }
    }

    private void stop() {
        Step ended = step;
        step = null;
        if (ended != null) {
            ended.end();
        }
    }

    private void switchTo(Step next) {
        stop();
        if (!closed) {
            step = next;
            next.begin();
        }
    }

    private void retryLater(EtcdFailure failure, Runnable next) {
        switchTo(new Step() {
            @Override
            void begin() {
                after(backoff.next(), next);
                stale();
                if (isCurrent()) {
                    listener.failed(failure);
                }
            }
        });
    }

    private void stale() {
        if (isUpToDate) {
            isUpToDate = false;
            listener.stale();
        }
    }

    private void upToDate() {
        if (!isUpToDate) {
            isUpToDate = true;
            listener.upToDate();
        }
    }

    // ---- the list ----

    private void list() {
        switchTo(new Listing());
    }

    private final class Listing extends Step implements ResponseHandler<RangeResponse> {
        private final Map<String, Entry> found = new HashMap<>();
        private EtcdHeader header = EtcdHeader.NONE;

        @Override
        void begin() {
            register(caller.call(Range.page(range.first(), range, 0), this));
        }

        @Override
        public void received(RangeResponse response) {
            if (!isCurrent()) {
                return;
            }
            if (header.revision() == 0) {
                header = response.header();
            } else if (!header.cluster().equals(response.header().cluster())) {
                failed(EtcdFailure.of(Cause.OTHER_HISTORY, "pages of a list come from two clusters"));
                return;
            }
            for (EtcdKeyValue pair : response.pairs()) {
                found.put(pair.key(), new Entry(pair.value(), pair.modRevision()));
            }
            if (!response.more()) {
                listed();
            } else if (response.pairs().isEmpty() || found.size() > MAX_KEYS) {
                failed(EtcdFailure.of(
                        Cause.MALFORMED,
                        response.pairs().isEmpty()
                                ? "empty page that is not the last one"
                                : "more than " + MAX_KEYS + " keys below " + range.first()));
            } else {
                String last = response.pairs().get(response.pairs().size() - 1).key();
                dropCalls(0);
                register(caller.call(Range.page(KeyRange.after(last), range, header.revision()), this));
            }
        }

        private void listed() {
            boolean isPast = hasContent
                    && (header.revision() < revision || !header.cluster().equals(cluster));
            if (isPast && !sawOtherHistory) {
                sawOtherHistory = true;
                retryLater(
                        EtcdFailure.of(
                                Cause.OTHER_HISTORY,
                                "the store is at revision " + header.revision() + ", after " + revision
                                        + (header.cluster().equals(cluster) ? "" : ", and of another cluster")),
                        EtcdFollower.this::list);
                return;
            }
            sawOtherHistory = false;
            cluster = header.cluster();
            revision = header.revision();
            listedAt = timers.nanoTime();
            if (!hasContent || !copy.equals(found)) {
                hasContent = true;
                copy = found;
                listener.content(withStoreKeys(found));
            }
            if (isCurrent()) {
                upToDate();
            }
            if (isCurrent()) {
                watch();
            }
        }

        @Override
        public void failed(EtcdFailure failure) {
            if (isCurrent()) {
                retryLater(failure, EtcdFollower.this::list);
            }
        }
    }

    private Map<String, Entry> withStoreKeys(Map<String, Entry> entries) {
        Map<String, Entry> all = new HashMap<>();
        entries.forEach((key, entry) -> range.toStoreKey(key).ifPresent(own -> all.put(own, entry)));
        return all;
    }

    // ---- the watch ----

    private void watch() {
        switchTo(new Watching());
    }

    private final class Watching extends Step implements EtcdTransport.WatchReader {
        private final int endpoint = caller.preferred();
        private boolean open;
        private int checks;
        private long checkedAt;

        @Override
        void begin() {
            register(caller.watch(endpoint, new WatchRequest(range, revision + 1), this));
        }

        @Override
        public void message(WatchMessage message) {
            if (!isCurrent()) {
                return;
            }
            if (message instanceof WatchMessage.Created created && !open) {
                if (isSameHistory(created.header())) {
                    open = true;
                    check();
                }
            } else if (message instanceof WatchMessage.Changed changed && open) {
                apply(changed.events());
            } else if (!(message instanceof WatchMessage.Created)) {
                failed(EtcdFailure.of(Cause.MALFORMED, "events before the watch was open"));
            }
        }

        /** Returns whether a response continues the history of the copy; otherwise starts a list. */
        private boolean isSameHistory(EtcdHeader header) {
            if (header.cluster().equals(cluster) && header.revision() >= revision) {
                return true;
            }
            retryLater(
                    EtcdFailure.of(
                            Cause.OTHER_HISTORY,
                            "the member is at revision " + header.revision() + " of cluster " + header.cluster()
                                    + ", the last revision was " + revision + " of " + cluster),
                    EtcdFollower.this::list);
            return false;
        }

        @Override
        public void failed(EtcdFailure failure) {
            if (isCurrent()) {
                boolean again = failure.cause() != Cause.COMPACTED && failure.cause() != Cause.OTHER_HISTORY;
                retryLater(failure, again ? EtcdFollower.this::watch : EtcdFollower.this::list);
            }
        }

        /** Sends a request to the member of the watch. The previous one has always ended before. */
        private void ask(Range request, ResponseHandler<RangeResponse> handler) {
            dropCalls(1);
            register(caller.callAt(endpoint, request, handler));
        }

        private void check() {
            long asked = revision;
            ask(Range.newerThan(range, asked), new ResponseHandler<>() {
                @Override
                public void received(RangeResponse response) {
                    if (!isCurrent() || !isSameHistoryAt(response.header(), asked)) {
                        return;
                    }
                    boolean equal = revision == asked && response.pairs().isEmpty() && response.count() == copy.size();
                    if (equal) {
                        revision = response.header().revision();
                        checks = 0;
                        checkedAt = timers.nanoTime();
                        upToDate();
                        probeLater();
                    } else if (++checks < MAX_CHECKS) {
                        after(RECHECK_DELAY, Watching.this::check);
                    } else {
                        // The watch is dead, or events were lost, so that only a list helps.
                        list();
                    }
                }

                @Override
                public void failed(EtcdFailure failure) {
                    noAnswer(failure);
                }
            });
        }

        /** Like {@link #isSameHistory}, for a response that may be older than events received after its request. */
        private boolean isSameHistoryAt(EtcdHeader header, long asked) {
            return isSameHistory(
                    header.revision() >= asked
                            ? new EtcdHeader(header.cluster(), Math.max(header.revision(), revision))
                            : header);
        }

        private void probeLater() {
            if (isCurrent()) {
                after(PROBE_INTERVAL, this::probe);
            }
        }

        private void probe() {
            if (hasPassed(RELIST_INTERVAL, listedAt)) {
                list();
                return;
            }
            long asked = revision;
            ask(Range.count(range), new ResponseHandler<>() {
                @Override
                public void received(RangeResponse response) {
                    if (!isCurrent() || !isSameHistoryAt(response.header(), asked)) {
                        return;
                    }
                    backoff.reset();
                    boolean differs = response.count() != copy.size();
                    boolean mayDiffer = response.header().revision() > revision && hasPassed(CHECK_INTERVAL, checkedAt);
                    if (differs || mayDiffer) {
                        after(RECHECK_DELAY, Watching.this::check);
                    } else {
                        probeLater();
                    }
                }

                @Override
                public void failed(EtcdFailure failure) {
                    noAnswer(failure);
                }
            });
        }

        private boolean hasPassed(Duration time, long since) {
            return timers.nanoTime() - since >= time.toNanos();
        }

        /** Reopens the watch, which may be dead, too, if its member does not answer other requests. */
        private void noAnswer(EtcdFailure failure) {
            if (isCurrent()) {
                retryLater(failure, EtcdFollower.this::watch);
            }
        }

        private void apply(List<WatchMessage.Event> events) {
            Map<String, Optional<Entry>> before = new LinkedHashMap<>();
            Map<String, Long> seen = new HashMap<>();
            long newest = revision;
            for (WatchMessage.Event event : events) {
                String key = event.pair().key();
                long version = event.pair().modRevision();
                // A repeated event must not overwrite a newer one.
                if (version <= revision || version <= seen.getOrDefault(key, 0L)) {
                    continue;
                }
                seen.put(key, version);
                newest = Math.max(newest, version);
                before.putIfAbsent(key, Optional.ofNullable(copy.get(key)));
                if (event.deletion()) {
                    copy.remove(key);
                } else {
                    copy.put(key, new Entry(event.pair().value(), version));
                }
            }
            revision = newest;
            Map<String, Optional<Entry>> changes = new LinkedHashMap<>();
            before.forEach((key, old) -> {
                Optional<Entry> now = Optional.ofNullable(copy.get(key));
                if (!now.equals(old)) {
                    range.toStoreKey(key).ifPresent(own -> changes.put(own, now));
                }
            });
            if (!changes.isEmpty()) {
                listener.changed(changes);
            }
        }
    }
}
