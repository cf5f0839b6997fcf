package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FederationZoneNameTest {
    private static final FederationZoneName ZONE = FederationZoneName.parse("federation.");

    @ParameterizedTest
    @CsvSource({
        "myservice.myns.myfed.svc.federation., myfed",
        "MyService.MyNs.MyFed.SVC.Federation., myfed",
        "_http._tcp.myservice.myns.myfed.svc.federation., myfed",
        "foo.myservice.myns.myfed.svc.federation., myfed",
        "myservice.myns.myfed.svc.europe.federation., myfed",
        "myservice.myns.myfed.svc.a.europe.federation., myfed",
        "myfed.svc.federation., myfed",
        "myservice.svc.myfed.svc.federation., myfed",
        "svc.svc.federation., svc",
        "myservice.myns.svc.svc.federation., svc"
    })
    void findsTheFederationOfAName(String name, String federation) {
        assertThat(ZONE.federation(DnsLabels.parse(name))).contains(federation);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "federation.",
                "svc.federation.",
                "myservice.myns.myfed.federation.",
                "myservice.myns.myfed.pod.federation.",
                "myservice.myns.myfed.svc.one.two.three.federation.",
                "myservice.myns.my_fed.svc.federation.",
                "myservice.myns.myfed.svc.cluster.local.",
                "myservice.myns.myfed.svc.",
                "myservice.myns.myfed.svc.federation.example.",
                "myservice.myns.myfed.svc.xfederation."
            })
    void otherNamesHaveNoFederation(String name) {
        assertThat(ZONE.federation(DnsLabels.parse(name))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "myservice.myns.myfed.svc.federation., myservice.myns",
        "foo.myservice.myns.myfed.svc.federation., foo.myservice.myns",
        "myfed.svc.federation., ''"
    })
    void findsTheLabelsBeforeTheFederation(String name, String labels) {
        assertThat(ZONE.service(DnsLabels.parse(name))).hasToString("Optional[" + labels + "]");
    }

    @Test
    void namesOfRegionsHaveNoLabelsBeforeTheFederation() {
        assertThat(ZONE.service(DnsLabels.parse("myservice.myns.myfed.svc.europe.federation.")))
                .isEmpty();
    }

    @Test
    void aZoneCanHaveSeveralLabels() {
        FederationZoneName zone = FederationZoneName.parse("federation.example.com");
        assertThat(zone.federation(DnsLabels.parse("s.n.f.svc.federation.example.com.")))
                .contains("f");
        assertThat(zone.contains(DnsLabels.parse("federation.example.com."))).isTrue();
        assertThat(zone.contains(DnsLabels.parse("example.com."))).isFalse();
    }

    @Test
    void theRootIsNotAFederationZone() {
        assertThatThrownBy(() -> FederationZoneName.parse(".")).isInstanceOf(IllegalArgumentException.class);
    }
}
