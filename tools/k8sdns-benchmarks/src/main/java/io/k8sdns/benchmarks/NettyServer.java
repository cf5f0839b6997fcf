package io.k8sdns.benchmarks;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.netty.DnsDatagramHandler;
import io.k8sdns.netty.DnsStreamHandler;
import io.k8sdns.netty.StreamLimits;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelInitializer;
import io.netty.channel.ChannelOption;
import io.netty.channel.EventLoopGroup;
import io.netty.channel.FixedRecvByteBufAllocator;
import io.netty.channel.MultiThreadIoEventLoopGroup;
import io.netty.channel.epoll.Epoll;
import io.netty.channel.epoll.EpollDatagramChannel;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.epoll.EpollServerSocketChannel;
import io.netty.channel.nio.NioIoHandler;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A server over UDP and TCP on Netty with one thread, for the script {@code peers}: {@code NettyServer PORT MANIFEST}. */
public final class NettyServer implements AutoCloseable {
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            1, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
    private final Channel datagrams;

    /**
     * Starts to serve on 127.0.0.1.
     *
     * @param port the port for UDP and TCP; 0 for a free one
     */
    NettyServer(int port, Path manifest) throws IOException, InterruptedException {
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(ClusterZone.of(
                        Manifests.read(List.of(ManifestInput.path(manifest)), ManifestOptions.DEFAULTS)
                                .snapshot(),
                        new RecordRules(ZoneSettings.DEFAULTS),
                        Visibility.ALL)))
                .build();
        Channel streams = new ServerBootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new DnsStreamHandler(responder, StreamLimits.DEFAULTS));
                    }
                })
                .bind(InetAddress.getLoopbackAddress(), port)
                .sync()
                .channel();
        datagrams = new Bootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, 1 << 20)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4_096))
                .handler(new DnsDatagramHandler(responder))
                .bind(streams.localAddress())
                .sync()
                .channel();
    }

    /** Serves until the process is ended. */
    public static void main(String[] arguments) throws Exception {
        try (NettyServer server = new NettyServer(Integer.parseInt(arguments[0]), Path.of(arguments[1]))) {
            server.datagrams.closeFuture().sync();
        }
    }

    InetSocketAddress address() {
        return (InetSocketAddress) datagrams.localAddress();
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).syncUninterruptibly();
    }
}
