package io.k8sdns.cli;

import io.k8sdns.autopath.AutopathResolver;
import io.k8sdns.cli.UpstreamOptions.Mode;
import io.k8sdns.federation.KubeDnsFederations;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ResolverChain;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;
import picocli.CommandLine.ParameterException;

/** Builds the resolvers in front of the zones: autopath, which expands names, and the federations of kube-dns. */
final class FrontResolvers {
    /**
     * The deadline of an expansion, a little earlier than that of a question: in the mode pod the client then receives the first
     * answer, and continues with its own search list.
     */
    private static final Duration DEADLINE = Duration.ofMillis(4_300);

    private final UpstreamOptions options;
    private final LocalNames names;
    private final UpstreamReports reports;
    private final Supplier<Map<String, DnsLabels>> federations;
    private final ScheduledExecutorService timer;

    /**
     * Creates a builder of resolvers.
     *
     * @param federations returns the domains of the federations in the ConfigMap; called for each question
     * @param timer runs the deadlines
     */
    FrontResolvers(
            UpstreamOptions options,
            LocalNames names,
            UpstreamReports reports,
            Supplier<Map<String, DnsLabels>> federations,
            ScheduledExecutorService timer) {
        this.options = options;
        this.names = names;
        this.reports = reports;
        this.federations = federations;
        this.timer = timer;
    }

    /**
     * Wraps a resolver with those in front of it: autopath, then the federations of kube-dns.
     *
     * @param chain resolves all names, without search lists
     * @param hostSearches the search domains of the nodes
     * @throws ParameterException if the search domains cannot be used
     */
    DnsResolver wrap(ResolverChain chain, List<DnsLabels> hostSearches) {
        DnsResolver inner = KubeDnsFederations.builder(
                        chain, names.cluster().zones().get(0))
                .federations(federations)
                .readyServices(names.shards()::hasReadyEndpoint)
                .topology(names.shards()::topology)
                .build();
        Set<Mode> modes = options.modes();
        if (modes.isEmpty()) {
            return inner;
        }
        AutopathResolver.Builder builder = AutopathResolver.builder(
                        inner, names.cluster().zones())
                .suffix(options.autopathSuffix())
                .hostSearches(hostSearches)
                .deadline(DEADLINE, timer)
                .observer(reports.observer().get(), System::nanoTime);
        if (modes.contains(Mode.NAME)) {
            builder.byName();
        }
        if (modes.contains(Mode.OPTION)) {
            builder.optionCode(options.searchPathsCode());
            if (options.trust.isEmpty()) {
                builder.byOption();
            } else {
                builder.byOption(options.trust);
            }
        }
        if (options.findsPods()) {
            builder.byPod(names.namespaces());
        } else if (modes.contains(Mode.POD)) {
            builder.byPod(options.searchesOfFile);
        }
        try {
            return builder.build();
        } catch (IllegalArgumentException invalid) {
            throw options.usage("--autopath: " + invalid.getMessage());
        }
    }

    /**
     * Returns the search domains of the options, otherwise the host's search domains that lie in a forwarded zone. Names in other
     * domains would be REFUSED, and expansions that try them would be SERVFAIL instead of NXDOMAIN.
     */
    List<DnsLabels> hostSearches(List<UpstreamZone> zones) {
        if (!options.hostSearches.isEmpty()) {
            return options.hostSearches;
        }
        return options.searchesOfHost.stream()
                .filter(domain -> zones.stream().map(UpstreamZone::name).anyMatch(domain::endsWith))
                .toList();
    }
}
