package io.k8sdns.sockets;

import java.io.IOException;
import java.net.BindException;
import java.net.Inet6Address;
import java.net.InetSocketAddress;
import java.net.ProtocolFamily;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;
import java.nio.channels.NetworkChannel;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Opens and binds channels; the message of a failure names the address. */
final class BoundChannels {
    /** The number of connections that the kernel queues until they are accepted; Linux limits it to {@code net.core.somaxconn}. */
    private static final int BACKLOG = 1_024;

    /**
     * Whether the kernel distributes datagrams among the sockets of a port. Systems other than Linux have the option, too, but
     * deliver all datagrams to the socket that was bound last.
     */
    static final boolean DISTRIBUTES = System.getProperty("os.name").equals("Linux");

    private static final String IN_USE = " is in use";

    private BoundChannels() {}

    /**
     * Opens a channel that accepts connections, without blocking.
     *
     * @throws BindException if the address cannot be bound; the message is one line and names it
     */
    static ServerSocketChannel tcp(InetSocketAddress address, PortSharing sharing) throws IOException {
        ServerSocketChannel channel = open(address, ServerSocketChannel::open);
        try {
            channel.configureBlocking(false);
            bind(channel, sharing, () -> channel.bind(address, BACKLOG));
            return channel;
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw named(address, failed);
        }
    }

    /**
     * Opens a channel that receives datagrams, in blocking mode.
     *
     * @throws BindException if the address cannot be bound; the message is one line and names it
     */
    static DatagramChannel udp(InetSocketAddress address, int receiveBufferBytes, PortSharing sharing)
            throws IOException {
        DatagramChannel channel = open(address, DatagramChannel::open);
        try {
            channel.setOption(StandardSocketOptions.SO_RCVBUF, receiveBufferBytes);
            bind(channel, sharing, () -> channel.bind(address));
            return channel;
        } catch (IOException | RuntimeException failed) {
            channel.close();
            throw named(address, failed);
        }
    }

    /**
     * Opens channels that receive datagrams in blocking mode, all bound to one address, among which the kernel distributes the
     * clients.
     *
     * @param count their number; more than one only where {@link #DISTRIBUTES}
     * @throws BindException if the address cannot be bound, or another program has it and one of the two does not share
     */
    static List<DatagramChannel> udp(InetSocketAddress address, int count, int receiveBufferBytes, PortSharing sharing)
            throws IOException {
        List<DatagramChannel> channels = new ArrayList<>();
        try {
            // Unless the port is shared, the first channel is bound without SO_REUSEPORT. So a port of another program
            // is reported as in use even if that program shares it.
            channels.add(udp(address, receiveBufferBytes, sharing.ofFirst(count)));
            while (channels.size() < count) {
                DatagramChannel next = open(address, DatagramChannel::open);
                channels.add(next);
                next.setOption(StandardSocketOptions.SO_RCVBUF, receiveBufferBytes)
                        .setOption(StandardSocketOptions.SO_REUSEPORT, true)
                        .bind(address);
            }
            return channels;
        } catch (IOException | RuntimeException failed) {
            for (DatagramChannel channel : channels) {
                channel.close();
            }
            throw failed instanceof BindException named && channels.isEmpty() ? named : named(address, failed);
        }
    }

    /** Binds a channel, with SO_REUSEPORT before to join a port that is in use, or after to let others join. */
    private static void bind(NetworkChannel channel, PortSharing sharing, Binding binding) throws IOException {
        if (sharing == PortSharing.JOIN) {
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        }
        binding.bind();
        if (sharing == PortSharing.ADMIT) {
            channel.setOption(StandardSocketOptions.SO_REUSEPORT, true);
        }
    }

    /** Opens a channel of the family of the address: an IPv6 channel would convert an IPv4 address for each packet. */
    private static <C extends NetworkChannel> C open(InetSocketAddress address, Opener<C> opener) throws IOException {
        boolean six = address.getAddress() instanceof Inet6Address;
        try {
            return opener.open(six ? StandardProtocolFamily.INET6 : StandardProtocolFamily.INET);
        } catch (UnsupportedOperationException missing) {
            throw named(address, new IOException("this machine has no " + (six ? "IPv6" : "IPv4"), missing));
        }
    }

    private static BindException named(InetSocketAddress address, Exception failure) {
        BindException named = failed(address, String.valueOf(failure.getMessage()));
        named.initCause(failure);
        return named;
    }

    /** Returns an exception whose message is one line with the address and the reason. */
    static BindException failed(InetSocketAddress address, String reason) {
        return new BindException(AddressText.of(address)
                + (reason.toLowerCase(Locale.ROOT).contains("in use") ? IN_USE : ": " + reason));
    }

    /** Returns whether an exception of {@link #failed} is about an address in use. */
    static boolean isInUse(BindException failed) {
        return String.valueOf(failed.getMessage()).endsWith(IN_USE);
    }

    @FunctionalInterface
    private interface Binding {
        void bind() throws IOException;
    }

    @FunctionalInterface
    private interface Opener<C> {
        C open(ProtocolFamily family) throws IOException;
    }
}
