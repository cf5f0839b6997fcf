package io.k8sdns.forward;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** The threads of a test's server. */
final class ServerThreads {
    private final String name;
    private final List<Thread> threads = new CopyOnWriteArrayList<>();

    ServerThreads(String name) {
        this.name = name;
    }

    void start(Runnable task) {
        Thread thread = new Thread(task, name);
        threads.add(thread);
        thread.start();
    }

    /** Waits for all threads to end, even if the calling thread is interrupted. */
    void join() {
        boolean wasInterrupted = false;
        for (Thread thread : threads) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
