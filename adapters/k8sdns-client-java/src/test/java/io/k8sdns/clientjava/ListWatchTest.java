package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ListWatchTest {
    private static final ObjectRef SHOP = ObjectRef.of(Namespace.KIND, "shop");

    private final VirtualTime time = new VirtualTime();
    private final Script api = new Script();
    private final List<Object> reported = new ArrayList<>();
    private final List<String> failureTexts = new ArrayList<>();
    private final List<String> watched = new ArrayList<>();
    private final List<Duration> lists = new ArrayList<>();
    private boolean forgetting;
    private final ListWatch listWatch = new ListWatch(api, time, new Random(1), new ListWatch.Listener() {
        @Override
        public void changed(ClusterChange change) {
            reported.add(change);
        }

        @Override
        public void state(SyncState state) {
            reported.add(state);
        }

        @Override
        public void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered) {
            watched.add(event + " " + object.ref() + (newlyTriggered ? " newly triggered" : ""));
        }

        @Override
        public void missed(ApiReader.Item object, boolean newlyTriggered) {
            watched.add("missed " + object.ref() + (newlyTriggered ? " newly triggered" : ""));
        }

        @Override
        public void listed(Duration took) {
            lists.add(took);
        }

        @Override
        public void received() {}

        @Override
        public void failed(ApiFailure failure) {
            reported.add(failure.cause());
            failureTexts.add(failure.text());
            if (forgetting) {
                ListWatchTest.this.listWatch.forgetObjects();
            }
        }
    });

    /** Records the requests, and keeps their readers for the test. */
    private static final class Script implements KindApi {
        private final List<String> asked = new ArrayList<>();
        private final List<Duration> timeouts = new ArrayList<>();
        private KindApi.@Nullable ListReceiver list;
        private KindApi.@Nullable WatchReceiver watch;

        /** The version that a probe receives; empty for tests that answer the probe themselves. */
        private Optional<String> seen = Optional.of("1000");

        private KindApi.@Nullable VersionReceiver probe;

        @Override
        public Call probe(VersionReceiver reader) {
            probe = reader;
            seen.ifPresentOrElse(reader::version, () -> asked.add("probe"));
            return () -> {};
        }

        VersionReceiver probe() {
            return Optional.ofNullable(probe).orElseThrow();
        }

        @Override
        public Call list(Optional<String> continuation, ListReceiver reader) {
            asked.add("list " + continuation.orElse(""));
            list = reader;
            return () -> {};
        }

        @Override
        public Call watch(String version, Duration timeout, WatchReceiver reader) {
            asked.add("watch " + version);
            timeouts.add(timeout);
            watch = reader;
            return () -> {};
        }

        ListReceiver list() {
            return Optional.ofNullable(list).orElseThrow();
        }

        WatchReceiver watch() {
            return Optional.ofNullable(watch).orElseThrow();
        }
    }

    private static ApiReader.Item shop(String uid, String version) {
        return new ApiReader.Item(
                SHOP, uid, version, Optional.of(Namespace.of("shop").withUid(uid)));
    }

    private static ClusterChange.Put put(String uid) {
        return new ClusterChange.Put(Namespace.of("shop").withUid(uid));
    }

    private static ClusterChange.Remove removed(String uid) {
        return new ClusterChange.Remove(SHOP, Optional.of(uid));
    }

    private void pass(Duration duration) {
        long until = time.nanoTime() + duration.toNanos();
        while (time.step(until)) {
            // The next task.
        }
    }

    @BeforeEach
    void listOneObject() {
        listWatch.start();
        api.list().object(shop("a", "7"));
        api.list().end("8", Optional.empty());
        api.watch().opened();
        assertThat(reported).containsExactly(put("a"), SyncState.SYNCED);
        reported.clear();
        api.asked.clear();
    }

    @Test
    void watchVersionThatDecreasesCausesAList() {
        api.watch().deleted(shop("a", "10"));
        api.watch().put(shop("a", "9"));
        assertThat(reported).containsExactly(removed("a"), Cause.BROKEN, SyncState.STALE);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
        api.list().end("10", Optional.empty());
        assertThat(reported).last().isEqualTo(SyncState.SYNCED);
        assertThat(api.asked).last().isEqualTo("watch 10");
    }

    @Test
    void versionWithMoreDigitsIsNewer() {
        api.watch().put(shop("a", "9"));
        api.watch().put(shop("b", "10"));
        assertThat(reported).containsExactly(put("a"), put("b"));
    }

    @Test
    void lateDeleteKeepsTheSuccessor() {
        api.watch().put(shop("b", "v1"));
        api.watch().deleted(shop("a", "v2"));
        assertThat(reported).containsExactly(put("b"));
        api.watch().deleted(shop("b", "v3"));
        assertThat(reported).containsExactly(put("b"), removed("b"));
    }

    @Test
    void triggerTimeIsReportedOnce() {
        Optional<Instant> reason = Optional.of(Instant.EPOCH);
        Optional<ClusterObject> object = shop("a", "9").object();
        api.watch().put(new ApiReader.Item(SHOP, "a", "9", object, reason));
        api.watch().put(new ApiReader.Item(SHOP, "a", "10", object, reason));
        api.watch().put(new ApiReader.Item(SHOP, "a", "11", object, Optional.of(Instant.EPOCH.plusMillis(1))));
        api.watch().deleted(shop("b", "12"));
        api.watch().deleted(shop("a", "13"));
        assertThat(watched)
                .containsExactly(
                        "PUT Namespace shop newly triggered",
                        "PUT Namespace shop",
                        "PUT Namespace shop newly triggered",
                        "DELETED Namespace shop");
    }

    @Test
    void listReportsWhatTheWatchMissed() {
        assertThat(watched).isEmpty();
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        ObjectRef other = ObjectRef.of(Namespace.KIND, "other");
        api.list().object(shop("a", "7"));
        api.list().object(new ApiReader.Item(other, "b", "9", Optional.empty(), Optional.of(Instant.EPOCH)));
        assertThat(watched).containsExactly("missed Namespace other newly triggered");
    }

    @Test
    void repeatedWatchEventIsIgnored() {
        api.watch().put(shop("a", "v1"));
        api.watch().bookmark("v2");
        api.watch().put(shop("a", "v1"));
        assertThat(watched).hasSize(1);
        assertThat(reported).containsExactly(put("a"));
    }

    @Test
    void expiredVersionAfterAnOutageIsListedAfterAShortWait() {
        for (int i = 0; i < 10; i++) {
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
            pass(Duration.ofSeconds(40));
        }
        api.asked.clear();
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofMillis(250));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void expiredPageOrProbeHasTheOrdinaryWait() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < 10; i++) {
            api.asked.clear();
            api.list().failed(ApiFailure.of(Cause.GONE, "too old"));
            pass(ListWatch.MAX_WAIT);
            assertThat(api.asked).as("page, time " + i).containsExactly("list ");
        }
        api.asked.clear();
        api.list().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(ListWatch.MAX_WAIT.dividedBy(2).minusMillis(1));
        assertThat(api.asked).as("the wait has grown").isEmpty();
        pass(ListWatch.MAX_WAIT);
        api.list().end("9", Optional.of("more"));
        api.list().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(ListWatch.MAX_WAIT);
        assertThat(api.asked).as("a later page").containsExactly("list ", "list more", "list ");
        api.list().end("9", Optional.empty());
        api.seen = Optional.empty();
        for (int i = 0; i < 10; i++) {
            api.asked.clear();
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
            pass(ListWatch.MAX_WAIT);
            api.probe().failed(ApiFailure.of(Cause.GONE, "too old"));
            pass(ListWatch.MAX_WAIT);
            assertThat(api.asked).as("probe, time " + i).containsExactly("probe", "list ");
            api.list().end("9", Optional.empty());
        }
    }

    @Test
    void durationOfAListIsReported() {
        assertThat(lists).containsExactly(Duration.ZERO);
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        Duration begun = Duration.ofNanos(time.nanoTime());
        pass(Duration.ofSeconds(3));
        api.list().end("9", Optional.empty());
        assertThat(lists).hasSize(2);
        assertThat(lists.get(1))
                .isBetween(
                        Duration.ofNanos(time.nanoTime()).minus(begun),
                        Duration.ofNanos(time.nanoTime()).minus(begun).plusSeconds(1));
    }

    @Test
    void uidsThatAreNotUuidsAreKeptExactly() {
        for (String uid :
                List.of("0", "007", "7", "9223372036854775808", "1-1-1-1-1", "6F9619FF-8B86-D011-B42D-00C04FC964FF")) {
            api.watch().put(shop(uid, "x" + uid));
            api.watch().deleted(shop(uid + "x", "y" + uid));
            assertThat(reported).last().isEqualTo(put(uid));
            api.watch().deleted(shop(uid, "z" + uid));
            assertThat(reported).last().isEqualTo(removed(uid));
        }
    }

    @Test
    void duplicateEventIsIgnored() {
        api.watch().put(shop("a", "9"));
        api.watch().put(shop("a", "9"));
        assertThat(reported).containsExactly(put("a"));
    }

    @Test
    void objectThatCannotBeDecodedIsRemovedUntilItCan() {
        api.watch().put(new ApiReader.Item(SHOP, "a", "9", Optional.empty()));
        api.watch().put(new ApiReader.Item(SHOP, "a", "10", Optional.empty()));
        api.watch().put(shop("a", "11"));
        assertThat(reported).containsExactly(removed("a"), put("a"));
    }

    @Test
    void listReportsOnlyDifferences() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        reported.clear();
        api.list().object(shop("a", "7"));
        api.list().end("20", Optional.of("more"));
        assertThat(api.asked).containsExactly("list ", "list more");
        api.list().end("20", Optional.empty());
        assertThat(reported).containsExactly(SyncState.SYNCED);
    }

    @Test
    void objectMissingFromTheListIsRemoved() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        api.list().end("20", Optional.empty());
        assertThat(reported).containsExactly(Cause.GONE, SyncState.STALE, removed("a"), SyncState.SYNCED);
    }

    @Test
    void watchContinuesFromTheLastBookmark() {
        api.watch().bookmark("30");
        pass(Duration.ofSeconds(5));
        api.watch().ended();
        assertThat(api.asked).containsExactly("watch 30");
        assertThat(reported).isEmpty();
    }

    private void missAChange() {
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(Duration.ofSeconds(1));
        api.watch().opened();
        reported.clear();
    }

    @Test
    void reopenedWatchIsSyncedAfterOneSecond() {
        missAChange();
        pass(Duration.ofMillis(999));
        api.watch().put(shop("a", "9"));
        assertThat(reported).containsExactly(put("a"));
        pass(Duration.ofMillis(1));
        assertThat(reported).last().isEqualTo(SyncState.SYNCED);
    }

    @Test
    void reopenedWatchIsSyncedByABookmark() {
        missAChange();
        api.watch().bookmark("9");
        assertThat(reported).containsExactly(SyncState.SYNCED);
    }

    @Test
    void watchThatFailsBeforeItIsSyncedStaysStale() {
        missAChange();
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(Duration.ofHours(1));
        assertThat(reported).doesNotContain(SyncState.SYNCED);
    }

    @Test
    void forgottenObjectsAreAddedByTheNextList() {
        forgetting = true;
        api.watch().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
        assertThat(reported).containsExactly(Cause.FORBIDDEN, removed("a"), SyncState.SYNCING);
        reported.clear();
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
        api.list().object(shop("a", "7"));
        api.list().end("20", Optional.empty());
        assertThat(reported).containsExactly(put("a"), SyncState.SYNCED);
    }

    @Test
    void forgettingDuringAListStartsItAgain() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        api.list().end("9", Optional.of("more"));
        forgetting = true;
        api.list().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
        forgetting = false;
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ", "list more", "list ");
        api.list().failed(ApiFailure.of(Cause.OVERLOADED, "busy"));
        reported.clear();
        pass(Duration.ofSeconds(2));
        api.list().object(shop("a", "7"));
        assertThat(reported).containsExactly(put("a"));
    }

    /** Kubernetes accepts a watch from a version that it has not reached yet, and sends nothing. */
    @Test
    void restoredServerIsListedWhenItReturns() {
        api.seen = Optional.of("5");
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(Duration.ofSeconds(2));
        assertThat(reported).containsExactly(Cause.UNREACHABLE, SyncState.STALE, Cause.BROKEN);
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void restoredServerIsFoundWhenTheWatchIsSilent() {
        api.seen = Optional.of("5");
        pass(ListWatch.WATCH_SILENCE.plusSeconds(2));
        assertThat(reported).containsExactly(Cause.BROKEN, SyncState.STALE);
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void versionsFromBeforeARestoreAreNotTrusted() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        reported.clear();
        for (int i = 0; i < 2; i++) {
            assertThat(reported).isEmpty();
            api.list().object(shop("a", "7"));
            api.list().end("7", Optional.empty());
        }
        assertThat(reported).containsExactly(put("a"), SyncState.SYNCED);
        assertThat(api.asked).containsExactly("list ", "list ", "watch 7");
    }

    @Test
    void refusedProbeCausesAList() {
        api.seen = Optional.empty();
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(Duration.ofSeconds(1));
        api.probe().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(Duration.ofSeconds(3));
        api.probe().failed(ApiFailure.of(Cause.REFUSED, "400"));
        pass(Duration.ofSeconds(5));
        assertThat(api.asked).containsExactly("probe", "probe", "list ");
    }

    @Test
    void probeWithoutAnAnswerIsRepeated() {
        api.seen = Optional.empty();
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        pass(ListWatch.RESPONSE_SILENCE.plusSeconds(4));
        assertThat(api.asked).containsExactly("probe", "probe");
        assertThat(reported).containsExactly(Cause.UNREACHABLE, SyncState.STALE, Cause.SILENT);
    }

    @Test
    void watchRefusedTwiceCausesAList() {
        api.watch().failed(ApiFailure.of(Cause.REFUSED, "500"));
        pass(Duration.ofSeconds(1));
        api.watch().failed(ApiFailure.of(Cause.REFUSED, "500"));
        pass(Duration.ofSeconds(3));
        assertThat(api.asked).containsExactly("watch 8", "list ");
    }

    private void failWatchAfter(Duration age, Cause cause) {
        api.watch().opened();
        pass(age);
        api.asked.clear();
        api.watch().failed(ApiFailure.of(cause, "no"));
    }

    @Test
    void watchesOfTwoSecondsThatFailTwiceCauseAList() {
        failWatchAfter(Duration.ofSeconds(2), Cause.REFUSED);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("watch 8");
        failWatchAfter(Duration.ofSeconds(2), Cause.REFUSED);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void aLongWatchResetsTheCountOfFailures() {
        for (int i = 0; i < 4; i++) {
            failWatchAfter(Duration.ofSeconds(60), Cause.REFUSED);
            pass(Duration.ofSeconds(1));
            assertThat(api.asked).as("time " + i).containsExactly("watch 8");
        }
        failWatchAfter(Duration.ofSeconds(2), Cause.REFUSED);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).as("a long watch and a short one").containsExactly("list ");
    }

    @Test
    void brokenWatchOfTwoSecondsIsOpenedAgainSoon() {
        for (int i = 0; i < 10; i++) {
            failWatchAfter(Duration.ofSeconds(2), Cause.UNREACHABLE);
            pass(Duration.ofMillis(250));
            assertThat(api.asked).as("time " + i).containsExactly("watch 8");
        }
    }

    @Test
    void watchesOfTwoSecondsDoNotShortenTheWaitsBetweenLists() {
        for (Cause cause : List.of(Cause.GONE, Cause.BROKEN)) {
            for (int i = 0; i < 10; i++) {
                failWatchAfter(Duration.ofSeconds(2), Cause.UNREACHABLE);
                pass(Duration.ofSeconds(1));
                api.watch().failed(ApiFailure.of(cause, "no"));
                pass(ListWatch.MAX_WAIT_BETWEEN_LISTS);
                assertThat(api.asked).as("%s, time %s", cause, i).containsExactly("watch 8", "list ");
                api.list().end("8", Optional.empty());
            }
            failWatchAfter(Duration.ofSeconds(2), Cause.UNREACHABLE);
            pass(Duration.ofSeconds(1));
            api.watch().failed(ApiFailure.of(cause, "no"));
            pass(ListWatch.MAX_WAIT_BETWEEN_LISTS.dividedBy(2).minusMillis(1));
            assertThat(api.asked).as("%s", cause).containsExactly("watch 8");
            pass(ListWatch.MAX_WAIT_BETWEEN_LISTS);
            api.list().end("8", Optional.empty());
        }
    }

    @Test
    void watchThatIsNotPermittedCausesAList() {
        for (Cause cause : List.of(Cause.FORBIDDEN, Cause.UNKNOWN_KIND)) {
            failWatchAfter(Duration.ZERO, cause);
            pass(Duration.ofSeconds(1));
            assertThat(api.asked).as("%s", cause).containsExactly("list ");
            api.list().end("8", Optional.empty());
        }
    }

    @Test
    void watchesAreRequestedForFiveToTenMinutes() {
        for (int i = 0; i < 20; i++) {
            pass(Duration.ofSeconds(1));
            api.watch().ended();
        }
        assertThat(api.timeouts)
                .hasSize(21)
                .allSatisfy(timeout -> assertThat(timeout).isBetween(Duration.ofMinutes(5), Duration.ofMinutes(10)))
                .doesNotHaveDuplicates();
    }

    @Test
    void watchThatEndsAtOnceIsAFailure() {
        api.watch().ended();
        assertThat(api.asked).isEmpty();
        assertThat(reported).containsExactly(Cause.REFUSED, SyncState.STALE);
    }

    @Test
    void retryAfterIsObeyed() {
        api.watch().failed(new ApiFailure(Cause.OVERLOADED, Optional.of(Duration.ofSeconds(40)), "busy"));
        pass(Duration.ofSeconds(39));
        assertThat(api.asked).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("watch 8");
    }

    @Test
    void silentWatchIsReopenedWithoutBecomingStale() {
        pass(ListWatch.WATCH_SILENCE.minusSeconds(1));
        api.watch().bookmark("9");
        pass(ListWatch.WATCH_SILENCE.minusSeconds(1));
        assertThat(api.asked).isEmpty();
        pass(Duration.ofSeconds(2));
        assertThat(api.asked).containsExactly("watch 9");
        api.watch().opened();
        pass(ListWatch.WATCH_SILENCE.minusSeconds(3));
        assertThat(api.asked).hasSize(1);
        assertThat(reported).isEmpty();
    }

    @Test
    void watchThatIsNotAcceptedTimesOut() {
        pass(ListWatch.WATCH_SILENCE);
        assertThat(api.asked).containsExactly("watch 8");
        assertThat(reported).isEmpty();
        pass(ListWatch.RESPONSE_SILENCE);
        assertThat(reported).containsExactly(Cause.SILENT, SyncState.STALE);
    }

    @Test
    void forgettingRepeatedlyBacksOff() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        forgetting = true;
        for (int i = 0; i < 10; i++) {
            pass(Duration.ofSeconds(32));
            api.list().end("9", Optional.of("more"));
            api.list().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
        }
        api.asked.clear();
        pass(Duration.ofSeconds(15));
        assertThat(api.asked).isEmpty();
    }

    private void waitForPermission() {
        for (int i = 0; i < 10; i++) {
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
            pass(Duration.ofSeconds(40));
        }
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        listWatch.serverIsBack();
        pass(Duration.ofMillis(100));
        api.watch().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
        api.asked.clear();
    }

    @Test
    void deniedRequestIsRetriedSoonAfterOthersAreAllowed() {
        waitForPermission();
        listWatch.serverIsBack();
        listWatch.permissionMayBeBack();
        pass(Duration.ofMillis(100));
        assertThat(api.asked)
                .as("the second wait within thirty seconds is not cut short")
                .isEmpty();
        pass(Duration.ofSeconds(60));
        for (int i = 0; i < 10; i++) {
            api.list().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
            pass(Duration.ofSeconds(40));
        }
        api.list().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
        api.asked.clear();
        listWatch.permissionMayBeBack();
        pass(Duration.ofMillis(100));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void retryDeniedIsNotRateLimited() {
        waitForPermission();
        listWatch.retryDenied();
        pass(Duration.ofMillis(100));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void eventsAfterTheEndAreIgnored() {
        KindApi.WatchReceiver early = api.watch();
        early.failed(ApiFailure.of(Cause.UNREACHABLE, "reset"));
        reported.clear();
        early.put(shop("b", "9"));
        early.ended();
        early.failed(ApiFailure.of(Cause.UNREACHABLE, "reset"));
        listWatch.close();
        pass(Duration.ofHours(1));
        assertThat(reported).isEmpty();
        assertThat(time.waiting()).isZero();
    }

    @Test
    void eventWithoutAVersionCausesAList() {
        api.watch().put(shop("a", ""));
        assertThat(reported).containsExactly(Cause.BROKEN, SyncState.STALE);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void deletionWithoutAUidCausesAList() {
        api.watch().deleted(shop("", "9"));
        assertThat(reported).containsExactly(Cause.BROKEN, SyncState.STALE);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void bookmarkWithoutAVersionIsIgnored() {
        api.watch().bookmark("9");
        api.watch().bookmark("");
        pass(Duration.ofSeconds(5));
        api.watch().ended();
        assertThat(api.asked).containsExactly("watch 9");
    }

    @Test
    void listWithoutAVersionIsRepeated() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        reported.clear();
        api.list().object(shop("a", "7"));
        api.list().end("", Optional.empty());
        assertThat(reported).containsExactly(Cause.BROKEN);
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ", "list ");
    }

    @Test
    void objectWithoutAVersionIsReportedEachTime() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        reported.clear();
        api.list().object(shop("a", ""));
        api.list().object(shop("a", ""));
        assertThat(reported).containsExactly(put("a"), put("a"));
    }

    @Test
    void objectWithoutAUidIsRemovedWithoutOne() {
        api.watch().put(shop("", "9"));
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        reported.clear();
        api.list().end("10", Optional.empty());
        assertThat(reported).containsExactly(new ClusterChange.Remove(SHOP, Optional.empty()), SyncState.SYNCED);
    }

    @Test
    void unreadableEventCausesAList() {
        api.watch().failed(ApiFailure.of(Cause.BROKEN, "no JSON"));
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ");
    }

    @Test
    void watchThatTheServerDoesNotEndIsEndedByTheClient() {
        for (int minute = 1; minute <= 11; minute++) {
            api.watch().opened();
            pass(Duration.ofMinutes(1));
            api.watch().bookmark(Integer.toString(10 + minute));
        }
        assertThat(api.asked).hasSize(1);
        assertThat(reported).isEmpty();
    }

    @Test
    void waitIsCutShortWhenTheServerIsBack() {
        for (int i = 0; i < 10; i++) {
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
            pass(Duration.ofSeconds(40));
        }
        api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "away"));
        api.asked.clear();
        listWatch.serverIsBack();
        pass(Duration.ofMillis(100));
        assertThat(api.asked).containsExactly("watch 8");
        pass(Duration.ofSeconds(40));
        assertThat(api.asked).hasSize(1);
    }

    @Test
    void waitsAreCutShortOnceInThirtySeconds() {
        int before = api.asked.size();
        for (int i = 0; i < 200; i++) {
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "reset"));
            listWatch.serverIsBack();
            pass(Duration.ofMillis(100));
        }
        assertThat(api.asked.size() - before).as("in twenty seconds").isLessThan(12);
    }

    @Test
    void otherKindsDoNotEndWaitsAfterOtherCauses() {
        for (Cause cause :
                List.of(Cause.UNAUTHORIZED, Cause.OVERLOADED, Cause.UNKNOWN_KIND, Cause.REFUSED, Cause.BROKEN)) {
            api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
            pass(ListWatch.MAX_WAIT_BETWEEN_LISTS);
            for (int i = 0; i < 6; i++) {
                api.list().failed(ApiFailure.of(cause, "no"));
                pass(ListWatch.MAX_WAIT);
            }
            api.list().failed(ApiFailure.of(cause, "no"));
            api.asked.clear();
            listWatch.serverIsBack();
            listWatch.permissionMayBeBack();
            pass(RetryWait.JITTER);
            assertThat(api.asked).as("after %s", cause).isEmpty();
            pass(ListWatch.MAX_WAIT);
            api.list().end("8", Optional.empty());
        }
    }

    @Test
    void deletionWithTheLastVersionOfTheObjectCounts() {
        api.watch().put(shop("a", "9"));
        api.watch().deleted(shop("a", "9"));
        assertThat(reported).containsExactly(put("a"), removed("a"));
    }

    @Test
    void refusedLaterPageStartsTheListAgain() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        api.list().end("9", Optional.of("more"));
        api.list().failed(ApiFailure.of(Cause.REFUSED, "400 continue key is not valid"));
        pass(Duration.ofSeconds(1));
        api.list().end("9", Optional.of("more"));
        api.list().failed(ApiFailure.of(Cause.OVERLOADED, "busy"));
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).containsExactly("list ", "list more", "list ", "list more", "list more");
    }

    @Test
    void waitsForALaterPageGrowUntilAPageArrives() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        api.list().end("9", Optional.of("more"));
        for (int i = 0; i < 10; i++) {
            api.asked.clear();
            api.list().failed(ApiFailure.of(Cause.OVERLOADED, "busy"));
            pass(ListWatch.MAX_WAIT);
            assertThat(api.asked).as("time " + i).containsExactly("list more");
        }
        api.asked.clear();
        api.list().failed(ApiFailure.of(Cause.OVERLOADED, "busy"));
        pass(ListWatch.MAX_WAIT.dividedBy(2).minusMillis(1));
        assertThat(api.asked).as("the wait has grown").isEmpty();
        pass(ListWatch.MAX_WAIT);
        api.list().end("9", Optional.of("last"));
        api.asked.clear();
        api.list().failed(ApiFailure.of(Cause.OVERLOADED, "busy"));
        pass(Duration.ofMillis(250));
        assertThat(api.asked).as("a page has arrived").containsExactly("list last");
    }

    @Test
    void pagesDoNotResetTheWaitsBetweenLists() {
        api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
        pass(Duration.ofSeconds(1));
        for (int i = 0; i < 10; i++) {
            api.asked.clear();
            api.list().end("9", Optional.of("more"));
            api.list().failed(ApiFailure.of(Cause.REFUSED, "400 continue key is not valid"));
            pass(ListWatch.MAX_WAIT);
            assertThat(api.asked).as("time " + i).containsExactly("list more", "list ");
        }
        api.asked.clear();
        api.list().end("9", Optional.of("more"));
        api.list().failed(ApiFailure.of(Cause.REFUSED, "400 continue key is not valid"));
        pass(ListWatch.MAX_WAIT.dividedBy(2).minusMillis(1));
        assertThat(api.asked).as("the wait has grown").containsExactly("list more");
    }

    @Test
    void silentWatchResetsTheWaitAfterA410() {
        for (int i = 0; i < 10; i++) {
            api.watch().opened();
            pass(ListWatch.WATCH_SILENCE);
            api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
            api.asked.clear();
            pass(Duration.ofMillis(250));
            assertThat(api.asked).as("time " + i).containsExactly("list ");
            api.list().end(Integer.toString(10 + i), Optional.empty());
        }
    }

    @Test
    void longWatchResetsTheBackoff() {
        for (int i = 0; i < 10; i++) {
            api.watch().opened();
            pass(Duration.ofSeconds(60));
            api.watch().failed(ApiFailure.of(Cause.GONE, "too old"));
            api.asked.clear();
            pass(Duration.ofMillis(250));
            assertThat(api.asked).as("time " + i).containsExactly("list ");
            api.list().end(Integer.toString(10 + i), Optional.empty());
        }
    }

    @Test
    void retryAfterIsNotCutShort() {
        api.watch().failed(new ApiFailure(Cause.OVERLOADED, Optional.of(Duration.ofSeconds(40)), "busy"));
        listWatch.serverIsBack();
        pass(Duration.ofSeconds(39));
        assertThat(api.asked).isEmpty();
    }

    @Test
    void changedCredentialsEndAWaitExceptRetryAfter() {
        for (Cause cause : List.of(Cause.UNREACHABLE, Cause.UNTRUSTED, Cause.UNAUTHORIZED, Cause.REFUSED)) {
            for (int i = 0; i < 6; i++) {
                api.list().failed(ApiFailure.of(cause, "no"));
                api.watch().failed(ApiFailure.of(cause, "no"));
                pass(Duration.ofSeconds(40));
            }
            api.list().failed(ApiFailure.of(cause, "no"));
            api.watch().failed(ApiFailure.of(cause, "no"));
            api.asked.clear();
            assertThat(listWatch.credentialsChanged()).isTrue();
            pass(RetryWait.JITTER);
            assertThat(api.asked).as("after %s", cause).hasSize(1);
            assertThat(listWatch.credentialsChanged())
                    .as("while a request is under way")
                    .isFalse();
        }
        api.list().failed(new ApiFailure(Cause.OVERLOADED, Optional.of(Duration.ofSeconds(40)), "busy"));
        api.watch().failed(new ApiFailure(Cause.OVERLOADED, Optional.of(Duration.ofSeconds(40)), "busy"));
        api.asked.clear();
        assertThat(listWatch.credentialsChanged()).isFalse();
        pass(Duration.ofSeconds(39));
        assertThat(api.asked).isEmpty();
        pass(Duration.ofSeconds(1));
        assertThat(api.asked).hasSize(1);
    }

    @Test
    void versionThatDecreasesIsExplained() {
        api.watch().bookmark("15538");
        api.watch().bookmark("14564");
        assertThat(failureTexts)
                .containsExactly("the API server has version 14564, older than 15538, perhaps because it was "
                        + "restored from a backup; all objects are listed again");
    }

    @Test
    void waitsGrowToSixSeconds() {
        List<Long> moments = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            int before = api.asked.size();
            long from = time.nanoTime();
            api.watch().failed(ApiFailure.of(Cause.UNREACHABLE, "reset"));
            while (api.asked.size() == before) {
                assertThat(time.step(Long.MAX_VALUE)).isTrue();
            }
            moments.add(Duration.ofNanos(time.nanoTime() - from).toMillis());
        }
        for (int i = 0; i < moments.size(); i++) {
            long whole = Math.min(250L << i, 6_000);
            assertThat(moments.get(i)).as("wait %s", i).isBetween(whole / 2, whole);
        }
    }
}
