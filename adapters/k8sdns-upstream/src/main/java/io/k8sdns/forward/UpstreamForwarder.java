package io.k8sdns.forward;

import io.k8sdns.arguments.Copies;
import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.upstream.Forwarder;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Forwards each question to the DNS servers of the longest zone that contains its name.
 *
 * <pre>{@code
 * try (UpstreamForwarder forwarder = UpstreamForwarder.start(
 *         UpstreamZone.of(".", "192.0.2.53", "192.0.2.54"),
 *         UpstreamZone.of("corp.example", "tls://10.1.1.1#dns.corp.example"))) {
 *     DnsResolver resolver = ResolverChain.of(zone)
 *             .withUpstream(ForwardingResolver.builder(forwarder).build());
 * }
 * }</pre>
 *
 * <p>Host names of servers are looked up at the start, for at most five seconds. They are looked up again, on a separate thread,
 * whenever a server is marked down or fails a probe.
 *
 * <p>All other work runs on one thread, {@code k8sdns-upstream}, which completes the answers, and keeps the JVM running until {@link
 * #close}. Equal questions in flight share one query.
 *
 * <p>Each query over UDP has a random id and one of several random ports (RFC 5452); after a truncated answer the query is sent over
 * TCP. If a server does not answer, the next one is asked, until the deadline of the zone. After two consecutive failures a server is
 * marked down: it is asked last until it answers a probe. A server that does not support EDNS is asked without it. SERVFAIL and REFUSED
 * are answers, which the client receives unless {@link UpstreamZone.Builder#nextOnFailure} is set. Records of a response that do not
 * belong to the question are dropped.
 */
public final class UpstreamForwarder implements Forwarder, AutoCloseable {
    private static final int MAX_MESSAGE = 65_535;

    /** NXNAME, which has no name in dnsjava (RFC 9824). */
    private static final int NXNAME = 128;

    /** Types that have no data at any name and occur only in messages. */
    private static final Set<Integer> NO_DATA_TYPES = Set.of(0, Type.OPT, NXNAME, Type.TKEY, Type.TSIG);

    private static final Answer INVALID_TYPE = Answer.failure(
            Rcode.FORMERR, new ExtendedError(ExtendedError.INVALID_QUERY_TYPE, "no name can have data of this type"));

    private final IoLoop loop;
    private final RandomBytes random = new RandomBytes();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(MAX_MESSAGE);
    private final HostLookup lookup;
    private volatile Groups groups;

    /** The zones as configured, with host names; guarded by this. */
    private List<UpstreamZone> configured;

    /** The addresses of the server that uses this forwarder; guarded by this. */
    private List<InetSocketAddress> ownAddresses = List.of();

    /** Whether a lookup of host names is running; guarded by this. */
    private boolean isLookingUp;

    /** The replaced zones with questions in flight; used on the loop's thread. */
    private final Set<UpstreamGroup> retired = new HashSet<>();

    private final List<UpstreamObserver> observers;
    private final @Nullable SSLContext tls;
    private final Thread thread;

    private UpstreamForwarder(Builder builder) throws IOException {
        this.lookup = builder.lookup;
        this.configured = List.copyOf(builder.zones);
        List<UpstreamObserver> all = new ArrayList<>(builder.observers);
        if (builder.loops != null) {
            all.add(builder.loops.watch(this));
        }
        this.observers = List.copyOf(all);
        this.tls = builder.tls;
        List<UpstreamZone> zones = resolved(configured);
        this.loop = new IoLoop(builder.failures);
        this.groups = groups(zones, Groups.of(Map.of()));
        this.thread = new Thread(this::run, "k8sdns-upstream");
    }

    /**
     * Starts a forwarder with default settings.
     *
     * @param zones the zones, each name once
     * @throws IOException if the host name of a server cannot be looked up, or no file descriptor is left
     * @throws IllegalArgumentException if two zones have the same name
     */
    public static UpstreamForwarder start(UpstreamZone... zones) throws IOException {
        Builder builder = builder();
        for (UpstreamZone zone : zones) {
            builder.zone(zone);
        }
        return builder.start();
    }

    /** Returns a builder of a forwarder without zones. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * {@inheritDoc}
     *
     * <p>A name that no zone contains is answered with REFUSED, and a type that no name can have with FORMERR (RFC 9824, 3.5). If no server
     * answers, the stage fails with an {@link IOException} that names the last server. Cancelling it has no effect on equal questions.
     */
    @Override
    public CompletionStage<Answer> forward(Question question, Client client) {
        if (NO_DATA_TYPES.contains(question.type().number())) {
            return CompletableFuture.completedFuture(INVALID_TYPE);
        }
        Optional<UpstreamGroup> group = group(question);
        return group.isPresent() ? group.get().forward(question, client) : notForwarded(question);
    }

    /** Forwards the question of a loop probe; see {@link UpstreamGroup#forwardProbe}. */
    CompletionStage<Answer> forwardProbe(Question question) {
        return group(question).map(group -> group.forwardProbe(question)).orElseGet(() -> notForwarded(question));
    }

    private static CompletionStage<Answer> notForwarded(Question question) {
        return CompletableFuture.completedFuture(Answer.failure(
                Rcode.REFUSED,
                new ExtendedError(
                        ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not forwarded by this server")));
    }

    /**
     * Returns whether a zone contains the name of a question, so that {@link #forward} sends it to a server. For {@link
     * io.k8sdns.resolver.ResolverChain#withFallthrough(Set, java.util.function.Predicate)}.
     */
    public boolean isForwarded(Question question) {
        return group(question).isPresent();
    }

    /**
     * Returns whether this forwarder itself has refused a question, because the limit of {@link UpstreamZone.Builder#maxConcurrent} was
     * reached. Returns false for every response of a server.
     *
     * @param answer an answer of this forwarder, possibly with changed records or flags
     */
    @Internal
    public boolean isLimitReached(Answer answer) {
        return answer.rcode() == Rcode.REFUSED
                && answer.extendedError()
                        .filter(error -> groups.byName.values().stream().anyMatch(group -> group.isLimitReached(error)))
                        .isPresent();
    }

    /**
     * Returns a forwarder that sends every question to the servers of one zone, regardless of its name. Questions are REFUSED while
     * there is no such zone.
     *
     * @param zone the name of a zone, which may be added later by {@link #replaceZones}
     */
    public Forwarder toZone(DnsLabels zone) {
        Objects.requireNonNull(zone, "zone");
        return (question, client) -> {
            UpstreamGroup group = groups.byName.get(zone);
            return group == null ? notForwarded(question) : group.forward(question, client);
        };
    }

    /**
     * Returns a forwarder that trusts the servers of a zone only for names of that zone: an alias into another zone ends the answer,
     * and records of other zones are removed. For use behind a {@link io.k8sdns.resolver.ResolverChain} or an {@link
     * io.k8sdns.resolver.AliasChaser}, which resolves the target in its own zone; a cache in between should {@linkplain
     * AnswerCache.Builder#keepAliases keep aliases}.
     */
    public Forwarder endingAtOtherZones() {
        return (question, client) -> forward(question, client)
                .thenApply(answer -> answer.ownPart(question, name -> isOfOtherZone(name, question)));
    }

    private boolean isOfOtherZone(DnsLabels name, Question question) {
        Optional<UpstreamGroup> group = group(name);
        return group.isPresent() && !group.equals(group(question));
    }

    /** Returns the servers for a question. A DS record is in the parent zone of its name (RFC 4035, 3.1.4.1). */
    private Optional<UpstreamGroup> group(Question question) {
        DnsLabels name = question.labels();
        return group(question.type().number() == Type.DS && !name.isEmpty() ? name.skip(1) : name);
    }

    /**
     * Replaces all zones. Questions in flight are completed; unchanged zones keep their connections and the state of their servers.
     *
     * @param zones all zones, each name once
     * @return whether names are forwarded to other servers or with other settings than before, for {@link
     *     AnswerCache#invalidate(Predicate)} of a cache in front of this forwarder
     * @throws IOException if the host name of a server cannot be looked up, or a server has an address of {@link #requireOthers}; the
     *     zones are then unchanged
     * @throws IllegalArgumentException if two zones have the same name; the zones are then unchanged
     */
    public Predicate<DnsLabels> replaceZones(List<UpstreamZone> zones) throws IOException {
        List<UpstreamZone> all = Copies.list("zones", zones);
        List<UpstreamZone> found = resolved(all);
        synchronized (this) {
            LoopProbe.requireOthers(found, ownAddresses);
            configured = all;
            Groups before = groups;
            replace(found);
            return Groups.difference(before, groups);
        }
    }

    /**
     * Checks now, and whenever zones are replaced or host names are looked up again, that no server has an address of the server that
     * uses this forwarder. If a host name gets such an address later, the previous address stays in use. {@link LoopProbe#looping}
     * also finds indirect loops.
     *
     * @param listening the addresses that the server listens on; a wildcard is every address of this machine
     * @throws IOException if a server has one of these addresses; the message names both
     */
    public synchronized void requireOthers(Collection<InetSocketAddress> listening) throws IOException {
        ownAddresses = Copies.list("listening", listening);
        LoopProbe.requireOthers(zones(), ownAddresses);
    }

    private synchronized void replace(List<UpstreamZone> zones) {
        Groups before = groups;
        Groups after = groups(zones, before);
        groups = after;
        for (UpstreamGroup group : before.byName.values()) {
            if (!after.byName.containsValue(group)) {
                boolean unused = loop.execute(() -> {
                    retired.add(group);
                    group.retire(() -> retired.remove(group));
                });
            }
        }
    }

    /**
     * Looks up the host names of servers again, if there are any, on a new thread, because it may take seconds. A server whose address
     * has changed is then asked at its new address.
     */
    void lookUpAgain() {
        synchronized (this) {
            if (isLookingUp || configured.stream().noneMatch(UpstreamZone::hasHostNames)) {
                return;
            }
            isLookingUp = true;
        }
        Thread once = new Thread(this::lookUp, "k8sdns-upstream-lookup");
        once.setDaemon(true);
        once.start();
    }

    private void lookUp() {
        List<UpstreamZone> zones;
        synchronized (this) {
            zones = configured;
        }
        List<UpstreamZone> found = List.of();
        try {
            found = resolved(zones);
        } catch (IOException unknown) {
            // The current addresses stay; the next failed probe starts another lookup.
        }
        synchronized (this) {
            isLookingUp = false;
            // If the zones were replaced in the meantime, the replacement has looked up its own host names.
            if (!found.isEmpty() && configured.equals(zones) && areOthers(found)) {
                replace(found);
            }
        }
    }

    private synchronized boolean areOthers(List<UpstreamZone> zones) {
        try {
            LoopProbe.requireOthers(zones, ownAddresses);
            return true;
        } catch (IOException loop) {
            return false;
        }
    }

    private Groups groups(List<UpstreamZone> zones, Groups before) {
        Map<DnsLabels, UpstreamGroup> created = new LinkedHashMap<>();
        for (UpstreamZone zone : zones) {
            UpstreamGroup known = before.byName.get(zone.name());
            created.put(
                    zone.name(), known != null && known.zone().equals(zone) ? known : new UpstreamGroup(zone, this));
        }
        return Groups.of(created);
    }

    /**
     * The zones that are forwarded.
     *
     * @param maxLabels the number of labels of the longest zone name, which limits the labels of a question that are looked up
     */
    private record Groups(Map<DnsLabels, UpstreamGroup> byName, int maxLabels) {
        static Groups of(Map<DnsLabels, UpstreamGroup> byName) {
            int maxLabels =
                    byName.keySet().stream().mapToInt(DnsLabels::count).max().orElse(0);
            return new Groups(Collections.unmodifiableMap(byName), maxLabels);
        }

        /** Returns the servers of the longest zone that contains a name. */
        Optional<UpstreamGroup> group(DnsLabels name) {
            for (int skipped = Math.max(0, name.count() - maxLabels); skipped <= name.count(); skipped++) {
                UpstreamGroup group = byName.get(name.skip(skipped));
                if (group != null) {
                    return Optional.of(group);
                }
            }
            return Optional.empty();
        }

        /** Returns whether names have different servers or settings. The DS records of a name are those of its parent. */
        static Predicate<DnsLabels> difference(Groups one, Groups other) {
            Predicate<DnsLabels> differs = name -> !one.group(name).equals(other.group(name));
            return differs.or(name -> !name.isEmpty() && differs.test(name.skip(1)));
        }
    }

    /** Returns the zones, with the host names of servers resolved. */
    public List<UpstreamZone> zones() {
        return groups.byName.values().stream().map(UpstreamGroup::zone).toList();
    }

    private List<UpstreamZone> resolved(List<UpstreamZone> zones) throws IOException {
        Set<DnsLabels> names = new HashSet<>();
        List<UpstreamZone> resolved = new ArrayList<>();
        for (UpstreamZone zone : zones) {
            if (!names.add(zone.name())) {
                throw new IllegalArgumentException("two zones named " + zone.name() + ".");
            }
            resolved.add(zone.resolved(lookup));
        }
        return resolved;
    }

    private Optional<UpstreamGroup> group(DnsLabels name) {
        return groups.group(name);
    }

    IoLoop loop() {
        return loop;
    }

    RandomBytes random() {
        return random;
    }

    /** Returns the buffer for received datagrams, shared by all sockets. */
    ByteBuffer datagram() {
        return datagram;
    }

    SSLContext tlsContext() throws IOException {
        if (tls != null) {
            return tls;
        }
        try {
            return SSLContext.getDefault();
        } catch (NoSuchAlgorithmException missing) {
            throw new IOException(missing);
        }
    }

    void observe(Consumer<UpstreamObserver> event) {
        for (UpstreamObserver observer : observers) {
            try {
                event.accept(observer);
            } catch (RuntimeException | Error ignored) {
                // A failing observer must not prevent the answer.
            }
        }
    }

    private void run() {
        loop.run();
        groups.byName.values().forEach(UpstreamGroup::close);
        retired.forEach(UpstreamGroup::close);
        try {
            loop.release();
        } catch (IOException ignored) {
            // The loop is not used any more.
        }
    }

    /**
     * Closes all sockets and ends the thread. Questions in flight fail. Waits for the end of the thread, unless called on that thread
     * or interrupted. Closing again does nothing.
     */
    @Override
    public void close() {
        loop.close();
        if (Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Collects the settings of a forwarder. */
    public static final class Builder {
        private final List<UpstreamZone> zones = new ArrayList<>();
        private final List<UpstreamObserver> observers = new ArrayList<>();
        private Consumer<Throwable> failures = failure -> {};
        private HostLookup lookup = HostLookup.OF_SYSTEM;
        private @Nullable SSLContext tls;
        private @Nullable Loops loops;

        private Builder() {}

        private record Loops(LoopProbe probe, Consumer<? super List<UpstreamZone>> changed) {
            UpstreamObserver watch(UpstreamForwarder forwarder) {
                return new LoopWatch(
                        forwarder::zones, zone -> probe.isLooping(forwarder, zone), changed, System::nanoTime);
            }
        }

        /**
         * Adds a zone.
         *
         * @param zone a zone whose name no other zone has
         */
        public Builder zone(UpstreamZone zone) {
            zones.add(Objects.requireNonNull(zone, "zone"));
            return this;
        }

        /** Adds an observer. Observers are called in the order of their addition. */
        public Builder observer(UpstreamObserver value) {
            observers.add(Objects.requireNonNull(value, "observer"));
            return this;
        }

        /**
         * Probes a zone for a loop while its servers fail, because a change of another server can close a loop at any time. A zone is
         * probed after SERVFAIL, after a timeout, and when a server is marked down: at first after 30 seconds again, later less
         * often, at least every 15 minutes. By default a host probes itself with {@link LoopProbe#looping}.
         *
         * <pre>{@code
         * LoopProbe probe = new LoopProbe();
         * UpstreamForwarder forwarder = UpstreamForwarder.builder()
         *         .zone(UpstreamZone.of(".", "192.0.2.53"))
         *         .findLoops(probe, zones -> log(zones))
         *         .start();
         * DnsServer server = DnsServer.start(probe.watching(resolver), 53);
         * }</pre>
         *
         * @param probe the probe through which the server answers ({@link LoopProbe#watching}); no loop is found otherwise
         * @param changed receives the looping zones when they have changed, on the forwarder's thread; an empty list after the last
         *     loop is gone
         */
        public Builder findLoops(LoopProbe probe, Consumer<? super List<UpstreamZone>> changed) {
            loops = new Loops(Objects.requireNonNull(probe, "findLoops"), Objects.requireNonNull(changed, "findLoops"));
            return this;
        }

        /** Sets the receiver of internal errors, of this library or of the system, for a log; they are ignored by default. */
        public Builder failures(Consumer<Throwable> value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Sets the context that checks certificates of servers; the JDK's default context by default. */
        public Builder tls(SSLContext value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** Sets the lookup of host names; that of the system by default. */
        Builder lookup(HostLookup value) {
            lookup = value;
            return this;
        }

        /**
         * Looks up the host names of servers, and starts the thread.
         *
         * @throws IOException if a host name cannot be looked up, or no file descriptor is available
         * @throws IllegalArgumentException if two zones have the same name
         */
        public UpstreamForwarder start() throws IOException {
            UpstreamForwarder forwarder = new UpstreamForwarder(this);
            forwarder.thread.start();
            return forwarder;
        }
    }
}
