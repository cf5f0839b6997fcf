package io.k8sdns.etcd;

import io.k8sdns.etcd.EtcdFailure.Cause;
import io.k8sdns.etcd.EtcdRequest.Range;
import io.k8sdns.etcd.EtcdRequest.RangeResponse;
import io.k8sdns.etcd.EtcdTransport.Call;
import io.k8sdns.etcd.EtcdTransport.Reply;
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
 * Follows the keys of a range: lists them, watches the changes from there on, and lists again where the watch cannot go on.
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
 * <p>A <em>check</em> decides whether a watch that was opened again, or that has been silent, has delivered everything: the server
 * has no key that is newer than the known revision, and as many keys as are known. So nothing was added or changed, and nothing
 * removed; what the follower has is the content at the revision of the response. A list after each outage would decide it, too, and
 * cost megabytes. What a check cannot see, such as events that were lost between others, the next list finds.
 *
 * <p>A watch on a connection that has died says nothing, and so does one of a member that is cut off from the others. Therefore the
 * member is asked for the number of keys every {@link #PROBE}; the answer needs a majority of the members.
 *
 * <p>Revisions go back when a store was restored from a backup. A list from the past is taken only if a second one confirms it.
 *
 * <p>While requests fail, the time between them is that of {@link EtcdBackoff}. Knows no clock, thread or socket; everything happens
 * on one thread.
 */
final class EtcdFollower {
    /** How often the member of the watch is asked whether it answers. */
    static final Duration PROBE = Duration.ofSeconds(3);

    /** The time between checks, of a store that changes without events: keys of others change, or the watch is dead. */
    static final Duration CHECK = Duration.ofSeconds(10);

    /** How often the content is listed, to find events that were lost. */
    static final Duration COMPARE = Duration.ofMinutes(10);

    /** Time for events that are under way when a check finds a difference. */
    private static final Duration CHECK_AGAIN = Duration.ofMillis(200);

    /** So many checks that differ lead to a list. */
    private static final int MAX_CHECKS = 5;

    private static final int MAX_KEYS = 1_000_000;

    private final EtcdCaller caller;
    private final EtcdTimers timers;
    private final KeyRange range;
    private final Listener listener;
    private final EtcdBackoff backoff;

    /** Everything in the range, keys as in etcd. */
    private Map<String, Entry> known = new HashMap<>();

    private String cluster = "";

    /** All changes up to here are known, if the follower is up to date. */
    private long revision;

    private long listedAt;
    private boolean hasContent;
    private boolean isUpToDate;

    /** The list that goes back was the first such list. */
    private boolean wentBack;

    private @Nullable Step step;
    private boolean closed;

    /** Receives what is followed, in the order of {@link FederationStore.Listener}. */
    interface Listener extends FederationStore.Listener {
        /** A request has failed; another one is made soon. */
        void failed(EtcdFailure failure);
    }

    EtcdFollower(EtcdCaller caller, EtcdTimers timers, RandomGenerator random, KeyRange range, Listener listener) {
        this.caller = caller;
        this.timers = timers;
        this.range = range;
        this.listener = listener;
        this.backoff = new EtcdBackoff(random);
    }

    /** Begins. */
    void start() {
        list();
    }

    /** Ends; the listener is not called any more. */
    void close() {
        closed = true;
        stop();
    }

    /** Returns the content as far as it is known, keys as in the store; empty before the first list. */
    Optional<Map<String, Entry>> content() {
        return hasContent ? Optional.of(inStore(known)) : Optional.empty();
    }

    boolean isUpToDate() {
        return isUpToDate;
    }

    // ---- steps ----

    /** What is being done: requests under way and timers, all of which end with it. */
    private abstract class Step {
        private final List<Call> calls = new ArrayList<>();
        private final List<EtcdTimers.Timer> waits = new ArrayList<>();

        abstract void begin();

        final boolean isCurrent() {
            return step == this;
        }

        /** Keeps a call, so that it ends with the step. */
        final void keep(Call call) {
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

        final void forgetCalls(int number) {
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

    private void turnTo(Step next) {
        stop();
        if (!closed) {
            step = next;
            next.begin();
        }
    }

    private void later(EtcdFailure failure, Runnable next) {
        turnTo(new Step() {
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
        turnTo(new Listing());
    }

    private final class Listing extends Step implements Reply<RangeResponse> {
        private final Map<String, Entry> found = new HashMap<>();
        private EtcdHeader header = EtcdHeader.NONE;

        @Override
        void begin() {
            keep(caller.call(Range.page(range.first(), range, 0), this));
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
                        Cause.BROKEN,
                        response.pairs().isEmpty()
                                ? "an empty page that is not the last one"
                                : "more than " + MAX_KEYS + " keys below " + range.first()));
            } else {
                String last = response.pairs().get(response.pairs().size() - 1).key();
                forgetCalls(0);
                keep(caller.call(Range.page(KeyRange.after(last), range, header.revision()), this));
            }
        }

        private void listed() {
            boolean isPast = hasContent
                    && (header.revision() < revision || !header.cluster().equals(cluster));
            if (isPast && !wentBack) {
                wentBack = true;
                later(
                        EtcdFailure.of(
                                Cause.OTHER_HISTORY,
                                "the store is at revision " + header.revision() + ", after " + revision
                                        + (header.cluster().equals(cluster) ? "" : ", and of another cluster")),
                        EtcdFollower.this::list);
                return;
            }
            wentBack = false;
            cluster = header.cluster();
            revision = header.revision();
            listedAt = timers.nanoTime();
            if (!hasContent || !known.equals(found)) {
                hasContent = true;
                known = found;
                listener.content(inStore(found));
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
                later(failure, EtcdFollower.this::list);
            }
        }
    }

    private Map<String, Entry> inStore(Map<String, Entry> entries) {
        Map<String, Entry> all = new HashMap<>();
        entries.forEach((key, entry) -> range.inStore(key).ifPresent(own -> all.put(own, entry)));
        return all;
    }

    // ---- the watch ----

    private void watch() {
        turnTo(new Watching());
    }

    private final class Watching extends Step implements EtcdTransport.WatchReader {
        private final int endpoint = caller.preferred();
        private boolean open;
        private int checks;
        private long checkedAt;

        @Override
        void begin() {
            keep(caller.watch(endpoint, new WatchRequest(range, revision + 1), this));
        }

        @Override
        public void message(WatchMessage message) {
            if (!isCurrent()) {
                return;
            }
            if (message instanceof WatchMessage.Created created && !open) {
                if (isOfKnownHistory(created.header())) {
                    open = true;
                    check();
                }
            } else if (message instanceof WatchMessage.Changed changed && open) {
                apply(changed.events());
            } else if (!(message instanceof WatchMessage.Created)) {
                failed(EtcdFailure.of(Cause.BROKEN, "events before the watch was open"));
            }
        }

        /** Returns whether a response belongs to what is known; otherwise lists. */
        private boolean isOfKnownHistory(EtcdHeader header) {
            if (header.cluster().equals(cluster) && header.revision() >= revision) {
                return true;
            }
            later(
                    EtcdFailure.of(
                            Cause.OTHER_HISTORY,
                            "the member is at revision " + header.revision() + " of cluster " + header.cluster()
                                    + ", known is " + revision + " of " + cluster),
                    EtcdFollower.this::list);
            return false;
        }

        @Override
        public void failed(EtcdFailure failure) {
            if (isCurrent()) {
                boolean again = failure.cause() != Cause.COMPACTED && failure.cause() != Cause.OTHER_HISTORY;
                later(failure, again ? EtcdFollower.this::watch : EtcdFollower.this::list);
            }
        }

        /** Asks the member of the watch. The call before has ended, or this one would not be made. */
        private void ask(Range request, Reply<RangeResponse> reply) {
            forgetCalls(1);
            keep(caller.callAt(endpoint, request, reply));
        }

        private void check() {
            long asked = revision;
            ask(Range.newerThan(range, asked), new Reply<>() {
                @Override
                public void received(RangeResponse response) {
                    if (!isCurrent() || !isOfKnownHistoryAt(response.header(), asked)) {
                        return;
                    }
                    boolean equal = revision == asked && response.pairs().isEmpty() && response.count() == known.size();
                    if (equal) {
                        revision = response.header().revision();
                        checks = 0;
                        checkedAt = timers.nanoTime();
                        upToDate();
                        probeLater();
                    } else if (++checks < MAX_CHECKS) {
                        after(CHECK_AGAIN, Watching.this::check);
                    } else {
                        // The watch is dead, or events were lost.
                        list();
                    }
                }

                @Override
                public void failed(EtcdFailure failure) {
                    noAnswer(failure);
                }
            });
        }

        /** As {@link #isOfKnownHistory}; events after the request may have made more known than the response has. */
        private boolean isOfKnownHistoryAt(EtcdHeader header, long asked) {
            return isOfKnownHistory(
                    header.revision() >= asked
                            ? new EtcdHeader(header.cluster(), Math.max(header.revision(), revision))
                            : header);
        }

        private void probeLater() {
            if (isCurrent()) {
                after(PROBE, this::probe);
            }
        }

        private void probe() {
            if (hasPassed(COMPARE, listedAt)) {
                list();
                return;
            }
            long asked = revision;
            ask(Range.count(range), new Reply<>() {
                @Override
                public void received(RangeResponse response) {
                    if (!isCurrent() || !isOfKnownHistoryAt(response.header(), asked)) {
                        return;
                    }
                    backoff.reset();
                    boolean differs = response.count() != known.size();
                    boolean mayDiffer = response.header().revision() > revision && hasPassed(CHECK, checkedAt);
                    if (differs || mayDiffer) {
                        after(CHECK_AGAIN, Watching.this::check);
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

        /** The member of the watch does not answer other requests; so the watch may be dead, too. */
        private void noAnswer(EtcdFailure failure) {
            if (isCurrent()) {
                later(failure, EtcdFollower.this::watch);
            }
        }

        private void apply(List<WatchMessage.Event> events) {
            Map<String, Optional<Entry>> before = new LinkedHashMap<>();
            Map<String, Long> seen = new HashMap<>();
            long newest = revision;
            for (WatchMessage.Event event : events) {
                String key = event.pair().key();
                long version = event.pair().modRevision();
                // An event that comes again after its successor must not undo it.
                if (version <= revision || version <= seen.getOrDefault(key, 0L)) {
                    continue;
                }
                seen.put(key, version);
                newest = Math.max(newest, version);
                before.putIfAbsent(key, Optional.ofNullable(known.get(key)));
                if (event.deletion()) {
                    known.remove(key);
                } else {
                    known.put(key, new Entry(event.pair().value(), version));
                }
            }
            revision = newest;
            Map<String, Optional<Entry>> changes = new LinkedHashMap<>();
            before.forEach((key, old) -> {
                Optional<Entry> now = Optional.ofNullable(known.get(key));
                if (!now.equals(old)) {
                    range.inStore(key).ifPresent(own -> changes.put(own, now));
                }
            });
            if (!changes.isEmpty()) {
                listener.changed(changes);
            }
        }
    }
}
