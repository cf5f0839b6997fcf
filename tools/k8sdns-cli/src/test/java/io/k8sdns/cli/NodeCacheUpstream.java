package io.k8sdns.cli;

import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.sockets.DnsServer;
import java.io.IOException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/** An upstream server on loopback with scripted answers that records its queries. */
final class NodeCacheUpstream implements AutoCloseable {
    private final List<Received> received = new CopyOnWriteArrayList<>();
    private final DnsServer server;

    /** A query that was received. */
    record Received(Question question, Client client) {
        String name() {
            return question.name().toString();
        }
    }

    private NodeCacheUpstream(DnsResolver resolver, int port) throws IOException {
        server = DnsServer.start(
                (question, client) -> {
                    // Ignores the loop probes of the cache.
                    if (question.type().number() != Type.HINFO) {
                        received.add(new Received(question, client));
                    }
                    return resolver.resolve(question, client);
                },
                port);
    }

    static NodeCacheUpstream start(DnsResolver resolver) throws IOException {
        return new NodeCacheUpstream(resolver, 0);
    }

    static NodeCacheUpstream start(DnsResolver resolver, int port) throws IOException {
        return new NodeCacheUpstream(resolver, port);
    }

    /** Starts a server with these records, {@code NAME TTL IN TYPE DATA} each; other names do not exist. */
    static NodeCacheUpstream holding(String... records) throws IOException {
        return start(ready(question -> answer(question, records)));
    }

    /** Returns a resolver with immediate answers. */
    static DnsResolver ready(Function<Question, Answer> answers) {
        return (question, client) -> new Resolution.Ready(answers.apply(question));
    }

    /**
     * Returns the records with the name and type of the question, after the CNAMEs to them; NXDOMAIN with an SOA if the name has no
     * records.
     */
    static Answer answer(Question question, String... records) {
        try {
            Message message = new Message();
            message.getHeader().setFlag(Flags.QR);
            message.addRecord(
                    Record.newRecord(question.name(), question.type().number(), question.dnsClass()), Section.QUESTION);
            boolean exists = false;
            boolean isFound = false;
            Name owner = question.name();
            // The records list a CNAME before its target.
            for (String line : records) {
                Record one = parse(line);
                if (one.getName().equals(owner)) {
                    exists = true;
                    boolean isAsked = one.getType() == question.type().number();
                    isFound |= isAsked;
                    if (isAsked || one instanceof CNAMERecord) {
                        message.addRecord(one, Section.ANSWER);
                    }
                    if (one instanceof CNAMERecord alias) {
                        owner = alias.getTarget();
                    }
                }
            }
            if (!isFound) {
                message.addRecord(parse(". 60 IN SOA ns.invalid. root.invalid. 1 2 3 4 60"), Section.AUTHORITY);
            }
            message.getHeader().setRcode(exists ? Rcode.NOERROR : Rcode.NXDOMAIN);
            return Answer.of(message);
        } catch (IOException invalid) {
            throw new IllegalArgumentException(invalid);
        }
    }

    private static Record parse(String line) throws IOException {
        String[] parts = line.split(" ", 5);
        return Record.fromString(
                Name.fromString(parts[0]), Type.value(parts[3]), 1, Long.parseLong(parts[1]), parts[4], Name.root);
    }

    String address() {
        return "127.0.0.1:" + server.port();
    }

    int port() {
        return server.port();
    }

    /** Returns the queries so far, without loop probes. */
    List<Received> received() {
        return received;
    }

    /** Returns the queries for a name so far. */
    List<Received> received(String name) {
        return received.stream()
                .filter(one -> one.name().equalsIgnoreCase(name))
                .toList();
    }

    @Override
    public void close() {
        server.close();
    }
}
