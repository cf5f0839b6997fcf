package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.Manifests;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.verify.Expectation;
import io.k8sdns.zone.ClusterZone;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Type;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/** Tests the formats of {@code verify} and {@code --peer}, with servers that deny some names. */
@Timeout(300)
class VerifyOutputTest {
    private static final String MANIFEST = """
            apiVersion: v1
            kind: Namespace
            metadata: {name: shop}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: db, namespace: shop}
            spec:
              clusterIP: None
              ports: [{name: postgres, port: 5432}]
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata:
              name: db-1
              namespace: shop
              labels: {kubernetes.io/service-name: db}
            addressType: IPv4
            ports: [{name: postgres, port: 5432, protocol: TCP}]
            endpoints:
            - {addresses: [10.244.0.9], hostname: db-0}
            - {addresses: [10.244.0.10]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: api, namespace: shop}
            spec: {containers: [{name: api, image: api}]}
            status: {phase: Running, podIP: 10.244.0.20, podIPs: [{ip: 10.244.0.20}, {ip: "fd00::20"}]}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: old, namespace: shop, deletionTimestamp: "2026-01-01T00:00:00Z"}
            spec: {containers: [{name: old, image: old}]}
            status: {phase: Running, podIP: 10.244.0.21}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: six, namespace: shop}
            spec: {containers: [{name: six, image: six}]}
            status: {phase: Running, podIP: "fd00:1::"}
            """;

    private static final String[] PEER = {"--peer", "coredns"};

    @TempDir
    private Path folder;

    private String manifest;

    @BeforeEach
    void write() throws IOException {
        manifest = Files.writeString(folder.resolve("cluster.yaml"), MANIFEST).toString();
    }

    private DnsResolver right() throws IOException {
        ClusterSnapshot objects = Manifests.read(Path.of(manifest));
        return ResolverChain.of(ClusterZone.of(objects, ZoneSettings.DEFAULTS));
    }

    /** Runs verify with a server that answers NXDOMAIN for some names. */
    private Run verify(Predicate<String> denied, String... options) throws IOException {
        DnsResolver right = right();
        DnsResolver empty = ResolverChain.of(ClusterZone.create());
        return verify(
                (question, client) ->
                        (denied.test(question.name().toString()) ? empty : right).resolve(question, client),
                options);
    }

    private Run verify(DnsResolver peer, String... options) throws IOException {
        try (DnsServer server = DnsServer.start(peer, 0)) {
            return Run.of(List.of("verify", "--server", "127.0.0.1:" + server.port(), "-f", manifest), options);
        }
    }

    /** Returns whether CoreDNS denies a name. */
    private static boolean isDeniedByCoreDns(String name) {
        return name.startsWith("_tcp.") || name.startsWith("10-244-0-9.db.");
    }

    @Test
    void knownDifferencesOfAPeerAreCountedAndNoFailure() throws IOException {
        Run alone = verify(VerifyOutputTest::isDeniedByCoreDns);
        assertThat(alone.code()).isEqualTo(Main.FAILED);
        assertThat(alone.lines()).hasSize(7).last().asString().endsWith(" names, 3 differences");
        Run peer = verify(VerifyOutputTest::isDeniedByCoreDns, "--peer", "coredns");
        assertThat(peer.code()).as(peer.out()).isZero();
        assertThat(peer.lines())
                .containsExactlyInAnyOrder(
                        "explained: 1 difference: " + CoreDnsDifferences.PROTOCOL_NAME,
                        "explained: 2 differences: " + CoreDnsDifferences.DASHED_NAME,
                        alone.lines().get(6) + ", 3 of them explained");
    }

    @Test
    void explainedDifferencesOfAPeerHaveNoReason() throws IOException {
        Run run = verify(name -> isDeniedByCoreDns(name) || name.startsWith("db-0."), "--peer", "coredns");
        assertThat(run.lines().stream().filter(line -> line.startsWith("  because: ")))
                .containsExactly(
                        "  because: EndpointSlice shop/db-1, endpoints[0].addresses[0] (specification 2.4.1)",
                        "  because: Service shop/db: the name has records, but none of type AAAA");
    }

    @Test
    void namesOfPodsThatCoreDnsDoesNotKnowAreExplained() throws IOException {
        Run explained =
                verify(name -> name.matches("(fd00--20|10-244-0-21|fd00-1--0)[.]shop[.]pod[.].*"), "--peer", "coredns");
        assertThat(explained.code()).as(explained.out()).isZero();
        assertThat(explained.lines())
                .contains(
                        "explained: 2 differences: " + CoreDnsDifferences.POD_ADDRESS,
                        "explained: 2 differences: " + CoreDnsDifferences.TERMINATING_POD,
                        "explained: 2 differences: " + CoreDnsDifferences.SPELLING);
        Run other = verify(name -> name.startsWith("10-244-0-20.shop.pod."), "--peer", "coredns");
        assertThat(other.code()).isEqualTo(Main.FAILED);
    }

    /** The Corefile of kubeadm has "fallthrough in-addr.arpa ip6.arpa". */
    @Test
    void answersOfUpstreamServersForUnusedAddressesAreExplained() throws IOException {
        Run others = verify(answeringUnusedAddresses(question -> pointer(question, "router.example.com.")), PEER);
        assertThat(others.code()).as(others.out()).isZero();
        assertThat(others.lines())
                .anyMatch(line ->
                        line.matches("explained: \\d differences?: \\Q" + CoreDnsDifferences.UNUSED_ADDRESS + "\\E"));
        Run ofTheCluster =
                verify(answeringUnusedAddresses(question -> pointer(question, "old.shop.svc.cluster.local.")), PEER);
        assertThat(ofTheCluster.code()).isEqualTo(Main.FAILED);
        for (int rcode : List.of(Rcode.FORMERR, Rcode.SERVFAIL, Rcode.NOTIMP, Rcode.REFUSED)) {
            Run failed = verify(answeringUnusedAddresses(question -> Answer.failure(rcode)), PEER);
            assertThat(failed.code()).as(failed.out()).isEqualTo(Main.FAILED);
        }
    }

    /** Returns a server that answers questions about the names of unused addresses in another way. */
    private DnsResolver answeringUnusedAddresses(Function<Question, Answer> others) throws IOException {
        DnsResolver right = right();
        return (question, client) -> right.resolve(question, client)
                .map(answer -> question.type().number() == Type.PTR && answer.rcode() == Rcode.NXDOMAIN
                        ? others.apply(question)
                        : answer);
    }

    private static Answer pointer(Question question, String target) {
        PTRRecord pointer = new PTRRecord(question.name(), DClass.IN, 30, Name.fromConstantString(target));
        return Answer.builder(Rcode.NOERROR)
                .answer(List.of(RecordSet.of(pointer)))
                .build();
    }

    @Test
    void otherDifferencesOfAPeerAreFailures() throws IOException {
        for (String name : List.of("10-244-0-10.db.", "db-0.db.", "_postgres._tcp.db.", "db.shop.")) {
            Run run = verify(asked -> asked.startsWith(name) || isDeniedByCoreDns(asked), "--peer", "coredns");
            assertThat(run.code()).as(name).isEqualTo(Main.FAILED);
            assertThat(run.lines()).anyMatch(line -> line.contains(": " + name));
            assertThat(run.lines()).noneMatch(line -> line.startsWith("Service") && line.contains(" _tcp."));
        }
    }

    @Test
    void jsonYamlAndNameOutputListTheDifferences() throws IOException {
        Run json =
                verify(name -> name.startsWith("_tcp.") || name.startsWith("db-0."), "--peer", "coredns", "-o", "json");
        assertThat(json.code()).isEqualTo(Main.FAILED);
        assertThat(json.out().lines()).hasSize(1);
        assertThat(json.out())
                .contains(
                        "\"name\": \"db-0.db.shop.svc.cluster.local.\", \"type\": \"A\", \"transports\": [\"udp\", \"tcp\"], "
                                + "\"difference\": \"expected 10.244.0.9, got NXDOMAIN\", \"explanation\": null, \"because\": \"EndpointSlice shop/db-1, "
                                + "endpoints[0].addresses[0] (specification 2.4.1)\"}")
                .contains(
                        "\"difference\": \"expected no record (NODATA), got NXDOMAIN\", \"explanation\": \"_tcp and _udp")
                .contains("\", \"because\": null}");
        Object yaml = new Yaml(new SafeConstructor(new LoaderOptions()))
                .load(verify(name -> false, "-o", "yaml").out());
        assertThat(yaml)
                .isInstanceOfSatisfying(
                        Map.class, map -> assertThat(map.get("differences")).isEqualTo(List.of()));
        Run names =
                verify(name -> name.startsWith("_tcp.") || name.startsWith("db-0."), "--peer", "coredns", "-o", "name");
        assertThat(names.lines()).containsExactly("db-0.db.shop.svc.cluster.local.");
    }

    @Test
    void junitHasACaseForEachQuestion() throws Exception {
        Run run = verify(
                name -> name.startsWith("_tcp.") || name.startsWith("db-0."), "--peer", "coredns", "-o", "junit");
        Element suite = testSuite(run);
        NodeList cases = suite.getElementsByTagName("testcase");
        assertThat(suite.getAttribute("tests")).isEqualTo(Integer.toString(cases.getLength()));
        assertThat(cases.getLength()).isGreaterThan(10);
        assertThat(suite.getAttribute("skipped")).isEqualTo("1");
        assertThat(suite.getElementsByTagName("skipped").getLength()).isEqualTo(1);
        NodeList failures = suite.getElementsByTagName("failure");
        assertThat(suite.getAttribute("failures")).isEqualTo(Integer.toString(failures.getLength()));
        Element failure = (Element) failures.item(0);
        assertThat(failure.getAttribute("message")).contains("db-0.db.shop.svc.cluster.local. A: expected 10.244.0.9");
        assertThat(failure.getTextContent())
                .isEqualTo("because: EndpointSlice shop/db-1, endpoints[0].addresses[0] (specification 2.4.1)");
        Element failed = (Element) failure.getParentNode();
        assertThat(failed.getAttribute("name")).isEqualTo("db-0.db.shop.svc.cluster.local. A");
        assertThat(failed.getAttribute("classname")).isEqualTo("Service shop/db");
    }

    private static final String EXPECTED = """
            {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: cart, namespace: shop}
            spec: {clusterIP: 10.96.0.20, ports: [{name: http, port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: gone, namespace: shop}
            spec: {type: ExternalName, externalName: example.com}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: None, ports: [{name: http, port: 80}]}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: web-1, namespace: shop, labels: {kubernetes.io/service-name: web}}
            addressType: IPv4
            ports: [{name: http, port: 8080}]
            endpoints:
            - {addresses: [10.244.0.1]}
            - {addresses: [10.244.0.2]}
            - {addresses: [10.244.0.3]}
            - {addresses: [10.244.0.4]}
            - {addresses: [10.244.0.5], hostname: web-5}
            """;

    /** Another address and another port of cart, no gone, no fifth endpoint of web, and a Service that is not expected. */
    private static final String SERVED = EXPECTED.replace(
                    "10.96.0.20, ports: [{name: http, port: 80}]", "10.96.0.21, ports: [{name: http, port: 81}]")
            .replace("- {addresses: [10.244.0.5], hostname: web-5}\n", "")
            .replace("name: gone", "name: no-such-name");

    @Test
    void eachKindOfDifferenceHasItsReason() throws Exception {
        Files.writeString(Path.of(manifest), EXPECTED);
        ClusterSnapshot served = Manifests.read(Files.writeString(folder.resolve("served.yaml"), SERVED));
        ZoneSettings settings = ZoneSettings.builder().ttlSeconds(77).build();
        DnsResolver server = ResolverChain.of(ClusterZone.of(served, settings));

        Map<String, String> reasons = new LinkedHashMap<>();
        reasons.put(
                "cart.shop.svc.cluster.local. A: missing 10.96.0.20; not expected 10.96.0.21",
                "Service shop/cart, spec.clusterIPs[0] (specification 2.3.1); 10.96.0.21 is neither a cluster IP nor the address of"
                        + " an endpoint, a Pod or a Node in the manifests");
        reasons.put(
                "_http._tcp.cart.shop.svc.cluster.local. SRV: missing port 80 at cart.shop.svc.cluster.local.; not expected "
                        + "port 81 at cart.shop.svc.cluster.local.",
                "Service shop/cart, spec.ports[0] (specification 2.3.2)");
        reasons.put(
                "gone.shop.svc.cluster.local. CNAME: expected example.com., got NXDOMAIN",
                "Service shop/gone, spec.externalName (specification 2.5)");
        reasons.put(
                "web.shop.svc.cluster.local. A: missing 10.244.0.5",
                "EndpointSlice shop/web-1, endpoints[4].addresses[0] (specification 2.4.1)");
        reasons.put(
                "web.shop.svc.cluster.local. SRV: missing port 8080 at web-5.web.shop.svc.cluster.local.",
                "EndpointSlice shop/web-1, ports[0] (specification 2.4.2)");
        reasons.put(
                "no-such-name.shop.svc.cluster.local. A: expected NXDOMAIN, got CNAME example.com.",
                "Service shop/no-such-name: no such Service");

        List<String> text = verify(server).lines();
        String json = verify(server, "-o", "json").out();
        NodeList failures = testSuite(verify(server, "-o", "junit")).getElementsByTagName("failure");
        Map<String, String> junit = new HashMap<>();
        for (int i = 0; i < failures.getLength(); i++) {
            Element failure = (Element) failures.item(i);
            junit.put(failure.getAttribute("message").replaceFirst("^\\S+ \\S+: ", ""), failure.getTextContent());
        }

        reasons.forEach((difference, reason) -> {
            assertThat(IntStream.range(0, text.size()).filter(i -> text.get(i).endsWith(": " + difference)))
                    .as(text.toString())
                    .singleElement()
                    .satisfies(i -> assertThat(text.get(i + 1)).isEqualTo("  because: " + reason));
            assertThat(json)
                    .contains("\"difference\": \"" + difference.replaceFirst("^.*?: ", "")
                            + "\", \"explanation\": null, \"because\": \"" + reason + "\"");
            assertThat(junit).containsEntry(difference, "because: " + reason);
        });
        assertThat(text).as("TTLs are not compared").hasSize(29);
    }

    @ParameterizedTest
    @CsvSource({
        "10.244.0.20, because: Pod shop/api has the address 10.244.0.20",
        "10.244.0.30, 'because: EndpointSlice shop/db-1, endpoints[2], has the address 10.244.0.30, but is not ready'",
        "10.244.0.31, 'because: Pod shop/done has the address 10.244.0.31, but has ended'",
        "192.0.2.7, because: Node n1 has the address 192.0.2.7",
        "203.0.113.7, because: Node n1 has the address 203.0.113.7",
        "203.0.113.8, because: Service shop/edge has the address 203.0.113.8",
        "10.244.0.99, 'because: 10.244.0.99 is neither a cluster IP nor the address of an endpoint, a Pod or a Node in the manifests'",
    })
    void anAddressThatIsNotExpectedHasTheObjectThatHasIt(String address, String next) throws IOException {
        String endpoint = "- {addresses: [10.244.0.10]}\n";
        Files.writeString(
                Path.of(manifest),
                MANIFEST.replace(endpoint, endpoint + "- {addresses: [10.244.0.30], conditions: {ready: false}}\n")
                        + """
                        ---
                        apiVersion: v1
                        kind: Pod
                        metadata: {name: done, namespace: shop}
                        spec: {containers: [{name: done, image: done}]}
                        status: {phase: Succeeded, podIP: 10.244.0.31}
                        ---
                        apiVersion: v1
                        kind: Node
                        metadata: {name: n1}
                        status: {addresses: [{type: InternalIP, address: 192.0.2.7}, {type: ExternalIP, address: 203.0.113.7}]}
                        ---
                        apiVersion: v1
                        kind: Service
                        metadata: {name: edge, namespace: shop}
                        spec: {type: LoadBalancer, clusterIP: 10.96.0.9, ports: [{port: 80}]}
                        status: {loadBalancer: {ingress: [{ip: 203.0.113.8}]}}
                        """);
        ClusterSnapshot served = Manifests.read(Files.writeString(
                folder.resolve("served.yaml"),
                MANIFEST.replace(endpoint, endpoint + "- {addresses: [" + address + "]}\n")));
        List<String> lines = verify(ResolverChain.of(ClusterZone.of(served, ZoneSettings.DEFAULTS)))
                .lines();
        int at = lines.indexOf("Service shop/db: db.shop.svc.cluster.local. A: not expected " + address);
        assertThat(at).as(lines.toString()).isNotNegative();
        assertThat(lines.get(at + 1).strip()).as(lines.toString()).isEqualTo(next);
    }

    private static final String OTHERS =
            EXPECTED.replace("- {addresses: [10.244.0.4]}", "- {addresses: [10.244.0.4], conditions: {ready: false}}")
                    + """
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: pay, namespace: shop}
            spec: {clusterIP: 10.96.0.30, ports: [{name: http, port: 80}, {name: https, port: 443}]}
            """;

    /** The records of the questions, each with one more, and the reason why that should not exist. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "cart A 10.244.0.1 | EndpointSlice shop/web-1 has the address 10.244.0.1",
                "cart A 10.96.0.30 | Service shop/pay has the address 10.96.0.30",
                "cart A 10.244.0.4 | EndpointSlice shop/web-1 has the address 10.244.0.4",
                "web A 10.244.0.4 | EndpointSlice shop/web-1, endpoints[3], has the address 10.244.0.4, but is not ready",
                "_http._tcp.web SRV 0 9 8080 10-244-0-4.web.shop.svc.cluster.local. | EndpointSlice shop/web-1, endpoints[3], has"
                        + " the address 10.244.0.4, but is not ready",
                "_http._tcp.web SRV 0 9 8080 10-244-0-6.web.shop.svc.cluster.local. | 10.244.0.6 is neither a cluster IP nor the"
                        + " address of an endpoint, a Pod or a Node in the manifests",
                "web SRV 0 9 8080 web-6.web.shop.svc.cluster.local. | Service shop/web, spec.selector: no selector, and no endpoint in an"
                        + " EndpointSlice of it has the hostname web-6",
                "web SRV 0 9 8081 web-5.web.shop.svc.cluster.local. | only port 8080 at web-5.web.shop.svc.cluster.local. is"
                        + " expected: EndpointSlice shop/web-1, ports[0] (specification 2.4.2)",
                "_http._tcp.web SRV 0 9 8080 web.shop.svc.cluster.local. | web.shop.svc.cluster.local. exists, but should have no"
                        + " port at _http._tcp.web.shop.svc.cluster.local.",
                "_http._tcp.cart SRV 0 9 80 pay.shop.svc.cluster.local. | pay.shop.svc.cluster.local. exists, but should have no"
                        + " port at _http._tcp.cart.shop.svc.cluster.local.",
                "_http._tcp.cart SRV 0 9 81 cart.shop.svc.cluster.local. | only port 80 at cart.shop.svc.cluster.local. is expected:"
                        + " Service shop/cart, spec.ports[0] (specification 2.3.2)",
                "pay SRV 0 9 81 pay.shop.svc.cluster.local. | only port 80 at pay.shop.svc.cluster.local., port 443 at"
                        + " pay.shop.svc.cluster.local. are expected: Service shop/pay, spec.ports[0] (specification 2.3.2);"
                        + " Service shop/pay, spec.ports[1] (specification 2.3.2)",
                "_http._tcp.cart SRV 0 9 80 10-244-0-9.cart.shop.svc.cluster.local. | Service shop/cart: no published endpoint has the"
                        + " address 10.244.0.9; Service shop/cart, spec.selector: no selector, and no EndpointSlice of it has a ready"
                        + " endpoint",
                "_http._tcp.cart SRV 0 9 80 cart.example.com. | cart.example.com. is no name of the cluster",
                "20.0.96.10.in-addr.arpa PTR old.shop.svc.cluster.local. | Service shop/old: no such Service",
                "20.0.96.10.in-addr.arpa PTR pay.shop.svc.cluster.local. | pay.shop.svc.cluster.local. should have 10.96.0.30: Service"
                        + " shop/pay, spec.clusterIPs[0] (specification 2.3.1)",
                "20.0.96.10.in-addr.arpa PTR gone.shop.svc.cluster.local. | only cart.shop.svc.cluster.local. is expected: Service"
                        + " shop/cart, spec.clusterIPs[0] (specification 2.3.3)",
                "20.0.96.10.in-addr.arpa PTR router.example.com. | router.example.com. is no name of the cluster",
                "5.0.244.10.in-addr.arpa PTR web.shop.svc.cluster.local. | only web-5.web.shop.svc.cluster.local. is expected:"
                        + " EndpointSlice shop/web-1, endpoints[4].addresses[0] (specification 2.4.3)",
                "gone CNAME example.net. | only example.com. is expected: Service shop/gone, spec.externalName (specification 2.5)",
                "dns-version.cluster.local TXT 2.0.0 | only \"1.1.0\" is expected: the zone itself (specification 2.2)",
            })
    void eachKindOfRecordThatIsNotExpectedHasItsReason(String record, String reason) throws Exception {
        Files.writeString(Path.of(manifest), OTHERS);
        String[] words = record.split(" ", 3);
        boolean isComplete = words[0].matches(".*[.](arpa|local)");
        Name name = Name.fromString(words[0] + (isComplete ? "." : ".shop.svc.cluster.local."));
        Record added = Record.fromString(name, Type.value(words[1]), DClass.IN, 0, words[2], Name.root);
        DnsResolver right = right();
        List<String> lines = verify(
                        (question, client) -> right.resolve(question, client).map(answer -> with(added, answer)))
                .lines();
        assertThat(lines).hasSize(3);
        assertThat(lines.get(0)).contains(name + " " + words[1] + ": not expected " + Expectation.data(added));
        assertThat(lines.get(1)).isEqualTo("  because: " + reason);
    }

    /** Returns an answer with one more record, if it has others of its name and type. */
    private static Answer with(Record added, Answer answer) {
        return answer.toBuilder()
                .answer(answer.answer().stream()
                        .map(set -> set.owner().equals(added.getName()) && set.typeNumber() == added.getType()
                                ? with(added, set)
                                : set)
                        .toList())
                .build();
    }

    private static RecordSet with(Record added, RecordSet set) {
        long ttl = set.records().get(0).getTTL();
        Record sameTtl =
                Record.newRecord(added.getName(), added.getType(), DClass.IN, ttl, added.rdataToWireCanonical());
        return RecordSet.of(
                Stream.concat(set.records().stream(), Stream.of(sameTtl)).toList());
    }

    private static Element testSuite(Run run) throws Exception {
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(new ByteArrayInputStream(run.out().getBytes(StandardCharsets.UTF_8)))
                .getDocumentElement();
    }
}
