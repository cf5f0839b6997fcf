package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The example of "DNS for Services and Pods", which has no address, no status and no EndpointSlice. */
class DocumentExampleTest {
    private static final String BUSYBOX_SUBDOMAIN = """
            apiVersion: v1
            kind: Service
            metadata:
              name: busybox-subdomain
            spec:
              selector:
                name: busybox
              clusterIP: None
              ports:
              - name: foo # name is not required for single-port Services
                port: 1234
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: busybox1
              labels:
                name: busybox
            spec:
              hostname: busybox-1
              subdomain: busybox-subdomain
              containers:
              - image: busybox:1.28
                command:
                  - sleep
                  - "3600"
                name: busybox
            ---
            apiVersion: v1
            kind: Pod
            metadata:
              name: busybox2
              labels:
                name: busybox
            spec:
              hostname: busybox-2
              subdomain: busybox-subdomain
              containers:
              - image: busybox:1.28
                command:
                  - sleep
                  - "3600"
                name: busybox
            """;

    @Test
    void bothPodsHaveTheirHostnames() {
        ManifestText text = ManifestText.asApplied(BUSYBOX_SUBDOMAIN);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(HeadlessService.class).ports().get(0).name()).contains("foo");
        EndpointSlice slice = text.only(EndpointSlice.class);
        assertThat(slice.serviceName()).contains("busybox-subdomain");
        assertThat(slice.endpoints())
                .flatExtracting(endpoint -> endpoint.hostname().stream().toList())
                .containsExactly("busybox-1", "busybox-2");
        List<?> podIps = text.snapshot()
                .objects(Pod.class)
                .flatMap(pod -> pod.ips().stream())
                .toList();
        assertThat(podIps).hasSize(2).doesNotHaveDuplicates();
        assertThat(slice.endpoints()).flatExtracting(Endpoint::addresses).isEqualTo(podIps);
        assertThat(slice.ports().get(0).port()).hasValue(1234);
    }

    @Test
    void theSummaryHasTheReadAndCompletedObjects() {
        assertThat(ManifestText.asApplied(BUSYBOX_SUBDOMAIN).result().summary())
                .isEqualTo("read 1 file: 1 Service, 2 Pods; completed 1 Service, 2 Pods");
    }

    @Test
    void readAsIsTheServiceHasNoEndpoint() {
        ManifestText text = ManifestText.asIs(BUSYBOX_SUBDOMAIN);

        assertThat(text.snapshot().objects(EndpointSlice.class)).isEmpty();
        assertThat(text.result().summary())
                .isEqualTo("read 1 file: 1 Service, 2 Pods; "
                        + "no record: Service default/busybox-subdomain (its Pods have no address)");
    }
}
