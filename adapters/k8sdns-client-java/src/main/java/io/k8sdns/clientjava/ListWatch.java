package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Follows the objects of one kind: lists them, watches what changes from there on, and lists again where the watch cannot
 * go on. What it tells is always a difference to what it told before.
 *
 * <pre>
 *            whole              lost, silent                as new as what is known
 *   list ------------> watch ----------------> (wait) --> glance ----------------> watch from the last version
 *    ^  |failed         |                                   |
 *    |  '--> (wait)     | 410, what cannot be read          | older, refused
 *    |                  | or cannot be, time to compare     |
 *    '------------------+-----------------------------------'
 * </pre>
 *
 * <p>It knows no clock, thread or socket: {@link KindApi} and {@link Timers} are handed in, and everything happens on one
 * thread. It keeps name, UID and version of each object, and not the object.
 *
 * <p>A list is a difference, too: an object that is known in this version is not told again, and those that a whole list
 * does not have are removed. A version that is older than one seen before does not come from a watch that can be trusted
 * (a server restored from a backup, a proxy that mixes things up): the list decides then. A server that was restored takes
 * a watch from a version that it has yet to come to, and says nothing on it; so where a server may have been away, a glance
 * at its version comes before a watch goes on.
 *
 * <p>After an outage a watch is open again soon, and a server that returns is not flooded:
 * <ul>
 *   <li>While requests fail, one is made every 3 to 6 s ({@link #LONGEST_WAIT}; sooner after the first failures), at a
 *       random time. So at most 6 s after the server answers again the next request comes: a glance, then the watch. A
 *       thousand clients are spread over these seconds.
 *   <li>What may cost the server a whole list each time is asked for every 16 to 32 s at most
 *       ({@link #LONGEST_WAIT_BETWEEN_LISTS}): lists that succeed while the watches after them fail, and kinds that may not
 *       be read and that nothing waits for.
 *   <li>A wait that the server asks for (Retry-After, up to 5 minutes) is never cut short.
 *   <li>A wait is cut short when another kind hears from the server again ({@link #serverIsBack}, {@link #rightsMayBeBack}:
 *       once in 30 s at most), and when the credentials change ({@link #credentialsChanged}); also at a random time, within
 *       100 ms.
 * </ul>
 * A request without an answer is given up after {@link #PAGE_SILENCE} only: a server that takes it may be busy.
 */
final class ListWatch {
    /** The server ends a watch after this time, and at most twice that, so that many clients do not come back at once. */
    static final Duration WATCH = Duration.ofMinutes(5);

    /**
     * Servers bookmark each minute, but not all of them, and not before the first event of a kind: a watch without a word for
     * so long may be alive, and is begun again to see.
     */
    static final Duration SILENCE = Duration.ofMinutes(2);

    /** So long an answer may take to begin, and a page between two of its objects. */
    static final Duration PAGE_SILENCE = Duration.ofSeconds(60);

    /** When a watch ends and the last list is so old, a list comes first: what got lost unseen is found. */
    static final Duration COMPARE = Duration.ofMinutes(30);

    /** The longest wait between requests while they fail. */
    static final Duration LONGEST_WAIT = Duration.ofSeconds(6);

    /** The longest wait between whole lists, of which each succeeds and leads nowhere. */
    static final Duration LONGEST_WAIT_BETWEEN_LISTS = Duration.ofSeconds(32);

    private static final int UUID_LENGTH = 36;
    private static final int MOST_DIGITS = 19;

    /** Watches that are refused one after the other before a list is asked for. */
    private static final int MOST_REFUSALS = 2;

    /** A watch that ends sooner is a failure, however politely. */
    private static final Duration SHORT_WATCH = Duration.ofSeconds(1);

    /** What was missed comes as soon as a watch is open; after so long it has. */
    private static final Duration SETTLED = Duration.ofSeconds(1);

    /** A watch that the server has not ended so long after it should have is ended from here. */
    private static final Duration OVERTIME = Duration.ofSeconds(30);

    /** One that has lived for so long shows that things went well before it ended, for whatever reason. */
    private static final Duration LONG_WATCH = Duration.ofSeconds(30);

    /** Those who were told that the server is back come back within this time, and not all at once. */
    static final Duration SPREAD = Duration.ofMillis(100);

    /** Nobody is told so more often: a server that gives signs of life and nothing else is not to be asked all the time. */
    private static final Duration BETWEEN_RETURNS = Duration.ofSeconds(30);

    private final KindApi api;
    private final Timers timers;
    private final RandomGenerator random;
    private final Listener listener;
    private final Backoff backoff;

    /** Of its own: a server that has just come back, and has forgotten the version, is not the one that was away. */
    private final Backoff ofForgotten;

    /** Between lists that are made because watches fail, or of objects that nothing waits for. */
    private final Backoff ofLists;

    /** Between tries of a later page: that others came does not mean that the watch behind them will. */
    private final Backoff ofPages;

    /** What has been told and not taken back. */
    private final Map<ObjectRef, Known> known = new HashMap<>();

    private SyncState state = SyncState.SYNCING;
    private String version = "";
    private int listing;
    private int refusals;
    private long listingSince;
    private long listedAt;
    private @Nullable Attempt attempt;
    private @Nullable Pause pause;
    private Optional<Long> hurriedAt = Optional.empty();
    private boolean letGo;
    private boolean closed;

    /** What comes next, and why not now. */
    private record Pause(ApiFailure why, Runnable next, Timers.Timer timer) {
        boolean isFor(Cause cause) {
            return why.cause() == cause;
        }
    }

    /** What is told. */
    interface Listener {
        /** An object changed. */
        void changed(ClusterChange change);

        /**
         * What a watch said of an object is news, and has been told if records can depend on it.
         *
         * @param event whether the object is there or gone
         * @param newlyTriggered whether the object says when that came about which led to it, and has not said so before
         */
        void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered);

        /**
         * What a list says of an object is news, though not the first of all, and has been told if records can depend on it.
         *
         * @param newlyTriggered as for {@link #watched}
         */
        void missed(ApiReader.Item object, boolean newlyTriggered);

        /** All objects have been listed, which took so long. */
        void listed(Duration took);

        /** The server has said something, and be it that nothing has changed. */
        void heard();

        /** How far what was told can be trusted is now this. */
        void state(SyncState state);

        /** A request failed; it is made again. */
        void failed(ApiFailure failure);
    }

    /**
     * What is remembered of an object.
     *
     * @param uid its UID, as {@link #compact} has it
     * @param version its version, as {@link #compact} has it; empty if that means nothing any more
     * @param listing the last list that it was in or came after
     * @param told whether the listener has it
     * @param triggered when that came about which led to this version; null if it does not say
     */
    private record Known(
            Object uid,
            Object version,
            int listing,
            boolean told,
            @Nullable Instant triggered) {
        Known seenIn(int now) {
            return new Known(uid, version, now, told, triggered);
        }

        Known ofNoVersion() {
            return new Known(uid, "", listing, told, triggered);
        }

        boolean isOf(ApiReader.Item object) {
            return uid.equals(compact(object.uid()));
        }

        /** Returns whether this is what the object is; of one without a version nobody knows. */
        boolean is(ApiReader.Item object) {
            return isOf(object) && !object.version().isEmpty() && version.equals(compact(object.version()));
        }
    }

    /** A text as something equal iff the text is, and smaller: there are hundreds of thousands of them. */
    private static Object compact(String text) {
        if (isNumber(text) && text.length() < MOST_DIGITS && (text.charAt(0) != '0' || text.length() == 1)) {
            return Long.valueOf(text);
        }
        if (text.length() == UUID_LENGTH) {
            try {
                UUID uuid = UUID.fromString(text);
                return uuid.toString().equals(text) ? uuid : text;
            } catch (IllegalArgumentException other) {
                return text;
            }
        }
        return text;
    }

    ListWatch(KindApi api, Timers timers, RandomGenerator random, Listener listener) {
        this.api = api;
        this.timers = timers;
        this.random = random;
        this.listener = listener;
        this.backoff = new Backoff(random, LONGEST_WAIT);
        this.ofForgotten = new Backoff(random, LONGEST_WAIT_BETWEEN_LISTS);
        this.ofLists = new Backoff(random, LONGEST_WAIT_BETWEEN_LISTS);
        this.ofPages = new Backoff(random, LONGEST_WAIT);
    }

    /** Begins. */
    void start() {
        list();
    }

    /** Ends; nothing is told any more. */
    void close() {
        closed = true;
        stop();
    }

    /** Returns how many objects are known. */
    int size() {
        return known.size();
    }

    /**
     * Lets go of all objects, as nobody may look whether they are still there; nothing is known until they are listed. For who
     * is told of a failure.
     */
    void letGo() {
        listing++;
        removeWhatTheListDoesNotHave();
        letGo = true;
        state(SyncState.SYNCING);
    }

    /** The server has been heard by others: who waits because it was not there need not wait for long. */
    void serverIsBack() {
        if (pause != null && pause.why().cause().isAbsence()) {
            hurry(pause);
        }
    }

    /** Others may see what they might not: so may who waits for a right, perhaps, and need not wait for long to see. */
    void rightsMayBeBack() {
        if (pause != null && pause.isFor(Cause.FORBIDDEN)) {
            hurry(pause);
        }
    }

    /** Who waits for a right looks now whether it is there. For who asks once. */
    void lookForTheRight() {
        if (pause != null && (pause.isFor(Cause.FORBIDDEN) || pause.isFor(Cause.UNKNOWN_KIND))) {
            boolean unused = goOnSoon(pause);
        }
    }

    /** The credentials are others now: ends a wait, unless the server has asked for it; returns whether it did. */
    boolean credentialsChanged() {
        return pause != null && goOnSoon(pause);
    }

    private void hurry(Pause waiting) {
        if (hurriedAt.isEmpty() || since(hurriedAt.get()).compareTo(BETWEEN_RETURNS) >= 0) {
            hurriedAt = Optional.of(timers.nanoTime());
            boolean unused = goOnSoon(waiting);
        }
    }

    private boolean goOnSoon(Pause waiting) {
        if (waiting.why().retryAfter().isPresent()) {
            return false;
        }
        waiting.timer().cancel();
        pause(waiting.why(), waiting.next(), Duration.ofNanos(random.nextLong(SPREAD.toNanos())));
        return true;
    }

    private void pause(ApiFailure why, Runnable next, Duration time) {
        pause = new Pause(why, next, timers.after(time, next));
    }

    private void stop() {
        if (attempt != null) {
            attempt.end();
            attempt = null;
        }
        if (pause != null) {
            pause.timer().cancel();
            pause = null;
        }
    }

    private void turnTo(Attempt next) {
        stop();
        attempt = next;
        next.begin();
    }

    /** A request under way, and who looks whether it still lives. */
    private abstract class Attempt {
        private KindApi.@Nullable Call call;
        private Timers.@Nullable Timer watchdog;
        private long heardAt;

        abstract KindApi.Call call();

        abstract void lost(ApiFailure failure);

        /** Returns for how long there may be no sign of life. */
        Duration silence() {
            return PAGE_SILENCE;
        }

        /** There was none for so long. */
        void silent(Duration quiet) {
            lost(ApiFailure.of(Cause.SILENT, "nothing was heard for " + quiet.toSeconds() + " s"));
        }

        final void begin() {
            heardAt = timers.nanoTime();
            lookAfter(silence());
            KindApi.Call made = call();
            if (isCurrent()) {
                call = made;
            } else {
                made.cancel();
            }
        }

        final void end() {
            if (watchdog != null) {
                watchdog.cancel();
            }
            if (call != null) {
                call.cancel();
            }
        }

        /** Whoever was cancelled and speaks all the same is not heard. */
        final boolean isCurrent() {
            return attempt == this;
        }

        final void heard() {
            heardAt = timers.nanoTime();
            listener.heard();
        }

        private void lookAfter(Duration time) {
            watchdog = timers.after(time, this::look);
        }

        private void look() {
            Duration quiet = Duration.ofNanos(timers.nanoTime() - heardAt);
            if (!isCurrent()) {
                return;
            }
            if (quiet.compareTo(silence()) >= 0) {
                silent(quiet);
            } else {
                lookAfter(silence().minus(quiet));
            }
        }
    }

    /** Waits, and begins again. */
    private void later(ApiFailure failure, Backoff backing, Runnable next) {
        stop();
        listener.failed(failure);
        if (state == SyncState.SYNCED) {
            state(SyncState.STALE);
        }
        if (!closed) {
            Backoff used = letGo ? ofLists : backing;
            pause(failure, letGo ? this::list : next, used.next(failure.retryAfter()));
            letGo = false;
        }
    }

    private void state(SyncState now) {
        if (state != now) {
            state = now;
            listener.state(now);
        }
    }

    // ---- the list ----

    private void list() {
        listing++;
        listingSince = timers.nanoTime();
        turnTo(new Page(Optional.empty()));
    }

    /** A page of the list. */
    private final class Page extends Attempt implements KindApi.ListReader {
        private final Optional<String> continuation;

        Page(Optional<String> continuation) {
            this.continuation = continuation;
        }

        @Override
        KindApi.Call call() {
            return api.list(continuation, this);
        }

        @Override
        public void object(ApiReader.Item object) {
            if (isCurrent()) {
                heard();
                boolean isFirst = version.isEmpty();
                boolean newlyTriggered = isNewlyTriggered(object);
                if (ListWatch.this.put(object) && !isFirst) {
                    listener.missed(object, newlyTriggered);
                }
            }
        }

        @Override
        public void end(String listVersion, Optional<String> next) {
            if (!isCurrent()) {
                return;
            }
            if (isOlder(listVersion, version)) {
                beginAnew();
            } else if (next.isPresent()) {
                ofPages.reset();
                turnTo(new Page(next));
            } else if (listVersion.isEmpty()) {
                lost(ApiFailure.of(Cause.BROKEN, "a list without a resourceVersion"));
            } else {
                removeWhatTheListDoesNotHave();
                version = listVersion;
                listedAt = timers.nanoTime();
                listener.listed(since(listingSince));
                state(SyncState.SYNCED);
                watch();
            }
        }

        @Override
        public void failed(ApiFailure failure) {
            if (isCurrent()) {
                lost(failure);
            }
        }

        /**
         * A later page can be asked for again for some minutes, unless the server does not take it or says what cannot be
         * read; then it has forgotten it. A first page is another list each time: what was seen in the one before may be gone.
         */
        @Override
        void lost(ApiFailure failure) {
            boolean afresh = continuation.isEmpty()
                    || switch (failure.cause()) {
                        case GONE, UNKNOWN_KIND, REFUSED, BROKEN -> true;
                        case UNAUTHORIZED, FORBIDDEN, OVERLOADED, UNTRUSTED, UNREACHABLE, SILENT -> false;
                    };
            if (afresh) {
                later(failure, backoff, ListWatch.this::list);
            } else {
                later(failure, ofPages, () -> turnTo(new Page(continuation)));
            }
        }
    }

    /** The server is where it once was: what it has by now may have a version that was another object's before. */
    private void beginAnew() {
        version = "";
        known.replaceAll((ref, object) -> object.ofNoVersion());
        list();
    }

    private void removeWhatTheListDoesNotHave() {
        Map<ObjectRef, Known> gone = new LinkedHashMap<>();
        known.forEach((ref, object) -> {
            if (object.listing() != listing) {
                gone.put(ref, object);
            }
        });
        gone.forEach((ref, object) -> remove(object, ref));
    }

    // ---- the watch ----

    private void watch() {
        turnTo(new Watch());
    }

    /** What changes. */
    private final class Watch extends Attempt implements KindApi.WatchReader {
        private final long begunAt = timers.nanoTime();
        private final Duration asked = WATCH.plusMillis(random.nextLong(WATCH.toMillis()));
        private boolean open;

        @Override
        KindApi.Call call() {
            return api.watch(version, asked, this);
        }

        @Override
        public void opened() {
            if (isCurrent()) {
                open = true;
                heard();
                if (state != SyncState.SYNCED) {
                    timers.after(SETTLED, this::upToDate);
                }
            }
        }

        @Override
        Duration silence() {
            return open ? SILENCE : super.silence();
        }

        @Override
        void silent(Duration quiet) {
            if (open) {
                ofForgotten.reset();
                again(ListWatch.this::glance);
            } else {
                super.silent(quiet);
            }
        }

        private void upToDate() {
            if (isCurrent()) {
                state(SyncState.SYNCED);
            }
        }

        @Override
        public void put(ApiReader.Item object) {
            if (isNext(object)) {
                boolean newlyTriggered = isNewlyTriggered(object);
                if (ListWatch.this.put(object)) {
                    listener.watched(ClusterObserver.Event.PUT, object, newlyTriggered);
                }
                endIfOverdue();
            }
        }

        @Override
        public void deleted(ApiReader.Item object) {
            if (object.uid().isEmpty() && isCurrent()) {
                heard();
                compare(ApiFailure.of(Cause.BROKEN, "a deletion of " + object.ref() + " that has no uid"));
            } else if (isNext(object)) {
                // Some say the version that the object had, which may be the last that was seen.
                Known before = known.get(object.ref());
                if (before != null && before.isOf(object)) {
                    remove(before, object.ref());
                    listener.watched(ClusterObserver.Event.DELETED, object, false);
                }
                endIfOverdue();
            }
        }

        @Override
        public void bookmark(String newest) {
            if (isCurrent() && isInOrder(newest)) {
                version = newest.isEmpty() ? version : newest;
                upToDate();
                endIfOverdue();
            }
        }

        /** What was lost unseen is found between two watches, so that none may go on for ever. */
        private void endIfOverdue() {
            if (isCurrent() && since(begunAt).compareTo(asked.plus(OVERTIME)) >= 0) {
                goOn();
            }
        }

        private boolean isNext(ApiReader.Item object) {
            if (!isCurrent()) {
                return false;
            }
            if (object.version().isEmpty()) {
                heard();
                compare(ApiFailure.of(Cause.BROKEN, "an event of " + object.ref() + " that has no resourceVersion"));
                return false;
            }
            if (!isInOrder(object.version())) {
                return false;
            }
            version = object.version();
            return true;
        }

        private boolean isInOrder(String next) {
            heard();
            if (isOlder(next, version)) {
                compare(wentBack(next));
                return false;
            }
            return true;
        }

        @Override
        public void ended() {
            if (!isCurrent()) {
                return;
            }
            if (since(begunAt).compareTo(SHORT_WATCH) < 0) {
                lost(ApiFailure.of(Cause.REFUSED, "the watch ended at once"));
            } else {
                goOn();
            }
        }

        private void wentWell() {
            backoff.reset();
            ofForgotten.reset();
            ofLists.reset();
            refusals = 0;
        }

        private void goOn() {
            wentWell();
            again(ListWatch.this::watch);
        }

        private void again(Runnable next) {
            if (since(listedAt).compareTo(COMPARE) >= 0) {
                list();
            } else {
                next.run();
            }
        }

        @Override
        public void failed(ApiFailure failure) {
            if (isCurrent()) {
                lost(failure);
            }
        }

        @Override
        void lost(ApiFailure failure) {
            // What could not be read comes again with the same watch; a list has it as it is by now, and in pieces.
            // Who may not watch may list, perhaps; so may who is refused once more, for the version may be why.
            if (failure.cause() == Cause.GONE
                    || failure.cause() == Cause.BROKEN
                    || failure.cause() == Cause.FORBIDDEN
                    || failure.cause() == Cause.UNKNOWN_KIND
                    || failure.cause() == Cause.REFUSED && ++refusals >= MOST_REFUSALS
                    || since(listedAt).compareTo(COMPARE) >= 0) {
                compare(failure);
                return;
            }
            if (since(begunAt).compareTo(SHORT_WATCH) >= 0) {
                wentWell();
            }
            later(failure, backoff, ListWatch.this::glance);
        }

        private void compare(ApiFailure why) {
            if (since(begunAt).compareTo(LONG_WATCH) >= 0) {
                wentWell();
            }
            later(why, why.cause() == Cause.GONE ? ofForgotten : ofLists, ListWatch.this::list);
        }
    }

    // ---- the glance ----

    private void glance() {
        turnTo(new Glance());
    }

    /** Whether the server is where it was. */
    private final class Glance extends Attempt implements KindApi.GlanceReader {
        @Override
        KindApi.Call call() {
            return api.glance(this);
        }

        @Override
        public void version(String now) {
            if (!isCurrent()) {
                return;
            }
            heard();
            if (isOlder(now, version)) {
                later(wentBack(now), ofForgotten, ListWatch.this::list);
            } else {
                watch();
            }
        }

        @Override
        public void failed(ApiFailure failure) {
            if (isCurrent()) {
                lost(failure);
            }
        }

        @Override
        void lost(ApiFailure failure) {
            boolean listable = switch (failure.cause()) {
                case GONE, UNKNOWN_KIND, REFUSED, BROKEN, FORBIDDEN -> true;
                case UNAUTHORIZED, OVERLOADED, UNTRUSTED, UNREACHABLE, SILENT -> false;
            };
            later(failure, backoff, listable ? ListWatch.this::list : ListWatch.this::glance);
        }
    }

    private Duration since(long moment) {
        return Duration.ofNanos(timers.nanoTime() - moment);
    }

    /** Servers promise nothing about versions but that they differ; those that are numbers grow. */
    private static boolean isOlder(String one, String other) {
        return isNumber(one) && isNumber(other) && compareNumbers(one, other) < 0;
    }

    private ApiFailure wentBack(String now) {
        return ApiFailure.of(
                Cause.BROKEN,
                "the API server went back in time, from version " + version + " to " + now
                        + ", perhaps because it was restored from a backup; all objects are listed again");
    }

    private static boolean isNumber(String text) {
        return !text.isEmpty() && text.chars().allMatch(c -> c >= '0' && c <= '9');
    }

    private static int compareNumbers(String one, String other) {
        return one.length() == other.length() ? one.compareTo(other) : Integer.compare(one.length(), other.length());
    }

    // ---- objects ----

    private boolean isNewlyTriggered(ApiReader.Item object) {
        Known before = known.get(object.ref());
        return object.triggered().isPresent()
                && (before == null || !object.triggered().get().equals(before.triggered()));
    }

    /** Takes in an object as it is now; returns false if it is known to be so. */
    private boolean put(ApiReader.Item object) {
        Known before = known.get(object.ref());
        if (before != null && before.is(object)) {
            known.put(object.ref(), before.seenIn(listing));
            return false;
        }
        known.put(
                object.ref(),
                new Known(
                        compact(object.uid()),
                        compact(object.version()),
                        listing,
                        object.object().isPresent(),
                        object.triggered().orElse(null)));
        if (object.object().isPresent()) {
            listener.changed(new ClusterChange.Put(object.object().get()));
        } else if (before != null) {
            // What it was no longer holds, and what it is cannot be used.
            tellOfTheEnd(before, object.ref());
        }
        return true;
    }

    private void remove(Known gone, ObjectRef ref) {
        known.remove(ref);
        tellOfTheEnd(gone, ref);
    }

    private void tellOfTheEnd(Known gone, ObjectRef ref) {
        if (gone.told()) {
            Optional<String> uid = Optional.of(gone.uid().toString()).filter(one -> !one.isEmpty());
            listener.changed(new ClusterChange.Remove(ref, uid));
        }
    }
}
