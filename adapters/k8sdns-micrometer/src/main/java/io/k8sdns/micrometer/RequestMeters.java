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
 * What a responder answers, as meters.
 *
 * <pre>{@code
 * DnsResponder.builder(resolver).observer(new RequestMeters(registry))
 * }</pre>
 *
 * <p>They are {@code k8sdns.requests}, {@code k8sdns.do.requests}, {@code k8sdns.responses}, {@code k8sdns.request.duration},
 * {@code k8sdns.request.size}, {@code k8sdns.response.size}, {@code k8sdns.truncated} and {@code k8sdns.dropped}. Labels
 * have few values, whatever is asked: rare types and RCODEs are {@code other}. To count allocates nothing once a meter has
 * been used.
 */
public final class RequestMeters implements ResponseObserver {
    /** The types that CoreDNS tells apart. */
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
    private final Counter silences;
    private final LazyMeters<Counter> responses;
    private final Map<Transport, OverTransport> transports = new EnumMap<>(Transport.class);

    /**
     * Registers meters.
     *
     * @param registry also brings the clock that durations are measured by
     */
    public RequestMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.clock = registry.config().clock();
        this.duration = Timer.builder("k8sdns.request.duration")
                .description("How long it took from the receipt of a query to its response, without the network.")
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry);
        this.dnssecOk = Counter.builder("k8sdns.do.requests")
                .description("Queries that have the DO bit set.")
                .register(registry);
        this.silences = Counter.builder("k8sdns.dropped")
                .description(DROPPED)
                .tag("reason", "no_query")
                .register(registry);
        this.responses = new LazyMeters<>(
                RCODES.count(),
                place -> Counter.builder("k8sdns.responses")
                        .description("Responses.")
                        .tag("rcode", RCODES.label(place))
                        .register(registry));
        for (Transport transport : Transport.values()) {
            transports.put(transport, new OverTransport(registry, transport));
        }
    }

    /**
     * Has datagrams counted that never came as far as the responder, as {@code k8sdns.dropped}.
     *
     * @param drops returns how many the kernel has dropped since the start because a receive buffer was full; asked
     *     whenever the meters are read
     */
    public void receiveBufferDrops(LongSupplier drops) {
        Objects.requireNonNull(drops, "drops");
        // Registries hold on to what they are handed weakly: to this, which the responder keeps, and through it the
        // rest.
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
            boolean cut,
            int queryOctets,
            int responseOctets) {
        duration.record(Math.max(0, clock.monotonicTime() - received), TimeUnit.NANOSECONDS);
        OverTransport over = Objects.requireNonNull(transports.get(transport), "a transport");
        over.requests.get(TYPES.place(type)).increment();
        over.querySize.record(queryOctets);
        over.responseSize.record(responseOctets);
        responses.get(RCODES.place(rcode)).increment();
        if (cut) {
            over.truncated.increment();
        }
        if (dnssecOkSet) {
            dnssecOk.increment();
        }
    }

    @Override
    public void silence(long received, Transport transport, int octets) {
        silences.increment();
    }

    /** The meters of one transport. */
    private static final class OverTransport {
        final LazyMeters<Counter> requests;
        final DistributionSummary querySize;
        final DistributionSummary responseSize;
        final Counter truncated;

        OverTransport(MeterRegistry registry, Transport transport) {
            String proto = transport.name().toLowerCase(Locale.ROOT);
            this.requests = new LazyMeters<>(
                    TYPES.count(),
                    place -> Counter.builder("k8sdns.requests")
                            .description("Queries that were answered.")
                            .tag("proto", proto)
                            .tag("type", TYPES.label(place))
                            .register(registry));
            this.querySize = size(registry, "k8sdns.request.size", "The size of queries.", proto);
            this.responseSize = size(registry, "k8sdns.response.size", "The size of responses.", proto);
            this.truncated = Counter.builder("k8sdns.truncated")
                    .description("Responses that were cut, with TC.")
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
