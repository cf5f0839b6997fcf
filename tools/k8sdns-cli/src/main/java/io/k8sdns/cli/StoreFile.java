package io.k8sdns.cli;

import io.k8sdns.federation.FederationStore;
import io.k8sdns.federation.MemoryStore;
import io.k8sdns.federation.store.FederationJson;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** The file of a memory store, read when the store is opened and written when its content changes. */
final class StoreFile implements FederationStore.Listener {
    private static final Duration WRITE_INTERVAL = Duration.ofMillis(250);

    private final FederationJson json = new FederationJson();
    private final Optional<Path> file;

    /** Guarded by this. */
    private final Map<String, String> content = new HashMap<>();

    /** The text of the file as last read or written. */
    private String before = "{}";

    private boolean wasEmpty = true;
    private boolean hasChanged;
    private String problem = "";

    /**
     * Creates a file without reading it.
     *
     * @param file the path; empty to print the content instead
     */
    StoreFile(Optional<Path> file) {
        this.file = file;
    }

    /**
     * Opens a store with the content of the file; an empty store if there is no file.
     *
     * @throws IllegalArgumentException if the file is invalid; the message contains its name
     */
    MemoryStore open() throws IOException {
        MemoryStore store = new MemoryStore();
        if (file.isPresent() && Files.exists(file.get())) {
            try {
                String text = InputFile.text(file.get().toString());
                store.replaceAll(json.readStore(text));
                before = text;
            } catch (IllegalArgumentException invalid) {
                throw new IllegalArgumentException(file.get() + ": " + invalid.getMessage(), invalid);
            }
        }
        store.watch(this);
        return store;
    }

    /** Returns whether the file was empty or missing when it was opened. */
    synchronized boolean wasEmpty() {
        return wasEmpty;
    }

    @Override
    public synchronized void content(Map<String, FederationStore.Entry> entries) {
        entries.forEach((key, entry) -> content.put(key, entry.value()));
        wasEmpty = entries.isEmpty();
    }

    @Override
    public synchronized void changed(Map<String, Optional<FederationStore.Entry>> changes) {
        hasChanged = true;
        changes.forEach((key, entry) -> {
            content.remove(key);
            entry.ifPresent(one -> content.put(key, one.value()));
        });
    }

    @Override
    public void stale() {}

    @Override
    public void upToDate() {}

    /** Starts to write the file after each change of the content. */
    void follow(ScheduledExecutorService timer, Consumer<String> problems) {
        var unused = timer.scheduleWithFixedDelay(
                () -> {
                    try {
                        writeChanges();
                        problem = "";
                    } catch (IOException failed) {
                        String text = "--shards: " + failed;
                        if (!text.equals(problem)) {
                            problem = text;
                            problems.accept(text);
                        }
                    }
                },
                WRITE_INTERVAL.toMillis(),
                WRITE_INTERVAL.toMillis(),
                TimeUnit.MILLISECONDS);
    }

    private synchronized void writeChanges() throws IOException {
        if (hasChanged) {
            write(file.orElseThrow());
            hasChanged = false;
        }
    }

    /** Writes the file, or prints the content if there is no file. */
    synchronized void write(PrintWriter out) throws IOException {
        if (file.isPresent()) {
            write(file.get());
        } else {
            out.print(json.writeStore(content, before));
            out.flush();
        }
    }

    /** Writes atomically, so that readers see either the old or the new content. */
    private void write(Path to) throws IOException {
        Path next = to.resolveSibling(to.getFileName() + ".next");
        Files.writeString(next, json.writeStore(content, before), StandardCharsets.UTF_8);
        Path unused = Files.move(next, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }
}
