package io.k8sdns.sockets;

/** How a {@link DnsServer} receives and sends datagrams. */
public enum UdpMode {
    /** {@link #BATCHED} where that can be had and the JDK has been told to allow it, else {@link #PLAIN}. */
    AUTO,

    /**
     * As many as there are with one system call ({@code recvmmsg}, {@code sendmmsg}): on Linux, x86-64 or aarch64, with
     * JDK 22 or later, which wants {@code --enable-native-access=io.k8sdns.sockets} ({@code ALL-UNNAMED} on the class
     * path) and warns without. A wildcard is then one socket per thread, and answers at every address that the machine
     * takes for its own.
     */
    BATCHED,

    /** One at a time, on the channels of the JDK; everywhere. */
    PLAIN
}
