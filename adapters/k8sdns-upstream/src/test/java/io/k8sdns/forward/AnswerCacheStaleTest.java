package io.k8sdns.forward;

import static io.k8sdns.forward.CacheAnswers.data;
import static io.k8sdns.forward.CacheAnswers.denial;
import static io.k8sdns.forward.CacheAnswers.lines;
import static io.k8sdns.forward.CacheAnswers.question;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.forward.AnswerCacheTest.Events;
import io.k8sdns.forward.AnswerCacheTest.Pending;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** Stale answers (RFC 8767). */
class AnswerCacheStaleTest {
    private static final String WWW = "www.example.com. A";
    private static final Duration LIMIT = Duration.ofMillis(1800);
    private static final String STALE = "www.example.com. 30 IN A 192.0.2.1";

    private final CacheTime time = new CacheTime();
    private final CacheUpstream upstream = new CacheUpstream();
    private final Events events = new Events();

    @Test
    void withoutAPolicyAFailureReachesTheClient() {
        AnswerCache cache = AnswerCache.builder(upstream).clock(time).build();
        prime(cache);
        Pending asked = ask(cache);
        upstream.fail(new IOException("on purpose"));

        assertThat(asked.failure()).isInstanceOf(IOException.class);
    }

    @Test
    void aStaleAnswerReplacesAFailureAndServfail() {
        for (boolean servfail : new boolean[] {false, true}) {
            AnswerCache cache = cache(CacheStalePolicy.onFailure());
            prime(cache);
            Pending first = ask(cache);
            Pending second = ask(cache, "WWW.example.com. A");
            assertThat(first.isDone()).isFalse();
            if (servfail) {
                upstream.answer(Answer.failure(Rcode.SERVFAIL, new ExtendedError(22, "no server")));
            } else {
                upstream.fail(new IOException("on purpose"));
            }

            assertThat(lines(first.answer())).containsExactly("NOERROR ede 3", STALE);
            assertThat(lines(second.answer())).containsExactly("NOERROR ede 3", "WWW.example.com. 30 IN A 192.0.2.1");
        }
    }

    @Test
    void otherRcodesReplaceAStaleAnswer() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure());
        prime(cache);
        Pending first = ask(cache);
        upstream.answer(Answer.failure(Rcode.REFUSED));
        Pending second = ask(cache);
        upstream.answer(denial(Rcode.NXDOMAIN, 60, 60));

        assertThat(lines(first.answer())).containsExactly("REFUSED");
        assertThat(lines(second.answer())).first().isEqualTo("NXDOMAIN");
        assertThat(lines(ask(cache).answer())).first().isEqualTo("NXDOMAIN");
    }

    @Test
    void aNewAnswerThatIsNotCachedRemovesTheStaleOne() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure());
        prime(cache);
        ask(cache);
        upstream.answer(data("www.example.com. 0 A 192.0.2.2"));
        Pending again = ask(cache);
        upstream.fail(new IOException("on purpose"));

        assertThat(again.stage()).isCompletedExceptionally();
    }

    @Test
    void aStaleNxdomainHasItsOwnExtendedErrorCode() {
        AnswerCache cache = cache(CacheStalePolicy.immediate());
        for (int rcode : new int[] {Rcode.NXDOMAIN, Rcode.NOERROR}) {
            cache.invalidateAll();
            ask(cache);
            upstream.answer(denial(rcode, 60, 60));
            pass(60);

            assertThat(lines(ask(cache).answer()))
                    .first()
                    .isEqualTo(rcode == Rcode.NXDOMAIN ? "NXDOMAIN ede 19" : "NOERROR ede 3");
        }
    }

    /** Expired entries are removed at the next write, about a minute late at most. */
    @Test
    void anAnswerLeavesTheMemoryWhenItIsTooOldToBeServed() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure());
        prime(cache);
        pass(3600 + 120);
        ask(cache, "other.example.com. A");
        upstream.answer(data("other.example.com. 60 A 192.0.2.2"));

        assertThat(cache.entries()).isEqualTo(1);
    }

    @Test
    void servfailIsNeverStale() {
        AnswerCache cache = cache(CacheStalePolicy.immediate());
        ask(cache);
        upstream.answer(Answer.failure(Rcode.SERVFAIL));
        pass(5);

        assertThat(ask(cache).isDone()).isFalse();
    }

    @Test
    void afterAFailureTheUpstreamIsAskedAgainAfterThirtySeconds() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure());
        prime(cache);
        ask(cache);
        upstream.fail(new IOException("on purpose"));
        int before = upstream.count();
        time.pass(Duration.ofSeconds(30).minusNanos(1));
        assertThat(lines(ask(cache).answer())).contains(STALE);
        assertThat(upstream.count()).isEqualTo(before);
        time.pass(Duration.ofNanos(1));
        Pending asked = ask(cache);
        assertThat(asked.isDone()).isFalse();
        upstream.answer(data("www.example.com. 60 A 192.0.2.2"));

        assertThat(lines(asked.answer())).containsExactly("NOERROR", "www.example.com. 60 IN A 192.0.2.2");
        assertThat(events).containsExactly("miss", "miss", "servedStale", "servedStale", "miss");
    }

    @Test
    void aStaleAnswerIsServedForAnHour() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure());
        prime(cache);
        time.pass(Duration.ofHours(1).minusNanos(1));
        Pending last = ask(cache);
        upstream.fail(new IOException("on purpose"));
        assertThat(lines(last.answer())).containsExactly("NOERROR ede 3", "www.example.com. 0 IN A 192.0.2.1");
        time.pass(Duration.ofNanos(1));
        Pending tooLate = ask(cache);
        upstream.fail(new IOException("on purpose"));

        assertThat(tooLate.stage()).isCompletedExceptionally();
    }

    @Test
    void ageTtlAndRecheckCanBeSet() {
        AnswerCache cache = cache(CacheStalePolicy.immediate()
                .maxAge(Duration.ofSeconds(100))
                .ttl(Duration.ofSeconds(7))
                .recheck(Duration.ofSeconds(3)));
        prime(cache);
        assertThat(ttl(ask(cache))).isEqualTo(7);
        upstream.fail(new IOException("on purpose"));
        pass(2);
        ask(cache);
        assertThat(upstream.count()).isEqualTo(2);
        pass(1);
        ask(cache);
        assertThat(upstream.count()).isEqualTo(3);
        pass(93);
        assertThat(ttl(ask(cache))).isEqualTo(4);
        pass(4);
        assertThat(ask(cache).isDone()).isFalse();
    }

    @Test
    void anImmediatePolicyQueriesInTheBackground() {
        AnswerCache cache = cache(CacheStalePolicy.immediate());
        prime(cache);
        assertThat(lines(ask(cache).answer())).contains(STALE);
        assertThat(lines(ask(cache).answer())).contains(STALE);
        assertThat(upstream.count()).isEqualTo(2);
        upstream.answer(data("www.example.com. 60 A 192.0.2.2"));

        assertThat(lines(ask(cache).answer())).contains("www.example.com. 60 IN A 192.0.2.2");
        assertThat(events).containsExactly("miss", "servedStale", "servedStale", "hit SUCCESS");
    }

    @Test
    void aClientReceivesAStaleAnswerAtTheLimitAndTheQueryContinues() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure().afterWaiting(LIMIT, time));
        prime(cache);
        Pending first = ask(cache);
        time.pass(LIMIT.minusNanos(1));
        assertThat(first.isDone()).isFalse();
        time.pass(Duration.ofNanos(1));
        assertThat(lines(first.answer())).containsExactly("NOERROR ede 3", STALE);
        assertThat(lines(ask(cache).answer()))
                .as("a later client waits no longer")
                .contains(STALE);
        assertThat(upstream.count()).isEqualTo(2);
        upstream.answer(data("www.example.com. 60 A 192.0.2.2"));

        assertThat(lines(ask(cache).answer())).contains("www.example.com. 60 IN A 192.0.2.2");
        assertThat(time.waiting()).isZero();
    }

    @Test
    void anAnswerWithinTheLimitIsServedAndTheTimerIsCancelled() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure().afterWaiting(LIMIT, time));
        prime(cache);
        Pending asked = ask(cache);
        Pending gone = ask(cache);
        assertThat(time.waiting()).isEqualTo(2);
        gone.stage().cancel(true);
        assertThat(time.waiting()).isEqualTo(1);
        upstream.answer(data("www.example.com. 60 A 192.0.2.2"));

        assertThat(time.waiting()).isZero();
        assertThat(lines(asked.answer())).contains("www.example.com. 60 IN A 192.0.2.2");
        assertThat(gone.stage()).isCancelled();
        assertThat(events).doesNotContain("servedStale");
    }

    @Test
    void anAnswerThatExpiresBeforeTheLimitIsNotServed() {
        for (Duration left : List.of(Duration.ofSeconds(1), LIMIT)) {
            AnswerCache cache = cache(CacheStalePolicy.onFailure().afterWaiting(LIMIT, time));
            prime(cache);
            time.pass(Duration.ofHours(1).minus(left));
            Pending asked = ask(cache);
            pass(5);

            assertThat(asked.isDone()).as("%s left", left).isFalse();
        }
    }

    @Test
    void clientsWaitForTheUpstreamIfTheSchedulerIsShutDown() {
        AnswerCache cache = cache(CacheStalePolicy.onFailure().afterWaiting(LIMIT, time));
        prime(cache);
        time.shutdown();
        Pending asked = ask(cache);
        assertThat(asked.isDone()).isFalse();
        upstream.fail(new IOException("on purpose"));

        assertThat(lines(asked.answer())).contains(STALE);
    }

    private AnswerCache cache(CacheStalePolicy policy) {
        return AnswerCache.builder(upstream)
                .clock(time)
                .observer(events)
                .serveStale(policy)
                .build();
    }

    /** Caches an answer, and lets its TTL pass. */
    private void prime(AnswerCache cache) {
        ask(cache);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        pass(60);
    }

    private static Pending ask(AnswerCache cache) {
        return ask(cache, WWW);
    }

    private static Pending ask(AnswerCache cache, String question) {
        return new Pending(cache.forward(question(question), Client.IN_PROCESS).toCompletableFuture());
    }

    private void pass(int seconds) {
        time.pass(Duration.ofSeconds(seconds));
    }

    private static long ttl(Pending pending) {
        List<org.xbill.DNS.Record> records = pending.answer().records();
        return records.get(0).getTTL();
    }
}
