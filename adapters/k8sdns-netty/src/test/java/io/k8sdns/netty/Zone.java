package io.k8sdns.netty;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;

/** A zone without names; {@code later.} is answered when the test calls {@link #answerNext()}. */
final class Zone implements DnsResolver {
    final Deque<CompletableFuture<Answer>> later = new ArrayDeque<>();
    final Deque<Client> clients = new ArrayDeque<>();

    @Override
    public Resolution resolve(Question question, Client client) {
        clients.add(client);
        if (question.name().toString().startsWith("later")) {
            later.add(new CompletableFuture<>());
            return new Resolution.Pending(later.getLast());
        }
        return new Resolution.Ready(nothing());
    }

    DnsResponder responder() {
        return DnsResponder.builder(this).build();
    }

    void answerNext() {
        later.remove().complete(nothing());
    }

    private static Answer nothing() {
        return Answer.builder(Rcode.NXDOMAIN).authoritative().build();
    }

    /** Returns a responder of a real zone, which answers questions below {@code cluster.local.} immediately. */
    static DnsResponder ofACluster() {
        return DnsResponder.builder(
                        ResolverChain.of(ClusterZone.of(ClusterSnapshot.of(List.of()), ZoneSettings.DEFAULTS)))
                .build();
    }

    static byte[] query(int id, String name) {
        Message query = Message.newQuery(Record.newRecord(Name.fromConstantString(name), Type.A, DClass.IN));
        query.getHeader().setID(id);
        return query.toWire();
    }

    static Message parsed(byte[] response) {
        try {
            return new Message(response);
        } catch (IOException malformed) {
            throw new AssertionError(malformed);
        }
    }
}
