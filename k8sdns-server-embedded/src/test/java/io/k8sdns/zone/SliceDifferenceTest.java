package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rules.EndpointFilter;
import io.k8sdns.rules.OwnerName;
import java.util.List;
import org.junit.jupiter.api.Test;

class SliceDifferenceTest {
    private static final Endpoint ONE = endpoint("192.0.2.1", "web-1");
    private static final Endpoint TWO = endpoint("192.0.2.2", "web-2");
    private static final Endpoint THREE = endpoint("192.0.2.3", "web-3");

    private static Endpoint endpoint(String address, String pod) {
        return Endpoint.builder(List.of(IpAddress.parse(address)))
                .targetRef(ObjectRef.of(Pod.KIND, pod))
                .build();
    }

    private static SliceEndpoints slice(Endpoint... endpoints) {
        return PackedObject.of(
                        EndpointSlice.builder("shop", "web-a")
                                .service("web")
                                .endpoints(List.of(endpoints))
                                .build(),
                        true)
                .endpoints();
    }

    @Test
    void equalEndpointsAtBothEndsAreNotADifference() {
        SliceDifference difference = SliceDifference.between(slice(ONE, TWO, THREE), slice(ONE, THREE));
        assertThat(difference).isEqualTo(new SliceDifference(List.of(TWO), List.of()));
    }

    @Test
    void anAddressThatAnotherEndpointHasTooGivesNoDifference() {
        Endpoint same = endpoint("192.0.2.1", "web-4");
        assertThat(SliceDifference.between(slice(ONE, TWO, same), slice(ONE, TWO)))
                .isNull();
        assertThat(SliceDifference.between(slice(ONE, TWO), slice(ONE, TWO, same)))
                .isNull();
    }

    @Test
    void anEndpointIsChosenByTheNameOfItsPod() {
        OwnerName name = new OwnerName.Forward(DnsLabels.parse("web-2.web.shop.svc"));
        assertThat(slice(ONE, TWO, THREE).chosenBy(EndpointFilter.at(name))).containsExactly(TWO);
    }
}
