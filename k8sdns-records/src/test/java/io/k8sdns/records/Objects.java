package io.k8sdns.records;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** Objects in the namespace {@code default}, in one line each. */
final class Objects {
    static final ServicePort HTTPS = ServicePort.of("https", Protocol.TCP, 443);
    static final EndpointPort LISTENS = EndpointPort.of("https", Protocol.TCP, 8443);

    private Objects() {}

    static ClusterIpService clusterIp(String name, List<String> addresses, ServicePort... ports) {
        return ClusterIpService.of("default", name, addresses(addresses), List.of(ports));
    }

    static HeadlessService headless(String name, ServicePort... ports) {
        return HeadlessService.of("default", name, List.of(ports));
    }

    static HeadlessService publishingNotReady(String name) {
        return new HeadlessService(Metadata.of("default", name), List.of(), EndpointSelection.NONE, true);
    }

    static ExternalNameService external(String name, String target) {
        return new ExternalNameService(Metadata.of("default", name), target);
    }

    static EndpointSlice slice(String service, List<EndpointPort> ports, Endpoint... endpoints) {
        AddressType type = Arrays.stream(endpoints)
                .flatMap(endpoint -> endpoint.addresses().stream())
                .map(address -> AddressType.of(address.family()))
                .findFirst()
                .orElse(AddressType.IPV4);
        return new EndpointSlice(
                Metadata.of("default", "slice"), Optional.of(service), type, List.of(endpoints), ports);
    }

    static Endpoint endpoint(String... addresses) {
        return new Endpoint(
                addresses(List.of(addresses)),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    static Endpoint named(String hostname, String... addresses) {
        return endpoint(addresses).withHostname(hostname);
    }

    static Endpoint ofPod(String pod, String address) {
        return new Endpoint(
                addresses(List.of(address)),
                Optional.empty(),
                Optional.empty(),
                Optional.of(ObjectRef.of("Pod", "default", pod)),
                Optional.empty(),
                Optional.empty());
    }

    private static List<IpAddress> addresses(List<String> texts) {
        return texts.stream().map(IpAddress::parse).toList();
    }
}
