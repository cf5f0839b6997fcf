package io.k8sdns.micrometer;

import io.k8sdns.resolver.Client.Transport;
import io.k8sdns.wire.ResponseObserver;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
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

    private static final String DROPPED = "Messages that got no response.";

    private final MeterRegistry registry;
    private final Clock clock;
    private final Timer duration;
    private final Counter dnssecOk;
    private final Counter dropped;
    private final LazyMeters<Counter> responses;
    private final Map<Transport, TransportMeters> transports = new EnumMap<>(Transport.class);

    /**
     * Registers meters.
     *
     * @param registry the registry, whose clock measures durations
     */
    public RequestMeters(MeterRegistry registry) {
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
        duration.record(Math.max(0, clock.monotonicTime() - received), TimeUnit.NANOSECONDS);
        TransportMeters over = Objects.requireNonNull(transports.get(transport), "a transport");
        over.requests.get(TYPES.index(type)).increment();
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

    /** The meters of one transport. */
    private static final class TransportMeters {
        final LazyMeters<Counter> requests;
        final DistributionSummary querySize;
        final DistributionSummary responseSize;
        final Counter truncated;

        TransportMeters(MeterRegistry registry, Transport transport) {
            String proto = transport.name().toLowerCase(Locale.ROOT);
            this.requests = new LazyMeters<>(
                    TYPES.count(),
                    index -> Counter.builder("k8sdns.requests")
                            .description("Queries that were answered.")
                            .tag("proto", proto)
                            .tag("type", TYPES.label(index))
                            .register(registry));
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
