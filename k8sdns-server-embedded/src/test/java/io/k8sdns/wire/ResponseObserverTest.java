package io.k8sdns.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.zone.ClusterZone;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Opcode;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class ResponseObserverTest {
    private static final String CART = "cart.shop.svc.cluster.local.";

    private final ObservedMessage.Recorder recorder = new ObservedMessage.Recorder();

    @Test
    void anAnswerOfASessionIsReportedOnce() {
        byte[] query = Packet.query(CART, Type.A).bytes();
        DnsSession session = ofZone().session();

        assertThat(session.answer(ByteBuffer.wrap(query), Client.Transport.UDP)).isTrue();
        assertThat(recorder.messages)
                .containsExactly(new ObservedMessage(
                        1,
                        Client.Transport.UDP,
                        true,
                        Type.A,
                        false,
                        Rcode.NOERROR,
                        false,
                        query.length,
                        session.response().remaining()));
    }

    @Test
    void fastAnswerOfAResponderIsReportedOnce() {
        byte[] query = Packet.query("nobody.cluster.local.", Type.AAAA)
                .opt(1232, 0, Packet.DO)
                .bytes();
        DnsResponder responder = ofZone();
        int responseLength = Exchange.of(responder, Exchange.TCP, query).bytes().length;

        assertThat(responder.slowPathCount()).isZero();
        assertThat(recorder.messages)
                .containsExactly(new ObservedMessage(
                        1,
                        Client.Transport.TCP,
                        true,
                        Type.AAAA,
                        true,
                        Rcode.NXDOMAIN,
                        false,
                        query.length,
                        responseLength));
    }

    @Test
    void aQuestionOfTheSlowPathIsReportedWhenItIsAnswered() {
        byte[] query = Packet.query("cluster.local.", Type.SOA).bytes();
        DnsResponder responder = ofZone();

        DnsSession session = responder.session();
        assertThat(session.answer(ByteBuffer.wrap(query), Client.Transport.UDP)).isFalse();
        assertThat(recorder.messages).isEmpty();
        Exchange exchange = new Exchange();
        session.respond(Exchange.UDP, exchange);
        int responseLength = exchange.bytes().length;
        assertThat(recorder.messages)
                .containsExactly(new ObservedMessage(
                        1,
                        Client.Transport.UDP,
                        true,
                        Type.SOA,
                        false,
                        Rcode.NOERROR,
                        false,
                        query.length,
                        responseLength));
    }

    @Test
    void aPendingAnswerIsReportedOnCompletion() {
        CompletableFuture<Answer> later = new CompletableFuture<>();
        DnsResponder responder = of((question, client) -> new Resolution.Pending(later));
        Exchange exchange =
                Exchange.of(responder, Exchange.UDP, Packet.query(CART, Type.A).bytes());

        assertThat(recorder.messages).isEmpty();
        later.complete(Answer.failure(Rcode.REFUSED));
        assertThat(recorder.messages).extracting(ObservedMessage::rcode).containsExactly(Rcode.REFUSED);
        assertThat(recorder.messages)
                .extracting(ObservedMessage::responseBytes)
                .containsExactly(exchange.bytes().length);
    }

    @Test
    void aMessageWithoutAResponseIsReported() {
        byte[] response = Packet.query(CART, Type.A).flags(0x8000).bytes();
        Exchange.of(ofZone(), Exchange.UDP, response);
        Exchange.of(ofZone(), Exchange.TCP, new byte[11]);

        assertThat(recorder.messages)
                .containsExactly(
                        new ObservedMessage(1, Client.Transport.UDP, false, 0, false, 0, false, response.length, 0),
                        new ObservedMessage(2, Client.Transport.TCP, false, 0, false, 0, false, 11, 0));
    }

    @Test
    void queriesThatAreNotResolvedAreReported() {
        DnsResponder responder = ofZone();
        Exchange.of(
                responder,
                Exchange.UDP,
                Packet.query(CART, Type.A).opcode(Opcode.UPDATE).bytes());
        Exchange.of(responder, Exchange.UDP, new Packet().bytes());
        Exchange.of(
                responder,
                Exchange.UDP,
                Packet.query(CART, Type.A).opt(1232, 1, 0).bytes());

        assertThat(recorder.messages)
                .extracting(ObservedMessage::rcode)
                .containsExactly(Rcode.NOTIMP, Rcode.FORMERR, Rcode.BADVERS);
        assertThat(recorder.messages)
                .extracting(ObservedMessage::type)
                .containsExactly(Type.A, ResponseObserver.NO_TYPE, Type.A);
    }

    @Test
    void aThrowingResolverIsReportedAsServfail() {
        Exchange.of(
                of((question, client) -> {
                    throw new IllegalStateException("broken");
                }),
                Exchange.UDP,
                Packet.query(CART, Type.A).bytes());

        assertThat(recorder.messages).extracting(ObservedMessage::rcode).containsExactly(Rcode.SERVFAIL);
    }

    @Test
    void theOutcomeIsReportedBeforeTheResponseIsSent() {
        ofZone().respond(
                        ByteBuffer.wrap(Packet.query(CART, Type.A).bytes()),
                        Exchange.UDP,
                        response -> assertThat(recorder.messages).hasSize(1));

        assertThat(recorder.messages).hasSize(1);
    }

    private DnsResponder ofZone() {
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                ClusterIpService.of("shop", "cart", List.of(IpAddress.parse("10.96.0.20")), List.of())));
        return of(ResolverChain.of(ClusterZone.of(snapshot, new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL)));
    }

    private DnsResponder of(DnsResolver resolver) {
        return DnsResponder.builder(resolver).observer(recorder).build();
    }
}
