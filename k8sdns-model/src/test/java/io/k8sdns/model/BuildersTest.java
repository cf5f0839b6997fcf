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
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class BuildersTest {
    private static final EndpointPort HTTP = EndpointPort.of("http", Protocol.TCP, 8080);
    private static final EndpointPort DNS = EndpointPort.of("dns", Protocol.UDP, 53);
    private static final ContainerPort WEB = new ContainerPort("web", Protocol.TCP, 8080);

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
                        Pod.builder("shop", "a").ports(WEB).build()));
    }

    /** Checks equality, hash code, text and copies of a value and of others that differ from it in one field each. */
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
    void anEndpointPrintsWhatItHas() {
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
    void oneMoreIsAddedAndAllAreReplaced() {
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
    void aBuilderCopiesTheListsThatItIsGiven() {
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
    void exceptionsNameTheElement() {
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
    void textWithoutAKeyIsNoLabel(String text) {
        assertThatExceptionOfType(InvalidFieldException.class).isThrownBy(() -> Labels.parse(text));
    }

    private static void refused(String field, Runnable building) {
        assertThatExceptionOfType(InvalidFieldException.class)
                .isThrownBy(building::run)
                .extracting(InvalidFieldException::field)
                .isEqualTo(field);
    }
}
