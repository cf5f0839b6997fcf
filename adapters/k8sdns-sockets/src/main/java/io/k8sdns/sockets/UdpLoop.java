package io.k8sdns.sockets;

import java.io.IOException;

/** A listener that answers UDP. */
interface UdpLoop extends Listener {
    /** Returns the size in bytes of the receive buffer that the kernel has granted to each socket; 0 without sockets. */
    int receiveBufferBytes() throws IOException;
}
