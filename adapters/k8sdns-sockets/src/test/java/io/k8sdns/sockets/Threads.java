package io.k8sdns.sockets;

import java.util.List;

/** The threads of servers that are running. */
final class Threads {
    private Threads() {}

    static List<String> ofServers() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("k8sdns-"))
                .sorted()
                .toList();
    }
}
