package io.k8sdns.federation;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.FederationStore.Entry;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

class FederatedZoneTest {
    private static final String CART = "cart.shop.prod.svc.federation.";
    private static final Shard FOO = shard("192.0.2.1", "10.0.0.1");
    private static final Shard BAR = shard("192.0.2.2", "10.0.0.2");

    /** The shards by the values of the store. */
    private final Map<String, Shard> values = new HashMap<>(Map.of("foo", FOO, "bar", BAR));

    private final List<String> skipped = new ArrayList<>();
    private final FederatedZone zone = builder().build();

    private static Shard shard(String external, String cluster) {
        return Shard.builder()
                .externalAddresses(List.of(IpAddress.parse(external)))
                .clusterAddresses(List.of(IpAddress.parse(cluster)))
                .build();
    }

    private FederatedZone.Builder builder() {
        return FederatedZone.builder(new FederationFormat() {
                    @Override
                    public Shard shard(String value) {
                        Shard shard = values.get(value);
                        if (shard == null) {
                            throw new IllegalArgumentException("no shard: " + value);
                        }
                        return shard;
                    }

                    @Override
                    public ClusterLocation cluster(String value) {
                        if (value.equals("deep")) {
                            throw new StackOverflowError("planted");
                        }
                        return ClusterLocation.UNKNOWN.withRegion(value);
                    }
                })
                .skipped((key, reason) -> skipped.add(key + ": " + reason));
    }

    private static Map<String, Entry> entries(String... keysAndValues) {
        Map<String, Entry> entries = new HashMap<>();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            entries.put(keysAndValues[i], new Entry(keysAndValues[i + 1], i + 1L));
        }
        return entries;
    }

    private Answer ask(String name, RecordType type, EDNSOption... options) {
        return ask(zone, name, type, options);
    }

    private static Answer ask(FederatedZone zone, String name, RecordType type, EDNSOption... options) {
        Client client = Client.builder(Client.Transport.TCP)
                .ednsOptions(List.of(options))
                .build();
        return zone.resolve(Question.of(name, type), client)
                .toStage()
                .toCompletableFuture()
                .join();
    }

    private static EDNSOption option(String data) {
        return new GenericEDNSOption(SourceCluster.OPTION_CODE, data.getBytes(StandardCharsets.ISO_8859_1));
    }

    // ---- the option

    /** The repeated option shows the forwarder that this server supports it, so it does not depend on the content. */
    @ParameterizedTest
    @ValueSource(strings = {"FOO", "bar", "two.labels"})
    void everyAnswerFromTheZoneRepeatsTheOption(String data) {
        EDNSOption sent = option(data);
        assertThat(ask(CART, RecordType.A, sent).ednsOptions())
                .as("not read yet")
                .containsExactly(sent);
        zone.content(entries("/prod/shop/cart/foo", "foo"));

        assertThat(ask(CART, RecordType.A, sent).ednsOptions()).containsExactly(sent);
        assertThat(ask(CART, RecordType.AAAA, sent).ednsOptions()).containsExactly(sent);
        assertThat(ask("missing.federation.", RecordType.A, sent).ednsOptions()).containsExactly(sent);
        assertThat(ask("example.", RecordType.A, sent).ednsOptions()).isEmpty();
    }

    @Test
    void anUnknownClusterChangesNoRecord() {
        zone.content(entries("/prod/shop/cart/foo", "foo"));

        Answer answer = ask(CART, RecordType.A, option("bar"));

        assertThat(answer.addresses()).containsExactly("192.0.2.1");
        assertThat(answer.toBuilder().ednsOptions(List.of()).build()).isEqualTo(ask(CART, RecordType.A));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "foo.", ".foo", "f_oo", "foo\0", "foo bar", "f\u00f6o", "-foo", "foo/bar"})
    void aMalformedOptionIsIgnored(String data) {
        zone.content(entries("/prod/shop/cart/foo", "foo"));

        Answer answer = ask(CART, RecordType.A, option(data));

        assertThat(answer).isEqualTo(ask(CART, RecordType.A));
        assertThat(answer.addresses()).containsExactly("192.0.2.1");
    }

    @Test
    void onlyTheFirstOptionIsUsed() {
        zone.content(entries("/prod/shop/cart/foo", "foo", "/prod/shop/cart/bar", "bar"));

        assertThat(ask(CART, RecordType.A, option("bar"), option("foo")).addresses())
                .containsExactly("10.0.0.2", "192.0.2.1");
        assertThat(ask(CART, RecordType.A, option("-"), option("foo")).addresses())
                .containsExactly("192.0.2.1", "192.0.2.2");
    }

    @Test
    void theCodeOfTheOptionCanBeChosen() {
        FederatedZone other = builder().sourceClusterOption(65001).build();
        other.content(entries("/prod/shop/cart/foo", "foo"));

        assertThat(ask(other, CART, RecordType.A, option("foo")).addresses()).containsExactly("192.0.2.1");
        assertThat(ask(other, CART, RecordType.A, new SourceCluster("foo").toOption(65001))
                        .addresses())
                .containsExactly("10.0.0.1");
        assertThatThrownBy(() -> builder().sourceClusterOption(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> builder().sourceClusterOption(65536)).isInstanceOf(IllegalArgumentException.class);
    }

    // ---- the store

    @Test
    void everyNameIsServfailUntilTheStoreIsRead() {
        assertThat(zone.isReady()).isFalse();
        for (String name : List.of("federation.", CART, "missing.federation.")) {
            Answer answer = ask(name, RecordType.SOA);
            assertThat(answer.rcode()).isEqualTo(Rcode.SERVFAIL);
            assertThat(answer.extendedError()).map(ExtendedError::code).contains(ExtendedError.NOT_READY);
        }
        zone.content(Map.of());
        assertThat(zone.isReady()).isTrue();
        assertThat(ask("federation.", RecordType.SOA).status()).isEqualTo(AnswerStatus.NOERROR);
        assertThat(ask(CART, RecordType.A).status()).isEqualTo(AnswerStatus.NXDOMAIN);
    }

    @Test
    void theLastContentIsServedAndMarkedWhileTheStoreDoesNotAnswer() {
        zone.content(entries("/prod/shop/cart/foo", "foo"));
        zone.upToDate();
        assertThat(zone.isStale()).isFalse();
        assertThat(ask(CART, RecordType.A).extendedError()).isEmpty();

        zone.stale();
        assertThat(zone.isStale()).isTrue();
        assertThat(ask(CART, RecordType.A).addresses()).containsExactly("192.0.2.1");
        assertThat(ask(CART, RecordType.A).extendedError())
                .map(ExtendedError::code)
                .contains(ExtendedError.STALE_ANSWER);

        zone.upToDate();
        assertThat(ask(CART, RecordType.A).extendedError()).isEmpty();
    }

    @Test
    void aValueThatCannotBeParsedHidesOnlyItsShard() {
        zone.content(entries("/prod/shop/cart/foo", "foo", "/prod/shop/cart/bar", "torn", "/prod/shop/db/bar", "torn"));

        assertThat(ask(CART, RecordType.A).addresses()).containsExactly("192.0.2.1");
        assertThat(ask("bar." + CART, RecordType.A).status()).isEqualTo(AnswerStatus.NODATA);
        assertThat(ask("db.shop.prod.svc.federation.", RecordType.A).status()).isEqualTo(AnswerStatus.NODATA);
        assertThat(zone.skippedKeys())
                .isEqualTo(Map.of("/prod/shop/cart/bar", "no shard: torn", "/prod/shop/db/bar", "no shard: torn"));
        assertThat(skipped).containsExactly("/prod/shop/cart/bar: no shard: torn", "/prod/shop/db/bar: no shard: torn");

        zone.changed(Map.of("/prod/shop/cart/bar", Optional.of(new Entry("bar", 9))));
        assertThat(ask(CART, RecordType.A).addresses()).containsExactly("192.0.2.1", "192.0.2.2");
        assertThat(zone.skippedKeys()).containsOnlyKeys("/prod/shop/db/bar");

        zone.changed(Map.of("/prod/shop/db/bar", Optional.empty()));
        assertThat(zone.skippedKeys()).isEmpty();
        assertThat(skipped).hasSize(2);
    }

    @Test
    void theSameContentDoesNotReportTheSameKeyAgain() {
        Map<String, Entry> entries = entries("/prod/shop/cart/bar", "torn");
        zone.content(entries);
        zone.content(entries);
        assertThat(skipped).hasSize(1);
        zone.content(entries("/prod/shop/cart/bar", "worn"));
        assertThat(skipped).hasSize(2);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "/",
                "prod/shop/cart/foo",
                "/prod/shop/cart",
                "/prod/shop/cart/foo/",
                "/prod/shop/cart/a/b",
                "/prod/shop//foo",
                "/Prod/shop/cart/foo",
                "/prod/shop/cart/Foo",
                "/prod/shop/cart/f..oo",
                "/_clusters/",
                "/_clusters/Foo",
                "/_clusters/shop/cart/foo"
            })
    void onlyAKeyOfAnotherFormIsSkipped(String key) {
        zone.content(entries(key, "bar", "/prod/shop/cart/foo", "foo"));

        assertThat(zone.skippedKeys()).containsOnlyKeys(key);
        assertThat(ask(CART, RecordType.A).addresses()).containsExactly("192.0.2.1");
        zone.changed(Map.of(key, Optional.empty()));
        assertThat(zone.skippedKeys()).isEmpty();
    }

    @Test
    void anyExceptionOfTheFormatSkipsOnlyItsKey() {
        zone.content(entries("/_clusters/foo", "deep", "/_clusters/bar", "eu", "/prod/shop/cart/foo", "foo"));

        assertThat(zone.skippedKeys()).isEqualTo(Map.of("/_clusters/foo", "planted"));
        assertThat(ask("cart.shop.prod.svc.eu.federation.", RecordType.A).cnames())
                .hasSize(1);
    }

    @Test
    void anObserverThatThrowsIsHarmless() {
        FederatedZone other = builder()
                .skipped((key, reason) -> {
                    throw new IllegalStateException("planted");
                })
                .build();
        other.content(entries("/a", "foo", "/b", "foo", "/prod/shop/cart/foo", "foo"));

        assertThat(other.skippedKeys()).containsOnlyKeys("/a", "/b");
        assertThat(ask(other, CART, RecordType.A).addresses()).containsExactly("192.0.2.1");
    }

    @Test
    void theRegistryOfTheStoreTakesPrecedenceOverTheGivenOne() {
        zone.clusters(Map.of("foo", ClusterLocation.UNKNOWN.withRegion("us")));
        zone.content(entries("/prod/shop/cart/foo", "foo", "/_clusters/foo", "eu"));
        assertThat(ask("cart.shop.prod.svc.eu.federation.", RecordType.A).addresses())
                .containsExactly("192.0.2.1");

        zone.changed(Map.of("/_clusters/foo", Optional.empty()));
        assertThat(ask("cart.shop.prod.svc.eu.federation.", RecordType.A).status())
                .isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(ask("cart.shop.prod.svc.us.federation.", RecordType.A).addresses())
                .containsExactly("192.0.2.1");
        assertThatThrownBy(() -> zone.clusters(Map.of("Foo", ClusterLocation.UNKNOWN)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    // ---- outside the zone

    @Test
    void otherZonesClassesAndTransfersAreRefused() {
        zone.content(Map.of());
        for (String name : List.of(".", "example.", "xfederation.", "federation.example.")) {
            assertThat(ask(name, RecordType.A).status()).as(name).isEqualTo(AnswerStatus.REFUSED);
        }
        assertThat(ask("federation.", RecordType.of(Type.AXFR)).status()).isEqualTo(AnswerStatus.REFUSED);
        assertThat(ask("federation.", RecordType.of(Type.IXFR)).status()).isEqualTo(AnswerStatus.REFUSED);
        Question chaos = new Question(DnsLabels.parse("federation."), RecordType.SOA, DClass.CH);
        assertThat(zone.resolve(chaos, Client.IN_PROCESS)
                        .toStage()
                        .toCompletableFuture()
                        .join()
                        .status())
                .isEqualTo(AnswerStatus.REFUSED);
    }

    @Test
    void settingsApplyToTheZone() {
        FederatedZone other = builder()
                .zone(DnsLabels.parse("fed.example."))
                .ttlSeconds(180)
                .nameServerAddresses(List.of(IpAddress.parse("192.0.2.53"), IpAddress.parse("2001:db8::53")))
                .build();
        other.content(entries("/prod/shop/cart/foo", "foo"));

        assertThat(lines(ask(other, "cart.shop.prod.svc.fed.example.", RecordType.A)))
                .containsExactly("cart.shop.prod.svc.fed.example. 180 IN A 192.0.2.1");
        assertThat(ask(other, "x.fed.example.", RecordType.A).authority().stream()
                        .flatMap(RecordSet::lines))
                .containsExactly(
                        "fed.example. 30 IN SOA ns.dns.fed.example. hostmaster.fed.example. 1 7200 1800 86400 30");
        assertThat(lines(ask(other, "ns.dns.fed.example.", RecordType.AAAA)))
                .containsExactly("ns.dns.fed.example. 180 IN AAAA 2001:db8::53");
        assertThatThrownBy(() -> builder().zone(DnsLabels.EMPTY)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void theNameServerHasEachAddressOnce() {
        IpAddress address = IpAddress.parse("192.0.2.53");
        FederatedZone other =
                builder().nameServerAddresses(List.of(address, address)).build();
        other.content(Map.of());

        assertThat(lines(ask(other, "ns.dns.federation.", RecordType.A)))
                .containsExactly("ns.dns.federation. 30 IN A 192.0.2.53");
        assertThat(ask(other, "federation.", RecordType.NS).additional().stream()
                        .flatMap(RecordSet::lines))
                .containsExactly("ns.dns.federation. 30 IN A 192.0.2.53");
    }

    @Test
    void theTtlOfTheSoaIsAtMostThatOfTheClusterZones() {
        FederatedZone other = builder().ttlSeconds(3600).build();
        other.content(Map.of());
        assertThat(ask(other, "federation.", RecordType.SOA).answer().get(0).ttlSeconds())
                .isEqualTo(300);
    }

    private static List<String> lines(Answer answer) {
        return answer.answer().stream().flatMap(RecordSet::lines).toList();
    }

    // ---- host names of load balancers

    /** Answers host names from a table of addresses and RCODEs. */
    private static final class HostNames implements DnsResolver {
        final Map<String, Object> table = new HashMap<>();
        final List<String> asked = new ArrayList<>();

        @Override
        public Resolution resolve(Question question, Client client) {
            asked.add(question + " with " + client.ednsOptions());
            Object found = table.getOrDefault(question.name() + " " + question.type(), Rcode.NXDOMAIN);
            if (found instanceof CompletableFuture<?> later) {
                return new Resolution.Pending(later.thenApply(any -> addresses(question, 7, String.valueOf(any))));
            }
            if (found instanceof RuntimeException thrown) {
                throw thrown;
            }
            return new Resolution.Ready(
                    found instanceof String text ? addresses(question, 300, text) : Answer.failure((Integer) found));
        }

        private static Answer addresses(Question question, long ttlSeconds, String text) {
            return Answer.builder(Rcode.NOERROR)
                    .answer(Stream.of(text.split(" "))
                            .map(address -> RecordSet.of(record(question, ttlSeconds, address)))
                            .toList())
                    .build();
        }

        private static ARecord record(Question question, long ttlSeconds, String address) {
            try {
                return new ARecord(
                        question.name(),
                        DClass.IN,
                        ttlSeconds,
                        InetAddress.getByAddress(IpAddress.parse(address).bytes()));
            } catch (UnknownHostException impossible) {
                throw new AssertionError(impossible);
            }
        }
    }

    private static Shard named(String... hostNames) {
        return Shard.builder()
                .hostNames(Stream.of(hostNames).map(DnsLabels::parse).toList())
                .build();
    }

    @Test
    void addressesOfHostNamesAreInTheGroupOfTheirShard() {
        HostNames hosts = new HostNames();
        hosts.table.put("lb.example. A", "203.0.113.9 203.0.113.8");
        values.put("lb", named("lb.example."));
        FederatedZone other = builder().hostNames(hosts).build();
        other.content(entries("/prod/shop/cart/foo", "foo", "/prod/shop/cart/lb", "lb"));

        assertThat(ask(other, CART, RecordType.A, option("foo")).addresses())
                .containsExactly("10.0.0.1", "203.0.113.8", "203.0.113.9");
        assertThat(hosts.asked).containsExactly("lb.example. A with []");
        assertThat(ask(other, CART, RecordType.AAAA).status()).isEqualTo(AnswerStatus.NODATA);
    }

    @Test
    void aMissingHostNameIsOmittedAndTheShortestTtlIsUsed() {
        HostNames hosts = new HostNames();
        CompletableFuture<String> later = new CompletableFuture<>();
        hosts.table.put("slow.example. A", later);
        hosts.table.put("down.example. A", Rcode.SERVFAIL);
        hosts.table.put("worse.example. A", new IllegalStateException("planted"));
        values.put("lb", named("slow.example.", "down.example.", "worse.example.", "no.example."));
        FederatedZone other = builder().hostNames(hosts).build();
        other.content(entries("/prod/shop/cart/foo", "foo", "/prod/shop/cart/lb", "lb"));

        Resolution resolution = other.resolve(Question.of(CART, RecordType.A), Client.IN_PROCESS);
        assertThat(resolution).isInstanceOf(Resolution.Pending.class);
        later.complete("203.0.113.9");

        assertThat(lines(resolution.toStage().toCompletableFuture().join()))
                .containsExactly(CART + " 7 IN A 192.0.2.1", CART + " 7 IN A 203.0.113.9");
    }

    @Test
    void aFailedLookupWithoutOtherAddressesIsServfailAndNotNoData() {
        HostNames hosts = new HostNames();
        hosts.table.put("down.example. A", Rcode.SERVFAIL);
        values.put("down", named("down.example."));
        values.put("gone", named("gone.example."));
        values.put("loop", named("loop.federation."));
        FederatedZone other = builder().hostNames(hosts).build();
        other.content(entries("/prod/a/b/c", "down", "/prod/a/c/c", "gone", "/prod/a/d/c", "loop"));

        assertThat(ask(other, "b.a.prod.svc.federation.", RecordType.A).status())
                .isEqualTo(AnswerStatus.SERVFAIL);
        assertThat(ask(other, "c.a.prod.svc.federation.", RecordType.A).status())
                .isEqualTo(AnswerStatus.NODATA);
        assertThat(ask(other, "d.a.prod.svc.federation.", RecordType.A).status())
                .isEqualTo(AnswerStatus.SERVFAIL);
        assertThat(hosts.asked).hasSize(2);
    }

    @Test
    void withoutAResolverAShardWithOnlyHostNamesHasNoAddress() {
        values.put("lb", named("lb.example."));
        zone.content(entries("/prod/shop/cart/lb", "lb"));
        assertThat(ask(CART, RecordType.A).status()).isEqualTo(AnswerStatus.NODATA);
    }
}
