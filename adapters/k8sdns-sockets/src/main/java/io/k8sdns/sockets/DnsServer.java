package io.k8sdns.sockets;

import io.k8sdns.arguments.Copies;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.wire.DnsResponder;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.BindException;
import java.net.Inet4Address;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;

/**
 * A DNS server that answers on UDP and TCP at any number of addresses until it is closed.
 *
 * <pre>{@code
 * try (DnsServer server = DnsServer.start(zone, 0)) {
 *     ... // ask 127.0.0.1, port server.port()
 * }
 * }</pre>
 *
 * <p>Threads: one for all of TCP, however many connections there are, and for UDP one per address and processor ({@link
 * Builder#udpThreads}). They are named {@code k8sdns-tcp}, {@code k8sdns-udp-ADDRESS:PORT} and {@code k8sdns-udp-ADDRESS:PORT#2}
 * and so on, and are not daemon threads: a server that is not closed keeps the JVM running. They call the responder; if it blocks,
 * all clients of that thread wait.
 *
 * <p>Each UDP thread has a socket of its own; the kernel gives all datagrams of one client's port to the same one (SO_REUSEPORT).
 * Only Linux does so: on other systems, and for a wildcard in {@link UdpMode#PLAIN}, there is one thread per address.
 *
 * <p>Under more load than the server can answer, UDP queries wait in the receive buffer of each socket. It has 1 MiB by default;
 * {@link ServerLimits} or the kernel may set another size. On Linux 1 MiB holds 2,500 small queries, so that an answer is delayed by at
 * most about 20 ms. The kernel drops datagrams that do not fit; {@link #udpDrops()} counts them.
 *
 * <p>A wildcard listens on every address of the machine; each answer is sent from the address that received the query. {@code
 * 0.0.0.0} is all of IPv4; {@code ::} is all of IPv6 and, because of the JDK's sockets, also all of IPv4, so that the two cannot be
 * combined on the same port. An address that is added to the machine later is served on TCP immediately and on UDP within five
 * seconds. Of the loopback range of IPv4, UDP serves only 127.0.0.1 to 127.0.0.254 and 127.0.1.1. With {@link UdpMode#BATCHED}, all
 * addresses are served immediately.
 *
 * <p>Failures of sockets are logged by the {@link System.Logger} {@code io.k8sdns.sockets}, each kind at most once a minute, and so
 * are failures of a resolver that was passed to {@link #start(DnsResolver, int)}. For a {@link DnsResponder} of the host, set
 * {@link DnsResponder.Builder#failures}. Individual queries are not logged.
 */
public final class DnsServer implements AutoCloseable {
    private static final byte[] LOOPBACK = {127, 0, 0, 1};

    private static final int MAX_UDP_THREADS = 1_024;

    /** Ports tried for port 0 until one is free for TCP and UDP. */
    private static final int PORTS_TRIED = 32;

    /** The time that the thread of a listener may take to end after the listener has ended. */
    private static final long GRACE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final QueryHandler handler;
    private final List<InetSocketAddress> addresses = new ArrayList<>();
    private final List<Listener> listeners = new ArrayList<>();
    private final List<Thread> threads = new ArrayList<>();
    private boolean closed;

    private final int udpThreads;
    private final boolean sharesPort;
    private UdpTransport udp;

    private DnsServer(Builder builder) throws IOException {
        this.udp = transport(builder.udpMode);
        this.handler = new QueryHandler(builder.responder, builder.limits, new FailureLog());
        this.udpThreads = builder.udpThreads;
        this.sharesPort = builder.sharesPort;
    }

    /**
     * Returns a builder of a server.
     *
     * @param listen at least one address, each with its port; port 0 is one that is free for UDP and TCP
     * @param responder answers the queries. It must not use the query's buffer after {@code respond} has returned; its responses
     *     may be given later and from any thread
     * @throws IllegalArgumentException if there is no address
     */
    public static Builder builder(List<InetSocketAddress> listen, DnsResponder responder) {
        return new Builder(listen, responder);
    }

    /**
     * Answers the names of a zone on UDP and TCP at 127.0.0.1.
     *
     * @param zone the zone; every other name is REFUSED
     * @param port the port; 0 is one that is free, see {@link #port()}
     * @return the server, which answers already
     * @throws IOException if the port cannot be bound; the message names it
     */
    public static DnsServer start(ClusterZone zone, int port) throws IOException {
        return start(ResolverChain.of(zone), port);
    }

    /**
     * Answers questions with a resolver, on UDP and TCP at 127.0.0.1.
     *
     * @param resolver answers every question
     * @param port the port; 0 is one that is free, see {@link #port()}
     * @return the server, which answers already
     * @throws IOException if the port cannot be bound; the message names it
     */
    public static DnsServer start(DnsResolver resolver, int port) throws IOException {
        return builder(
                        List.of(new InetSocketAddress(InetAddress.getByAddress(LOOPBACK), port)),
                        DnsResponder.builder(resolver)
                                .failures(new FailureLog("io.k8sdns.sockets"))
                                .build())
                .start();
    }

    /**
     * Binds UDP and TCP at every address and starts to answer, with a thread per processor and address for UDP.
     *
     * @param listen at least one address, each with its port; port 0 is one that is free for UDP and TCP
     * @param responder answers the queries. It must not use the query's buffer after {@code respond} has returned; its responses
     *     may be given later and from any thread
     * @param limits the limits for clients
     * @return the server; everything in {@link #addresses()} answers
     * @throws IOException if an address cannot be bound; the message is one line that names it, and nothing stays bound
     * @throws IllegalArgumentException if there is no address
     */
    public static DnsServer start(List<InetSocketAddress> listen, DnsResponder responder, ServerLimits limits)
            throws IOException {
        return builder(listen, responder).limits(limits).start();
    }

    /**
     * Starts to answer, first the queries that have arrived since the addresses were bound; for a server that was created by {@link
     * Builder#bind}.
     *
     * @throws IllegalStateException if it answers already, or is closed
     */
    public synchronized void answer() {
        if (closed || !threads.isEmpty()) {
            throw new IllegalStateException(closed ? "the server is closed" : "the server answers already");
        }
        for (Listener listener : listeners) {
            threads.add(new Thread(listener, listener.threadName()));
        }
        threads.forEach(Thread::start);
    }

    /** Returns the addresses that the server listens on, in the given order; port 0 is replaced by the actual port. */
    public List<InetSocketAddress> addresses() {
        return List.copyOf(addresses);
    }

    /** Returns the first address; port 0 is replaced by the actual port. */
    public InetSocketAddress address() {
        return addresses.get(0);
    }

    /** Returns the port of the first address. */
    public int port() {
        return addresses.get(0).getPort();
    }

    /** Returns how the server receives and sends datagrams. */
    public UdpTransport udp() {
        return udp;
    }

    /**
     * Returns how many datagrams the kernel has dropped since the start because a socket's receive buffer was full.
     *
     * @return the number; empty if the system does not report it (Linux does)
     */
    public OptionalLong udpDrops() {
        return KernelDrops.at(addresses);
    }

    /**
     * Stops the server: accepts no new connection and no new query, answers the queries that it has received, closes the sockets
     * and ends the threads. Returns when that is done, at the latest shortly after {@link ServerLimits#drain()}. Closing again does
     * nothing.
     *
     * <p>Waits for forwarded queries, too: until they are answered, at the latest with SERVFAIL at the deadline of the {@link
     * io.k8sdns.upstream.ForwardingResolver}, or until the drain time has passed. A query that is not answered then is dropped on
     * UDP, and its connection is reset on TCP.
     *
     * <p>If the calling thread is interrupted, the sockets are closed at once.
     */
    @Override
    public void close() {
        if (endsUnstarted()) {
            return;
        }
        long deadline = System.nanoTime() + handler.limits().drain().toNanos();
        listeners.forEach(listener -> listener.stop(deadline));
        boolean wasInterrupted = false;
        try {
            join(deadline + GRACE_NANOS);
        } catch (InterruptedException interrupted) {
            wasInterrupted = true;
        }
        listeners.forEach(Listener::abort);
        try {
            join(System.nanoTime() + GRACE_NANOS);
        } catch (InterruptedException interrupted) {
            wasInterrupted = true;
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Closes the sockets of a server that never answered; returns whether this is one. */
    private synchronized boolean endsUnstarted() {
        if (threads.isEmpty() && !closed) {
            listeners.forEach(Listener::abort);
            listeners.forEach(Listener::run);
        }
        closed = true;
        return threads.isEmpty();
    }

    private void join(long deadline) throws InterruptedException {
        for (Thread thread : threads) {
            long millis = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
            if (thread != Thread.currentThread()) {
                thread.join(Math.max(1, millis));
            }
        }
    }

    private void bind(List<InetSocketAddress> listen) throws IOException {
        TcpListener tcp = new TcpListener(handler);
        listeners.add(tcp);
        for (InetSocketAddress address : listen) {
            if (address.isUnresolved()) {
                throw new UnknownHostException(address.getHostString() + ": unknown host");
            }
            int triesLeft = address.getPort() == 0 ? PORTS_TRIED : 1;
            try {
                while (!bindBoth(address, tcp, --triesLeft == 0)) {
                    // The port that is free for TCP is in use for UDP: try another one.
                }
            } catch (BindException failed) {
                throw named(address, failed);
            }
        }
    }

    /** Returns an exception that names the address of this server because of which another one is in use; otherwise the same exception. */
    private BindException named(InetSocketAddress address, BindException failed) {
        for (InetSocketAddress bound : addresses) {
            boolean isIncluded = includes(bound, address);
            if (BoundChannels.isInUse(failed) && (isIncluded || includes(address, bound))) {
                String other = AddressText.of(bound);
                BindException named = new BindException(failed.getMessage() + " by this server: "
                        + (isIncluded ? other + " includes it" : "it includes " + other));
                named.initCause(failed);
                return named;
            }
        }
        return failed;
    }

    /** Returns whether a socket at an address receives what is sent to another one. The wildcard of IPv6 includes IPv4. */
    private static boolean includes(InetSocketAddress wide, InetSocketAddress other) {
        return wide.getPort() == other.getPort()
                && wide.getAddress().isAnyLocalAddress()
                && (wide.getAddress() instanceof Inet6Address || other.getAddress() instanceof Inet4Address);
    }

    private boolean bindBoth(InetSocketAddress address, TcpListener tcp, boolean lastTry) throws IOException {
        PortSharing sharing =
                !sharesPort ? PortSharing.NONE : address.getPort() == 0 ? PortSharing.ADMIT : PortSharing.JOIN;
        ServerSocketChannel channel = BoundChannels.tcp(address, sharing);
        try {
            InetSocketAddress bound = new InetSocketAddress(
                    address.getAddress(), ((InetSocketAddress) channel.getLocalAddress()).getPort());
            bindUdp(bound, sharing);
            addresses.add(bound);
        } catch (IOException | RuntimeException failed) {
            channel.close();
            if (failed instanceof BindException && !lastTry) {
                return false;
            }
            throw failed;
        }
        tcp.acceptAt(channel);
        return true;
    }

    private void bindUdp(InetSocketAddress address, PortSharing sharing) throws IOException {
        List<UdpLoop> loops = loops(address, sharing);
        int bytes = loops.get(0).receiveBufferBytes();
        listeners.addAll(loops);
        udp = new UdpTransport(
                udp.mode(),
                udp.missing(),
                udp.threads() + loops.size(),
                udp.threads() == 0 ? bytes : Math.min(bytes, udp.receiveBufferBytes()));
    }

    private List<UdpLoop> loops(InetSocketAddress address, PortSharing sharing) throws IOException {
        if (udp.mode() == UdpMode.BATCHED) {
            return BatchedUdp.bind(address, udpThreads, handler, sharing);
        }
        if (address.getAddress().isAnyLocalAddress()) {
            return List.of(new WildcardUdpListener(
                    address, handler, sharing, LocalAddresses.OF_INTERFACES, WildcardUdpListener.RESCAN));
        }
        return ReusePortSockets.bind(address, BoundChannels.DISTRIBUTES ? udpThreads : 1, handler, sharing);
    }

    private static UdpTransport transport(UdpMode mode) throws IOException {
        Optional<String> missing = BatchedUdp.missing();
        if (mode == UdpMode.AUTO) {
            missing = missing.or(BatchedUdp::permission);
        } else if (mode == UdpMode.BATCHED && missing.isPresent()) {
            throw new IOException("batched UDP needs " + missing.get());
        }
        boolean batched = mode != UdpMode.PLAIN && missing.isEmpty();
        return new UdpTransport(
                batched ? UdpMode.BATCHED : UdpMode.PLAIN, mode == UdpMode.AUTO ? missing : Optional.empty(), 0, 0);
    }

    /** Builds a {@link DnsServer}. Not thread-safe. */
    public static final class Builder {
        private final List<InetSocketAddress> listen;
        private final DnsResponder responder;
        private ServerLimits limits = ServerLimits.DEFAULTS;
        private UdpMode udpMode = UdpMode.AUTO;
        private int udpThreads = Runtime.getRuntime().availableProcessors();
        private boolean sharesPort;

        private Builder(List<InetSocketAddress> listen, DnsResponder responder) {
            this.listen = Copies.list("listen", listen);
            this.responder = Objects.requireNonNull(responder, "responder");
            if (this.listen.isEmpty()) {
                throw new IllegalArgumentException("no address to listen at");
            }
        }

        /** Sets the limits for clients; {@link ServerLimits#DEFAULTS} by default. */
        public Builder limits(ServerLimits value) {
            limits = Objects.requireNonNull(value, "limits");
            return this;
        }

        /** Sets how datagrams are received and sent; {@link UdpMode#AUTO} by default. */
        public Builder udpMode(UdpMode value) {
            udpMode = Objects.requireNonNull(value, "udpMode");
            return this;
        }

        /**
         * Sets how many threads answer UDP at each address, on Linux; by default as many as there are processors.
         *
         * @param value 1 to 1024
         */
        public Builder udpThreads(int value) {
            if (value < 1 || value > MAX_UDP_THREADS) {
                throw new IllegalArgumentException("not a number of threads (1 to " + MAX_UDP_THREADS + "): " + value);
            }
            udpThreads = value;
            return this;
        }

        /**
         * Lets another server of the same user bind the same addresses if it also calls this method (SO_REUSEPORT). For an upgrade,
         * start the new server while the old one runs, then close the old one. The kernel distributes the clients between both;
         * only Linux does so. Off by default: then an address that is in use is an error.
         *
         * <p>Port 0 never becomes a port that another server shares.
         */
        public Builder sharePort() {
            sharesPort = true;
            return this;
        }

        /**
         * Binds UDP and TCP at every address and starts to answer.
         *
         * @return the server; everything in {@link #addresses()} answers
         * @throws IOException if an address cannot be bound; the message is one line that names it, and nothing stays
         *     bound. Or if {@link UdpMode#BATCHED} is not available
         */
        public DnsServer start() throws IOException {
            DnsServer server = bind();
            server.answer();
            return server;
        }

        /**
         * Binds UDP and TCP at every address and does not answer yet: queries wait in the sockets' queues until
         * {@link DnsServer#answer()}, as far as they fit. For a host that checks that the addresses are free before a long start.
         *
         * @return the server
         * @throws IOException as {@link #start()} does
         */
        public DnsServer bind() throws IOException {
            DnsServer server = new DnsServer(this);
            try {
                server.bind(listen);
            } catch (IOException | RuntimeException failed) {
                server.close();
                throw failed;
            }
            return server;
        }
    }
}
