package io.k8sdns.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;

class DnsDatagramHandlerTest {
    private static final InetSocketAddress SERVER = new InetSocketAddress(InetAddress.getLoopbackAddress(), 53);
    private static final InetSocketAddress CLIENT = new InetSocketAddress(InetAddress.getLoopbackAddress(), 5353);

    private final Zone zone = new Zone();

    @Test
    void buffersOfEveryKindAreAnsweredAndReleased() {
        byte[] query = Zone.query(7, "missing.cluster.local.");
        for (ByteBuf buffer : List.of(
                Unpooled.copiedBuffer(query),
                Unpooled.directBuffer().writeBytes(query),
                Unpooled.wrappedBuffer(
                        Unpooled.copiedBuffer(query, 0, 20), Unpooled.copiedBuffer(query, 20, query.length - 20)),
                Unpooled.directBuffer().writeInt(0).writeBytes(query).skipBytes(4))) {
            for (DnsResponder responder : List.of(Zone.ofACluster(), zone.responder())) {
                EmbeddedChannel channel = new EmbeddedChannel(new DnsDatagramHandler(responder));
                channel.writeInbound(new DatagramPacket(buffer.retain(), SERVER, CLIENT));
                assertThat(answer(channel).getHeader().getID()).isEqualTo(7);
                channel.finish();
            }
            buffer.release();
            assertThat(buffer.refCnt()).isZero();
        }
    }

    @Test
    void theResponderReceivesTheClientAddress() {
        ask(new EmbeddedChannel(new DnsDatagramHandler(zone.responder())), 1, "any.test.");
        assertThat(zone.clients).containsExactly(Client.udp(CLIENT).withResponseLimit(512));
    }

    @Test
    void aLaterAnswerIsSentToItsClient() {
        EmbeddedChannel channel = new EmbeddedChannel(new DnsDatagramHandler(zone.responder()));
        ask(channel, 1, "later.test.");
        assertThat(channel.<Object>readOutbound()).isNull();
        zone.answerNext();
        assertThat(answer(channel).getHeader().getID()).isEqualTo(1);
    }

    @Test
    void ignoredQueriesGetNoResponse() {
        EmbeddedChannel channel = new EmbeddedChannel(new DnsDatagramHandler(zone.responder()));
        channel.writeInbound(new DatagramPacket(Unpooled.wrappedBuffer(new byte[5]), SERVER, CLIENT));
        assertThat(channel.<Object>readOutbound()).isNull();
    }

    @Test
    void otherMessagesArePassedOn() {
        EmbeddedChannel channel = new EmbeddedChannel(new DnsDatagramHandler(zone.responder()));
        channel.writeInbound("something else");
        assertThat(channel.<Object>readInbound()).isEqualTo("something else");
    }

    @Test
    void errorsOfTheVirtualMachineAreAnsweredAndPassedOnWithoutClosingTheChannel() {
        DnsResponder responder = DnsResponder.builder((question, client) -> {
                    throw new OutOfMemoryError("a resolver of a host");
                })
                .build();
        EmbeddedChannel channel = new EmbeddedChannel(new DnsDatagramHandler(responder));
        assertThatThrownBy(() -> ask(channel, 1, "any.test.")).hasMessage("a resolver of a host");
        assertThat(answer(channel).getRcode()).isEqualTo(Rcode.SERVFAIL);
        assertThat(channel.isOpen()).isTrue();
    }

    private static void ask(EmbeddedChannel channel, int id, String name) {
        channel.writeInbound(new DatagramPacket(Unpooled.wrappedBuffer(Zone.query(id, name)), SERVER, CLIENT));
    }

    private static Message answer(EmbeddedChannel channel) {
        DatagramPacket packet = channel.readOutbound();
        assertThat(packet.recipient()).isEqualTo(CLIENT);
        byte[] bytes = ByteBufUtil.getBytes(packet.content());
        packet.release();
        return Zone.parsed(bytes);
    }
}
