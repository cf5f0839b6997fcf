package io.k8sdns.search;

/** What carries a query. */
public enum Transport {
    /** A datagram. */
    UDP("udp"),
    /** A connection. */
    TCP("tcp");

    private final String word;

    Transport(String word) {
        this.word = word;
    }

    /** Returns the name of the transport in commands and data files: {@code udp} or {@code tcp}. */
    public String word() {
        return word;
    }
}
