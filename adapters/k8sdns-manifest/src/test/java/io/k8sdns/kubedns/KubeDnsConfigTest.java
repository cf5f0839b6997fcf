package io.k8sdns.kubedns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.k8sdns.kubedns.InvalidKubeDnsConfigException.EntryError;
import io.k8sdns.name.DnsLabels;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests valid and invalid ConfigMaps of kube-dns. */
class KubeDnsConfigTest {
    private static final List<DnsLabels> CLUSTER = List.of(DnsLabels.parse("cluster.local"));

    private static KubeDnsConfig parse(String key, String text) {
        return KubeDnsConfig.parse(Map.of(key, text), CLUSTER);
    }

    private static KubeDnsConfig parseForNodeCache(String key, String text) {
        return KubeDnsConfig.parseForNodeCache(Map.of(key, text), CLUSTER);
    }

    private static List<String> errors(Map<String, String> data) {
        return catchThrowableOfType(InvalidKubeDnsConfigException.class, () -> KubeDnsConfig.parse(data, CLUSTER))
                .errors()
                .stream()
                .map(EntryError::toString)
                .toList();
    }

    private static String error(String key, String text) {
        List<String> errors = errors(Map.of(key, text));
        assertThat(errors).hasSize(1);
        return errors.get(0);
    }

    /** A list of JSON with one text. */
    private static String listOf(String text) {
        return "[\"" + text + "\"]";
    }

    @Test
    void allThreeKeysAreReadAndOthersIgnored() {
        KubeDnsConfig config = KubeDnsConfig.parse(
                Map.of(
                        "stubDomains",
                        "{\"acme.example\": [\"10.0.0.10\", \"10.0.0.11:5353\", \"dns.example\"], \"b.example\": [\"::1\"]}",
                        "upstreamNameservers",
                        "[\"192.0.2.53\", \"[2001:DB8::53]:5353\"]",
                        "federations",
                        "prod=fed.example.com",
                        "other",
                        "{"),
                CLUSTER);

        assertThat(config.stubDomains())
                .containsOnlyKeys(DnsLabels.parse("acme.example"), DnsLabels.parse("b.example"))
                .containsEntry(
                        DnsLabels.parse("acme.example"),
                        List.of(
                                new KubeDnsServer("10.0.0.10", 53),
                                new KubeDnsServer("10.0.0.11", 5353),
                                new KubeDnsServer("dns.example", 53)));
        assertThat(config.upstreamNameservers())
                .containsExactly(new KubeDnsServer("192.0.2.53", 53), new KubeDnsServer("2001:db8::53", 5353));
        assertThat(config.federations()).containsExactly(Map.entry("prod", DnsLabels.parse("fed.example.com")));
    }

    @Test
    void noKeyIsTheDefaults() {
        assertThat(KubeDnsConfig.parse(Map.of(), CLUSTER)).isEqualTo(KubeDnsConfig.DEFAULTS);
        assertThat(KubeDnsConfig.DEFAULTS).isEqualTo(new KubeDnsConfig(Map.of(), List.of(), Map.of()));
    }

    @ParameterizedTest
    @CsvSource({
        "federations, ''",
        "federations, ' \n'",
        "stubDomains, ''",
        "stubDomains, null",
        "stubDomains, {}",
        "upstreamNameservers, ''",
        "upstreamNameservers, null",
        "upstreamNameservers, []"
    })
    void anEmptyKeyIsIgnored(String key, String text) {
        assertThat(parse(key, text)).isEqualTo(KubeDnsConfig.DEFAULTS);
        assertThat(parseForNodeCache(key, text)).isEqualTo(KubeDnsConfig.DEFAULTS);
    }

    // federations

    @Test
    void federationsMayHaveBlanksAndTheLastOfOneNameIsUsed() {
        assertThat(parse("federations", " a = x.example , b=com,\n a=y.example\n")
                        .federations())
                .containsOnly(Map.entry("a", DnsLabels.parse("y.example")), Map.entry("b", DnsLabels.parse("com")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a",
                "a=b.example,",
                ",",
                "=b.example",
                "a=",
                "a=b.example.",
                "A=b.example",
                "a=B.example",
                "a.b=b.example",
                "a=b=c",
                "a=b..example",
                "-a=b.example",
                "\uFEFFa=b.example",
                "a=ü.example",
                "a=b_c.example"
            })
    void invalidFederationsAreRefused(String text) {
        assertThat(errors(Map.of("federations", text)))
                .isNotEmpty()
                .allMatch(error -> error.startsWith("federations["));
    }

    @Test
    void aDomainWithALabelThatDnsCannotHoldIsRefused() {
        assertThat(error("federations", "a=" + "b".repeat(64) + ".example")).contains("federations[0]: not a domain");
        assertThat(parse("federations", "a=" + "b".repeat(63) + ".example").federations())
                .hasSize(1);
    }

    // stubDomains

    @ParameterizedTest
    @ValueSource(
            strings = {
                "acme.example.",
                "Acme.example",
                "",
                ".",
                "a..b",
                "*.example",
                "a_b.example",
                "-a.example",
                "a/b",
                " a.example"
            })
    void aStubDomainIsASubdomainInLowerCase(String domain) {
        assertThat(error("stubDomains", "{\"" + domain + "\": [\"10.0.0.1\"]}"))
                .startsWith("stubDomains[\"" + domain + "\"]: not a domain")
                .endsWith("\"" + domain + "\"");
    }

    @Test
    void aDomainOfTheClusterIsNotAStubDomain() {
        String text = "{\"cluster.local\": [\"10.0.0.1\"]}";
        assertThat(error("stubDomains", text)).contains("stubDomains[\"cluster.local\"]", "remove it");
        assertThatThrownBy(() -> KubeDnsConfig.parseForNodeCache(Map.of("stubDomains", text), CLUSTER))
                .isInstanceOf(InvalidKubeDnsConfigException.class);
        assertThat(KubeDnsConfig.parse(Map.of("stubDomains", text), List.of()).stubDomains())
                .hasSize(1);
        assertThat(KubeDnsConfig.parse(Map.of("stubDomains", text), List.of(DnsLabels.parse("local")))
                        .stubDomains())
                .hasSize(1);
        assertThatThrownBy(() ->
                        KubeDnsConfig.parse(Map.of("stubDomains", text), List.of(DnsLabels.parse("Cluster.LOCAL."))))
                .isInstanceOf(InvalidKubeDnsConfigException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "10.0.0.1, 10.0.0.1",
        "10.0.0.1:53, 10.0.0.1",
        "10.0.0.1:1, 10.0.0.1:1",
        "10.0.0.1:65535, 10.0.0.1:65535",
        "2001:DB8:0::1, 2001:db8::1",
        "[2001:db8::1]:53, 2001:db8::1",
        "[2001:db8::1]:5353, [2001:db8::1]:5353",
        "::ffff:10.0.0.1, 10.0.0.1",
        "dns.example, dns.example",
        "dns, dns",
        "1dns.2x, 1dns.2x"
    })
    void aServerOfAStubDomainIsAnAddressOrAHostName(String text, String printed) {
        KubeDnsConfig config = parse("stubDomains", "{\"a.example\": " + listOf(text) + "}");
        assertThat(config.stubDomains().get(DnsLabels.parse("a.example")))
                .singleElement()
                .hasToString(printed);
        assertThat(parse("stubDomains", "{\"a.example\": " + listOf(printed) + "}"))
                .isEqualTo(config);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                " ",
                "10.0.0.256",
                "10.0.0",
                "010.0.0.1",
                "10.0.0.1:0",
                "10.0.0.1:65536",
                "10.0.0.1:",
                "10.0.0.1:+53",
                "10.0.0.1:99999999999",
                "10.0.0.1:\u0661",
                "[10.0.0.1]:53",
                "[2001:db8::1]",
                "2001:db8::1%eth0",
                "[]:53",
                ":53",
                "dns.example:53",
                "dns.example.",
                "DNS.example",
                "dns_.example",
                "dns://10.0.0.1",
                "tls://10.0.0.1",
                "10.0.0.1,10.0.0.2",
                "/etc/resolv.conf"
            })
    void anInvalidServerIsRefused(String text) {
        assertThat(error("stubDomains", "{\"a.example\": [\"10.0.0.1\", \"" + text + "\"]}"))
                .startsWith("stubDomains[\"a.example\"][1]: not an IP address")
                .endsWith("or a host name: \"" + text + "\"");
        assertThat(error("upstreamNameservers", listOf(text))).startsWith("upstreamNameservers[0]: not an IP address");
    }

    @Test
    void aStubDomainHasAtLeastOneServer() {
        assertThat(error("stubDomains", "{\"a.example\": []}")).endsWith("no server; name one, or remove the domain");
    }

    /** kube-dns does the same. */
    @Test
    void theLastValueOfARepeatedDomainIsUsed() {
        assertThat(parse("stubDomains", "{\"a.example\": [\"10.0.0.1\"], \"a.example\": [\"10.0.0.2\"]}")
                        .stubDomains())
                .containsOnly(Map.entry(DnsLabels.parse("a.example"), List.of(new KubeDnsServer("10.0.0.2", 53))));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "[]                       | stubDomains: expected an object, found a list",
                "\"a\"                    | expected an object, found text",
                "7                        | expected an object, found a number",
                "{\"a\": \"10.0.0.1\"}    | stubDomains[\"a\"]: expected a list of servers, found text",
                "{\"a\": {\"b\": []}}     | stubDomains[\"a\"]: expected a list of servers, found an object",
                "{\"a\": null}            | stubDomains[\"a\"]: expected a list of servers, found null",
                "{\"a\": [7]}             | stubDomains[\"a\"][0]: expected text, found a number",
                "{\"a\": [null]}          | stubDomains[\"a\"][0]: expected text, found null",
                "{\"a\": [[\"::1\"]]}     | stubDomains[\"a\"][0]: expected text, found a list",
                "{\"a\": [\"::1\"]        | stubDomains: line 1",
                "{\"a\": [\"::1\",]}      | stubDomains: line 1",
                "{\"a\": [\"::1\"]} {}    | stubDomains: line 1: text after the value",
                "{a: [\"::1\"]}           | stubDomains: line 1",
                "a=10.0.0.1               | stubDomains: line 1"
            })
    void aWrongTypeOrBrokenJsonIsReportedWithItsPosition(String text, String expected) {
        assertThat(error("stubDomains", text)).contains(expected);
    }

    @Test
    void theLineOfBrokenJsonIsReported() {
        assertThat(error("stubDomains", "{\n  \"a\": [\n  }\n}")).startsWith("stubDomains: line 3: ");
    }

    // upstreamNameservers

    @Test
    void atMostThreeUpstreamServersAreAllowed() {
        assertThat(parse("upstreamNameservers", "[\"10.0.0.1\", \"10.0.0.2\", \"10.0.0.3\"]")
                        .upstreamNameservers())
                .extracting(KubeDnsServer::host)
                .containsExactly("10.0.0.1", "10.0.0.2", "10.0.0.3");
        assertThat(error("upstreamNameservers", "[\"10.0.0.1\", \"10.0.0.2\", \"10.0.0.3\", \"10.0.0.4\"]"))
                .startsWith("upstreamNameservers: 4 servers, at most three");
    }

    @Test
    void anUpstreamServerIsNotAHostName() {
        assertThat(error("upstreamNameservers", "[\"10.0.0.1\", \"dns.example\"]"))
                .startsWith("upstreamNameservers[1]: not an IP address")
                .endsWith("\"dns.example\"")
                .doesNotContain("host name");
    }

    // the node cache

    @Test
    void theNodeCacheAcceptsTransportsAndTheRoot() {
        assertThat(parseForNodeCache("stubDomains", "{\"\": [\"tls://10.0.0.1\"]}")
                        .stubDomains())
                .containsOnly(Map.entry(DnsLabels.EMPTY, List.of(new KubeDnsServer("10.0.0.1", 853, true))));
        assertThat(parseForNodeCache(
                                "upstreamNameservers",
                                "[\"dns://10.0.0.1\", \"tls://[2001:db8::1]:8853\", \"10.0.0.2:54\"]")
                        .upstreamNameservers())
                .extracting(KubeDnsServer::toString)
                .containsExactly("10.0.0.1", "tls://[2001:db8::1]:8853", "10.0.0.2:54");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dns.example",
                "tls://dns.example",
                "https://10.0.0.1",
                "grpc://10.0.0.1",
                "tls://",
                "tls://dns://10.0.0.1",
                "TLS://10.0.0.1"
            })
    void theNodeCacheAcceptsOnlyAddresses(String text) {
        for (String key : List.of("stubDomains", "upstreamNameservers")) {
            String list = listOf(text);
            assertThatThrownBy(() -> parseForNodeCache(key, key.equals("stubDomains") ? "{\"a\": " + list + "}" : list))
                    .isInstanceOf(InvalidKubeDnsConfigException.class)
                    .hasMessageContaining(text);
        }
    }

    // complete ConfigMaps

    @Test
    void oneInvalidEntryRefusesAllAndAllErrorsAreReported() {
        assertThat(errors(Map.of(
                        "stubDomains",
                        "{\"a.example\": [\"10.0.0.1\"], \"B\": [\"x:y\"]}",
                        "upstreamNameservers",
                        "[\"dns\", \"10.0.0.1\"]",
                        "federations",
                        "x")))
                .hasSize(4)
                .satisfiesExactly(
                        error -> assertThat(error).startsWith("stubDomains[\"B\"]: "),
                        error -> assertThat(error).startsWith("stubDomains[\"B\"][0]: "),
                        error -> assertThat(error).startsWith("upstreamNameservers[0]: "),
                        error -> assertThat(error).startsWith("federations[0]: "));
    }

    @Test
    void theMessageContainsEveryError() {
        assertThatThrownBy(() -> parse("federations", "x,y"))
                .hasMessageContaining("federations[0]: ")
                .hasMessageContaining("federations[1]: ")
                .hasMessageNotContaining("\n");
    }

    // hostile input

    @Test
    void aByteOrderMarkIsReported() {
        assertThat(error("stubDomains", "\uFEFF{}")).contains("byte order mark");
        assertThat(error("upstreamNameservers", "\uFEFF[]")).contains("byte order mark");
    }

    @Test
    void deepNestingIsRefused() {
        assertThat(error("stubDomains", "{\"a\":" + "[".repeat(100_000))).contains("nested deeper");
        assertThat(error("upstreamNameservers", "[".repeat(500_000))).contains("nested deeper");
        assertThat(error("upstreamNameservers", "[".repeat(50) + "]".repeat(50)))
                .contains("expected text, found a list");
    }

    @Test
    void aTextThatNoConfigMapCanHoldIsRefusedUnread() {
        String large = " ".repeat(KubeDnsParser.LARGEST) + "[]";
        assertThat(error("upstreamNameservers", large)).contains("1 MiB");
        assertThat(error("federations", large)).contains("1 MiB");
    }

    @Test
    void thousandsOfErrorsAreCountedAndTheFirstHundredKept() {
        String servers =
                IntStream.range(0, 50_000).mapToObj(i -> "\"x:" + i + "\"").collect(Collectors.joining(","));
        List<String> errors = errors(Map.of("stubDomains", "{\"a\": [" + servers + "]}"));
        assertThat(errors).hasSize(101).last().asString().isEqualTo("and: 49900 more errors");
    }

    @Test
    void aLongValueIsCutAndControlCharactersAreBlanks() {
        assertThat(error("stubDomains", "{\"a\": [\"" + "x:".repeat(100_000) + "\"]}"))
                .hasSizeLessThan(700);
        assertThat(error("stubDomains", "{\"a\": [\"x\\n\\u001b[31m\"]}")).doesNotContain("\n", "\u001b");
    }

    // values

    @Test
    void aServerIsCheckedAndComparedByValue() {
        assertThat(new KubeDnsServer("2001:DB8::1", 53)).isEqualTo(new KubeDnsServer("2001:db8:0::1", 53));
        assertThat(new KubeDnsServer("10.0.0.1", 53).address()).isPresent();
        assertThat(new KubeDnsServer("dns.example", 53).address()).isEmpty();
        assertThatThrownBy(() -> new KubeDnsServer("dns.example.", 53)).hasMessageContaining("host");
        assertThatThrownBy(() -> new KubeDnsServer("10.0.0.1", 0)).hasMessageContaining("port");
        assertThatThrownBy(() -> new KubeDnsServer("10.0.0.1", 65536)).hasMessageContaining("port");
    }
}
