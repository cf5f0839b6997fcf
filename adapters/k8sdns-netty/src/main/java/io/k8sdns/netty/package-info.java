/**
 * DNS over UDP and TCP for hosts that run Netty: a handler for datagram channels and one for stream channels. Event loops,
 * transports, binding and limits on connections are the host's.
 *
 * <pre>
 * static ChannelFuture udp(EventLoopGroup group, DnsResponder responder, InetSocketAddress address) {
 *     return new Bootstrap()
 *             .group(group)
 *             .channel(Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class)
 *             .option(ChannelOption.SO_RCVBUF, 1 &lt;&lt; 20)
 *             .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4_096))
 *             .handler(new DnsDatagramHandler(responder))
 *             .bind(address);
 * }
 *
 * static ChannelFuture tcp(EventLoopGroup group, DnsResponder responder, InetSocketAddress address) {
 *     return new ServerBootstrap()
 *             .group(group)
 *             .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
 *             .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
 *             .childHandler(new ChannelInitializer&lt;SocketChannel&gt;() {
 *                 &#64;Override
 *                 protected void initChannel(SocketChannel channel) {
 *                     channel.pipeline().addLast(new DnsStreamHandler(responder, StreamLimits.DEFAULTS));
 *                 }
 *             })
 *             .bind(address);
 * }
 * </pre>
 *
 * <p>Start with {@link io.k8sdns.netty.DnsDatagramHandler} and {@link io.k8sdns.netty.DnsStreamHandler}. A host without
 * Netty uses {@code io.k8sdns.sockets}, which costs less per query and starts sooner.
 *
 * <p>Uses {@link io.k8sdns.wire}; does not depend on other adapters.
 */
@NullMarked
package io.k8sdns.netty;

import org.jspecify.annotations.NullMarked;
