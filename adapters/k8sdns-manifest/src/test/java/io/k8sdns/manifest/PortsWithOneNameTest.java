package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Ports with the same name, or none: all whose protocol differs are read, each with a warning. Endpoints may have
 * them, so there is no warning there.
 */
class PortsWithOneNameTest {
    private static final String PORTS = """
            [{name: dns, port: 53, protocol: UDP},
              {name: dns, port: 54, protocol: TCP},
              {name: dns, port: 55, protocol: UDP},
              {port: 56, protocol: SCTP},
              {port: 57},
              {port: 58, protocol: TCP}]
            """;

    private static final List<String> WARNINGS = List.of(
            "ports[1].name: published, as the protocol differs, but refused by Kubernetes: "
                    + "a second port of this name: \"dns\"",
            "ports[2].name: a second port of this name: \"dns\"",
            "ports[4].name: published, as the protocol differs, but refused by Kubernetes: "
                    + "a second port without a name",
            "ports[5].name: a second port without a name");

    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec:
              clusterIP: None
              ports:
            """;

    private static final String SLICE = """
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            endpoints: [{addresses: [10.0.0.1]}]
            ports:
            """;

    private static final String ENDPOINTS = """
            apiVersion: v1
            kind: Service
            metadata: {name: web}
            spec: {clusterIP: None}
            ---
            apiVersion: v1
            kind: Endpoints
            metadata: {name: web}
            subsets:
            - addresses: [{ip: 10.0.0.1}]
              ports:
            """;

    private static ManifestText with(String object) {
        return ManifestText.asIs(object + "    " + PORTS);
    }

    private static List<String> warnings(ManifestText text) {
        assertThat(text.warnings()).allMatch(line -> line.startsWith("duplicate-port "));
        return text.warnings().stream()
                .map(line -> line.substring(line.indexOf("ports[")))
                .toList();
    }

    @Test
    void ofAService() {
        ManifestText text = with(SERVICE);

        assertThat(text.only(HeadlessService.class).ports())
                .containsExactly(
                        ServicePort.of("dns", Protocol.UDP, 53),
                        ServicePort.of("dns", Protocol.TCP, 54),
                        ServicePort.unnamed(Protocol.SCTP, 56),
                        ServicePort.unnamed(Protocol.TCP, 57));
        assertThat(warnings(text)).isEqualTo(WARNINGS);
    }

    @ParameterizedTest
    @ValueSource(strings = {SLICE, ENDPOINTS})
    void ofASliceAndOfEndpoints(String object) {
        assertThat(with(object).only(EndpointSlice.class).ports())
                .extracting(EndpointPort::key, port -> port.port().orElseThrow())
                .extracting(Object::toString)
                .containsExactly(
                        "(UDP port named \"dns\", 53)",
                        "(TCP port named \"dns\", 54)",
                        "(SCTP port without a name, 56)",
                        "(TCP port without a name, 57)");
    }

    @Test
    void eachPortOfASliceIsReported() {
        assertThat(warnings(with(SLICE))).isEqualTo(WARNINGS);
    }

    @Test
    void onlyOmittedPortsOfEndpointsAreReported() {
        ManifestText text = with(ENDPOINTS);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.notes())
                .filteredOn(line -> line.startsWith("duplicate-port "))
                .extracting(line -> line.substring(line.indexOf("ports[")))
                .containsExactly(
                        "ports[2].name: omitted: a second UDP port named \"dns\"",
                        "ports[5].name: omitted: a second TCP port without a name");
    }

    @ParameterizedTest
    @ValueSource(strings = {SERVICE, SLICE})
    void strictRefusesThesePortsEvenIfTheProtocolDiffers(String object) {
        assertThatThrownBy(() -> strict(object))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("ports[1].name: published, as the protocol differs");
    }

    @Test
    void strictAcceptsThesePortsInEndpoints() {
        assertThat(strict(ENDPOINTS).only(EndpointSlice.class).ports()).hasSize(2);
    }

    private static ManifestText strict(String object) {
        return ManifestText.of(
                object + "    [{name: dns, port: 53}, {name: dns, port: 53, protocol: UDP}]\n",
                ManifestOptions.DEFAULTS.withAsIs().withStrict());
    }
}
