package io.k8sdns.federation;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.rules.RecordRules;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a zone of federated Services.
 *
 * @param zone the zone, absolute
 * @param rules the rules for SOA and NS records, with the TTLs and the addresses of the name server
 * @param hostNames the resolver of load balancers' host names; null if they are not looked up
 */
record FederatedZoneSettings(
        DnsLabels zone, RecordRules rules, @Nullable DnsResolver hostNames) {
    long ttlSeconds() {
        return rules.settings().ttlSeconds();
    }
}
