package io.k8sdns.cli;

import io.k8sdns.federation.FederationZoneName;
import io.k8sdns.federation.StubZoneResolver;
import io.k8sdns.federation.api.InvalidStubZoneException;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneApi;
import io.k8sdns.federation.api.StubZones;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.FailureObserver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.upstream.Forwarder;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.EDNSOption;

/**
 * Forwards federated names of {@code serve} to the name servers of their federations, which the stub zone API sets.
 *
 * <p>Has its own forwarder, with a thread, and its own cache, so that unavailable name servers of a federation do not delay other
 * names.
 */
final class Federations implements AutoCloseable {
    private static final Duration ATTEMPT = Duration.ofSeconds(2);

    /** The time for three attempts: a third server is tried after two that do not answer. Must be less than six seconds. */
    private static final Duration DEADLINE = Duration.ofMillis(5_500);

    /** The same instance for all zones, because zones with different functions are not equal. */
    private final BiFunction<Question, Client, List<EDNSOption>> clientOptions = Federations::ednsOptions;

    private final FederationOptions options;
    private final FederationZoneName zone;
    private final FailureObserver failures;
    private final UpstreamForwarder forwarder;
    private final @Nullable AnswerCache cache;
    private final Optional<Forwarder> answers;
    private volatile Map<String, StubZone> routes = Map.of();
    private volatile Set<InetAddress> nameServers = Set.of();
    private @Nullable StubZoneApi api;

    /**
     * Starts a forwarder without routes.
     *
     * @param caching the size of the cache, and the bounds of TTLs. Stale answers are not served, because this cluster's Service is the
     *     answer while no name server answers
     * @param failures receives the causes of SERVFAIL
     * @param observer receives the events of forwarding
     * @throws IOException if no socket can be opened
     */
    Federations(FederationOptions options, CacheOptions caching, FailureObserver failures, ForwardingObserver observer)
            throws IOException {
        this.options = options;
        this.zone = options.identity.zone();
        this.failures = failures;
        this.forwarder = UpstreamForwarder.builder().observer(observer).start();
        this.cache = caching.isEnabled()
                ? caching.bound(AnswerCache.builder(this::forward))
                        .optionCodes(Set.of(options.identity.optionCode()))
                        .observer(observer)
                        .build()
                : null;
        this.answers = Optional.of(cache == null ? this::forward : cache);
    }

    /** Returns whether a domain lies in the zone of federated names. */
    boolean contains(DnsLabels domain) {
        return zone.contains(domain);
    }

    /**
     * Wraps the resolver of all other names with a resolver of federated names.
     *
     * @param cluster resolves only names of the cluster
     * @param isReady returns whether a Service of the cluster has a ready endpoint, by namespace and name
     * @param others answers all other names
     */
    DnsResolver wrap(ResolverChain cluster, BiPredicate<String, String> isReady, DnsResolver others) {
        StubZoneResolver.Builder resolver = StubZoneResolver.builder(zone, options.identity.cluster(), others)
                .optionCode(options.identity.optionCode())
                .routes(federation -> routes.containsKey(federation) ? answers : Optional.empty())
                .peers(this::isPeer)
                .failures(failures);
        if (options.hasFallback()) {
            resolver.fallback(cluster, cluster.zones().get(0), isReady);
        }
        return resolver.build();
    }

    private static List<EDNSOption> ednsOptions(Question question, Client client) {
        return client.ednsOptions();
    }

    private boolean isPeer(Client client) {
        Optional<InetAddress> address = client.address().map(InetSocketAddress::getAddress);
        return address.filter(nameServers::contains).isPresent()
                || address.map(one -> IpAddress.ofBytes(one.getAddress()))
                        .filter(one -> options.peers.stream().anyMatch(network -> network.contains(one)))
                        .isPresent();
    }

    private CompletionStage<Answer> forward(Question question, Client client) {
        String federation = zone.federation(question.labels()).orElse("");
        return forwarder.toZone(name(federation)).forward(question, client);
    }

    /** Returns the name of a federation's upstream zone, used only in messages: names are not routed by suffix. */
    private DnsLabels name(String federation) {
        return federation.isEmpty()
                ? DnsLabels.EMPTY
                : NameSchema.federation(federation).append(zone.name());
    }

    /**
     * Loads the stub zones of the file, and then starts the API.
     *
     * @param err receives the address of the API
     * @throws IOException if a file cannot be read or written, or the address cannot be bound
     */
    void start(PrintWriter err) throws IOException {
        StubZones.Builder builder = StubZones.builder().listener(this::replace);
        options.store.ifPresent(builder::file);
        StubZones zones;
        try {
            zones = builder.open();
        } catch (IOException failed) {
            if (failed.getCause() instanceof InvalidStubZoneException) {
                throw options.identity.usage("--stubzone-store: " + failed.getMessage());
            }
            throw new IOException("--stubzone-store: " + failed.getMessage(), failed);
        }
        if (options.api.isEmpty()) {
            return;
        }
        HostAndPort address = options.api.get();
        try {
            StubZoneApi started = StubZoneApi.builder(zones)
                    .address(address.address())
                    .tlsFiles(
                            options.certificate.orElseThrow(),
                            options.key.orElseThrow(),
                            options.clientCa.orElseThrow())
                    .allowClients(options.allowedClients)
                    .start();
            api = started;
            err.println("stub zones: https://" + HostAndPort.text(started.address()) + "/federations");
        } catch (IOException failed) {
            throw new IOException("--stubzone-api " + address + ": " + failed.getMessage(), failed);
        }
    }

    /** Replaces all routes. After this method returns, all questions use the new routes. */
    private void replace(Map<String, StubZone> next) {
        Map<String, StubZone> before = routes;
        try {
            forwarder.replaceZones(
                    next.values().stream().map(this::upstreamZone).toList());
        } catch (IOException impossible) {
            // IP addresses need no lookup.
            throw new UncheckedIOException(impossible);
        }
        Set<InetAddress> addresses = new HashSet<>();
        next.values().forEach(one -> one.nameServers().forEach(server -> addresses.add(server.getAddress())));
        nameServers = addresses;
        routes = next;
        if (cache != null) {
            cache.invalidate(name -> {
                String federation = zone.federation(name).orElse("");
                return !Objects.equals(before.get(federation), next.get(federation));
            });
        }
    }

    private UpstreamZone upstreamZone(StubZone stub) {
        UpstreamZone.Builder upstream = UpstreamZone.builder(name(stub.federation()))
                .policy(UpstreamPolicy.SEQUENTIAL)
                .attemptTimeout(ATTEMPT)
                .deadline(DEADLINE)
                .nextOnFailure()
                .failFast()
                .options(clientOptions);
        stub.nameServers().forEach(server -> upstream.server(UpstreamServer.udp(server)));
        return upstream.build();
    }

    /** Stops the API and the forwarder. */
    @Override
    public void close() {
        StubZoneApi running = api;
        if (running != null) {
            running.close();
        }
        forwarder.close();
    }
}
