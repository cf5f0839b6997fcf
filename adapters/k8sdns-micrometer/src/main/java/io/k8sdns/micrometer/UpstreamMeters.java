package io.k8sdns.micrometer;

import io.k8sdns.forward.UpstreamObserver;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.model.IpAddress;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.xbill.DNS.Rcode;

/**
 * Meters of a forwarder and its upstream servers, named like the metrics of CoreDNS's plugins <i>forward</i> and <i>proxy</i>.
 *
 * <pre>{@code
 * UpstreamForwarder.builder().observer(new UpstreamMeters(registry))
 * }</pre>
 *
 * <p>The meters are {@code k8sdns.proxy.request.duration}, {@code k8sdns.forward.failures}, {@code k8sdns.forward.down}, {@code
 * k8sdns.forward.connections}, {@code k8sdns.forward.connection.reuses}, {@code k8sdns.forward.unanswered} and {@code
 * k8sdns.forward.max.concurrent.rejects}. Each is registered at its first event. Needs the module {@code k8sdns-upstream}, which
 * contains {@link UpstreamServer}.
 */
@SuppressWarnings("exports") // A caller that has a forwarder requires its module.
public final class UpstreamMeters implements UpstreamObserver {
    private final MeterRegistry registry;
    private final Map<UpstreamServer, AtomicInteger> down = new ConcurrentHashMap<>();
    private final Map<AnsweredKey, Timer> answers = new ConcurrentHashMap<>();

    private record AnsweredKey(UpstreamServer server, int rcode) {}

    /** Creates meters on a registry. */
    public UpstreamMeters(MeterRegistry registry) {
        this.registry = Objects.requireNonNull(registry, "registry");
    }

    private void count(String name, String description, String... tags) {
        Counter.builder(name)
                .description(description)
                .tags(tags)
                .register(registry)
                .increment();
    }

    private static String lowerCase(Enum<?> constant) {
        return constant.name().toLowerCase(Locale.ROOT);
    }

    private static String transport(UpstreamServer server) {
        return lowerCase(server.transport());
    }

    /** Returns the address and port of a server, {@code [2001:db8::53]:53}; with the host name if it is not resolved. */
    private static String hostAndPort(UpstreamServer server) {
        InetSocketAddress address = server.address();
        InetAddress resolved = address.getAddress();
        String host = resolved == null
                ? address.getHostString()
                : IpAddress.ofBytes(resolved.getAddress()).toString();
        return (host.contains(":") ? "[" + host + "]" : host) + ":" + address.getPort();
    }

    @Override
    public void answered(UpstreamServer server, int rcode, long nanos) {
        answers.computeIfAbsent(new AnsweredKey(server, rcode), this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(AnsweredKey key) {
        return Timer.builder("k8sdns.proxy.request.duration")
                .description("How long upstream servers took to answer.")
                .tags("proxy_name", "forward", "to", hostAndPort(key.server()), "rcode", Rcode.string(key.rcode()))
                .serviceLevelObjectives(Buckets.ofRequests())
                .register(registry);
    }

    @Override
    public void failed(UpstreamServer server, Failure failure) {
        count(
                "k8sdns.forward.failures",
                "Queries that an upstream server did not answer.",
                "to",
                hostAndPort(server),
                "reason",
                lowerCase(failure));
    }

    @Override
    public void connecting(UpstreamServer server) {
        count(
                "k8sdns.forward.connections",
                "Connections that were opened to upstream servers.",
                "to",
                hostAndPort(server),
                "proto",
                transport(server));
    }

    @Override
    public void reusing(UpstreamServer server) {
        count(
                "k8sdns.forward.connection.reuses",
                "Queries over a connection that was open already.",
                "to",
                hostAndPort(server),
                "proto",
                transport(server));
    }

    @Override
    public void unanswered(UpstreamZone zone) {
        count(
                "k8sdns.forward.unanswered",
                "Questions that no server of their zone has answered.",
                "zone",
                zone.name() + ".");
    }

    @Override
    public void markedDown(UpstreamServer server) {
        downCount(server).set(1);
    }

    @Override
    public void markedUp(UpstreamServer server) {
        downCount(server).set(0);
    }

    private AtomicInteger downCount(UpstreamServer server) {
        return down.computeIfAbsent(server, one -> {
            AtomicInteger value = new AtomicInteger();
            Gauge.builder("k8sdns.forward.down", value, AtomicInteger::get)
                    .description("1 while an upstream server is marked down and queried last, otherwise 0.")
                    .tags("to", hostAndPort(one), "proto", transport(one))
                    .register(registry);
            return value;
        });
    }

    @Override
    public void refused(UpstreamZone zone) {
        count(
                "k8sdns.forward.max.concurrent.rejects",
                "Questions refused because too many of their zone were being forwarded.",
                "zone",
                zone.name() + ".");
    }
}
