package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.IntStream;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Detects forwarding loops: forwards a random name of each zone and checks whether this server receives it.
 *
 * <pre>{@code
 * LoopProbe probe = new LoopProbe();
 * DnsServer server = DnsServer.start(probe.watching(resolver), 53);
 * probe.looping(forwarder).thenAccept(zones -> ...);    // the zones whose servers forward to this one
 * }</pre>
 */
public final class LoopProbe {
    private static final RecordType HINFO = RecordType.of(Type.HINFO);

    private final SecureRandom random = new SecureRandom();
    private final Set<DnsLabels> expected = ConcurrentHashMap.newKeySet();
    private final Set<DnsLabels> seen = ConcurrentHashMap.newKeySet();

    /** Creates a probe. */
    public LoopProbe() {}

    /**
     * Returns a resolver that detects the questions of this probe, answers them with REFUSED, and delegates all others. Keeps the fast
     * path.
     *
     * @param inner the resolver of the server
     */
    public DnsResolver watching(DnsResolver inner) {
        Objects.requireNonNull(inner, "inner");
        return new DnsResolver() {
            @Override
            public Resolution resolve(Question question, Client client) {
                if (question.type().equals(HINFO) && expected.contains(question.labels())) {
                    seen.add(question.labels());
                    return new Resolution.Ready(Answer.failure(
                            Rcode.REFUSED, new ExtendedError(ExtendedError.OTHER, "this server forwards to itself")));
                }
                return inner.resolve(question, client);
            }

            @Override
            public Optional<DirectAnswers> direct() {
                return inner.direct();
            }

            @Override
            public Optional<DirectAnswers> direct(Client client) {
                return inner.direct(client);
            }
        };
    }

    /**
     * Sends a question to each zone of a forwarder.
     *
     * @param forwarder the forwarder itself, not a cache in front of it
     * @return completes with the zones whose questions this server received, after all questions were answered or have failed
     */
    public CompletableFuture<List<UpstreamZone>> looping(UpstreamForwarder forwarder) {
        List<UpstreamZone> zones = forwarder.zones();
        List<CompletableFuture<Boolean>> results =
                zones.stream().map(zone -> isLooping(forwarder, zone)).toList();
        return CompletableFuture.allOf(results.toArray(CompletableFuture<?>[]::new))
                .thenApply(done -> IntStream.range(0, zones.size())
                        .filter(i -> results.get(i).join())
                        .mapToObj(zones::get)
                        .toList());
    }

    /** Sends a question to a zone; completes with whether this server received it, after it was answered or has failed. */
    CompletableFuture<Boolean> isLooping(UpstreamForwarder forwarder, UpstreamZone zone) {
        DnsLabels name = name(zone.name());
        expected.add(name);
        return forwarder
                .forwardProbe(new Question(name, HINFO, DClass.IN))
                .toCompletableFuture()
                .handle((answer, failure) -> {
                    expected.remove(name);
                    return seen.remove(name);
                });
    }

    /**
     * Checks that no server has an address of this server. A wildcard stands for every address of this machine. Unresolved host names
     * are not checked; {@link UpstreamForwarder#zones} has resolved ones.
     *
     * @param zones the zones that this server forwards
     * @param listening the addresses that this server listens on
     * @throws IOException if a server has one of these addresses; the message names both
     */
    public static void requireOthers(Collection<UpstreamZone> zones, Collection<InetSocketAddress> listening)
            throws IOException {
        for (UpstreamZone zone : zones) {
            for (UpstreamServer server : zone.servers()) {
                for (InetSocketAddress own : listening) {
                    if (isAt(server.address(), own)) {
                        throw new IOException("upstream server " + server + " of " + zone.name()
                                + ". is this server, which listens on " + UpstreamServer.text(own));
                    }
                }
            }
        }
    }

    private static boolean isAt(InetSocketAddress server, InetSocketAddress own) throws IOException {
        if (server.isUnresolved() || server.getPort() != own.getPort()) {
            return false;
        }
        return own.getAddress().isAnyLocalAddress()
                ? server.getAddress().isLoopbackAddress()
                        || NetworkInterface.getByInetAddress(server.getAddress()) != null
                : server.getAddress().equals(own.getAddress());
    }

    /** Returns a random name below a zone. */
    private DnsLabels name(DnsLabels zone) {
        DnsLabels label = DnsLabels.of("k8sdns-loop-" + Long.toUnsignedString(random.nextLong(), Character.MAX_RADIX));
        return label.fitsBelow(zone) ? label.append(zone) : label;
    }
}
