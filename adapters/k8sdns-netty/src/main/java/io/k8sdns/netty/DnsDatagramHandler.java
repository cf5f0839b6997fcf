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
 * <p>Consumes {@link DatagramPacket}s, passes all other messages on, and writes a {@code DatagramPacket} to the sender for each
 * answer. Answers that are ready when a read completes are sent with one flush; later answers are sent when they are ready, from
 * any thread. While the channel is not writable answers are dropped, as a network may drop them. An error of the virtual machine that
 * {@link DnsResponder} passes on, and the reason why an answer could not be sent, are passed to {@code exceptionCaught}; the
 * channel stays open.
 *
 * <p>A client drops an answer that does not come from the address of its query, and the kernel chooses the source address of a
 * channel that is bound to a wildcard: bind a channel to each address.
 */
public final class DnsDatagramHandler extends ChannelInboundHandlerAdapter {
    private final DnsResponder responder;
    private boolean reading;

    /** Creates a handler for one channel. */
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
        ByteBuffer query = HandlerFunctions.message(content, content.readerIndex(), content.readableBytes());
        InetSocketAddress from = packet.sender();
        try {
            DnsSession session = HandlerFunctions.session(responder);
            if (session.answer(query, Client.Transport.UDP)) {
                send(context, session.response(), from);
            } else {
                session.respond(Client.udp(from), response -> send(context, response, from));
            }
        } catch (RuntimeException | Error broken) {
            context.fireExceptionCaught(broken);
        }
    }

    /** Sends a response, from any thread. */
    private void send(ChannelHandlerContext context, ByteBuffer response, InetSocketAddress to) {
        if (!context.channel().isWritable()) {
            return;
        }
        ByteBuf bytes = context.alloc().ioBuffer(response.remaining()).writeBytes(response);
        DatagramPacket packet = new DatagramPacket(bytes, to);
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
