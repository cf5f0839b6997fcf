package io.k8sdns.micrometer;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.wire.ResponseObserver;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.Collection;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Meters of the requests and responses of a responder.
 *
 * <pre>{@code
 * DnsResponder.builder(resolver).observer(new RequestMeters(registry))
 * }</pre>
 *
 * <p>The meters are {@code k8sdns.requests}, {@code k8sdns.do.requests}, {@code k8sdns.responses}, {@code k8sdns.request.duration},
 * {@code k8sdns.request.size}, {@code k8sdns.response.size}, {@code k8sdns.truncated} and {@code k8sdns.dropped}. The number of label
 * values is limited: rare types and RCODEs are {@code other}. Counting allocates nothing after the first use of a meter.
 *
 * <p>With zones, {@code k8sdns.requests} also has the label {@code zone}: the longest zone that contains the question's name, with a dot
 * at the end, or {@code none}. It is never a name of a client:
 *
 * <pre>{@code
 * RequestMeters meters = new RequestMeters(registry, zones);
 * meters.replaceZones(others);
 * }</pre>
 */
public final class RequestMeters implements ResponseObserver {
    /** The types that have a label value in CoreDNS. */
    private static final LabelValues TYPES = new LabelValues(
            List.of(
                    Type.A,
                    Type.AAAA,
                    Type.ANY,
                    Type.AXFR,
                    Type.CNAME,
                    Type.DNSKEY,
                    Type.DS,
                    Type.HTTPS,
                    Type.IXFR,
                    Type.MX,
                    Type.NS,
                    Type.NSEC,
                    Type.NSEC3,
                    Type.PTR,
                    Type.RRSIG,
                    Type.SOA,
                    Type.SRV,
                    Type.SVCB,
                    Type.TXT),
            Type::string);

    private static final LabelValues RCODES = new LabelValues(
            List.of(
                    Rcode.NOERROR,
                    Rcode.FORMERR,
                    Rcode.SERVFAIL,
                    Rcode.NXDOMAIN,
                    Rcode.NOTIMP,
                    Rcode.REFUSED,
                    Rcode.BADVERS),
            Rcode::string);

    /**
     * The maximum number of zones with their own label value, as many as most configurations have by far. The counters of a removed
     * zone are kept, so that without a limit a configuration that changes often would add counters without end.
     */
    private static final int MAX_ZONES = 100;

    /** The label value of names that no zone contains. Not the name of a zone, which ends with a dot. */
    private static final String NO_ZONE = "none";

    private static final String DROPPED = "Messages that got no response.";

    private final MeterRegistry registry;
    private final Clock clock;
    private final Timer duration;
    private final Counter dnssecOk;
    private final Counter dropped;
    private final LazyMeters<Counter> responses;
    private final Map<Transport, TransportMeters> transports = new EnumMap<>(Transport.class);

    /** The requests of messages without a zone; all requests if they are not counted by zone. */
    private final RequestCounters requests;

    private final boolean countsZones;

    /** The observers of the first {@link #MAX_ZONES} zones, including removed ones; guarded by this. */
    private final Map<DnsLabels, ResponseObserver> known = new HashMap<>();

    /** The observer of all further zones. */
    private final ResponseObserver others;

    /** The observers of the current zones. */
    private volatile ZoneTable zones = new ZoneTable(Map.of());

    /**
     * Registers meters, which do not distinguish zones.
     *
     * @param registry the registry, whose clock measures durations
     */
    public RequestMeters(MeterRegistry registry) {
        this(registry, false);
    }

    /**
     * Registers meters, of which {@code k8sdns.requests} also counts by zone.
     *
     * @param registry the registry, whose clock measures durations
     * @param zones the zones; see {@link #replaceZones}
     */
    public RequestMeters(MeterRegistry registry, Collection<DnsLabels> zones) {
        this(registry, true);
        replaceZones(zones);
    }

    private RequestMeters(MeterRegistry registry, boolean countsZones) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.clock = registry.config().clock();
        this.duration = Timer.builder("k8sdns.request.duration")
                .description("Time from the receipt of a query to its response, without the network.")
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry);
        this.dnssecOk = Counter.builder("k8sdns.do.requests")
                .description("Queries with the DO bit.")
                .register(registry);
        this.dropped = Counter.builder("k8sdns.dropped")
                .description(DROPPED)
                .tag("reason", "no_query")
                .register(registry);
        this.responses = new LazyMeters<>(
                RCODES.count(),
                index -> Counter.builder("k8sdns.responses")
                        .description("Responses.")
                        .tag("rcode", RCODES.label(index))
                        .register(registry));
        for (Transport transport : Transport.values()) {
            transports.put(transport, new TransportMeters(registry, transport));
        }
        this.countsZones = countsZones;
        this.requests = new RequestCounters(registry, countsZones ? Tags.of("zone", NO_ZONE) : Tags.empty());
        this.others = new ZoneObserver(LabelledMeters.OTHER);
    }

    /**
     * Replaces the zones by which requests are counted. The counters of a removed zone remain, and count no further questions. The
     * first 100 zones have their own label value, removed ones included; all further zones share {@code other}.
     *
     * @param zones the names of all zones; one that is given twice counts once
     * @throws IllegalStateException if these meters were created without zones, because the labels of a meter cannot change
     */
    public synchronized void replaceZones(Collection<DnsLabels> zones) {
        Objects.requireNonNull(zones, "zones");
        if (!countsZones) {
            throw new IllegalStateException("these meters were created without zones");
        }
        Map<DnsLabels, ResponseObserver> current = new HashMap<>();
        for (DnsLabels zone : zones) {
            current.put(zone, observer(zone));
        }
        this.zones = new ZoneTable(current);
    }

    private ResponseObserver observer(DnsLabels zone) {
        return known.size() < MAX_ZONES
                ? known.computeIfAbsent(zone, added -> new ZoneObserver(added + "."))
                : known.getOrDefault(zone, others);
    }

    /**
     * Adds a counter of datagrams that never reached the responder, as {@code k8sdns.dropped}.
     *
     * @param drops returns the number of datagrams that the kernel has dropped since the start because a receive buffer was full;
     *     called whenever the meter is read
     */
    public void receiveBufferDrops(LongSupplier drops) {
        Objects.requireNonNull(drops, "drops");
        // Registries hold weak references. The responder keeps this object, which keeps the function.
        FunctionCounter.builder("k8sdns.dropped", this, meters -> drops.getAsLong())
                .description(DROPPED)
                .tag("reason", "receive_buffer_full")
                .register(registry);
    }

    @Override
    public long received() {
        return clock.monotonicTime();
    }

    /** {@inheritDoc} A DS record is in the parent zone of its name (RFC 4035, 3.1.4.1). */
    @Override
    public ResponseObserver ofQuestion(byte[] message, int from, int root, int type) {
        boolean isOfParent = type == Type.DS && from < root;
        ResponseObserver found = zones.find(message, isOfParent ? from + 1 + message[from] : from, root);
        return found == null ? this : found;
    }

    @Override
    public void response(
            long received,
            Transport transport,
            int type,
            boolean dnssecOkSet,
            int rcode,
            boolean truncated,
            int queryBytes,
            int responseBytes) {
        requests.count(transport, type);
        countOthers(received, transport, dnssecOkSet, rcode, truncated, queryBytes, responseBytes);
    }

    /** Counts a response in all meters but that of requests. */
    private void countOthers(
            long received,
            Transport transport,
            boolean dnssecOkSet,
            int rcode,
            boolean truncated,
            int queryBytes,
            int responseBytes) {
        duration.record(Math.max(0, clock.monotonicTime() - received), TimeUnit.NANOSECONDS);
        TransportMeters over = Objects.requireNonNull(transports.get(transport), "a transport");
        over.querySize.record(queryBytes);
        over.responseSize.record(responseBytes);
        responses.get(RCODES.index(rcode)).increment();
        if (truncated) {
            over.truncated.increment();
        }
        if (dnssecOkSet) {
            dnssecOk.increment();
        }
    }

    @Override
    public void drop(long received, Transport transport, int messageBytes) {
        dropped.increment();
    }

    /** Counts the requests of one zone by its own counters, and everything else as the meters of all zones. */
    private final class ZoneObserver implements ResponseObserver {
        private final RequestCounters requestsOfZone;

        ZoneObserver(String label) {
            this.requestsOfZone = new RequestCounters(registry, Tags.of("zone", label));
        }

        @Override
        public void response(
                long received,
                Transport transport,
                int type,
                boolean dnssecOkSet,
                int rcode,
                boolean truncated,
                int queryBytes,
                int responseBytes) {
            requestsOfZone.count(transport, type);
            countOthers(received, transport, dnssecOkSet, rcode, truncated, queryBytes, responseBytes);
        }

        @Override
        public void drop(long received, Transport transport, int messageBytes) {
            RequestMeters.this.drop(received, transport, messageBytes);
        }
    }

    /** The counters of requests by transport and type, each registered at its first use. */
    private static final class RequestCounters {
        private final Map<Transport, LazyMeters<Counter>> byType = new EnumMap<>(Transport.class);

        RequestCounters(MeterRegistry registry, Tags tags) {
            for (Transport transport : Transport.values()) {
                byType.put(
                        transport,
                        new LazyMeters<>(
                                TYPES.count(),
                                index -> Counter.builder("k8sdns.requests")
                                        .description("Queries that were answered.")
                                        .tags(tags)
                                        .tag("proto", proto(transport))
                                        .tag("type", TYPES.label(index))
                                        .register(registry)));
            }
        }

        void count(Transport transport, int type) {
            Objects.requireNonNull(byType.get(transport), "a transport")
                    .get(TYPES.index(type))
                    .increment();
        }
    }

    private static String proto(Transport transport) {
        return transport.name().toLowerCase(Locale.ROOT);
    }

    /** The meters of one transport. */
    private static final class TransportMeters {
        final DistributionSummary querySize;
        final DistributionSummary responseSize;
        final Counter truncated;

        TransportMeters(MeterRegistry registry, Transport transport) {
            String proto = proto(transport);
            this.querySize = size(registry, "k8sdns.request.size", "The size of queries.", proto);
            this.responseSize = size(registry, "k8sdns.response.size", "The size of responses.", proto);
            this.truncated = Counter.builder("k8sdns.truncated")
                    .description("Truncated responses, with TC.")
                    .tag("proto", proto)
                    .register(registry);
        }

        private static DistributionSummary size(MeterRegistry registry, String name, String description, String proto) {
            return DistributionSummary.builder(name)
                    .description(description)
                    .baseUnit("bytes")
                    .tag("proto", proto)
                    .serviceLevelObjectives(Buckets.ofMessages())
                    .register(registry);
        }
    }
}
