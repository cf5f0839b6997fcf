package io.k8sdns.forward;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;

/**
 * A day of simulated time. In each second random questions are asked, and each outcome and each upstream query is compared with a
 * model. The upstream server numbers its answers by the second in which it sends them, and fails at some times of the day.
 */
class AnswerCacheDayTest {
    private static final int HOUR = 3600;
    private static final int DAY = 24 * HOUR;

    /** How many seconds an answer is served after its TTL expired, and how many pass between two queries to a failing server. */
    private static final int MAX_AGE = HOUR;

    private static final int RECHECK = 30;
    private static final int STALE_TTL = 30;

    /** How many hits an answer needs to be refreshed early, and the longest gap between two of them. */
    private static final int HITS = 3;

    private static final int GAP = 60;

    /**
     * A question of the day.
     *
     * @param question the question
     * @param answer the upstream server's answer of a second
     * @param ttl for how many seconds the answer should be cached
     * @param every the average number of seconds between two clients
     */
    private record Source(Question question, IntFunction<Answer> answer, int ttl, int every) {
        boolean isFailure() {
            return answer.apply(0).rcode() == Rcode.SERVFAIL;
        }
    }

    private static List<Source> sources() {
        List<Source> all = new ArrayList<>();
        // The minimum is 5 seconds except for TTL 0, the maximum an hour.
        int[][] ttls = {{0, 0}, {1, 5}, {5, 5}, {30, 30}, {300, 300}, {3600, 3600}, {86_400, 3600}};
        for (int[] ttl : ttls) {
            for (int every : new int[] {3, 90}) {
                String name = "t" + ttl[0] + "-" + every + ".example.com.";
                all.add(new Source(
                        CacheAnswers.question(name + " TXT"),
                        second -> CacheAnswers.data(name + " " + ttl[0] + " TXT \"" + second + "\""),
                        ttl[1],
                        every));
            }
        }
        // The lower one of TTL and minimum of the SOA, at most half an hour.
        all.add(denial("missing", Rcode.NXDOMAIN, 60, 900, 60, 4));
        all.add(denial("missing-long", Rcode.NXDOMAIN, 86_400, 7200, 1800, 20));
        all.add(denial("missing-uncached", Rcode.NXDOMAIN, 0, 900, 0, 40));
        all.add(denial("nodata", Rcode.NOERROR, 600, 20, 20, 4));
        all.add(new Source(
                CacheAnswers.question("servfail.example.com. TXT"),
                second -> Answer.failure(Rcode.SERVFAIL, new ExtendedError(22, Integer.toString(second))),
                5,
                3));
        return all;
    }

    private static Source denial(String name, int rcode, int soaTtl, int minimum, int ttl, int every) {
        return new Source(
                CacheAnswers.question(name + ".example.com. TXT"),
                second -> Answer.builder(rcode)
                        .authority(CacheAnswers.sets("example.com. " + soaTtl
                                + " SOA ns.example.com. hostmaster.example.com. " + second + " 2 3 4 " + minimum))
                        .build(),
                ttl,
                every);
    }

    /** Returns whether the upstream server fails: for twenty minutes, for longer than stale answers are served, and often briefly. */
    private static boolean isDown(int second) {
        return second >= 3 * HOUR && second < 3 * HOUR + 1200
                || second >= 10 * HOUR && second < 12 * HOUR
                || second % 1000 < 7;
    }

    @ParameterizedTest
    @CsvSource({"false, false", "true, false", "false, true", "true, true"})
    void everyAnswerOfADayIsThatOfTheModel(boolean prefetches, boolean servesStale) {
        Random random = new Random(24);
        CacheTime time = new CacheTime();
        List<Source> sources = sources();
        Map<String, Model> models = new HashMap<>();
        sources.forEach(source -> models.put(source.question().toString(), new Model(source, prefetches, servesStale)));
        Map<String, Integer> queries = new HashMap<>();
        int[] now = {0};
        AnswerCache.Builder builder = AnswerCache.builder((question, client) -> {
                    queries.merge(question.toString(), 1, Integer::sum);
                    return isDown(now[0])
                            ? CompletableFuture.failedFuture(new IOException("on purpose"))
                            : CompletableFuture.completedFuture(
                                    model(models, question).source.answer().apply(now[0]));
                })
                .clock(time);
        if (prefetches) {
            builder.prefetch(HITS);
        }
        if (servesStale) {
            builder.serveStale(CacheStalePolicy.onFailure());
        }
        AnswerCache cache = builder.build();
        Map<String, Integer> kinds = new HashMap<>();

        for (; now[0] < DAY; now[0]++) {
            for (Source source : sources) {
                if (random.nextInt(source.every()) == 0) {
                    Model model = model(models, source.question());
                    Outcome expected = model.ask(now[0]);
                    assertThat(outcome(cache, source.question()))
                            .as("%s in second %d", source.question(), now[0])
                            .isEqualTo(expected);
                    assertThat(queries.getOrDefault(source.question().toString(), 0))
                            .as("queries of %s in second %d", source.question(), now[0])
                            .isEqualTo(model.queries);
                    kinds.merge(expected.kind(), 1, Integer::sum);
                }
            }
            time.pass(Duration.ofSeconds(1));
        }

        assertThat(kinds.get("failed")).as("a failure reached clients").isGreaterThan(1000);
        assertThat(kinds.containsKey("NOERROR ede 3")).isEqualTo(servesStale);
        assertThat(kinds.containsKey("NXDOMAIN ede 19")).isEqualTo(servesStale);
        assertThat(models.values().stream().anyMatch(model -> model.prefetches > 100))
                .isEqualTo(prefetches);
        assertThat(cache.entries()).isLessThanOrEqualTo(sources.size());
    }

    private static Model model(Map<String, Model> models, Question question) {
        return Objects.requireNonNull(models.get(question.toString()));
    }

    /**
     * What a client receives.
     *
     * @param kind the RCODE, with the extended error of a stale answer; {@code failed} if the stage failed
     * @param version the second in which the upstream server sent the answer
     * @param ttl the TTL of all records; 0 without records
     */
    private record Outcome(String kind, int version, long ttl) {
        static final Outcome FAILED = new Outcome("failed", -1, 0);
    }

    private static Outcome outcome(AnswerCache cache, Question question) {
        CompletableFuture<Answer> stage =
                cache.forward(question, Client.IN_PROCESS).toCompletableFuture();
        assertThat(stage).isDone();
        if (stage.isCompletedExceptionally()) {
            return Outcome.FAILED;
        }
        Answer answer = stage.join();
        String rcode = Rcode.string(answer.rcode());
        if (answer.rcode() == Rcode.SERVFAIL) {
            return new Outcome(
                    rcode, Integer.parseInt(answer.extendedError().orElseThrow().text()), 0);
        }
        RecordSet set = answer.answer().isEmpty()
                ? answer.authority().get(0)
                : answer.answer().get(0);
        Record one = set.records().get(0);
        int version = one instanceof SOARecord soa
                ? (int) soa.getSerial()
                : Integer.parseInt(one.rdataToString().replace("\"", ""));
        return new Outcome(
                rcode
                        + answer.extendedError()
                                .map(error -> " ede " + error.code())
                                .orElse(""),
                version,
                set.ttlSeconds());
    }

    /** The expected state of the cache for one question, in seconds. */
    private static final class Model {
        private final Source source;
        private final boolean usesPrefetch;
        private final boolean usesStale;
        private final String rcode;

        private boolean isCached;
        private int version;
        private int expires;
        private int recheck;
        private boolean isPrefetched;
        private int hits;
        private int lastHit;

        /** All queries to the upstream server. */
        private int queries;

        private int prefetches;

        Model(Source source, boolean usesPrefetch, boolean usesStale) {
            this.source = source;
            this.usesPrefetch = usesPrefetch && !source.isFailure();
            this.usesStale = usesStale && !source.isFailure();
            this.rcode = Rcode.string(source.answer().apply(0).rcode());
        }

        Outcome ask(int now) {
            if (isCached && now < expires) {
                Outcome cached = fresh(now);
                prefetch(now);
                return cached;
            }
            boolean isServable = isKept(now) && usesStale;
            if (isServable && now < recheck) {
                return stale(now);
            }
            if (query(now)) {
                return fresh(now);
            }
            return isServable ? stale(now) : Outcome.FAILED;
        }

        private boolean isKept(int now) {
            return isCached && now < expires + (usesStale ? MAX_AGE : 0);
        }

        private void prefetch(int now) {
            hits = now - lastHit > GAP ? 1 : hits + 1;
            lastHit = now;
            int left = expires - now;
            boolean isDue = left < 1 || left * 10 < source.ttl();
            if (usesPrefetch && hits >= HITS && isDue && !isPrefetched) {
                isPrefetched = true;
                prefetches++;
                boolean unused = query(now);
            }
        }

        /** Sends a query, and returns whether it was answered. */
        private boolean query(int now) {
            queries++;
            if (isDown(now)) {
                recheck = now + RECHECK;
                return false;
            }
            // The count of hits ends with the answer unless another one replaces it.
            hits = isKept(now) ? hits : 0;
            isCached = source.ttl() > 0;
            version = now;
            expires = now + source.ttl();
            recheck = expires;
            isPrefetched = false;
            return true;
        }

        private Outcome fresh(int now) {
            return new Outcome(rcode, version, source.isFailure() ? 0 : expires - now);
        }

        private Outcome stale(int now) {
            String error = rcode.equals("NXDOMAIN") ? " ede 19" : " ede 3";
            return new Outcome(rcode + error, version, Math.min(STALE_TTL, expires + MAX_AGE - now));
        }
    }
}
