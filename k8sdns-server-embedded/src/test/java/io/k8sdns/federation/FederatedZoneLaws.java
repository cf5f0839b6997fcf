package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.SrvTarget;
import io.k8sdns.wire.AnswerOrder;
import io.k8sdns.wire.DnsResponder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.statistics.Statistics;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;

/** Laws of {@link FederatedZone} for random stores and histories. */
class FederatedZoneLaws {
    private static final List<String> FEDERATIONS = List.of("prod", "svc");
    private static final List<String> NAMESPACES = List.of("shop", "svc");
    private static final List<String> SERVICES = List.of("cart", "svc");
    private static final List<String> CLUSTERS = List.of("foo", "bar", "b.foo", "svc", "one.eu.example");
    private static final List<String> REGIONS = List.of("eu", "prod");
    private static final List<String> ZONES = List.of("eu-a", "shop");

    /** The clusters in the option of clients: none, each known cluster, and an unknown one. */
    private static final List<Optional<String>> SOURCES = Stream.concat(
                    Stream.of(Optional.<String>empty(), Optional.of("unknown")),
                    CLUSTERS.stream().map(Optional::of))
            .toList();

    private static final List<RecordType> TYPES =
            List.of(RecordType.A, RecordType.AAAA, RecordType.SRV, RecordType.CNAME, RecordType.ANY);

    private static final List<String> NAMES = names();

    /** Names of all forms. Most of them exist in some of the random stores. */
    private static List<String> names() {
        List<String> names = new ArrayList<>(List.of("", "svc.", "dns.", "ns.dns.", "a.ns.dns.", "pod."));
        List<String> areas = new ArrayList<>(List.of(""));
        for (String region : REGIONS) {
            areas.add(region + ".");
            ZONES.forEach(zone -> areas.add(zone + "." + region + "."));
        }
        for (String area : areas) {
            names.add(area);
            names.add("svc." + area);
            for (String federation : FEDERATIONS) {
                names.add(federation + ".svc." + area);
                for (String namespace : NAMESPACES) {
                    names.add(namespace + "." + federation + ".svc." + area);
                    for (String service : SERVICES) {
                        String whole = service + "." + namespace + "." + federation + ".svc." + area;
                        names.add(whole);
                        names.add("_tcp." + whole);
                        names.add("_http._tcp." + whole);
                        if (area.isEmpty()) {
                            CLUSTERS.forEach(cluster -> names.add(cluster + "." + whole));
                            CLUSTERS.forEach(cluster -> names.add("_http._tcp." + cluster + "." + whole));
                            CLUSTERS.forEach(cluster -> names.add("b." + cluster + "." + whole));
                            names.add("example." + whole);
                            names.add("eu.example." + whole);
                        }
                    }
                }
            }
        }
        return names.stream().map(name -> name + "federation.").distinct().toList();
    }

    /** A random store and its history. A value is an index into {@link #shards} or {@link #locations}. */
    private static final class World implements FederationFormat {
        final Random random;
        final List<Shard> shards = new ArrayList<>();
        final List<ClusterLocation> locations = new ArrayList<>();
        final Map<String, FederationStore.Entry> entries = new HashMap<>();
        final Map<String, ClusterLocation> given = new HashMap<>();
        final FederatedZone zone = FederatedZone.builder(this).build();

        World(long seed) {
            random = new Random(seed);
            zone.clusters(given);
            zone.content(Map.of());
            int batches = 1 + random.nextInt(16);
            for (int i = 0; i < batches; i++) {
                batch();
            }
        }

        @Override
        public Shard shard(String value) {
            return shards.get(Integer.parseInt(value));
        }

        @Override
        public ClusterLocation cluster(String value) {
            return locations.get(Integer.parseInt(value));
        }

        private void batch() {
            Map<String, Optional<FederationStore.Entry>> changes = new LinkedHashMap<>();
            int count = 1 + random.nextInt(4);
            for (int i = 0; i < count; i++) {
                changes.put(key(), random.nextInt(4) == 0 ? Optional.empty() : Optional.of(entry()));
            }
            changes.forEach(
                    (key, entry) -> entry.ifPresentOrElse(one -> entries.put(key, one), () -> entries.remove(key)));
            switch (random.nextInt(6)) {
                case 0 -> zone.content(entries);
                case 1 -> {
                    given.put(pick(CLUSTERS), location());
                    zone.clusters(given);
                    zone.changed(changes);
                }
                default -> zone.changed(changes);
            }
        }

        /** Returns a random key. */
        private String key() {
            return switch (random.nextInt(9)) {
                case 0, 1 -> "/_clusters/" + pick(CLUSTERS);
                case 2 -> pick(List.of("/a/b/c", "", "/prod/shop/cart/Foo", "/Prod/shop/cart/foo", "/_clusters/", "x"));
                case 3, 4, 5 -> "/prod/shop/cart/" + pick(CLUSTERS);
                default ->
                    "/" + pick(FEDERATIONS) + "/" + pick(NAMESPACES) + "/" + pick(SERVICES) + "/" + pick(CLUSTERS);
            };
        }

        private FederationStore.Entry entry() {
            int number = shards.size();
            shards.add(shard());
            locations.add(location());
            return new FederationStore.Entry(random.nextInt(5) == 0 ? "broken" : String.valueOf(number), number + 1);
        }

        /** Returns a random shard. Only cluster IPs and endpoints begin with 10 or fd. */
        private Shard shard() {
            int number = 1 + random.nextInt(200);
            List<IpAddress> external = some("192.0.2." + number, "198.51.100." + number, "2001:db8::" + number);
            return Shard.builder()
                    .externalAddresses(external)
                    .clusterAddresses(some("10.0.0." + number, "fd00::" + number))
                    .ports(random.nextBoolean() ? List.of(ServicePort.of("http", Protocol.TCP, 80)) : List.of())
                    .endpoints(
                            random.nextInt(3) == 0
                                    ? List.of(Endpoint.builder("10.1.0." + number)
                                            .hostname("b")
                                            .build())
                                    : List.of())
                    .location(location())
                    .build();
        }

        private List<IpAddress> some(String... texts) {
            return Stream.of(texts)
                    .filter(text -> random.nextBoolean())
                    .map(IpAddress::parse)
                    .toList();
        }

        private ClusterLocation location() {
            ClusterLocation location = random.nextInt(4) == 0
                    ? ClusterLocation.UNKNOWN
                    : ClusterLocation.UNKNOWN.withRegion(pick(REGIONS));
            return random.nextBoolean() ? location : location.withZones(List.of(pick(ZONES)));
        }

        private <T> T pick(List<T> values) {
            return values.get(random.nextInt(values.size()));
        }

        Answer answer(String name, RecordType type, Optional<String> source) {
            return FederatedZoneLaws.answer(zone, name, type, source);
        }

        /** Returns the shards of a Service whose values can be parsed, by their clusters. */
        Map<String, Shard> shardsOf(String prefix) {
            Map<String, Shard> found = new HashMap<>();
            entries.forEach((key, entry) -> {
                if (key.startsWith(prefix) && !entry.value().equals("broken")) {
                    found.put(key.substring(prefix.length()), shard(entry.value()));
                }
            });
            found.keySet().retainAll(CLUSTERS);
            return found;
        }

        /** Returns whether the store has a shard below a prefix, even if its value cannot be parsed. */
        boolean hasShardBelow(String prefix) {
            return entries.keySet().stream()
                    .anyMatch(key ->
                            key.startsWith(prefix) && CLUSTERS.contains(key.substring(key.lastIndexOf('/') + 1)));
        }

        /** Returns the location of a cluster: the first known of the store's registry, the given registry and its shard. */
        ClusterLocation locationOf(String cluster, Map<String, Shard> of) {
            FederationStore.Entry stored = entries.get("/_clusters/" + cluster);
            return Stream.of(
                            Optional.ofNullable(stored)
                                    .filter(entry -> !entry.value().equals("broken"))
                                    .map(entry -> cluster(entry.value())),
                            Optional.ofNullable(given.get(cluster)),
                            Optional.ofNullable(of.get(cluster)).map(Shard::location))
                    .flatMap(Optional::stream)
                    .filter(location -> !location.equals(ClusterLocation.UNKNOWN))
                    .findFirst()
                    .orElse(ClusterLocation.UNKNOWN);
        }

        /** Returns 0 for the same cluster, 1 for the same zone, 2 for the same region, otherwise 3. */
        int distance(Optional<String> source, String cluster, Map<String, Shard> of) {
            if (source.isEmpty()) {
                return 3;
            }
            if (source.get().equals(cluster)) {
                return 0;
            }
            ClusterLocation from = locationOf(source.get(), of);
            ClusterLocation to = locationOf(cluster, of);
            boolean sameRegion = from.region().equals(to.region());
            if (sameRegion && !Collections.disjoint(from.zones(), to.zones())) {
                return 1;
            }
            return sameRegion && from.region().isPresent() ? 2 : 3;
        }
    }

    private static Answer answer(FederatedZone zone, String name, RecordType type, Optional<String> source) {
        List<EDNSOption> options = source.stream()
                .map(cluster -> new SourceCluster(cluster).toOption(SourceCluster.OPTION_CODE))
                .toList();
        Client client =
                Client.builder(Client.Transport.TCP).ednsOptions(options).build();
        return zone.resolve(Question.of(name, type), client)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    @Property(tries = 50)
    void changesGiveTheSameAnswersAsTheWholeContent(@ForAll long seed) {
        World world = new World(seed);
        FederatedZone rebuilt = FederatedZone.builder(world).build();
        rebuilt.content(world.entries);
        rebuilt.clusters(world.given);

        for (String name : NAMES) {
            for (RecordType type : TYPES) {
                Optional<String> source = world.pick(SOURCES);
                Answer expected = answer(rebuilt, name, type, source);
                assertThat(world.answer(name, type, source))
                        .as("%s %s from %s", name, type, source)
                        .isEqualTo(expected);
                Statistics.collect(expected.status());
            }
        }
        assertThat(world.zone.skippedKeys()).isEqualTo(rebuilt.skippedKeys());
    }

    @Property(tries = 50)
    void theOrderOfChangesDoesNotMatter(@ForAll long seed) {
        World world = new World(seed);
        FederatedZone other = FederatedZone.builder(world).build();
        other.content(Map.of());
        List<String> keys = new ArrayList<>(world.entries.keySet());
        Collections.shuffle(keys, world.random);
        keys.forEach(key -> other.changed(Map.of(key, Optional.ofNullable(world.entries.get(key)))));
        other.clusters(world.given);

        for (String name : NAMES) {
            RecordType type = world.pick(TYPES);
            Optional<String> source = world.pick(SOURCES);
            assertThat(answer(other, name, type, source))
                    .as("%s %s from %s", name, type, source)
                    .isEqualTo(world.answer(name, type, source));
        }
    }

    /** No section of an answer contains cluster IPs or endpoints of another cluster. */
    @Property(tries = 40)
    void aClientOfAnUnknownClusterNeverReceivesAnInternalAddress(@ForAll long seed) {
        World world = new World(seed);
        for (String name : NAMES) {
            for (RecordType type : TYPES) {
                for (Optional<String> source : List.of(Optional.<String>empty(), Optional.of("unknown"))) {
                    Answer answer = world.answer(name, type, source);
                    assertThat(addresses(answer)).as("%s %s", name, type).noneMatch(FederatedZoneLaws::isInternal);
                    Statistics.label("found").collect(answer.status());
                }
            }
        }
    }

    private static boolean isInternal(String address) {
        return address.startsWith("10.") || address.startsWith("fd");
    }

    private static List<String> addresses(Answer answer) {
        return Stream.concat(
                        answer.addresses().stream(),
                        answer.additional().stream()
                                .flatMap(set -> Answer.builder(0).answer(List.of(set)).build().addresses().stream()))
                .toList();
    }

    /**
     * Each group has exactly the addresses of the shards at one distance, without those of nearer groups. The nearest group is
     * first.
     */
    @Property(tries = 300)
    void eachGroupHasTheShardsOfOneDistanceNearestFirst(@ForAll long seed) {
        World world = new World(seed);
        for (String federation : FEDERATIONS) {
            for (Optional<String> source : SOURCES) {
                Map<String, Shard> shards = world.shardsOf("/" + federation + "/shop/cart/");
                List<List<String>> expected = new ArrayList<>();
                List<String> before = new ArrayList<>();
                for (int distance = 0; distance <= 3; distance++) {
                    List<String> group = new ArrayList<>();
                    for (Map.Entry<String, Shard> one : shards.entrySet()) {
                        if (world.distance(source, one.getKey(), shards) == distance) {
                            group.addAll(visible(one.getValue(), distance == 0));
                        }
                    }
                    group.removeAll(before);
                    before.addAll(group);
                    if (!group.isEmpty()) {
                        expected.add(group.stream().distinct().sorted().toList());
                    }
                }
                Answer answer = world.answer("cart.shop." + federation + ".svc.federation.", RecordType.A, source);
                assertThat(answer.answer().stream()
                                .map(set -> Answer.builder(0).answer(List.of(set)).build().addresses().stream()
                                        .sorted()
                                        .toList()))
                        .as("from %s", source)
                        .isEqualTo(expected);
                Statistics.collect(expected.size());
            }
        }
    }

    /** Returns the IPv4 addresses of a shard that a client receives. */
    private static List<String> visible(Shard shard, boolean own) {
        List<IpAddress> inside = new ArrayList<>(shard.clusterAddresses());
        inside.removeIf(address -> !address.isIpv4());
        if (inside.isEmpty()) {
            shard.endpoints().forEach(endpoint -> inside.addAll(endpoint.addresses()));
        }
        List<IpAddress> found = own && !inside.isEmpty() ? inside : shard.externalAddresses();
        return found.stream().filter(IpAddress::isIpv4).map(IpAddress::toString).toList();
    }

    @Property(tries = 300)
    void srvPrioritiesAreDistances(@ForAll long seed) {
        World world = new World(seed);
        for (Optional<String> source : SOURCES) {
            Map<String, Shard> shards = world.shardsOf("/prod/shop/cart/");
            Answer answer = world.answer("_http._tcp.cart.shop.prod.svc.federation.", RecordType.SRV, source);
            for (SrvTarget target : answer.srvTargets()) {
                String cluster = target.host().toString().replace(".cart.shop.prod.svc.federation.", "");
                assertThat(target.priority()).isEqualTo(10 * world.distance(source, cluster, shards));
                assertThat(target.addresses()).isNotEmpty();
                Statistics.collect(target.priority());
            }
        }
    }

    /** The same names exist for every client, and no name exists below a missing name (RFC 8020). */
    @Property(tries = 40)
    void sameNamesExistForEveryClientAndNoneBelowAMissingName(@ForAll long seed) {
        World world = new World(seed);
        Map<DnsLabels, Boolean> exists = new HashMap<>();
        for (String name : NAMES) {
            boolean found = world.answer(name, RecordType.A, Optional.empty()).status() != AnswerStatus.NXDOMAIN;
            exists.put(DnsLabels.parse(name), found);
            for (RecordType type : TYPES) {
                AnswerStatus status =
                        world.answer(name, type, world.pick(SOURCES)).status();
                assertThat(status != AnswerStatus.NXDOMAIN)
                        .as("%s %s", name, type)
                        .isEqualTo(found);
            }
        }
        for (String federation : FEDERATIONS) {
            assertThat(exists.get(DnsLabels.parse(federation + ".svc.federation.")))
                    .isEqualTo(world.hasShardBelow("/" + federation + "/"));
            for (String namespace : NAMESPACES) {
                assertThat(exists.get(DnsLabels.parse(namespace + "." + federation + ".svc.federation.")))
                        .isEqualTo(world.hasShardBelow("/" + federation + "/" + namespace + "/"));
            }
        }
        exists.forEach((name, found) -> {
            Boolean above = exists.get(name.skip(1));
            if (found && above != null) {
                assertThat(above).as("the name above %s", name).isTrue();
            }
        });
    }

    /** No responder puts the addresses of a farther shard before those of a nearer one. */
    @Property(tries = 150)
    void noResponderMixesGroups(@ForAll long seed, @ForAll AnswerOrder order) throws IOException {
        World world = new World(seed);
        DnsResponder responder = DnsResponder.builder(world.zone)
                .order(order)
                .random(world.random)
                .build();
        for (Optional<String> source : SOURCES) {
            String name = "cart.shop.prod.svc.federation.";
            List<List<String>> groups = world.answer(name, RecordType.A, source).answer().stream()
                    .map(set -> set.lines().sorted().toList())
                    .toList();
            List<String> sent = sent(responder, name, source, world.random.nextInt(0x10000));
            int from = 0;
            for (List<String> group : groups) {
                assertThat(sent.subList(from, from + group.size())).containsExactlyInAnyOrderElementsOf(group);
                from += group.size();
            }
            assertThat(sent).hasSize(from);
        }
    }

    private static List<String> sent(DnsResponder responder, String name, Optional<String> source, int id) {
        Message query = new Message(id);
        query.addRecord(
                Record.newRecord(Question.of(name, RecordType.A).name(), RecordType.A.number(), DClass.IN),
                Section.QUESTION);
        query.addRecord(
                new OPTRecord(
                        1232,
                        0,
                        0,
                        0,
                        source.stream()
                                .map(cluster -> new SourceCluster(cluster).toOption(SourceCluster.OPTION_CODE))
                                .toList()),
                Section.ADDITIONAL);
        List<String> lines = new ArrayList<>();
        responder.respond(
                ByteBuffer.wrap(query.toWire()),
                Client.builder(Client.Transport.UDP).build(),
                response -> read(response).getSection(Section.ANSWER).stream()
                        .flatMap(one -> RecordSet.of(one).lines())
                        .forEach(lines::add));
        return lines;
    }

    private static Message read(ByteBuffer response) {
        try {
            return new Message(response);
        } catch (IOException malformed) {
            throw new UncheckedIOException(malformed);
        }
    }
}
