package io.k8sdns.federation.external;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import org.xbill.DNS.CNAMERecord;

/** Laws of {@link ExternalRecords} for random federations. */
class ExternalRecordsLaws {
    private static final DnsLabels SUFFIX = DnsLabels.parse("example.org");
    private static final RecordOwner OWNER = new RecordOwner("one", "fed");

    private static ExternalRecords rules(Set<ExternalLevel> levels) {
        return ExternalRecords.builder(OWNER, SUFFIX).levels(levels).build();
    }

    @Property(tries = 300)
    void aCnameLeadsToAddressesAndEveryAddressIsOfTheService(
            @ForAll("services") List<FederatedService> services,
            @ForAll("registries") Map<String, ClusterLocation> clusters,
            @ForAll("levels") Set<ExternalLevel> levels) {
        WantedRecords wanted = rules(levels).of(services, clusters);
        for (OwnedRecords one : wanted.names().values()) {
            assertThat(addresses(wanted, one.name())).as(one.toString()).isNotEmpty();
            FederatedService service = services.stream()
                    .filter(some -> one.owner().equals(OWNER.text(some.namespace(), some.service())))
                    .findFirst()
                    .orElseThrow();
            assertThat(all(service)).containsAll(addresses(wanted, one.name()));
        }
    }

    @Property(tries = 300)
    void theGlobalNameHasEveryAddress(
            @ForAll("services") List<FederatedService> services,
            @ForAll("registries") Map<String, ClusterLocation> clusters) {
        WantedRecords wanted = rules(Set.of(ExternalLevel.values())).of(services, clusters);
        for (FederatedService service : services) {
            DnsLabels global = DnsLabels.of(service.service(), service.namespace(), "fed", "svc")
                    .append(SUFFIX);
            assertThat(addresses(wanted, global)).isEqualTo(all(service));
        }
    }

    @Property(tries = 200)
    void theOrderOfServicesIsIrrelevant(
            @ForAll("services") List<FederatedService> services,
            @ForAll("registries") Map<String, ClusterLocation> clusters,
            @ForAll("levels") Set<ExternalLevel> levels) {
        List<FederatedService> reversed = new ArrayList<>(services);
        Collections.reverse(reversed);
        assertThat(rules(levels).of(reversed, clusters)).isEqualTo(rules(levels).of(services, clusters));
    }

    /** The resulting zone does not depend on its earlier content, and a second pass changes nothing. */
    @Property(tries = 200)
    void theResultDoesNotDependOnTheEarlierContent(
            @ForAll("services") List<FederatedService> before,
            @ForAll("services") List<FederatedService> after,
            @ForAll("registries") Map<String, ClusterLocation> clusters,
            @ForAll("levels") Set<ExternalLevel> levels) {
        MemoryExternalZone zone = new MemoryExternalZone();
        ExternalSync sync = ExternalSync.builder(zone, () -> 0, new Random(1)).build();
        assertThat(sync.pass(rules(levels).of(before, clusters)).isDone()).isTrue();
        WantedRecords wanted = rules(levels).of(after, clusters);
        assertThat(sync.pass(wanted).isDone()).isTrue();
        assertThat(zone.content()).isEqualTo(wanted.names());
        long serial = zone.serial();
        assertThat(sync.pass(wanted).changed()).isEmpty();
        ExternalSync other = ExternalSync.builder(zone, () -> 0, new Random(1)).build();
        assertThat(other.pass(wanted).changed()).isEmpty();
        assertThat(zone.serial()).isEqualTo(serial);
    }

    private static Set<String> all(FederatedService service) {
        return service.shards().values().stream()
                .flatMap(shard -> shard.externalAddresses().stream())
                .map(IpAddress::toString)
                .collect(Collectors.toCollection(TreeSet::new));
    }

    /** Follows CNAMEs. */
    private static Set<String> addresses(WantedRecords wanted, DnsLabels name) {
        OwnedRecords at = wanted.names().get(name);
        if (at == null) {
            return Set.of();
        }
        RecordSet first = at.records().get(0);
        if (first.type().equals(RecordType.CNAME)) {
            return addresses(
                    wanted, DnsNames.labels(((CNAMERecord) first.records().get(0)).getTarget()));
        }
        return at.records().stream()
                .flatMap(set -> set.records().stream())
                .map(record -> IpAddress.ofBytes(record.rdataToWireCanonical()).toString())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Provide
    Arbitrary<Set<ExternalLevel>> levels() {
        return Arbitraries.of(ExternalLevel.class).set().ofMinSize(1);
    }

    private static Arbitrary<ClusterLocation> locations() {
        return Arbitraries.oneOf(
                Arbitraries.just(ClusterLocation.UNKNOWN),
                Combinators.combine(
                                Arbitraries.of("eu", "us", "no.label"),
                                Arbitraries.of("a", "b", "svc", "no_label")
                                        .set()
                                        .ofMaxSize(2))
                        .as((region, zones) ->
                                ClusterLocation.UNKNOWN.withRegion(region).withZones(zones)));
    }

    private static Arbitrary<String> clusterNames() {
        return Arbitraries.of("foo", "bar", "baz");
    }

    @Provide
    Arbitrary<Map<String, ClusterLocation>> registries() {
        return Arbitraries.maps(clusterNames(), locations()).ofMaxSize(3);
    }

    @Provide
    Arbitrary<List<FederatedService>> services() {
        Arbitrary<Shard> shards = Combinators.combine(
                        Arbitraries.of("192.0.2.1", "192.0.2.2", "2001:db8::1", "198.51.100.1")
                                .list()
                                .ofMaxSize(3),
                        locations())
                .as((addresses, location) -> Shard.builder()
                        .externalAddresses(
                                addresses.stream().map(IpAddress::parse).toList())
                        .location(location)
                        .build());
        Arbitrary<FederatedService> service = Combinators.combine(
                        Arbitraries.of("shop", "svc"),
                        Arbitraries.of("cart", "web", "fed"),
                        Arbitraries.maps(clusterNames(), shards).ofMaxSize(3),
                        Arbitraries.of("", "www", "eu.www"))
                .as((namespace, name, some, prefix) -> {
                    FederatedService.Builder builder =
                            FederatedService.builder(namespace, name).shards(some);
                    return (prefix.isEmpty() ? builder : builder.dnsPrefix(prefix)).build();
                });
        return service.list()
                .ofMaxSize(4)
                .map(all -> List.copyOf(all.stream()
                        .collect(Collectors.toMap(
                                one -> one.namespace() + "/" + one.service(),
                                one -> one,
                                (one, same) -> one,
                                TreeMap::new))
                        .values()));
    }
}
