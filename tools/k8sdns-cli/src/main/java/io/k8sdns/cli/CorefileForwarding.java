package io.k8sdns.cli;

import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BiPredicate;
import java.util.stream.Stream;

/** Translates {@code forward}: the servers of zones. */
final class CorefileForwarding {
    private final CorefileOptions options;
    private final CorefileRemarks remarks;
    private final CorefileTranslation.HostFiles files;
    private final BiPredicate<String, Directive> isNeverForwarded;
    private final boolean forServe;

    /** The servers of each forwarded zone, as values of the options. For {@code node-cache} the last element is the transport. */
    private final Map<String, List<String>> upstreams = new LinkedHashMap<>();

    /**
     * Creates a translation.
     *
     * @param isNeverForwarded see {@link CorefileForward}
     */
    CorefileForwarding(
            CorefileOptions options,
            CorefileRemarks remarks,
            CorefileTranslation.HostFiles files,
            BiPredicate<String, Directive> isNeverForwarded,
            boolean forServe) {
        this.options = options;
        this.remarks = remarks;
        this.files = files;
        this.isNeverForwarded = isNeverForwarded;
        this.forServe = forServe;
    }

    /** Returns whether an option has the servers for at least one zone. */
    boolean translate(Directive directive, ServerBlock block) {
        CorefileForward forward = new CorefileForward(directive, files, remarks, isNeverForwarded);
        String from = forward.zone();
        List<String> zones = (from.equals(ZoneKey.ROOT) ? ZoneKey.zones(block) : List.of(from))
                .stream().flatMap(zone -> ZoneKey.names(zone).stream()).toList();
        List<CorefileForward.Server> servers = forward.servers();
        if (servers.isEmpty()) {
            return false;
        }
        if (forServe && forward.transport().equals(Optional.of("tcp"))) {
            remarks.warn(directive, "force_tcp: no option; servers are asked over UDP, then TCP where needed");
        }
        boolean used = false;
        for (String zone : zones) {
            String option = forServe
                    ? serveForward(zone, texts(servers), directive)
                    : cacheForward(zone, servers, forward.transport(), directive);
            used |= !option.isEmpty();
            if (!option.isEmpty() && servers.size() > 1) {
                comparePolicy(option, forward);
            }
        }
        return used;
    }

    private void comparePolicy(String option, CorefileForward forward) {
        if (option.equals(CorefileOptions.FORWARD)) {
            forward.policyOption().ifPresent(policy -> options.add(CorefileOptions.FORWARD_POLICY, policy));
        } else {
            forward.comparePolicy(option, !option.equals(CorefileOptions.STUB_DOMAIN));
        }
    }

    /** Returns the option that was added; empty if none was. */
    private String serveForward(String zone, List<String> servers, Directive directive) {
        if (options.values(CorefileOptions.ZONE).contains(zone)) {
            remarks.warn(
                    directive,
                    zone + " is the cluster's own zone; its names that fall through are forwarded to the servers of "
                            + CorefileOptions.FORWARD);
            return "";
        }
        if (!isFirst(zone, servers, directive)) {
            return "";
        }
        if (zone.equals(ZoneKey.ROOT)) {
            servers.forEach(server -> options.add(CorefileOptions.FORWARD, server));
            return CorefileOptions.FORWARD;
        }
        Optional<String> own = options.clusterZones(zone).findFirst();
        if (own.isPresent() && !ZoneKey.isReverse(own.get())) {
            remarks.warn(
                    directive,
                    zone + " lies in the zone " + own.get()
                            + ", whose names serve does not forward to servers of their own");
            return "";
        }
        own.ifPresent(reverse -> remarks.warn(
                directive,
                zone + " lies in the zone " + reverse + ", which is answered first; " + CorefileOptions.FALLTHROUGH
                        + " " + reverse + " forwards the names that it does not have"));
        options.add(CorefileOptions.STUB_DOMAIN, zone + "=" + String.join(",", servers));
        return CorefileOptions.STUB_DOMAIN;
    }

    /** Returns whether no earlier line has servers for a zone. Those of later lines are not used, and reported if they differ. */
    private boolean isFirst(String zone, List<String> servers, Directive directive) {
        List<String> known = upstreams.putIfAbsent(zone, servers);
        if (known != null && !Set.copyOf(known).equals(Set.copyOf(servers))) {
            remarks.warn(
                    directive,
                    zone + " has other servers in an earlier line, which are used (" + String.join(",", known)
                            + "); not used: " + String.join(",", servers));
        }
        return known == null;
    }

    private static List<String> texts(List<CorefileForward.Server> servers) {
        return servers.stream().map(CorefileForward.Server::toString).toList();
    }

    /** Returns the option that was added; empty if none was. */
    private String cacheForward(
            String zone, List<CorefileForward.Server> servers, Optional<String> transport, Directive directive) {
        boolean overTls =
                servers.stream().allMatch(one -> one.tls() && one.name().isEmpty());
        List<String> texts =
                overTls ? servers.stream().map(CorefileForward.Server::plain).toList() : texts(servers);
        Stream<String> last = overTls
                ? Stream.of("tls")
                : transport.filter(any -> !servers.stream().allMatch(CorefileForward.Server::tls)).stream();
        List<String> written = Stream.concat(texts.stream(), last).toList();
        if (!isFirst(zone, written, directive)) {
            return "";
        }
        options.add(CorefileOptions.ZONE_UPSTREAM, zone + "=" + String.join(",", written));
        return CorefileOptions.ZONE_UPSTREAM;
    }

    /** Finds the cluster's domain among the zones of a node cache: reverse names are forwarded to the same servers. */
    void clusterDomain() {
        if (forServe || upstreams.isEmpty()) {
            return;
        }
        List<String> forward = upstreams.keySet().stream()
                .filter(zone -> !zone.equals(ZoneKey.ROOT) && !ZoneKey.isReverse(zone))
                .toList();
        Optional<List<String>> reverse = ZoneKey.REVERSE_ZONES.stream()
                .filter(upstreams::containsKey)
                .map(upstreams::get)
                .findFirst();
        forward.stream()
                .filter(zone -> reverse.equals(Optional.ofNullable(upstreams.get(zone))))
                .findFirst()
                .or(() -> forward.stream().filter(ZoneKey.DEFAULT_ZONE::equals).findFirst())
                .ifPresent(zone -> options.add(CorefileOptions.CLUSTER_DOMAIN, zone));
    }
}
