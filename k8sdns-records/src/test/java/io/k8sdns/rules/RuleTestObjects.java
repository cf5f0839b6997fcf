package io.k8sdns.rules;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.List;

/** Creates objects in the namespace {@code default} with one call each. */
final class RuleTestObjects {
    static final ServicePort HTTPS = ServicePort.of("https", Protocol.TCP, 443);
    static final EndpointPort LISTENS = EndpointPort.of("https", Protocol.TCP, 8443);

    private RuleTestObjects() {}

    static ClusterIpService clusterIp(String name, List<String> addresses, ServicePort... ports) {
        return ClusterIpService.of("default", name, addresses(addresses), List.of(ports));
    }

    static HeadlessService headless(String name, ServicePort... ports) {
        return HeadlessService.of("default", name, ports);
    }

    static HeadlessService publishingNotReady(String name) {
        return HeadlessService.builder("default", name)
                .publishNotReadyAddresses(true)
                .build();
    }

    static ExternalNameService external(String name, String target) {
        return ExternalNameService.of("default", name, target);
    }

    static EndpointSlice slice(String service, List<EndpointPort> ports, Endpoint... endpoints) {
        return EndpointSlice.builder("default", "slice")
                .service(service)
                .endpoints(endpoints)
                .ports(ports)
                .build();
    }

    static Endpoint endpoint(String... addresses) {
        return Endpoint.builder(addresses(List.of(addresses))).build();
    }

    static Endpoint named(String hostname, String... addresses) {
        return endpoint(addresses).withHostname(hostname);
    }

    static Endpoint ofPod(String pod, String address) {
        return Endpoint.builder(addresses(List.of(address)))
                .targetRef(ObjectRef.of("Pod", "default", pod))
                .build();
    }

    private static List<IpAddress> addresses(List<String> texts) {
        return texts.stream().map(IpAddress::parse).toList();
    }
}
