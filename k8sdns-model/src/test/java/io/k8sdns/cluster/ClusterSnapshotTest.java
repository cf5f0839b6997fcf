package io.k8sdns.cluster;

import static io.k8sdns.cluster.Cluster.pod;
import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import java.util.List;
import org.junit.jupiter.api.Test;

class ClusterSnapshotTest {
    private static final Namespace PROD = Namespace.of("prod");
    private static final Pod OLD = pod("web", "10.3.0.1").build();
    private static final Pod NEW = pod("web", "10.3.0.2").build();

    @Test
    void theLastOfSeveralObjectsWithOneKeyIsKept() {
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(PROD, OLD, NEW));
        assertThat(snapshot.objects()).containsExactly(PROD, NEW);
        assertThat(snapshot.get(ObjectRef.of("Pod", "prod", "web"))).contains(NEW);
        assertThat(snapshot.get(ObjectRef.of("Service", "prod", "web"))).isEmpty();
        assertThat(snapshot.objects(Namespace.class)).containsExactly(PROD);
    }

    @Test
    void theOrderOfObjectsDoesNotMatter() {
        assertThat(ClusterSnapshot.of(List.of(PROD, NEW)))
                .isEqualTo(ClusterSnapshot.of(List.of(NEW, PROD)))
                .hasSameHashCodeAs(ClusterSnapshot.of(List.of(NEW, PROD)))
                .isNotEqualTo(ClusterSnapshot.of(List.of(OLD, PROD)));
    }

    @Test
    void objectsWithoutRecordsAreReported() {
        ClusterSnapshot cluster = ClusterSnapshot.of(List.of(
                Namespace.of("shop"),
                ClusterIpService.of("shop", "cart", "10.96.0.20"),
                ClusterIpService.of("pay", "bank", "10.96.0.21"),
                HeadlessService.builder("shop", "db").selector("app=db").build(),
                EndpointSlice.of("shop", "web")));

        assertThat(cluster.diagnostics())
                .extracting(Diagnostic::toString)
                .containsExactly(
                        "Namespace pay: no record: there is no such Namespace, though 1 object is in it",
                        "Service shop/db: no record: its selector matches no Pod",
                        "EndpointSlice shop/web-ipv4: no record: there is no Service web");
    }

    @Test
    void aSubdomainWithoutAServiceIsReportedOnce() {
        Pod first = Pod.running("shop", "db-0", "10.244.0.7").toBuilder()
                .hostname("db-0")
                .subdomain("other")
                .build();
        Pod second = Pod.running("shop", "db-1", "10.244.0.8").toBuilder()
                .hostname("db-1")
                .subdomain("other")
                .build();
        ClusterSnapshot cluster = ClusterSnapshot.of(List.of(Namespace.of("shop"), first, second));

        assertThat(cluster.diagnostics())
                .extracting(Diagnostic::toString)
                .containsExactly(
                        "Pod shop/db-0: no record of its hostname: spec.subdomain (serviceName of a StatefulSet) names"
                                + " no Service: \"other\"");
    }
}
