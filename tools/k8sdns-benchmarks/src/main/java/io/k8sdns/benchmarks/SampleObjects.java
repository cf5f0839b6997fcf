package io.k8sdns.benchmarks;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** Creates objects for benchmarks. Like objects that were parsed from JSON, no two of them share a string. */
final class SampleObjects {
    private static final int NAMESPACES = 100;

    private SampleObjects() {}

    static String namespace(int number) {
        return "namespace-" + number % NAMESPACES;
    }

    static List<ClusterObject> namespaces() {
        List<ClusterObject> namespaces = new ArrayList<>();
        for (int i = 0; i < NAMESPACES; i++) {
            namespaces.add(Namespace.of(namespace(i)));
        }
        return namespaces;
    }

    /** Returns a Service with a cluster IP and one port. */
    static ClusterIpService clusterIp(int number) {
        return ClusterIpService.builder(metadata(namespace(number), "service-" + number))
                .clusterIp(address(0x0A60_0000 + number))
                .ports(ServicePort.of(new String("http"), Protocol.TCP, 80))
                .build();
    }

    static HeadlessService headless(String namespace, String name) {
        return HeadlessService.builder(metadata(namespace, name))
                .ports(ServicePort.of(new String("http"), Protocol.TCP, 80))
                .build();
    }

    /** Returns a slice of a Service; the first number is that of its first Pod and address. */
    static EndpointSlice slice(String namespace, String service, int number, int first, int count, boolean hostnames) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            String pod = service + "-" + (first + i);
            Endpoint.Builder endpoint = Endpoint.builder(address(0x0AF4_0000 + first + i))
                    .ready(true)
                    .targetRef(ObjectRef.of(new String("Pod"), new String(namespace), pod))
                    .nodeName("node-" + (first + i) % 1000)
                    .topologyZone("zone-" + i % 3);
            if (hostnames) {
                endpoint.hostname(new String(pod));
            }
            endpoints.add(endpoint.build());
        }
        return EndpointSlice.builder(metadata(namespace, service + "-slice-" + number))
                .service(new String(service))
                .endpoints(endpoints)
                .ports(EndpointPort.of(new String("http"), Protocol.TCP, 8080))
                .build();
    }

    /** Returns the Pods of the endpoints of a slice. */
    static List<Pod> pods(EndpointSlice slice) {
        List<Pod> pods = new ArrayList<>();
        for (Endpoint endpoint : slice.endpoints()) {
            pods.add(Pod.running(
                    new String(slice.namespace()),
                    new String(endpoint.targetRef().orElseThrow().name()),
                    List.of(IpAddress.ofBytes(endpoint.addresses().get(0).bytes()))));
        }
        return pods;
    }

    private static Metadata metadata(String namespace, String name) {
        return Metadata.of(new String(namespace), name)
                .withUid("uid-of-36-characters-" + name)
                .withLabels(new Labels(Map.of("app.kubernetes.io/name", new String(name))));
    }

    private static IpAddress address(int bits) {
        return IpAddress.ofBytes(
                new byte[] {(byte) (bits >>> 24), (byte) (bits >>> 16), (byte) (bits >>> 8), (byte) bits});
    }
}
