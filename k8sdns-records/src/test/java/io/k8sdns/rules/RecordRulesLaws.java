package io.k8sdns.rules;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.AddressType;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.schema.AddressLabels;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.BiConsumer;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.PropertyDefaults;
import net.jqwik.api.Provide;

@PropertyDefaults(tries = 300)
class RecordRulesLaws {
    /** Objects that often share names and addresses, with random settings. */
    record World(ZoneSettings settings, List<ClusterObject> objects) {
        Published publish() {
            return Published.with(settings, objects);
        }

        /** Calls an action for each slice with each Service, whether or not the slice names it. */
        void forEachSlice(BiConsumer<EndpointSlice, Service> action) {
            objects.stream()
                    .filter(EndpointSlice.class::isInstance)
                    .map(EndpointSlice.class::cast)
                    .forEach(slice -> objects.stream()
                            .filter(Service.class::isInstance)
                            .map(Service.class::cast)
                            .forEach(service -> action.accept(slice, service)));
        }
    }

    @Property
    void theOrderAndNumberOfFactsChangesNothing(@ForAll("worlds") World world, @ForAll Random random) {
        RecordRules rules = new RecordRules(world.settings);
        Map<OwnerName, List<Fact>> byName =
                world.publish().facts().stream().collect(Collectors.groupingBy(Fact::owner));
        byName.forEach((name, facts) -> {
            List<Fact> others = new ArrayList<>(facts);
            others.addAll(facts.subList(0, random.nextInt(facts.size() + 1)));
            Collections.shuffle(others, random);
            assertThat(rules.assemble(name, others))
                    .isEqualTo(rules.assemble(name, facts))
                    .hasSameHashCodeAs(rules.assemble(name, facts));
        });
    }

    @Property
    void equalObjectsInAnyOrderGiveEqualNames(@ForAll("worlds") World world, @ForAll Random random) {
        List<ClusterObject> others = new ArrayList<>();
        for (ClusterObject object : world.objects) {
            if (object instanceof EndpointSlice slice) {
                List<Endpoint> endpoints = new ArrayList<>(slice.endpoints());
                Collections.shuffle(endpoints, random);
                others.add(slice.toBuilder().endpoints(endpoints).build());
            } else {
                others.add(object);
            }
        }
        Collections.shuffle(others, random);
        assertThat(new World(world.settings, others).publish().names())
                .isEqualTo(world.publish().names());
    }

    @Property
    void anObjectGivesNoFactTwice(@ForAll("worlds") World world) {
        for (ClusterObject object : world.objects) {
            List<ClusterObject> alone = new ArrayList<>(List.of(object));
            if (object instanceof EndpointSlice) {
                world.objects.stream()
                        .filter(Service.class::isInstance)
                        .findFirst()
                        .ifPresent(alone::add);
            }
            Published published = Published.with(world.settings, alone);
            assertThat(published.facts()).doesNotHaveDuplicates();
        }
    }

    @Property
    void theFilterOfAnUnsharedNameChoosesEveryEndpointWithAFactThere(@ForAll("worlds") World world) {
        RecordRules rules = new RecordRules(world.settings);
        world.forEachSlice((slice, service) -> slice.endpoints()
                .forEach(endpoint -> rules.factsOf(only(endpoint, slice), service).stream()
                        .filter(fact -> !EndpointFilter.isShared(fact.owner()))
                        .forEach(fact -> assertThat(
                                        EndpointFilter.at(fact.owner()).chooses(new EndpointFields(endpoint)))
                                .as("%s for %s", fact, endpoint)
                                .isTrue())));
    }

    @Property
    void aPublishedEndpointAloneShowsTheSharedNamesOfItsSlice(@ForAll("worlds") World world) {
        RecordRules rules = new RecordRules(world.settings);
        world.forEachSlice((slice, service) -> {
            Set<OwnerName> shared = sharedNames(rules.factsOf(slice, service));
            slice.endpoints()
                    .forEach(endpoint -> assertThat(sharedNames(rules.factsOf(only(endpoint, slice), service)))
                            .isEqualTo(EndpointFilter.hasFactsAtSharedNames(endpoint, service) ? shared : Set.of()));
        });
    }

    private static Set<OwnerName> sharedNames(List<Fact> facts) {
        return facts.stream().map(Fact::owner).filter(EndpointFilter::isShared).collect(Collectors.toSet());
    }

    private static EndpointSlice only(Endpoint endpoint, EndpointSlice slice) {
        return slice.toBuilder().endpoints(List.of(endpoint)).build();
    }

    /** The fields of an endpoint, as a stored slice gives them. */
    private record EndpointFields(Endpoint endpoint) implements EndpointFilter.Fields {
        @Override
        public boolean hasAddress(byte[] bytes) {
            return endpoint.addresses().stream().anyMatch(address -> Arrays.equals(address.bytes(), bytes));
        }

        @Override
        public boolean hasHostname(byte[] text) {
            return endpoint.hostname().filter(name -> isText(name, text)).isPresent();
        }

        @Override
        public boolean hasTargetName(byte[] text) {
            return endpoint.targetRef().filter(pod -> isText(pod.name(), text)).isPresent();
        }

        private static boolean isText(String name, byte[] text) {
            return Arrays.equals(name.getBytes(StandardCharsets.ISO_8859_1), text);
        }
    }

    @Property
    void everythingAboveANameExists(@ForAll("worlds") World world) {
        Published published = world.publish();
        Set<OwnerName> names = new HashSet<>(published.names().keySet());
        new RecordRules(world.settings).fixedFacts().forEach(fact -> names.add(fact.owner()));
        for (OwnerName name : Set.copyOf(names)) {
            if (name instanceof OwnerName.Forward forward) {
                for (int i = 1; i <= forward.labels().count(); i++) {
                    assertThat(names)
                            .contains(new OwnerName.Forward(forward.labels().skip(i)));
                }
            }
        }
        for (Fact fact : published.facts()) {
            if (fact instanceof Fact.EndpointAddress endpoint) {
                assertThat(names).contains(new OwnerName.Forward(endpoint.service()));
            }
        }
    }

    @Property
    void everyNameHasAFormOfTheSchema(@ForAll("worlds") World world) {
        world.publish().names().keySet().forEach(name -> {
            if (name instanceof OwnerName.Forward forward) {
                ClusterName meaning = NameSchema.parse(forward.labels());
                assertThat(meaning).isNotInstanceOf(ClusterName.UnknownName.class);
                assertThat(NameSchema.format(meaning)).isEqualTo(forward.labels());
            }
        });
    }

    @Property
    void everyPtrPointsToANameThatHasTheAddress(@ForAll("worlds") World world) {
        Published published = world.publish();
        published.names().forEach((name, data) -> {
            for (DnsLabels target : data.ptrTargets()) {
                assertThat(published.lookup(target.toString()).map(NameData::addresses))
                        .as("%s to %s", name, target)
                        .hasValueSatisfying(
                                addresses -> assertThat(addresses).contains(((OwnerName.Reverse) name).address()));
            }
        });
    }

    @Property
    void everyPublishedAddressHasItsDashedNameAndItsPtr(@ForAll("worlds") World world) {
        Published published = world.publish();
        boolean all = world.settings.reversePolicy() == ReversePolicy.ALL;
        published.names().forEach((name, data) -> {
            for (DnsLabels service : data.publishedBy()) {
                IpAddress address = ((OwnerName.Reverse) name).address();
                assertThat(published
                                .lookup(AddressLabels.of(address) + "." + service)
                                .map(NameData::addresses))
                        .hasValueSatisfying(addresses -> assertThat(addresses).contains(address));
                if (all
                        && service.prepend("h".repeat(63))
                                .fitsBelow(world.settings.zones().get(0))) {
                    assertThat(data.ptrTargets()).isNotEmpty();
                }
            }
        });
    }

    @Property
    void everySrvTargetHasAnAddressAndTheWeightIsAShareOfAHundred(@ForAll("worlds") World world) {
        Published published = world.publish();
        Map<OwnerName, Set<List<Object>>> pairs = published.facts().stream()
                .filter(Fact.Srv.class::isInstance)
                .map(Fact.Srv.class::cast)
                .collect(Collectors.groupingBy(
                        Fact.Srv::owner,
                        Collectors.mapping(srv -> List.of(srv.address(), srv.port()), Collectors.toSet())));
        published.names().forEach((name, data) -> {
            for (NameData.Srv srv : data.srvs()) {
                assertThat(published.lookup(srv.target().toString()).map(NameData::addresses))
                        .hasValueSatisfying(addresses -> assertThat(addresses).isNotEmpty());
            }
            int n = pairs.getOrDefault(name, Set.of()).size();
            assertThat(data.srvWeight()).isEqualTo(n == 0 ? 0 : Math.max(1, 100 / n));
        });
    }

    @Property
    void aHeadlessServiceExistsIfAnEndpointIsPublished(@ForAll("worlds") World world) {
        RecordRules rules = new RecordRules(world.settings);
        Published published = world.publish();
        world.objects.stream()
                .filter(HeadlessService.class::isInstance)
                .map(HeadlessService.class::cast)
                .forEach(service -> {
                    int endpoints = world.objects.stream()
                            .filter(EndpointSlice.class::isInstance)
                            .mapToInt(slice -> rules.publishedEndpoints((EndpointSlice) slice, service))
                            .sum();
                    assertThat(published.exists(service.name() + "." + service.namespace() + ".svc"))
                            .isEqualTo(endpoints > 0 && world.settings.endpoints());
                });
    }

    @Property
    void aClusterReportsTheOversizedRecordsOfEachObject(@ForAll("worlds") World world) {
        OversizedRecords oversized = new OversizedRecords(new RecordRules(world.settings));
        ClusterSnapshot cluster = ClusterSnapshot.of(world.objects);
        List<Diagnostic> expected = new ArrayList<>();
        for (ClusterObject object : cluster.objects()) {
            if (object instanceof Service service) {
                expected.addAll(oversized.check(service));
            } else if (object instanceof EndpointSlice slice) {
                cluster.get(ObjectRef.of(
                                Service.KIND,
                                slice.namespace(),
                                slice.serviceName().orElseThrow()))
                        .ifPresent(owner -> expected.addAll(oversized.check(slice, (Service) owner)));
            }
        }
        assertThat(oversized.check(cluster)).containsExactlyInAnyOrderElementsOf(expected);
    }

    @Property
    void recordSetsAreInCanonicalOrderWithoutDuplicates(@ForAll("worlds") World world) {
        DnsLabels zone = world.settings.zones().get(0);
        world.publish()
                .names()
                .forEach((name, data) -> data.in(zone)
                        .recordSets(DnsNames.absolute(DnsLabels.of("owner"), zone), 5)
                        .forEach(set -> {
                            for (int i = 1; i < set.records().size(); i++) {
                                assertThat(set.records().get(i - 1))
                                        .isLessThan(set.records().get(i));
                            }
                            assertThat(data.has(set.typeNumber())).isTrue();
                            assertThat(set.lines()).hasSameSizeAs(set.records()).doesNotHaveDuplicates();
                        }));
    }

    @Provide
    Arbitrary<World> worlds() {
        return Combinators.combine(
                        settings(),
                        services(),
                        slices().list().ofMaxSize(5),
                        pods().list().ofMaxSize(3))
                .as((settings, services, slices, pods) -> {
                    List<ClusterObject> objects = new ArrayList<>();
                    objects.add(Namespace.of("default"));
                    objects.add(Namespace.of("prod"));
                    objects.addAll(services);
                    objects.addAll(slices);
                    objects.addAll(pods);
                    return new World(settings, objects);
                });
    }

    private static Arbitrary<ZoneSettings> settings() {
        return Combinators.combine(
                        Arbitraries.of(ReversePolicy.class),
                        Arbitraries.of(EndpointNames.class),
                        Arbitraries.of(SrvPort.class),
                        Arbitraries.of(PodsMode.class),
                        Arbitraries.of(true, false),
                        Arbitraries.integers().between(0, 5),
                        Arbitraries.of(
                                "cluster.local", "k8s", "z".repeat(63) + "." + "y".repeat(63) + "." + "x".repeat(63)))
                .as((reverse, names, port, pods, bareSrv, existence, zone) -> ZoneSettings.builder()
                        .reversePolicy(reverse)
                        .endpointNames(names)
                        .srvPort(port)
                        .pods(pods)
                        .bareSrv(bareSrv)
                        .endpoints(existence != 0)
                        .ignoreEmptyServices(existence == 1)
                        .zone(zone)
                        .build());
    }

    /** A few names in two namespaces, each of a random kind and at most once. */
    private static Arbitrary<List<Service>> services() {
        Arbitrary<List<ServicePort>> ports = Arbitraries.of(
                List.of(),
                List.of(ServicePort.of("http", Protocol.TCP, 80)),
                List.of(ServicePort.unnamed(Protocol.UDP, 53)),
                List.of(ServicePort.of("http", Protocol.TCP, 80), ServicePort.of("http", Protocol.UDP, 80)),
                List.of(ServicePort.of("http", Protocol.TCP, 80), ServicePort.of("p".repeat(63), Protocol.SCTP, 80)));
        Arbitrary<Service> service = Combinators.combine(
                        Arbitraries.of("web", "net", "10-0-0-1", "s".repeat(63)),
                        Arbitraries.of("default", "prod"),
                        Arbitraries.integers().between(0, 4),
                        addresses(),
                        ports,
                        Arbitraries.of(true, false))
                .as((name, namespace, kind, address, list, notReady) -> {
                    Metadata metadata = Metadata.of(namespace, name);
                    return switch (kind) {
                        case 0 ->
                            new ExternalNameService(metadata, notReady ? "www.example.com" : "x".repeat(64) + ".com");
                        case 1 ->
                            ClusterIpService.builder(metadata)
                                    .clusterIp(address)
                                    .ports(list)
                                    .publishNotReadyAddresses(notReady)
                                    .build();
                        case 2 ->
                            ClusterIpService.builder(metadata)
                                    .ports(list)
                                    .publishNotReadyAddresses(notReady)
                                    .build();
                        default ->
                            HeadlessService.builder(metadata)
                                    .ports(list)
                                    .publishNotReadyAddresses(notReady)
                                    .build();
                    };
                });
        return service.list().uniqueElements(Service::ref).ofMaxSize(5);
    }

    private static Arbitrary<EndpointSlice> slices() {
        Arbitrary<Optional<String>> hostname = Arbitraries.of(
                Optional.empty(), Optional.of("a"), Optional.of("10-0-0-2"), Optional.of("h".repeat(63)));
        Arbitrary<Endpoint> endpoint = Combinators.combine(
                        addresses(),
                        Arbitraries.of(Optional.<Boolean>empty(), Optional.of(true), Optional.of(false)),
                        hostname,
                        Arbitraries.of("pod-0", "pod.0"))
                .as((address, ready, host, pod) -> {
                    Endpoint.Builder one = Endpoint.builder(address).targetRef(ObjectRef.of("Pod", "default", pod));
                    ready.ifPresent(one::ready);
                    host.ifPresent(one::hostname);
                    return one.build();
                });
        Arbitrary<List<EndpointPort>> ports = Arbitraries.of(
                List.of(),
                List.of(EndpointPort.of("http", Protocol.TCP, 8080)),
                List.of(
                        EndpointPort.of("http", Protocol.TCP, 9090),
                        EndpointPort.of("http", Protocol.UDP, 9090),
                        EndpointPort.everyPort("all", Protocol.TCP),
                        EndpointPort.unnamed(Protocol.TCP, 80)),
                List.of(EndpointPort.of("p".repeat(63), Protocol.SCTP, 80)));
        return Combinators.combine(
                        Arbitraries.of("web", "net", "10-0-0-1", "s".repeat(63)),
                        Arbitraries.of("default", "prod"),
                        Arbitraries.of(IpFamily.class),
                        endpoint.list().ofMaxSize(4),
                        ports)
                .as((service, namespace, family, endpoints, list) -> EndpointSlice.builder(namespace, "slice")
                        .service(service)
                        .addressType(AddressType.of(family))
                        .endpoints(endpoints.stream()
                                .filter(one -> one.addresses().get(0).family() == family)
                                .toList())
                        .ports(list)
                        .build());
    }

    private static Arbitrary<Pod> pods() {
        return Combinators.combine(Arbitraries.of("default", "prod"), addresses())
                .as((namespace, address) -> Pod.running(namespace, "pod-0", List.of(address)));
    }

    private static Arbitrary<IpAddress> addresses() {
        return Arbitraries.of("10.0.0.1", "10.0.0.2", "192.0.2.1", "2001:db8::1", "2001:db8::", "::1")
                .map(IpAddress::parse);
    }
}
