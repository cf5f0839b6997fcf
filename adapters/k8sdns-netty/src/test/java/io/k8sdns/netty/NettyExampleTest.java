package io.k8sdns.netty;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import io.netty.bootstrap.Bootstrap;
import io.netty.bootstrap.ServerBootstrap;
import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
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
import io.netty.channel.socket.SocketChannel;
import io.netty.channel.socket.nio.NioDatagramChannel;
import io.netty.channel.socket.nio.NioServerSocketChannel;
import io.netty.util.Version;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Section;

/** The code of the README, run with and without the native transport. */
@Timeout(300)
class NettyExampleTest {
    private static final Path MODULE = Path.of(System.getProperty("k8sdns.root"), "adapters/k8sdns-netty");

    // region
    static ChannelFuture udp(EventLoopGroup group, DnsResponder responder, InetSocketAddress address) {
        return new Bootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollDatagramChannel.class : NioDatagramChannel.class)
                .option(ChannelOption.SO_RCVBUF, 1 << 20)
                .option(ChannelOption.RECVBUF_ALLOCATOR, new FixedRecvByteBufAllocator(4_096))
                .handler(new DnsDatagramHandler(responder))
                .bind(address);
    }

    static ChannelFuture tcp(EventLoopGroup group, DnsResponder responder, InetSocketAddress address) {
        return new ServerBootstrap()
                .group(group)
                .channel(Epoll.isAvailable() ? EpollServerSocketChannel.class : NioServerSocketChannel.class)
                .childOption(ChannelOption.ALLOW_HALF_CLOSURE, true)
                .childHandler(new ChannelInitializer<SocketChannel>() {
                    @Override
                    protected void initChannel(SocketChannel channel) {
                        channel.pipeline().addLast(new DnsStreamHandler(responder, StreamLimits.DEFAULTS));
                    }
                })
                .bind(address);
    }
    // endregion

    @Test
    void theReadmeShowsThisCode() throws IOException {
        String readme = Files.readString(MODULE.resolve("README.md"));
        List<String> shown = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
                .matcher(readme)
                .results()
                .map(match -> match.group(1))
                .toList();
        assertThat(shown).containsExactly(regions()[3].indent(-8), regions()[1].indent(-4));
        Version netty = Objects.requireNonNull(Version.identify().get("netty-transport"));
        assertThat(readme).contains("<version>" + netty.artifactVersion() + "</version>");
    }

    @Test
    void thePackageShowsThisCode() throws IOException {
        String shown = Files.readString(MODULE.resolve("src/main/java/io/k8sdns/netty/package-info.java"))
                .split(" \\* </?pre>\n", -1)[1]
                .lines()
                .map(line -> line.replaceFirst("^ \\* ?", ""))
                .collect(Collectors.joining("\n", "", "\n"))
                .replace("&lt;", "<")
                .replace("&gt;", ">")
                .replace("&#64;", "@");
        assertThat(shown).isEqualTo(regions()[1].indent(-4));
    }

    /** The source of this class, split at the ends of its regions: those with odd numbers are inside. */
    private static String[] regions() throws IOException {
        return Files.readString(MODULE.resolve("src/test/java/io/k8sdns/netty/NettyExampleTest.java"))
                .split(" *// (?:end)?region\n", -1);
    }

    @Test
    void servesAZone() throws Exception {
        int port = 0;
        // region
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        DnsResponder responder = DnsResponder.builder(ResolverChain.of(zone)).build();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        InetSocketAddress address = new InetSocketAddress(InetAddress.getLoopbackAddress(), port);
        Channel udp = udp(group, responder, address).sync().channel();
        Channel tcp = tcp(group, responder, address).sync().channel();
        // endregion
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            client.setSoTimeout(60_000);
            byte[] query = Zone.query(1, "cart.shop.svc.cluster.local.");
            client.send(new DatagramPacket(query, query.length, udp.localAddress()));
            DatagramPacket response = new DatagramPacket(new byte[512], 512);
            client.receive(response);
            assertThat(Zone.parsed(response.getData()).getSection(Section.ANSWER))
                    .singleElement()
                    .satisfies(one -> assertThat(one.rdataToString()).isEqualTo("10.96.0.20"));
            assertThat(tcp.isActive()).isTrue();
        } finally {
            group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS)
                    .sync();
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void answersOverUdpAndTcp(boolean atOnce) throws Exception {
        DnsResponder responder = atOnce ? Zone.ofACluster() : new Zone().responder();
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(
                1, Epoll.isAvailable() ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());
        try {
            InetSocketAddress any = new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
            ask(udp(group, responder, any).sync());
            askOverTcp(tcp(group, responder, any).sync());
        } finally {
            group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS)
                    .sync();
        }
    }

    @Test
    void answersWithoutANativeTransport() throws Exception {
        EventLoopGroup group = new MultiThreadIoEventLoopGroup(1, NioIoHandler.newFactory());
        try {
            ask(new Bootstrap()
                    .group(group)
                    .channel(NioDatagramChannel.class)
                    .handler(new DnsDatagramHandler(Zone.ofACluster()))
                    .bind(InetAddress.getLoopbackAddress(), 0)
                    .sync());
        } finally {
            group.shutdownGracefully(0, 1, java.util.concurrent.TimeUnit.SECONDS)
                    .sync();
        }
    }

    private static void ask(ChannelFuture bound) throws IOException {
        try (DatagramSocket client = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            client.setSoTimeout(60_000);
            for (int id = 0; id < 100; id++) {
                byte[] query = Zone.query(id, "missing.cluster.local.");
                client.send(
                        new DatagramPacket(query, query.length, bound.channel().localAddress()));
            }
            for (int id = 0; id < 100; id++) {
                DatagramPacket response = new DatagramPacket(new byte[512], 512);
                client.receive(response);
                assertThat(Zone.parsed(response.getData()).getHeader().getID()).isEqualTo(id);
            }
        }
    }

    private static void askOverTcp(ChannelFuture bound) throws IOException {
        InetSocketAddress server = (InetSocketAddress) bound.channel().localAddress();
        try (Socket client = new Socket(server.getAddress(), server.getPort())) {
            client.setSoTimeout(60_000);
            DataOutputStream out = new DataOutputStream(client.getOutputStream());
            for (int id = 0; id < 200; id++) {
                byte[] query = Zone.query(id, "missing.cluster.local.");
                out.writeShort(query.length);
                out.write(query);
            }
            client.shutdownOutput();
            DataInputStream in = new DataInputStream(client.getInputStream());
            for (int id = 0; id < 200; id++) {
                byte[] response = in.readNBytes(in.readUnsignedShort());
                assertThat(Zone.parsed(response).getHeader().getID()).isEqualTo(id);
            }
            assertThat(in.read()).as("end of stream").isEqualTo(-1);
        }
    }
}
