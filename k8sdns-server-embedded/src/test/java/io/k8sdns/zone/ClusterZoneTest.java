package io.k8sdns.zone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointPort;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.HeadlessService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpFamily;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodPhase;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.ReverseZone;
import io.k8sdns.records.SrvPort;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.rules.OwnerName;
import io.k8sdns.rules.RecordRules;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.xbill.DNS.Name;
import org.xbill.DNS.Type;

class ClusterZoneTest {
    private static final Namespace SHOP = Namespace.of("shop");
    private static final HeadlessService WEB =
            HeadlessService.of("shop", "web", ServicePort.of("http", Protocol.TCP, 80));

    private static final Name CART = Name.fromConstantString("cart.shop.svc.cluster.local.");

    private static final Labels UNDECIDABLE = new Labels(Map.of("decide", "never"));

    @Test
    void aChangeOfOnlyAWeightIsAChange() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        ServicePort tcp = ServicePort.unnamed(Protocol.TCP, 80);
        ServicePort udp = ServicePort.unnamed(Protocol.UDP, 80);
        put(zone, SHOP, ClusterIpService.of("shop", "web", List.of(IpAddress.parse("192.0.2.1")), List.of(tcp)));
        long serial = zone.current().serial();
        ZoneChange change = zone.apply(List.of(new ClusterChange.Put(
                ClusterIpService.of("shop", "web", List.of(IpAddress.parse("192.0.2.1")), List.of(tcp, udp)))));
        assertThat(change.stored()).containsExactly(new OwnerName.Forward(DnsLabels.parse("web.shop.svc")));
        assertThat(change.revision().serial()).isEqualTo(serial + 1);
    }

    /**
     * A dual-stack StatefulSet: the second slice adds addresses of the same targets, so that no record changes, but the number of
     * pairs of address and port, from which later edits compute the weight.
     */
    @Test
    void weightCountsPairsThatAddNoRecord() {
        for (boolean inOneBatch : new boolean[] {false, true}) {
            ClusterZone zone = zone(ZoneSettings.DEFAULTS);
            put(zone, SHOP, WEB, statefulSet(IpFamily.IPV4, 60));
            put(zone, statefulSet(IpFamily.IPV6, 60));
            for (int pods = 59; pods >= 0; pods--) {
                EndpointSlice ipv4 = statefulSet(IpFamily.IPV4, pods);
                EndpointSlice ipv6 = statefulSet(IpFamily.IPV6, pods);
                if (inOneBatch) {
                    zone.apply(List.of(new ClusterChange.Put(ipv4), new ClusterChange.Put(ipv6)));
                } else {
                    put(zone, ipv4, ipv6);
                }
                ClusterZone rebuilt = zone(ZoneSettings.DEFAULTS);
                put(rebuilt, SHOP, WEB, ipv4, ipv6);
                DnsLabels zoneName = ZoneSettings.DEFAULTS.zones().get(0);
                List<RecordSet> expected = exceptSerial(rebuilt.current().recordSets(zoneName));
                assertThat(exceptSerial(zone.current().recordSets(zoneName)))
                        .as("%d Pods, in one batch: %s", pods, inOneBatch)
                        .isEqualTo(expected);
            }
        }
    }

    private static EndpointSlice statefulSet(IpFamily family, int pods) {
        List<Endpoint> endpoints = new ArrayList<>();
        for (int i = 0; i < pods; i++) {
            IpAddress address = family == IpFamily.IPV4 ? IpAddress.ofIpv4(0xC000_0200L + i) : IpAddress.ofIpv6(1, i);
            endpoints.add(
                    Endpoint.builder(List.of(address)).hostname("web-" + i).build());
        }
        return EndpointSlice.builder("shop", family == IpFamily.IPV4 ? "web-ipv4" : "web-ipv6")
                .service("web")
                .endpoints(endpoints)
                .ports(EndpointPort.of("http", Protocol.TCP, 80))
                .build();
    }

    private static List<RecordSet> exceptSerial(List<RecordSet> sets) {
        return sets.stream().filter(set -> set.typeNumber() != Type.SOA).toList();
    }

    // ---- put and remove ----

    @Test
    void putCreatesTheNamespaceOnceAndApplyDoesNot() {
        ClusterZone zone = ClusterZone.create();
        zone.apply(List.of(new ClusterChange.Put(ClusterIpService.of("shop", "cart", "10.96.0.20"))));
        assertThat(zone.current().has(CART, RecordType.A)).isFalse();

        zone.put(ClusterIpService.of("shop", "db", "10.96.0.21"), ClusterIpService.of("pay", "bank", "10.96.0.22"));
        assertThat(zone.current().has(CART, RecordType.A)).isTrue();
        assertThat(addresses(zone, "db.shop.svc")).containsExactly("10.96.0.21");
        assertThat(addresses(zone, "bank.pay.svc")).containsExactly("10.96.0.22");
    }

    @Test
    void putKeepsTheLabelsOfAnExistingNamespace() {
        Namespace hidden = Namespace.of("shop").withLabels(new Labels(Map.of("hidden", "yes")));
        ClusterZone zone = ClusterZone.empty(
                new RecordRules(ZoneSettings.DEFAULTS), Visibility.ofNamespacesWith(Selector.parse("!hidden")));
        zone.put(hidden);
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        assertThat(zone.current().has(CART, RecordType.A)).isFalse();
    }

    @Test
    void removeKeepsTheNamespaceOfTheObject() {
        ClusterZone zone = ClusterZone.create();
        ClusterIpService cart = ClusterIpService.of("shop", "cart", "10.96.0.20");
        zone.put(cart);
        assertThat(zone.remove(cart.ref()).names()).contains(CART);
        assertThat(zone.current().has(CART, RecordType.A)).isFalse();
        assertThat(lookup(zone, "shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoData.class);
        assertThat(zone.remove(cart.ref()).isEmpty()).isTrue();
    }

    @Test
    void removeRefusesKindsThatNoZoneHolds() {
        ClusterZone zone = ClusterZone.create();
        assertThatThrownBy(() -> zone.remove(ObjectRef.of("service", "shop", "cart")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(
                        "a zone cannot hold service shop/cart; kinds with a namespace: Service, EndpointSlice, Pod, ServiceExport");
        assertThatThrownBy(() -> zone.remove(ObjectRef.of("Service", "cart")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("a zone cannot hold Service cart; kinds without a namespace: Namespace, Node");
        assertThat(zone.remove(ObjectRef.of("Namespace", "shop")).isEmpty()).isTrue();
    }

    @Test
    void aListenerReceivesEveryPublishedChangeOnceUntilItIsClosed() {
        ClusterZone zone = ClusterZone.create();
        List<ZoneRevision> seen = new ArrayList<>();
        Consumer<ZoneChange> listener = change -> {
            assertThat(change.revision()).isSameAs(zone.current());
            seen.add(change.revision());
        };
        ClusterZone.Subscription first = zone.onChange(listener);
        ClusterZone.Subscription second = zone.onChange(listener);
        ZoneRevision cart =
                zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20")).revision();
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        assertThat(seen).containsExactly(cart, cart);

        first.close();
        first.close();
        ZoneRevision db =
                zone.put(ClusterIpService.of("shop", "db", "10.96.0.21")).revision();
        assertThat(seen).containsExactly(cart, cart, db);
        second.close();
        zone.put(ClusterIpService.of("shop", "web", "10.96.0.22"));
        assertThat(seen).hasSize(3);
    }

    @Test
    void exceptionsOfListenersAreThrownAfterAllWereCalledAndTheChangeIsKept() {
        ClusterZone zone = ClusterZone.create();
        List<String> called = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            zone.onChange(change -> {
                called.add(name);
                throw new IllegalStateException(name);
            });
        }
        assertThatThrownBy(() -> zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20")))
                .hasMessage("first")
                .satisfies(thrown -> assertThat(thrown.getSuppressed())
                        .singleElement()
                        .extracting(Throwable::getMessage)
                        .isEqualTo("second"));
        assertThat(called).containsExactly("first", "second");
        assertThat(zone.current().has(CART, RecordType.A)).isTrue();
    }

    @Test
    void errorsOfListenersAreThrownAfterAllWereCalled() {
        ClusterZone zone = ClusterZone.create();
        AssertionError failure = new AssertionError("on purpose");
        List<String> called = new ArrayList<>();
        for (String name : List.of("first", "second")) {
            zone.onChange(change -> {
                called.add(name);
                throw failure;
            });
        }
        assertThatThrownBy(() -> zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20")))
                .isSameAs(failure);
        assertThat(called).containsExactly("first", "second");
    }

    @Test
    void changesOfAListenerFollowTheChangeThatItReceived() {
        ClusterZone zone = ClusterZone.create();
        List<Long> serials = new ArrayList<>();
        zone.onChange(change -> {
            if (change.revision().serial() == 1) {
                zone.put(ClusterIpService.of("shop", "second", "10.96.0.21"));
            }
        });
        zone.onChange(change -> serials.add(change.revision().serial()));
        zone.put(ClusterIpService.of("shop", "first", "10.96.0.20"));
        assertThat(serials).containsExactly(1L, 2L);
    }

    @Test
    void theSerialOfAViewByLabelsCountsItsOwnChanges() {
        ClusterZone zone = ClusterZone.create();
        ZoneView view = zone.view(Visibility.ALL.onlyWith(Selector.parse("public")));
        for (int i = 1; i <= 3; i++) {
            zone.put(ClusterIpService.of("shop", "hidden-" + i, "10.96.0." + i));
        }
        zone.put(ClusterIpService.builder("shop", "shown")
                .clusterIp("10.96.0.20")
                .labels("public=yes")
                .build());
        assertThat(zone.current().serial()).isEqualTo(4);
        assertThat(view.zone().current().serial()).isEqualTo(1);
    }

    @Test
    void awaitFindsReverseNamesAndNamesOfEveryZone() throws Exception {
        ClusterZone zone = ClusterZone.create(ZoneSettings.builder()
                .zones(List.of(DnsLabels.parse("cluster.local"), DnsLabels.parse("prod.example")))
                .build());
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        for (String name : List.of("cart.shop", "cart.shop.svc.prod.example", "CART.shop.svc.cluster.local.")) {
            assertThat(zone.await(name, RecordType.A, Duration.ZERO)).isSameAs(zone.current());
        }
        assertThat(zone.await("20.0.96.10.in-addr.arpa", RecordType.PTR, Duration.ZERO))
                .isSameAs(zone.current());
        for (String name : List.of("0.96.10.in-addr.arpa", "x.in-addr.arpa", "no.shop", "www.example.com.")) {
            assertThatThrownBy(() -> zone.await(name, RecordType.PTR, Duration.ZERO))
                    .isInstanceOf(TimeoutException.class);
        }
    }

    @Test
    void awaitFindsWhatAResolverAnswersWithRecords() throws Exception {
        ClusterZone zone = ClusterZone.create(ZoneSettings.builder()
                .zones(List.of(DnsLabels.parse("k8s"), DnsLabels.parse("a.b.k8s")))
                .reverseZones(Stream.of("10.0.0.0/8", "10.96.0.0/24", "10.97.7.64/26")
                        .flatMap(network -> ReverseZone.parse(network).stream())
                        .toList())
                .build());
        zone.put(ClusterIpService.of("shop", "cart", "10.96.0.20"));
        zone.put(ClusterIpService.of("shop", "beside", "10.97.7.1"));
        zone.put(ClusterIpService.of("shop", "within", "10.97.7.66"));
        zone.put(ExternalNameService.of("shop", "mail", "mail.example.com"));
        ResolverChain resolver = ResolverChain.of(zone);
        Set<Boolean> found = new HashSet<>();
        for (String name : List.of(
                "k8s.",
                "a.b.k8s.",
                "b.k8s.",
                "example.",
                ".",
                "svc.k8s.",
                "cart.shop.svc.k8s.",
                "cart.shop.svc.a.b.k8s.",
                "mail.shop.svc.k8s.",
                "no.shop.svc.k8s.",
                "arpa.",
                "10.in-addr.arpa.",
                "96.10.in-addr.arpa.",
                "0.96.10.in-addr.arpa.",
                "20.0.96.10.in-addr.arpa.",
                "21.0.96.10.in-addr.arpa.",
                "7.97.10.in-addr.arpa.",
                "1.7.97.10.in-addr.arpa.",
                "65.7.97.10.in-addr.arpa.",
                "66.7.97.10.in-addr.arpa.",
                "11.in-addr.arpa.")) {
            for (String type : List.of("A", "CNAME", "SRV", "PTR", "TXT", "SOA", "NS", "ANY")) {
                Answer answer = resolver.resolve(Question.of(name, RecordType.parse(type)), Client.IN_PROCESS)
                        .toStage()
                        .toCompletableFuture()
                        .join();
                boolean isAnswered = !answer.answer().isEmpty();
                found.add(isAnswered);
                assertThat(zone.current().has(Name.fromString(name), RecordType.parse(type)))
                        .as(name + " " + type)
                        .isEqualTo(isAnswered);
            }
        }
        assertThat(found).hasSize(2);
    }

    /** The longest zone ends with the name of an address that it does not serve. */
    @Test
    void anAddressBesideAPartialZoneBelongsToTheZoneAroundIt() {
        ClusterZone zone = ClusterZone.create(ZoneSettings.builder()
                .reverseZones(Stream.of("10.0.0.0/8", "10.97.7.64/26")
                        .flatMap(network -> ReverseZone.parse(network).stream())
                        .toList())
                .build());
        List<Name> changed = new ArrayList<>();
        zone.onChange(change -> changed.addAll(change.names()));
        zone.put(ClusterIpService.of("shop", "beside", "10.97.7.1"));
        zone.put(ClusterIpService.of("shop", "within", "10.97.7.66"));
        assertThat(changed)
                .contains(Name.fromConstantString("1.7.97.10.in-addr.arpa."))
                .contains(Name.fromConstantString("66.7.97.10.in-addr.arpa."));
        assertThat(ptrOwners(zone, "10.in-addr.arpa")).containsExactly("1.7.97.10.in-addr.arpa.");
        assertThat(ptrOwners(zone, "7.97.10.in-addr.arpa")).containsExactly("66.7.97.10.in-addr.arpa.");
    }

    private static List<String> ptrOwners(ClusterZone zone, String name) {
        return zone.current().recordSets(DnsLabels.parse(name)).stream()
                .filter(set -> set.type().equals(RecordType.PTR))
                .map(set -> set.owner().toString())
                .toList();
    }

    @Test
    void aBatchWithANullElementIsRefusedAndChangesNothing() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP);
        ZoneRevision before = zone.current();
        List<ClusterChange> batch = Arrays.asList(new ClusterChange.Put(WEB), null);
        assertThatThrownBy(() -> zone.apply(batch))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("batch[1]");
        ZoneFeed feed = ZoneFeed.builder(zone, InstantSource.system()).build();
        assertThatThrownBy(() -> feed.changed(batch))
                .isInstanceOf(NullPointerException.class)
                .hasMessage("batch[1]");
        assertThat(zone.current()).isSameAs(before);
    }

    // ---- objects in any order ----

    @Test
    void aSliceAddedBeforeItsServiceIsPublishedWithIt() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, slice("web-a", "web", "192.0.2.1"));
        assertThat(addresses(zone, "web.shop.svc")).isEmpty();
        assertThat(ptrTargets(zone, "192.0.2.1")).isEmpty();
        put(zone, WEB);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        assertThat(ptrTargets(zone, "192.0.2.1")).containsExactly("192-0-2-1.web.shop.svc");
    }

    @Test
    void slicesOfARemovedServiceHaveNoRecords() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, WEB, slice("web-a", "web", "192.0.2.1"));
        remove(zone, WEB);
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(ptrTargets(zone, "192.0.2.1")).isEmpty();
        put(zone, ExternalNameService.of("shop", "web", "www.example.com"));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.Alias.class);
        assertThat(lookup(zone, "192-0-2-1.web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(ptrTargets(zone, "192.0.2.1")).isEmpty();
    }

    @Test
    void namesAreRemovedWithTheirNamespaceAndAddedWithIt() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, WEB, slice("web-a", "web", "192.0.2.1"), pod("web-0", "192.0.2.1"));
        assertThat(lookup(zone, "shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        put(zone, SHOP);
        List<RecordSet> records = zone.current().recordSets(DnsLabels.parse("cluster.local"));
        assertThat(lookup(zone, "shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoData.class);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        assertThat(addresses(zone, "192-0-2-1.shop.pod")).containsExactly("192.0.2.1");
        remove(zone, SHOP);
        assertThat(lookup(zone, "shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(lookup(zone, "192-0-2-1.shop.pod", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        put(zone, SHOP);
        assertThat(zone.current().recordSets(DnsLabels.parse("cluster.local")).subList(1, records.size()))
                .isEqualTo(records.subList(1, records.size()));
    }

    @Test
    void aLateRemovalKeepsTheSuccessor() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, clusterIp("1", "192.0.2.1"));
        put(zone, clusterIp("2", "192.0.2.2"));
        ZoneChange late = zone.apply(List.of(new ClusterChange.Remove(WEB.ref(), Optional.of("1"))));
        assertThat(late.names()).isEmpty();
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.2");
        zone.apply(List.of(new ClusterChange.Remove(WEB.ref(), Optional.of("2"))));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
    }

    @Test
    void aSliceMayMoveToAnotherService() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, WEB, HeadlessService.of("shop", "db"), slice("web-a", "web", "192.0.2.1"));
        put(zone, slice("web-a", "db", "192.0.2.1"));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(addresses(zone, "db.shop.svc")).containsExactly("192.0.2.1");
    }

    // ---- data shared by slices ----

    @Test
    void anAddressInTwoSlicesIsRemovedWithTheSecondSlice() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        EndpointSlice first = slice("web-a", "web", "192.0.2.1");
        EndpointSlice second = slice("web-b", "web", "192.0.2.1");
        put(zone, SHOP, WEB, first, second);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        remove(zone, first);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        assertThat(ptrTargets(zone, "192.0.2.1")).containsExactly("192-0-2-1.web.shop.svc");
        remove(zone, second);
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
    }

    @Test
    void anAddressIsPublishedIfItIsReadyInOneSlice() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        EndpointSlice ready = slice("web-a", "web", "192.0.2.1");
        EndpointSlice notReady = slice("web-b", "web", Endpoint.of("192.0.2.1").withReady(false));
        put(zone, SHOP, WEB, ready, notReady);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        remove(zone, ready);
        assertThat(addresses(zone, "web.shop.svc")).isEmpty();
    }

    // ---- changes of a Service that affect its slices ----

    @Test
    void slicesAreDerivedAgainWhenTheServicePublishesNotReadyAddresses() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, WEB);
        put(zone, slice("web-a", "web", Endpoint.of("192.0.2.1").withReady(false)));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        put(zone, WEB.toBuilder().publishNotReadyAddresses(true).build());
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
    }

    @Test
    void slicesAreDerivedAgainWhenTheServiceBecomesHeadless() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, clusterIp("1", "198.51.100.7"), slice("web-a", "web", "192.0.2.1"));
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("198.51.100.7");
        assertThat(addresses(zone, "192-0-2-1.web.shop.svc")).containsExactly("192.0.2.1");
        put(zone, WEB);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        assertThat(ptrTargets(zone, "198.51.100.7")).isEmpty();
    }

    @Test
    void theSettingsDecideWhetherSlicesUseThePortsOfTheService() {
        ClusterZone zone = zone(ZoneSettings.builder().srvPort(SrvPort.SERVICE).build());
        put(zone, SHOP, WEB, slice("web-a", "web", "192.0.2.1"));
        put(zone, HeadlessService.of("shop", "web", ServicePort.of("http", Protocol.TCP, 81)));
        ZoneLookup found = lookup(zone, "_http._tcp.web.shop.svc", Type.SRV);
        assertThat(((ZoneLookup.Found) found).data().srvs())
                .extracting(srv -> srv.port())
                .containsExactly(81);
    }

    // ---- visibility ----

    @Test
    void labelsOfServicesHideSlicesAndLabelsOfPodsHidePods() {
        Labels shown = new Labels(Map.of("shown", "yes"));
        ClusterZone zone = ClusterZone.empty(
                new RecordRules(ZoneSettings.DEFAULTS), Visibility.ALL.onlyWith(Selector.ofLabels(shown)));
        put(zone, SHOP, WEB, slice("web-a", "web", "192.0.2.1"), pod("web-0", "192.0.2.1"));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(lookup(zone, "192-0-2-1.shop.pod", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        put(zone, WEB.toBuilder().labels(shown).build());
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.1");
        assertThat(lookup(zone, "192-0-2-1.shop.pod", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
    }

    @Test
    void aNamespaceIsHiddenWhenItsLabelsStopMatching() {
        Labels shown = new Labels(Map.of("shown", "yes"));
        ClusterZone zone = ClusterZone.empty(
                new RecordRules(ZoneSettings.DEFAULTS), Visibility.ofNamespacesWith(Selector.ofLabels(shown)));
        put(zone, Namespace.of("shop").withLabels(shown), WEB, slice("web-a", "web", "192.0.2.1"));
        assertThat(ptrTargets(zone, "192.0.2.1")).isNotEmpty();
        put(zone, SHOP);
        assertThat(lookup(zone, "shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(ptrTargets(zone, "192.0.2.1")).isEmpty();
    }

    @Test
    void anEmptyServiceIsIgnoredUntilAnEndpointOfAnySliceIsPublished() {
        ClusterZone zone = zone(ZoneSettings.builder().ignoreEmptyServices(true).build());
        Endpoint endpoint = Endpoint.of("192.0.2.1");
        put(zone, SHOP, clusterIp("1", "198.51.100.7"), slice("web-a", "web", endpoint.withReady(false)));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(ptrTargets(zone, "198.51.100.7")).isEmpty();
        put(zone, slice("web-b", "web", endpoint));
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("198.51.100.7");
        put(zone, slice("web-a", "web", endpoint));
        remove(zone, slice("web-b", "web", endpoint));
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("198.51.100.7");
        put(zone, slice("web-a", "web", endpoint.withReady(false)));
        assertThat(lookup(zone, "web.shop.svc", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(ptrTargets(zone, "198.51.100.7")).isEmpty();
    }

    @Test
    void insecurePodNamesExistInExistingNamespaces() {
        ClusterZone zone = zone(ZoneSettings.builder().pods(PodsMode.INSECURE).build());
        put(zone, SHOP);
        assertThat(addresses(zone, "203-0-113-9.shop.pod")).containsExactly("203.0.113.9");
        assertThat(lookup(zone, "203-0-113-9.shop.pod", Type.AAAA)).isInstanceOf(ZoneLookup.NoData.class);
        assertThat(lookup(zone, "x.203-0-113-9.shop.pod", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(lookup(zone, "203-0-113-9.prod.pod", Type.A)).isInstanceOf(ZoneLookup.NoSuchName.class);
    }

    static Stream<ClusterObject> undecidable() {
        return Stream.of(
                Namespace.of("shop").withLabels(UNDECIDABLE),
                HeadlessService.builder("shop", "db").labels(UNDECIDABLE).build(),
                Pod.builder(Metadata.of("shop", "db-0").withLabels(UNDECIDABLE))
                        .phase(PodPhase.RUNNING)
                        .ready(true)
                        .ips(List.of(IpAddress.parse("192.0.2.9")))
                        .build());
    }

    @ParameterizedTest
    @MethodSource("undecidable")
    void aThrowingPredicateChangesNothing(ClusterObject undecidable) {
        Predicate<Labels> decide = labels -> {
            if (labels.equals(UNDECIDABLE)) {
                throw new IllegalStateException("undecidable");
            }
            return true;
        };
        ClusterZone zone = ClusterZone.empty(
                new RecordRules(ZoneSettings.DEFAULTS),
                new Visibility(namespace -> decide.test(namespace.labels()), decide));
        put(zone, SHOP, WEB, slice("web-a", "web", "192.0.2.1"), pod("web-0", "192.0.2.1"));
        ZoneRevision before = zone.current();
        List<ClusterChange> changes = List.of(
                new ClusterChange.Put(slice("web-a", "web", "192.0.2.2")),
                new ClusterChange.Put(pod("web-1", "192.0.2.2")),
                new ClusterChange.Put(HeadlessService.of("shop", "web")),
                new ClusterChange.Remove(ObjectRef.of(Pod.KIND, "shop", "web-0"), Optional.empty()));
        List<ClusterChange> batch = new ArrayList<>(changes);
        batch.add(new ClusterChange.Put(undecidable));

        assertThatThrownBy(() -> zone.apply(batch)).hasMessage("undecidable");
        assertThat(zone.current()).isSameAs(before);
        assertThat(zone.apply(List.of()).names()).isEmpty();

        zone.apply(changes);
        assertThat(addresses(zone, "web.shop.svc")).containsExactly("192.0.2.2");
        assertThat(lookup(zone, "_http._tcp.web.shop.svc", Type.SRV)).isInstanceOf(ZoneLookup.Found.class);
        assertThat(ptrTargets(zone, "192.0.2.1")).isEmpty();
        assertThat(addresses(zone, "192-0-2-2.shop.pod")).containsExactly("192.0.2.2");
        assertThat(addresses(zone, "192-0-2-1.shop.pod")).isEmpty();
    }

    // ---- names ----

    @Test
    void aHostnameThatIsADashedAddressHasBothAddresses() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, WEB);
        put(
                zone,
                slice(
                        "web-a",
                        "web",
                        Endpoint.of("192.0.2.1"),
                        Endpoint.of("192.0.2.2").withHostname("192-0-2-1")));
        assertThat(addresses(zone, "192-0-2-1.web.shop.svc")).containsExactly("192.0.2.1", "192.0.2.2");
    }

    @Test
    void anAddressOfOnlyAPodHasNoReverseName() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, pod("web-0", "192.0.2.1"));
        assertThat(reverse(zone, "192.0.2.1/32")).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(reverse(zone, "192.0.2.0/24")).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(zone.current().zones()).containsExactly(DnsLabels.parse("cluster.local"));
    }

    @Test
    void aPartialReverseNameExistsAboveAPtr() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        put(zone, SHOP, WEB, slice("web-a", "web", "192.0.2.1"));
        assertThat(reverse(zone, "192.0.2.1/32")).isInstanceOf(ZoneLookup.Found.class);
        assertThat(zone.current().lookup(IpNetwork.parse("192.0.2.1/32"), Type.A))
                .isInstanceOf(ZoneLookup.NoData.class);
        assertThat(reverse(zone, "192.0.2.0/24")).isInstanceOf(ZoneLookup.NoData.class);
        assertThat(reverse(zone, "0.0.0.0/0")).isInstanceOf(ZoneLookup.NoData.class);
        assertThat(reverse(zone, "192.0.3.0/24")).isInstanceOf(ZoneLookup.NoSuchName.class);
        assertThat(reverse(zone, "::/0")).isInstanceOf(ZoneLookup.NoSuchName.class);
    }

    @Test
    void aNameAboveAServedZoneExists() {
        ZoneRevision zone = zone(ZoneSettings.builder()
                        .zones(Stream.of("cluster.local", "b.a.cluster.local")
                                .map(DnsLabels::parse)
                                .toList())
                        .reverseZones(ReverseZone.parse("192.0.2.0/24"))
                        .build())
                .current();
        assertThat(zone.isAboveZone(DnsLabels.parse("a.cluster.local"))).isTrue();
        assertThat(zone.isAboveZone(DnsLabels.parse("192.in-addr.arpa"))).isTrue();
        assertThat(zone.isAboveZone(DnsLabels.parse("b.a.cluster.local"))).isFalse();
        assertThat(zone.isAboveZone(DnsLabels.parse("c.cluster.local"))).isFalse();
    }

    @Test
    void onlyAServedZoneCanBeListed() {
        assertThatThrownBy(() -> zone(ZoneSettings.DEFAULTS).current().recordSets(DnsLabels.parse("example")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("example");
    }

    // ---- the serial ----

    @Test
    void theSerialIsOneForASnapshotUnlessAnotherIsGiven() {
        ClusterSnapshot snapshot = ClusterSnapshot.of(List.of(SHOP, WEB));
        RecordRules rules = new RecordRules(ZoneSettings.DEFAULTS);
        assertThat(ClusterZone.of(snapshot, rules, Visibility.ALL).current().serial())
                .isEqualTo(1);
        assertThat(ClusterZone.of(snapshot, rules, Visibility.ALL, 42).current().serial())
                .isEqualTo(42);
    }

    @Test
    void theSerialFollowsTheHintWhenARecordChanges() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        zone.apply(List.of(new ClusterChange.Put(SHOP)), 1_800_000_000);
        assertThat(zone.current().serial()).as("a Namespace owns no record").isZero();
        zone.apply(List.of(new ClusterChange.Put(clusterIp("1", "192.0.2.1"))), 1_800_000_000);
        assertThat(zone.current().serial()).isEqualTo(1_800_000_000);
        zone.apply(List.of(new ClusterChange.Put(clusterIp("1", "192.0.2.2"))), 1_800_000_000);
        assertThat(zone.current().serial()).isEqualTo(1_800_000_001);
        zone.apply(List.of(new ClusterChange.Put(clusterIp("1", "192.0.2.2"))), 1_900_000_000);
        assertThat(zone.current().serial()).isEqualTo(1_800_000_001);
    }

    @Test
    void theSerialIncreasesWhenOnlyAPtrChanges() {
        ClusterZone zone = zone(ZoneSettings.builder()
                .reversePolicy(ReversePolicy.HOSTNAME_ONLY)
                .build());
        Endpoint endpoint = Endpoint.of("192.0.2.1");
        put(zone, SHOP, WEB, slice("web-a", "web", endpoint));
        long serial = zone.current().serial();
        put(zone, slice("web-a", "web", endpoint.withHostname("192-0-2-1")));
        assertThat(ptrTargets(zone, "192.0.2.1")).containsExactly("192-0-2-1.web.shop.svc");
        assertThat(zone.current().serial()).isEqualTo(serial + 1);
    }

    @Test
    void theSerialIncreasesWhenOnlyNamesOfManyRecordsChange() {
        ClusterZone zone = zone(ZoneSettings.DEFAULTS);
        Endpoint[] many = IntStream.rangeClosed(1, 20)
                .mapToObj(i -> Endpoint.of("192.0.2." + i))
                .toArray(Endpoint[]::new);
        EndpointSlice slice = slice("web-a", "web", many);
        put(zone, SHOP, WEB, slice);
        long serial = zone.current().serial();
        put(
                zone,
                slice.toBuilder()
                        .ports(EndpointPort.of("http", Protocol.TCP, 8081))
                        .build());
        assertThat(zone.current().serial()).isEqualTo(serial + 1);
    }

    // ---- helpers ----

    private static ClusterZone zone(ZoneSettings settings) {
        return ClusterZone.empty(new RecordRules(settings), Visibility.ALL);
    }

    private static void put(ClusterZone zone, ClusterObject... objects) {
        for (ClusterObject object : objects) {
            zone.apply(List.of(new ClusterChange.Put(object)));
        }
    }

    private static void remove(ClusterZone zone, ClusterObject object) {
        zone.apply(List.of(new ClusterChange.Remove(object.ref(), Optional.empty())));
    }

    private static Service clusterIp(String uid, String address) {
        return ClusterIpService.builder(Metadata.of("shop", "web").withUid(uid))
                .clusterIp(address)
                .build();
    }

    private static EndpointSlice slice(String name, String service, String address) {
        return slice(name, service, Endpoint.of(address));
    }

    private static EndpointSlice slice(String name, String service, Endpoint... endpoints) {
        return EndpointSlice.builder("shop", name)
                .service(service)
                .endpoints(endpoints)
                .ports(EndpointPort.of("http", Protocol.TCP, 8080))
                .build();
    }

    private static Pod pod(String name, String address) {
        return Pod.running("shop", name, address);
    }

    private static ZoneLookup lookup(ClusterZone zone, String name, int type) {
        return zone.current().lookup(DnsLabels.parse(name), type);
    }

    private static List<String> addresses(ClusterZone zone, String name) {
        return lookup(zone, name, Type.A) instanceof ZoneLookup.Found found
                ? found.data().addresses().stream().map(IpAddress::toString).toList()
                : List.of();
    }

    private static ZoneLookup reverse(ClusterZone zone, String network) {
        return zone.current().lookup(IpNetwork.parse(network), Type.PTR);
    }

    private static List<String> ptrTargets(ClusterZone zone, String address) {
        return reverse(zone, address + "/32") instanceof ZoneLookup.Found found
                ? found.data().ptrTargets().stream().map(DnsLabels::toString).toList()
                : List.of();
    }
}
