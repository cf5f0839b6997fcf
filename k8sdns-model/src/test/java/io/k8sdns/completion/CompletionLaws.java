package io.k8sdns.completion;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.Cluster;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Readiness;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
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
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.Node;
import io.k8sdns.model.NodePlacement;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.model.Workload;
import io.k8sdns.slices.EndpointSliceRules;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;

/** Properties of completion for small clusters with many conflicts: few names, few addresses, small networks. */
class CompletionLaws {
    private static final Addressing SMALL = new Addressing(
            List.of(IpNetwork.parse("192.0.2.0/27"), IpNetwork.parse("2001:db8:96::/123")),
            List.of(IpNetwork.parse("198.51.100.0/27")));

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void theOrderOfTheInputDoesNotMatter(@ForAll("drafts") ClusterDraft draft, @ForAll long seed) {
        ClusterDraft shuffled = new ClusterDraft(
                shuffled(draft.objects(), seed), shuffled(draft.endpoints(), seed), shuffled(draft.workloads(), seed));
        assertSame(
                Completion.asApplied(shuffled, SMALL, Readiness.ALL),
                Completion.asApplied(draft, SMALL, Readiness.ALL));
        assertSame(Completion.asIs(shuffled), Completion.asIs(draft));
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void theOrderOfPodsAndNodesDoesNotMatterToSlices(@ForAll("drafts") ClusterDraft draft, @ForAll long seed) {
        ClusterSnapshot snapshot =
                Completion.asApplied(draft, SMALL, Readiness.ALL).snapshot();
        List<Pod> pods = snapshot.objects(Pod.class).toList();
        List<Node> nodes = snapshot.objects(Node.class).toList();
        snapshot.objects(Service.class)
                .forEach(service -> assertThat(
                                EndpointSliceRules.of(service, shuffled(pods, seed), shuffled(nodes, seed)))
                        .isEqualTo(EndpointSliceRules.of(service, pods, nodes)));
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void completeObjectsAreUnchanged(@ForAll("drafts") ClusterDraft draft) {
        ClusterSnapshot once = Completion.asApplied(draft, SMALL, Readiness.ALL).snapshot();
        ClusterDraft complete = new ClusterDraft(List.copyOf(once.objects()), draft.endpoints(), draft.workloads());
        assertThat(Completion.asApplied(complete, SMALL, Readiness.ALL).snapshot())
                .isEqualTo(once);
        assertThat(Completion.asIs(complete).snapshot()).isEqualTo(once);
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void givenAddressesAreKeptAndNewOnesAreUnique(@ForAll("drafts") ClusterDraft draft) {
        ClusterSnapshot given = ClusterSnapshot.of(draft.objects());
        ClusterSnapshot completed =
                Completion.asApplied(draft, SMALL, Readiness.ALL).snapshot();
        List<IpAddress> all = completed.objects().stream()
                .flatMap(object -> addresses(object).stream())
                .toList();
        for (ClusterObject object : completed.objects()) {
            List<IpAddress> before =
                    given.get(object.ref()).map(CompletionLaws::addresses).orElse(List.of());
            if (!before.isEmpty()) {
                assertThat(addresses(object)).isEqualTo(before);
            } else if (!(object instanceof Pod pod && pod.hostNetwork())) {
                for (IpAddress address : addresses(object)) {
                    IpNetwork network = network(object, address);
                    assertThat(network.contains(address)).isTrue();
                    assertThat(address).isBetween(network.address(16), network.address(30));
                    assertThat(Collections.frequency(all, address)).isEqualTo(1);
                }
            }
        }
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void dnsSettingsAndOperatingSystemOfPodsAreKept(@ForAll("drafts") ClusterDraft draft) {
        ClusterSnapshot given = ClusterSnapshot.of(draft.objects());
        ClusterSnapshot completed =
                Completion.asApplied(draft, SMALL, Readiness.ALL).snapshot();
        given.objects(Pod.class).forEach(pod -> {
            Pod result = (Pod) completed.get(pod.ref()).orElseThrow();
            assertThat(result.dnsPolicy()).isEqualTo(pod.dnsPolicy());
            assertThat(result.dnsConfig()).isEqualTo(pod.dnsConfig());
            assertThat(result.os()).isEqualTo(pod.os());
        });
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void everyNamespaceOfAnObjectExists(@ForAll("drafts") ClusterDraft draft) {
        ClusterSnapshot snapshot =
                Completion.asApplied(draft, SMALL, Readiness.ALL).snapshot();
        assertThat(snapshot.objects(NamespacedObject.class))
                .allMatch(object -> snapshot.get(ObjectRef.of(Namespace.KIND, object.namespace()))
                        .isPresent());
    }

    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void asIsAddsNamespacesAndSlicesAndChangesNoObject(@ForAll("drafts") ClusterDraft draft) {
        ClusterSnapshot given = ClusterSnapshot.of(draft.objects());
        ClusterSnapshot result = Completion.asIs(draft).snapshot();
        for (ClusterObject object : given.objects()) {
            assertThat(result.get(object.ref())).contains(object);
        }
        for (ClusterObject object : result.objects()) {
            assertThat(given.get(object.ref()).isPresent()
                            || object instanceof Namespace
                            || object instanceof EndpointSlice)
                    .isTrue();
        }
    }

    /** Compares the lookup through the index of labels with a scan of all Pods. */
    @Property(tries = 300, edgeCases = EdgeCasesMode.NONE)
    void aServiceWithoutSlicesAndEndpointsGetsSlicesOfItsPods(@ForAll("drafts") ClusterDraft draft) {
        ClusterDraft withoutEndpoints = new ClusterDraft(
                draft.objects().stream()
                        .filter(object -> !(object instanceof EndpointSlice))
                        .toList(),
                List.of(),
                draft.workloads());
        ClusterSnapshot snapshot =
                Completion.asApplied(withoutEndpoints, SMALL, Readiness.ALL).snapshot();
        List<Pod> pods = snapshot.objects(Pod.class).toList();
        List<Node> nodes = snapshot.objects(Node.class).toList();
        List<EndpointSlice> expected = new ArrayList<>();
        snapshot.objects(Service.class)
                .forEach(service -> expected.addAll(EndpointSliceRules.of(service, pods, nodes)));
        assertThat(snapshot.objects(EndpointSlice.class)).containsExactlyInAnyOrderElementsOf(expected);
    }

    private static void assertSame(Completion.Result actual, Completion.Result expected) {
        assertThat(List.copyOf(actual.snapshot().objects()))
                .isEqualTo(List.copyOf(expected.snapshot().objects()));
        assertThat(actual.notes()).isEqualTo(expected.notes());
    }

    private static <T> List<T> shuffled(List<T> list, long seed) {
        List<T> copy = new ArrayList<>(list);
        Collections.shuffle(copy, new Random(seed));
        return copy;
    }

    private static List<IpAddress> addresses(ClusterObject object) {
        if (object instanceof ClusterIpService service) {
            return service.clusterIps();
        }
        return object instanceof Pod pod ? pod.ips() : List.of();
    }

    private static IpNetwork network(ClusterObject object, IpAddress address) {
        List<IpNetwork> cidrs = object instanceof Pod ? SMALL.podCidrs() : SMALL.serviceCidrs();
        return AddressChoice.ofFamily(cidrs, address.family()).orElseThrow();
    }

    @Provide
    Arbitrary<ClusterDraft> drafts() {
        Arbitrary<ClusterObject> object = Arbitraries.oneOf(
                metadata().flatMap(CompletionLaws::services),
                metadata().flatMap(CompletionLaws::pods),
                metadata().flatMap(CompletionLaws::slices),
                Arbitraries.of("prod", "test")
                        .map(name -> Namespace.of(name).withLabels(new Labels(Map.of("stage", name)))),
                Combinators.combine(Arbitraries.of("n1", "n2"), some("192.0.2.18", "198.51.100.20", "2001:db8::1"))
                        .as((name, ips) -> Node.builder(name).internalIps(ips).build()));
        Arbitrary<Endpoints> endpoints = Combinators.combine(
                        metadata(), Arbitraries.of(true, false), some("198.51.100.21", "2001:db8::2"))
                .as((metadata, isExported, ips) -> new Endpoints(
                        isExported ? metadata.withUid("u") : metadata,
                        List.of(new Endpoints.Subset(
                                ips.stream().map(Endpoints.Address::of).toList(), List.of(), List.of()))));
        Arbitrary<Workload> workloads = Combinators.combine(
                        metadata(),
                        Arbitraries.integers().between(0, 12),
                        Arbitraries.integers().between(0, 6))
                .as(CompletionLaws::workload);
        return Combinators.combine(
                        unique(object, ClusterObject::ref),
                        unique(endpoints, Endpoints::ref),
                        unique(workloads, Workload::ref))
                .as(ClusterDraft::new);
    }

    private static Workload workload(Metadata metadata, int pods, int kind) {
        PodTemplate template = PodTemplate.of(metadata.labels());
        return switch (kind) {
            case 0 -> new DaemonSet(metadata, metadata.labels(), template, NodePlacement.ANY);
            case 1 -> new Job(metadata, pods, Optional.empty(), false, true, template);
            case 2 -> new Job(metadata, pods, Optional.empty(), false, false, template);
            case 3 -> new CronJob(metadata, false, template);
            case 4 ->
                new ReplicaWorkload(
                        ReplicaWorkload.DEPLOYMENT,
                        metadata,
                        pods,
                        false,
                        false,
                        metadata.labels(),
                        Optional.empty(),
                        template);
            case 5 ->
                new ReplicaWorkload(
                        ReplicaWorkload.REPLICA_SET,
                        metadata,
                        pods,
                        false,
                        false,
                        metadata.labels(),
                        Optional.of("a"),
                        template);
            default ->
                StatefulSet.builder(metadata)
                        .replicas(pods)
                        .service("a")
                        .template(template)
                        .build();
        };
    }

    private static <T> Arbitrary<List<T>> unique(Arbitrary<T> element, Function<T, Object> key) {
        return element.list().ofMaxSize(10).uniqueElements(key);
    }

    private static Arbitrary<Metadata> metadata() {
        return Combinators.combine(
                        Arbitraries.of("prod", "test"),
                        Arbitraries.of("a", "a-0", "b", "b-1"),
                        Arbitraries.of("x", "y"))
                .as((namespace, name, app) ->
                        Metadata.of(namespace, name).withLabels(new Labels(Map.of("app", app, "all", ""))));
    }

    private static Arbitrary<List<IpAddress>> some(String... addresses) {
        return Arbitraries.of(Cluster.ips(addresses)).list().uniqueElements().ofMaxSize(addresses.length);
    }

    private static Arbitrary<ClusterObject> services(Metadata metadata) {
        Arbitrary<EndpointSelection> selections = Combinators.combine(
                        Arbitraries.of(Map.of("app", "x"), Map.of("app", "y", "all", ""), Map.<String, String>of()),
                        Arbitraries.of(IpFamily.class).list().uniqueElements().ofMaxSize(2),
                        Arbitraries.of(IpFamilyPolicy.class).optional())
                .as((labels, families, policy) ->
                        new EndpointSelection(Optional.of(new Labels(labels)), families, policy));
        List<ServicePort> ports = List.of(ServicePort.of("http", Protocol.TCP, 80));
        return Arbitraries.oneOf(
                Combinators.combine(selections, some("192.0.2.17", "2001:db8:96::11"))
                        .as((selection, ips) -> ClusterIpService.builder(metadata)
                                .clusterIps(ips)
                                .ports(ports)
                                .selection(selection)
                                .build()),
                Combinators.combine(selections, Arbitraries.of(true, false))
                        .as((selection, unready) -> HeadlessService.builder(metadata)
                                .ports(ports)
                                .selection(selection)
                                .publishNotReadyAddresses(unready)
                                .build()),
                Arbitraries.of("www.example.com", "10.1.2.3").map(target -> new ExternalNameService(metadata, target)));
    }

    private static Arbitrary<ClusterObject> pods(Metadata metadata) {
        Arbitrary<Boolean> coins = Arbitraries.of(true, false);
        return Combinators.combine(
                        Arbitraries.of(PodPhase.class).optional(),
                        coins.optional(),
                        coins,
                        some("198.51.100.19", "2001:db8::3"),
                        coins,
                        Arbitraries.of("n1", "n2", "n3").optional(),
                        searchSettings())
                .as((phase, ready, terminating, ips, hostNetwork, node, settings) -> {
                    Pod.Builder pod = Pod.builder(metadata)
                            .terminating(terminating)
                            .ips(ips)
                            .hostNetwork(hostNetwork)
                            .hostname("host")
                            .subdomain("a");
                    phase.ifPresent(pod::phase);
                    ready.ifPresent(pod::ready);
                    node.ifPresent(pod::nodeName);
                    settings.accept(pod);
                    return pod.build();
                });
    }

    /** Returns setters of the fields on which the search list of a Pod depends. */
    private static Arbitrary<Consumer<Pod.Builder>> searchSettings() {
        return Combinators.combine(
                        Arbitraries.of(DnsPolicy.class).optional(),
                        Arbitraries.of("corp.test", "example.com")
                                .list()
                                .uniqueElements()
                                .ofMaxSize(2),
                        Arbitraries.of("linux", "windows").optional())
                .as((policy, searches, os) -> pod -> {
                    policy.ifPresent(one -> pod.dnsPolicy(one));
                    pod.dnsConfig(new DnsConfig(List.of(), searches, List.of()));
                    os.ifPresent(pod::os);
                });
    }

    private static Arbitrary<ClusterObject> slices(Metadata metadata) {
        return Combinators.combine(Arbitraries.of("a", "gone").optional(), some("192.0.2.22", "198.51.100.22"))
                .as((service, ips) -> {
                    EndpointSlice.Builder slice = EndpointSlice.builder(metadata)
                            .addressType(AddressType.IPV4)
                            .endpoints(ips.stream().map(Endpoint::of).toList());
                    service.ifPresent(slice::service);
                    return slice.build();
                });
    }
}
