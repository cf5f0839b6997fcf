package io.k8sdns.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.schema.ClusterName.FixedName;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class NameSchemaTest {
    private static final ClusterName.ServiceName WEB =
            new ClusterName.ServiceName(DnsLabel.of("web"), DnsLabel.of("prod"));

    private static ClusterName parse(String belowZone) {
        return NameSchema.parse(DnsLabels.parse(belowZone));
    }

    @ParameterizedTest
    @EnumSource
    void namesOfTheZoneItselfAreFixedNames(FixedName name) {
        assertThat(NameSchema.parse(name.labels())).isEqualTo(name);
    }

    @Test
    void aNameBelongsToTheServiceThatItIsOrIsBelow() {
        assertThat(List.of(
                        "web.prod.svc",
                        "_sctp.web.prod.svc",
                        "_http._tcp.web.prod.svc",
                        "db-0.web.prod.svc",
                        "10-0-0-1.web.prod.svc"))
                .allSatisfy(name -> assertThat(parse(name).serviceName()).contains(WEB));
        assertThat(List.of("prod.svc", "prod.pod", "10-0-0-1.prod.pod", "dns-version", "web.prod.other"))
                .allSatisfy(name -> assertThat(parse(name).serviceName()).isEmpty());
        assertThat(parse("_http._tcp.Web.PROD.svc").serviceName().map(ClusterName.ServiceName::ref))
                .contains(ObjectRef.of(Service.KIND, "prod", "web"));
    }

    @Test
    void eachFormBelowSvcHasItsMeaning() {
        assertThat(parse("prod.svc")).isEqualTo(new ClusterName.ServicesName(DnsLabel.of("prod")));
        assertThat(parse("web.prod.svc")).isEqualTo(WEB);
        assertThat(parse("_sctp.web.prod.svc")).isEqualTo(new ClusterName.ProtocolName(Protocol.SCTP, WEB));
        assertThat(parse("_http._tcp.web.prod.svc"))
                .isEqualTo(new ClusterName.PortName(DnsLabel.of("http"), Protocol.TCP, WEB));
        assertThat(parse("my-pet.web.prod.svc")).isEqualTo(new ClusterName.EndpointName(DnsLabel.of("my-pet"), WEB));
        assertThat(parse("2001-db8--0.web.prod.svc"))
                .isEqualTo(new ClusterName.EndpointAddressName(IpAddress.parse("2001:db8::"), WEB));
    }

    @Test
    void eachFormBelowPodHasItsMeaning() {
        assertThat(parse("prod.pod")).isEqualTo(new ClusterName.PodsName(DnsLabel.of("prod")));
        assertThat(parse("172-17-0-3.default.pod"))
                .isEqualTo(new ClusterName.PodName(IpAddress.parse("172.17.0.3"), DnsLabel.of("default")));
    }

    @Test
    void aServiceMayBeNamedLikeAnAddress() {
        assertThat(parse("1-2-3-4.prod.svc"))
                .isEqualTo(new ClusterName.ServiceName(DnsLabel.of("1-2-3-4"), DnsLabel.of("prod")));
    }

    @Test
    void caseIsIgnoredAndKept() {
        ClusterName name = parse("_HTTP._Tcp.WEB.Prod.SVC");
        assertThat(name)
                .isEqualTo(parse("_http._tcp.web.prod.svc"))
                .hasSameHashCodeAs(parse("_http._tcp.web.prod.svc"));
        assertThat(NameSchema.format(name)).hasToString("_HTTP._tcp.WEB.Prod.svc");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "web",
                "dns-version.svc.web.prod.svc",
                "other.dns",
                "_._tcp.web.prod.svc",
                "http.tcp.web.prod.svc",
                "http._tcp.web.prod.svc",
                "_http.tcp.web.prod.svc",
                "_http._icmp.web.prod.svc",
                "_foo.web.prod.svc",
                "_.web.prod.svc",
                "x._http._tcp.web.prod.svc",
                "*.prod.svc",
                "web_1.prod.svc",
                "web\\.prod.svc",
                "web.prod\\.svc",
                "svc\\.default",
                "x.172-17-0-3.default.pod",
                "1-2-3-400.default.pod",
                "a-b-c-d.default.pod",
                "1-2-3.default.pod",
                "01-2-3-4.default.pod",
                "64-ff9b--192\\.0\\.2\\.1.default.pod",
                "\\000.svc",
                "\\255.prod.svc"
            })
    void otherNamesAreUnknownNames(String belowZone) {
        DnsLabels labels = DnsLabels.parse(belowZone);
        assertThat(NameSchema.parse(labels)).isEqualTo(new ClusterName.UnknownName(labels));
    }

    @Test
    void aHostnameInTheFormOfAnAddressIsNotAnEndpointName() {
        assertThatThrownBy(() -> new ClusterName.EndpointName(DnsLabel.of("10-0-0-1"), WEB))
                .isInstanceOf(InvalidNameException.class);
        assertThat(parse("10-0-0-01.web.prod.svc"))
                .as("not the canonical spelling, so it can only be a hostname")
                .isInstanceOf(ClusterName.EndpointName.class);
    }

    @Test
    void aPortNameHasAtMost62Characters() {
        assertThatThrownBy(() -> new ClusterName.PortName(DnsLabel.of("a".repeat(63)), Protocol.TCP, WEB))
                .isInstanceOf(InvalidNameException.class);
    }

    @Test
    void namesAreReadBelowAnyZone() {
        DnsLabels asked = DnsLabels.parse("web.prod.svc.Cluster-Domain.example.");
        assertThat(asked.below(DnsLabels.parse("cluster-domain.EXAMPLE")).map(NameSchema::parse))
                .contains(WEB);
        assertThat(DnsLabels.parse("web.prod.svc.k8s")
                        .below(DnsLabels.parse("k8s"))
                        .map(NameSchema::parse))
                .contains(WEB);
        assertThat(DnsLabels.parse("a.b.c.d").below(DnsLabels.parse("A.b.c.d"))).contains(DnsLabels.EMPTY);
        assertThat(DnsLabels.parse("x.cluster\\.local").below(DnsLabels.parse("cluster.local")))
                .isEmpty();
        assertThat(DnsLabels.parse("xcluster.local").below(DnsLabels.parse("cluster.local")))
                .isEmpty();
        assertThat(DnsLabels.parse("local").below(DnsLabels.parse("cluster.local")))
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "in-addr.arpa, 0.0.0.0/0",
        "IN-ADDR.arpa, 0.0.0.0/0",
        "10.in-addr.arpa, 10.0.0.0/8",
        "0.in-addr.arpa, 0.0.0.0/8",
        "255.9.in-addr.arpa, 9.255.0.0/16",
        "96.10.in-addr.arpa, 10.96.0.0/16",
        "1.0.3.10.in-addr.arpa, 10.3.0.1/32",
        "ip6.arpa, ::/0",
        "8.b.d.0.1.0.0.2.ip6.arpa, 2001:db8::/32",
        "B.d.0.1.0.0.2.IP6.ARPA, 2001:db0::/28",
        "1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa, 2001:db8::1/128",
    })
    void reverseNamesWholeAndPartialAreNetworks(String name, String network) {
        DnsLabels labels = DnsLabels.parse(name);
        assertThat(NameSchema.parseReverse(labels)).contains(IpNetwork.parse(network));
        assertThat(NameSchema.formatReverse(IpNetwork.parse(network))).isEqualTo(labels);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                ".",
                "arpa",
                "1.0.3.10.ip4.arpa",
                "256.in-addr.arpa",
                "01.in-addr.arpa",
                "1000.in-addr.arpa",
                "00.in-addr.arpa",
                "a.in-addr.arpa",
                "1/.in-addr.arpa",
                ":.in-addr.arpa",
                "1\\200.in-addr.arpa",
                "1.2.3.4.5.in-addr.arpa",
                "0/25.0.0.10.in-addr.arpa",
                "g.ip6.arpa",
                "00.ip6.arpa",
                "\\200.ip6.arpa",
                "0.1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
                "1.0.0.0.0.0.a.0.f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa",
                "f.f.f.f.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.ip6.arpa"
            })
    void otherNamesAreNotReverseNames(String name) {
        assertThat(NameSchema.parseReverse(DnsLabels.parse(name))).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"10.96.0.0/12", "10.0.0.0/25", "fd00::/9"})
    void aNetworkThatEndsWithinALabelHasNoReverseName(String network) {
        assertThatThrownBy(() -> NameSchema.formatReverse(IpNetwork.parse(network)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(network);
    }

    @ParameterizedTest
    @CsvSource({
        "172.17.0.3, 172-17-0-3",
        "2001:db8::1, 2001-db8--1",
        "::1, 0--1",
        "2001:db8::, 2001-db8--0",
        "::, 0--0",
        "fd00:0:0:0:0:0:0:1, fd00--1",
    })
    void anAddressHasOneLabel(String address, String label) {
        assertThat(AddressLabels.of(IpAddress.parse(address))).isEqualTo(label);
        assertThat(AddressLabels.parseEndpointLabel(label)).contains(IpAddress.parse(address));
        assertThat(AddressLabels.parsePodLabel(label)).contains(IpAddress.parse(address));
    }

    @ParameterizedTest
    @CsvSource({
        "fd00-0-0-0-0-0-0-1, fd00::1",
        "FD00--1, fd00::1",
        "--1, ::1",
        "0--1, ::1",
        "2001-db8--, 2001:db8::",
        "0--2-3-4-5-6-7-8, 0:2:3:4:5:6:7:8",
        "--2-3-4-5-6-7-8, 0:2:3:4:5:6:7:8",
        "1-2-3-4-5-6-7--0, 1:2:3:4:5:6:7:0",
        "1--2-3, 1::2:3",
        "--, ::",
        "0--ffff-a00-1, 10.0.0.1",
    })
    void podNamesAreReadInEverySpelling(String label, String address) {
        assertThat(AddressLabels.parsePodLabel(label)).contains(IpAddress.parse(address));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "fd00-0-0-0-0-0-0-1",
                "--1",
                "2001-db8--",
                "--",
                "10-0-0-01",
                "0--ffff-a00-1",
                "1--2--3",
                "1-2-3-4-5",
                "10.0.0.1",
                "web",
                "12345--1",
                "fe80--1%eth0"
            })
    void otherSpellingsAreNotEndpointAddresses(String label) {
        assertThat(AddressLabels.parseEndpointLabel(label)).isEqualTo(Optional.empty());
    }
}
