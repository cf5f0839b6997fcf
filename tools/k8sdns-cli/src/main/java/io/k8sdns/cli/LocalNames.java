package io.k8sdns.cli;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ResolverChain;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * The names of {@code serve} that are not forwarded to upstream servers: those of the cluster, and federated names.
 *
 * @param cluster resolves the names of the cluster
 * @param reverseZones the reverse zones of the cluster
 * @param namespaces returns the namespace of a client, for the autopath of Pods
 * @param shards the ready Services of the cluster, for the federations of kube-dns
 * @param federated the names that are forwarded to federations
 */
record LocalNames(
        ResolverChain cluster,
        List<DnsLabels> reverseZones,
        Function<Client, Optional<String>> namespaces,
        LocalShards shards,
        FederatedNames federated) {

    /**
     * The names that are forwarded to federations.
     *
     * @param contains returns whether a domain lies in the zone of federated names
     * @param wrap wraps the resolver of all other names with a resolver of federated names
     */
    record FederatedNames(Predicate<DnsLabels> contains, UnaryOperator<DnsResolver> wrap) {
        /** No federated names. */
        static final FederatedNames NONE = new FederatedNames(domain -> false, UnaryOperator.identity());
    }

    /** Returns the forward and reverse zones of the cluster. */
    List<DnsLabels> zones() {
        return Stream.concat(cluster.zones().stream(), reverseZones.stream()).toList();
    }

    /** Returns whether names are forwarded to federations. */
    boolean hasFederated() {
        return !federated.equals(FederatedNames.NONE);
    }
}
