package io.k8sdns.completion;

import static io.k8sdns.cluster.Cluster.HTTP;
import static io.k8sdns.cluster.Cluster.WEB;
import static io.k8sdns.cluster.Cluster.clusterIp;
import static io.k8sdns.cluster.Cluster.draft;
import static io.k8sdns.cluster.Cluster.headless;
import static io.k8sdns.cluster.Cluster.ips;
import static io.k8sdns.cluster.Cluster.node;
import static io.k8sdns.cluster.Cluster.pod;
import static io.k8sdns.cluster.Cluster.selecting;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.Cluster;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSelection;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.Endpoints;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpFamilyPolicy;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class CompletionTest {
    private static final Addressing DUAL = new Addressing(
            List.of(IpNetwork.parse("fd00:10:96::/112"), IpNetwork.parse("10.96.0.0/12")),
            List.of(IpNetwork.parse("10.244.0.0/16"), IpNetwork.parse("fd00:10:244::/64")));

    /** The example of "DNS for Services and Pods", unchanged: no address, no status, no slice. */
    @Test
    void theExampleOfTheDocumentationIsComplete() {
        Labels busybox = new Labels(Map.of("name", "busybox"));
        HeadlessService service = HeadlessService.builder("default", "busybox-subdomain")
                .ports(ServicePort.of("foo", Protocol.TCP, 1234))
                .selection(selecting(busybox))
                .build();

        Completion.Result result = applied(draft(
                service,
                pod("busybox1")
                        .in("default")
                        .labelled(busybox)
                        .withoutStatus()
                        .named("busybox-1", "busybox-subdomain")
                        .build(),
                pod("busybox2")
                        .in("default")
                        .labelled(busybox)
                        .withoutStatus()
                        .named("busybox-2", "busybox-subdomain")
                        .build()));

        EndpointSlice slice = slices(result).get(0);
        assertThat(slice.endpoints())
                .extracting(Endpoint::hostname, Endpoint::addresses, Endpoint::ready)
                .containsExactly(
                        tuple(Optional.of("busybox-1"), ips("10.244.62.208"), Optional.of(true)),
                        tuple(Optional.of("busybox-2"), ips("10.244.44.61"), Optional.of(true)));
        assertThat(slice.ports()).extracting(port -> port.port().orElse(0)).containsExactly(1234);
        assertThat(lines(result))
                .containsExactly(
                        "Service default/busybox-subdomain: completed: spec.ipFamilyPolicy SingleStack,"
                                + " spec.ipFamilies [IPv4]",
                        "Pod default/busybox1: completed: status.phase Running, condition Ready,"
                                + " status.podIPs [10.244.62.208]",
                        "Pod default/busybox2: completed: status.phase Running, condition Ready,"
                                + " status.podIPs [10.244.44.61]");
        assertThat(result.notes()).allMatch(note -> note.severity() == Diagnostic.Severity.NOTE);
    }

    @Nested
    class ServicesAsApplied {
        @Test
        void anAddressOfTheFirstServiceCidrIsGiven() {
            ClusterIpService completed = service(applied(draft(clusterIp("web", EndpointSelection.NONE))));
            assertThat(completed.clusterIps())
                    .hasSize(1)
                    .allMatch(Addressing.DEFAULTS.serviceCidrs().get(0)::contains);
            assertThat(completed.selection().ipFamilies()).containsExactly(IpFamily.IPV4);
            assertThat(completed.selection().ipFamilyPolicy()).contains(IpFamilyPolicy.SINGLE_STACK);
            assertThat(service(applied(draft(clusterIp("web", EndpointSelection.NONE)), DUAL))
                            .clusterIps())
                    .extracting(IpAddress::family)
                    .containsExactly(IpFamily.IPV6);
        }

        @Test
        void anExistingAddressIsKeptAndDecidesTheFamily() {
            ClusterIpService completed =
                    service(applied(draft(clusterIp("web", EndpointSelection.NONE, "2001:db8::1"))));
            assertThat(completed.clusterIps()).isEqualTo(ips("2001:db8::1"));
            assertThat(completed.selection().ipFamilies()).containsExactly(IpFamily.IPV6);
        }

        @Test
        void declaredFamiliesAreKeptInTheirOrder() {
            ClusterIpService completed =
                    service(applied(draft(clusterIp("web", families(IpFamily.IPV4, IpFamily.IPV6))), DUAL));
            assertThat(completed.clusterIps())
                    .extracting(IpAddress::family)
                    .containsExactly(IpFamily.IPV4, IpFamily.IPV6);
            assertThat(completed.selection().ipFamilyPolicy()).contains(IpFamilyPolicy.REQUIRE_DUAL_STACK);
        }

        @ParameterizedTest
        @EnumSource(
                value = IpFamilyPolicy.class,
                names = {"PREFER_DUAL_STACK", "REQUIRE_DUAL_STACK"})
        void aDualStackPolicyGivesBothFamiliesThatTheClusterHas(IpFamilyPolicy policy) {
            ClusterIpService completed =
                    service(applied(draft(clusterIp("web", families(policy, IpFamily.IPV4))), DUAL));
            assertThat(completed.clusterIps())
                    .extracting(IpAddress::family)
                    .containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        }

        @Test
        void preferDualStackAcceptsOneFamily() {
            Completion.Result result = applied(draft(clusterIp("web", families(IpFamilyPolicy.PREFER_DUAL_STACK))));
            assertThat(service(result).clusterIps()).hasSize(1);
            assertThat(codes(result)).containsExactly("completed-service", "completed-namespace");
        }

        @Test
        void requireDualStackWithOneServiceCidrGivesOneFamilyAndAWarning() {
            Completion.Result result = applied(
                    draft(clusterIp("web", families(IpFamilyPolicy.REQUIRE_DUAL_STACK, IpFamily.IPV4, IpFamily.IPV6))));
            assertThat(service(result).clusterIps())
                    .extracting(IpAddress::family)
                    .containsExactly(IpFamily.IPV4);
            assertThat(result.notes())
                    .filteredOn(note -> note.severity() == Diagnostic.Severity.WARNING)
                    .extracting(Diagnostic::toString)
                    .containsExactly("Service prod/web, spec.ipFamilyPolicy: RequireDualStack, but there is no service"
                            + " CIDR except for IPv4");
        }

        @Test
        void aDualStackServiceWithBothAddressesNeedsNoCidr() {
            Completion.Result result = applied(
                    draft(clusterIp("web", families(IpFamilyPolicy.REQUIRE_DUAL_STACK), "10.3.0.1", "2001:db8::1")));
            assertThat(codes(result)).containsExactly("completed-service", "completed-namespace");
            assertThat(service(result).selection().ipFamilies()).containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        }

        @Test
        void aFamilyWithoutACidrGetsNoAddress() {
            Completion.Result result = applied(draft(clusterIp("web", families(IpFamily.IPV6))));
            assertThat(service(result).clusterIps()).isEmpty();
            assertThat(lines(result))
                    .contains("Service prod/web: no service CIDR of family IPv6: it gets no IPv6 address")
                    .contains("Service prod/web: no record: it has no cluster IP and is not headless");
        }

        @Test
        void aHeadlessServiceWithSelectorHasTheFirstFamilyAndOneWithoutHasBoth() {
            Completion.Result result =
                    applied(draft(headless("with", selecting(WEB)), headless("without", EndpointSelection.NONE)));
            assertThat(result.snapshot().objects(HeadlessService.class))
                    .extracting(service -> service.selection().ipFamilies())
                    .containsExactly(List.of(IpFamily.IPV4), List.of(IpFamily.IPV4, IpFamily.IPV6));
        }

        @Test
        void anExternalNameIsUnchanged() {
            ExternalNameService external = ExternalNameService.of("prod", "ext", "www.example.com");
            Completion.Result result = applied(draft(external));
            assertThat(result.snapshot().objects(Service.class)).containsExactly(external);
            assertThat(codes(result)).containsExactly("completed-namespace");
        }

        private EndpointSelection families(IpFamilyPolicy policy, IpFamily... families) {
            return new EndpointSelection(Optional.empty(), List.of(families), Optional.of(policy));
        }

        private EndpointSelection families(IpFamily... families) {
            return new EndpointSelection(Optional.empty(), List.of(families), Optional.empty());
        }

        private ClusterIpService service(Completion.Result result) {
            return result.snapshot().objects(ClusterIpService.class).findFirst().orElseThrow();
        }
    }

    @Nested
    class Addresses {
        @Test
        void anAddressThatAnyObjectHasIsNotGivenAgain() {
            IpAddress first = ip(applied(draft(pod("web").build())));
            IpAddress taken = IpAddress.parse("10.244.0.0");
            assertThat(first).isNotEqualTo(taken);
            Endpoints.Address address = Endpoints.Address.of(first);
            EndpointSlice slice = EndpointSlice.builder("prod", "other")
                    .endpoints(Endpoint.of(first))
                    .build();

            for (ClusterDraft draft : List.of(
                    draft(pod("web").build(), pod("other", first.toString()).build()),
                    draft(pod("web").build(), node("n1", "a", first.toString())),
                    draft(pod("web").build(), clusterIp("s", EndpointSelection.NONE, first.toString())),
                    draft(pod("web").build(), slice),
                    new ClusterDraft(
                            List.of(pod("web").build()),
                            List.of(new Endpoints(
                                    Metadata.of("prod", "x"),
                                    List.of(new Endpoints.Subset(List.of(), List.of(address), List.of())))),
                            List.of()))) {
                assertThat(ip(applied(draft))).isNotEqualTo(first);
            }
        }

        @Test
        void aRejectedAddressIsNotReplaced() {
            ClusterIpService service = clusterIp("web", EndpointSelection.NONE);
            Pod pod = pod("web").build();
            ClusterSnapshot snapshot = applied(new ClusterDraft(
                            List.of(service, pod), List.of(), List.of(), Set.of(service.ref(), pod.ref())))
                    .snapshot();
            assertThat(snapshot.objects(ClusterIpService.class))
                    .allMatch(object -> object.clusterIps().isEmpty());
            assertThat(snapshot.objects(Pod.class)).containsExactly(pod);
        }

        @Test
        void anExhaustedNetworkGivesNoAddress() {
            Addressing tiny =
                    new Addressing(Addressing.DEFAULTS.serviceCidrs(), List.of(IpNetwork.parse("192.0.2.0/27")));
            StatefulSet set = statefulSet("web", 16, 0, "web");
            Completion.Result result = applied(new ClusterDraft(List.of(), List.of(), List.of(set)), tiny);
            assertThat(result.snapshot()
                            .objects(Pod.class)
                            .filter(pod -> !pod.ips().isEmpty()))
                    .hasSize(15);
            assertThat(codes(result)).containsOnlyOnce("cidr-exhausted");
        }

        private IpAddress ip(Completion.Result result) {
            return ((Pod) result.snapshot()
                            .get(ObjectRef.of("Pod", "prod", "web"))
                            .orElseThrow())
                    .ips()
                    .get(0);
        }
    }

    @Nested
    class PodsAsApplied {
        @Test
        void onePodAddressOfEachPodCidrIsGiven() {
            assertThat(pod(applied(draft(pod("web").withoutStatus().build()), DUAL))
                            .ips())
                    .extracting(IpAddress::family)
                    .containsExactly(IpFamily.IPV4, IpFamily.IPV6);
        }

        @Test
        void eachMissingPartIsCompletedByItself() {
            Pod given = pod("web", "10.3.0.1").ready(Optional.of(false)).build();
            assertThat(pod(applied(draft(given)))).isEqualTo(given);
            assertThat(pod(applied(draft(pod("web", "10.3.0.1")
                                    .ready(Optional.empty())
                                    .build())))
                            .ready())
                    .contains(true);
            Pod unready = pod(applied(draft(pod("web").ready(Optional.of(false)).build())));
            assertThat(unready.ready()).contains(false);
            assertThat(unready.ips()).hasSize(1);
        }

        @ParameterizedTest
        @EnumSource(
                value = PodPhase.class,
                names = {"PENDING", "SUCCEEDED", "FAILED", "UNKNOWN"})
        void nothingIsCompletedInAnotherPhaseThanRunning(PodPhase phase) {
            Pod given = pod("web").phase(phase).ready(Optional.empty()).build();
            assertThat(pod(applied(draft(given)))).isEqualTo(given);
        }

        @Test
        void nothingIsCompletedWhileAPodTerminates() {
            Pod given = pod("web").withoutStatus().terminating().build();
            assertThat(pod(applied(draft(given)))).isEqualTo(given);
        }

        @Test
        void aPodOnTheHostNetworkHasTheAddressesOfItsNode() {
            Pod given = pod("web").withoutStatus().onHostNetwork().on("n1").build();
            Completion.Result result =
                    applied(draft(given, node("n1", "a", "192.0.2.1", "2001:db8::1", "192.0.2.2")), DUAL);
            assertThat(pod(result).ips()).isEqualTo(ips("192.0.2.1", "2001:db8::1"));
        }

        @Test
        void aPodOnTheHostNetworkOfANodeWithoutAnAddressHasAChosenOne() {
            for (ClusterDraft draft : List.of(
                    draft(pod("web").onHostNetwork().build()),
                    draft(pod("web").onHostNetwork().on("n2").build()),
                    draft(pod("web").onHostNetwork().build(), node("n1", "a", "192.0.2.1")),
                    draft(
                            pod("web").onHostNetwork().on("n3").build(),
                            node("n1", "a", "192.0.2.1"),
                            node("n3", "a")))) {
                Completion.Result result = applied(draft);
                assertThat(pod(result).ips()).hasSize(1).allMatch(result.invented()::contains);
                assertThat(result.notes())
                        .extracting(Diagnostic::text)
                        .anyMatch(text ->
                                text.endsWith("status.podIPs " + pod(result).ips() + " in place of its Node's"));
            }
        }

        @Test
        void aPodOnTheHostNetworkOfANodeThatIsMissingAmongOthersHasNoAddress() {
            Completion.Result result =
                    applied(draft(pod("web").onHostNetwork().on("n2").build(), node("n1", "a", "192.0.2.1")));
            assertThat(pod(result).ips()).isEmpty();
            assertThat(codes(result)).contains("no-node-address");
        }

        @Test
        void podsOnTheHostNetworkOfOneNodeShareItsAddress() {
            Pod reporting = pod("proxy", "192.0.2.9").onHostNetwork().on("n9").build();
            Completion.Result result = applied(draft(
                    reporting,
                    pod("a").onHostNetwork().on("n9").build(),
                    pod("b").onHostNetwork().on("n2").build(),
                    pod("c").onHostNetwork().on("n2").build(),
                    pod("d").onHostNetwork().build(),
                    pod("e").onHostNetwork().build()));
            Map<String, List<IpAddress>> ips =
                    result.snapshot().objects(Pod.class).collect(Collectors.toMap(Pod::name, Pod::ips));
            assertThat(ips.get("a")).as("as another Pod reports it").isEqualTo(reporting.ips());
            assertThat(ips.get("b")).isEqualTo(ips.get("c"));
            assertThat(Set.copyOf(ips.values()))
                    .as("of n9, of n2, and of two Nodes")
                    .hasSize(4);
            assertThat(result.invented()).hasSize(3).doesNotContainAnyElementsOf(reporting.ips());
        }

        private Pod pod(Completion.Result result) {
            return result.snapshot().objects(Pod.class).findFirst().orElseThrow();
        }

        private Cluster.PodBuilder pod(String name, String... addresses) {
            return Cluster.pod(name, addresses);
        }
    }

    @Nested
    class StatefulSets {
        @Test
        void thePodsOfAStatefulSetAreMadeAndServed() {
            ClusterDraft draft = new ClusterDraft(
                    List.of(headless("web", selecting(WEB), HTTP)), List.of(), List.of(statefulSet("db", 2, 5, "web")));
            Completion.Result result = applied(draft);

            assertThat(slices(result).get(0).endpoints())
                    .extracting(Endpoint::hostname)
                    .containsExactly(Optional.of("db-5"), Optional.of("db-6"));
            Pod second = (Pod)
                    result.snapshot().get(ObjectRef.of("Pod", "prod", "db-6")).orElseThrow();
            assertThat(second.labels().values())
                    .containsEntry("app", "web")
                    .containsEntry("statefulset.kubernetes.io/pod-name", "db-6")
                    .containsEntry("apps.kubernetes.io/pod-index", "6");
            assertThat(lines(result)).contains("StatefulSet prod/db: completed: 2 Pods");
        }

        @Test
        void aPodOfTheManifestsReplacesTheMadeOneOfItsName() {
            Pod given = pod("db-0", "10.3.0.1").build();
            ClusterDraft draft = new ClusterDraft(List.of(given), List.of(), List.of(statefulSet("db", 2, 0, "web")));
            assertThat(applied(draft).snapshot().get(given.ref())).contains(given);
            assertThat(lines(applied(draft))).contains("StatefulSet prod/db: completed: 1 Pod");
        }

        @Test
        void asIsNoPodsAreMade() {
            ClusterDraft draft = new ClusterDraft(List.of(), List.of(), List.of(statefulSet("db", 2, 0, "web")));
            assertThat(Completion.asIs(draft).snapshot().objects(Pod.class)).isEmpty();
        }

        @Test
        void asIsAServiceThatSelectsTheTemplateOfAWorkloadMatchesPodsOfTheCluster() {
            HeadlessService web = headless("web", selecting(WEB));
            for (int replicas : List.of(2, 0)) {
                StatefulSet set = statefulSet("db", replicas, 0, "web");
                assertThat(lines(Completion.asIs(new ClusterDraft(List.of(web), List.of(), List.of(set)))))
                        .containsExactly(
                                replicas == 0
                                        ? "Service prod/web: no record: its selector matches no Pod"
                                        : "Service prod/web: no record: it selects the Pods of a workload, which are not among the objects");
            }
        }

        @Test
        void podsWhoseHostnameOrSubdomainKubernetesWouldRejectAreNotMade() {
            for (StatefulSet set : List.of(
                    statefulSet("a.b", 2, 0, "web"),
                    statefulSet("a".repeat(62), 2, 0, "web"),
                    statefulSet("db", 2, 0, "a.b"))) {
                Completion.Result result = applied(new ClusterDraft(List.of(), List.of(), List.of(set)));
                assertThat(result.snapshot().objects(Pod.class)).isEmpty();
                assertThat(codes(result)).contains("no-pods");
            }
        }

        @Test
        void anAbsurdNumberOfReplicasIsCut() {
            StatefulSet set = statefulSet("db", Integer.MAX_VALUE, 0, "web");
            Completion.Result result = applied(new ClusterDraft(List.of(), List.of(), List.of(set)));
            assertThat(result.snapshot().objects(Pod.class)).hasSize(100_000);
            assertThat(codes(result)).contains("too-many-replicas");
        }
    }

    @Nested
    class Namespaces {
        @Test
        void asAppliedTheNamespacesOfObjectsAndFourInitialOnesExist() {
            Completion.Result result = applied(new ClusterDraft(
                    List.of(
                            Namespace.of("test")
                                    .withLabels(new Labels(Map.of("stage", "test")))
                                    .withUid("u1"),
                            clusterIp("web", EndpointSelection.NONE, "10.3.0.1")),
                    List.of(new Endpoints(Metadata.of("legacy", "web"), List.of())),
                    List.of(StatefulSet.builder("sets", "db").replicas(0).build())));

            assertThat(result.snapshot().objects(Namespace.class))
                    .extracting(Namespace::name)
                    .containsExactly(
                            "default",
                            "kube-node-lease",
                            "kube-public",
                            "kube-system",
                            "legacy",
                            "prod",
                            "sets",
                            "test");
            assertThat(result.snapshot().objects(Namespace.class))
                    .allMatch(namespace -> namespace
                            .labels()
                            .get("kubernetes.io/metadata.name")
                            .equals(Optional.of(namespace.name())));
            assertThat(result.snapshot().get(ObjectRef.of("Namespace", "test")))
                    .contains(Namespace.of("test")
                            .withLabels(new Labels(Map.of("stage", "test", "kubernetes.io/metadata.name", "test")))
                            .withUid("u1"));
            assertThat(lines(result)).contains("Namespace prod: exists because objects are in it");
        }

        @Test
        void asIsOnlyDeclaredNamespacesExistIfOneIsDeclared() {
            assertThat(namespaces(Namespace.of("test"), pod("web").build())).containsExactly("test");
            assertThat(namespaces(pod("web").build(), pod("web").in("dev").build()))
                    .containsExactly("dev", "prod");
            assertThat(namespaces()).isEmpty();
        }

        private List<String> namespaces(ClusterObject... objects) {
            return Completion.asIs(draft(objects))
                    .snapshot()
                    .objects(Namespace.class)
                    .map(Namespace::name)
                    .toList();
        }
    }

    @Nested
    class SourceOfSlices {
        private final HeadlessService service = headless("web", selecting(WEB, IpFamily.IPV4), HTTP);
        private final Pod selected = pod("a", "10.3.0.1").build();
        private final Endpoints legacy = new Endpoints(
                Metadata.of("prod", "web"),
                List.of(new Endpoints.Subset(List.of(Endpoints.Address.of("10.3.0.2")), List.of(), List.of())));
        private final HeadlessService manual = headless("web", EndpointSelection.NONE);
        private final EndpointSlice given = EndpointSlice.of("prod", "web", Endpoint.of("10.3.0.3"));

        @Test
        void slicesAndPodsWinOverEndpointsOfAServiceWithASelector() {
            EndpointSlice slice = slice("web-x", Optional.of("web"), AddressType.IPV4);
            assertThat(slices(asIs(legacy, service, selected, slice))).containsExactly(slice);
            assertThat(addresses(asIs(legacy, service, selected))).isEqualTo(ips("10.3.0.1"));
            assertThat(addresses(Completion.asIs(draft(service, selected)))).isEqualTo(ips("10.3.0.1"));
            Completion.Result without = asIs(legacy, service);
            assertThat(slices(without)).isEmpty();
            assertThat(without.snapshot().unusedEndpoints()).containsExactly(legacy);
            assertThat(lines(without))
                    .containsExactly(
                            "Service prod/web: no record: its selector matches no Pod",
                            "Endpoints prod/web: no record: its Service has a selector, so that a controller replaces"
                                    + " its addresses with those of the Pods");
        }

        @Test
        void endpointsOfAClusterStandForSlicesAndPodsThatWereNotExported() {
            Endpoints exported = new Endpoints(legacy.metadata().withUid("u"), legacy.subsets());
            Completion.Result result = asIs(exported, service);
            assertThat(addresses(result)).isEqualTo(ips("10.3.0.2"));
            assertThat(result.snapshot().unusedEndpoints()).isEmpty();
            assertThat(lines(result)).isEmpty();
            ReplicaWorkload deployment = new ReplicaWorkload(
                    ReplicaWorkload.DEPLOYMENT,
                    Metadata.of("prod", "web"),
                    1,
                    false,
                    false,
                    WEB,
                    Optional.empty(),
                    PodTemplate.of(WEB));
            assertThat(addresses(applied(new ClusterDraft(List.of(service), List.of(exported), List.of(deployment)))))
                    .as("an observed address, not an invented one")
                    .isEqualTo(ips("10.3.0.2"));
            for (Completion.Result better : List.of(
                    asIs(exported, service, selected),
                    asIs(exported, service, slice("web-x", Optional.of("web"), AddressType.IPV4)))) {
                assertThat(addresses(better)).doesNotContain(IpAddress.parse("10.3.0.2"));
                assertThat(lines(better)).noneMatch(line -> line.startsWith("Endpoints"));
            }
        }

        @Test
        void endpointsAreAddedToTheSlicesOfAServiceWithoutASelector() {
            assertThat(addresses(asIs(legacy, manual, given))).isEqualTo(ips("10.3.0.3", "10.3.0.2"));
        }

        @Test
        void endpointsOfWhichSlicesWereMadeAreNotUsedAgain() {
            EndpointSlice copy = EndpointSlice.builder(Metadata.of("prod", "web-x")
                            .withLabels("endpointslice.kubernetes.io/managed-by=endpointslicemirroring-controller"))
                    .service("web")
                    .endpoints(Endpoint.of("10.3.0.3"))
                    .build();
            Completion.Result result = asIs(legacy, manual, copy);
            assertThat(slices(result)).containsExactly(copy);
            assertThat(lines(result)).isEmpty();
        }

        @Test
        void endpointsThatNoControllerCopiesAreNotUsed() {
            Endpoints skipped = new Endpoints(
                    legacy.metadata().withLabels("endpointslice.kubernetes.io/skip-mirror=true"), legacy.subsets());
            Endpoints lock = new Endpoints(legacy.metadata(), legacy.subsets(), true);
            for (Endpoints unused : List.of(skipped, lock)) {
                assertThat(slices(asIs(unused, manual, given))).containsExactly(given);
                assertThat(slices(asIs(unused, manual))).isEmpty();
                assertThat(lines(asIs(unused, manual)))
                        .last()
                        .asString()
                        .startsWith("Endpoints prod/web: no record: it");
            }
            Endpoints copied = new Endpoints(
                    legacy.metadata().withLabels("endpointslice.kubernetes.io/skip-mirror=false"), legacy.subsets());
            assertThat(addresses(asIs(copied, manual))).isEqualTo(ips("10.3.0.2"));
            Endpoints ofApiServer = new Endpoints(skipped.metadata().withUid("u"), legacy.subsets());
            assertThat(addresses(asIs(ofApiServer, manual))).isEqualTo(ips("10.3.0.2"));
            assertThat(addresses(asIs(ofApiServer, manual, given))).isEqualTo(ips("10.3.0.3"));
        }

        @Test
        void aSliceOfAnotherServiceIsIgnored() {
            EndpointSlice other = slice("web-x", Optional.of("other"), AddressType.IPV4);
            assertThat(slices(Completion.asIs(draft(service, selected, other)))).hasSize(2);
        }

        @Test
        void aDerivedSliceDoesNotTakeTheNameOfAnother() {
            EndpointSlice other = slice("web-ipv4-1", Optional.of("other"), AddressType.IPV4);
            assertThat(slices(Completion.asIs(draft(service, selected, other))))
                    .extracting(EndpointSlice::name)
                    .containsExactly("web-ipv4-1", "web-ipv4-1-derived");
        }

        @Test
        void asIsAPodWithoutConditionIsNotReady() {
            Pod silent = pod("a", "10.3.0.1").withoutStatus().build();
            assertThat(slices(Completion.asIs(draft(service, silent))).get(0).endpoints())
                    .extracting(Endpoint::ready)
                    .containsExactly(Optional.of(false));
        }

        private static Completion.Result asIs(Endpoints legacy, ClusterObject... objects) {
            return Completion.asIs(new ClusterDraft(List.of(objects), List.of(legacy), List.of()));
        }

        private List<IpAddress> addresses(Completion.Result result) {
            return slices(result).stream()
                    .flatMap(slice -> slice.endpoints().stream())
                    .flatMap(endpoint -> endpoint.addresses().stream())
                    .toList();
        }
    }

    @Nested
    class ObjectsWithoutRecords {
        @Test
        void isReported() {
            Completion.Result result = Completion.asIs(new ClusterDraft(
                    List.of(
                            clusterIp("a", EndpointSelection.NONE),
                            ExternalNameService.of("prod", "b", "10.1.2.3"),
                            headless("c", selecting(WEB)),
                            headless("d", EndpointSelection.NONE),
                            slice("e", Optional.empty(), AddressType.IPV4),
                            slice("f", Optional.of("gone"), AddressType.IPV4),
                            slice("g", Optional.of("d"), AddressType.FQDN)),
                    List.of(new Endpoints(Metadata.of("prod", "h"), List.of())),
                    List.of()));
            assertThat(lines(result))
                    .containsExactly(
                            "Service prod/a: no record: it has no cluster IP and is not headless",
                            "Service prod/b: no record: an external name is a name, not an address",
                            "Service prod/c: no record: its selector matches no Pod",
                            "Service prod/d: no record: it has no endpoints",
                            "EndpointSlice prod/e: no record: no label kubernetes.io/service-name",
                            "EndpointSlice prod/f: no record: there is no Service gone",
                            "EndpointSlice prod/g: no record: its addresses are names",
                            "Endpoints prod/h: no record: there is no Service of that name");
            assertThat(result.notes()).allMatch(note -> note.severity() == Diagnostic.Severity.NOTE);
        }

        @Test
        void theReasonIsReportedForHeadlessServicesWithoutEndpoints() {
            HeadlessService web = headless("web", selecting(WEB));
            assertThat(lines(Completion.asIs(draft(web, pod("a").build()))))
                    .containsExactly("Service prod/web: no record: its Pods have no address");
            assertThat(lines(Completion.asIs(draft(
                            web, pod("a", "10.3.0.1").phase(PodPhase.FAILED).build()))))
                    .containsExactly("Service prod/web: no record: its Pods have ended");
            assertThat(lines(Completion.asIs(draft(
                            headless("web", selecting(WEB, IpFamily.IPV4)),
                            pod("a", "2001:db8::1").build()))))
                    .containsExactly("Service prod/web: no record: its Pods have no address of its families");
            Pod notReady = pod("a", "10.3.0.1").ready(Optional.of(false)).build();
            assertThat(lines(Completion.asIs(draft(web, notReady))))
                    .containsExactly("Service prod/web: no record: none of its endpoints is ready");
            assertThat(lines(Completion.asIs(
                            draft(web, notReady, pod("b", "10.3.0.2").build()))))
                    .isEmpty();
            assertThat(lines(Completion.asIs(draft(web, slice("s", Optional.of("web"), AddressType.IPV4)))))
                    .containsExactly("Service prod/web: no record: it has no endpoints");
            assertThat(lines(Completion.asIs(draft(headless("web", EndpointSelection.NONE)))))
                    .containsExactly("Service prod/web: no record: it has no endpoints");
        }
    }

    @Test
    void endpointsOfAnExternalNameYieldNoRecord() {
        assertThat(lines(Completion.asIs(new ClusterDraft(
                        List.of(
                                ExternalNameService.of("prod", "ext", "www.example.com"),
                                ExternalNameService.withoutTarget(Metadata.of("prod", "none")),
                                slice("s", Optional.of("ext"), AddressType.IPV4)),
                        List.of(new Endpoints(Metadata.of("prod", "ext"), List.of())),
                        List.of()))))
                .containsExactly(
                        "Service prod/none: no record: spec.externalName is missing, or not a DNS name",
                        "EndpointSlice prod/s: no record: its Service is an external name",
                        "Endpoints prod/ext: no record: its Service is an external name");
    }

    @Test
    void asIsAMissingNamespaceIsReportedOnce() {
        assertThat(lines(Completion.asIs(
                        draft(Namespace.of("other"), clusterIp("a", EndpointSelection.NONE), pod("p").build()))))
                .containsExactly("Namespace prod: no record: there is no such Namespace, though 2 objects are in it");
        assertThat(lines(Completion.asIs(draft(Namespace.of("prod"), pod("p").build()))))
                .isEmpty();
    }

    private static StatefulSet statefulSet(String name, int replicas, int first, String serviceName) {
        return StatefulSet.builder("prod", name)
                .replicas(replicas)
                .firstOrdinal(first)
                .service(serviceName)
                .template(PodTemplate.of(WEB))
                .build();
    }

    private static EndpointSlice slice(String name, Optional<String> service, AddressType type) {
        EndpointSlice.Builder slice = EndpointSlice.builder("prod", name).addressType(type);
        service.ifPresent(slice::service);
        return slice.build();
    }

    private static Completion.Result applied(ClusterDraft draft) {
        return applied(draft, Addressing.DEFAULTS);
    }

    private static Completion.Result applied(ClusterDraft draft, Addressing addressing) {
        return Completion.asApplied(draft, addressing, Readiness.ALL);
    }

    private static List<EndpointSlice> slices(Completion.Result result) {
        return result.snapshot().objects(EndpointSlice.class).toList();
    }

    private static List<String> lines(Completion.Result result) {
        return result.notes().stream().map(Diagnostic::toString).toList();
    }

    private static List<String> codes(Completion.Result result) {
        return result.notes().stream().map(Diagnostic::code).toList();
    }
}
