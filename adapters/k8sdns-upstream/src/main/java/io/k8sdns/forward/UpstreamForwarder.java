package io.k8sdns.forward;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.upstream.Forwarder;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
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
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Forwards questions to other DNS servers: those of the longest zone that the name ends with.
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
 * <p>A server that is given by host name is looked up at the start, for at most five seconds, and again on a thread of its own
 * whenever a server has been set aside or has failed a probe.
 *
 * <p>One thread, {@code k8sdns-upstream}, does everything else, however many questions are under way; it keeps the JVM running until
 * {@link #close}. Answers are completed on it. Questions that are equal and under way at the same time cost one query.
 *
 * <p>Over UDP each query has a random id and one of several random ports (RFC 5452); a truncated answer is asked for over TCP. A
 * server that does not answer is followed by the next one until the deadline of the zone; two failures in a row set it aside until
 * it answers a probe. A server that does not know EDNS is asked without it. SERVFAIL and REFUSED are answers: they are handed on, unless {@link
 * UpstreamZone.Builder#nextOnFailure} says otherwise.
 * Of a response only what was asked for is kept.
 */
public final class UpstreamForwarder implements Forwarder, AutoCloseable {
    private static final int LARGEST_MESSAGE = 65_535;

    /** NXNAME, which has no name in dnsjava (RFC 9824). */
    private static final int NXNAME = 128;

    /** Types of which no name has data: they stand in messages alone. */
    private static final Set<Integer> NO_DATA_TYPES = Set.of(0, Type.OPT, NXNAME, Type.TKEY, Type.TSIG);

    private static final Answer INVALID_TYPE = Answer.failure(
            Rcode.FORMERR, new ExtendedError(ExtendedError.INVALID_QUERY_TYPE, "no name has data of this type"));

    private final IoLoop loop;
    private final RandomBytes random = new RandomBytes();
    private final ByteBuffer datagram = ByteBuffer.allocateDirect(LARGEST_MESSAGE);
    private final HostLookup lookup;
    private volatile Groups groups;

    /** The zones as they were given, with host names; guarded by this. */
    private List<UpstreamZone> given;

    /** Whether host names are being looked up again; guarded by this. */
    private boolean looksUp;

    /** The zones that were replaced and still have questions under way; for the loop's thread. */
    private final Set<UpstreamGroup> retired = new HashSet<>();

    private final List<UpstreamObserver> observers;
    private final @Nullable SSLContext tls;
    private final Thread thread;

    private UpstreamForwarder(Builder builder) throws IOException {
        this.lookup = builder.lookup;
        this.given = List.copyOf(builder.zones);
        this.observers = List.copyOf(builder.observers);
        this.tls = builder.tls;
        List<UpstreamZone> zones = resolved(given);
        this.loop = new IoLoop(builder.failures);
        this.groups = groups(zones, Groups.of(Map.of()));
        this.thread = new Thread(this::run, "k8sdns-upstream");
    }

    /**
     * Starts a forwarder with default settings.
     *
     * @param zones the zones, each name once
     * @throws IOException if the host name of a server cannot be looked up, or there is no file descriptor left
     * @throws IllegalArgumentException if a zone is given twice
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
     * <p>A name that ends with no zone is REFUSED, and a type that no name can have is FORMERR (RFC 9824, 3.5). The stage fails with an {@link IOException} that names the last server if none
     * has answered, and is cancelled without effect on equal questions.
     */
    @Override
    public CompletionStage<Answer> forward(Question question, Client client) {
        if (NO_DATA_TYPES.contains(question.type().number())) {
            return CompletableFuture.completedFuture(INVALID_TYPE);
        }
        Optional<UpstreamGroup> group = group(question);
        return group.isPresent() ? group.get().forward(question, client) : notForwarded(question);
    }

    private static CompletionStage<Answer> notForwarded(Question question) {
        return CompletableFuture.completedFuture(Answer.failure(
                Rcode.REFUSED,
                new ExtendedError(
                        ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not forwarded by this server")));
    }

    /**
     * Returns a forwarder that sends each question to the servers of one zone, whatever its name. A question is REFUSED while there
     * is no zone with this name.
     *
     * @param zone the name of a zone, of now or of a later {@link #replaceZones}
     */
    public Forwarder toZone(DnsLabels zone) {
        Objects.requireNonNull(zone, "zone");
        return (question, client) -> {
            UpstreamGroup group = groups.byName.get(zone);
            return group == null ? notForwarded(question) : group.forward(question, client);
        };
    }

    /**
     * Returns a forwarder that believes the servers of a zone about the names of that zone alone: an answer ends with an alias that
     * leads to a name of another zone, and says nothing else about names of other zones. For a {@link
     * io.k8sdns.resolver.ResolverChain} or an {@link io.k8sdns.resolver.AliasChaser} in front, which resolves the target where it
     * belongs; a cache in between {@linkplain AnswerCache.Builder#keepAliases keeps aliases}.
     */
    public Forwarder endingAtOtherZones() {
        return (question, client) -> forward(question, client)
                .thenApply(answer -> answer.ownPart(question, name -> isOfOtherZone(name, question)));
    }

    private boolean isOfOtherZone(DnsLabels name, Question question) {
        Optional<UpstreamGroup> group = group(name);
        return group.isPresent() && !group.equals(group(question));
    }

    /** A DS record is in the zone above the name (RFC 4035, 3.1.4.1). */
    private Optional<UpstreamGroup> group(Question question) {
        DnsLabels name = question.labels();
        return group(question.type().number() == Type.DS && !name.isEmpty() ? name.skip(1) : name);
    }

    /**
     * Forwards to other zones from now on. Questions under way are finished; zones that stay as they are keep their connections and
     * what is known of their servers. A cache in front of this forwarder is to be invalidated.
     *
     * @param zones all zones, each name once
     * @throws IOException if the host name of a server cannot be looked up; then nothing has changed
     * @throws IllegalArgumentException if a zone is given twice; then nothing has changed
     */
    public void replaceZones(List<UpstreamZone> zones) throws IOException {
        List<UpstreamZone> all = Copies.list("zones", zones);
        List<UpstreamZone> found = resolved(all);
        synchronized (this) {
            given = all;
            replace(found);
        }
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
     * Looks the host names of servers up again, if there are any, on a thread of its own: it may take seconds. A server that has
     * moved is then asked at its new address.
     */
    void lookUpAgain() {
        synchronized (this) {
            if (looksUp || given.stream().noneMatch(UpstreamZone::hasHostNames)) {
                return;
            }
            looksUp = true;
        }
        Thread once = new Thread(this::lookUp, "k8sdns-upstream-lookup");
        once.setDaemon(true);
        once.start();
    }

    private void lookUp() {
        List<UpstreamZone> zones;
        synchronized (this) {
            zones = given;
        }
        List<UpstreamZone> found = List.of();
        try {
            found = resolved(zones);
        } catch (IOException unknown) {
            // The addresses that are known stay; the next failed probe looks again.
        }
        synchronized (this) {
            looksUp = false;
            // A replacement in between has looked its own names up.
            if (!found.isEmpty() && given.equals(zones)) {
                replace(found);
            }
        }
    }

    private Groups groups(List<UpstreamZone> zones, Groups before) {
        Map<DnsLabels, UpstreamGroup> made = new LinkedHashMap<>();
        for (UpstreamZone zone : zones) {
            UpstreamGroup known = before.byName.get(zone.name());
            made.put(zone.name(), known != null && known.zone().equals(zone) ? known : new UpstreamGroup(zone, this));
        }
        return Groups.of(made);
    }

    /**
     * The zones that are forwarded.
     *
     * @param mostLabels the number of labels of the longest name; no more labels of a question are looked up
     */
    private record Groups(Map<DnsLabels, UpstreamGroup> byName, int mostLabels) {
        static Groups of(Map<DnsLabels, UpstreamGroup> byName) {
            int mostLabels =
                    byName.keySet().stream().mapToInt(DnsLabels::count).max().orElse(0);
            return new Groups(Collections.unmodifiableMap(byName), mostLabels);
        }
    }

    /** Returns the zones that are forwarded, host names of servers looked up. */
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
        Groups all = groups;
        for (int skipped = Math.max(0, name.count() - all.mostLabels); skipped <= name.count(); skipped++) {
            UpstreamGroup group = all.byName.get(name.skip(skipped));
            if (group != null) {
                return Optional.of(group);
            }
        }
        return Optional.empty();
    }

    IoLoop loop() {
        return loop;
    }

    RandomBytes random() {
        return random;
    }

    /** Returns the buffer that each datagram is received in. */
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
                // An observer's failure must not cost a client its answer.
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
            // Nothing uses it any more.
        }
    }

    /**
     * Closes all sockets and ends the thread. Questions under way fail. Returns when that is done, unless it is called on the
     * forwarder's thread or the calling thread is interrupted. Closing again does nothing.
     */
    @Override
    public void close() {
        loop.close();
        if (Thread.currentThread() != thread) {
            try {
                thread.join();
            } catch (InterruptedException hurried) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Collects what a forwarder needs. */
    public static final class Builder {
        private final List<UpstreamZone> zones = new ArrayList<>();
        private final List<UpstreamObserver> observers = new ArrayList<>();
        private Consumer<Throwable> failures = failure -> {};
        private HostLookup lookup = HostLookup.OF_SYSTEM;
        private @Nullable SSLContext tls;

        private Builder() {}

        /**
         * Adds a zone.
         *
         * @param zone its name is that of no other zone
         */
        public Builder zone(UpstreamZone zone) {
            zones.add(Objects.requireNonNull(zone, "zone"));
            return this;
        }

        /** Adds an observer. Several observers are called in the order in which they were added. */
        public Builder observer(UpstreamObserver value) {
            observers.add(Objects.requireNonNull(value, "observer"));
            return this;
        }

        /** Sets what receives exceptions that are faults of this library or of the machine, for a log; ignored unless set. */
        public Builder failures(Consumer<Throwable> value) {
            failures = Objects.requireNonNull(value, "failures");
            return this;
        }

        /** Sets what certificates of servers are checked with; the default of the JDK unless set. */
        public Builder tls(SSLContext value) {
            tls = Objects.requireNonNull(value, "tls");
            return this;
        }

        /** Sets what looks host names up; the system unless set. */
        Builder lookup(HostLookup value) {
            lookup = value;
            return this;
        }

        /**
         * Looks up the host names of servers, and starts the thread.
         *
         * @throws IOException if a host name cannot be looked up, or there is no file descriptor left
         * @throws IllegalArgumentException if a zone is given twice
         */
        public UpstreamForwarder start() throws IOException {
            UpstreamForwarder forwarder = new UpstreamForwarder(this);
            forwarder.thread.start();
            return forwarder;
        }
    }
}
