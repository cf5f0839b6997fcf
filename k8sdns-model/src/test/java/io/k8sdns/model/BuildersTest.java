package io.k8sdns.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BuildersTest {
    private static final DnsConfig DNS_CONFIG = new DnsConfig(List.of(), List.of("example.com"), List.of());

    private static final List<HostAlias> HOST_ALIASES = List.of(HostAlias.of("192.0.2.7", "db.example.com"));

    private static final EndpointPort HTTP = EndpointPort.of("http", Protocol.TCP, 8080);
    private static final EndpointPort DNS = EndpointPort.of("dns", Protocol.UDP, 53);
    private static final ContainerPort WEB = new ContainerPort("web", Protocol.TCP, 8080);

    @Test
    void anEndpointIsReadyUnlessItsConditionIsFalse() {
        Endpoint endpoint = Endpoint.of("192.0.2.10");
        assertThat(endpoint.isReady()).isTrue();
        assertThat(endpoint.withReady(true).isReady()).isTrue();
        assertThat(endpoint.withReady(false).isReady()).isFalse();
    }

    @Test
    void aSliceBelongsToTheServiceThatItNamesInItsOwnNamespace() {
        EndpointSlice slice =
                EndpointSlice.builder("shop", "db-1").service("db").build();
        assertThat(slice.serviceRef()).contains(ObjectRef.of(Service.KIND, "shop", "db"));
        assertThat(slice.belongsTo(HeadlessService.builder("shop", "db").build()))
                .isTrue();
        assertThat(slice.belongsTo(HeadlessService.builder("shop", "db-1").build()))
                .isFalse();
        assertThat(slice.belongsTo(HeadlessService.builder("lab", "db").build()))
                .isFalse();
        EndpointSlice unlabelled = EndpointSlice.builder("shop", "db").build();
        assertThat(unlabelled.serviceRef()).isEmpty();
        assertThat(unlabelled.belongsTo(HeadlessService.builder("shop", "db").build()))
                .isFalse();
    }

    @Test
    void anAddressIsNoTargetOfAnAlias() {
        assertThat(ExternalNameService.of("shop", "pay", "pay.example.com.").targetName())
                .contains("pay.example.com");
        assertThat(ExternalNameService.of("shop", "pay", "192.0.2.1").targetName())
                .isEmpty();
        assertThat(ExternalNameService.of("shop", "pay", "2001:db8::1").targetName())
                .isEmpty();
        assertThat(ExternalNameService.withoutTarget(Metadata.of("shop", "pay")).targetName())
                .isEmpty();
    }

    @Test
    void aFieldThatIsNotSetIsAbsent() {
        Endpoint endpoint = Endpoint.of("192.0.2.10");
        assertThat(endpoint.addresses()).containsExactly(IpAddress.parse("192.0.2.10"));
        assertThat(endpoint.ready()).isEmpty();
        assertThat(endpoint.hostname()).isEmpty();
        assertThat(endpoint.targetRef()).isEmpty();
        assertThat(endpoint.nodeName()).isEmpty();
        assertThat(endpoint.topologyZone()).isEmpty();
        EndpointSlice slice = EndpointSlice.builder("shop", "db-1").build();
        assertThat(slice.metadata()).isEqualTo(Metadata.of("shop", "db-1"));
        assertThat(slice.serviceName()).isEmpty();
        assertThat(slice.endpoints()).isEmpty();
        assertThat(slice.ports()).isEmpty();
        Pod pod = Pod.builder("shop", "db-0").build();
        assertThat(pod.metadata()).isEqualTo(Metadata.of("shop", "db-0"));
        assertThat(pod.phase()).isEmpty();
        assertThat(pod.ready()).isEmpty();
        assertThat(pod.ips()).isEmpty();
        assertThat(pod.dnsPolicy()).isEmpty();
        assertThat(pod.dnsConfig()).isEmpty();
        assertThat(pod.hostAliases()).isEmpty();
        assertThat(pod.os()).isEmpty();
        assertThat(pod.ports()).isEmpty();
    }

    @Test
    void endpointsDifferInEachField() {
        differ(
                Endpoint.of("192.0.2.10"),
                endpoint -> endpoint.toBuilder().build(),
                List.of(
                        Endpoint.of("192.0.2.11"),
                        Endpoint.builder("192.0.2.10", "192.0.2.11").build(),
                        Endpoint.builder("192.0.2.10").ready(true).build(),
                        Endpoint.builder("192.0.2.10").ready(false).build(),
                        Endpoint.builder("192.0.2.10").hostname("a").build(),
                        Endpoint.builder("192.0.2.10")
                                .targetRef(ObjectRef.of(Pod.KIND, "shop", "a"))
                                .build(),
                        Endpoint.builder("192.0.2.10").nodeName("a").build(),
                        Endpoint.builder("192.0.2.10").topologyZone("a").build()));
    }

    @Test
    void slicesDifferInEachField() {
        differ(
                EndpointSlice.builder("shop", "db-1").build(),
                slice -> slice.toBuilder().build(),
                List.of(
                        EndpointSlice.builder("shop", "db-2").build(),
                        EndpointSlice.builder("shop", "db-1").service("db").build(),
                        EndpointSlice.builder("shop", "db-1")
                                .addressType(AddressType.IPV6)
                                .build(),
                        EndpointSlice.builder("shop", "db-1")
                                .endpoints(Endpoint.of("192.0.2.10"))
                                .build(),
                        EndpointSlice.builder("shop", "db-1").ports(HTTP).build()));
    }

    @Test
    void podsDifferInEachField() {
        differ(
                Pod.builder("shop", "a").build(),
                pod -> pod.toBuilder().build(),
                List.of(
                        Pod.builder("shop", "b").build(),
                        Pod.builder("shop", "a").labels("app=web").build(),
                        Pod.builder("shop", "a").phase(PodPhase.RUNNING).build(),
                        Pod.builder("shop", "a").ready(false).build(),
                        Pod.builder("shop", "a").terminating(true).build(),
                        Pod.builder("shop", "a").ips("192.0.2.10").build(),
                        Pod.builder("shop", "a").hostNetwork(true).build(),
                        Pod.builder("shop", "a").hostname("a").build(),
                        Pod.builder("shop", "a").subdomain("a").build(),
                        Pod.builder("shop", "a").nodeName("a").build(),
                        Pod.builder("shop", "a").dnsPolicy(DnsPolicy.NONE).build(),
                        Pod.builder("shop", "a").dnsPolicy("Custom").build(),
                        Pod.builder("shop", "a").dnsConfig(DNS_CONFIG).build(),
                        Pod.builder("shop", "a").hostAliases(HOST_ALIASES).build(),
                        Pod.builder("shop", "a").os("windows").build(),
                        Pod.builder("shop", "a").ports(WEB).build()));
    }

    @Test
    void servicesWithClusterIpsDifferInEachField() {
        differ(
                ClusterIpService.builder("shop", "cart").build(),
                service -> service.toBuilder().build(),
                List.of(
                        ClusterIpService.builder("shop", "other").build(),
                        ClusterIpService.builder("shop", "cart")
                                .metadata(Metadata.of("shop", "cart").withUid("a"))
                                .build(),
                        ClusterIpService.builder("shop", "cart").labels("a=b").build(),
                        ClusterIpService.builder("shop", "cart")
                                .clusterIp("10.96.0.20")
                                .build(),
                        ClusterIpService.builder("shop", "cart")
                                .clusterIps("10.96.0.20", "2001:db8::20")
                                .build(),
                        ClusterIpService.builder("shop", "cart")
                                .port(ServicePort.unnamed(Protocol.TCP, 80))
                                .build(),
                        ClusterIpService.builder("shop", "cart").selector("a=b").build(),
                        ClusterIpService.builder("shop", "cart")
                                .ipFamilies(IpFamily.IPV6)
                                .build(),
                        ClusterIpService.builder("shop", "cart")
                                .ipFamilyPolicy(IpFamilyPolicy.PREFER_DUAL_STACK)
                                .build(),
                        ClusterIpService.builder("shop", "cart")
                                .publishNotReadyAddresses(true)
                                .build()));
    }

    @Test
    void headlessServicesDifferInEachField() {
        differ(
                HeadlessService.of("shop", "db"),
                service -> service.toBuilder().build(),
                List.of(
                        HeadlessService.of("shop", "other"),
                        HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432)),
                        HeadlessService.builder("shop", "db").labels("a=b").build(),
                        HeadlessService.builder("shop", "db").selector("a=b").build(),
                        HeadlessService.builder("shop", "db")
                                .ipFamilies(List.of(IpFamily.IPV6))
                                .build(),
                        HeadlessService.builder("shop", "db")
                                .ipFamilyPolicy(IpFamilyPolicy.SINGLE_STACK)
                                .build(),
                        HeadlessService.builder("shop", "db")
                                .publishNotReadyAddresses(true)
                                .build()));
    }

    @Test
    void thePodsOfANodeHaveTheFirstAddressOfEachFamily() {
        Node external = Node.builder("n1")
                .externalIps("2001:db8::1", "198.51.100.1", "198.51.100.2")
                .build();
        assertThat(external.hostIps())
                .containsExactlyElementsOf(IpAddress.parseAll("ips", "2001:db8::1", "198.51.100.1"));
        assertThat(external.toBuilder().internalIps("192.0.2.1").build().hostIps())
                .as("internal addresses are first")
                .containsExactlyElementsOf(IpAddress.parseAll("ips", "192.0.2.1", "2001:db8::1"));
        assertThat(Node.of("n1").hostIps()).isEmpty();
    }

    @Test
    void nodesDifferInEachField() {
        differ(
                Node.of("n1"),
                node -> node.toBuilder().build(),
                List.of(
                        Node.of("n2"),
                        Node.of("n1", "192.0.2.1"),
                        Node.builder("n1").externalIps("192.0.2.1").build(),
                        Node.builder("n1").uid("a").build(),
                        Node.builder("n1").labels("a=b").build()));
    }

    @Test
    void statefulSetsDifferInEachField() {
        differ(
                StatefulSet.builder("shop", "db").build(),
                set -> set.toBuilder().build(),
                List.of(
                        StatefulSet.builder("shop", "other").build(),
                        StatefulSet.builder("shop", "db").labels("a=b").build(),
                        StatefulSet.builder("shop", "db").replicas(2).build(),
                        StatefulSet.builder("shop", "db").firstOrdinal(2).build(),
                        StatefulSet.builder("shop", "db").service("db").build(),
                        StatefulSet.builder("shop", "db")
                                .template(PodTemplate.of("app=db"))
                                .build()));
        assertThat(StatefulSet.builder("shop", "db").build().pod(0))
                .isEqualTo(StatefulSet.builder("shop", "db")
                        .replicas(1)
                        .firstOrdinal(0)
                        .build()
                        .pod(0));
    }

    @Test
    void aPodOfAStatefulSetHasTheFieldsOfTheTemplate() {
        PodTemplate template = PodTemplate.builder()
                .labels("app=db")
                .hostNetwork(true)
                .nodeName("n1")
                .dnsPolicy(DnsPolicy.NONE)
                .dnsConfig(DNS_CONFIG)
                .hostAliases(HOST_ALIASES)
                .os("windows")
                .port(WEB)
                .build();

        assertThat(StatefulSet.builder("shop", "db").template(template).build().pod(0))
                .isEqualTo(Pod.builder("shop", "db-0")
                        .labels("app=db,statefulset.kubernetes.io/pod-name=db-0,apps.kubernetes.io/pod-index=0")
                        .hostname("db-0")
                        .hostNetwork(true)
                        .nodeName("n1")
                        .dnsPolicy(DnsPolicy.NONE)
                        .dnsConfig(DNS_CONFIG)
                        .hostAliases(HOST_ALIASES)
                        .os("windows")
                        .port(WEB)
                        .build());
    }

    @Test
    void podsShareTheUsualPolicyAndOperatingSystem() {
        for (DnsPolicy policy : DnsPolicy.values()) {
            Pod pod = Pod.builder("shop", "a").dnsPolicy(copy(policy.word())).build();
            assertThat(pod.dnsPolicy())
                    .isSameAs(Pod.builder("shop", "b").dnsPolicy(policy).build().dnsPolicy());
        }
        assertThat(Pod.builder("shop", "a").os(copy("linux")).build().os())
                .isSameAs(Pod.builder("shop", "b").os("linux").build().os());
    }

    /** Returns another object with the same characters, as a parser does. */
    private static String copy(String text) {
        return String.valueOf(text.toCharArray());
    }

    @Test
    void podTemplatesDifferInEachField() {
        differ(
                PodTemplate.builder().build(),
                template -> template.toBuilder().build(),
                List.of(
                        PodTemplate.of("app=db"),
                        PodTemplate.builder().hostNetwork(true).build(),
                        PodTemplate.builder().nodeName("n1").build(),
                        PodTemplate.builder().dnsPolicy(DnsPolicy.NONE).build(),
                        PodTemplate.builder().dnsPolicy("Custom").build(),
                        PodTemplate.builder().dnsConfig(DNS_CONFIG).build(),
                        PodTemplate.builder().hostAliases(HOST_ALIASES).build(),
                        PodTemplate.builder().os("windows").build(),
                        PodTemplate.builder().port(WEB).build()));
    }

    @Test
    void addressesOfEndpointsDifferInEachField() {
        differ(
                Endpoints.Address.of("192.0.2.10"),
                address -> address.toBuilder().build(),
                List.of(
                        Endpoints.Address.of("192.0.2.11"),
                        Endpoints.Address.builder("192.0.2.10").hostname("a").build(),
                        Endpoints.Address.builder("192.0.2.10").nodeName("a").build(),
                        Endpoints.Address.builder("192.0.2.10")
                                .targetRef(ObjectRef.of(Pod.KIND, "shop", "a"))
                                .build()));
    }

    @Test
    void buildersMakeWhatConstructorsMake() {
        ServicePort http = ServicePort.of("http", Protocol.TCP, 80);
        assertThat(ClusterIpService.builder("shop", "cart")
                        .clusterIp("10.96.0.20")
                        .port(http)
                        .selector("app=cart")
                        .build())
                .isEqualTo(new ClusterIpService(
                        Metadata.of("shop", "cart"),
                        List.of(IpAddress.parse("10.96.0.20")),
                        List.of(http),
                        new EndpointSelection(
                                Optional.of(new Labels(Map.of("app", "cart"))), List.of(), Optional.empty()),
                        false));
        assertThat(HeadlessService.of("shop", "db", http)).isEqualTo(HeadlessService.of("shop", "db", List.of(http)));
        assertThat(StatefulSet.builder("shop", "db").build())
                .isEqualTo(new StatefulSet(
                        Metadata.of("shop", "db"), 1, 0, Optional.empty(), false, PodTemplate.of(Labels.NONE)));
        assertThat(ExternalNameService.withoutTarget(Metadata.of("shop", "a")).externalName())
                .isEmpty();
    }

    @Test
    void aSelectorIsReadFromText() {
        assertThat(HeadlessService.builder("shop", "db")
                        .selector("app=db")
                        .build()
                        .selection()
                        .selector())
                .contains(Labels.parse("app=db"));
        assertThat(HeadlessService.builder("shop", "db").selector("").build())
                .isEqualTo(HeadlessService.of("shop", "db"));
        refused(
                "spec.ipFamilies",
                () -> HeadlessService.builder("shop", "db").ipFamilies(IpFamily.IPV4, IpFamily.IPV4));
    }

    @Test
    void copiesDifferInOneField() {
        Namespace shop = Namespace.of("shop");
        assertThat(shop.withLabels("team=a").withUid("1"))
                .isEqualTo(new Namespace("shop", Optional.of("1"), Labels.parse("team=a")));
        ServicePort http = ServicePort.of("http", Protocol.TCP, 80);
        assertThat(http.withTargetPort(8080).targetPort()).isEqualTo(new TargetPort.Numbered(8080));
        assertThat(http.withTargetPort("web").targetPort()).isEqualTo(new TargetPort.Named("web"));
        assertThat(EndpointPort.unnamed(Protocol.TCP, 80).name()).isEmpty();
        assertThat(EndpointPort.everyPort("all", Protocol.TCP).port()).isEmpty();
        assertThat(EndpointPort.everyPort(Protocol.TCP).key()).isEqualTo(new PortKey(Optional.empty(), Protocol.TCP));
    }

    /** Checks equality, hash code, text and copies of a value, and of values that differ from it in one field each. */
    private static <T> void differ(T value, UnaryOperator<T> copy, List<T> others) {
        List<T> all = new ArrayList<>(others);
        all.add(value);
        Set<T> values = new HashSet<>(all);
        assertThat(values).hasSize(all.size());
        assertThat(all).extracting(Object::toString).doesNotHaveDuplicates();
        for (T one : all) {
            assertThat(copy.apply(one)).isEqualTo(one).isNotSameAs(one).hasSameHashCodeAs(one);
        }
        assertThat(value).isNotEqualTo("text");
    }

    @Test
    void toStringOfAnEndpointOmitsAbsentFields() {
        assertThat(Endpoint.builder("192.0.2.10").hostname("db-0").ready(false).build())
                .hasToString("Endpoint[addresses=[192.0.2.10], ready=false, hostname=db-0]");
    }

    @Test
    void theAddressTypeIsThatOfTheFirstEndpointUnlessItIsSet() {
        Endpoint six = Endpoint.of("2001:db8::1");
        assertThat(EndpointSlice.builder("shop", "db-1").endpoints(six).build().addressType())
                .isEqualTo(AddressType.IPV6);
        assertThat(EndpointSlice.builder("shop", "db-1").build().addressType()).isEqualTo(AddressType.IPV4);
        refused(
                "endpoints[0].addresses[0]",
                () -> EndpointSlice.builder("shop", "db-1")
                        .addressType(AddressType.IPV4)
                        .endpoints(six)
                        .build());
        refused(
                "endpoints[1].addresses[0]",
                () -> EndpointSlice.builder("shop", "db-1")
                        .endpoints(six, Endpoint.of("192.0.2.10"))
                        .build());
    }

    @Test
    void aSliceOfAServiceIsNamedByTheFamilyOfItsEndpoints() {
        EndpointSlice four = EndpointSlice.of("shop", "db", Endpoint.of("192.0.2.10"), Endpoint.of("192.0.2.11"));
        assertThat(four.ref()).isEqualTo(ObjectRef.of(EndpointSlice.KIND, "shop", "db-ipv4"));
        assertThat(four.serviceName()).contains("db");
        assertThat(four.endpoints()).hasSize(2);
        assertThat(EndpointSlice.of("shop", "db", Endpoint.of("2001:db8::1")).name())
                .isEqualTo("db-ipv6");
        assertThat(EndpointSlice.of("shop", "db").name()).isEqualTo("db-ipv4");
    }

    @Test
    void singularSettersAddAndPluralSettersReplace() {
        EndpointSlice.Builder builder = EndpointSlice.builder("shop", "db-1")
                .endpoint(Endpoint.of("192.0.2.10"))
                .endpoint(Endpoint.of("192.0.2.11"))
                .ports(HTTP)
                .port(DNS);
        EndpointSlice slice = builder.build();
        assertThat(slice.endpoints()).hasSize(2);
        assertThat(slice.ports()).containsExactly(HTTP, DNS);
        builder.endpoint(Endpoint.of("192.0.2.12")).ports(DNS);
        assertThat(slice.endpoints()).hasSize(2);
        assertThat(builder.build().endpoints()).hasSize(3);
        assertThat(builder.build().ports()).containsExactly(DNS);
        assertThat(slice.toBuilder()
                        .endpoints(List.of())
                        .endpoint(Endpoint.of("192.0.2.13"))
                        .build()
                        .endpoints())
                .containsExactly(Endpoint.of("192.0.2.13"));
        assertThat(Pod.builder("shop", "a").port(WEB).build().ports()).containsExactly(WEB);
    }

    @Test
    void aBuilderCopiesItsListArguments() {
        List<Endpoint> endpoints = new ArrayList<>(List.of(Endpoint.of("192.0.2.10")));
        EndpointSlice.Builder builder = EndpointSlice.builder("shop", "db-1").endpoints(endpoints);
        endpoints.clear();
        assertThat(builder.build().endpoints()).hasSize(1);
    }

    @Test
    void aRunningPodIsReady() {
        Pod pod = Pod.running("shop", "db-0", "192.0.2.10", "2001:db8::1");
        assertThat(pod.phase()).contains(PodPhase.RUNNING);
        assertThat(pod.ready()).contains(true);
        assertThat(pod)
                .isEqualTo(Pod.running(
                        "shop", "db-0", List.of(IpAddress.parse("192.0.2.10"), IpAddress.parse("2001:db8::1"))));
    }

    @Test
    void exceptionsReportTheElement() {
        List<Endpoint> holdingNull = Collections.singletonList(null);
        assertThatNullPointerException()
                .isThrownBy(() -> EndpointSlice.builder("shop", "db-1").endpoints(holdingNull))
                .withMessage("endpoints[0]");
        assertThatNullPointerException()
                .isThrownBy(() -> Endpoint.builder(new String[1]))
                .withMessage("addresses[0]");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Endpoint.of("db-0"))
                .withMessage("not an IP address: db-0");
    }

    @Test
    void labelsAreReadFromText() {
        assertThat(Labels.parse("app=web, example.com/tier="))
                .isEqualTo(new Labels(Map.of("app", "web", "example.com/tier", "")));
        assertThat(Labels.parse("")).isEqualTo(Labels.NONE);
        refused("web", () -> Labels.parse("app=web,web"));
        refused("app", () -> Labels.parse("app=web,app=web"));
        refused("a b", () -> Labels.parse("a b=c"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"app=web,", ",", "app"})
    void textWithoutAKeyIsNotALabel(String text) {
        assertThatExceptionOfType(InvalidFieldException.class).isThrownBy(() -> Labels.parse(text));
    }

    private static void refused(String field, Runnable building) {
        assertThatExceptionOfType(InvalidFieldException.class)
                .isThrownBy(building::run)
                .extracting(InvalidFieldException::field)
                .isEqualTo(field);
    }
}
