package io.k8sdns.sockets;

import java.io.IOException;

/** A thread that answers UDP. */
interface UdpLoop extends Listener {
    /** Returns what the kernel has granted for the queue of each of its sockets, in octets; 0 if there is none. */
    int receiveBufferBytes() throws IOException;
}
