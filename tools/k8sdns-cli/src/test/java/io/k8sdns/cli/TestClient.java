package io.k8sdns.cli;

import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.sockets.DnsClient;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** A DNS client of one server. */
final class TestClient implements AutoCloseable {
    private static final int UDP_PAYLOAD = 1232;

    private final DnsClient client = new DnsClient();
    private final InetSocketAddress server;

    TestClient(InetSocketAddress server) {
        this.server = server;
    }

    /** Sends a query with EDNS, and again over TCP if the answer is truncated. */
    Message ask(Name name, int type, Transport transport) throws IOException {
        return ask(name, type, transport, 4711);
    }

    /** Sends a query with a given message id. */
    Message ask(Name name, int type, Transport transport, int id) throws IOException {
        Message query = new Message(id);
        query.getHeader().setFlag(Flags.RD);
        query.addRecord(Record.newRecord(name, type, DClass.IN), Section.QUESTION);
        query.addRecord(new OPTRecord(UDP_PAYLOAD, 0, 0), Section.ADDITIONAL);
        Message response = new Message(client.exchange(query.toWire(), server, transport, Duration.ofMinutes(2)));
        return response.getHeader().getFlag(Flags.TC) && transport == Transport.UDP
                ? ask(name, type, Transport.TCP, id)
                : response;
    }

    @Override
    public void close() throws IOException {
        client.close();
    }
}
