package io.k8sdns;

import static io.k8sdns.records.RecordType.A;
import static io.k8sdns.records.RecordType.AAAA;
import static io.k8sdns.records.RecordType.PTR;
import static io.k8sdns.records.RecordType.SRV;
import static io.k8sdns.resolver.AnswerStatus.NODATA;
import static io.k8sdns.resolver.AnswerStatus.NOERROR;
import static io.k8sdns.resolver.AnswerStatus.NXDOMAIN;
import static io.k8sdns.resolver.AnswerStatus.REFUSED;
import static io.k8sdns.resolver.AnswerStatus.SERVFAIL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Name;

class ClusterDnsTest {
    private static final ClusterSnapshot SHOP = ClusterSnapshot.of(List.of(
            Namespace.of("shop"),
            ClusterIpService.of("shop", "cart", "10.96.0.20"),
            HeadlessService.of("shop", "db", ServicePort.of("postgres", Protocol.TCP, 5432)),
            ExternalNameService.of("shop", "store", "cart.shop.svc.cluster.local"),
            ExternalNameService.of("shop", "pay", "pay.example.com"),
            EndpointSlice.builder("shop", "db-1")
                    .service("db")
                    .endpoints(Endpoint.of("10.244.30.31").withHostname("db-0"))
                    .ports(EndpointPort.of("postgres", Protocol.TCP, 5432))
                    .build()));

    private final ClusterDns dns = ClusterDns.of(SHOP);

    @Test
    void aSnapshotExplainsItsNames() {
        assertThat(dns.explain("db.shop", A).sources()).singleElement().satisfies(source -> {
            assertThat(source.object()).hasToString("Optional[EndpointSlice shop/db-1]");
            assertThat(source.field()).isEqualTo("endpoints[0].addresses[0]");
        });
        assertThat(dns.explain("no.shop", A).causes()).hasToString("[Service shop/no: no such Service]");
        assertThat(dns.explain(Name.fromConstantString("no.shop.svc.cluster.local."), A))
                .isEqualTo(dns.explain("no.shop", A));
        assertThat(dns.explain("10.96.0.20", PTR).sources())
                .extracting(source -> source.object().orElseThrow().toString())
                .containsExactly("Service shop/cart");
        assertThatThrownBy(() -> dns.explain("a..b", A)).isInstanceOf(InvalidNameException.class);
    }

    @Test
    void explanationsFollowTheSettings() {
        ZoneSettings settings = ZoneSettings.builder().zones("k8s.example").build();
        assertThat(ClusterDns.of(SHOP, settings).explain("cart.shop", A).name())
                .hasToString("cart.shop.svc.k8s.example.");
    }

    @Test
    void aZoneHasNoExplanations() {
        ClusterDns zone = ClusterDns.of(ClusterZone.of(SHOP, ZoneSettings.DEFAULTS));
        assertThatThrownBy(() -> zone.explain("cart.shop", A))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("Explainer.of(snapshot)");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "db-0.db.shop",
                "DB-0.db.shop",
                "db-0.db.shop.svc.cluster.local",
                "db-0.db.shop.svc.cluster.local.",
                "db-0.db.shop.svc.Cluster.Local"
            })
    void aNameIsReadBelowTheServicesUnlessItIsAbsolute(String name) {
        assertThat(dns.lookup(name, A).addresses()).containsExactly("10.244.30.31");
    }

    @ParameterizedTest
    @ValueSource(strings = {"db-0.db.shop.", "www.example.com.", "."})
    void aNameWithADotAtItsEndIsAbsolute(String name) {
        assertThat(dns.lookup(name, A).status()).isEqualTo(REFUSED);
    }

    @Test
    void aBackslashBeforeTheLastDotMakesItPartOfALabel() {
        assertThat(dns.lookup("cart.shop\\.", A).status()).isEqualTo(NXDOMAIN);
        assertThat(dns.lookup("cart.shop.svc.cluster.local\\\\.", A).status()).isEqualTo(REFUSED);
    }

    @Test
    void theStatusDistinguishesNodataFromNoSuchName() {
        assertThat(dns.lookup("cart.shop", A).status()).isEqualTo(NOERROR);
        assertThat(dns.lookup("cart.shop", AAAA).status()).isEqualTo(NODATA);
        assertThat(dns.lookup("shop", A).status()).isEqualTo(NODATA);
        assertThat(dns.lookup("no.shop", A).status()).isEqualTo(NXDOMAIN);
    }

    @Test
    void anAliasIsFollowed() {
        assertThat(dns.lookup("store.shop", A).addresses()).containsExactly("10.96.0.20");
        assertThat(dns.lookup("store.shop", A).cnames()).containsExactly(name("cart.shop.svc.cluster.local."));
        assertThat(dns.lookup("store.shop", AAAA).status()).isEqualTo(NODATA);
        assertThat(dns.lookup("pay.shop", A).status()).isEqualTo(NOERROR);
        assertThat(dns.lookup("pay.shop", A).cnames()).containsExactly(name("pay.example.com."));
    }

    @Test
    void srvTargetsHaveTheirAddresses() {
        assertThat(dns.lookup("_postgres._tcp.db.shop", SRV).srvTargets())
                .singleElement()
                .hasToString("db-0.db.shop.svc.cluster.local.:5432 [10.244.30.31]");
    }

    @Test
    void anAddressIsConvertedToItsReverseName() {
        assertThat(dns.lookup("10.96.0.20", PTR))
                .hasToString("NOERROR 20.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.");
        assertThat(dns.lookup("fd00::1", PTR).status()).isEqualTo(NXDOMAIN);
        assertThatThrownBy(() -> dns.lookup("10.96.0.20", A))
                .isInstanceOf(InvalidNameException.class)
                .hasMessage("an IP address instead of a name: 10.96.0.20");
    }

    @Test
    void anAnswerPrintsItsStatusAndRecords() {
        assertThat(dns.lookup("no.shop", A)).hasToString("NXDOMAIN");
        assertThat(dns.lookup("cart.shop", A)).hasToString("NOERROR cart.shop.svc.cluster.local. 5 IN A 10.96.0.20");
        assertThat(dns.lookup("store.shop", A)).hasToString("""
                NOERROR
                  store.shop.svc.cluster.local. 5 IN CNAME cart.shop.svc.cluster.local.
                  cart.shop.svc.cluster.local. 5 IN A 10.96.0.20""");
        assertThat(dns.lookup("www.example.com.", A))
                .hasToString("REFUSED (www.example.com. is not served by this server)");
    }

    @Test
    void theNamesOfOtherZonesAreReadBelowTheFirst() {
        ClusterDns prod =
                ClusterDns.of(SHOP, ZoneSettings.builder().zone("prod.example").build());
        assertThat(prod.lookup("cart.shop", A).addresses()).containsExactly("10.96.0.20");
        assertThat(prod.lookup("cart.shop.svc.prod.example", A).addresses()).containsExactly("10.96.0.20");
        assertThat(prod.lookup("cart.shop.svc.cluster.local.", A).status()).isEqualTo(REFUSED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "cart.shop.svc.cluster.lcoal",
                "cart.shop.svc.local",
                "_http._tcp.cart.shop.svc.cluster",
                "10-96-0-20.shop.pod.local",
                "a.b.c.d.e"
            })
    void aNameOfAZoneThatIsNotServedIsRefused(String name) {
        assertThatThrownBy(() -> dns.lookup(name, A))
                .isInstanceOf(InvalidNameException.class)
                .hasMessageStartingWith(name + " is not served by this server (zones: cluster.local); ");
        assertThat(dns.lookup(name + ".", A).status()).isEqualTo(REFUSED);
    }

    @Test
    void namesBelowServicesMayHaveFourLabels() {
        assertThat(dns.lookup("_postgres._tcp.db.shop", SRV).status()).isEqualTo(NOERROR);
        assertThat(dns.lookup("_postgres._tcp.svc.shop", SRV).status()).isEqualTo(NXDOMAIN);
        assertThat(dns.lookup("no.db-0.db.shop", A).status()).isEqualTo(NXDOMAIN);
        assertThatThrownBy(() -> dns.lookup("", A))
                .isInstanceOf(InvalidNameException.class)
                .hasMessage("an empty name");
    }

    @Test
    void aViewHasOnlyItsNamespaces() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"), ClusterIpService.of("bank", "cash", "10.96.0.30"));
        ClusterDns shop = ClusterDns.of(zone.view(Visibility.ofNamespaces(Set.of("shop"))));
        assertThat(shop.lookup("cash.bank", A).status()).isEqualTo(NXDOMAIN);
        assertThat(shop.lookup("10.96.0.20", PTR).ptrTargets()).containsExactly(name("cart.shop.svc.cluster.local."));
        assertThat(shop.names())
                .contains(name("cart.shop.svc.cluster.local."), name("20.0.96.10.in-addr.arpa."))
                .doesNotContain(name("cash.bank.svc.cluster.local."), name("30.0.96.10.in-addr.arpa."));
        assertThat(shop.await("cart.shop", A, Duration.ofMinutes(1)).addresses())
                .containsExactly("10.96.0.20");
        assertThatThrownBy(() -> shop.await("cash.bank", A, Duration.ZERO)).isInstanceOf(TimeoutException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"cart.shop.svc", "CART.shop.SVC", "shop.svc", "svc", "10-96-0-20.shop.pod"})
    void aNameWithoutItsZoneIsRefused(String name) {
        assertThatThrownBy(() -> dns.lookup(name, A))
                .isInstanceOf(InvalidNameException.class)
                .hasMessage(
                        "ambiguous without the zone: %1$s; write %1$s.cluster.local (or %1$s.svc.cluster.local)", name);
    }

    @Test
    void aNameOfDnsjavaHasToBeAbsolute() {
        assertThat(dns.lookup(name("cart.shop.svc.cluster.local."), A).addresses())
                .containsExactly("10.96.0.20");
        assertThatThrownBy(() -> dns.lookup(name("cart.shop"), A))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("not absolute: cart.shop");
    }

    @Test
    void namesAreListed() {
        assertThat(dns.names())
                .extracting(Name::toString)
                .containsSequence("cart.shop.svc.cluster.local.", "db.shop.svc.cluster.local.")
                .contains("31.30.244.10.in-addr.arpa.")
                .doesNotHaveDuplicates();
    }

    @Test
    void aZoneWhoseFeedIsNotSyncedReturnsServfail() {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ClusterDns live = ClusterDns.of(zone);
        assertThat(live.lookup("cart.shop", A).status()).isEqualTo(NOERROR);

        assertThat(ZoneFeed.builder(zone, () -> Instant.EPOCH).build().staleSince())
                .isEmpty();

        assertThat(live.lookup("cart.shop", A)).hasToString("SERVFAIL (zone cluster.local is not synced)");
        assertThat(live.lookup("no.shop", A).status()).isEqualTo(SERVFAIL);
    }

    @Test
    void awaitReturnsTheFirstAnswerWithARecord() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ClusterDns live = ClusterDns.of(zone);
        Thread writer = new Thread(() -> {
            zone.put(ClusterIpService.of("shop", "db", "10.96.0.21"));
            zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        });
        writer.start();

        assertThat(live.await("cart.shop", A, Duration.ofMinutes(1)).addresses())
                .containsExactly("10.96.0.20");
        writer.join();
        assertThatThrownBy(() -> live.await("cart.shop", AAAA, Duration.ZERO))
                .isInstanceOf(TimeoutException.class)
                .hasMessage("no AAAA record of cart.shop.svc.cluster.local. within PT0S");
    }

    @Test
    void awaitReturnsARecordThatIsRemovedImmediately() throws Exception {
        ClusterZone zone = ClusterZone.create();
        ClusterDns live = ClusterDns.of(zone);
        ClusterIpService cart = ClusterIpService.of("shop", "cart", "10.96.0.20");
        CountDownLatch isWaiting = new CountDownLatch(1);
        AtomicBoolean isOver = new AtomicBoolean();
        Thread writer = new Thread(() -> {
            while (!isOver.get()) {
                zone.put(cart);
                zone.remove(cart);
                isWaiting.countDown();
            }
        });
        writer.start();
        isWaiting.await();
        for (int i = 0; i < 100; i++) {
            assertThat(live.await("cart.shop", A, Duration.ofMinutes(1)).addresses())
                    .containsExactly("10.96.0.20");
        }
        isOver.set(true);
        writer.join();
    }

    @Test
    void awaitWaitsUntilTheZoneIsSynced() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        ZoneFeed feed = ZoneFeed.builder(zone, () -> Instant.EPOCH).build();
        ClusterDns live = ClusterDns.of(zone);
        assertThatThrownBy(() -> live.await("cart.shop", A, Duration.ZERO)).isInstanceOf(TimeoutException.class);
        assertThatThrownBy(() -> zone.await("cart.shop", A, Duration.ZERO)).isInstanceOf(TimeoutException.class);

        CompletableFuture<Answer> answer = new CompletableFuture<>();
        Thread waiting = new Thread(() -> {
            try {
                answer.complete(live.await("cart.shop", A, ChronoUnit.FOREVER.getDuration()));
            } catch (Exception failed) {
                answer.completeExceptionally(failed);
            }
        });
        waiting.start();
        feed.stateChanged(SyncState.SYNCED);

        assertThat(answer.get(1, TimeUnit.MINUTES).addresses()).containsExactly("10.96.0.20");
        waiting.join();
    }

    @Test
    void awaitFindsTheRecordsOfTheApex() throws Exception {
        ClusterZone zone = ClusterZone.create();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        for (RecordType type : List.of(RecordType.SOA, RecordType.NS)) {
            assertThat(zone.await("cluster.local.", type, Duration.ZERO)).isSameAs(zone.current());
            assertThat(ClusterDns.of(zone)
                            .await("cluster.local.", type, Duration.ZERO)
                            .status())
                    .isEqualTo(NOERROR);
        }
        assertThat(zone.await("cart.shop", RecordType.ANY, Duration.ZERO)).isSameAs(zone.current());
    }

    private static Name name(String text) {
        return Name.fromConstantString(text);
    }
}
