package io.k8sdns.federation.controller;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.federation.FederationStore;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A store whose clients can be cut off, whose answers can be lost, and whose watches are late. It checks each write: a controller
 * replaces or removes what the owner of the cluster wrote only if it has claimed the cluster since.
 */
final class SimulatedStore {
    /** The name of the writer without a claim, whose entries any controller may replace. */
    static final String BY_HAND = "by hand";

    static final Duration LEASE = Duration.ofSeconds(30);

    private final ControllerVirtualTime time;
    private final Random random;
    private final Map<String, FederationStore.Entry> entries = new HashMap<>();
    private final Map<String, Write> lastWrites = new HashMap<>();

    /** The times at which each controller has claimed each cluster. */
    private final Map<String, Long> claimed = new HashMap<>();

    /** The time at which the claims of each cluster were overwritten by hand; then two controllers may write until the old claim ends. */
    private final Map<String, Long> disturbed = new HashMap<>();

    private final Map<String, Connection> connections = new HashMap<>();
    private double faults;
    private long sequence;
    private int shardWrites;

    /**
     * A write of a key.
     *
     * @param byOwner whether the writer had the claim at that time; a write of a former owner may arrive late
     */
    private record Write(String writer, long sequence, boolean byOwner) {}

    SimulatedStore(ControllerVirtualTime time, Random random) {
        this.time = time;
        this.random = random;
    }

    Map<String, FederationStore.Entry> entries() {
        return entries;
    }

    /** Returns the number of writes of keys of shards. */
    int shardWrites() {
        return shardWrites;
    }

    void faults(double value) {
        faults = value;
    }

    Connection connect(String controller) {
        Connection connection = new Connection(controller);
        connections.put(controller, connection);
        return connection;
    }

    /** Writes by hand, without regard to claims. */
    void write(String key, Optional<String> value) {
        apply(BY_HAND, key, value);
    }

    private void apply(String writer, String key, Optional<String> value) {
        long now = ++sequence;
        String cluster = key.substring(key.lastIndexOf('/') + 1);
        boolean isOwner = isOwner(writer, present("/_clusters/" + cluster));
        if (!key.startsWith("/_clusters/")) {
            shardWrites++;
            Write before = lastWrites.get(key);
            if (before != null
                    && before.byOwner()
                    && !before.writer().equals(writer)
                    && !writer.equals(BY_HAND)
                    && !isDisturbed(cluster)) {
                assertThat(claimed.getOrDefault(writer + " " + cluster, 0L))
                        .as("the claim of %s, which overrules %s at %s", writer, before.writer(), key)
                        .isGreaterThan(before.sequence());
            }
        } else if (writer.equals(BY_HAND)) {
            disturbed.put(cluster, time.now());
        } else if (isOwner(writer, value) && !isOwner) {
            claimed.put(writer + " " + cluster, now);
        }
        lastWrites.put(key, new Write(writer, now, isOwner));
        Optional<FederationStore.Entry> entry = value.map(text -> new FederationStore.Entry(text, now));
        entries.remove(key);
        entry.ifPresent(one -> entries.put(key, one));
        connections.values().forEach(connection -> connection.watched(key, entry));
    }

    /** Returns whether a controller has the claim of a cluster, or it was overwritten by hand a short while ago. */
    boolean mayWrite(String controller, String cluster) {
        return isOwner(controller, present("/_clusters/" + cluster)) || isDisturbed(cluster);
    }

    private boolean isDisturbed(String cluster) {
        return time.now() - disturbed.getOrDefault(cluster, Long.MIN_VALUE / 2) < LEASE.toNanos();
    }

    private Optional<String> present(String key) {
        return Optional.ofNullable(entries.get(key)).map(FederationStore.Entry::value);
    }

    private static boolean isOwner(String writer, Optional<String> value) {
        return RegistryValue.parse(value).claims().values().stream()
                .anyMatch(claim -> claim.id().equals(writer));
    }

    /** The store for one controller. */
    final class Connection implements FederationStore {
        private final String controller;
        private @Nullable Listener listener;
        private boolean isCut;

        /** Whether changes have not been reported. */
        private boolean hasMissed;

        private long reportedUntil;

        Connection(String controller) {
            this.controller = controller;
        }

        void cut() {
            if (!isCut) {
                isCut = true;
                hasMissed = true;
                report(Listener::stale);
            }
        }

        void mend() {
            if (isCut) {
                isCut = false;
                list();
            }
        }

        @Override
        public void watch(Listener to) {
            listener = to;
            if (isCut) {
                hasMissed = true;
            } else {
                list();
            }
        }

        private void list() {
            hasMissed = false;
            Map<String, Entry> content = Map.copyOf(entries);
            report(to -> to.content(content));
            report(Listener::upToDate);
        }

        private void watched(String key, Optional<Entry> entry) {
            if (!hasMissed) {
                report(to -> to.changed(Map.of(key, entry)));
            }
        }

        private interface Event {
            void to(Listener listener);
        }

        /** Reports changes in order and with a delay. */
        private void report(Event event) {
            long delay = random.nextInt(20) == 0 ? random.nextInt(20_000) : random.nextInt(50);
            reportedUntil = Math.max(
                    reportedUntil, time.now() + Duration.ofMillis(delay).toNanos());
            var unused = time.after(Duration.ofNanos(reportedUntil - time.now()), () -> {
                Listener to = listener;
                if (to != null) {
                    event.to(to);
                }
            });
        }

        private <T> CompletionStage<T> call(Supplier<T> work) {
            CompletableFuture<T> answer = new CompletableFuture<>();
            boolean loses = random.nextDouble() < faults;
            boolean answers = random.nextBoolean();
            var unused = time.after(delay(), () -> {
                if (isCut || loses && random.nextBoolean()) {
                    fail(answer, answers);
                    return;
                }
                T result = work.get();
                answer(answer, result, loses, answers);
            });
            return answer;
        }

        private <T> void answer(CompletableFuture<T> answer, T result, boolean loses, boolean answers) {
            var unused = time.after(delay(), () -> {
                if (isCut || loses) {
                    fail(answer, answers);
                } else {
                    answer.complete(result);
                }
            });
        }

        /** Fails with a delay, or never ends. */
        private <T> void fail(CompletableFuture<T> answer, boolean answers) {
            if (answers) {
                answer.completeExceptionally(new IOException("lost"));
            }
        }

        /** Returns the delay of a message; a few take longer than a lease. */
        private Duration delay() {
            return Duration.ofMillis(
                    random.nextInt(100) == 0
                            ? random.nextInt(90_000)
                            : random.nextInt(random.nextInt(10) == 0 ? 3_000 : 30));
        }

        @Override
        public CompletionStage<Optional<Entry>> get(String key) {
            return call(() -> Optional.ofNullable(entries.get(key)));
        }

        @Override
        public CompletionStage<Boolean> compareAndSet(String key, long version, String value) {
            return call(() -> swap(key, version, Optional.of(value)));
        }

        @Override
        public CompletionStage<Boolean> compareAndRemove(String key, long version) {
            return call(() -> swap(key, version, Optional.empty()));
        }

        private boolean swap(String key, long version, Optional<String> value) {
            Entry present = entries.get(key);
            if ((present == null ? 0 : present.version()) != version) {
                return false;
            }
            apply(controller, key, value);
            return true;
        }

        @Override
        public void close() {
            listener = null;
        }
    }
}
