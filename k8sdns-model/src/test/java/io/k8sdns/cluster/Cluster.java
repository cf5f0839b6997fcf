package io.k8sdns.cluster;

import io.k8sdns.completion.ClusterDraft;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Test objects with default values for all fields that a test does not set. */
public final class Cluster {
    public static final Labels WEB = new Labels(Map.of("app", "web"));
    public static final ServicePort HTTP = ServicePort.of("http", Protocol.TCP, 80);

    private Cluster() {}

    @SuppressWarnings("exports")
    public static ClusterDraft draft(ClusterObject... objects) {
        return new ClusterDraft(List.of(objects), List.of(), List.of());
    }

    public static EndpointSelection selecting(Labels selector, IpFamily... families) {
        return new EndpointSelection(Optional.of(selector), List.of(families), Optional.empty());
    }

    public static HeadlessService headless(String name, EndpointSelection selection, ServicePort... ports) {
        return HeadlessService.builder("prod", name)
                .ports(ports)
                .selection(selection)
                .build();
    }

    public static ClusterIpService clusterIp(String name, EndpointSelection selection, String... addresses) {
        return ClusterIpService.builder("prod", name)
                .clusterIps(addresses)
                .ports(HTTP)
                .selection(selection)
                .build();
    }

    public static Node node(String name, String zone, String... addresses) {
        return Node.builder(name)
                .labels(new Labels(Map.of("topology.kubernetes.io/zone", zone)))
                .internalIps(ips(addresses))
                .build();
    }

    /** A Pod labelled {@code app=web}, running and ready. */
    public static PodBuilder pod(String name, String... addresses) {
        return new PodBuilder(name, addresses);
    }

    public static List<IpAddress> ips(String... addresses) {
        return Arrays.stream(addresses).map(IpAddress::parse).toList();
    }

    public static final class PodBuilder {
        private final String name;
        private final List<IpAddress> ips;
        private String namespace = "prod";
        private Labels labels = WEB;
        private Optional<PodPhase> phase = Optional.of(PodPhase.RUNNING);
        private Optional<Boolean> ready = Optional.of(true);
        private boolean terminating;
        private boolean hostNetwork;
        private Optional<String> hostname = Optional.empty();
        private Optional<String> subdomain = Optional.empty();
        private Optional<String> nodeName = Optional.empty();
        private List<ContainerPort> ports = List.of();

        private PodBuilder(String name, String... addresses) {
            this.name = name;
            this.ips = ips(addresses);
        }

        public PodBuilder in(String otherNamespace) {
            namespace = otherNamespace;
            return this;
        }

        public PodBuilder labelled(Labels otherLabels) {
            labels = otherLabels;
            return this;
        }

        public PodBuilder phase(PodPhase otherPhase) {
            phase = Optional.of(otherPhase);
            return this;
        }

        /** Removes phase and condition, which manifests do not have. */
        public PodBuilder withoutStatus() {
            phase = Optional.empty();
            ready = Optional.empty();
            return this;
        }

        public PodBuilder ready(Optional<Boolean> condition) {
            ready = condition;
            return this;
        }

        public PodBuilder terminating() {
            terminating = true;
            return this;
        }

        public PodBuilder on(String node) {
            nodeName = Optional.of(node);
            return this;
        }

        public PodBuilder onHostNetwork() {
            hostNetwork = true;
            return this;
        }

        public PodBuilder named(String host, String domain) {
            hostname = Optional.of(host);
            subdomain = Optional.of(domain);
            return this;
        }

        public PodBuilder listening(ContainerPort... containerPorts) {
            ports = List.of(containerPorts);
            return this;
        }

        public Pod build() {
            Pod.Builder pod = Pod.builder(namespace, name)
                    .labels(labels)
                    .terminating(terminating)
                    .ips(ips)
                    .hostNetwork(hostNetwork)
                    .ports(ports);
            phase.ifPresent(pod::phase);
            ready.ifPresent(pod::ready);
            hostname.ifPresent(pod::hostname);
            subdomain.ifPresent(pod::subdomain);
            nodeName.ifPresent(pod::nodeName);
            return pod.build();
        }
    }
}
