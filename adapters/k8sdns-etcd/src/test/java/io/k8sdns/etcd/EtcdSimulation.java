package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.FederationStore.Entry;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.IntStream;

/** A simulation of a faulty etcd cluster whose keys change at random, with a follower and with writers that compare and swap. */
final class EtcdSimulation {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);

    /** The longest delay, the timeout of a call, a list, and checks. */
    private static final Duration UNTIL_MENDED = Duration.ofMinutes(2);

    /** Lost events, and a restored store that has reached the old revision, are detected by the next list. */
    private static final Duration UNTIL_COMPARED = EtcdFollower.RELIST_INTERVAL.plus(Duration.ofMinutes(3));

    private static final Duration UNTIL_FOUND =
            EtcdFollower.CHECK_INTERVAL.plus(EtcdFollower.PROBE_INTERVAL).plus(Duration.ofSeconds(2));

    private final Random random;
    private final EtcdVirtualTime time = new EtcdVirtualTime();
    private final SimulatedEtcd etcd;
    private final KeyRange range;
    private final EtcdCaller caller;
    private final Observer observer = new Observer();
    private final EtcdFollower follower;
    private final List<String> calls = new ArrayList<>();
    private final boolean loses;
    private int values;
    private int swaps;
    private int swapsEnded;

    EtcdSimulation(long seed) {
        random = new Random(seed);
        int members = 1 + random.nextInt(3);
        boolean authenticates = random.nextBoolean();
        loses = random.nextInt(3) == 0;
        range = new KeyRange(random.nextBoolean() ? "" : "/own");
        etcd = new SimulatedEtcd(time, random, members, authenticates);
        Optional<EtcdRequest.Authenticate> user = authenticates || random.nextBoolean()
                ? Optional.of(new EtcdRequest.Authenticate("user", "password"))
                : Optional.empty();
        List<String> names =
                IntStream.range(0, members).mapToObj(i -> "member " + i).toList();
        caller = new EtcdCaller(etcd, time, names, user, TIMEOUT);
        follower = new EtcdFollower(caller, time, random, range, observer);
    }

    /** Returns all reported events, as text. */
    List<String> calls() {
        return calls;
    }

    void run() {
        for (int i = random.nextInt(10); i > 0; i--) {
            change();
        }
        double faults = random.nextDouble() * 0.4;
        etcd.faults(faults, loses);
        follower.start();
        for (int i = 0; i < 60; i++) {
            happen();
            time.pass(Duration.ofMillis(random.nextInt(random.nextInt(10) == 0 ? 100_000 : 3_000)));
        }
        etcd.faults(0, false);
        etcd.healAll();
        time.pass(loses || etcd.restores() > 0 ? UNTIL_COMPARED : UNTIL_MENDED);
        assertThat(follower.isUpToDate()).as("up to date after all outages").isTrue();
        assertThat(observer.upToDate).isTrue();
        assertThat(observer.content).as("the store's content").isEqualTo(stored());
        // Some watches are on dead connections.
        change();
        change();
        time.pass(UNTIL_FOUND);
        assertThat(observer.content).as("the store's content after changes").isEqualTo(stored());
        assertThat(swapsEnded).as("calls that have ended").isEqualTo(swaps);
        follower.close();
        caller.close();
        int before = calls.size();
        change();
        time.pass(UNTIL_COMPARED);
        assertThat(calls).as("nothing is reported after the end").hasSize(before);
    }

    private Map<String, Entry> stored() {
        return SimulatedEtcd.withStoreKeys(etcd.content(), range);
    }

    private void happen() {
        for (int i = random.nextInt(3); i > 0; i--) {
            change();
        }
        switch (random.nextInt(12)) {
            case 0, 1, 2 -> etcd.disturb();
            case 3 -> etcd.healAll();
            case 4, 5 -> etcd.compact();
            case 6 -> {
                if (random.nextInt(4) == 0 && etcd.restore()) {
                    observer.staleSince = 0;
                } else {
                    etcd.backUp();
                }
            }
            default -> swap();
        }
    }

    /** Changes a key of the store, of a neighbouring prefix, or one that is not UTF-8. */
    private void change() {
        String key = key();
        if (random.nextInt(4) == 0) {
            etcd.delete(key);
        } else {
            etcd.put(key, "value " + ++values);
        }
    }

    private String key() {
        return switch (random.nextInt(12)) {
            case 0 -> "/own-not/key";
            case 1 -> "/own";
            case 2 -> KeyRange.decode(new byte[] {'/', 'o', 'w', 'n', '/', (byte) 0xff});
            default -> "/own/key " + random.nextInt(8);
        };
    }

    /** Checks that a call gets a result in time, and that the result agrees with the store. */
    private void swap() {
        String key = key();
        String value = "value " + ++values;
        Entry now = etcd.content().get(key);
        long version = random.nextInt(3) == 0 ? etcd.revision() : now == null ? 0 : now.version();
        long begun = time.nanoTime();
        int restores = etcd.restores();
        swaps++;
        caller.call(
                new EtcdRequest.Swap(key, version, new EtcdRequest.Swap.Put(value)),
                new EtcdTransport.ResponseHandler<Boolean>() {
                    @Override
                    public void received(Boolean swapped) {
                        ended();
                        assertThat(etcd.timesWritten(value))
                                .as("%s with revision %d", key, version)
                                .isEqualTo(swapped ? 1 : 0);
                        assertThat(etcd.restores()).isGreaterThanOrEqualTo(restores);
                    }

                    @Override
                    public void failed(EtcdFailure failure) {
                        ended();
                        assertThat(etcd.timesWritten(value)).isLessThanOrEqualTo(failure.unsent() ? 0 : 1);
                    }

                    private void ended() {
                        swapsEnded++;
                        assertThat(Duration.ofNanos(time.nanoTime() - begun)).isLessThanOrEqualTo(TIMEOUT);
                    }
                });
    }

    /** Records the events, and checks the properties that must always hold. */
    private final class Observer implements EtcdFollower.Listener {
        private Map<String, Entry> content = new HashMap<>();
        private final Map<String, Entry> newest = new HashMap<>();
        private boolean hasContent;
        private boolean upToDate;
        private long staleSince;

        private void report(String what) {
            calls.add(time.nanoTime() + " " + what);
        }

        /** Checks that an entry is newer than all earlier ones, or belongs to the history of a restored store. */
        private void newer(String key, Entry now) {
            Entry last = newest.get(key);
            if (last != null && !last.equals(now) && now.version() <= last.version()) {
                assertThat(etcd.restores())
                        .as("%s of %s, after %s", now, key, last)
                        .isPositive();
                assertThat(etcd.had(range.toEtcdKey(key), last))
                        .as("%s of %s", last, key)
                        .isFalse();
            }
            newest.put(key, now);
        }

        @Override
        public void content(Map<String, Entry> entries) {
            report("content " + entries.size());
            entries.forEach(this::newer);
            content = new HashMap<>(entries);
            hasContent = true;
        }

        @Override
        public void changed(Map<String, Optional<Entry>> changes) {
            report("changed " + changes);
            assertThat(hasContent).as("content comes first").isTrue();
            assertThat(changes).isNotEmpty();
            changes.forEach((key, entry) -> {
                Optional<Entry> before = Optional.ofNullable(content.get(key));
                assertThat(entry).as("a change of " + key).isNotEqualTo(before);
                if (entry.isPresent()) {
                    newer(key, entry.get());
                    content.put(key, entry.get());
                } else {
                    content.remove(key);
                }
            });
        }

        @Override
        public void stale() {
            report("stale");
            assertThat(upToDate).as("stale comes after up to date").isTrue();
            upToDate = false;
            staleSince = etcd.revision();
        }

        @Override
        public void upToDate() {
            report("up to date");
            assertThat(upToDate).as("up to date comes after stale").isFalse();
            assertThat(hasContent).isTrue();
            upToDate = true;
            etcd.isKnown(staleSince);
            if (!loses && etcd.restores() == 0) {
                assertThat(etcd.wasContent(content, range, staleSince))
                        .as(
                                "what is up to date was the content since revision %d; now %d: %s, reported: %s",
                                staleSince, etcd.revision(), stored(), content)
                        .isTrue();
            }
        }

        @Override
        public void failed(EtcdFailure failure) {
            report("failed " + failure.text());
            assertThat(upToDate).as("up to date while requests fail").isFalse();
        }
    }
}
