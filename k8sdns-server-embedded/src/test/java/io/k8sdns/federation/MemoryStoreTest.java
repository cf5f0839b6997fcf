package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.FederationStore.Entry;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import org.junit.jupiter.api.Test;

class MemoryStoreTest {
    private final MemoryStore store = new MemoryStore();

    /** Records the events of a store and the resulting content. */
    private static final class Follower implements FederationStore.Listener {
        final List<String> events = new ArrayList<>();
        final Map<String, String> content = new HashMap<>();

        @Override
        public void content(Map<String, Entry> entries) {
            events.add("content " + entries.size());
            content.clear();
            entries.forEach((key, entry) -> content.put(key, entry.value()));
        }

        @Override
        public void changed(Map<String, Optional<Entry>> changes) {
            events.add("changed " + changes.size());
            changes.forEach((key, entry) ->
                    entry.ifPresentOrElse(one -> content.put(key, one.value()), () -> content.remove(key)));
        }

        @Override
        public void stale() {
            events.add("stale");
        }

        @Override
        public void upToDate() {
            events.add("up to date");
        }
    }

    private static <T> T now(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    private long version(String key) {
        return now(store.get(key)).map(Entry::version).orElse(0L);
    }

    @Test
    void aListenerReceivesTheContentAndThenEachChange() {
        assertThat(now(store.compareAndSet("/a", 0, "1"))).isTrue();
        Follower follower = new Follower();
        store.watch(follower);
        assertThat(now(store.compareAndSet("/b", 0, "2"))).isTrue();
        assertThat(now(store.compareAndRemove("/a", version("/a")))).isTrue();

        assertThat(follower.events).containsExactly("content 1", "up to date", "changed 1", "changed 1");
        assertThat(follower.content).isEqualTo(Map.of("/b", "2"));
    }

    @Test
    void aWriteNeedsThePresentVersion() {
        assertThat(now(store.compareAndSet("/a", 7, "1"))).isFalse();
        assertThat(now(store.compareAndSet("/a", 0, "1"))).isTrue();
        long first = version("/a");
        assertThat(now(store.compareAndSet("/a", 0, "2"))).isFalse();
        assertThat(now(store.compareAndSet("/a", first, "1"))).isTrue();
        assertThat(version("/a")).isGreaterThan(first);
        assertThat(now(store.compareAndRemove("/a", first))).isFalse();
        assertThat(now(store.get("/a"))).map(Entry::value).contains("1");
        assertThatThrownBy(() -> store.compareAndRemove("/a", 0)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void replacingTheContentIsOneBatchOfChanges() {
        store.replaceAll(Map.of("/a", "1", "/b", "2"));
        Follower follower = new Follower();
        store.watch(follower);
        long kept = version("/a");
        store.replaceAll(Map.of("/a", "1", "/c", "3"));
        store.replaceAll(Map.of("/c", "3", "/a", "1"));

        assertThat(follower.events).containsExactly("content 2", "up to date", "changed 2");
        assertThat(follower.content).isEqualTo(Map.of("/a", "1", "/c", "3"));
        assertThat(version("/a")).isEqualTo(kept);
    }

    @Test
    void aListenerThatWritesReceivesItsOwnChangeAfterTheCurrentEvent() {
        List<String> events = new ArrayList<>();
        store.watch(new FederationStore.Listener() {
            @Override
            public void content(Map<String, Entry> entries) {
                now(store.compareAndSet("/a", 0, "1"));
                events.add("content");
            }

            @Override
            public void changed(Map<String, Optional<Entry>> changes) {
                events.add("changed " + changes.keySet());
            }

            @Override
            public void stale() {}

            @Override
            public void upToDate() {
                events.add("up to date");
            }
        });
        assertThat(events).containsExactly("content", "up to date", "changed [/a]");
    }

    @Test
    void aListenerThatThrowsReceivesTheNextEventsAndItsExceptionIsReported() {
        List<String> events = new ArrayList<>();
        FederationStore.Listener failing = new FederationStore.Listener() {
            @Override
            public void content(Map<String, Entry> entries) {
                throw new IllegalStateException("planted");
            }

            @Override
            public void changed(Map<String, Optional<Entry>> changes) {
                events.add("changed");
            }

            @Override
            public void stale() {}

            @Override
            public void upToDate() {
                events.add("up to date");
            }
        };
        MemoryStore reporting = new MemoryStore(failure -> events.add(String.valueOf(failure.getMessage())));
        reporting.watch(failing);
        assertThat(now(reporting.compareAndSet("/a", 0, "1"))).isTrue();
        assertThat(events).containsExactly("planted", "up to date", "changed");
    }

    @Test
    void aClosedStoreFailsAndCallsNoListener() {
        Follower follower = new Follower();
        store.watch(follower);
        store.close();
        store.close();

        assertThat(store.compareAndSet("/a", 0, "1").toCompletableFuture())
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withCauseInstanceOf(IOException.class);
        assertThat(store.get("/a").toCompletableFuture()).isCompletedExceptionally();
        assertThatThrownBy(() -> store.replaceAll(Map.of())).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> store.watch(follower)).isInstanceOf(IllegalStateException.class);
        assertThat(follower.events).containsExactly("content 0", "up to date");
    }
}
