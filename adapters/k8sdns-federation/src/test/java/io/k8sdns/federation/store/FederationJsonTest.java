package io.k8sdns.federation.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.federation.ClusterLocation;
import io.k8sdns.federation.Shard;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Protocol;
import io.k8sdns.model.ServicePort;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.StringLength;
import net.jqwik.api.statistics.Statistics;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FederationJsonTest {
    private final FederationJson json = new FederationJson();

    @Test
    void theValueOfTheDocumentIsReadAsItStandsThere() {
        Shard shard = json.shard("""
                {
                    "externalIP": "104.32.64.128",
                    "clusterIP": "10.0.3.64",
                }
                """);
        assertThat(shard)
                .isEqualTo(Shard.builder()
                        .externalAddresses(List.of(IpAddress.parse("104.32.64.128")))
                        .clusterAddresses(List.of(IpAddress.parse("10.0.3.64")))
                        .build());
        assertThat(json.write(shard)).isEqualTo("{\"externalIP\":\"104.32.64.128\",\"clusterIP\":\"10.0.3.64\"}");
    }

    @Test
    void aHostNameInPlaceOfAnAddressIsAHostName() {
        Shard shard = json.shard("{\"externalIP\": \"lb.example.com\", \"hostname\": \"other.example.com.\"}");
        assertThat(shard.hostNames())
                .containsExactly(DnsLabels.parse("lb.example.com"), DnsLabels.parse("other.example.com"));
        assertThat(shard.externalAddresses()).isEmpty();
    }

    /** Every message names the member. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "' '|not a JSON object",
                "[]|not a JSON object",
                "\"a\"|not a JSON object",
                "{|line 1: not JSON",
                "{} {}|more than one JSON object",
                "{\"region\": \"a\", \"region\": \"b\"}|line 1: not JSON: Duplicate field 'region'",
                "{} x|line 1: not JSON",
                "{\"externalIP\": 7}|externalIP: not a text",
                "{\"externalIP\": \"1.2.3.400:80\"}|externalIP: neither an IP address nor a host name: 1.2.3.400:80",
                "{\"externalIPs\": \"1.2.3.4\"}|externalIPs: not a list",
                "{\"externalIPs\": [1]}|externalIPs: not a list of texts",
                "{\"clusterIP\": \"none\"}|clusterIP: not an IP address: none",
                "{\"hostname\": \"a b\"}|hostname: neither an IP address nor a host name: a b",
                "{\"ports\": {}}|ports: not a list",
                "{\"ports\": [7]}|ports: not an object",
                "{\"ports\": [{\"port\": \"80\"}]}|ports: port is not a number from 1 to 65535",
                "{\"ports\": [{\"port\": 80, \"protocol\": \"tcp\"}]}|ports: not TCP, UDP or SCTP: tcp",
                "{\"endpoints\": [{\"addresses\": [\"a\"]}]}|addresses: not an IP address: a",
                "{\"region\": []}|region: not a text",
                "{\"zone\": 1}|zone: not a text"
            })
    void aFaultIsReportedWithItsField(String text, String message) {
        assertThatThrownBy(() -> json.shard(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(message);
    }

    @Test
    void depthAndLengthAreLimited() {
        assertThatThrownBy(() -> json.shard("{\"a\":".repeat(100_000))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> json.shard("{\"a\":" + "[".repeat(40) + "]".repeat(40) + "}"))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> json.shard("{\"externalIPs\":[" + "\"192.0.2.1\",".repeat(1001) + "]}"))
                .hasMessage("externalIPs: 1001 items, at most 1000 are read");
        assertThatThrownBy(() -> json.shard("{\"ports\":[{\"port\":" + "9".repeat(2000) + "}]}"))
                .isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void clustersAreReadWithTheNameOfTheOneThatIsWrong() {
        assertThat(json.readClusters("{\"foo\": {\"region\": \"EU\", \"zones\": [\"a\", \"b\"]}, bar: {},}"))
                .isEqualTo(Map.of(
                        "foo",
                        ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("a", "b")),
                        "bar",
                        ClusterLocation.UNKNOWN));
        assertThatThrownBy(() -> json.readClusters("{\"foo\": {\"zones\": \"a\"}}"))
                .hasMessage("foo: zones: not a list");
        assertThatThrownBy(() -> json.readClusters("{\"foo\": 7}")).hasMessage("foo: the value: not an object");
    }

    @Test
    void aStoreIsReadWithoutAVerdictOnItsValues() {
        assertThat(json.readStore(
                        "{\"/a\": {\"b\": [1, 2.5, true, null, \"\\u00e9\\\"\"]}, \"/c\": \"text\", \"/d\": 7}"))
                .isEqualTo(Map.of("/a", "{\"b\":[1,2.5,true,null,\"\\u00E9\\\"\"]}", "/c", "text", "/d", "7"));
    }

    /** Any text is read as a shard or throws an {@link IllegalArgumentException}. */
    @Property(tries = 500)
    void noTextThrowsAnythingElse(@ForAll @StringLength(max = 40) String random, @ForAll long seed) {
        String valid = json.write(shard(new Random(seed)));
        int cut = Math.floorMod(seed, valid.length() + 1);
        for (String text : List.of(random, valid.substring(0, cut), valid.substring(0, cut) + random)) {
            boolean isShard;
            try {
                Shard unused = json.shard(text);
                isShard = true;
            } catch (IllegalArgumentException invalid) {
                assertThat(invalid).hasMessageNotContaining("\n");
                isShard = false;
            }
            Statistics.collect(isShard);
        }
    }

    @Property(tries = 300)
    void aWrittenShardIsReadAgain(@ForAll long seed) {
        Shard shard = shard(new Random(seed));
        assertThat(json.shard(json.write(shard))).isEqualTo(shard);
        assertThat(json.cluster(json.write(shard.location()))).isEqualTo(shard.location());
    }

    @Test
    void zonesOfAClusterAreAListAlsoIfThereIsOne() {
        ClusterLocation location = ClusterLocation.UNKNOWN.withRegion("eu").withZones(List.of("eu-a"));
        assertThat(json.write(location)).isEqualTo("{\"region\":\"eu\",\"zones\":[\"eu-a\"]}");
        assertThat(json.cluster("{\"region\":\"eu\",\"zone\":\"eu-a\"}")).isEqualTo(location);
        assertThat(json.write(ClusterLocation.UNKNOWN)).isEqualTo("{}");
        assertThat(json.write(Shard.builder().location(location).build()))
                .as("a single zone of a shard is a text and not a list")
                .isEqualTo("{\"externalIP\":\"\",\"clusterIP\":\"\",\"region\":\"eu\",\"zone\":\"eu-a\"}");
    }

    @Test
    void aHeadlessShardHasTheClusterIpNone() {
        Shard headless =
                Shard.builder().endpoints(List.of(Endpoint.of("10.244.0.9"))).build();
        assertThat(json.write(headless))
                .isEqualTo(
                        "{\"externalIP\":\"\",\"clusterIP\":\"None\",\"endpoints\":[{\"addresses\":[\"10.244.0.9\"]}]}");
        assertThat(json.shard(json.write(headless))).isEqualTo(headless);
    }

    private static Shard shard(Random random) {
        List<IpAddress> external = addresses(random, "192.0.2.", "2001:db8::");
        List<DnsLabels> hosts = new ArrayList<>();
        for (int i = random.nextInt(3); i > 0; i--) {
            hosts.add(DnsLabels.parse("lb-" + i + ".example.com"));
        }
        List<ServicePort> ports = new ArrayList<>();
        if (random.nextBoolean()) {
            ports.add(ServicePort.of("http", Protocol.TCP, 1 + random.nextInt(65535)));
            ports.add(ServicePort.unnamed(Protocol.UDP, 53));
        }
        List<Endpoint> endpoints = new ArrayList<>();
        if (random.nextBoolean()) {
            endpoints.add(
                    Endpoint.builder("10.244.0.1", "10.244.0.2").hostname("a").build());
            endpoints.add(Endpoint.of("fd00::1"));
        }
        ClusterLocation location =
                random.nextBoolean() ? ClusterLocation.UNKNOWN : ClusterLocation.UNKNOWN.withRegion("eu");
        return Shard.builder()
                .externalAddresses(external)
                .clusterAddresses(addresses(random, "10.0.0.", "fd00::"))
                .hostNames(hosts)
                .ports(ports)
                .endpoints(endpoints)
                .location(location.withZones(List.of("a", "b", "c").subList(0, random.nextInt(4))))
                .build();
    }

    private static List<IpAddress> addresses(Random random, String... prefixes) {
        List<IpAddress> addresses = new ArrayList<>();
        for (String prefix : prefixes) {
            for (int i = random.nextInt(3); i > 0; i--) {
                addresses.add(IpAddress.parse(prefix + (1 + random.nextInt(200))));
            }
        }
        return addresses.stream().distinct().toList();
    }

    @Test
    void aStoreIsReadAsItWasWritten() {
        Map<String, String> values = Map.of(
                "/prod/shop/cart/foo", "{\"externalIP\":\"192.0.2.1\"}", "/prod/shop/cart/bar", "broken \"text\"");
        String text = json.writeStore(values);
        assertThat(json.readStore(text)).isEqualTo(values);
        assertThat(text.lines()).hasSize(4);
        assertThat(json.readStore(json.writeStore(Map.of()))).isEmpty();
    }

    @Test
    void valuesKeepTheFormThatTheyHadBefore() {
        String before = """
                {
                  "a": 7,
                  "b": "7",
                  "c": [1, 2.50, null],
                  "d": "{\\"region\\":\\"eu\\"}",
                  "e": null,
                  "f": true
                }
                """;
        String written = before.replace("[1, 2.50, null]", "[1,2.50,null]");
        Map<String, String> values = new HashMap<>(json.readStore(before));
        assertThat(json.writeStore(values, before)).isEqualTo(written);
        values.put("a", "{\"region\":\"us\"}");
        values.put("e", "text");
        values.remove("f");
        assertThat(json.writeStore(values, before))
                .isEqualTo(written.replace("7,\n  \"b\"", "{\"region\":\"us\"},\n  \"b\"")
                        .replace("null,\n  \"f\": true", "\"text\""));
    }
}
