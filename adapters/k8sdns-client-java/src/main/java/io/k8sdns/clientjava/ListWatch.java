package io.k8sdns.clientjava;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import java.time.Duration;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * Lists the objects of one kind, watches their changes, and lists again when a watch cannot continue. This class holds all
 * transitions; each request is a {@link PendingRequest}, and {@link KnownObjects} turns responses into changes.
 *
 * <pre>
 *   => at once   -> after a wait
 *
 *   list    complete                                              => watch from the version of the list
 *           version older than known                              => list
 *           failed: first page; 410, 404, REFUSED, BROKEN         -> list
 *           failed: a later page with another cause               -> the same page
 *
 *   watch   ended after 1 s or more, or lasted too long           => watch from the last version (*)
 *           silent                                                => probe (*)
 *           unreadable or out of order                            -> list
 *           failed: 410, 403, 404, BROKEN; REFUSED again (**)     -> list
 *           failed: another cause                                 -> probe (*)
 *
 *   probe   version as known or newer                             => watch from the last version
 *           version older than known                              -> list
 *           failed: 410, 403, 404, REFUSED, BROKEN                -> list
 *           failed: another cause                                 -> probe
 *
 *   (*)  to a list instead if the last list is older than {@link #RELIST_AFTER}
 *   (**) the second REFUSED since a watch ended properly or lasted 30 s, and each further one
 * </pre>
 *
 * <p>The causes of failures are those of {@link Cause}; a watch that ended within 1 s failed with REFUSED. A list without a version
 * failed with BROKEN. ({@code watchThatEndsAtOnceIsAFailure}, {@code listWithoutAVersionIsRepeated})
 *
 * <p>Most watches end after {@link #WATCH_TIMEOUT} to twice that time, as requested; the next one begins immediately.
 *
 * <p>It has no clock, thread or socket: {@link KindApi} and {@link Timers} are passed in, and everything runs on one thread, so
 * that tests can simulate it ({@code ListWatchLaws}, {@code RecoveryLaws}).
 *
 * <p>Rules, with the failure or the test that each comes from (tests without a class are in {@code ListWatchTest}):
 * <ul>
 *   <li>A version that decreases ends the watch, and a list decides: the server was restored from a backup, or a proxy mixes
 *       servers. ({@code watchVersionThatDecreasesCausesAList})
 *   <li>A server that may have been unavailable is probed before a watch continues. A restored API server accepts a watch from a
 *       version that it has not reached, and sends nothing on it. ({@code restoredServerIsListedWhenItReturns}, {@code
 *       restoredServerIsFoundWhenTheWatchIsSilent})
 *   <li>After a restore no known version counts, since another object may have it now. ({@code
 *       versionsFromBeforeARestoreAreNotTrusted})
 *   <li>A 410 on a watch leads to a list after 125 to 250 ms, even after a long outage. After further 410s in a row the wait grows
 *       to {@link #MAX_WAIT_BETWEEN_LISTS}. A 410 on a page or a probe has the ordinary wait. ({@code
 *       expiredVersionAfterAnOutageIsListedAfterAShortWait}, {@code watchesOfTwoSecondsDoNotShortenTheWaitsBetweenLists}, {@code
 *       expiredPageOrProbeHasTheOrdinaryWait})
 *   <li>An event that cannot be decoded, or lacks a version or UID, leads to a list: the same watch would send it again.
 *       ({@code unreadableEventCausesAList}, {@code eventWithoutAVersionCausesAList}, {@code deletionWithoutAUidCausesAList})
 *   <li>A request that fails makes a synced kind STALE. A kind that is not synced keeps its state until a list is complete or a watch has
 *       caught up. ({@code watchThatFailsBeforeItIsSyncedStaysStale}, {@code reopenedWatchIsSyncedAfterOneSecond}, {@code
 *       silentWatchIsReopenedWithoutBecomingStale})
 *   <li>A later page that failed with 410, 404, REFUSED or BROKEN starts the list again, since its token may be invalid; after other
 *       causes the same page is requested again. A first page that failed always starts a new list. ({@code
 *       refusedLaterPageStartsTheListAgain}, {@code ListWatchLaws.seedsThatHaveFailedBeforePass} with seed 11)
 *   <li>Most requests that fail are made again after 125 to 250 ms at first; the wait doubles with each failure until it is 3 to
 *       6 s ({@link #MAX_WAIT}). So a watch is open within ten seconds after an outage; the waits are random, so that a thousand
 *       clients do not return at once. ({@code waitsGrowToSixSeconds}, {@code
 *       RecoveryLaws.watchIsOpenWithinTenSecondsAndMostlyWithinFive}, {@code
 *       RecoveryLaws.aThousandClientsReturnAtDifferentTimes})
 *   <li>A watch that failed after {@link #SHORT_WATCH} is opened again soon; the waits between lists are reset only after a watch of
 *       {@link #LONG_WATCH}. ({@code brokenWatchOfTwoSecondsIsOpenedAgainSoon}, {@code
 *       watchesOfTwoSecondsDoNotShortenTheWaitsBetweenLists}, {@code longWatchResetsTheBackoff})
 *   <li>In three cases the wait grows to 16 to 32 s ({@link #MAX_WAIT_BETWEEN_LISTS}), because a list costs the server more than
 *       other requests: between lists that succeed while the watches after them fail, between lists after a 410 on a watch or a
 *       restore, and for objects that the source continues without ({@link #forgetObjects}). ({@code
 *       RecoveryLaws.listsThatSucceedWhileWatchesFailAreAtMostOneInSixteenSeconds}, {@code forgettingRepeatedlyBacksOff})
 *   <li>A wait that the server requests (Retry-After, at most 5 minutes) is never cut short. ({@code retryAfterIsNotCutShort})
 *   <li>A wait after UNREACHABLE, UNTRUSTED or SILENT ends within 100 ms when another kind is served, and a wait after a 403 when
 *       another kind is permitted again. Together these cut short at most one wait in 30 s; waits after other causes are not cut
 *       short by other kinds. ({@code waitIsCutShortWhenTheServerIsBack}, {@code
 *       deniedRequestIsRetriedSoonAfterOthersAreAllowed}, {@code waitsAreCutShortOnceInThirtySeconds}, {@code
 *       otherKindsDoNotEndWaitsAfterOtherCauses})
 *   <li>Changed credentials end a wait after any cause within 100 ms, every time, unless the server requested the wait. ({@code
 *       changedCredentialsEndAWaitExceptRetryAfter})
 * </ul>
 */
final class ListWatch {
    /**
     * The minimum time after which the server should end a watch. Each request has a random time of up to twice that, so that many
     * clients do not return at the same time. The same as {@code minWatchTimeout} of client-go's {@code reflector.go}. ({@code
     * watchesAreRequestedForFiveToTenMinutes})
     */
    static final Duration WATCH_TIMEOUT = Duration.ofMinutes(5);

    /**
     * The maximum time for which an open watch is silent. Most servers send a bookmark each minute, but not before the first event of a
     * kind, so a silent watch may be alive: it is opened again without becoming stale. ({@code
     * silentWatchIsReopenedWithoutBecomingStale})
     */
    static final Duration WATCH_SILENCE = Duration.ofMinutes(2);

    /**
     * The maximum time until a response begins, and between two objects of a page. A busy server may need long.
     * ({@code watchThatIsNotAcceptedTimesOut}, {@code probeWithoutAnAnswerIsRepeated})
     */
    static final Duration RESPONSE_SILENCE = Duration.ofSeconds(60);

    /**
     * If the last list is older than this, the end of a watch leads to a new list, which finds events that the server has
     * lost. ({@code ListWatchLaws.everyHistoryEndsWithTheObjectsOfTheServer})
     */
    static final Duration RELIST_AFTER = Duration.ofMinutes(30);

    /**
     * The longest wait after most failures, so that a watch is open within ten seconds after an outage. ({@code
     * waitsGrowToSixSeconds}, {@code RecoveryLaws.watchIsOpenWithinTenSecondsAndMostlyWithinFive})
     */
    static final Duration MAX_WAIT = Duration.ofSeconds(6);

    /**
     * The longest wait before a list that follows a 410 on a watch, a restore, a watch that failed after a complete list, or {@link
     * #forgetObjects}: a list costs the server more than other requests. ({@code
     * RecoveryLaws.listsThatSucceedWhileWatchesFailAreAtMostOneInSixteenSeconds})
     */
    static final Duration MAX_WAIT_BETWEEN_LISTS = Duration.ofSeconds(32);

    /**
     * The number of watches that failed with {@link Cause#REFUSED} at which the last one causes a list, as each further one does: the
     * version may be the reason. Counted since a watch ended properly or lasted {@link #LONG_WATCH}. ({@code
     * watchRefusedTwiceCausesAList}, {@code watchesOfTwoSecondsThatFailTwiceCauseAList}, {@code aLongWatchResetsTheCountOfFailures})
     */
    private static final int MAX_WATCH_FAILURES = 2;

    /**
     * A watch that ends sooner counts as a failure, even if the server ended it properly. A longer watch resets all backoffs if the
     * server ended it properly. If it failed, it resets only the backoff of the next probe, since proxies cut watches that work.
     * ({@code watchThatEndsAtOnceIsAFailure}, {@code brokenWatchOfTwoSecondsIsOpenedAgainSoon})
     */
    private static final Duration SHORT_WATCH = Duration.ofSeconds(1);

    /**
     * A watch that lasted this long resets all backoffs when it ends or fails; when it is silent, only that of lists after a 410.
     * ({@code longWatchResetsTheBackoff})
     */
    private static final Duration LONG_WATCH = Duration.ofSeconds(30);

    private final KindApi api;
    private final Timers timers;
    private final RandomGenerator random;
    private final Listener listener;
    private final KnownObjects known;
    private final RetryWait wait;
    /** For first pages, probes, and watches that are opened again. */
    private final Backoff backoff;

    /**
     * For lists after a 410 on a watch, or after a restore that a probe found. Separate, because a server that is back and has forgotten
     * the version did not fail.
     */
    private final Backoff expiredBackoff;

    /** For lists that do not lead to a watch, and for objects that the source continues without. */
    private final Backoff listBackoff;

    /**
     * For later pages; is reset by each page that arrives. Separate, because the arrival of pages does not mean that the watch after
     * them will succeed. ({@code waitsForALaterPageGrowUntilAPageArrives}, {@code pagesDoNotResetTheWaitsBetweenLists})
     */
    private final Backoff pageBackoff;

    private SyncState state = SyncState.SYNCING;
    private String version = "";
    private int watchFailures;
    private long listBegunAt;
    private long listedAt;
    private @Nullable PendingRequest current;
    private boolean objectsForgotten;
    private boolean closed;

    /** Receives changes, states and failures, on the thread of the {@link ListWatch}. */
    interface Listener {
        /** Reports a changed object. */
        void changed(ClusterChange change);

        /**
         * Reports a watch event that changed the known objects; the change itself was reported before if records can depend on it.
         *
         * @param event whether the object was put or deleted
         * @param newlyTriggered whether the object has a trigger time that it did not have before
         */
        void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered);

        /**
         * Reports an object whose new version was found by a list and by no watch. Not called for the first list or for a list after a
         * restore. The change itself was reported before if records can depend on it.
         *
         * @param newlyTriggered as for {@link #watched}
         */
        void missed(ApiReader.Item object, boolean newlyTriggered);

        /** Reports a complete list and how long it took. */
        void listed(Duration took);

        /** Reports that the server has sent a message, even if it changes nothing. */
        void received();

        /** Reports a new state. */
        void state(SyncState state);

        /** Reports a request that failed and will be made again. */
        void failed(ApiFailure failure);
    }

    ListWatch(KindApi api, Timers timers, RandomGenerator random, Listener listener) {
        this.api = api;
        this.timers = timers;
        this.random = random;
        this.listener = listener;
        this.known = new KnownObjects(listener::changed);
        this.wait = new RetryWait(timers, random);
        this.backoff = new Backoff(random, MAX_WAIT);
        this.expiredBackoff = new Backoff(random, MAX_WAIT_BETWEEN_LISTS);
        this.listBackoff = new Backoff(random, MAX_WAIT_BETWEEN_LISTS);
        this.pageBackoff = new Backoff(random, MAX_WAIT);
    }

    // ---- for the source ----

    /** Begins with a list. */
    void start() {
        list();
    }

    /** Ends; reports nothing afterwards. */
    void close() {
        closed = true;
        stop();
    }

    /** Returns the number of known objects. */
    int size() {
        return known.size();
    }

    /**
     * Removes all objects of a kind that the source continues without, and lists them again after the wait. To be called by a listener
     * in {@link Listener#failed}. ({@code forgottenObjectsAreAddedByTheNextList}, {@code
     * forgettingDuringAListStartsItAgain})
     */
    void forgetObjects() {
        known.clear();
        objectsForgotten = true;
        setState(SyncState.SYNCING);
    }

    /**
     * Cuts a wait after UNREACHABLE, UNTRUSTED or SILENT short, at most once in 30 s, because another kind was served. ({@code
     * waitsAreCutShortOnceInThirtySeconds})
     */
    void serverIsBack() {
        wait.cutShortRarely(Cause::isAbsence);
    }

    /**
     * Cuts a wait after a 403 short, at most once in 30 s, because another kind is permitted again. ({@code
     * deniedRequestIsRetriedSoonAfterOthersAreAllowed})
     */
    void permissionMayBeBack() {
        wait.cutShortRarely(cause -> cause == Cause.FORBIDDEN);
    }

    /**
     * Cuts a wait after a 403 or 404 short; for callers that retry once. ({@code retryDeniedIsNotRateLimited})
     */
    void retryDenied() {
        boolean unused = wait.cutShort(cause -> cause == Cause.FORBIDDEN || cause == Cause.UNKNOWN_KIND);
    }

    /**
     * Cuts a wait short because the credentials changed; returns false if there is no wait, or the server requested it. ({@code
     * changedCredentialsEndAWaitExceptRetryAfter})
     */
    boolean credentialsChanged() {
        return wait.cutShort(cause -> true);
    }

    // ---- for the requests ----

    boolean isCurrent(PendingRequest request) {
        return current == request;
    }

    void serverResponded() {
        listener.received();
    }

    String version() {
        return version;
    }

    void advance(String newest) {
        version = newest;
    }

    boolean isOlderThanKnown(String other) {
        return ResourceVersions.isOlder(other, version);
    }

    boolean isSynced() {
        return state == SyncState.SYNCED;
    }

    ApiFailure versionDecreased(String now) {
        return ApiFailure.of(
                Cause.BROKEN,
                "the API server has version " + now + ", older than " + version
                        + ", perhaps because it was restored from a backup; all objects are listed again");
    }

    // ---- transitions ----

    private void stop() {
        if (current != null) {
            current.end();
            current = null;
        }
        wait.cancel();
    }

    private void send(PendingRequest next) {
        stop();
        current = next;
        next.begin();
    }

    private void retry(ApiFailure failure, Backoff used, Runnable next) {
        stop();
        listener.failed(failure);
        if (isSynced()) {
            setState(SyncState.STALE);
        }
        if (!closed) {
            Backoff chosen = objectsForgotten ? listBackoff : used;
            wait.begin(failure, chosen.next(failure.retryAfter()), objectsForgotten ? this::list : next);
            objectsForgotten = false;
        }
    }

    private void setState(SyncState now) {
        if (state != now) {
            state = now;
            listener.state(now);
        }
    }

    /** Resets all backoffs; that of later pages needs no reset here. */
    private void resetBackoffs() {
        backoff.reset();
        expiredBackoff.reset();
        listBackoff.reset();
        watchFailures = 0;
    }

    private Duration since(long moment) {
        return Duration.ofNanos(timers.nanoTime() - moment);
    }

    private boolean isListDue() {
        return since(listedAt).compareTo(RELIST_AFTER) >= 0;
    }

    // ---- list ----

    private void list() {
        known.beginList();
        listBegunAt = timers.nanoTime();
        requestPage(Optional.empty());
    }

    private void requestPage(Optional<String> continuation) {
        send(new ListPage(this, api, timers, continuation));
    }

    void objectListed(ApiReader.Item object) {
        boolean isFirstOrAfterRestore = version.isEmpty();
        boolean newlyTriggered = known.isNewlyTriggered(object);
        if (known.put(object) && !isFirstOrAfterRestore) {
            listener.missed(object, newlyTriggered);
        }
    }

    void pageEnded(String listVersion, Optional<String> next) {
        if (isOlderThanKnown(listVersion)) {
            listAfterRestore();
        } else if (next.isPresent()) {
            pageBackoff.reset();
            requestPage(next);
        } else if (listVersion.isEmpty()) {
            retry(ApiFailure.of(Cause.BROKEN, "a list without a resourceVersion"), backoff, this::list);
        } else {
            known.endList();
            version = listVersion;
            listedAt = timers.nanoTime();
            listener.listed(since(listBegunAt));
            setState(SyncState.SYNCED);
            watch();
        }
    }

    private void listAfterRestore() {
        version = "";
        known.dropVersions();
        list();
    }

    void pageFailed(Optional<String> continuation, ApiFailure failure) {
        boolean isTokenInvalid = switch (failure.cause()) {
            case GONE, UNKNOWN_KIND, REFUSED, BROKEN -> true;
            case UNAUTHORIZED, NO_CREDENTIALS, FORBIDDEN, OVERLOADED, UNTRUSTED, UNREACHABLE, SILENT -> false;
        };
        if (continuation.isEmpty() || isTokenInvalid) {
            retry(failure, backoff, this::list);
        } else {
            retry(failure, pageBackoff, () -> requestPage(continuation));
        }
    }

    // ---- watch ----

    private void watch() {
        Duration timeout = WATCH_TIMEOUT.plusMillis(random.nextLong(WATCH_TIMEOUT.toMillis()));
        send(new OpenWatch(this, api, timers, timeout));
    }

    void watchCaughtUp() {
        setState(SyncState.SYNCED);
    }

    void objectPut(ApiReader.Item object) {
        boolean newlyTriggered = known.isNewlyTriggered(object);
        if (known.put(object)) {
            listener.watched(ClusterObserver.Event.PUT, object, newlyTriggered);
        }
    }

    /**
     * Some servers send the last version of the object for a deletion, so the version may be a known one. ({@code
     * deletionWithTheLastVersionOfTheObjectCounts})
     */
    void objectDeleted(ApiReader.Item object) {
        if (known.remove(object)) {
            listener.watched(ClusterObserver.Event.DELETED, object, false);
        }
    }

    /** Continues after a watch on which the server sent nothing. ({@code silentWatchResetsTheWaitAfterA410}) */
    void watchSilent() {
        // The server accepted the version and kept the watch open, so consecutive 410s have ended.
        expiredBackoff.reset();
        listOr(this::probe);
    }

    void watchEnded(OpenWatch watch) {
        if (watch.age().compareTo(SHORT_WATCH) < 0) {
            watchFailed(watch, ApiFailure.of(Cause.REFUSED, "the watch ended at once"));
        } else {
            renewWatch();
        }
    }

    /** Opens the next watch at once, or lists if the last list is too old. */
    void renewWatch() {
        resetBackoffs();
        listOr(this::watch);
    }

    private void listOr(Runnable next) {
        if (isListDue()) {
            list();
        } else {
            next.run();
        }
    }

    void watchFailed(OpenWatch watch, ApiFailure failure) {
        resetBackoffsAfterLong(watch);
        boolean needsList = switch (failure.cause()) {
            case GONE, BROKEN -> true;
            // Credentials that may not watch may be permitted to list (watchThatIsNotPermittedCausesAList).
            case FORBIDDEN, UNKNOWN_KIND -> true;
            case REFUSED -> ++watchFailures >= MAX_WATCH_FAILURES;
            case UNAUTHORIZED, NO_CREDENTIALS, OVERLOADED, UNTRUSTED, UNREACHABLE, SILENT -> false;
        };
        if (needsList || isListDue()) {
            listAfterWatch(failure);
            return;
        }
        if (watch.age().compareTo(SHORT_WATCH) >= 0) {
            backoff.reset();
        }
        retry(failure, backoff, this::probe);
    }

    void watchDistrusted(OpenWatch watch, ApiFailure why) {
        resetBackoffsAfterLong(watch);
        listAfterWatch(why);
    }

    private void resetBackoffsAfterLong(OpenWatch watch) {
        if (watch.age().compareTo(LONG_WATCH) >= 0) {
            resetBackoffs();
        }
    }

    private void listAfterWatch(ApiFailure why) {
        retry(why, why.cause() == Cause.GONE ? expiredBackoff : listBackoff, this::list);
    }

    // ---- probe ----

    private void probe() {
        send(new VersionProbe(this, api, timers));
    }

    void probed(String now) {
        if (isOlderThanKnown(now)) {
            retry(versionDecreased(now), expiredBackoff, this::list);
        } else {
            watch();
        }
    }

    /** Servers that refuse a probe may permit a list. ({@code refusedProbeCausesAList}) */
    void probeFailed(ApiFailure failure) {
        boolean needsList = switch (failure.cause()) {
            case GONE, UNKNOWN_KIND, REFUSED, BROKEN, FORBIDDEN -> true;
            case UNAUTHORIZED, NO_CREDENTIALS, OVERLOADED, UNTRUSTED, UNREACHABLE, SILENT -> false;
        };
        retry(failure, backoff, needsList ? this::list : this::probe);
    }
}
