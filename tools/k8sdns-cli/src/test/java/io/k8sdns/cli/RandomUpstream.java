package io.k8sdns.cli;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.BindException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.NSRecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.TextParseException;
import org.xbill.DNS.Type;

/**
 * An upstream server over UDP and TCP on loopback whose responses are random, but depend only on a seed and on the question's name and
 * type, so that all its clients receive the same response. Many of the responses break the rules of DNS. A question for an alias's
 * target, which is a name below the first question's name, is answered with the rest of the same response, as a recursive server would; if
 * that is empty and was not denied with an SOA record, with a random response of its own.
 */
final class RandomUpstream implements AutoCloseable {
    /** A name that has an address for every seed, to detect that a resolver is ready. */
    private static final Name WWW = Name.fromConstantString("www.lab.example.");

    /** The labels of the names to ask for, with the root's label. */
    private static final int LABELS = 5;

    private static final int TTL = 300;
    private static final int[] FAILURES = {Rcode.SERVFAIL, Rcode.REFUSED, Rcode.FORMERR, Rcode.NOTIMP};

    private final long seed;
    private final ServerSocket tcp;
    private final DatagramSocket udp;
    private final List<Thread> threads = List.of(
            new Thread(this::serveUdp, "random-upstream-udp"), new Thread(this::serveTcp, "random-upstream-tcp"));

    private RandomUpstream(long seed, ServerSocket tcp, DatagramSocket udp) {
        this.seed = seed;
        this.tcp = tcp;
        this.udp = udp;
    }

    static RandomUpstream start(long seed) throws IOException {
        InetAddress loopback = InetAddress.getByAddress(new byte[] {127, 0, 0, 1});
        while (true) {
            ServerSocket tcp = new ServerSocket(0, 50, loopback);
            try {
                RandomUpstream started =
                        new RandomUpstream(seed, tcp, new DatagramSocket(tcp.getLocalPort(), loopback));
                started.threads.forEach(Thread::start);
                return started;
            } catch (BindException taken) {
                tcp.close();
            }
        }
    }

    int port() {
        return udp.getLocalPort();
    }

    /** Returns {@code 127.0.0.1:PORT}. */
    String text() {
        return "127.0.0.1:" + port();
    }

    /** Returns a name to ask for; no two responses have records of the same names. */
    static Name name(int number) throws IOException {
        return Name.fromString("q" + number + ".z" + number + ".lab.example.");
    }

    /** The response to one question. */
    static final class Script {
        private final long seed;
        private final Random random;
        private final Name asked;
        private final Name name;
        private final int type;
        private final Message response = new Message(0);
        private final boolean isTruncatedOverUdp;
        private final boolean hasOpt;
        private final List<Name> chain = new ArrayList<>();
        private boolean loops;
        private boolean hasData;
        private boolean hasSoa;

        /** Returns the response to a question. */
        static Script of(long seed, Name name, int type) {
            return of(seed, Record.newRecord(name, type, DClass.IN));
        }

        private static Script of(long seed, Record question) {
            Name asked = parsed(question.getName().toString().toLowerCase(Locale.ROOT));
            Name first = asked.labels() > LABELS ? new Name(asked, asked.labels() - LABELS) : asked;
            Script script = new Script(seed, question, asked, first);
            while (script.isOpen() && asked.subdomain(script.end())) {
                script = new Script(seed, question, asked, script.end());
            }
            return script;
        }

        /** @param name the name whose response, or the rest of it, this is */
        private Script(long seed, Record question, Name asked, Name name) {
            this.seed = seed;
            this.asked = asked;
            this.name = name;
            type = question.getType();
            random = new Random(31 * seed + (name + " " + type).hashCode());
            // The first values of close seeds are alike.
            random.nextLong();
            isTruncatedOverUdp = isOneIn(10);
            hasOpt = random.nextBoolean();
            response.addRecord(question, Section.QUESTION);
            response.getHeader().setFlag(Flags.QR);
            response.getHeader().setFlag(Flags.RD);
            response.getHeader().setFlag(Flags.RA);
            if (name.equals(WWW)) {
                add(Section.ANSWER, data(name, Type.A));
                return;
            }
            if (random.nextBoolean()) {
                response.getHeader().setFlag(Flags.AA);
            }
            response.getHeader().setRcode(rcode());
            addAnswer();
            addAuthority();
            addAdditional();
        }

        private boolean isOneIn(int bound) {
            return random.nextInt(bound) == 0;
        }

        private int rcode() {
            int choice = random.nextInt(20);
            return choice < 12 ? Rcode.NOERROR : choice < 16 ? Rcode.NXDOMAIN : FAILURES[choice - 16];
        }

        /** Adds a chain of aliases, which may loop, records of the type at its end, and records that do not belong there. */
        private void addAnswer() {
            List<Record> records = new ArrayList<>();
            chain.add(name);
            int aliases = random.nextBoolean() ? 0 : random.nextInt(4);
            for (int i = 0; i < aliases; i++) {
                Name owner = chain.get(i);
                loops = i == aliases - 1 && name.labels() == LABELS && isOneIn(5);
                Name target = loops ? chain.get(random.nextInt(chain.size())) : below("alias" + i);
                records.add(new CNAMERecord(owner, DClass.IN, TTL, target));
                chain.add(target);
            }
            Name end = chain.get(aliases);
            int count = random.nextInt(4);
            hasData = count > 0;
            // A name has at most one CNAME record (RFC 2181, 10.1).
            for (int i = type == Type.CNAME ? Math.min(count, 1 - Math.min(aliases, 1)) : count; i > 0; i--) {
                records.add(data(end, type));
            }
            if (isOneIn(5)) {
                records.add(data(end, otherType()));
            }
            if (isOneIn(5)) {
                records.add(data(foreign(), type));
            }
            if (isOneIn(10)) {
                records.add(new CNAMERecord(foreign(), DClass.IN, TTL, below("alias")));
            }
            if (isOneIn(6)) {
                Collections.shuffle(records, random);
            }
            int start = chain.indexOf(asked);
            records.stream()
                    .filter(one -> loops || !isBefore(one.getName(), start))
                    .forEach(one -> add(Section.ANSWER, one));
        }

        /** Returns whether an owner is in the chain before the asked name, or at all if the asked name is not in the chain. */
        private boolean isBefore(Name owner, int start) {
            int position = chain.indexOf(owner);
            return position >= 0 && (start < 0 || position < start);
        }

        /** Returns the response over TCP; over UDP some are truncated. */
        Message response() {
            return response;
        }

        int type() {
            return type;
        }

        /** Returns whether the aliases loop. */
        boolean loops() {
            return loops;
        }

        private Name end() {
            return chain.get(chain.size() - 1);
        }

        /** Returns whether the last alias's target has to be queried. */
        private boolean isOpen() {
            return type != Type.CNAME
                    && response.getRcode() == Rcode.NOERROR
                    && chain.size() > 1
                    && !loops
                    && !hasData
                    && !hasSoa;
        }

        /** Returns the RCODE of the last response of the chain, which is the RCODE of the answer (RFC 6604, 2.1). */
        int rcodeOfChain() {
            return isOpen() ? of(seed, end(), type).rcodeOfChain() : response.getRcode();
        }

        /** Returns the records that answer the question: the aliases, and the records of the type at their end. */
        List<Record> belonging() {
            return response.getSection(Section.ANSWER).stream()
                    .filter(one -> type == Type.CNAME
                            ? one.getName().equals(asked) && one.getType() == Type.CNAME
                            : chain.contains(one.getName()) && (one.getType() == Type.CNAME || one.getType() == type))
                    .toList();
        }

        private void addAuthority() {
            switch (random.nextInt(6)) {
                case 0, 1 -> addOwnSoa(new Name(name, 1));
                case 2 -> addOwnSoa(new Name(name, name.labels() - 2));
                case 3 -> add(Section.AUTHORITY, soa(foreign()));
                default -> {
                    // No SOA record.
                }
            }
            if (isOneIn(5)) {
                Name owner = isOneIn(3) ? foreign() : isOneIn(2) ? name : new Name(name, 1);
                add(Section.AUTHORITY, new NSRecord(owner, DClass.IN, TTL, below("ns")));
                add(Section.ADDITIONAL, data(below("ns"), Type.A));
            }
        }

        private void addOwnSoa(Name zone) {
            hasSoa = true;
            add(Section.AUTHORITY, soa(zone));
        }

        private void addAdditional() {
            if (isOneIn(5)) {
                add(Section.ADDITIONAL, data(foreign(), type));
            }
            if (isOneIn(5)) {
                add(Section.ADDITIONAL, data(name, type));
            }
        }

        private void add(int section, Record one) {
            response.addRecord(one, section);
        }

        private Name below(String label) {
            return parsed(label + "." + name);
        }

        /** Returns a name that the question's zone does not contain. */
        private Name foreign() {
            return parsed("foreign-" + Integer.toHexString(name.hashCode()) + ".corp.example.");
        }

        private int otherType() {
            return type == Type.TXT ? Type.A : Type.TXT;
        }

        private static Record soa(Name zone) {
            return new SOARecord(zone, DClass.IN, TTL, zone, zone, 1, 3_600, 600, 86_400, 60);
        }

        private Record data(Name owner, int ofType) {
            int number = random.nextInt(256);
            String text = switch (ofType) {
                case Type.A -> "198.18.0." + number;
                case Type.AAAA -> "2001:db8::" + Integer.toHexString(number);
                case Type.MX -> number + " mail." + name;
                case Type.SRV -> "0 0 " + number + " host." + name;
                case Type.CNAME -> "target" + number + "." + name;
                // The type of loop probes.
                case Type.HINFO -> "cpu os";
                default -> Integer.toString(number);
            };
            try {
                return Record.fromString(owner, ofType, DClass.IN, TTL, text, Name.root);
            } catch (IOException unknownType) {
                throw new AssertionError(Type.string(ofType), unknownType);
            }
        }

        private static Name parsed(String text) {
            try {
                return Name.fromString(text);
            } catch (TextParseException tooLong) {
                throw new AssertionError(text, tooLong);
            }
        }
    }

    private byte[] answer(byte[] wire, boolean overUdp) throws IOException {
        Message query = new Message(wire);
        Script script = Script.of(seed, query.getQuestion());
        Message response = script.response;
        response.getHeader().setID(query.getHeader().getID());
        if (overUdp && script.isTruncatedOverUdp) {
            response.getHeader().setFlag(Flags.TC);
            for (int section : List.of(Section.ANSWER, Section.AUTHORITY, Section.ADDITIONAL)) {
                response.removeAllRecords(section);
            }
        }
        if (query.getOPT() != null && script.hasOpt) {
            response.addRecord(new OPTRecord(1_232, 0, 0), Section.ADDITIONAL);
        }
        return response.toWire();
    }

    private void serveUdp() {
        byte[] buffer = new byte[65_535];
        while (!udp.isClosed()) {
            try {
                DatagramPacket packet = new DatagramPacket(buffer, buffer.length);
                udp.receive(packet);
                byte[] response = answer(Arrays.copyOf(buffer, packet.getLength()), true);
                udp.send(new DatagramPacket(response, response.length, packet.getSocketAddress()));
            } catch (IOException closed) {
                // Or the client has closed its socket.
            }
        }
    }

    /** Serves one query for each connection; clients open another one. */
    private void serveTcp() {
        while (!tcp.isClosed()) {
            try (Socket connection = tcp.accept()) {
                DataInputStream in = new DataInputStream(connection.getInputStream());
                byte[] query = new byte[in.readUnsignedShort()];
                in.readFully(query);
                byte[] response = answer(query, false);
                connection
                        .getOutputStream()
                        .write(ByteBuffer.allocate(response.length + 2)
                                .putShort((short) response.length)
                                .put(response)
                                .array());
            } catch (IOException closed) {
                // Or the client has closed the connection.
            }
        }
    }

    @Override
    public void close() throws IOException {
        udp.close();
        tcp.close();
        try {
            for (Thread one : threads) {
                one.join();
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
