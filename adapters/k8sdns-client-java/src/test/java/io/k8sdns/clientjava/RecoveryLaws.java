package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.clientjava.ApiFailure.Cause;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.json.ApiReader;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * After an outage of the API server a watch is soon open again, a thousand clients do not return at the same time, and no
 * client makes many requests. The laws run in virtual time for one kind of object, so that no other kind ends its waits.
 */
class RecoveryLaws {
    private static final long SEED = Seeds.first();
    private static final int OUTAGES = 300;
    private static final int CLIENTS = 1_000;
    private static final Duration LONGEST_OUTAGE = Duration.ofHours(1);

    /** The failure of requests during the outage. */
    private enum Outage {
        CONNECTION_REFUSED(Cause.UNREACHABLE),
        PACKETS_DROPPED(Cause.UNREACHABLE),
        CERTIFICATE_OF_ANOTHER(Cause.UNTRUSTED),
        CREDENTIALS_REFUSED(Cause.UNAUTHORIZED),
        EVERYTHING_FORBIDDEN(Cause.FORBIDDEN),
        INTERNAL_ERROR(Cause.REFUSED),
        OVERLOADED(Cause.OVERLOADED);

        private final Cause cause;

        Outage(Cause cause) {
            this.cause = cause;
        }
    }

    /** The server's state after the outage. */
    private enum Return {
        AS_IT_WAS,
        COMPACTED,
        RESTORED
    }

    /** A client of one kind of object and its server, which has one outage. */
    private static final class Client implements KindApi {
        private static final Duration CONNECT = Duration.ofSeconds(4);

        /** The times at which TCP sends the packet that opens a connection. */
        private static final List<Duration> SENT = List.of(Duration.ZERO, Duration.ofSeconds(1), Duration.ofSeconds(3));

        private final VirtualTime time = new VirtualTime();
        private final Random random;
        private final Outage outage;
        private final Return returned;
        private final List<Long> requests = new ArrayList<>();
        private final ListWatch listWatch;
        private Optional<WatchReceiver> watch = Optional.empty();
        private Optional<Long> back = Optional.empty();
        private long endOfOutage = -1;
        private boolean away;
        private boolean forgotten;
        private boolean watchable = true;

        Client(long seed, Outage outage, Return returned) {
            this.random = new Random(seed);
            this.outage = outage;
            this.returned = returned;
            this.listWatch = new ListWatch(this, time, random, Ignoring.LISTENER);
            listWatch.start();
            passUntil(() -> watch.isPresent());
            pass(Duration.ofMinutes(1));
        }

        void pass(Duration duration) {
            long until = time.nanoTime() + duration.toNanos();
            while (time.step(until)) {
                // The next task.
            }
        }

        private void passUntil(BooleanSupplier what) {
            while (!what.getAsBoolean()) {
                assertThat(time.step(Long.MAX_VALUE)).isTrue();
            }
        }

        /** Simulates an outage; returns the virtual time from its end until a watch is open. */
        Duration outage(Duration length) {
            away = true;
            endOfOutage = time.nanoTime() + length.toNanos();
            requests.clear();
            WatchReceiver cut = watch.orElseThrow();
            watch = Optional.empty();
            cut.failed(ApiFailure.of(Cause.UNREACHABLE, "cut"));
            pass(length);
            away = false;
            forgotten = returned == Return.COMPACTED;
            passUntil(() -> watch.isPresent());
            return Duration.ofNanos(time.nanoTime() - endOfOutage);
        }

        /** Returns the time from the end of the outage until the first response. */
        Duration back() {
            return Duration.ofNanos(back.orElseThrow() - endOfOutage);
        }

        private boolean isRestored() {
            return returned == Return.RESTORED && endOfOutage >= 0 && !away;
        }

        private String version() {
            return isRestored() ? "50" : "100";
        }

        private Call answer(Runnable right, Consumer<ApiFailure> failing) {
            requests.add(time.nanoTime());
            Runnable again = () -> {
                if (back.isEmpty() && endOfOutage >= 0) {
                    back = Optional.of(time.nanoTime());
                }
                right.run();
            };
            if (!away) {
                return soon(latency(), again);
            }
            ApiFailure failure = ApiFailure.of(outage.cause, outage.toString());
            if (outage != Outage.PACKETS_DROPPED) {
                return soon(latency(), () -> failing.accept(failure));
            }
            return SENT.stream()
                    .filter(sent -> time.nanoTime() + sent.toNanos() >= endOfOutage)
                    .findFirst()
                    .map(sent -> soon(sent.plus(latency()), again))
                    .orElseGet(() -> soon(CONNECT, () -> failing.accept(failure)));
        }

        private Duration latency() {
            return Duration.ofMillis(1 + random.nextInt(20));
        }

        private Call soon(Duration after, Runnable what) {
            Timers.Timer timer = time.after(after, what);
            return timer::cancel;
        }

        @Override
        public Call list(Optional<String> continuation, ListReceiver reader) {
            return answer(
                    () -> {
                        forgotten = false;
                        reader.end(version(), Optional.empty());
                    },
                    reader::failed);
        }

        @Override
        public Call probe(VersionReceiver reader) {
            return answer(() -> reader.version(version()), reader::failed);
        }

        @Override
        public Call watch(String version, Duration timeout, WatchReceiver reader) {
            return answer(
                    () -> {
                        if (forgotten) {
                            reader.failed(ApiFailure.of(Cause.GONE, "too old"));
                        } else if (watchable) {
                            watch = Optional.of(reader);
                            reader.opened();
                        } else {
                            reader.failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
                        }
                    },
                    reader::failed);
        }
    }

    /** Ignores all reports. */
    private enum Ignoring implements ListWatch.Listener {
        LISTENER;

        @Override
        public void changed(ClusterChange change) {}

        @Override
        public void watched(ClusterObserver.Event event, ApiReader.Item object, boolean newlyTriggered) {}

        @Override
        public void missed(ApiReader.Item object, boolean newlyTriggered) {}

        @Override
        public void listed(Duration took) {}

        @Override
        public void received() {}

        @Override
        public void state(SyncState state) {}

        @Override
        public void failed(ApiFailure failure) {}
    }

    /** Returns a length from one second to an hour, uniform on a logarithmic scale. */
    private static Duration length(Random random) {
        double logarithm = random.nextDouble() * Math.log((double) LONGEST_OUTAGE.toSeconds());
        return Duration.ofMillis((long) (1_000 * Math.exp(logarithm)));
    }

    @ParameterizedTest
    @EnumSource
    void watchIsOpenWithinTenSecondsAndMostlyWithinFive(Outage outage) {
        List<Duration> all = new ArrayList<>();
        for (long seed = SEED; seed < SEED + OUTAGES; seed++) {
            Random random = new Random(seed);
            Return returned = Return.values()[random.nextInt(Return.values().length)];
            Client client = new Client(seed, outage, returned);
            Duration length = length(random);
            Duration virtualTime = client.outage(length);
            assertThat(virtualTime)
                    .as("seed %s: %s for %s, then %s", seed, outage, length, returned)
                    .isLessThanOrEqualTo(Duration.ofSeconds(10));
            all.add(virtualTime);
        }
        Collections.sort(all);
        assertThat(all.get(all.size() / 2))
                .as("the median of outages from seed %s on", SEED)
                .isLessThanOrEqualTo(Duration.ofSeconds(5));
    }

    @Test
    void theWaitAfterRepeatedOutagesIsThatAfterOne() {
        for (long seed = SEED; seed < SEED + OUTAGES / 10; seed++) {
            Random random = new Random(seed);
            Client client = new Client(seed, Outage.CONNECTION_REFUSED, Return.AS_IT_WAS);
            for (int i = 0; i < 10; i++) {
                assertThat(client.outage(length(random)))
                        .as("seed %s, outage %s", seed, i)
                        .isLessThanOrEqualTo(Duration.ofSeconds(10));
                client.pass(Duration.ofMillis(random.nextInt(40_000)));
            }
        }
    }

    /** All clients lose their connection in the same instant, which is the worst case. */
    @Test
    void aThousandClientsReturnAtDifferentTimes() {
        for (Duration length :
                List.of(Duration.ofSeconds(5), Duration.ofSeconds(20), Duration.ofMinutes(5), LONGEST_OUTAGE)) {
            TreeMap<Long, Integer> tenths = new TreeMap<>();
            for (long seed = SEED; seed < SEED + CLIENTS; seed++) {
                Client client = new Client(seed, Outage.CONNECTION_REFUSED, Return.AS_IT_WAS);
                client.outage(length);
                tenths.merge(client.back().toMillis() / 100, 1, Integer::sum);
            }
            assertThat(Collections.max(tenths.values()))
                    .as("clients in one tenth of a second after %s, from seed %s on: %s", length, SEED, tenths)
                    .isLessThan(CLIENTS / 12);
            assertThat(tenths.lastKey() - tenths.firstKey())
                    .as("tenths of a second from the first to the last, from seed %s on", SEED)
                    .isGreaterThan(20);
        }
    }

    @ParameterizedTest
    @EnumSource
    void requestsDuringAnOutageAreAtMostOneInThreeSecondsOnceItHasLasted(Outage outage) {
        for (long seed = SEED; seed < SEED + OUTAGES / 10; seed++) {
            Client client = new Client(seed, outage, Return.AS_IT_WAS);
            client.outage(LONGEST_OUTAGE);
            long from = client.requests.get(0) + Duration.ofSeconds(10).toNanos();
            long until = client.endOfOutage;
            List<Long> later = client.requests.stream()
                    .filter(at -> at >= from && at <= until)
                    .toList();
            for (int i = 1; i < later.size(); i++) {
                assertThat(Duration.ofNanos(later.get(i) - later.get(i - 1)))
                        .as("between two requests, seed %s", seed)
                        .isGreaterThanOrEqualTo(Duration.ofSeconds(3));
            }
            assertThat(client.requests.get(8) - client.requests.get(0))
                    .as("from the first to the ninth request, seed %s", seed)
                    .isGreaterThan(Duration.ofSeconds(10).toNanos());
        }
    }

    @Test
    void listsThatSucceedWhileWatchesFailAreAtMostOneInSixteenSeconds() {
        for (long seed = SEED; seed < SEED + OUTAGES / 10; seed++) {
            Client client = new Client(seed, Outage.CONNECTION_REFUSED, Return.AS_IT_WAS);
            client.watchable = false;
            client.requests.clear();
            client.watch.orElseThrow().failed(ApiFailure.of(Cause.FORBIDDEN, "no role"));
            client.pass(Duration.ofHours(1));
            // A list and the watch after it.
            assertThat(client.requests.size() / 2)
                    .as("lists in an hour, seed %s", seed)
                    .isBetween(3_600 / 33, 3_600 / 16 + 10);
        }
    }
}
