package io.k8sdns.cli;

import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.LoopProbe;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DirectAnswers;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.upstream.Deadline;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.Rcode;
import picocli.CommandLine.ParameterException;

/**
 * Resolves all names of {@code serve}, and forwards to zones that can be replaced.
 *
 * <pre>
 *   loop probe -> deadline -> autopath -> federations of kube-dns
 *              -> zones of the cluster -> federated names -> cache -> forwarder
 * </pre>
 *
 * <p>{@link #resolve} and {@link #direct} are thread-safe; everything else is used under the lock of its owner.
 */
final class ForwardingChain implements DnsResolver, AutoCloseable {
    /**
     * The deadline of a question with all its aliases, with federated names: three attempts of two seconds, before the answer is this
     * cluster's own Service.
     */
    private static final Duration MAX_DURATION_OF_FEDERATED = Duration.ofMillis(5_900);

    /** Refuses all names, for servers without forwarding. */
    private static final DnsResolver REFUSING = (question, client) -> new Resolution.Ready(Answer.failure(
            Rcode.REFUSED,
            new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, question.name() + " is not served by this server")));

    private final UpstreamOptions options;
    private final LocalNames names;
    private final FailureObserver failures;
    private final UpstreamReports reports;
    private final LoopReports loops;
    private final LoopProbe loopProbe = new LoopProbe();
    private final FrontResolvers front;
    private final ScheduledExecutorService timer;
    private final Deadline deadline;

    private @Nullable UpstreamForwarder forwarder;
    private @Nullable AnswerCache cache;

    /** The resolver of all names, without search lists. */
    private ResolverChain chain;

    /** The search domains of the nodes that are in use. */
    private List<DnsLabels> hostSearches;

    private volatile DnsResolver current;

    /**
     * Creates a resolver that does not forward before {@link #forward}.
     *
     * @param failures receives the causes of SERVFAIL
     * @param timer runs the deadlines
     * @throws ParameterException if an option is invalid
     */
    ForwardingChain(
            UpstreamOptions options,
            LocalNames names,
            FailureObserver failures,
            UpstreamReports reports,
            LoopReports loops,
            FrontResolvers front,
            ScheduledExecutorService timer) {
        this.options = options;
        this.names = names;
        this.failures = failures;
        this.reports = reports;
        this.loops = loops;
        this.front = front;
        this.timer = timer;
        this.deadline = new Deadline(names.hasFederated() ? MAX_DURATION_OF_FEDERATED : Deadline.BEFORE_RETRY, timer);
        requireServed(options.fallthroughZones());
        this.chain = withOthers(REFUSING);
        this.hostSearches = options.hostSearches;
        this.current = limited(chain, hostSearches);
    }

    /** Checks the zones of {@code --fallthrough} even if names are forwarded only after a change of the ConfigMap. */
    private void requireServed(Set<DnsLabels> fallthrough) {
        try {
            var unused = names.cluster().withFallthrough(fallthrough);
        } catch (IllegalArgumentException notServed) {
            throw options.usage("--fallthrough: " + notServed.getMessage());
        }
    }

    /** Returns a resolver that expands names, has one deadline for a question with all its aliases, and detects loops. */
    private DnsResolver limited(ResolverChain chain, List<DnsLabels> hostSearches) {
        return loopProbe.watching(deadline.limiting(front.wrap(chain, hostSearches), failures));
    }

    /**
     * Returns the chain with an upstream resolver. Without upstream servers and federations, returns the chain itself, which
     * refuses all other names.
     */
    private ResolverChain withOthers(DnsResolver others) {
        DnsResolver all = names.federated().wrap().apply(others);
        if (all == others && others == REFUSING) {
            return names.cluster();
        }
        ResolverChain resolvers = names.cluster().withUpstream(all);
        return options.usesSuffix() ? resolvers.withoutForwarding(options.autopathSuffix()) : resolvers;
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        return current.resolve(question, client);
    }

    @Override
    public Optional<DirectAnswers> direct() {
        return current.direct();
    }

    @Override
    public Optional<DirectAnswers> direct(Client client) {
        return current.direct(client);
    }

    /** Sends a question to each zone that is forwarded. Completes with the zones whose servers forward to this server. */
    CompletableFuture<List<UpstreamZone>> findLoops() {
        return forwarder == null ? CompletableFuture.completedFuture(List.of()) : loopProbe.looping(forwarder);
    }

    /** Returns the number of zones that are forwarded. */
    int zoneCount() {
        return forwarder == null ? 0 : forwarder.zones().size();
    }

    /**
     * Replaces the zones, or changes nothing if it fails.
     *
     * @param ownAddresses the addresses of this server, which no server may have
     * @throws IOException if the host name of a server cannot be looked up, or a server is this server
     */
    void forward(List<UpstreamZone> zones, List<InetSocketAddress> ownAddresses) throws IOException {
        UpstreamForwarder running = forwarder;
        if (running != null) {
            if (!running.zones().equals(zones)) {
                Predicate<DnsLabels> changed = running.replaceZones(zones);
                if (cache != null) {
                    cache.invalidate(changed);
                }
                List<DnsLabels> searches = front.hostSearches(zones);
                if (!searches.equals(hostSearches)) {
                    install(chain, searches);
                }
            }
        } else if (!zones.isEmpty()) {
            startForwarder(zones, ownAddresses);
        }
    }

    private void startForwarder(List<UpstreamZone> zones, List<InetSocketAddress> ownAddresses) throws IOException {
        UpstreamForwarder.Builder builder =
                UpstreamForwarder.builder().observer(reports.observer().get()).findLoops(loopProbe, loops::changed);
        zones.forEach(builder::zone);
        UpstreamForwarder started = builder.start();
        try {
            started.requireOthers(ownAddresses);
            install(started, zones);
        } catch (IOException | RuntimeException unusable) {
            started.close();
            throw unusable;
        }
        forwarder = started;
    }

    /** Starts to use a forwarder, with a cache and the front resolvers. */
    private void install(UpstreamForwarder started, List<UpstreamZone> zones) {
        Forwarder answers = started.endingAtOtherZones();
        AnswerCache cached = null;
        if (options.cache.isEnabled()) {
            cached = options.cache
                    .apply(AnswerCache.builder(answers), timer)
                    .keepAliases()
                    .observer(reports.observer().get())
                    .build();
            answers = cached;
        }
        ResolverChain resolvers = withOthers(
                ForwardingResolver.builder(answers).failures(failures).build());
        install(resolvers.withFallthrough(options.fallthroughZones(), started::isForwarded), front.hostSearches(zones));
        if (cached != null) {
            cache = cached;
            reports.observer().get().created(cached);
        }
    }

    private void install(ResolverChain resolvers, List<DnsLabels> searches) {
        current = limited(resolvers, searches);
        if (options.hostSearches.isEmpty() && !searches.equals(hostSearches)) {
            reports.print(
                    "note: the search domains of the nodes are those of " + options.resolvConf() + ": " + searches);
        }
        chain = resolvers;
        hostSearches = searches;
    }

    @Override
    public void close() {
        UpstreamForwarder running = forwarder;
        if (running != null) {
            running.close();
        }
    }
}
