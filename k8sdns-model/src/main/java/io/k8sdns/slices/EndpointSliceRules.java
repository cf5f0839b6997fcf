package io.k8sdns.slices;

import io.k8sdns.arguments.Copies;
import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Node;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;

/**
 * Makes the EndpointSlices that Kubernetes' controllers would make of a Service and its Pods, or of legacy Endpoints.
 * Equal inputs give equal slices; the order of Pods and Nodes does not matter.
 *
 * <p>Source: {@code k8s.io/endpointslice} (reconciler, utils). Unlike the controller, this class never splits a slice
 * at 100 endpoints, which does not change the records, and keeps Pods of unknown Nodes, because manifests rarely hold
 * Nodes.
 */
@Internal
public final class EndpointSliceRules {
    private EndpointSliceRules() {}

    /**
     * Returns the slices of a Service with a selector: for each address family of the Service, one slice for each
     * different list of port numbers.
     *
     * <p>Pods of other namespaces and Pods that the selector does not match, that have no address or that have ended
     * are ignored. An endpoint is ready as {@link #isReady} decides; it has a hostname if the Pod has one and the Pod's
     * subdomain is the Service's name.
     *
     * @param service a Service; one without selector or with an external name has no slices
     * @param pods the Pods of the cluster
     * @param nodes the Nodes, for the topology zone; may be empty
     */
    public static List<EndpointSlice> of(Service service, Collection<Pod> pods, Collection<Node> nodes) {
        Objects.requireNonNull(service, "service");
        List<Pod> candidates = Copies.list("pods", pods);
        Map<String, Node> nodesByName = new HashMap<>();
        Copies.list("nodes", nodes).forEach(node -> nodesByName.put(node.name(), node));
        return of(service, candidates, nodesByName);
    }

    public static List<EndpointSlice> of(Service service, Collection<Pod> pods, Map<String, Node> nodes) {
        Optional<Labels> labels = selection(service).selector();
        if (labels.isEmpty()) {
            return List.of();
        }
        Selector selector = Selector.ofLabels(labels.get());
        List<Pod> selected = pods.stream()
                .filter(pod -> pod.namespace().equals(service.namespace()))
                .filter(pod -> selector.test(pod.labels()))
                .filter(pod -> !hasEnded(pod))
                .sorted(Comparator.comparing(Pod::name))
                .toList();
        List<EndpointSlice> slices = new ArrayList<>();
        for (IpFamily family : families(service)) {
            Map<List<EndpointPort>, List<Endpoint>> endpoints = new LinkedHashMap<>();
            for (Pod pod : selected) {
                List<IpAddress> addresses =
                        pod.ips().stream().filter(ip -> ip.family() == family).toList();
                if (!addresses.isEmpty()) {
                    endpoints
                            .computeIfAbsent(ports(service, pod), ports -> new ArrayList<>())
                            .add(endpoint(service, pod, addresses, nodes));
                }
            }
            int number = 0;
            for (Map.Entry<List<EndpointPort>, List<Endpoint>> entry : endpoints.entrySet()) {
                number++;
                slices.add(slice(service.metadata(), family, number, entry.getValue(), entry.getKey()));
            }
        }
        return slices;
    }

    public static EndpointSelection selection(Service service) {
        return service.fold(
                clusterIp -> clusterIp.selection(),
                headless -> headless.selection(),
                external -> EndpointSelection.NONE);
    }

    public static List<IpAddress> clusterIps(Service service) {
        return service.fold(clusterIp -> clusterIp.clusterIps(), headless -> List.of(), external -> List.of());
    }

    /** Returns the families that the Service names, otherwise those of its cluster IPs, otherwise both. */
    public static Set<IpFamily> families(Service service) {
        Set<IpFamily> families = EnumSet.noneOf(IpFamily.class);
        families.addAll(selection(service).ipFamilies());
        if (families.isEmpty()) {
            clusterIps(service).forEach(address -> families.add(address.family()));
        }
        return families.isEmpty() ? EnumSet.allOf(IpFamily.class) : families;
    }

    /** Returns whether all containers of a Pod have ended for good. Ended Pods are neither replicas of a workload nor endpoints. */
    public static boolean hasEnded(Pod pod) {
        return pod.phase()
                .filter(phase -> phase == PodPhase.SUCCEEDED || phase == PodPhase.FAILED)
                .isPresent();
    }

    /**
     * Returns whether the endpoint of a Pod is ready: the Pod is ready and not terminating, or the Service publishes
     * addresses that are not ready.
     */
    public static boolean isReady(Pod pod, Service service) {
        return service.publishNotReadyAddresses() || pod.ready().orElse(false) && !pod.terminating();
    }

    /** Returns the hostname of a Pod's endpoint: that of the Pod, if its subdomain is the name of the Service. */
    public static Optional<String> hostname(Pod pod, Service service) {
        return pod.hostname().filter(any -> pod.subdomain().equals(Optional.of(service.name())));
    }

    private static Endpoint endpoint(Service service, Pod pod, List<IpAddress> addresses, Map<String, Node> nodes) {
        Endpoint.Builder endpoint =
                Endpoint.builder(addresses).ready(isReady(pod, service)).targetRef(pod.ref());
        hostname(pod, service).ifPresent(endpoint::hostname);
        pod.nodeName().ifPresent(endpoint::nodeName);
        pod.nodeName()
                .flatMap(name -> Optional.ofNullable(nodes.get(name)))
                .flatMap(Node::topologyZone)
                .ifPresent(endpoint::topologyZone);
        return endpoint.build();
    }

    /**
     * Returns the Service's ports with the numbers of this Pod. A port is omitted if the Pod has no port of the
     * target's name, or the target is unknown.
     */
    private static List<EndpointPort> ports(Service service, Pod pod) {
        List<EndpointPort> ports = new ArrayList<>();
        for (ServicePort port : service.ports()) {
            OptionalInt number = number(port, pod);
            if (number.isPresent()) {
                ports.add(new EndpointPort(port.name(), port.protocol(), number));
            }
        }
        return ports;
    }

    private static OptionalInt number(ServicePort port, Pod pod) {
        return port.targetPort()
                .fold(
                        numbered -> OptionalInt.of(numbered.port()),
                        named -> pod.ports().stream()
                                .filter(container -> container.name().equals(named.name()))
                                .filter(container -> container.protocol() == port.protocol())
                                .mapToInt(ContainerPort::port)
                                .findFirst(),
                        unknown -> OptionalInt.empty());
    }

    /**
     * Returns the slices of legacy Endpoints: for each subset one slice for each address family, with all ports of the
     * subset.
     *
     * @param endpoints the Endpoints; they have no slices if their name is not a valid name of a Service
     */
    public static List<EndpointSlice> of(Endpoints endpoints) {
        Objects.requireNonNull(endpoints, "endpoints");
        if (!KubernetesNames.isDnsLabel(endpoints.metadata().name())) {
            return List.of();
        }
        List<EndpointSlice> slices = new ArrayList<>();
        Map<IpFamily, Integer> numbers = new EnumMap<>(IpFamily.class);
        for (Endpoints.Subset subset : endpoints.subsets()) {
            for (IpFamily family : IpFamily.values()) {
                List<Endpoint> members = new ArrayList<>();
                addMembers(members, subset.addresses(), family, true);
                addMembers(members, subset.notReadyAddresses(), family, false);
                if (!members.isEmpty()) {
                    int number = numbers.merge(family, 1, Integer::sum);
                    EndpointSlice slice = slice(endpoints.metadata(), family, number, members, subset.ports());
                    slices.add(EndpointsMirroring.asCopy(slice));
                }
            }
        }
        return slices;
    }

    private static void addMembers(
            List<Endpoint> members, List<Endpoints.Address> addresses, IpFamily family, boolean ready) {
        for (Endpoints.Address address : addresses) {
            if (address.ip().family() == family) {
                Endpoint.Builder endpoint = Endpoint.builder(address.ip()).ready(ready);
                address.hostname().ifPresent(endpoint::hostname);
                address.targetRef().ifPresent(endpoint::targetRef);
                address.nodeName().ifPresent(endpoint::nodeName);
                members.add(endpoint.build());
            }
        }
    }

    /** Makes a slice named {@code SERVICE-ipv4-1}, where the controller appends random letters; it has no UID. */
    private static EndpointSlice slice(
            Metadata service, IpFamily family, int number, List<Endpoint> endpoints, List<EndpointPort> ports) {
        String suffix = family == IpFamily.IPV4 ? "-ipv4-" : "-ipv6-";
        return EndpointSlice.builder(Metadata.of(service.namespace(), service.name() + suffix + number)
                        .withLabels(new Labels(Map.of(EndpointSlice.SERVICE_NAME_LABEL, service.name()))))
                .service(service.name())
                .addressType(AddressType.of(family))
                .endpoints(endpoints)
                .ports(ports)
                .build();
    }
}
