package io.k8sdns.benchmarks;

import io.k8sdns.cluster.Visibility;
import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.netty.DnsDatagramHandler;
import io.k8sdns.netty.DnsStreamHandler;
import io.k8sdns.netty.StreamLimits;
import io.k8sdns.records.RecordRules;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.ResolverChain;
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
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.List;

/** UDP and TCP on Netty with one thread, for {@code peers}: {@code NettyServer PORT MANIFEST}. */
public final class NettyServer {
    private NettyServer() {}

    /** Serves at 127.0.0.1 until the process is ended. */
    public static void main(String[] arguments) throws Exception {
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(ClusterZone.of(
                        Manifests.read(List.of(ManifestInput.path(Path.of(arguments[1]))), ManifestOptions.DEFAULTS)
                                .snapshot(),
                        new RecordRules(ZoneSettings.DEFAULTS),
                        Visibility.ALL)))
                .build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        InetSocketAddress address =
                new InetSocketAddress(InetAddress.getLoopbackAddress(), Integer.parseInt(arguments[0]));
        new ServerBootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<>() {
                    @Override
                    protected void initChannel(Channel channel) {
                        channel.pipeline().addLast(new DnsStreamHandler(responder, StreamLimits.DEFAULTS));
                    }
                })
                .bind(address)
                .sync();
        new Bootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, 1 << 20)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4_096))
                .handler(new DnsDatagramHandler(responder))
                .bind(address)
                .sync()
                .channel()
                .closeFuture()
                .sync();
    }
}
