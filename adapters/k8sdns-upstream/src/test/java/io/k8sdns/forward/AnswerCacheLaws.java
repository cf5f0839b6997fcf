package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.forward.AnswerCacheTest.Pending;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import org.xbill.DNS.DClass;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TXTRecord;
import org.xbill.DNS.Type;

/** Properties of the cache for random answers and random sequences of events. */
class AnswerCacheLaws {
    private static final List<String> OWNERS =
            List.of("www.example.com.", "WWW.Example.COM.", "a.example.com.", "example.com.", ".", "evil.test.");
    private static final List<String> DATA = List.of(
            "A 192.0.2.1",
            "A 192.0.2.1 | 192.0.2.2",
            "AAAA 2001:db8::1",
            "CNAME A.example.com.",
            "CNAME www.example.com.",
            "TXT \"a\" \"b\"",
            "MX 10 Mail.example.com.",
            "SRV 0 0 443 A.example.com.",
            "SOA ns.example.com. Host.example.com. 1 2 3 4 60",
            "SOA ns.example.com. Host.example.com. 1 2 3 4 0",
            "RRSIG A 8 3 60 20300101000000 20200101000000 1 example.com. AAAA",
            "TYPE65280 \\# 3 010203");
    private static final List<Integer> TTLS = List.of(0, 1, 5, 60, 3600, 86_400, Integer.MAX_VALUE);

    /** A client receives an answer unchanged, from the cache or not, and its TTLs never exceed those received. */
    @Property(tries = 1000)
    void aCachedAnswerEqualsTheUpstreamsButForTtlsAndLetterCase(
            @ForAll("answers") Answer received, @ForAll @IntRange(max = 4000) int later) {
        CacheTime time = new CacheTime();
        CacheUpstream upstream = new CacheUpstream();
        AnswerCache cache = AnswerCache.builder(upstream).clock(time).build();
        Pending first = ask(cache, "WWW.example.com. A", Client.IN_PROCESS);
        upstream.answer(received);

        assertThat(shape(first.answer())).isEqualTo(shape(received));
        assertSpelling(first.answer(), "WWW.example.com.");
        time.pass(Duration.ofSeconds(later));
        Pending second = ask(cache, "www.EXAMPLE.com. A", Client.IN_PROCESS);
        if (second.isDone()) {
            assertThat(shape(second.answer())).isEqualTo(shape(received));
            assertSpelling(second.answer(), "www.EXAMPLE.com.");
            long least = sets(received).mapToLong(RecordSet::ttlSeconds).min().orElse(5);
            assertThat(sets(second.answer()))
                    .allMatch(set -> set.ttlSeconds() <= Math.max(5, least) - later && set.ttlSeconds() >= 0);
        }
    }

    @Provide
    Arbitrary<Answer> answers() {
        Arbitrary<RecordSet> set = Combinators.combine(
                        Arbitraries.of(OWNERS), Arbitraries.of(TTLS), Arbitraries.of(DATA))
                .as((owner, ttl, data) -> CacheAnswers.set(owner + " " + ttl + " " + data));
        Arbitrary<List<RecordSet>> section = set.list().ofMaxSize(4);
        Arbitrary<Integer> rcode = Arbitraries.frequency(
                Tuple.of(6, Rcode.NOERROR),
                Tuple.of(3, Rcode.NXDOMAIN),
                Tuple.of(1, Rcode.SERVFAIL),
                Tuple.of(1, Rcode.REFUSED));
        return Combinators.combine(rcode, section, section, section, Arbitraries.of(true, false))
                .as((code, answer, authority, additional, isExplained) -> {
                    Answer.Builder builder = Answer.builder(code)
                            .answer(answer)
                            .authority(authority)
                            .additional(additional);
                    return isExplained
                            ? builder.extendedError(new ExtendedError(15, "blocked"))
                                    .build()
                            : builder.build();
                });
    }

    /**
     * In every sequence of questions, answers, failures, delays and invalidations: an answer belongs to the question's key, is served
     * only within its TTL (and the maximum age if stale answers are allowed), has at most its remaining TTL, is the latest answer for
     * that key, and at most one query for a key is in flight.
     */
    @Property(tries = 1500)
    void everyAnswerMatchesItsKeyAndTtl(
            @ForAll long seed, @ForAll @IntRange(min = 10, max = 150) int steps, @ForAll Stale stale) {
        new History(seed, stale).run(steps);
    }

    /** Whether stale answers are allowed. */
    enum Stale {
        NEVER,
        ON_FAILURE,
        AFTER_WAITING,
        IMMEDIATE
    }

    /** A random sequence of events of a cache, and its checks. Each answer of the upstream server has a number. */
    private static final class History {
        private static final long MAX_AGE = Duration.ofSeconds(100).toNanos();

        private final Random random;
        private final Stale stale;
        private final CacheTime time = new CacheTime();
        private final CacheUpstream upstream = new CacheUpstream();
        private final AnswerCache cache;
        private final Set<CacheUpstream.Query> open = new HashSet<>();
        private final List<Given> given = new ArrayList<>();
        private final Map<String, Integer> latest = new HashMap<>();
        private final List<Runnable> checks = new ArrayList<>();
        private final Map<CacheUpstream.Query, Long> startedAt = new HashMap<>();
        private int epoch;

        /** An answer of the upstream server, its key, and when its TTL expires. */
        private record Given(String key, Answer answer, long expires, int epoch) {}

        History(long seed, Stale stale) {
            this.random = new Random(seed);
            this.stale = stale;
            AnswerCache.Builder builder = AnswerCache.builder(upstream)
                    .clock(time)
                    .prefetch(2)
                    .scope(client -> client.namespace().orElse(""));
            CacheStalePolicy onFailure = CacheStalePolicy.onFailure().maxAge(Duration.ofNanos(MAX_AGE));
            switch (stale) {
                case NEVER -> {}
                case ON_FAILURE -> builder.serveStale(onFailure);
                case AFTER_WAITING -> builder.serveStale(onFailure.afterWaiting(Duration.ofMillis(1800), time));
                case IMMEDIATE ->
                    builder.serveStale(CacheStalePolicy.immediate().maxAge(Duration.ofNanos(MAX_AGE)));
            }
            this.cache = builder.build();
        }

        void run(int steps) {
            for (int i = 0; i < steps; i++) {
                int dice = random.nextInt(20);
                if (dice < 9) {
                    ask();
                } else if (dice < 14) {
                    complete();
                } else if (dice < 19) {
                    time.pass(Duration.ofMillis(random.nextInt(random.nextInt(4) == 0 ? 90_000 : 3000)));
                } else {
                    cache.invalidateAll();
                    epoch++;
                    latest.clear();
                    open.clear();
                }
            }
            upstream.queries.forEach(query -> query.stage().complete(Answer.failure(Rcode.REFUSED)));
            checks.forEach(Runnable::run);
        }

        private void ask() {
            String name = random.nextInt(2) + ".Example.com.";
            String spelled = random.nextBoolean() ? name : name.toUpperCase(Locale.ROOT);
            String text = spelled + (random.nextBoolean() ? " TXT" : " SPF");
            Client.Builder client = Client.builder(Client.Transport.UDP);
            if (random.nextInt(3) == 0) {
                client.ednsOptions(List.of(new GenericEDNSOption(65433, new byte[] {(byte) random.nextInt(2)})));
            }
            if (random.nextInt(3) == 0) {
                client.namespace("shop");
            }
            Client from = client.dnssecOk(random.nextInt(4) == 0)
                    .checkingDisabled(random.nextInt(4) == 0)
                    .build();
            String key = key(text, from);
            int before = upstream.count();
            int askedIn = epoch;
            Pending pending = AnswerCacheLaws.ask(cache, text, from);
            for (int i = before; i < upstream.count(); i++) {
                CacheUpstream.Query query = upstream.queries.get(i);
                assertThat(key(query)).isEqualTo(key);
                // After ten seconds clients no longer wait for a query.
                open.removeIf(one -> key(one).equals(key) && time.getAsLong() - started(one) >= 10_000_000_000L);
                assertThat(open).as("in flight").noneMatch(one -> key(one).equals(key));
                open.add(query);
                startedAt.put(query, time.getAsLong());
            }
            boolean wasImmediate = pending.isDone();
            CompletableFuture<Answer> unused = pending.stage().whenComplete((answer, failure) -> {
                long now = time.getAsLong();
                if (answer != null && !answer.records().isEmpty()) {
                    check(key, spelled, answer, now, wasImmediate ? askedIn : -1);
                } else if (wasImmediate) {
                    checks.add(() -> assertThat(answer)
                            .as("from the cache, but without records")
                            .matches(one -> false));
                }
            });
            checks.add(() -> assertThat(pending.stage()).isDone());
        }

        private long started(CacheUpstream.Query query) {
            return Objects.requireNonNull(startedAt.get(query));
        }

        /** Checks that an answer is right. Failures are thrown at the end of the sequence, because the cache would catch them here. */
        private void check(String key, String spelled, Answer answer, long now, int fromCacheIn) {
            int number = number(answer);
            Given source = given.get(number);
            long ttl = answer.answer().get(0).ttlSeconds();
            boolean isStale = answer.extendedError().isPresent();
            Integer newest = latest.get(key);
            checks.add(() -> {
                assertThat(source.key()).isEqualTo(key);
                assertSpelling(answer, spelled);
                long left = source.expires() - now;
                if (isStale) {
                    assertThat(stale).isNotEqualTo(Stale.NEVER);
                    assertThat(left).isLessThanOrEqualTo(0).isGreaterThan(-MAX_AGE);
                    assertThat(ttl).isLessThanOrEqualTo(30).isLessThanOrEqualTo((left + MAX_AGE) / 1_000_000_000);
                } else {
                    assertThat(left).as("left of the TTL").isPositive();
                    assertThat(ttl).isLessThanOrEqualTo(left / 1_000_000_000);
                }
                if (fromCacheIn >= 0) {
                    assertThat(source.epoch()).as("invalidated").isEqualTo(fromCacheIn);
                    assertThat(newest).as("the latest answer").isEqualTo(number);
                }
            });
        }

        private static int number(Answer answer) {
            return Integer.parseInt(answer.records().get(0).rdataToString().replace("\"", ""));
        }

        private void complete() {
            List<CacheUpstream.Query> waiting = upstream.queries.stream()
                    .filter(query -> !query.stage().isDone())
                    .toList();
            if (waiting.isEmpty()) {
                return;
            }
            CacheUpstream.Query query = waiting.get(random.nextInt(waiting.size()));
            boolean isCurrent = open.remove(query);
            int dice = random.nextInt(8);
            if (dice == 0) {
                query.stage().completeExceptionally(new IOException("on purpose"));
            } else if (dice == 1) {
                query.stage().complete(Answer.failure(Rcode.REFUSED));
            } else {
                int ttl = 6 + random.nextInt(60);
                Answer answer = CacheAnswers.data(query.question().name() + " " + ttl + " "
                        + query.question().type() + " \"" + given.size() + "\"");
                given.add(new Given(
                        key(query),
                        answer,
                        time.getAsLong() + Duration.ofSeconds(ttl).toNanos(),
                        epoch));
                if (isCurrent) {
                    latest.put(key(query), given.size() - 1);
                }
                query.stage().complete(answer);
            }
        }

        private static String key(CacheUpstream.Query query) {
            return key(query.question().toString(), query.client());
        }

        private static String key(String question, Client client) {
            return question.toLowerCase(Locale.ROOT)
                    + client.ednsOptions()
                    + client.namespace()
                    + client.dnssecOk()
                    + client.checkingDisabled();
        }
    }

    /** The estimated bytes stay within the capacity, and grow with the cached answers. */
    @Property(tries = 20)
    void theBytesStayWithinTheCapacity(@ForAll long seed, @ForAll @IntRange(min = 1_000, max = 200_000) int capacity) {
        Random random = new Random(seed);
        CacheTime time = new CacheTime();
        CacheUpstream upstream = new CacheUpstream();
        AnswerCache cache = AnswerCache.builder(upstream)
                .clock(time)
                .capacityBytes(capacity)
                .build();
        for (int i = 0; i < 1500; i++) {
            String name = Integer.toString(random.nextInt(1 << 20), 36) + ".example.com.";
            byte[] option = new byte[random.nextInt(3) == 0 ? random.nextInt(3000) : 0];
            upstream.queries.clear();
            Pending pending = ask(
                    cache,
                    name + " TXT",
                    option.length == 0
                            ? Client.IN_PROCESS
                            : Client.IN_PROCESS.toBuilder()
                                    .ednsOptions(List.of(new GenericEDNSOption(65433, option)))
                                    .build());
            if (!pending.isDone()) {
                upstream.answer(
                        random.nextBoolean()
                                ? CacheAnswers.denial(Rcode.NXDOMAIN, 60, 60)
                                : large(name, random.nextInt(60)));
            }
            assertThat(cache.bytes()).isLessThanOrEqualTo(capacity).isGreaterThanOrEqualTo(400 * cache.entries());
        }
    }

    private static Answer large(String name, int records) {
        List<Record> all = new ArrayList<>();
        for (int i = 0; i <= records; i++) {
            all.add(new TXTRecord(Name.fromConstantString(name), DClass.IN, 60, "text number " + i));
        }
        return Answer.builder(Rcode.NOERROR).answer(List.of(RecordSet.of(all))).build();
    }

    /** A flood of names that are used once evicts few of the frequently used ones. */
    @Property(tries = 2)
    void frequentNamesOutliveAFloodOfRandomOnes(@ForAll long seed) {
        Random random = new Random(seed);
        CacheUpstream upstream = new CacheUpstream();
        AnswerCache cache = AnswerCache.builder(upstream)
                .clock(new CacheTime())
                .capacityBytes(100_000)
                .build();
        int hits = 0;
        for (int i = 0; i < 20_000; i++) {
            boolean isFrequent = i % 4 == 0;
            String name = (isFrequent ? "f" + i / 4 % 50 : "r" + random.nextLong()) + ".example.com.";
            Pending pending = ask(cache, name + " TXT", Client.IN_PROCESS);
            if (!pending.isDone()) {
                upstream.answer(isFrequent ? large(name, 0) : CacheAnswers.denial(Rcode.NXDOMAIN, 60, 60));
            } else if (isFrequent) {
                hits++;
            }
        }
        assertThat(hits).isGreaterThan(2500);
    }

    /** The cached answers do not depend on the order in which queries are answered. */
    @Property(tries = 200)
    void theOrderOfCompletionIsIrrelevant(@ForAll long seed, @ForAll @IntRange(min = 2, max = 30) int count) {
        Map<String, String> inOrder = cachedAfter(count, new Random(seed), false);

        assertThat(cachedAfter(count, new Random(seed), true))
                .isEqualTo(inOrder)
                .hasSize(count);
    }

    private static Map<String, String> cachedAfter(int count, Random random, boolean isShuffled) {
        CacheUpstream upstream = new CacheUpstream();
        AnswerCache cache = AnswerCache.builder(upstream).clock(new CacheTime()).build();
        List<Pending> pending = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pending.add(ask(cache, i + ".example.com. TXT", Client.IN_PROCESS));
            pending.add(ask(cache, i + ".EXAMPLE.com. TXT", Client.IN_PROCESS));
        }
        List<CacheUpstream.Query> queries = new ArrayList<>(upstream.queries);
        if (isShuffled) {
            Collections.shuffle(queries, random);
        }
        for (CacheUpstream.Query query : queries) {
            query.stage()
                    .complete(CacheAnswers.data(query.question().name() + " 60 TXT \""
                            + query.question().name() + "\""));
        }
        assertThat(pending).allMatch(Pending::isDone);
        Map<String, String> cached = new TreeMap<>();
        for (int i = 0; i < count; i++) {
            cached.put(
                    Integer.toString(i),
                    shape(ask(cache, i + ".example.com. TXT", Client.IN_PROCESS).answer()));
        }
        return cached;
    }

    private static Pending ask(AnswerCache cache, String question, Client client) {
        return new Pending(
                cache.forward(CacheAnswers.question(question), client).toCompletableFuture());
    }

    private static Stream<RecordSet> sets(Answer answer) {
        return Stream.of(answer.answer(), answer.authority(), answer.additional())
                .flatMap(List::stream);
    }

    /** Returns everything of an answer but TTLs and the letter case of owners. */
    private static String shape(Answer answer) {
        StringBuilder shape = new StringBuilder(Rcode.string(answer.rcode())).append(answer.extendedError());
        for (List<RecordSet> section : List.of(answer.answer(), answer.authority(), answer.additional())) {
            shape.append("\n--");
            for (RecordSet set : section) {
                for (Record one : set.records()) {
                    shape.append('\n')
                            .append(set.owner().toString().toLowerCase(Locale.ROOT))
                            .append(' ')
                            .append(Type.string(one.getType()).toLowerCase(Locale.ROOT))
                            .append(' ')
                            .append(one.rdataToString());
                }
            }
        }
        return shape.toString();
    }

    private static void assertSpelling(Answer answer, String spelled) {
        assertThat(sets(answer))
                .filteredOn(set -> set.owner().toString().equalsIgnoreCase(spelled))
                .allSatisfy(set -> {
                    assertThat(set.owner().toString()).isEqualTo(spelled);
                    assertThat(set.records())
                            .allMatch(one -> one.getName().toString().equals(spelled));
                });
    }
}
