package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that builders reject the objects that Kubernetes rejects, with the name of the field, and accept valid objects. */
class InvalidObjectsTest {
    private static final IpAddress V4 = IpAddress.parse("10.3.0.1");
    private static final IpAddress V6 = IpAddress.parse("2001:db8::1");

    @Test
    void metadata() {
        refused("metadata.namespace", () -> Metadata.of("a.b", "web"));
        refused("metadata.name", () -> Metadata.of("prod", "Web"));
        assertThat(Metadata.of("prod", "web.1").name()).isEqualTo("web.1");
    }

    @Test
    void namespacesAndNodes() {
        refused("metadata.name", () -> Namespace.of("a.b"));
        refused("metadata.name", () -> Node.of("A"));
        assertThatCode(() -> Node.of("a.b")).doesNotThrowAnyException();
    }

    @Test
    void labels() {
        refused("a b", () -> new Labels(Map.of("a b", "")));
        refused("app", () -> new Labels(Map.of("app", "-")));
        assertThat(new Labels(Map.of("example.com/app", "")).get("example.com/app"))
                .contains("");
    }

    /** Names of RFC 1035, and of RFC 1123 since Kubernetes 1.34 (KEP-5311). */
    @ParameterizedTest
    @ValueSource(strings = {"web", "1kubernetes", "1-2-3-4"})
    void serviceNamesAreLabels(String name) {
        assertThat(HeadlessService.of("prod", name).name()).isEqualTo(name);
    }

    @Test
    void everyKindOfServiceHasALabelForAName() {
        refused("metadata.name", () -> ClusterIpService.of("prod", "a.b", List.of(), List.of()));
        refused("metadata.name", () -> HeadlessService.of("prod", "a.b"));
        refused("metadata.name", () -> ExternalNameService.of("prod", "a.b", "example.com"));
    }

    @Test
    void atMostOneClusterIpOfEachFamily() {
        assertThat(ClusterIpService.of("prod", "web", List.of(V6, V4), List.of())
                        .clusterIps())
                .containsExactly(V6, V4);
        refused(
                "spec.clusterIPs[1]",
                () -> ClusterIpService.of("prod", "web", List.of(V4, IpAddress.parse("10.3.0.2")), List.of()));
        refused("spec.clusterIPs[2]", () -> ClusterIpService.of("prod", "web", List.of(V4, V6, V4), List.of()));
    }

    @Test
    void portsOfAServiceDifferInNameOrProtocol() {
        ServicePort tcp = ServicePort.of("http", Protocol.TCP, 80);
        ServicePort udp = ServicePort.of("http", Protocol.UDP, 81);
        ServicePort unnamed = ServicePort.unnamed(Protocol.TCP, 82);
        List<ServicePort> ports = List.of(tcp, udp, unnamed, ServicePort.unnamed(Protocol.SCTP, 82));
        assertThat(HeadlessService.of("prod", "web", ports).ports()).isEqualTo(ports);
        assertThat(ClusterIpService.of("prod", "web", List.of(V4), ports).ports())
                .isEqualTo(ports);
        ServicePort again = ServicePort.of("http", Protocol.TCP, 81);
        refused("spec.ports[2].name", () -> ClusterIpService.of("prod", "web", List.of(V4), List.of(tcp, udp, again)));
        refused("spec.ports[2].name", () -> HeadlessService.of("prod", "web", tcp, unnamed, unnamed));
        assertThat(again.key()).hasToString("TCP port named \"http\"").isEqualTo(tcp.key());
        assertThat(unnamed.key()).hasToString("TCP port without a name");
    }

    @Test
    void portsOfASliceDifferInNameOrProtocol() {
        EndpointPort tcp = EndpointPort.of("dns", Protocol.TCP, 53);
        EndpointPort udp = EndpointPort.of("dns", Protocol.UDP, 53);
        assertThat(slice(AddressType.IPV4, List.of(), List.of(tcp, udp)).ports())
                .containsExactly(tcp, udp);
        refused("ports[1].name", () -> slice(AddressType.IPV4, List.of(), List.of(tcp, tcp)));
        refused("ports[1].name", () -> new Endpoints.Subset(List.of(), List.of(), List.of(udp, udp)));
    }

    @Test
    void invalidPortNumbersOfServicesAreReported() {
        refused("port", () -> ServicePort.of("http", Protocol.TCP, 0));
        refused("port", () -> ServicePort.unnamed(Protocol.TCP, 65_536));
    }

    @Test
    void portNamesOfServicesAndSlicesAreLabels() {
        String longest = "a".repeat(63);
        assertThat(ServicePort.of(longest, Protocol.TCP, 80).name()).contains(longest);
        assertThat(EndpointPort.of(longest, Protocol.TCP, 80).name()).contains(longest);
        refused("name", () -> ServicePort.of("a_b", Protocol.TCP, 80));
        refused("name", () -> EndpointPort.of("Http", Protocol.TCP, 80));
    }

    @Test
    void portNamesOfContainersAreIanaServiceNames() {
        refused("name", () -> new ContainerPort("sixteen-letters-", Protocol.TCP, 80));
        refused("targetPort", () -> new TargetPort.Named("80"));
    }

    @ParameterizedTest
    @ValueSource(ints = {-1, 0, 65536})
    void portNumbers(int number) {
        TargetPort target = new TargetPort.Numbered(80);
        refused("port", () -> new ServicePort(Optional.empty(), Protocol.TCP, number, target));
        refused("port", () -> EndpointPort.unnamed(Protocol.TCP, number));
        refused("containerPort", () -> new ContainerPort("http", Protocol.TCP, number));
        refused("targetPort", () -> new TargetPort.Numbered(number));
    }

    @ParameterizedTest
    @ValueSource(strings = {"foo.example.com", "foo.example.com.", "Foo.Example.com", "10.1.2.3", "2001:db8::1"})
    void externalNamesLoseOneTrailingDot(String target) {
        assertThat(ExternalNameService.of("prod", "ext", target).externalName().orElseThrow() + ".")
                .startsWith(target);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ".", "foo.example.com..", "foo_bar", "http://foo"})
    void invalidExternalNames(String target) {
        refused("spec.externalName", () -> ExternalNameService.of("prod", "ext", target));
    }

    @Test
    void endpoints() {
        refused("hostname", () -> Endpoint.of(V4).withHostname("a.b"));
        refused("addresses", () -> Endpoint.builder(List.of()).build());
        refused(
                "addresses",
                () -> Endpoint.builder(Collections.nCopies(101, V4)).build());
        refused("nodeName", () -> Endpoint.builder(V4).nodeName("A").build());
        refused("hostname", () -> Endpoints.Address.builder(V4).hostname("A").build());
        refused("nodeName", () -> Endpoints.Address.builder(V4).nodeName("A").build());
    }

    @Test
    void addressesOfASliceAreOfItsFamily() {
        refused(
                "endpoints[0].addresses[1]",
                () -> slice(AddressType.IPV4, List.of(Endpoint.builder(V4, V6).build()), List.of()));
        refused("endpoints[0].addresses[0]", () -> slice(AddressType.FQDN, List.of(Endpoint.of(V4)), List.of()));
    }

    @Test
    void anEmptyServiceNameLabelIsTreatedAsAbsent() {
        EndpointSlice slice = EndpointSlice.builder("prod", "web-1").service("").build();
        assertThat(slice.serviceName()).isEmpty();
    }

    @Test
    void anEmptySelectorIsTreatedAsAbsent() {
        assertThat(new EndpointSelection(Optional.of(Labels.NONE), List.of(), Optional.empty()).selector())
                .isEmpty();
        refused(
                "spec.ipFamilies",
                () -> new EndpointSelection(Optional.empty(), List.of(IpFamily.IPV4, IpFamily.IPV4), Optional.empty()));
    }

    @Test
    void pods() {
        refused("spec.hostname", () -> pod().hostname("a.b").build());
        refused("spec.subdomain", () -> pod().subdomain("A").build());
        refused("spec.nodeName", () -> pod().nodeName("A").build());
        refused("spec.nodeName", () -> PodTemplate.builder().nodeName("A").build());
    }

    @Test
    void statefulSets() {
        refused("spec.replicas", () -> statefulSet("web", -1, 0));
        refused("spec.ordinals.start", () -> statefulSet("web", 1, -1));
        refused("metadata.name", () -> statefulSet("a.b", 1, 0).pod(0));
        assertThat(statefulSet("web", 2, 7).pod(1).name()).isEqualTo("web-8");
        assertThat(statefulSet("web", 2, Integer.MAX_VALUE).pod(1).name()).isEqualTo("web-2147483648");
    }

    private static StatefulSet statefulSet(String name, int replicas, int firstOrdinal) {
        return StatefulSet.builder("prod", name)
                .replicas(replicas)
                .firstOrdinal(firstOrdinal)
                .build();
    }

    private static EndpointSlice slice(AddressType type, List<Endpoint> endpoints, List<EndpointPort> ports) {
        return EndpointSlice.builder("prod", "web-1")
                .service("web")
                .addressType(type)
                .endpoints(endpoints)
                .ports(ports)
                .build();
    }

    private static Pod.Builder pod() {
        return Pod.builder("prod", "web-0");
    }

    private static void refused(String field, ThrowingCallable building) {
        assertThatExceptionOfType(InvalidFieldException.class)
                .isThrownBy(building)
                .extracting(InvalidFieldException::field)
                .isEqualTo(field);
    }
}
