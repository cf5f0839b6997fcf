package io.k8sdns.slices;

import static io.k8sdns.cluster.Cluster.HTTP;
import static io.k8sdns.cluster.Cluster.WEB;
import static io.k8sdns.cluster.Cluster.clusterIp;
import static io.k8sdns.cluster.Cluster.headless;
import static io.k8sdns.cluster.Cluster.ips;
import static io.k8sdns.cluster.Cluster.node;
import static io.k8sdns.cluster.Cluster.pod;
import static io.k8sdns.cluster.Cluster.selecting;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.AddressType;
import io.k8sdns.model.ContainerPort;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.TargetPort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class EndpointSliceRulesTest {
    private static final HeadlessService WEB_SERVICE = headless("web", selecting(WEB, IpFamily.IPV4), HTTP);

    @Test
    void aReadyPodIsAReadyEndpointThatRefersToIt() {
        EndpointSlice slice = only(slices(WEB_SERVICE, pod("a", "10.3.0.1").build()));

        assertThat(slice.ref()).isEqualTo(ObjectRef.of("EndpointSlice", "prod", "web-ipv4-1"));
        assertThat(slice.serviceName()).contains("web");
        assertThat(slice.labels().get("kubernetes.io/service-name")).contains("web");
        assertThat(slice.addressType()).isEqualTo(AddressType.IPV4);
        assertThat(slice.ports()).containsExactly(EndpointPort.of("http", Protocol.TCP, 80));
        assertThat(slice.endpoints())
                .containsExactly(Endpoint.builder("10.3.0.1")
                        .ready(true)
                        .targetRef(ObjectRef.of("Pod", "prod", "a"))
                        .build());
    }

    @Test
    void podsThatTheSelectorMissesHaveNoEndpoint() {
        assertThat(slices(
                        WEB_SERVICE,
                        pod("a", "10.3.0.1").in("test").build(),
                        pod("b", "10.3.0.2").labelled(Labels.NONE).build(),
                        pod("c", "10.3.0.3")
                                .labelled(new Labels(Map.of("app", "db")))
                                .build()))
                .isEmpty();
    }

    @Test
    void podsThatHaveEndedOrHaveNoAddressHaveNoEndpoint() {
        assertThat(slices(
                        WEB_SERVICE,
                        pod("a", "10.3.0.1").phase(PodPhase.SUCCEEDED).build(),
                        pod("b", "10.3.0.2").phase(PodPhase.FAILED).build(),
                        pod("c").build()))
                .isEmpty();
    }

    @Test
    void readyIsThePodsConditionAndFalseIfItIsAbsentOrThePodTerminates() {
        assertThat(readiness(
                        WEB_SERVICE,
                        pod("a", "10.3.0.1").build(),
                        pod("b", "10.3.0.2").ready(Optional.of(false)).build(),
                        pod("c", "10.3.0.3").ready(Optional.empty()).build(),
                        pod("d", "10.3.0.4").terminating().build()))
                .containsExactly(true, false, false, false);
    }

    @Test
    void everyAddressIsReadyIfTheServicePublishesNotReadyAddresses() {
        HeadlessService publishing = HeadlessService.builder(WEB_SERVICE.metadata())
                .ports(HTTP)
                .selection(WEB_SERVICE.selection())
                .publishNotReadyAddresses(true)
                .build();
        assertThat(readiness(
                        publishing,
                        pod("a", "10.3.0.1").ready(Optional.of(false)).build(),
                        pod("b", "10.3.0.2").terminating().build()))
                .containsExactly(true, true);
        assertThat(slices(
                        publishing,
                        pod("a", "10.3.0.1").phase(PodPhase.SUCCEEDED).build()))
                .isEmpty();
    }

    @Test
    void aHostnameNeedsTheSubdomainOfThisService() {
        List<Endpoint> endpoints = only(slices(
                        WEB_SERVICE,
                        pod("a", "10.3.0.1").named("a", "web").build(),
                        pod("b", "10.3.0.2").named("b", "other").build(),
                        pod("c", "10.3.0.3").build()))
                .endpoints();
        assertThat(endpoints)
                .extracting(Endpoint::hostname)
                .containsExactly(Optional.of("a"), Optional.empty(), Optional.empty());
    }

    @Test
    void nodeAndItsZoneAreCopied() {
        Pod known = pod("a", "10.3.0.1").on("n1").build();
        Pod unknown = pod("b", "10.3.0.2").on("n2").build();
        List<Endpoint> endpoints = only(EndpointSliceRules.of(
                        WEB_SERVICE, List.of(known, unknown), List.of(node("n1", "zone-a"))))
                .endpoints();
        assertThat(endpoints).extracting(Endpoint::nodeName).containsExactly(Optional.of("n1"), Optional.of("n2"));
        assertThat(endpoints)
                .extracting(Endpoint::topologyZone)
                .containsExactly(Optional.of("zone-a"), Optional.empty());
    }

    @Test
    void aDualStackServiceHasASliceOfEachFamily() {
        HeadlessService dual = headless("web", selecting(WEB, IpFamily.IPV6, IpFamily.IPV4), HTTP);
        Pod pod = pod("a", "10.3.0.1", "2001:db8::1").build();
        assertThat(slices(dual, pod)).extracting(EndpointSlice::name).containsExactly("web-ipv4-1", "web-ipv6-1");
        assertThat(slices(WEB_SERVICE, pod)).extracting(EndpointSlice::name).containsExactly("web-ipv4-1");
    }

    @Test
    void withoutFamiliesTheClusterIpDecidesAndAHeadlessServiceHasBoth() {
        Pod pod = pod("a", "10.3.0.1", "2001:db8::1").build();
        assertThat(slices(headless("web", selecting(WEB)), pod))
                .extracting(EndpointSlice::addressType)
                .containsExactly(AddressType.IPV4, AddressType.IPV6);
        assertThat(slices(clusterIp("web", selecting(WEB), "2001:db8:1::1"), pod))
                .extracting(EndpointSlice::addressType)
                .containsExactly(AddressType.IPV6);
    }

    @Test
    void podsThatResolveANamedPortDifferentlyAreInDifferentSlices() {
        ServicePort named = ServicePort.of("http", Protocol.TCP, 80).withTargetPort("web");
        ServicePort numbered = ServicePort.of("metrics", Protocol.TCP, 9090).withTargetPort(9091);
        List<EndpointSlice> slices = slices(
                headless("web", selecting(WEB, IpFamily.IPV4), named, numbered),
                pod("a", "10.3.0.1")
                        .listening(new ContainerPort("web", Protocol.TCP, 8080))
                        .build(),
                pod("b", "10.3.0.2")
                        .listening(
                                new ContainerPort("web", Protocol.UDP, 1), new ContainerPort("web", Protocol.TCP, 8081))
                        .build(),
                pod("c", "10.3.0.3")
                        .listening(new ContainerPort("web", Protocol.TCP, 8080))
                        .build(),
                pod("d", "10.3.0.4").build());

        EndpointPort metrics = EndpointPort.of("metrics", Protocol.TCP, 9091);
        assertThat(slices)
                .extracting(EndpointSlice::ports)
                .containsExactly(
                        List.of(EndpointPort.of("http", Protocol.TCP, 8080), metrics),
                        List.of(EndpointPort.of("http", Protocol.TCP, 8081), metrics),
                        List.of(metrics));
        assertThat(slices)
                .extracting(EndpointSliceRulesTest::addresses)
                .containsExactly(ips("10.3.0.1", "10.3.0.3"), ips("10.3.0.2"), ips("10.3.0.4"));
        assertThat(slices).extracting(EndpointSlice::name).containsExactly("web-ipv4-1", "web-ipv4-2", "web-ipv4-3");
    }

    @Test
    void aNamedPortIsTheContainerPortOfThatName() {
        ServicePort named = ServicePort.of("http", Protocol.TCP, 80).withTargetPort("web");
        EndpointSlice slice = only(slices(
                headless("web", selecting(WEB, IpFamily.IPV4), named),
                pod("a", "10.3.0.1")
                        .listening(
                                new ContainerPort("metrics", Protocol.TCP, 9090),
                                new ContainerPort("web", Protocol.TCP, 8080))
                        .build()));

        assertThat(slice.ports()).containsExactly(EndpointPort.of("http", Protocol.TCP, 8080));
    }

    @Test
    void aPortWithAnUnknownTargetIsOmittedFromEndpoints() {
        ServicePort unknown = ServicePort.of("http", Protocol.TCP, 80).withTargetPort(new TargetPort.Unknown());
        ServicePort known = ServicePort.of("metrics", Protocol.TCP, 9090);
        EndpointSlice slice = only(slices(
                headless("web", selecting(WEB, IpFamily.IPV4), unknown, known),
                pod("a", "10.3.0.1")
                        .listening(new ContainerPort("http", Protocol.TCP, 80))
                        .build()));

        assertThat(slice.ports()).containsExactly(EndpointPort.of("metrics", Protocol.TCP, 9090));
        assertThat(addresses(slice)).isEqualTo(ips("10.3.0.1"));
    }

    @Test
    void aHeadlessServiceMayBeWithoutPorts() {
        assertThat(only(slices(
                                headless("web", selecting(WEB, IpFamily.IPV4)),
                                pod("a", "10.3.0.1").build()))
                        .ports())
                .isEmpty();
    }

    @Test
    void servicesWithoutSelectorAndExternalNamesHaveNone() {
        Pod pod = pod("a", "10.3.0.1").build();
        assertThat(slices(headless("web", EndpointSelection.NONE), pod)).isEmpty();
        assertThat(slices(ExternalNameService.of("prod", "web", "www.example.com"), pod))
                .isEmpty();
    }

    @Test
    void legacyEndpointsAreTheProductOfAddressesAndPortsOfEachSubset() {
        Endpoints.Address named = Endpoints.Address.builder("10.3.0.1")
                .hostname("a")
                .nodeName("n1")
                .targetRef(ObjectRef.of("Pod", "prod", "a"))
                .build();
        EndpointPort http = EndpointPort.of("http", Protocol.TCP, 80);
        List<EndpointSlice> slices = EndpointSliceRules.of(new Endpoints(
                Metadata.of("prod", "web"),
                List.of(
                        new Endpoints.Subset(
                                List.of(named, address("2001:db8::1")), List.of(address("10.3.0.2")), List.of(http)),
                        new Endpoints.Subset(List.of(), List.of(address("10.3.0.3")), List.of()))));

        assertThat(slices).extracting(EndpointSlice::name).containsExactly("web-ipv4-1", "web-ipv6-1", "web-ipv4-2");
        assertThat(slices).allMatch(slice -> slice.serviceName().equals(Optional.of("web")));
        assertThat(slices).extracting(EndpointSlice::ports).containsExactly(List.of(http), List.of(http), List.of());
        assertThat(slices.get(0).endpoints())
                .containsExactly(
                        Endpoint.builder("10.3.0.1")
                                .ready(true)
                                .hostname("a")
                                .targetRef(ObjectRef.of("Pod", "prod", "a"))
                                .nodeName("n1")
                                .build(),
                        Endpoint.of("10.3.0.2").withReady(false));
        assertThat(slices.get(2).endpoints())
                .containsExactly(Endpoint.of("10.3.0.3").withReady(false));
    }

    @Test
    void legacyEndpointsWithoutAValidServiceNameHaveNone() {
        assertThat(EndpointSliceRules.of(new Endpoints(
                        Metadata.of("prod", "web.lock"),
                        List.of(new Endpoints.Subset(List.of(address("10.3.0.1")), List.of(), List.of())))))
                .isEmpty();
    }

    private static Endpoints.Address address(String text) {
        return Endpoints.Address.of(text);
    }

    private static List<EndpointSlice> slices(Service service, Pod... pods) {
        return EndpointSliceRules.of(service, List.of(pods), List.of());
    }

    private static EndpointSlice only(List<EndpointSlice> slices) {
        assertThat(slices).hasSize(1);
        return slices.get(0);
    }

    private static List<Boolean> readiness(Service service, Pod... pods) {
        return only(slices(service, pods)).endpoints().stream()
                .map(endpoint -> endpoint.ready().orElseThrow())
                .toList();
    }

    private static List<IpAddress> addresses(EndpointSlice slice) {
        return slice.endpoints().stream()
                .flatMap(endpoint -> endpoint.addresses().stream())
                .toList();
    }
}
