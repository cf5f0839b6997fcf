package io.k8sdns.forward;

import static io.k8sdns.forward.CacheAnswers.data;
import static io.k8sdns.forward.CacheAnswers.denial;
import static io.k8sdns.forward.CacheAnswers.lines;
import static io.k8sdns.forward.CacheAnswers.question;
import static io.k8sdns.forward.CacheAnswers.sets;
import static io.k8sdns.forward.CacheAnswers.soa;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.upstream.Forwarder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** {@link AnswerCache} with a forwarder that the test controls, and a virtual clock. */
class AnswerCacheTest {
    private static final String WWW = "www.example.com. A";
    private static final int SEARCH_PATHS = 65433;
    private static final int COOKIE = 10;

    private final CacheTime time = new CacheTime();
    private final CacheUpstream upstream = new CacheUpstream();
    private final Events events = new Events();
    private final AnswerCache cache = builder().build();

    private AnswerCache.Builder builder() {
        return AnswerCache.builder(upstream).clock(time).observer(events);
    }

    // What is cached, and for how long

    @Test
    void anAnswerIsCachedForTheSmallestTtlOfItsRecords() {
        ask(WWW);
        upstream.answer(Answer.builder(Rcode.NOERROR)
                .answer(sets("www.example.com. 300 CNAME a.example.com.", "a.example.com. 100 A 192.0.2.1"))
                .authority(sets("example.com. 60 NS ns.example.com."))
                .additional(sets("ns.example.com. 80 A 192.0.2.53"))
                .build());

        pass(20);
        assertThat(lines(ask(WWW)))
                .containsExactly(
                        "NOERROR",
                        "www.example.com. 40 IN CNAME a.example.com.",
                        "a.example.com. 40 IN A 192.0.2.1",
                        "authority: example.com. 40 IN NS ns.example.com.",
                        "additional: ns.example.com. 40 IN A 192.0.2.53");
        assertCachedFor(40);
    }

    @Test
    void theFirstClientReceivesTheTtlOfTheEntryAsWell() {
        Pending first = ask(WWW);
        upstream.answer(data("www.example.com. 86400 A 192.0.2.1"));

        assertThat(lines(first)).containsExactly("NOERROR", "www.example.com. 3600 IN A 192.0.2.1");
        assertCachedFor(3600);
    }

    @Test
    void aTtlBelowTheMinimumIsRaised() {
        ask(WWW);
        upstream.answer(data("www.example.com. 1 A 192.0.2.1"));

        assertCachedFor(5);
    }

    @Test
    void ttlZeroIsNotCachedAndReachesTheClient() {
        Pending first = ask(WWW);
        upstream.answer(data("www.example.com. 0 A 192.0.2.1"));

        assertThat(lines(first)).containsExactly("NOERROR", "www.example.com. 0 IN A 192.0.2.1");
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void anSoaMinimumWithItsTopBitSetIsZero() {
        ask(WWW);
        upstream.answer(denial(Rcode.NXDOMAIN, 60, 0x8000_0000L));

        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void aTtlWithItsTopBitSetIsZero() {
        Name owner = Name.fromConstantString("www.example.com.");
        Record one = new ARecord(owner, DClass.IN, 0x7FFFFFFFL, new byte[] {(byte) 192, 0, 2, 1});
        assertThat(one.getTTL()).isEqualTo(0x7FFFFFFFL);
        ask(WWW);
        upstream.answer(Answer.of(CacheAnswers.withTtl(one, 0xFFFFFFFFL)));

        assertThat(ask(WWW).isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.NXDOMAIN, Rcode.NOERROR})
    void aDenialIsCachedForTheLesserOfTtlAndMinimumOfItsSoa(int rcode) {
        ask(WWW);
        upstream.answer(denial(rcode, 60, 30));
        assertThat(lines(ask(WWW)))
                .containsExactly(
                        Rcode.string(rcode),
                        "authority: example.com. 30 IN SOA ns.example.com. hostmaster.example.com. 1 2 3 4 30");
        assertCachedFor(30);

        ask(WWW);
        upstream.answer(denial(rcode, 20, 7200));
        assertCachedFor(20);

        ask(WWW);
        upstream.answer(denial(rcode, 7200, 7200));
        assertCachedFor(1800);

        ask(WWW);
        upstream.answer(denial(rcode, 60, 0));
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.NXDOMAIN, Rcode.NOERROR})
    void aDenialWithoutSoaIsNotCached(int rcode) {
        Pending first = ask(WWW);
        upstream.answer(Answer.builder(rcode)
                .authority(sets("example.com. 60 NS ns.example.com."))
                .build());

        assertThat(lines(first)).first().isEqualTo(Rcode.string(rcode));
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void anAliasWithoutRecordsOfItsTargetIsCachedOnlyWithAnSoa() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 CNAME a.example.com.", "b.example.com. 60 A 192.0.2.1"));
        Pending second = ask(WWW);
        assertThat(second.isDone()).isFalse();

        upstream.answer(Answer.builder(Rcode.NOERROR)
                .answer(sets("www.example.com. 60 CNAME a.example.com."))
                .authority(sets(soa(20, 30)))
                .build());
        assertThat(lines(second)).contains("www.example.com. 20 IN CNAME a.example.com.");
        assertCachedFor(20);
    }

    @Test
    void aLoopOfAliasesIsNotCached() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 CNAME a.example.com.", "a.example.com. 60 CNAME www.example.com."));

        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void theAnswerToACnameQuestionIsCached() {
        ask("www.example.com. CNAME");
        upstream.answer(data("www.example.com. 60 CNAME a.example.com."));

        assertThat(ask("www.example.com. CNAME").isDone()).isTrue();
    }

    @Test
    void servfailIsCachedForFiveSecondsWithItsExtendedError() {
        ask(WWW);
        upstream.answer(Answer.failure(Rcode.SERVFAIL, new ExtendedError(7, "signature expired")));

        assertThat(lines(ask(WWW))).containsExactly("SERVFAIL ede 7");
        assertCachedFor(5);
    }

    @Test
    void servfailIsNotCachedWithATtlOfZero() {
        AnswerCache without = builder().failureTtl(Duration.ZERO).build();
        ask(without, WWW);
        upstream.answer(Answer.failure(Rcode.SERVFAIL));

        assertThat(ask(without, WWW).isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(ints = {Rcode.REFUSED, Rcode.FORMERR, Rcode.NOTIMP, Rcode.YXDOMAIN, Rcode.BADVERS})
    void otherRcodesAreNotCached(int rcode) {
        Pending first = ask(WWW);
        upstream.answer(denial(rcode, 60, 60));

        assertThat(lines(first)).first().isEqualTo(Rcode.string(rcode));
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @ParameterizedTest
    @ValueSource(strings = {"AXFR", "IXFR", "TSIG", "MAILB", "OPT"})
    void metaTypesPassThrough(String type) {
        ask("example.com. " + type);
        ask("example.com. " + type);

        assertThat(upstream.count()).isEqualTo(2);
        assertThat(events).isEmpty();
    }

    @Test
    void anyIsCached() {
        ask("www.example.com. ANY");
        upstream.answer(data("www.example.com. 60 A 192.0.2.1", "www.example.com. 60 TXT \"a\""));

        assertThat(ask("www.example.com. ANY").isDone()).isTrue();
    }

    @Test
    void aaIsClearedAndRaIsUnchanged() {
        Pending first = ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1").toBuilder()
                .authoritative()
                .build());

        assertThat(first.answer().authoritative()).isFalse();
        assertThat(ask(WWW).answer().authoritative()).isFalse();
        assertThat(ask(WWW).answer().recursionAvailable()).isTrue();
    }

    @Test
    void theRemainingTtlIsRoundedDown() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        time.pass(Duration.ofNanos(1));
        assertThat(ttl(ask(WWW))).isEqualTo(59);
        time.pass(Duration.ofSeconds(60).minusNanos(2));
        assertThat(ttl(ask(WWW))).isEqualTo(0);
        time.pass(Duration.ofNanos(1));
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void recordsAreQueriedOncePerTtlForADay() {
        for (int second = 0; second < 24 * 3600; second++) {
            Pending pending = ask(WWW);
            if (!pending.isDone()) {
                assertThat(second % 300).isEqualTo(0);
                upstream.answer(data("www.example.com. 300 A 192.0.2.1"));
            }
            assertThat(ttl(pending)).isEqualTo(300 - second % 300);
            pass(1);
        }
        assertThat(upstream.count()).isEqualTo(288);
        assertThat(events.count("hit SUCCESS")).isEqualTo(24 * 3600 - 288);
        assertThat(cache.entries()).isEqualTo(1);
    }

    @Test
    void anUnusedEntryIsRemovedAfterItsTtl() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        assertThat(cache.bytes()).isGreaterThan(400);
        pass(7200);
        for (int i = 0; i < 100; i++) {
            ask("a" + i + ".example.com. A");
            upstream.answer(denial(Rcode.NXDOMAIN, 0, 0));
            ask("b" + i + ".example.com. A");
            upstream.answer(denial(Rcode.NXDOMAIN, 5, 5));
        }

        assertThat(cache.entries()).isEqualTo(100);
        assertThat(events.count("evicted SUCCESS")).isZero();
    }

    // Letter case

    @Test
    void eachClientReceivesItsOwnLetterCase() {
        Pending first = ask("WWW.example.COM. A");
        Pending second = ask("www.EXAMPLE.com. A");
        assertThat(upstream.count()).isEqualTo(1);
        upstream.answer(data("wWw.eXample.com. 60 CNAME Cdn.Example.Com.", "Cdn.Example.Com. 60 A 192.0.2.1"));

        assertThat(lines(first))
                .containsExactly(
                        "NOERROR",
                        "WWW.example.COM. 60 IN CNAME Cdn.Example.Com.",
                        "Cdn.Example.Com. 60 IN A 192.0.2.1");
        assertThat(lines(second)).contains("www.EXAMPLE.com. 60 IN CNAME Cdn.Example.Com.");
        assertThat(lines(ask("Www.Example.Com. A"))).contains("Www.Example.Com. 60 IN CNAME Cdn.Example.Com.");
    }

    @Test
    void theFirstClientOfAnAddressReceivesItsOwnLetterCase() {
        Pending first = ask("WWW.example.COM. A");
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(lines(first)).containsExactly("NOERROR", "WWW.example.COM. 60 IN A 192.0.2.1");
    }

    @Test
    void eachClientOfAnUncachedAnswerReceivesItsOwnLetterCase() {
        Pending first = ask("WWW.example.com. A");
        Pending second = ask("www.example.com. A");
        upstream.answer(data("WWW.example.com. 0 A 192.0.2.1 | 192.0.2.2"));

        assertThat(lines(first))
                .containsExactly("NOERROR", "WWW.example.com. 0 IN A 192.0.2.1", "WWW.example.com. 0 IN A 192.0.2.2");
        assertThat(lines(second))
                .containsExactly("NOERROR", "www.example.com. 0 IN A 192.0.2.1", "www.example.com. 0 IN A 192.0.2.2");
    }

    // Keys

    @Test
    void typeBitsOptionsAndScopeBelongToTheKey() {
        AnswerCache scoped =
                builder().scope(client -> client.namespace().orElse("")).build();
        List<Client> clients = List.of(
                Client.IN_PROCESS,
                Client.IN_PROCESS.toBuilder().dnssecOk(true).build(),
                Client.IN_PROCESS.toBuilder().checkingDisabled(true).build(),
                Client.IN_PROCESS.toBuilder()
                        .dnssecOk(true)
                        .checkingDisabled(true)
                        .build(),
                withOptions(option(SEARCH_PATHS, "a")),
                withOptions(option(SEARCH_PATHS, "b")),
                withOptions(option(65432, "a")),
                withOptions(option(SEARCH_PATHS, "a"), option(65432, "a")),
                Client.builder(Client.Transport.UDP).namespace("shop").build());
        for (int i = 0; i < clients.size(); i++) {
            scoped.forward(question(WWW), clients.get(i));
            assertThat(upstream.count()).isEqualTo(i + 1);
            upstream.answer(data("www.example.com. 60 A 192.0.2." + i));
        }
        for (int i = 0; i < clients.size(); i++) {
            Pending again =
                    new Pending(scoped.forward(question(WWW), clients.get(i)).toCompletableFuture());
            assertThat(lines(again)).contains("www.example.com. 60 IN A 192.0.2." + i);
        }
        assertThat(ask(scoped, "www.example.com. AAAA").isDone()).isFalse();
        assertThat(new Pending(scoped.forward(
                                        new Question(
                                                question(WWW).labels(),
                                                question(WWW).type(),
                                                DClass.CHAOS),
                                        Client.IN_PROCESS)
                                .toCompletableFuture())
                        .isDone())
                .isFalse();
    }

    @Test
    void onlyTheOptionsOfTheKeyAreForwarded() {
        EDNSOption path = option(SEARCH_PATHS, "a");
        cache.forward(question(WWW), withOptions(option(COOKIE, "12345678"), path));
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(upstream.last().client().ednsOptions()).containsExactly(path);
        assertThat(cache.forward(question(WWW), withOptions(path, option(COOKIE, "87654321")))
                        .toCompletableFuture())
                .isCompleted();
    }

    @Test
    void answersDifferByOptionsOfTheKey() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        long without = cache.bytes();
        cache.forward(question(WWW), withOptions(option(SEARCH_PATHS, "a".repeat(3000))));
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(cache.bytes() - without).isBetween(without + 3000, without + 3010);
    }

    @Test
    void optionCodesCanBeChosen() {
        AnswerCache other = builder().optionCodes(Set.of(COOKIE)).build();
        other.forward(question(WWW), withOptions(option(SEARCH_PATHS, "a")));
        other.forward(question(WWW), withOptions(option(COOKIE, "12345678")));

        assertThat(upstream.count()).isEqualTo(2);
        assertThat(upstream.queries.get(0).client().ednsOptions()).isEmpty();
    }

    @Test
    void namesWithEqualHashCodesAreOrdered() {
        CacheKey a = CacheKey.of(question("a. A"), CacheKey.Dnssec.of(Client.IN_PROCESS), ByteBuffer.allocate(0), "");
        CacheKey b = CacheKey.of(question("b. A"), CacheKey.Dnssec.of(Client.IN_PROCESS), ByteBuffer.allocate(0), "");
        CacheKey aaaa =
                CacheKey.of(question("A. AAAA"), CacheKey.Dnssec.of(Client.IN_PROCESS), ByteBuffer.allocate(0), "");

        assertThat(a).isLessThan(b).isLessThan(aaaa).isEqualByComparingTo(a);
    }

    // Questions in flight

    @Test
    void equalQuestionsInFlightAreAskedOnce() {
        List<Pending> clients = IntStream.range(0, 100).mapToObj(i -> ask(WWW)).toList();
        assertThat(upstream.count()).isEqualTo(1);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(clients).allMatch(Pending::isDone);
        assertThat(events.count("miss")).isEqualTo(100);
        assertThat(ask(WWW).isDone()).isTrue();
        assertThat(events.count("hit SUCCESS")).isEqualTo(1);
    }

    @Test
    void aClientThatCancelsAffectsNeitherTheQueryNorOthers() {
        Pending first = ask(WWW);
        Pending second = ask(WWW);
        Pending third = ask(WWW);
        first.stage().cancel(true);
        third.stage().complete(Answer.failure(Rcode.REFUSED));
        assertThat(upstream.last().stage()).isNotDone();
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(first.stage()).isCancelled();
        assertThat(ttl(second)).isEqualTo(60);
        assertThat(ttl(ask(WWW))).isEqualTo(60);
    }

    @Test
    void anUncachedAnswerReachesAllThatWait() {
        List<Pending> clients = List.of(ask(WWW), ask(WWW));
        upstream.answer(Answer.failure(Rcode.REFUSED));

        assertThat(clients).allSatisfy(one -> assertThat(lines(one)).containsExactly("REFUSED"));
    }

    @Test
    void afterTenSecondsTheNextClientStartsANewQuery() {
        Pending first = ask(WWW);
        pass(10);
        Pending second = ask(WWW);
        assertThat(upstream.count()).isEqualTo(2);
        upstream.answer(data("www.example.com. 60 A 192.0.2.2"));
        upstream.queries.get(0).stage().complete(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(lines(first)).contains("www.example.com. 60 IN A 192.0.2.1");
        assertThat(lines(second)).contains("www.example.com. 60 IN A 192.0.2.2");
        assertThat(lines(ask(WWW))).contains("www.example.com. 60 IN A 192.0.2.2");
    }

    @Test
    void aQuestionOnCompletionOfAnAnswerIsAnsweredFromTheCache() {
        List<Boolean> again = new ArrayList<>();
        CompletableFuture<Void> unused = ask(WWW).stage().thenRun(() -> again.add(ask(WWW).isDone()));
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

        assertThat(again).containsExactly(true);
    }

    @Test
    void invalidateAllRemovesAnswersAndQueriesInFlight() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        Pending late = ask("late.example.com. A");
        CacheUpstream.Query query = upstream.last();
        cache.invalidateAll();
        query.stage().complete(data("late.example.com. 60 A 192.0.2.1"));

        assertThat(late.isDone()).isTrue();
        assertThat(ask(WWW).isDone()).isFalse();
        assertThat(ask("late.example.com. A").isDone()).isFalse();
        assertThat(cache.entries()).isZero();
        assertThat(cache.bytes()).isZero();
    }

    @Test
    void invalidateRemovesOnlyMatchingNames() {
        ask(WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        Pending late = ask("late.example.com. A");
        CacheUpstream.Query query = upstream.last();
        ask("www.example.net. A");
        upstream.answer(data("www.example.net. 60 A 192.0.2.2"));
        cache.invalidate(name -> name.endsWith(DnsLabels.of("example", "com")));
        query.stage().complete(data("late.example.com. 60 A 192.0.2.1"));

        assertThat(late.isDone()).isTrue();
        assertThat(ask(WWW).isDone()).isFalse();
        assertThat(ask("late.example.com. A").isDone()).isFalse();
        assertThat(ask("www.example.net. A").isDone()).isTrue();
    }

    @Test
    void invalidateAllRemovesAnAnswerThatArrivesConcurrently() {
        for (int call = 1; call < 10; call++) {
            AtomicInteger callsLeft = new AtomicInteger(Integer.MAX_VALUE);
            Runnable[] invalidation = {() -> {}};
            AnswerCache raced = builder()
                    .clock(() -> {
                        if (callsLeft.decrementAndGet() == 0) {
                            invalidation[0].run();
                        }
                        return time.getAsLong();
                    })
                    .build();
            invalidation[0] = raced::invalidateAll;
            Pending asked = ask(raced, WWW);
            callsLeft.set(call);
            upstream.answer(data("www.example.com. 60 A 192.0.2.1"));

            assertThat(asked.isDone()).isTrue();
            if (callsLeft.get() <= 0) {
                assertThat(ask(raced, WWW).isDone()).isFalse();
            }
        }
    }

    // Failures

    @Test
    void aFailedStageFailsTheClientsAndIsNotCached() {
        IOException failure = new IOException("on purpose");
        Pending first = ask(WWW);
        upstream.fail(new CompletionException(failure));

        assertThat(first.failure()).isSameAs(failure);
        assertThat(ask(WWW).isDone()).isFalse();
    }

    @Test
    void aForwarderThatThrowsOrReturnsNullFailsTheStage() {
        AnswerCache throwing = AnswerCache.builder((question, client) -> {
                    throw new AssertionError("on purpose");
                })
                .clock(time)
                .build();
        AnswerCache returningNull =
                AnswerCache.builder((question, client) -> nothing()).clock(time).build();

        assertThat(ask(throwing, WWW).failure()).isInstanceOf(AssertionError.class);
        assertThat(ask(throwing, WWW).failure()).isInstanceOf(AssertionError.class);
        assertThat(ask(returningNull, WWW).failure()).isInstanceOf(NullPointerException.class);
        ask(WWW);
        CompletableFuture<Answer> empty = upstream.last().stage();
        Pending waiting = ask(WWW);
        empty.complete(nothing());
        assertThat(waiting.failure()).isInstanceOf(NullPointerException.class);
    }

    @SuppressWarnings({"NullAway", "TypeParameterUnusedInFormals"})
    private static <T> T nothing() {
        return null;
    }

    @Test
    void aFailingObserverDoesNotPreventAnswers() {
        CacheObserver failing = new CacheObserver() {
            @Override
            public void hit(Kind kind) {
                throw new IllegalStateException("on purpose");
            }

            @Override
            public void miss() {
                throw new AssertionError("on purpose");
            }

            @Override
            public void evicted(Kind kind) {
                throw new IllegalStateException("on purpose");
            }
        };
        AnswerCache observed = builder().observer(failing).capacityBytes(2000).build();
        for (int i = 0; i < 100; i++) {
            Pending miss = ask(observed, "a" + i + ".example.com. A");
            upstream.answer(data("a" + i + ".example.com. 60 A 192.0.2.1"));
            assertThat(miss.isDone()).isTrue();
        }
        assertThat(observed.bytes()).isLessThanOrEqualTo(2000);
    }

    // Prefetch

    @Test
    void aFrequentAnswerIsRefreshedOnceBeforeItsTtlExpires() {
        AnswerCache fetching = builder().prefetch(3).build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(50);
        ask(fetching, WWW);
        ask(fetching, WWW);
        pass(40);
        ask(fetching, WWW);
        assertThat(upstream.count()).as("10 % is not below 10 %").isEqualTo(1);
        time.pass(Duration.ofNanos(1));
        assertThat(ttl(ask(fetching, WWW))).isEqualTo(9);
        assertThat(ttl(ask(fetching, WWW))).isEqualTo(9);
        assertThat(upstream.count()).isEqualTo(2);
        assertThat(events.count("prefetched")).isEqualTo(1);
        upstream.answer(data("www.example.com. 100 A 192.0.2.2"));

        assertThat(lines(ask(fetching, WWW))).contains("www.example.com. 100 IN A 192.0.2.2");
    }

    @Test
    void theCountOfHitsContinuesAfterARefresh() {
        AnswerCache fetching = builder().prefetch(3, Duration.ofMinutes(2), 10).build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        for (int i = 0; i < 3; i++) {
            pass(31);
            ask(fetching, WWW);
        }
        assertThat(upstream.count()).isEqualTo(2);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(95);
        ask(fetching, WWW);

        assertThat(upstream.count()).isEqualTo(3);
    }

    @Test
    void anAnswerWithALongGapBetweenHitsIsNotRefreshed() {
        AnswerCache fetching = builder().prefetch(2).build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(30);
        ask(fetching, WWW);
        pass(61);
        ask(fetching, WWW);
        assertThat(upstream.count()).isEqualTo(1);
        ask(fetching, WWW);

        assertThat(upstream.count()).isEqualTo(2);
    }

    @Test
    void aFailedPrefetchKeepsTheAnswerAndIsNotRepeated() {
        AnswerCache fetching = builder().prefetch(1).build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(95);
        ask(fetching, WWW);
        upstream.answer(Answer.failure(Rcode.SERVFAIL));

        assertThat(ttl(ask(fetching, WWW))).isEqualTo(5);
        assertThat(upstream.count()).isEqualTo(2);
    }

    @Test
    void aPrefetchRunsOnTheExecutor() {
        Queue<Runnable> tasks = new ArrayDeque<>();
        AnswerCache fetching = builder().prefetch(1).executor(tasks::add).build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(95);
        tasks.clear();
        ask(fetching, WWW);
        assertThat(upstream.count()).isEqualTo(1);
        tasks.forEach(Runnable::run);

        assertThat(upstream.count()).isEqualTo(2);
    }

    @Test
    void theCallingThreadRunsTasksIfTheExecutorIsShutDown() {
        AnswerCache fetching = builder()
                .prefetch(1)
                .executor(task -> {
                    throw new RejectedExecutionException("shut down");
                })
                .build();
        ask(fetching, WWW);
        upstream.answer(data("www.example.com. 100 A 192.0.2.1"));
        pass(95);

        assertThat(ttl(ask(fetching, WWW))).isEqualTo(5);
        assertThat(upstream.count()).isEqualTo(2);
    }

    // Hostile answers

    @Test
    void hostileAnswersReachTheClient() {
        List<Record> thousands = new ArrayList<>();
        List<RecordSet> aliases = new ArrayList<>();
        Name www = Name.fromConstantString("www.example.com.");
        for (int i = 0; i < 10_000; i++) {
            thousands.add(new TXTRecord(www, DClass.IN, 60, "text " + i));
            aliases.add(CacheAnswers.set("a" + (i + 1) + ".example.com. 60 CNAME a" + i + ".example.com."));
        }
        List<Answer> hostile = List.of(
                data(),
                denial(Rcode.NXDOMAIN, 0x7FFFFFFF, 0x7FFFFFFF),
                Answer.builder(Rcode.NOERROR)
                        .answer(List.of(RecordSet.of(thousands)))
                        .build(),
                Answer.builder(Rcode.NOERROR).answer(aliases).build(),
                data("evil.test. 60 A 192.0.2.66", "other.test. 60 SOA . . 1 2 3 4 5", ". 60 TXT \"x\""),
                data("www.example.com. 60 A 192.0.2.1", "www.example.com. 50 A 192.0.2.2"),
                Answer.builder(Rcode.NOERROR)
                        .answer(List.of(RecordSet.of(Record.newRecord(www, Type.A, DClass.IN, 60))))
                        .build(),
                Answer.builder(Rcode.NOERROR)
                        .answer(List.of(
                                RecordSet.of(Record.newRecord(www, Type.A, DClass.CHAOS, 60, new byte[] {1, 0, 0, 1}))))
                        .build(),
                Answer.builder(Rcode.NXDOMAIN)
                        .answer(sets("www.example.com. 60 A 192.0.2.1"))
                        .authority(sets("www.example.com. 60 CNAME www.example.com.", soa(60, 60)))
                        .additional(sets("www.example.com. 60 TYPE65280 \\# 3 010203"))
                        .build());
        for (Answer answer : hostile) {
            cache.invalidateAll();
            Pending first = ask("www.example.com. TXT");
            upstream.answer(answer);

            assertThat(first.answer().rcode()).isEqualTo(answer.rcode());
            assertThat(first.answer().records()).hasSameSizeAs(answer.records());
            Pending second = ask("www.example.com. TXT");
            if (second.isDone()) {
                assertThat(second.answer().records()).hasSameSizeAs(answer.records());
            }
        }
    }

    // Settings

    @Test
    void settingsOutOfRangeAreRejected() {
        AnswerCache.Builder builder = builder();
        Duration second = Duration.ofSeconds(1);

        assertThatThrownBy(() -> builder.capacityBytes(0)).hasMessage("capacity must be more than zero bytes: 0");
        assertThatThrownBy(() -> builder.positiveTtl(second, Duration.ZERO))
                .hasMessage("minimum TTL PT1S is above maximum TTL PT0S");
        assertThatThrownBy(() -> builder.negativeTtl(Duration.ofMillis(1), second))
                .hasMessage("minimum TTL must be whole seconds, 0 to 2147483647: PT0.001S");
        assertThatThrownBy(() -> builder.positiveTtl(second, Duration.ofSeconds(1L << 31)))
                .hasMessageContaining("maximum TTL must be");
        assertThatThrownBy(() -> builder.positiveTtl(second.negated(), second)).hasMessageContaining("minimum TTL");
        assertThatThrownBy(() -> builder.failureTtl(Duration.ofSeconds(301)))
                .hasMessage("TTL of failures must be at most 5 minutes: PT5M1S");
        assertThatThrownBy(() -> builder.prefetch(0)).hasMessage("hits must be at least 1: 0");
        assertThatThrownBy(() -> builder.prefetch(1, Duration.ZERO, 10)).hasMessageContaining("gap must be");
        assertThatThrownBy(() -> builder.prefetch(1, second, 91)).hasMessage("percent must be 1 to 90: 91");
        CacheStalePolicy policy = CacheStalePolicy.onFailure();
        assertThatThrownBy(() -> policy.maxAge(Duration.ZERO)).hasMessageContaining("maximum age must be");
        assertThatThrownBy(() -> policy.ttl(Duration.ofMillis(1500))).hasMessageContaining("whole seconds");
        assertThatThrownBy(() -> policy.recheck(Duration.ofDays(8))).hasMessageContaining("recheck time must be");
        assertThatThrownBy(() -> policy.afterWaiting(Duration.ZERO, time)).hasMessageContaining("wait limit must be");
    }

    @Test
    void aMaximumTtlOfZeroDisablesCaching() {
        AnswerCache none = builder()
                .positiveTtl(Duration.ZERO, Duration.ZERO)
                .negativeTtl(Duration.ZERO, Duration.ofSeconds(1))
                .build();
        ask(none, WWW);
        upstream.answer(data("www.example.com. 60 A 192.0.2.1"));
        assertThat(ask(none, WWW).isDone()).isFalse();
        upstream.answer(denial(Rcode.NXDOMAIN, 60, 60));
        assertThat(ask(none, WWW).isDone()).isTrue();
    }

    private Pending ask(String question) {
        return ask(cache, question);
    }

    private static Pending ask(Forwarder forwarder, String question) {
        return new Pending(
                forwarder.forward(question(question), Client.IN_PROCESS).toCompletableFuture());
    }

    private void pass(int seconds) {
        time.pass(Duration.ofSeconds(seconds));
    }

    /** Advances the time until the answer is no longer in the cache. */
    private void assertCachedFor(int seconds) {
        time.pass(Duration.ofSeconds(seconds).minusNanos(1));
        assertThat(ask(WWW).isDone()).isTrue();
        time.pass(Duration.ofNanos(1));
        Pending expired = ask(WWW);
        assertThat(expired.isDone()).isFalse();
        upstream.answer(Answer.failure(Rcode.REFUSED));
    }

    private static Client withOptions(EDNSOption... options) {
        return Client.IN_PROCESS.toBuilder().ednsOptions(List.of(options)).build();
    }

    private static EDNSOption option(int code, String text) {
        return new GenericEDNSOption(code, text.getBytes(StandardCharsets.US_ASCII));
    }

    private static List<String> lines(Pending pending) {
        return CacheAnswers.lines(pending.answer());
    }

    private static long ttl(Pending pending) {
        return pending.answer().records().get(0).getTTL();
    }

    /** A client that waits. */
    record Pending(CompletableFuture<Answer> stage) {
        boolean isDone() {
            return stage.isDone();
        }

        Answer answer() {
            assertThat(stage).isDone();
            return stage.join();
        }

        /** Returns why the stage failed. */
        Throwable failure() {
            assertThat(stage).isCompletedExceptionally();
            return stage.handle(
                            (answer, failure) -> failure instanceof CompletionException ? failure.getCause() : failure)
                    .join();
        }
    }

    /** Records what the cache reports. */
    static final class Events extends ArrayList<String> implements CacheObserver {
        private static final long serialVersionUID = 1;

        long count(String event) {
            return stream().filter(event::equals).count();
        }

        @Override
        public void hit(Kind kind) {
            add("hit " + kind);
        }

        @Override
        public void servedStale() {
            add("servedStale");
        }

        @Override
        public void miss() {
            add("miss");
        }

        @Override
        public void prefetched() {
            add("prefetched");
        }

        @Override
        public void evicted(Kind kind) {
            add("evicted " + kind);
        }
    }
}
