package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.LoadBalancerIngress;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Node;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServiceExport;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ClusterShardsTest {
    private static final ObjectRef CART = ObjectRef.of(Service.KIND, "shop", "cart");
    private static final ServicePort HTTP = ServicePort.of("http", Protocol.TCP, 80);

    private static final ClusterIpService SERVICE = ClusterIpService.builder("shop", "cart")
            .labels(FederatedServices.LABEL + "=prod")
            .clusterIp("10.96.0.20")
            .clusterIp("fd00::20")
            .port(HTTP)
            .loadBalancer(LoadBalancerIngress.of("192.0.2.1", "2001:db8::1").withHostNames("LB.example.org."))
            .build();

    private static final EndpointSlice READY = EndpointSlice.builder("shop", "cart-1")
            .service("cart")
            .endpoint(Endpoint.of("10.244.0.9"))
            .build();

    private final ClusterShards shards = new ClusterShards(FederatedServices.labelledFor("prod"));

    private void put(ClusterObject... objects) {
        shards.apply(
                Stream.of(objects).<ClusterChange>map(ClusterChange.Put::new).toList());
    }

    @Test
    void aShardHasTheAddressesOfTheServiceAndItsLoadBalancer() {
        put(READY, SERVICE);
        assertThat(shards.shard(CART))
                .contains(Shard.builder()
                        .clusterAddresses(List.of(IpAddress.parse("10.96.0.20"), IpAddress.parse("fd00::20")))
                        .externalAddresses(List.of(IpAddress.parse("192.0.2.1"), IpAddress.parse("2001:db8::1")))
                        .hostNames(List.of(DnsLabels.parseHostName("lb.example.org")))
                        .ports(List.of(HTTP))
                        .build());
        assertThat(shards.shards()).containsOnlyKeys(CART);
    }

    @Test
    void aServiceWithoutAReadyEndpointHasNoShard() {
        put(SERVICE);
        assertThat(shards.shard(CART)).isEmpty();
        put(READY);
        assertThat(shards.shard(CART)).isPresent();
        put(READY.toBuilder()
                .endpoints(Endpoint.of("10.244.0.9").withReady(false))
                .build());
        assertThat(shards.shard(CART)).isEmpty();
    }

    @Test
    void endpointsThatArePublishedBeforeTheyAreReadyMakeNoShardButBelongToOne() {
        Endpoint notReady = Endpoint.of("10.244.0.7").withReady(false);
        put(
                HeadlessService.builder("shop", "cart")
                        .labels(FederatedServices.LABEL + "=prod")
                        .publishNotReadyAddresses(true)
                        .build(),
                READY.toBuilder().endpoints(notReady).build());
        assertThat(shards.shard(CART)).isEmpty();
        put(READY.toBuilder().endpoints(notReady, Endpoint.of("10.244.0.9")).build());
        assertThat(shards.shard(CART).orElseThrow().endpoints())
                .containsExactly(Endpoint.of("10.244.0.7"), Endpoint.of("10.244.0.9"));
    }

    @Test
    void aServiceWithAServiceExportTakesPartIfExportsAreIncluded() {
        ClusterIpService unlabelled = SERVICE.toBuilder().labels("app=cart").build();
        ServiceExport export = ServiceExport.of("shop", "cart");
        put(export, READY, unlabelled);
        assertThat(shards.shard(CART)).as("labels alone count").isEmpty();

        ClusterShards exported =
                new ClusterShards(FederatedServices.labelledFor("prod").orExported());
        exported.apply(List.of(new ClusterChange.Put(READY), new ClusterChange.Put(unlabelled)));
        assertThat(exported.shard(CART)).isEmpty();
        assertThat(exported.apply(List.of(new ClusterChange.Put(export)))).containsExactly(CART);
        assertThat(exported.shard(CART)).isPresent();
        ClusterChange otherExport = new ClusterChange.Put(ServiceExport.of("shop", "other"));
        assertThat(exported.apply(List.of(otherExport))).doesNotContain(CART);
        assertThat(exported.shards()).containsOnlyKeys(CART);
        assertThat(exported.apply(List.of(new ClusterChange.Remove(export.ref(), Optional.empty()))))
                .containsExactly(CART);
        assertThat(exported.shard(CART)).isEmpty();
    }

    @Test
    void theRemovalOfAFormerServiceExportIsIgnored() {
        ClusterShards exported =
                new ClusterShards(FederatedServices.labelledFor("prod").orExported());
        ServiceExport export = new ServiceExport(Metadata.of("shop", "cart").withUid("new"));
        exported.apply(List.of(
                new ClusterChange.Put(READY),
                new ClusterChange.Put(SERVICE.toBuilder().labels("app=cart").build()),
                new ClusterChange.Put(export),
                new ClusterChange.Remove(export.ref(), Optional.of("old"))));
        assertThat(exported.shard(CART)).isPresent();
    }

    @Test
    void aServiceThatDoesNotTakePartHasNoShard() {
        put(
                READY,
                SERVICE.toBuilder().labels(FederatedServices.LABEL + "=other").build());
        assertThat(shards.shard(CART)).isEmpty();
        put(READY, new ExternalNameService(SERVICE.metadata(), "example.org"));
        assertThat(shards.shard(CART)).isEmpty();
    }

    @Test
    void removedObjectsAreIgnored() {
        put(READY, SERVICE);
        assertThat(shards.apply(List.of(new ClusterChange.Remove(READY.ref(), Optional.empty()))))
                .containsExactly(CART);
        assertThat(shards.shard(CART)).isEmpty();
        put(READY, SERVICE);
        shards.apply(List.of(new ClusterChange.Remove(CART, Optional.empty())));
        assertThat(shards.shards()).isEmpty();
    }

    @Test
    void aLateRemovalDoesNotRemoveANewObjectOfTheSameName() {
        put(READY, SERVICE.toBuilder().metadata(SERVICE.metadata().withUid("2")).build());
        shards.apply(List.of(new ClusterChange.Remove(CART, Optional.of("1"))));
        assertThat(shards.shard(CART)).isPresent();
        shards.apply(List.of(new ClusterChange.Remove(CART, Optional.of("2"))));
        assertThat(shards.shard(CART)).isEmpty();
    }

    @Test
    void aSliceThatMovesToAnotherServiceAffectsBoth() {
        put(READY, SERVICE);
        assertThat(shards.apply(List.of(
                        new ClusterChange.Put(READY.toBuilder().service("web").build()))))
                .containsExactlyInAnyOrder(CART, ObjectRef.of(Service.KIND, "shop", "web"));
        assertThat(shards.shard(CART)).isEmpty();
    }

    @Test
    void aHeadlessServiceHasItsEndpoints() {
        put(
                HeadlessService.builder("shop", "cart")
                        .labels(FederatedServices.LABEL + "=prod")
                        .port(HTTP)
                        .build(),
                READY.toBuilder()
                        .endpoints(
                                Endpoint.builder("10.244.0.9")
                                        .hostname("b")
                                        .nodeName("n1")
                                        .build(),
                                Endpoint.builder("10.244.0.8")
                                        .hostname("a")
                                        .ready(true)
                                        .build(),
                                Endpoint.builder("10.244.0.7").ready(false).build())
                        .build());
        assertThat(shards.shard(CART).orElseThrow().endpoints())
                .containsExactly(
                        Endpoint.builder("10.244.0.8").hostname("a").build(),
                        Endpoint.builder("10.244.0.9").hostname("b").build());
    }

    @Test
    void aShardOfAClusterIpServiceHasThePortsOfTheService() {
        put(READY.toBuilder().ports(EndpointPort.of("http", Protocol.TCP, 8080)).build(), SERVICE);
        assertThat(shards.shard(CART).orElseThrow().ports()).containsExactly(HTTP);
    }

    /** Clients of a headless Service connect to the endpoints directly, so the port of the Service does not matter. */
    @Test
    void aShardOfAHeadlessServiceHasThePortsOfItsEndpoints() {
        put(
                HeadlessService.builder("shop", "cart")
                        .labels(FederatedServices.LABEL + "=prod")
                        .port(HTTP)
                        .build(),
                READY.toBuilder()
                        .ports(
                                EndpointPort.of("http", Protocol.TCP, 8080),
                                EndpointPort.of("http", Protocol.UDP, 8080),
                                EndpointPort.everyPort("any", Protocol.TCP),
                                EndpointPort.unnamed(Protocol.TCP, 9))
                        .build());
        assertThat(shards.shard(CART).orElseThrow().ports())
                .containsExactly(
                        ServicePort.unnamed(Protocol.TCP, 9),
                        ServicePort.of("http", Protocol.TCP, 8080),
                        ServicePort.of("http", Protocol.UDP, 8080));
    }

    @Test
    void aHeadlessShardHasAllPortsOfReadyEndpointsInAnyOrderOfSlices() {
        HeadlessService headless = HeadlessService.builder("shop", "cart")
                .labels(FederatedServices.LABEL + "=prod")
                .port(HTTP)
                .build();
        List<EndpointSlice> slices = new ArrayList<>();
        for (int number : List.of(9090, 8080, 9090, 7070)) {
            slices.add(EndpointSlice.builder("shop", "cart-" + slices.size())
                    .service("cart")
                    .endpoint(Endpoint.of("10.244.0." + slices.size()).withReady(number != 7070))
                    .ports(EndpointPort.of("http", Protocol.TCP, number))
                    .build());
        }
        put(headless);
        slices.forEach(this::put);
        assertThat(shards.shard(CART).orElseThrow().ports())
                .containsExactly(
                        ServicePort.of("http", Protocol.TCP, 8080), ServicePort.of("http", Protocol.TCP, 9090));
        ClusterShards others = new ClusterShards(FederatedServices.labelledFor("prod"));
        Collections.reverse(slices);
        slices.forEach(slice -> others.apply(List.of(new ClusterChange.Put(slice))));
        others.apply(List.of(new ClusterChange.Put(headless)));
        assertThat(others.shards()).isEqualTo(shards.shards());
    }

    @Test
    void theRegionIsThatOfMostNodesAndTheZonesAreThoseOfTheRegion() {
        assertThat(shards.location()).isEqualTo(ClusterLocation.UNKNOWN);
        put(
                Node.builder("n1")
                        .labels("topology.kubernetes.io/region=eu,topology.kubernetes.io/zone=eu-b")
                        .build(),
                Node.builder("n2")
                        .labels("failure-domain.beta.kubernetes.io/region=us")
                        .build(),
                Node.builder("n3").build());
        assertThat(shards.location())
                .as("of equally many Nodes the first region by name")
                .isEqualTo(ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("eu-b")));
        put(Node.builder("n3")
                .labels("topology.kubernetes.io/region=us,topology.kubernetes.io/zone=us-a")
                .build());
        assertThat(shards.location())
                .isEqualTo(ClusterLocation.UNKNOWN.withRegion("us").withZones(List.of("us-a")));
    }

    @Test
    void servicesTakePartByNameLabelsOrAll() {
        assertThat(FederatedServices.named(List.of("shop/cart")).includes(SERVICE))
                .isTrue();
        assertThat(FederatedServices.named(List.of("shop/web")).includes(SERVICE))
                .isFalse();
        assertThat(FederatedServices.matching(Selector.parse("app=web")).includes(SERVICE))
                .isFalse();
        assertThat(FederatedServices.all().includes(SERVICE)).isTrue();
        assertThatThrownBy(() -> FederatedServices.named(List.of("cart"))).hasMessageContaining("cart");
        assertThatThrownBy(() -> FederatedServices.matching(Selector.EVERYTHING))
                .hasMessageContaining("selector");
        assertThatThrownBy(() -> FederatedServices.labelledFor("a.b")).hasMessageContaining("a.b");
    }
}
