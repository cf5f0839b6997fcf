package io.k8sdns.sockets;

/** The system calls with which a {@link DnsServer} receives and sends datagrams. */
public enum UdpMode {
    /** {@link #BATCHED} if it is available and the JDK allows native access, otherwise {@link #PLAIN}. */
    AUTO,

    /**
     * Many datagrams with one system call ({@code recvmmsg}, {@code sendmmsg}): on Linux, x86-64 or aarch64, with JDK 22 or later,
     * which needs {@code --enable-native-access=io.k8sdns.sockets} ({@code ALL-UNNAMED} on the class path) and warns without it.
     * A wildcard is then one socket per thread, and answers at every local address of the machine.
     */
    BATCHED,

    /** One datagram with one system call, on the channels of the JDK; available on every system. */
    PLAIN
}
