package io.k8sdns.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CopyOnWriteArrayList;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** An upstream server over UDP that records all queries. Its only name is {@code www.example.com}, with an IPv4 address. */
final class RecordingUpstream implements AutoCloseable {
    private static final Name WWW = Name.fromConstantString("www.example.com.");

    private final DatagramSocket socket;
    private final List<Message> queries = new CopyOnWriteArrayList<>();
    private final Thread thread = new Thread(this::answer, "recording-upstream");

    RecordingUpstream() throws IOException {
        socket = new DatagramSocket(0, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}));
        thread.start();
    }

    /** Returns {@code 127.0.0.1:PORT}. */
    String text() {
        return "127.0.0.1:" + socket.getLocalPort();
    }

    /** Returns the queries so far. */
    List<Message> queries() {
        return queries;
    }

    /** Returns the names and types of the queries, in lower case, without the loop probes of the server. */
    List<String> asked() {
        return queries.stream()
                .map(Message::getQuestion)
                .filter(question -> question.getType() != Type.HINFO)
                .map(question ->
                        question.getName().toString().toLowerCase(Locale.ROOT) + " " + Type.string(question.getType()))
                .toList();
    }

    private void answer() {
        byte[] buffer = new byte[65_535];
        while (!socket.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                socket.receive(packet);
                Message query = new Message(Arrays.copyOf(buffer, packet.getLength()));
                queries.add(query);
                byte[] response = response(query).toWire();
                socket.send(new DatagramPacket(response, response.length, packet.getSocketAddress()));
            } catch (IOException closed) {
                // Or the client has closed the socket.
            }
        }
    }

    private static Message response(Message query) {
        Record question = query.getQuestion();
        Message response = new Message(query.getHeader().getID());
        response.getHeader().setFlag(Flags.QR);
        response.getHeader().setFlag(Flags.RA);
        response.addRecord(question, Section.QUESTION);
        boolean exists = question.getName().equals(WWW);
        if (exists && question.getType() == Type.A) {
            try {
                InetAddress address = InetAddress.getByAddress(new byte[] {(byte) 198, 18, 0, 1});
                response.addRecord(new ARecord(question.getName(), DClass.IN, 300, address), Section.ANSWER);
            } catch (IOException impossible) {
                throw new UncheckedIOException(impossible);
            }
        } else {
            response.getHeader().setRcode(exists ? Rcode.NOERROR : Rcode.NXDOMAIN);
            Name zone = Name.fromConstantString("com.");
            Name owner = question.getName().subdomain(zone) ? zone : Name.root;
            response.addRecord(
                    new SOARecord(owner, DClass.IN, 300, Name.root, Name.root, 1, 3600, 600, 86_400, 60),
                    Section.AUTHORITY);
        }
        return response;
    }

    @Override
    public void close() {
        socket.close();
        try {
            thread.join();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
