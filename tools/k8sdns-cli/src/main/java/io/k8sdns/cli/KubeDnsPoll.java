package io.k8sdns.cli;

import io.k8sdns.timers.DelayedTask;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;

/** Reads the ConfigMap of kube-dns in a live cluster periodically. */
final class KubeDnsPoll {
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    private static final Duration RETRY_DELAY = Duration.ofSeconds(30);

    /** The longest delay after a denied request: many clusters never grant the permission, and each request is in their audit log. */
    private static final Duration MAX_DENIED_DELAY = Duration.ofMinutes(5);

    private final Callable<Optional<Map<String, String>>> data;
    private final Predicate<Optional<Map<String, String>>> changed;
    private final ScheduledExecutorService requests;
    private final PrintWriter err;

    /** The last data. */
    private Optional<Map<String, String>> last = Optional.empty();

    /** Whether the last request was denied, which has been reported. */
    private boolean isDenied;

    /** The delay after the next denied request. */
    private Duration deniedDelay = RETRY_DELAY;

    /** Whether the last data are in use, or can never be. */
    private boolean isDone = true;

    /**
     * Creates the poll. {@link #start} starts it.
     *
     * @param data reads the data; empty if there is no ConfigMap
     * @param changed receives the data if it is not the last; at first there is no ConfigMap. Returns false if the same data may be
     *     usable later, for example when the name of a server can be resolved; then it receives the data of the next poll, too
     * @param requests sends the requests, which may block; its shutdown ends the poll
     * @param err receives the messages about a missing permission
     */
    KubeDnsPoll(
            Callable<Optional<Map<String, String>>> data,
            Predicate<Optional<Map<String, String>>> changed,
            ScheduledExecutorService requests,
            PrintWriter err) {
        this.data = data;
        this.changed = changed;
        this.requests = requests;
        this.err = err;
    }

    /** Reads the ConfigMap now, and schedules the next time. */
    void start() {
        after(Duration.ZERO);
    }

    private void read() {
        Duration next = INTERVAL;
        try {
            Optional<Map<String, String>> read = data.call();
            deniedDelay = RETRY_DELAY;
            if (isDenied) {
                isDenied = false;
                err.println("note: there is permission to get the ConfigMap of kube-dns now");
            }
            if (!isDone || !read.equals(last)) {
                last = read;
                isDone = changed.test(read);
            }
        } catch (AccessDeniedException denied) {
            if (!isDenied) {
                isDenied = true;
                err.println(
                        last.isEmpty()
                                ? "note: no permission to get " + denied.getFile() + ", which is not used"
                                : "warning: no permission to get " + denied.getFile()
                                        + " any more; its last version stays in use");
            }
            next = deniedDelay;
            Duration doubled = deniedDelay.multipliedBy(2);
            deniedDelay = doubled.compareTo(MAX_DENIED_DELAY) < 0 ? doubled : MAX_DENIED_DELAY;
        } catch (Exception unreachable) {
            // Keep the last data. The source of the objects reports that the API server does not answer.
            next = RETRY_DELAY;
        }
        after(next);
    }

    private void after(Duration delay) {
        DelayedTask unused = DelayedTask.schedule(requests, delay, this::read);
    }
}
