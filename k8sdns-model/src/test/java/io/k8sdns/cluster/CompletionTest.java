package io.k8sdns.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class CompletionTest {
    private static final Labels BUSYBOX = new Labels(Map.of("name", "busybox"));

    /** The example of "DNS for Services and Pods", as it stands there: no address, no status, no slice. */
    @Test
    void theDocumentsExampleComesOutComplete() {
        HeadlessService service = new HeadlessService(
                Metadata.of("default", "busybox-subdomain"),
                List.of(ServicePort.of("foo", Protocol.TCP, 1234)),
                new EndpointSelection(Optional.of(BUSYBOX), List.of(), Optional.empty()),
                false);

        Completion.Result result = Completion.asApplied(
                new ClusterDraft(
                        List.of(service, busybox("busybox1", "busybox-1"), busybox("busybox2", "busybox-2")),
                        List.of(),
                        List.of()),
                Addressing.DEFAULTS);

        EndpointSlice slice =
                result.snapshot().objects(EndpointSlice.class).findFirst().orElseThrow();
        assertThat(slice.endpoints())
                .extracting(endpoint -> endpoint.hostname().orElse("-"))
                .containsExactly("busybox-1", "busybox-2");
        assertThat(slice.endpoints()).allMatch(endpoint -> endpoint.ready().equals(Optional.of(true)));
        assertThat(slice.endpoints())
                .allMatch(endpoint -> IpNetwork.parse("10.244.0.0/16")
                        .contains(endpoint.addresses().get(0)));
        assertThat(slice.ports()).extracting(port -> port.port().orElse(0)).containsExactly(1234);
        assertThat(result.notes())
                .extracting(Object::toString)
                .anyMatch(line -> line.matches("Pod default/busybox1: completed: status.phase Running, condition Ready,"
                        + " status.podIPs \\[10\\.244\\.\\d+\\.\\d+]"));
    }

    private static Pod busybox(String name, String hostname) {
        return new Pod(
                Metadata.of("default", name).withLabels(BUSYBOX),
                Optional.empty(),
                Optional.empty(),
                false,
                List.of(),
                false,
                Optional.of(hostname),
                Optional.of("busybox-subdomain"),
                Optional.empty(),
                List.of());
    }
}
