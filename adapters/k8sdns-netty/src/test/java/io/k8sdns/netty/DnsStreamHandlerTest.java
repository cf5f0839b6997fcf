package io.k8sdns.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.wire.DnsResponder;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufUtil;
import io.netty.buffer.Unpooled;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.channel.socket.ChannelInputShutdownEvent;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class DnsStreamHandlerTest {
    private static final StreamLimits LIMITS = StreamLimits.builder().queries(2).build();

    private final Zone zone = new Zone();
    private final EmbeddedChannel channel = open(zone.responder());

    private static EmbeddedChannel open(DnsResponder responder) {
        EmbeddedChannel channel = new EmbeddedChannel();
        channel.freezeTime();
        channel.pipeline().addLast(new DnsStreamHandler(responder, LIMITS));
        return channel;
    }

    @Test
    void queriesInOneBufferAndByteByByteAreTheSame() {
        for (DnsResponder responder : List.of(Zone.ofACluster(), zone.responder())) {
            EmbeddedChannel together = open(responder);
            EmbeddedChannel apart = open(responder);
            ByteBuf queries = Unpooled.buffer();
            for (int id = 0; id < 20; id++) {
                queries.writeBytes(framed(id, "missing.cluster.local."));
            }
            for (int i = 0; i < queries.readableBytes(); i++) {
                apart.writeInbound(queries.retainedSlice(i, 1));
            }
            together.writeInbound(queries);
            List<Integer> ids = ids(together);
            assertThat(ids).hasSize(20).isSorted().isEqualTo(ids(apart));
            assertThat(queries.refCnt()).isZero();
        }
    }

    @Test
    void theLongestMessageIsAccepted() {
        ByteBuf longest = Unpooled.buffer().writeShort(65_535).writeBytes(Zone.query(9, "any.test."));
        longest.writeZero(65_537 - longest.readableBytes());
        channel.writeInbound(longest.copy(0, 40_000), longest.copy(40_000, 25_537));
        // Bytes after the question make the query malformed, and FORMERR is a response, too.
        assertThat(ids(channel)).containsExactly(9);
    }

    @Test
    void answersAreSentInTheOrderOfCompletion() {
        channel.writeInbound(framed(1, "later.test."), framed(2, "any.test."));
        assertThat(ids(channel)).containsExactly(2);
        zone.answerNext();
        assertThat(ids(channel)).containsExactly(1);
    }

    @Test
    void queriesBeyondTheLimitStopReading() {
        channel.writeInbound(Unpooled.wrappedBuffer(
                framed(1, "later.test."), framed(2, "later.test."), framed(3, "later.test."), framed(4, "any.test.")));
        assertThat(zone.later).hasSize(2);
        assertThat(channel.config().isAutoRead()).isFalse();
        zone.answerNext();
        assertThat(zone.later).as("the third query has been started").hasSize(2);
        zone.answerNext();
        zone.answerNext();
        assertThat(ids(channel)).containsExactly(1, 2, 4, 3);
        assertThat(channel.config().isAutoRead()).isTrue();
    }

    @Test
    void anIdleConnectionIsClosed() {
        pass(9);
        channel.writeInbound(framed(1, "any.test."));
        pass(9);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aSlowWriterIsDisconnected() {
        ByteBuf query = framed(1, "any.test.");
        for (int i = 0; i < 5; i++) {
            channel.writeInbound(query.copy(i, 1));
            pass(1);
        }
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aQueryWithoutAResponseClosesItsConnection() {
        channel.writeInbound(framed(1, "later.test."));
        pass(29);
        assertThat(channel.isOpen()).isTrue();
        pass(1);
        assertThat(channel.isOpen()).isFalse();
        zone.answerNext();
        assertThat(ids(channel)).isEmpty();
    }

    @Test
    void aClientThatHasEndedItsSideGetsItsAnswers() {
        channel.writeInbound(framed(1, "later.test."));
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(channel.isOpen()).isTrue();
        zone.answerNext();
        channel.runPendingTasks();
        assertThat(ids(channel)).containsExactly(1);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aClientThatEndsItsSideWithinAMessageIsClosed() {
        channel.writeInbound(framed(1, "any.test.").copy(0, 7));
        channel.pipeline().fireUserEventTriggered(ChannelInputShutdownEvent.INSTANCE);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void errorsOfTheVirtualMachineAreAnsweredAndPassedOnWithoutClosingTheConnection() {
        EmbeddedChannel broken = open(DnsResponder.builder((question, client) -> {
                    throw new OutOfMemoryError("a resolver of a host");
                })
                .build());
        assertThatThrownBy(() -> broken.writeInbound(framed(1, "any.test."))).hasMessage("a resolver of a host");
        assertThat(ids(broken)).containsExactly(1);
        assertThat(broken.isOpen()).isTrue();
        assertThat(broken.config().isAutoRead()).isTrue();
    }

    @Test
    void unreadBuffersAreReleasedAtTheEnd() {
        ByteBuf half = framed(1, "any.test.").copy(0, 7);
        channel.writeInbound(half);
        channel.finish();
        assertThat(half.refCnt()).isZero();
    }

    @Test
    void invalidLimitsAreRefused() {
        assertThatThrownBy(() -> StreamLimits.builder().queries(0).build()).hasMessage("queries must be at least 1: 0");
        assertThatThrownBy(() -> StreamLimits.builder().idle(Duration.ZERO).build())
                .hasMessageStartingWith("idle must be");
    }

    private void pass(int seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    private static ByteBuf framed(int id, String name) {
        byte[] query = Zone.query(id, name);
        return Unpooled.buffer().writeShort(query.length).writeBytes(query);
    }

    /** Returns the IDs of the responses since the last call. */
    private static List<Integer> ids(EmbeddedChannel channel) {
        channel.runPendingTasks();
        List<Integer> ids = new ArrayList<>();
        for (ByteBuf framed = channel.readOutbound(); framed != null; framed = channel.readOutbound()) {
            assertThat(framed.readUnsignedShort()).isEqualTo(framed.readableBytes());
            ids.add(Zone.parsed(ByteBufUtil.getBytes(framed)).getHeader().getID());
            framed.release();
        }
        return ids;
    }
}
