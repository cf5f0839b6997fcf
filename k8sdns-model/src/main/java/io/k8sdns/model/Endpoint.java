package io.k8sdns.model;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * One endpoint of an EndpointSlice.
 *
 * @param addresses the addresses, all of the slice's family; more than one is published whole
 * @param ready the condition {@code ready}; empty counts as ready (KEP-1672)
 * @param hostname the hostname, a DNS-1123 label, if the endpoint has one
 * @param targetRef the object behind the endpoint, usually a Pod
 * @param nodeName the Node that the endpoint is on
 * @param topologyZone the zone that the endpoint is in
 */
public record Endpoint(
        List<IpAddress> addresses,
        Optional<Boolean> ready,
        Optional<String> hostname,
        Optional<ObjectRef> targetRef,
        Optional<String> nodeName,
        Optional<String> topologyZone) {
    /**
     * Checks addresses and names and copies the addresses.
     *
     * @throws InvalidFieldException if there is no address or more than 100, the hostname is no DNS label or the node
     *     name no DNS subdomain
     */
    public Endpoint {
        addresses = Copies.list("addresses", addresses);
        Objects.requireNonNull(ready, "ready");
        Objects.requireNonNull(hostname, "hostname");
        Objects.requireNonNull(targetRef, "targetRef");
        Objects.requireNonNull(nodeName, "nodeName");
        Objects.requireNonNull(topologyZone, "topologyZone");
        if (addresses.isEmpty() || addresses.size() > 100) {
            throw new InvalidFieldException("addresses", "1 to 100 are allowed, not " + addresses.size());
        }
        hostname.ifPresent(text -> KubernetesNames.requireDnsLabel("hostname", text));
        nodeName.ifPresent(text -> KubernetesNames.requireDnsSubdomain("nodeName", text));
    }

    /** Returns a ready endpoint with one address and nothing else. */
    public static Endpoint of(IpAddress address) {
        Objects.requireNonNull(address, "address");
        return new Endpoint(
                List.of(address),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Returns the same endpoint with this hostname. */
    public Endpoint withHostname(String newHostname) {
        Objects.requireNonNull(newHostname, "newHostname");
        return new Endpoint(addresses, ready, Optional.of(newHostname), targetRef, nodeName, topologyZone);
    }

    /** Returns the same endpoint with this condition. */
    public Endpoint withReady(boolean newReady) {
        return new Endpoint(addresses, Optional.of(newReady), hostname, targetRef, nodeName, topologyZone);
    }
}
