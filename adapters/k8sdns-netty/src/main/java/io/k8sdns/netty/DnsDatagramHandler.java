package io.k8sdns.netty;

import io.k8sdns.resolver.Client;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.wire.DnsSession;
import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.socket.DatagramPacket;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.Objects;

/**
 * Answers the datagrams of a channel; one handler per channel.
 *
 * <p>Takes {@link DatagramPacket}s, hands on what is something else, and writes a {@code DatagramPacket} to the sender for
 * each answer: those that are at hand when a read completes leave with one flush, others when they come, from any thread.
 * While the channel is not writable answers are dropped, as the network may. The error of the virtual machine that
 * {@link DnsResponder} passes on, and why an answer could not be sent, goes to {@code exceptionCaught}; the channel stays
 * open.
 *
 * <p>A client drops answers that come from another address than it asked, and for a channel that is bound to a wildcard the
 * kernel chooses: bind one to each address.
 */
public final class DnsDatagramHandler extends ChannelInboundHandlerAdapter {
    private final DnsResponder responder;
    private boolean reading;

    /** Makes a handler of one channel. */
    public DnsDatagramHandler(DnsResponder responder) {
        this.responder = Objects.requireNonNull(responder, "responder");
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object message) {
        if (!(message instanceof DatagramPacket packet)) {
            context.fireChannelRead(message);
            return;
        }
        reading = true;
        try {
            answer(context, packet);
        } finally {
            packet.release();
        }
    }

    private void answer(ChannelHandlerContext context, DatagramPacket packet) {
        ByteBuf content = packet.content();
        ByteBuffer query = Answering.message(content, content.readerIndex(), content.readableBytes());
        InetSocketAddress from = packet.sender();
        try {
            DnsSession session = Answering.session(responder);
            if (session.answer(query, Client.Transport.UDP)) {
                send(context, session.response(), from);
            } else {
                session.respond(Client.udp(from), response -> send(context, response, from));
            }
        } catch (RuntimeException | Error broken) {
            context.fireExceptionCaught(broken);
        }
    }

    /** From any thread. */
    private void send(ChannelHandlerContext context, ByteBuffer response, InetSocketAddress to) {
        if (!context.channel().isWritable()) {
            return;
        }
        ByteBuf octets = context.alloc().ioBuffer(response.remaining()).writeBytes(response);
        DatagramPacket packet = new DatagramPacket(octets, to);
        ChannelFuture unused = context.executor().inEventLoop() && reading
                ? context.write(packet, context.voidPromise())
                : context.writeAndFlush(packet, context.voidPromise());
    }

    @Override
    public void channelReadComplete(ChannelHandlerContext context) {
        reading = false;
        context.flush();
        context.fireChannelReadComplete();
    }
}
