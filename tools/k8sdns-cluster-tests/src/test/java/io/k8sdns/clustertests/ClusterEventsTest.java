package io.k8sdns.clustertests;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSlice;
import io.fabric8.kubernetes.api.model.discovery.v1.EndpointSliceBuilder;
import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.model.Selector;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.opentest4j.TestAbortedException;
import org.xbill.DNS.Type;

/**
 * Changes objects with a Kubernetes client and checks the DNS answers. Runs against a mock in every build. {@code ./mvnw -Pcluster -pl
 * tools/k8sdns-cluster-tests -am verify} runs it against the cluster of the current kubeconfig, in a new namespace that is deleted
 * afterwards; this needs the permissions to create and delete namespaces, and Services, EndpointSlices and Pods in them.
 */
@Timeout(600)
class ClusterEventsTest {
    private static TestCluster cluster;

    @BeforeAll
    static void start() {
        if (System.getProperty("k8sdns.cluster", "mock").equals("mock")) {
            cluster = new MockCluster();
            return;
        }
        Optional<Path> kubeconfig = KubeconfigCluster.kubeconfig();
        if (kubeconfig.isEmpty()) {
            String why = "NOT RUN: no kubeconfig (KUBECONFIG, ~/.kube/config), so no cluster to test against";
            System.err.println(why);
            throw new TestAbortedException(why);
        }
        cluster = new KubeconfigCluster(kubeconfig.get());
    }

    @AfterAll
    static void end() {
        if (cluster != null) {
            cluster.close();
        }
    }

    /** Follows only the namespace of the test. */
    private static LiveZone follow() throws Exception {
        return follow(source -> source.namespaces(Set.of(cluster.namespace())));
    }

    private static LiveZone follow(UnaryOperator<ApiClusterSource.Builder> options) throws Exception {
        return LiveZone.of(options.apply(ApiClusterSource.builder(cluster::connect)), cluster.patience());
    }

    private static String name(String service) {
        return service + "." + cluster.namespace() + ".svc.cluster.local.";
    }

    private static ObjectMeta metadata(String name, Map<String, String> labels) {
        return new ObjectMetaBuilder()
                .withName(name)
                .withNamespace(cluster.namespace())
                .withLabels(labels)
                .build();
    }

    private static Service service(String name, Map<String, String> labels) {
        return new ServiceBuilder()
                .withMetadata(metadata(name, labels))
                .withNewSpec()
                .addNewPort()
                .withName("http")
                .withProtocol("TCP")
                .withPort(80)
                .endPort()
                .endSpec()
                .build();
    }

    private static Service headless(String name) {
        return new ServiceBuilder(service(name, Map.of()))
                .editSpec()
                .withClusterIP("None")
                .endSpec()
                .build();
    }

    private static EndpointSlice slice(String service, String suffix, String... addresses) {
        EndpointSliceBuilder slice = new EndpointSliceBuilder()
                .withMetadata(metadata(service + "-" + suffix, Map.of("kubernetes.io/service-name", service)))
                .withAddressType("IPv4")
                .addNewPort()
                .withName("http")
                .withProtocol("TCP")
                .withPort(80)
                .endPort();
        for (String address : addresses) {
            slice.addNewEndpoint()
                    .addToAddresses(address)
                    .withNewConditions()
                    .withReady(true)
                    .endConditions()
                    .endEndpoint();
        }
        return slice.build();
    }

    @Test
    void existingObjectsAreAnsweredOnceTheSourceIsSynced() throws Exception {
        Service before = cluster.create(service("before", Map.of()));
        try (LiveZone zone = follow()) {
            assertThat(zone.ask(name("before"), Type.A))
                    .containsExactly(before.getSpec().getClusterIP());
        }
    }

    @Test
    void serviceIsCreatedChangedDeletedAndCreatedAgain() throws Exception {
        try (LiveZone zone = follow()) {
            Service cart = cluster.create(service("cart", Map.of()));
            zone.await(name("cart"), Type.A, cart.getSpec().getClusterIP());
            zone.await("_http._tcp." + name("cart"), Type.SRV, "0 100 80 " + name("cart"));

            cluster.client()
                    .resource(cart)
                    .edit(now -> new ServiceBuilder(now)
                            .editSpec()
                            .editFirstPort()
                            .withPort(8080)
                            .endPort()
                            .endSpec()
                            .build());
            zone.await("_http._tcp." + name("cart"), Type.SRV, "0 100 8080 " + name("cart"));

            cluster.client().resource(cart).delete();
            zone.awaitNoSuchName(name("cart"));

            Service again = cluster.create(service("cart", Map.of()));
            zone.await(name("cart"), Type.A, again.getSpec().getClusterIP());
        }
    }

    @Test
    void endpointsOfAHeadlessServiceAreAddedAndRemovedBySlice() throws Exception {
        try (LiveZone zone = follow()) {
            // A slice may exist before its Service.
            EndpointSlice first = cluster.client()
                    .resource(slice("db", "1", "192.0.2.1", "192.0.2.2"))
                    .create();
            cluster.create(headless("db"));
            zone.await(name("db"), Type.A, "192.0.2.1", "192.0.2.2");

            EndpointSlice second = cluster.client()
                    .resource(slice("db", "2", "192.0.2.2", "192.0.2.3"))
                    .create();
            zone.await(name("db"), Type.A, "192.0.2.1", "192.0.2.2", "192.0.2.3");

            cluster.client().resource(first).delete();
            zone.await(name("db"), Type.A, "192.0.2.2", "192.0.2.3");

            cluster.client()
                    .resource(second)
                    .edit(now -> new EndpointSliceBuilder(now)
                            .editFirstEndpoint()
                            .editConditions()
                            .withReady(false)
                            .endConditions()
                            .endEndpoint()
                            .build());
            zone.await(name("db"), Type.A, "192.0.2.3");

            cluster.client().resource(second).delete();
            zone.awaitNoSuchName(name("db"));
        }
    }

    @Test
    void externalNameIsAnAlias() throws Exception {
        try (LiveZone zone = follow()) {
            cluster.create(new ServiceBuilder()
                    .withMetadata(metadata("docs", Map.of()))
                    .withNewSpec()
                    .withType("ExternalName")
                    .withExternalName("docs.example.com")
                    .endSpec()
                    .build());
            zone.await(name("docs"), Type.CNAME, "docs.example.com.");
        }
    }

    @Test
    void serviceIsServedOnlyWhileItHasTheLabels() throws Exception {
        Selector labels = Selector.parse("app=web,tier=front");
        try (LiveZone zone =
                follow(source -> source.namespaces(Set.of(cluster.namespace())).labels(labels))) {
            cluster.create(service("other", Map.of("app", "web")));
            Service web = cluster.create(service("web", Map.of("app", "web", "tier", "front")));
            zone.await(name("web"), Type.A, web.getSpec().getClusterIP());
            assertThat(zone.ask(name("other"), Type.A)).containsExactly("NXDOMAIN");

            cluster.client()
                    .resource(web)
                    .edit(now -> new ServiceBuilder(now)
                            .editMetadata()
                            .addToLabels("tier", "none")
                            .endMetadata()
                            .build());
            zone.awaitNoSuchName(name("web"));
        }
    }

    @Test
    void namespaceIsServedWhileItHasTheLabels() throws Exception {
        Selector labels = Selector.parse("k8sdns-test=" + cluster.namespace() + ",served=yes");
        Service cart = cluster.create(service("in-namespace", Map.of()));
        serve(true);
        try (LiveZone zone = follow(source -> source.namespaceLabels(labels))) {
            assertThat(zone.ask(name("in-namespace"), Type.A))
                    .containsExactly(cart.getSpec().getClusterIP());
            serve(false);
            zone.awaitNoSuchName(name("in-namespace"));
            serve(true);
            zone.await(name("in-namespace"), Type.A, cart.getSpec().getClusterIP());
        }
    }

    private static void serve(boolean yes) {
        cluster.client()
                .namespaces()
                .withName(cluster.namespace())
                .edit(now -> new NamespaceBuilder(now)
                        .editMetadata()
                        .removeFromLabels("served")
                        .addToLabels(yes ? Map.of("served", "yes") : Map.of())
                        .endMetadata()
                        .build());
    }

    @Test
    void podHasANameWhileItExists() throws Exception {
        try (LiveZone zone =
                follow(source -> source.namespaces(Set.of(cluster.namespace())).pods())) {
            Pod pod = cluster.run(new PodBuilder()
                    .withMetadata(metadata("one", Map.of()))
                    .withNewSpec()
                    .withTerminationGracePeriodSeconds(0L)
                    .addNewContainer()
                    .withName("pause")
                    .withImage("registry.k8s.io/pause:3.10")
                    .endContainer()
                    .endSpec()
                    .build());
            String address = pod.getStatus().getPodIP();
            String name = address.replaceAll("[.:]", "-") + "." + cluster.namespace() + ".pod.cluster.local.";
            zone.await(name, address.contains(":") ? Type.AAAA : Type.A, address);
            cluster.client().resource(pod).delete();
            zone.awaitNoSuchName(name);
        }
    }
}
