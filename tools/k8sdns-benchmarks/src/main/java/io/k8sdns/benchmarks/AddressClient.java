package io.k8sdns.benchmarks;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.PortUnreachableException;
import java.net.SocketTimeoutException;
import java.util.Arrays;
import java.util.Set;
import java.util.TreeSet;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** Queries one server over UDP for the IPv4 addresses of names, one query at a time. Not thread-safe. */
final class AddressClient implements AutoCloseable {
    private final DatagramSocket socket = new DatagramSocket();

    /**
     * Connects to a server.
     *
     * @param timeoutMillis the timeout of a query, in milliseconds
     */
    AddressClient(InetSocketAddress server, int timeoutMillis) throws IOException {
        socket.connect(server);
        socket.setSoTimeout(timeoutMillis);
    }

    /** Returns the addresses of a name; empty after a timeout or an answer without addresses. */
    Set<String> ask(Name name) throws IOException {
        Message query = Message.newQuery(Record.newRecord(name, Type.A, DClass.IN));
        byte[] wire = query.toWire(Message.MAXLENGTH);
        socket.send(new DatagramPacket(wire, wire.length));
        DatagramPacket packet = new DatagramPacket(new byte[4_096], 4_096);
        try {
            while (true) {
                socket.receive(packet);
                byte[] received = packet.getData();
                if (received[0] == wire[0] && received[1] == wire[1]) {
                    return addresses(new Message(Arrays.copyOf(received, packet.getLength())));
                }
            }
        } catch (SocketTimeoutException | PortUnreachableException silent) {
            return Set.of();
        }
    }

    private static Set<String> addresses(Message answer) {
        Set<String> addresses = new TreeSet<>();
        for (Record one : answer.getSection(Section.ANSWER)) {
            if (one instanceof ARecord a) {
                addresses.add(a.getAddress().getHostAddress());
            }
        }
        return addresses;
    }

    @Override
    public void close() {
        socket.close();
    }
}
