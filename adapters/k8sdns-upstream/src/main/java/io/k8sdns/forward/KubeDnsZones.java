package io.k8sdns.forward;

import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.kubedns.KubeDnsServer;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * Converts the ConfigMap of kube-dns to zones: one for each stub domain, and the root for the upstream name servers. Requires the
 * module {@code k8sdns-manifest}, which contains {@link KubeDnsConfig}.
 *
 * <pre>{@code
 * forwarder.replaceZones(KubeDnsZones.over(zones, config));
 * }</pre>
 */
@SuppressWarnings("exports") // A caller that has a KubeDnsConfig requires its module.
public final class KubeDnsZones {
    private KubeDnsZones() {}

    /**
     * Returns the zones of a ConfigMap, and those of the given zones that have other names. Servers of the ConfigMap are asked in
     * order, as in kube-dns.
     *
     * @param zones each name once
     * @param config the ConfigMap; without upstream name servers the root zone stays as given
     */
    public static List<UpstreamZone> over(List<UpstreamZone> zones, KubeDnsConfig config) {
        Objects.requireNonNull(config, "config");
        Map<DnsLabels, UpstreamZone> all = new LinkedHashMap<>();
        zones.forEach(zone -> all.put(zone.name(), zone));
        if (!config.upstreamNameservers().isEmpty()) {
            all.put(DnsLabels.EMPTY, zone(DnsLabels.EMPTY, config.upstreamNameservers()));
        }
        config.stubDomains().forEach((domain, servers) -> all.put(domain, zone(domain, servers)));
        return new ArrayList<>(all.values());
    }

    private static UpstreamZone zone(DnsLabels name, List<KubeDnsServer> servers) {
        UpstreamZone.Builder zone = UpstreamZone.builder(name).policy(UpstreamPolicy.SEQUENTIAL);
        servers.forEach(server -> zone.server(UpstreamServer.parse(server.toString())));
        return zone.build();
    }
}
