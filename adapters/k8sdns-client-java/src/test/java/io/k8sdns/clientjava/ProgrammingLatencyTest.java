package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Service;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgrammingLatencyTest {
    private static final Metadata CART = Metadata.of("shop", "cart");

    private final List<String> reported = new ArrayList<>();
    private final ProgrammingLatency latency = new ProgrammingLatency(
            new ClusterObserver() {
                @Override
                public void programmed(ServiceKind kind, Since since, Duration took) {
                    reported.add(kind + " since " + since + " " + took);
                }
            },
            () -> Instant.EPOCH,
            () -> 7);

    private void endpointsChange(Service service) {
        latency.changed(new ClusterChange.Put(service));
        EndpointSlice slice =
                EndpointSlice.builder("shop", "cart-1").service("cart").build();
        latency.received(new ApiReader.Item(slice.ref(), "a", "1", Optional.of(slice)), false, 5);
        latency.published();
    }

    @Test
    void endpointsOfExternalNamesAreNotMeasured() {
        endpointsChange(ClusterIpService.builder(CART).build());
        assertThat(reported).containsExactly("CLUSTER_IP since RECEIPT PT0.000000002S");
        endpointsChange(new ExternalNameService(CART, "example.com"));
        assertThat(reported).hasSize(1);
    }
}
