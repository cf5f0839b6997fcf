package io.k8sdns.sockets;

import java.util.List;

/** The threads of servers that are running. */
final class Threads {
    private Threads() {}

    static List<String> ofServers() {
        // Those of an interrupted check end after it.
        return named("k8sdns-").stream()
                .map(Thread::getName)
                .filter(name -> !name.equals("k8sdns-check"))
                .sorted()
                .toList();
    }

    static List<Thread> named(String prefix) {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith(prefix))
                .toList();
    }
}
