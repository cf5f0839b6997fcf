package io.k8sdns.sockets;

/** Whether other sockets may be bound to the address of a socket (SO_REUSEPORT). */
enum PortSharing {
    /** No other socket may. */
    NONE,
    /** The address is not shared at first, and others may join later: for a port that the system chooses. */
    ADMIT,
    /** The socket shares the address with those that are bound to it already, and others may join later. */
    JOIN;

    /** Returns the sharing of the first of several sockets, which lets the others join it. */
    PortSharing ofFirst(int count) {
        return this == NONE && count > 1 ? ADMIT : this;
    }
}
