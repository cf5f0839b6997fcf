package io.k8sdns.cli;

import io.k8sdns.forward.KubeDnsZones;
import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** The zones that {@code serve} forwards. */
final class ForwardedZones {
    private ForwardedZones() {}

    /**
     * Returns whether the servers of the host's resolv.conf are used, as kube-dns does: no option and no ConfigMap has servers for all
     * other names, and there is a directory for a ConfigMap, or the objects have, or had, one. Reading manifests must not send queries
     * to the name servers of this machine, so a ConfigMap among manifests has this effect only with the option that names the resolv.conf.
     *
     * @param isLive whether the objects are those of a live cluster
     * @param hasConfigMap whether the objects have, or had since the start, a ConfigMap, even an empty or invalid one
     */
    static boolean usesHost(
            UpstreamOptions options,
            KubeDnsConfig ofDirectory,
            KubeDnsConfig ofObjects,
            boolean isLive,
            boolean hasConfigMap) {
        return options.forward.isEmpty()
                && (options.kubeDnsConfig.isPresent() || (hasConfigMap && (isLive || options.namesResolvConf())))
                && ofObjects.upstreamNameservers().isEmpty()
                && ofDirectory.upstreamNameservers().isEmpty();
    }

    /**
     * Returns the zones of options and both ConfigMaps. Servers of a ConfigMap take precedence over options, as they take precedence over
     * the host's in kube-dns.
     *
     * @param ofHost the servers of the host's resolv.conf; empty if they are not used
     */
    static List<UpstreamZone> of(
            UpstreamOptions options, KubeDnsConfig ofDirectory, KubeDnsConfig ofObjects, List<UpstreamServer> ofHost) {
        List<UpstreamZone> zones = new ArrayList<>();
        if (!options.forward.isEmpty()) {
            zones.add(zone(DnsLabels.EMPTY, options.forward, options.forwardPolicy.orElse(UpstreamPolicy.RANDOM)));
        } else if (!ofHost.isEmpty()) {
            zones.add(zone(DnsLabels.EMPTY, ofHost, UpstreamPolicy.SEQUENTIAL));
        }
        Map<DnsLabels, List<UpstreamServer>> stubs = new LinkedHashMap<>();
        for (StubDomain stub : options.stubDomains) {
            stubs.computeIfAbsent(stub.domain(), any -> new ArrayList<>()).addAll(stub.servers());
        }
        stubs.forEach((domain, servers) -> zones.add(zone(domain, servers, UpstreamPolicy.SEQUENTIAL)));
        return KubeDnsZones.over(KubeDnsZones.over(zones, ofObjects), ofDirectory);
    }

    private static UpstreamZone zone(DnsLabels name, List<UpstreamServer> servers, UpstreamPolicy policy) {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(policy);
        servers.forEach(zone::server);
        return zone.build();
    }
}
