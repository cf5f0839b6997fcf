package io.k8sdns.rfc2136;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.ExternalSync;
import io.k8sdns.federation.external.ExternalZoneException;
import io.k8sdns.federation.external.FederatedService;
import io.k8sdns.federation.external.NameChange;
import io.k8sdns.federation.external.RecordOwner;
import io.k8sdns.federation.external.WantedRecords;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@link Rfc2136Zone} with Debian's BIND and Knot DNS on loopback. */
@Tag("real")
@Timeout(600)
class RealRfc2136Test {
    private static final DnsLabels ZONE = DnsLabels.parse("example.org");
    private static final RecordOwner OWNER = new RecordOwner("one", "fed");
    private static final String CART = "cart.shop.fed.svc.example.org";
    private static final String CART_EU = "cart.shop.fed.svc.eu.example.org";
    private static final String CART_EU_A = "cart.shop.fed.svc.eu-a.eu.example.org";
    private static final String CART_OWNER =
            "\"heritage=k8sdns,k8sdns/owner=one,k8sdns/federation=fed,k8sdns/resource=service/shop/cart\"";

    private static final Map<String, ClusterLocation> CLUSTERS = Map.of(
            "foo", ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("eu-a")),
            "bar", ClusterLocation.UNKNOWN.withRegion("us").withZones(List.of("us-a")));

    @TempDir
    private Path folder;

    private final AtomicLong time = new AtomicLong();

    private static TsigKey key(String name) {
        String algorithm = name.endsWith("384") ? "hmac-sha384" : name.endsWith("512") ? "hmac-sha512" : "hmac-sha256";
        return TsigKey.parse("key \"" + name + "\" {\n\talgorithm " + algorithm + ";\n\tsecret \""
                + RealNameServer.SECRET + "\";\n};\n");
    }

    private static Rfc2136Zone zone(RealNameServer server) throws Exception {
        return Rfc2136Zone.builder(server.address(), ZONE, key("k8sdns")).build();
    }

    private ExternalSync sync(Rfc2136Zone zone) {
        return ExternalSync.builder(zone, time::get, new SplittableRandom(1)).build();
    }

    private void pass(Duration duration) {
        time.addAndGet(duration.toNanos());
    }

    private static Shard shard(String... addresses) {
        return Shard.builder()
                .externalAddresses(
                        Arrays.stream(addresses).map(IpAddress::parse).toList())
                .build();
    }

    private static ExternalRecords.Builder records() {
        return ExternalRecords.builder(OWNER, ZONE);
    }

    private static WantedRecords wanted(FederatedService... services) {
        return records().build().of(List.of(services), CLUSTERS);
    }

    private static FederatedService cart(Map<String, Shard> shards) {
        return FederatedService.builder("shop", "cart").shards(shards).build();
    }

    private static void assertDone(ExternalSync.Report report) {
        assertThat(report.zoneFailure()).isEmpty();
        assertThat(report.failures()).isEmpty();
        assertThat(report.isDone()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void recordsAreCreatedChangedAndRemoved(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            ExternalSync sync = sync(zone);
            ExternalSync.Report first = sync.pass(wanted(cart(Map.of(
                    "foo", shard("192.0.2.1", "2001:db8::1"),
                    "bar", shard("192.0.2.2", "192.0.2.3")))));
            assertDone(first);
            assertThat(first.isComplete()).isTrue();
            assertThat(first.changed()).hasSize(5);
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.1 192.0.2.2 192.0.2.3");
            assertThat(server.dig(CART, "AAAA")).isEqualTo("2001:db8::1");
            assertThat(server.dig(CART_EU, "A")).isEqualTo("192.0.2.1");
            assertThat(server.dig(CART_EU_A, "A")).isEqualTo("192.0.2.1");
            assertThat(server.dig("_k8sdns-owner." + CART, "TXT")).isEqualTo(CART_OWNER);
            assertThat(server.ttl(CART, "A")).isEqualTo("180");

            // The shard of a region fails, so that addresses are replaced by a CNAME.
            assertDone(sync.pass(wanted(cart(Map.of("bar", shard("192.0.2.2"))))));
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.2");
            assertThat(server.dig(CART, "AAAA")).isEmpty();
            assertThat(server.dig(CART_EU, "CNAME")).isEqualTo(CART + ".");
            assertThat(server.dig(CART_EU_A, "CNAME")).isEqualTo(CART_EU + ".");

            // The shard recovers, with another TTL.
            assertDone(sync.pass(records()
                    .ttlSeconds(60)
                    .build()
                    .of(List.of(cart(Map.of("foo", shard("192.0.2.9"), "bar", shard("192.0.2.2")))), CLUSTERS)));
            assertThat(server.dig(CART_EU, "A")).isEqualTo("192.0.2.9");
            assertThat(server.ttl(CART_EU, "A")).isEqualTo("60");
            assertThat(server.ttl(CART, "A")).isEqualTo("60");
            assertThat(server.ttl("cart.shop.fed.svc.us.example.org", "A")).isEqualTo("60");

            assertDone(sync.pass(wanted()));
            assertThat(server.dig(CART, "ANY")).isEmpty();
            assertThat(server.dig("_k8sdns-owner." + CART, "TXT")).isEmpty();
            assertThat(server.dig(CART_EU, "CNAME")).isEmpty();
            assertThat(zone.list(Set.of()).owned()).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void nothingIsSentWithoutDifferences(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            WantedRecords wanted = wanted(cart(Map.of("foo", shard("192.0.2.1", "2001:db8::1"))));
            assertDone(sync(zone).pass(wanted));
            String serial = server.serial();
            ExternalSync restarted = sync(zone);
            assertThat(restarted.pass(wanted).changed()).isEmpty();
            pass(Duration.ofSeconds(61));
            assertThat(restarted.pass(wanted).changed()).isEmpty();
            assertThat(server.serial()).isEqualTo(serial);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void namesOfOtherOwnersAreNeverChanged(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            server.nsupdate(
                    "update add " + CART + " 300 A 192.0.2.200",
                    "update add " + CART_EU + " 300 A 192.0.2.201",
                    "update add _k8sdns-owner." + CART_EU + " 300 TXT " + CART_OWNER.replace("owner=one", "owner=two"));
            ExternalSync sync = sync(zone);
            WantedRecords wanted = wanted(cart(Map.of("foo", shard("192.0.2.1"))));
            ExternalSync.Report report = sync.pass(wanted);
            assertThat(report.failures().keySet().stream().map(DnsLabels::toString))
                    .containsExactlyInAnyOrder(CART, CART_EU);
            assertThat(report.failures().values())
                    .allSatisfy(result -> assertThat(result.kind()).isEqualTo(Kind.CONFLICT));
            assertThat(report.changed()).hasSize(3);
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.200");
            assertThat(server.dig(CART_EU, "A")).isEqualTo("192.0.2.201");
            assertThat(server.dig(CART_EU_A, "A")).isEqualTo("192.0.2.1");
            assertThat(server.dig("taken.example.org", "A")).isEqualTo("192.0.2.77");

            // The conflict is reported once, and the records are created once the other owner removes its own.
            pass(Duration.ofSeconds(1));
            assertThat(sync.pass(wanted).newFailures()).isEmpty();
            server.nsupdate("update delete " + CART + " A");
            pass(Duration.ofMinutes(6));
            ExternalSync.Report later = sync.pass(wanted);
            assertThat(later.failures()).hasSize(1);
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.1");

            // Unwanted records are removed, but not those of other owners.
            sync.pass(wanted());
            assertThat(server.dig(CART, "A")).isEmpty();
            assertThat(server.dig(CART_EU, "A")).isEqualTo("192.0.2.201");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void manualChangesAreReverted(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            ExternalSync sync = sync(zone);
            WantedRecords wanted = wanted(cart(Map.of("foo", shard("192.0.2.1"))));
            assertDone(sync.pass(wanted));
            server.nsupdate(
                    "update delete " + CART + " A",
                    "update add " + CART + " 5 A 198.51.100.1",
                    "update delete " + CART_EU + " A",
                    "update add " + CART_EU + " 5 CNAME elsewhere.example.org.",
                    "update delete " + CART_EU_A + " A");
            assertThat(server.dig(CART_EU, "CNAME")).isEqualTo("elsewhere.example.org.");
            assertThat(sync.pass(wanted).changed()).as("before the interval").isEmpty();
            pass(Duration.ofSeconds(61));
            ExternalSync.Report repaired = sync.pass(wanted);
            assertDone(repaired);
            assertThat(repaired.changed()).hasSize(3);
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.1");
            assertThat(server.ttl(CART, "A")).isEqualTo("180");
            assertThat(server.dig(CART_EU, "A")).isEqualTo("192.0.2.1");
            assertThat(server.dig(CART_EU_A, "A")).isEqualTo("192.0.2.1");
        }
    }

    /** Both servers answer NOERROR to a CNAME at a name with other records, and ignore it. */
    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void aChangeThatTheServerIgnoresIsReported(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            ExternalSync sync = sync(zone);
            assertDone(sync.pass(wanted(cart(Map.of("foo", shard("192.0.2.1"), "bar", shard("192.0.2.2"))))));
            server.nsupdate("update add " + CART_EU + " 300 TXT \"by hand\"");
            ExternalSync.Report report = sync.pass(wanted(cart(Map.of("bar", shard("192.0.2.2")))));
            assertThat(report.failures()).hasSize(1).containsKey(DnsLabels.parse(CART_EU));
            assertThat(report.failures().get(DnsLabels.parse(CART_EU)))
                    .extracting(ChangeResult::text)
                    .asString()
                    .contains("accepted the change");
            assertThat(server.dig(CART_EU_A, "CNAME")).isEqualTo(CART_EU + ".");
        }
    }

    @Test
    void aRefusedNameDoesNotPreventOthers() throws Exception {
        try (RealNameServer server = RealNameServer.start("named", folder);
                Rfc2136Zone zone = zone(server)) {
            WantedRecords wanted = wanted(
                    FederatedService.builder("shop", "cart")
                            .shard("foo", shard("192.0.2.1"))
                            .dnsPrefix("refused")
                            .build(),
                    FederatedService.builder("shop", "web")
                            .shard("foo", shard("192.0.2.2"))
                            .dnsPrefix("www")
                            .build());
            ExternalSync sync = sync(zone);
            ExternalSync.Report report = sync.pass(wanted);
            assertThat(report.failures()).hasSize(1);
            assertThat(report.failures().get(DnsLabels.parse("refused.example.org")))
                    .satisfies(result -> assertThat(result.kind()).isEqualTo(Kind.PERMANENT))
                    .satisfies(result -> assertThat(result.text()).contains("REFUSED", "example.org", "127.0.0.1"));
            assertThat(server.dig("www.example.org", "CNAME")).isEqualTo("web.shop.fed.svc.example.org.");
            assertThat(sync.status().changes(Kind.PERMANENT)).isEqualTo(1);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void wrongKeysAndClocksAreReported(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder)) {
            TsigKey other = TsigKey.of(DnsLabels.parse("k8sdns"), "hmac-sha256", new byte[32]);
            TsigKey unknown = TsigKey.of(DnsLabels.parse("unknown"), "hmac-sha256", new byte[32]);
            assertFails(Rfc2136Zone.builder(server.address(), ZONE, other), "BADSIG", false);
            assertFails(Rfc2136Zone.builder(server.address(), ZONE, unknown), "BADKEY", false);
            Clock late = Clock.offset(Clock.systemUTC(), Duration.ofHours(1));
            assertFails(
                    Rfc2136Zone.builder(server.address(), ZONE, key("k8sdns")).clock(late), "BADTIME", true);
            assertFails(
                    Rfc2136Zone.builder(server.address(), DnsLabels.parse("example.net"), key("k8sdns")), "", false);
            assertThat(server.dig(CART, "ANY")).isEmpty();
        }
    }

    private void assertFails(Rfc2136Zone.Builder builder, String text, boolean isTransient) throws Exception {
        try (Rfc2136Zone zone = builder.build()) {
            DnsLabels name = DnsLabels.parse(CART);
            assertThatThrownBy(() -> zone.list(Set.of(name)))
                    .isInstanceOf(ExternalZoneException.class)
                    .hasMessageContaining(text)
                    .satisfies(failed -> assertThat(((ExternalZoneException) failed).isTransient())
                            .as(failed.getMessage())
                            .isEqualTo(isTransient));
            WantedRecords wanted = wanted(cart(Map.of("foo", shard("192.0.2.1"))));
            assertThat(zone.apply(List.of(NameChange.create(
                                    Objects.requireNonNull(wanted.names().get(name)))))
                            .get(name))
                    .satisfies(result -> assertThat(result.text()).contains(text))
                    .satisfies(result -> assertThat(result.kind() == Kind.TRANSIENT)
                            .as(result.text())
                            .isEqualTo(isTransient && !text.isEmpty()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void withoutZoneTransfersTheNamesOfTheJournalAreQueried(String kind) throws Exception {
        Path journal = folder.resolve("journal");
        try (RealNameServer server = RealNameServer.start(kind, folder)) {
            WantedRecords both = wanted(
                    cart(Map.of("foo", shard("192.0.2.1"))),
                    FederatedService.builder("shop", "web")
                            .shard("bar", shard("192.0.2.2"))
                            .build());
            WantedRecords one = wanted(cart(Map.of("foo", shard("192.0.2.1"))));
            try (Rfc2136Zone zone = Rfc2136Zone.builder(server.address(), ZONE, key("update-only"))
                    .journal(journal)
                    .build()) {
                ExternalSync.Report report = sync(zone).pass(both);
                assertDone(report);
                assertThat(report.isComplete()).isFalse();
                assertThat(sync(zone).pass(both).changed()).isEmpty();
            }
            assertThat(Files.readAllLines(journal)).hasSize(10);
            try (Rfc2136Zone without = Rfc2136Zone.builder(server.address(), ZONE, key("update-only"))
                    .build()) {
                ExternalSync.Report report = sync(without).pass(one);
                assertThat(report.changed()).isEmpty();
                assertThat(report.isComplete()).isFalse();
                assertThat(server.dig("web.shop.fed.svc.example.org", "A")).isEqualTo("192.0.2.2");
            }
            try (Rfc2136Zone zone = Rfc2136Zone.builder(server.address(), ZONE, key("update-only"))
                    .journal(journal)
                    .build()) {
                assertDone(sync(zone).pass(one));
                assertThat(server.dig("web.shop.fed.svc.example.org", "ANY")).isEmpty();
                assertThat(Files.readAllLines(journal)).hasSize(5);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void everyAlgorithmWorks(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder)) {
            int number = 0;
            for (String name : List.of("k8sdns", "k8sdns-384", "k8sdns-512")) {
                number++;
                try (Rfc2136Zone zone =
                        Rfc2136Zone.builder(server.address(), ZONE, key(name)).build()) {
                    assertDone(sync(zone).pass(wanted(cart(Map.of("foo", shard("192.0.2." + number))))));
                    assertThat(server.dig(CART, "A")).isEqualTo("192.0.2." + number);
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void aRestartedServerIsUsedAgain(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            ExternalSync sync = sync(zone);
            assertDone(sync.pass(wanted(cart(Map.of("foo", shard("192.0.2.1"))))));
            server.kill();
            WantedRecords next = wanted(cart(Map.of("foo", shard("192.0.2.2"))));
            ExternalSync.Report silent = sync.pass(next);
            assertThat(silent.failures().values())
                    .isNotEmpty()
                    .allSatisfy(result -> assertThat(result.kind()).isEqualTo(Kind.TRANSIENT));
            pass(silent.untilNext());
            ExternalSync.Report still = sync.pass(next);
            assertThat(still.zoneFailure()).isPresent();
            assertThat(still.isNewZoneFailure()).isTrue();
            server.restart();
            pass(still.untilNext());
            assertDone(sync.pass(next));
            assertThat(server.dig(CART, "A")).isEqualTo("192.0.2.2");
        }
    }

    /** Prints the duration. */
    @ParameterizedTest
    @ValueSource(strings = {"named", "knotd"})
    void aThousandServicesAreWrittenInBatches(String kind) throws Exception {
        try (RealNameServer server = RealNameServer.start(kind, folder);
                Rfc2136Zone zone = zone(server)) {
            List<FederatedService> services = new ArrayList<>();
            for (int i = 0; i < 1_000; i++) {
                services.add(FederatedService.builder("shop", "s" + i)
                        .shard("foo", shard("192.0.2.1"))
                        .shard("bar", shard("198.51.100.1"))
                        .build());
            }
            WantedRecords wanted = wanted(services.toArray(FederatedService[]::new));
            ExternalSync sync = sync(zone);
            assertDone(timed(kind + ": create " + wanted.names().size() + " names", sync, wanted));
            pass(Duration.ofSeconds(61));
            assertThat(timed(kind + ": read them", sync, wanted).changed()).isEmpty();
            services.set(
                    7,
                    FederatedService.builder("shop", "s7")
                            .shard("foo", shard("192.0.2.7"))
                            .build());
            assertDone(timed(kind + ": change one Service", sync, wanted(services.toArray(FederatedService[]::new))));
            assertThat(server.dig("s7.shop.fed.svc.example.org", "A")).isEqualTo("192.0.2.7");
            assertDone(timed(kind + ": delete all", sync, wanted()));
        }
    }

    private static ExternalSync.Report timed(String what, ExternalSync sync, WantedRecords wanted) {
        long begun = System.nanoTime();
        ExternalSync.Report report = sync.pass(wanted);
        System.out.println(what + ": " + (System.nanoTime() - begun) / 1_000_000 + " ms");
        return report;
    }
}
