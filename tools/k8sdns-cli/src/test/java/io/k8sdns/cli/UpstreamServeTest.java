package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsClient;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.zone.ClusterZone;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.GenericEDNSOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;

/** Tests {@code serve} with upstream servers, which are servers of this project with other zones. */
@Timeout(300)
class UpstreamServeTest {
    private static final String CLUSTER = """
            apiVersion: v1
            kind: Service
            metadata: {name: data, namespace: prod}
            spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: pay, namespace: prod}
            spec: {type: ExternalName, externalName: www.shop.svc.example.com}
            ---
            apiVersion: v1
            kind: Pod
            metadata: {name: client, namespace: test}
            spec: {containers: [{name: a, image: a}]}
            status: {phase: Running, podIPs: [{ip: 127.0.0.1}]}
            """;

    @TempDir
    private Path folder;

    private final List<Question> asked = new CopyOnWriteArrayList<>();

    /** Starts a server of {@code www.shop.svc.ZONE}, which records its questions. */
    private DnsServer upstream(String zone, String address) throws IOException {
        ClusterZone names = ClusterZone.create(ZoneSettings.builder().zone(zone).build());
        names.put(ClusterIpService.of("shop", "www", address), ExternalNameService.of("shop", "far", "x.example.net"));
        ResolverChain chain = ResolverChain.of(names);
        DnsResolver counting = (question, client) -> {
            // Ignores loop probes.
            if (question.type().equals(RecordType.A)) {
                asked.add(question);
            }
            return chain.resolve(question, client);
        };
        return DnsServer.start(counting, 0);
    }

    private static String text(DnsServer server) {
        return "127.0.0.1:" + server.port();
    }

    private RunningServer serve(String... options) throws Exception {
        Path manifest = Files.writeString(folder.resolve("cluster.yaml"), CLUSTER);
        return RunningServer.atFreePort(List.of(options), manifest.toString());
    }

    /** Starts a server with search lists, and a resolv.conf of the host with these search domains. */
    private RunningServer serveWithSearches(String searches, String... options) throws Exception {
        List<String> all = new ArrayList<>(List.of(options));
        all.addAll(List.of("--resolv-conf", resolvConf("search " + searches)));
        return serve(all.toArray(String[]::new));
    }

    private String resolvConf(String text) throws IOException {
        return Files.writeString(folder.resolve("host.conf"), text + "\n").toString();
    }

    private static Answer ask(RunningServer server, String name, RecordType type) throws IOException {
        try (DnsClient client = new DnsClient()) {
            InetSocketAddress address = HostAndPort.parse(server.address()).address();
            return client.ask(Question.of(name, type), address, Duration.ofMinutes(2));
        }
    }

    private static Answer ask(RunningServer server, String name) throws IOException {
        return ask(server, name, RecordType.A);
    }

    @Test
    void otherNamesAreForwardedToTheServersOfTheLongestDomain() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                DnsServer corp = upstream("corp.example.com", "192.0.2.8");
                RunningServer server =
                        serve("--forward", text(com), "--stub-domain", "corp.example.com=" + text(corp))) {
            Answer answer = ask(server, "www.shop.svc.example.com");
            assertThat(answer.addresses()).containsExactly("192.0.2.7");
            assertThat(answer.recursionAvailable()).isTrue();
            assertThat(answer.authoritative()).isFalse();
            assertThat(ask(server, "www.shop.svc.corp.example.com").addresses()).containsExactly("192.0.2.8");
            assertThat(ask(server, "no.shop.svc.example.com").status()).isEqualTo(AnswerStatus.NXDOMAIN);
            assertThat(ask(server, "no.example.org").status()).isEqualTo(AnswerStatus.REFUSED);

            assertThat(ask(server, "data.prod.svc.cluster.local").addresses()).containsExactly("10.96.0.20");
            assertThat(ask(server, "no.prod.svc.cluster.local").status()).isEqualTo(AnswerStatus.NXDOMAIN);
            Answer alias = ask(server, "pay.prod.svc.cluster.local");
            assertThat(alias.cnames()).containsExactly(Name.fromString("www.shop.svc.example.com."));
            assertThat(alias.addresses()).containsExactly("192.0.2.7");
        }
    }

    @ParameterizedTest
    @EnumSource(Client.Transport.class)
    void onlyQueriesAreForwarded(Client.Transport transport) throws Exception {
        String name = "www.example.com.";
        try (NodeCacheUpstream root = NodeCacheUpstream.holding(name + " 60 IN A 192.0.2.7");
                RunningServer server = serve("--forward", root.address());
                DnsClient client = new DnsClient()) {
            InetSocketAddress address = HostAndPort.parse(server.address()).address();
            for (int opcode = 1; opcode <= 15; opcode++) {
                Message other = Message.newQuery(Record.newRecord(Name.fromString(name), Type.SOA, DClass.IN));
                other.getHeader().setOpcode(opcode);
                Message response =
                        new Message(client.exchange(other.toWire(), address, transport, Duration.ofMinutes(2)));
                assertThat(response.getRcode()).as("opcode %s", opcode).isEqualTo(Rcode.NOTIMP);
            }
            assertThat(ask(server, name).addresses()).containsExactly("192.0.2.7");
            assertThat(root.received())
                    .extracting(one -> one.question().toString())
                    .containsExactly(name + " A");
        }
    }

    /** Returns how many of thirty queries for different names each of two servers received. */
    private List<Integer> queriesOfTwoServers(String... policy) throws Exception {
        try (NodeCacheUpstream first = NodeCacheUpstream.holding();
                NodeCacheUpstream second = NodeCacheUpstream.holding()) {
            List<String> options =
                    new ArrayList<>(List.of("--forward", first.address(), "--forward", second.address()));
            options.addAll(List.of(policy));
            try (RunningServer server = serve(options.toArray(String[]::new))) {
                for (int i = 0; i < 30; i++) {
                    assertThat(ask(server, "n" + i + ".example.com").status()).isEqualTo(AnswerStatus.NXDOMAIN);
                }
            }
            return List.of(first.received().size(), second.received().size());
        }
    }

    @Test
    void theServersOfForwardAreQueriedByThePolicy() throws Exception {
        List<Integer> inOrder = queriesOfTwoServers("--forward-policy", "sequential");
        assertThat(inOrder.get(0)).isGreaterThanOrEqualTo(29);
        assertThat(inOrder.get(1))
                .as("a lost datagram is sent to the next server")
                .isLessThanOrEqualTo(1);
        assertThat(queriesOfTwoServers("--forward-policy", "round-robin"))
                .as("a loop probe may take a turn")
                .allSatisfy(queries -> assertThat(queries).isBetween(14, 16));
        // A random choice of one server alone has a probability of one in half a billion.
        assertThat(queriesOfTwoServers()).doesNotContain(0);
        assertThat(queriesOfTwoServers("--forward-policy", "random")).doesNotContain(0);
    }

    @Test
    void onlyForwardedAnswersAreCached() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer cached = serve("--forward", text(com));
                RunningServer uncached = serve("--forward", text(com), "--cache-size", "0")) {
            for (int i = 0; i < 3; i++) {
                assertThat(ask(cached, "www.shop.svc.example.com").addresses()).containsExactly("192.0.2.7");
            }
            assertThat(asked).hasSize(1);
            for (int i = 0; i < 3; i++) {
                assertThat(ask(uncached, "WWW.shop.svc.example.com").addresses())
                        .containsExactly("192.0.2.7");
            }
            assertThat(asked).hasSize(4);
        }
    }

    /** Returns the TTLs in the answers for an address with TTL 7200, and for a name that is missing for as long. */
    private List<Long> servedTtls(String... cache) throws Exception {
        try (NodeCacheUpstream outside = NodeCacheUpstream.start(NodeCacheUpstream.ready(UpstreamServeTest::lasting))) {
            List<String> options = new ArrayList<>(List.of("--forward", outside.address()));
            options.addAll(List.of(cache));
            List<Long> ttls = new ArrayList<>();
            try (RunningServer server = serve(options.toArray(String[]::new))) {
                for (String name : List.of("www.example.com", "no.example.com")) {
                    long first = ttl(ask(server, name));
                    assertThat(ttl(ask(server, name))).as("the next client").isBetween(0L, first);
                    ttls.add(first);
                }
            }
            return ttls;
        }
    }

    private static Answer lasting(Question question) {
        Message message = new Message();
        if (question.name().equals(Name.fromConstantString("www.example.com."))) {
            message.addRecord(
                    new ARecord(question.name(), DClass.IN, 7200, new byte[] {(byte) 192, 0, 2, 7}), Section.ANSWER);
        } else {
            message.getHeader().setRcode(Rcode.NXDOMAIN);
            Name zone = Name.fromConstantString("example.com.");
            message.addRecord(
                    new SOARecord(zone, DClass.IN, 7200, zone, zone, 1, 7200, 7200, 7200, 7200), Section.AUTHORITY);
        }
        return Answer.of(message);
    }

    private static long ttl(Answer answer) {
        return (answer.answer().isEmpty() ? answer.authority() : answer.answer())
                .get(0)
                .ttlSeconds();
    }

    @Test
    void theTtlsOfForwardedAnswersAreBounded() throws Exception {
        assertServedTtls(3600, 1800);
        assertServedTtls(30, 30, "--cache-max-ttl", "30");
        assertServedTtls(2000, 1800, "--cache-max-ttl", "2000");
        // Below the minimum.
        assertServedTtls(3, 3, "--cache-max-ttl", "3");
        assertServedTtls(3600, 10, "--cache-max-negative-ttl", "10");
        assertServedTtls(30, 60, "--cache-max-ttl", "30", "--cache-max-negative-ttl", "60");
        assertThat(servedTtls("--cache-max-ttl", "0")).as("not cached").containsExactly(7200L, 7200L);
    }

    /** Asserts the TTLs of first answers. The TTL of an answer that the server has just cached can be lower by the time that passed. */
    private void assertServedTtls(long address, long missing, String... cache) throws Exception {
        List<Long> ttls = servedTtls(cache);
        assertThat(ttls.get(0)).isBetween(address - 2, address);
        assertThat(ttls.get(1)).isBetween(missing - 2, missing);
    }

    /** Returns the first answer that differs from the cached one, {@code 192.0.2.7} alone, or has an extended error. */
    private static Answer afterExpiry(RunningServer server) throws IOException {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        Answer answer = ask(server, "www.example.com");
        while (answer.extendedError().isEmpty() && answer.addresses().equals(List.of("192.0.2.7"))) {
            assertThat(System.nanoTime()).isLessThan(end);
            answer = ask(server, "www.example.com");
        }
        return answer;
    }

    @Test
    void aStaleAnswerIsServedIfTheServersFail() throws Exception {
        NodeCacheUpstream outside = NodeCacheUpstream.start(NodeCacheUpstream.ready(UpstreamServeTest::lasting));
        try (RunningServer server =
                serve("--forward", outside.address(), "--cache-max-ttl", "1", "--serve-stale", "600")) {
            assertThat(ask(server, "www.example.com").addresses()).containsExactly("192.0.2.7");
            outside.close();
            Answer answer = afterExpiry(server);
            assertThat(answer.addresses()).containsExactly("192.0.2.7");
            assertThat(answer.extendedError().orElseThrow().code()).isEqualTo(ExtendedError.STALE_ANSWER);
            assertThat(ttl(answer)).isEqualTo(30);
        }
    }

    @ParameterizedTest
    @CsvSource({"immediate, 192.0.2.7", "on-failure, 192.0.2.8"})
    void aStaleAnswerIsServedImmediatelyOnRequest(String mode, String afterExpiry) throws Exception {
        AtomicInteger queries = new AtomicInteger();
        DnsResolver changing = NodeCacheUpstream.ready(question -> NodeCacheUpstream.answer(
                question, "www.example.com. 60 IN A 192.0.2." + (queries.getAndIncrement() == 0 ? 7 : 8)));
        try (NodeCacheUpstream outside = NodeCacheUpstream.start(
                        (question, client) -> question.type().equals(RecordType.A)
                                ? changing.resolve(question, client)
                                : new Resolution.Ready(Answer.failure(Rcode.REFUSED)));
                RunningServer server = serve(
                        "--forward",
                        outside.address(),
                        "--cache-max-ttl",
                        "1",
                        "--serve-stale",
                        "600",
                        "--serve-stale-mode",
                        mode)) {
            assertThat(ask(server, "www.example.com").addresses()).containsExactly("192.0.2.7");
            Answer answer = mode.equals("immediate") ? afterExpiry(server) : firstFresh(server);
            assertThat(answer.addresses()).containsExactly(afterExpiry);
        }
    }

    /**
     * Returns the first answer that differs from the cached one, {@code 192.0.2.7} alone. On a slow machine stale answers can precede
     * it, but the server must have waited for each.
     */
    private static Answer firstFresh(RunningServer server) throws IOException {
        long end = System.nanoTime() + Duration.ofMinutes(2).toNanos();
        while (true) {
            long start = System.nanoTime();
            assertThat(start).isLessThan(end);
            Answer answer = ask(server, "www.example.com");
            if (answer.extendedError().isPresent()) {
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isGreaterThan(Duration.ofMillis(1_500));
            } else if (!answer.addresses().equals(List.of("192.0.2.7"))) {
                return answer;
            }
        }
    }

    @Test
    void anAnswerWithHitsIsFetchedAgainBeforeItsTtlExpires() throws Exception {
        for (String hits : List.of("1", "0")) {
            try (NodeCacheUpstream outside =
                            NodeCacheUpstream.start(NodeCacheUpstream.ready(UpstreamServeTest::lasting));
                    RunningServer server = serve(
                            "--forward",
                            outside.address(),
                            "--cache-max-ttl",
                            "1",
                            "--prefetch",
                            hits,
                            "--metrics",
                            "127.0.0.1:0")) {
                for (int i = 0; i < 20; i++) {
                    assertThat(ask(server, "www.example.com").addresses()).containsExactly("192.0.2.7");
                }
                assertThat(metrics(server).lines().anyMatch("k8sdns_cache_prefetch_total 0.0"::equals))
                        .isEqualTo(hits.equals("0"));
            }
        }
    }

    /** Returns a CNAME of the name in a question, and an address of its target. */
    private static Answer alias(Question question, String target) {
        Message message = new Message();
        Name to = Name.fromConstantString(target);
        message.addRecord(new CNAMERecord(question.name(), DClass.IN, 60, to), Section.ANSWER);
        message.addRecord(new ARecord(to, DClass.IN, 60, new byte[] {(byte) 203, 0, 113, 1}), Section.ANSWER);
        return Answer.of(message);
    }

    /** The server of a stub domain returns a CNAME to a name of the cluster, with another address than the cluster has. */
    @Test
    void serversOfAStubDomainCannotAnswerOtherNames() throws Exception {
        String own = "data.prod.svc.cluster.local.";
        try (NodeCacheUpstream stub = NodeCacheUpstream.start(NodeCacheUpstream.ready(question -> alias(
                        question, question.name().toString().startsWith("a.") ? own : "www.shop.svc.example.com.")));
                DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server =
                        serve("--forward", text(com), "--stub-domain", "corp.example=" + stub.address())) {
            for (int cached = 0; cached < 2; cached++) {
                assertThat(ask(server, "a.corp.example").addresses()).containsExactly("10.96.0.20");
                assertThat(ask(server, "b.corp.example").addresses()).containsExactly("192.0.2.7");
            }
            assertThat(stub.received()).as("each is cached").hasSize(2);
        }
    }

    @Test
    void namesBelowTheAutopathSuffixAreForwardedForNoAlias() throws Exception {
        String expanded = "data.prod.search.test.cluster.local.ap.k8s.io.";
        try (NodeCacheUpstream outside =
                        NodeCacheUpstream.start(NodeCacheUpstream.ready(question -> alias(question, expanded)));
                RunningServer server = serveWithSearches("", "--forward", outside.address(), "--autopath", "name")) {
            assertThat(ask(server, expanded).addresses()).containsExactly("10.96.0.20");
            for (int cached = 0; cached < 2; cached++) {
                Answer answer = ask(server, "www.shop.svc.example.com");
                assertThat(answer.status()).isEqualTo(AnswerStatus.NOERROR);
                assertThat(answer.cnames()).containsExactly(Name.fromString(expanded));
                assertThat(answer.addresses()).isEmpty();
                assertThat(ask(server, "pay.prod.svc.cluster.local").cnames())
                        .containsExactly(Name.fromString("www.shop.svc.example.com."), Name.fromString(expanded));
            }
            assertThat(outside.received()).hasSize(1);
        }
    }

    private static String metrics(RunningServer server) throws Exception {
        Matcher url = Pattern.compile("metrics: (http://.*/metrics)").matcher(server.err());
        assertThat(url.find()).as(server.err()).isTrue();
        return HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(URI.create(url.group(1))).build(), HttpResponse.BodyHandlers.ofString())
                .body();
    }

    @Test
    void forwardingAndSearchListsAreCounted() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serveWithSearches(
                        "", "--forward", text(com), "--autopath", "name", "--metrics", "127.0.0.1:0")) {
            Answer unused = ask(server, "www.shop.svc.example.com");
            unused = ask(server, "www.shop.svc.example.com");
            unused = ask(server, "no.search.test.cluster.local.ap.k8s.io");

            assertThat(metrics(server).lines())
                    .contains(
                            "k8sdns_cache_hits_total{type=\"success\"} 1.0",
                            "k8sdns_cache_misses_total 1.0",
                            "k8sdns_cache_entries 1.0",
                            "k8sdns_autopath_expansions_total{lookups=\"3\",mode=\"name\",status=\"nxdomain\"} 1.0")
                    .anyMatch(line ->
                            line.startsWith("k8sdns_proxy_request_duration_seconds_count{proxy_name=\"forward\","
                                    + "rcode=\"NOERROR\",to=\"" + text(com) + "\"} "));
        }
    }

    @Test
    void missingNamesOfAZoneAreForwardedOnRequest() throws Exception {
        try (DnsServer other = upstream("cluster.local", "192.0.2.7");
                RunningServer server = serve("--forward", text(other), "--fallthrough", "cluster.local")) {
            assertThat(ask(server, "www.shop.svc.cluster.local").addresses()).containsExactly("192.0.2.7");
            assertThat(ask(server, "data.prod.svc.cluster.local").addresses()).containsExactly("10.96.0.20");
            assertThat(ask(server, "data.prod.svc.cluster.local", RecordType.AAAA)
                            .status())
                    .isEqualTo(AnswerStatus.NODATA);
            assertThat(ask(server, "prod.svc.cluster.local").status()).isEqualTo(AnswerStatus.NODATA);
            assertThat(asked).hasSize(1);
        }
    }

    @Test
    void missingNamesForWhichThereIsNoServerStayMissing() throws Exception {
        try (NodeCacheUpstream corp =
                        NodeCacheUpstream.holding("7.113.0.203.in-addr.arpa. 60 IN PTR host.corp.example.");
                RunningServer server = serve(
                        "--stub-domain",
                        "113.0.203.in-addr.arpa=" + corp.address(),
                        "--fallthrough",
                        "cluster.local",
                        "--fallthrough",
                        "in-addr.arpa")) {
            requireMissing(ask(server, "no.prod.svc.cluster.local"), "cluster.local.");
            RecordType ptr = RecordType.parse("PTR");
            requireMissing(ask(server, "7.100.51.198.in-addr.arpa", ptr), "in-addr.arpa.");
            assertThat(ask(server, "7.113.0.203.in-addr.arpa", ptr).status()).isEqualTo(AnswerStatus.NOERROR);
        }
    }

    private static void requireMissing(Answer answer, String zone) throws IOException {
        assertThat(answer.status()).isEqualTo(AnswerStatus.NXDOMAIN);
        assertThat(answer.authoritative()).isTrue();
        assertThat(answer.authority())
                .singleElement()
                .matches(set -> set.type().equals(RecordType.parse("SOA")))
                .extracting(RecordSet::owner)
                .isEqualTo(Name.fromString(zone));
    }

    /** The refusal of an upstream server is an answer, also with the extended error of a name without a server. */
    @Test
    void missingNamesThatAnUpstreamServerRefusesAreRefused() throws Exception {
        ExtendedError notAuthoritative = new ExtendedError(ExtendedError.NOT_AUTHORITATIVE, "not served there");
        try (NodeCacheUpstream other = NodeCacheUpstream.start(
                        NodeCacheUpstream.ready(question -> Answer.failure(Rcode.REFUSED, notAuthoritative)));
                RunningServer server = serve("--forward", other.address(), "--fallthrough", "cluster.local")) {
            Answer answer = ask(server, "no.prod.svc.cluster.local");
            assertThat(answer.status()).isEqualTo(AnswerStatus.REFUSED);
            assertThat(answer.extendedError()).contains(notAuthoritative);
        }
    }

    @Test
    void missingNamesAreForwardedToServersOfAConfigMapAmongTheManifests() throws Exception {
        try (NodeCacheUpstream corp =
                NodeCacheUpstream.holding("7.113.0.203.in-addr.arpa. 60 IN PTR host.corp.example.")) {
            Path manifest = Files.writeString(
                    folder.resolve("cluster.yaml"),
                    CLUSTER + "---\napiVersion: v1\nkind: ConfigMap\n"
                            + "metadata: {name: kube-dns, namespace: kube-system}\n"
                            + "data: {stubDomains: '{\"113.0.203.in-addr.arpa\": [\"" + corp.address() + "\"]}'}\n");
            try (RunningServer server =
                    RunningServer.atFreePort(List.of("--fallthrough", "in-addr.arpa"), manifest.toString())) {
                assertThat(ask(server, "7.113.0.203.in-addr.arpa", RecordType.parse("PTR"))
                                .status())
                        .isEqualTo(AnswerStatus.NOERROR);
            }
        }
    }

    /** A ConfigMap with servers can be added later. */
    @Test
    void missingNamesCanBeForwardedLaterIfObjectsCanChange() throws Exception {
        try (StubApi api = StubApi.answering();
                RunningServer live = RunningServer.with(
                        "--kubeconfig=" + api.kubeconfig(folder, "{token: secret}"),
                        "--listen=127.0.0.1:0",
                        "--fallthrough=in-addr.arpa")) {
            assertThat(live.address()).isNotEmpty();
        }
        try (RunningServer watching = serve("--watch", "--fallthrough", "in-addr.arpa")) {
            assertThat(watching.address()).isNotEmpty();
        }
    }

    @Test
    void autopathByPodAllowsZonesOfTheUnusedSuffix() throws Exception {
        for (List<String> options : List.of(
                List.of("--zone", "k8s.io", "--autopath", "pod"),
                List.of("--autopath", "pod", "--cluster-name", "foo", "--federation-zone", "k8s.io"))) {
            try (RunningServer server = serve(options.toArray(String[]::new))) {
                assertThat(server.address()).isNotEmpty();
            }
        }
    }

    @Test
    void aDeadServerIsServfailAndNamesOfTheClusterAreAnswered() throws Exception {
        DnsServer gone = upstream("example.com", "192.0.2.7");
        String address = text(gone);
        gone.close();
        try (RunningServer server = serve("--forward", address)) {
            Answer answer = ask(server, "www.shop.svc.example.com");
            assertThat(answer.status()).isEqualTo(AnswerStatus.SERVFAIL);
            assertThat(answer.extendedError()).isPresent();
            assertThat(ask(server, "data.prod.svc.cluster.local").addresses()).containsExactly("10.96.0.20");
        }
    }

    @Test
    void theConfigMapOfKubeDnsIsUsed() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                DnsServer corp = upstream("corp.example", "192.0.2.8")) {
            Path config = Files.createDirectory(folder.resolve("kube-dns"));
            Files.writeString(config.resolve("stubDomains"), "{\"corp.example\": [\"" + text(corp) + "\"]}");
            Files.writeString(config.resolve("upstreamNameservers"), "[\"" + text(com) + "\"]");
            try (RunningServer server = serve("--kube-dns-config", config.toString())) {
                assertThat(ask(server, "www.shop.svc.example.com").addresses()).containsExactly("192.0.2.7");
                assertThat(ask(server, "www.shop.svc.corp.example").addresses()).containsExactly("192.0.2.8");
            }
            Files.writeString(config.resolve("stubDomains"), "{\"cluster.local\": [\"" + text(corp) + "\"]}");
            try (RunningServer server = serve("--kube-dns-config", config.toString(), "--forward", text(corp))) {
                assertThat(server.err()).contains("warning: the ConfigMap of kube-dns is not used");
                assertThat(ask(server, "www.shop.svc.corp.example").addresses()).containsExactly("192.0.2.8");
            }
            Files.delete(config.resolve("upstreamNameservers"));
            Files.writeString(config.resolve("stubDomains"), "{\"corp.example\": [\"" + text(corp) + "\"]}");
            Path resolvConf =
                    Files.writeString(folder.resolve("resolv.conf"), "nameserver 127.0.0.9\nsearch example\n");
            try (RunningServer server =
                    serve("--kube-dns-config", config.toString(), "--resolv-conf", resolvConf.toString())) {
                assertThat(ask(server, "www.shop.svc.corp.example").addresses()).containsExactly("192.0.2.8");
                assertThat(ask(server, "www.shop.svc.example.com").status())
                        .as("forwarded to the host's server, where nothing listens")
                        .isEqualTo(AnswerStatus.SERVFAIL);
            }
            Run run = Run.of(
                    "serve",
                    "--listen=127.0.0.1:0",
                    "--kube-dns-config=" + config,
                    "--resolv-conf=" + folder.resolve("none"),
                    folder.resolve("cluster.yaml").toString());
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err()).contains(folder.resolve("none").toString());
            Path manifest = Files.writeString(
                    folder.resolve("cluster.yaml"),
                    CLUSTER + "---\napiVersion: v1\nkind: ConfigMap\n"
                            + "metadata: {name: kube-dns, namespace: kube-system}\n"
                            + "data: {stubDomains: '{\"corp.example\": [\"" + text(corp) + "\"]}'}\n");
            try (RunningServer server = RunningServer.atFreePort(List.of(), manifest.toString())) {
                assertThat(ask(server, "www.shop.svc.corp.example").addresses()).containsExactly("192.0.2.8");
                assertThat(ask(server, "www.shop.svc.example.com").status()).isEqualTo(AnswerStatus.REFUSED);
            }
        }
    }

    @Test
    void aConfigMapWithAnUnknownServerDoesNotEndTheServer() throws Exception {
        Path config = Files.createDirectory(folder.resolve("kube-dns"));
        Files.writeString(config.resolve("stubDomains"), "{\"corp.example\": [\"dns.invalid\"]}");
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serve("--kube-dns-config", config.toString(), "--forward", text(com))) {
            assertThat(server.err())
                    .contains(
                            "warning: the ConfigMap of kube-dns is not used, only the options are used: dns.invalid: ");
            assertThat(ask(server, "www.shop.svc.example.com").addresses()).containsExactly("192.0.2.7");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "dnsPolicy: Default",
                "dnsPolicy: None, dnsConfig: {nameservers: [10.96.0.10]}",
                "dnsConfig: {searches: [example.com]}",
                "os: {name: windows}",
                "nodeSelector: {kubernetes.io/os: windows}",
                "hostNetwork: true",
            })
    void podsWithAnotherSearchListAreNotExpandedByTheirAddress(String fields) throws Exception {
        String cluster =
                CLUSTER.replace("spec: {containers: [{name: a,", "spec: {" + fields + ", containers: [{name: a,");
        assertThat(cluster).isNotEqualTo(CLUSTER);
        Path manifest = Files.writeString(folder.resolve("cluster.yaml"), cluster);
        try (RunningServer server = RunningServer.atFreePort(
                List.of("--autopath", "pod", "--resolv-conf", resolvConf("nameserver 192.0.2.53")),
                manifest.toString())) {
            assertThat(ask(server, "data.prod.test.svc.cluster.local").status()).isEqualTo(AnswerStatus.NXDOMAIN);
        }
    }

    @Test
    void searchListsAreExpandedByNameByOptionAndByPod() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serveWithSearches("", "--forward", text(com), "--autopath", "name,option,pod")) {
            assertThat(ask(server, "data.prod.search.test.cluster.local.ap.k8s.io"))
                    .hasToString("""
                    NOERROR (expanded to data.prod.svc.cluster.local.)
                      data.prod.search.test.cluster.local.ap.k8s.io. 5 IN CNAME data.prod.svc.cluster.local.
                      data.prod.svc.cluster.local. 5 IN A 10.96.0.20""");
            assertThat(ask(server, "www.shop.svc.example.com.search.test.cluster.local.ap.k8s.io")
                            .addresses())
                    .containsExactly("192.0.2.7");
            assertThat(ask(server, "no.example.com.search.test.cluster.local.ap.k8s.io")
                            .status())
                    .isEqualTo(AnswerStatus.NXDOMAIN);
            // The Pod of namespace test has the address of this client.
            assertThat(ask(server, "data.prod.test.svc.cluster.local").addresses())
                    .containsExactly("10.96.0.20");
            assertThat(ask(server, "data.prod.other.svc.cluster.local").status())
                    .isEqualTo(AnswerStatus.NXDOMAIN);

            Message query = new Message(4711);
            query.addRecord(Record.newRecord(Name.fromString("data."), Type.A, DClass.IN), Section.QUESTION);
            byte[] list = "prod.svc.cluster.local,svc.cluster.local".getBytes(StandardCharsets.US_ASCII);
            query.addRecord(
                    new OPTRecord(1232, 0, 0, 0, List.of(new GenericEDNSOption(65_433, list))), Section.ADDITIONAL);
            try (DnsClient client = new DnsClient()) {
                Message response = new Message(client.exchange(
                        query.toWire(),
                        HostAndPort.parse(server.address()).address(),
                        io.k8sdns.resolver.Client.Transport.UDP,
                        Duration.ofMinutes(2)));
                assertThat(Answer.of(response).addresses()).containsExactly("10.96.0.20");
                assertThat(response.getOPT().getOptions(65_433)).isEmpty();
            }
            assertThat(asked).noneMatch(question -> question.toString().contains("ap.k8s.io"));
        }
    }

    /** No Pod of the cluster has this list: it is that of every client. */
    @Test
    void theSearchListOfAFileIsThatOfEveryClient() throws Exception {
        Path list = Files.writeString(
                folder.resolve("list.conf"), "search other.svc.cluster.local svc.cluster.local . svc.lab.example\n");
        try (DnsServer all = upstream("lab.example", "192.0.2.7");
                RunningServer server = serveWithSearches(
                        "corp.example",
                        "--forward",
                        text(all),
                        "--autopath",
                        "pod",
                        "--autopath-search-file",
                        list.toString())) {
            assertThat(ask(server, "data.prod.other.svc.cluster.local").addresses())
                    .containsExactly("10.96.0.20");
            assertThat(ask(server, "data.prod.test.svc.cluster.local").status())
                    .as("the namespace of this client")
                    .isEqualTo(AnswerStatus.NXDOMAIN);
            assertThat(ask(server, "www.shop.other.svc.cluster.local").addresses())
                    .containsExactly("192.0.2.7");
            assertThat(server.err()).doesNotContain("corp.example");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "nameserver 192.0.2.53 | list.conf: 0 search domains; --autopath-search-file takes 1 to 32",
                "search . | list.conf: 0 search domains; --autopath-search-file takes 1 to 32",
                "'' | list.conf"
            })
    void aFileWithoutASearchListIsAnError(String content, String message) throws Exception {
        Path list = folder.resolve("list.conf");
        if (!content.isEmpty()) {
            Files.writeString(list, content + "\n");
        }
        UpstreamOptions options = options("/etc/resolv.conf", "--autopath=pod", "--autopath-search-file=" + list);
        assertThatThrownBy(() -> options.readSearches(List.of(), unused -> {}))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(message);
    }

    /** The search list of a Pod, also with autopath. */
    private static final String OF_A_POD = "test.svc.cluster.local svc.cluster.local Cluster.Local."
            + " search.test.cluster.local.ap.k8s.io . a_b.example ";

    @Test
    void theSearchDomainsOfTheHostFollowThoseOfTheCluster() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serveWithSearches(
                        OF_A_POD + "svc.example.com lab.example svc.example.com.",
                        "--forward",
                        text(com),
                        "--autopath",
                        "name,pod")) {
            assertThat(server.err()).contains("host.conf: [svc.example.com, lab.example]" + System.lineSeparator());
            assertThat(ask(server, "www.shop.search.test.cluster.local.ap.k8s.io")
                            .addresses())
                    .containsExactly("192.0.2.7");
            assertThat(ask(server, "www.shop.test.svc.cluster.local").addresses())
                    .as("the Pod of this client")
                    .containsExactly("192.0.2.7");
        }
    }

    @Test
    void searchDomainsOfOptionsReplaceThoseOfTheHost() throws Exception {
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serveWithSearches(
                        "svc.example.com",
                        "--forward",
                        text(com),
                        "--autopath",
                        "name",
                        "--autopath-host-search",
                        "lab.example")) {
            assertThat(ask(server, "www.shop.search.test.cluster.local.ap.k8s.io")
                            .status())
                    .isNotEqualTo(AnswerStatus.NOERROR);
            assertThat(asked.stream().map(question -> question.name().toString()))
                    .contains("www.shop.lab.example.")
                    .doesNotContain("www.shop.svc.example.com.");
        }
    }

    /** Names in a search domain that is not forwarded are REFUSED, so missing names would be SERVFAIL. */
    @Test
    void searchDomainsOfTheHostThatAreNotForwardedAreIgnored() throws Exception {
        String missing = "no.search.test.cluster.local.ap.k8s.io";
        try (RunningServer server = serveWithSearches("lab.example", "--autopath", "name")) {
            assertThat(ask(server, missing).status()).isEqualTo(AnswerStatus.NXDOMAIN);
        }
        try (DnsServer com = upstream("example.com", "192.0.2.7");
                RunningServer server = serveWithSearches(
                        "lab.example svc.example.com",
                        "--autopath",
                        "name",
                        "--stub-domain",
                        "example.com=" + text(com))) {
            assertThat(server.err()).contains("host.conf: [svc.example.com]");
            assertThat(ask(server, missing).status()).isEqualTo(AnswerStatus.NXDOMAIN);
            assertThat(ask(server, "www.shop.search.test.cluster.local.ap.k8s.io")
                            .addresses())
                    .containsExactly("192.0.2.7");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"nameserver", "nameserver fe80::1%lo", "sortlist"})
    void anUnusableLineDoesNotChangeTheSearchDomains(String line) throws Exception {
        String file = resolvConf("search other.example\n" + line + "\n\tsearch corp.example");
        UpstreamOptions options = options("/etc/resolv.conf", "--autopath=name", "--resolv-conf=" + file);
        options.readSearches(List.of(), message -> {});
        assertThat(options.searchesOfHost).hasToString("[corp.example]");
    }

    @Test
    void aResolvConfThatCannotBeReadIsAnErrorUnlessItIsTheDefault() throws Exception {
        String missing = folder.resolve("missing.conf").toString();
        for (String file : List.of(missing, folder.toString())) {
            List<String> messages = new ArrayList<>();
            UpstreamOptions usual = options(file, "--autopath=name");
            usual.readSearches(List.of(), messages::add);
            assertThat(usual.searchesOfHost).isEmpty();
            assertThat(messages).singleElement().asString().startsWith("note: " + file + " cannot be read");

            UpstreamOptions given = options("/etc/resolv.conf", "--autopath=name", "--resolv-conf=" + file);
            assertThatThrownBy(() -> given.readSearches(List.of(), messages::add))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(file);
            UpstreamOptions without = options("/etc/resolv.conf", "--resolv-conf=" + file);
            without.readSearches(List.of(), messages::add);
            assertThat(without.searchesOfHost).isEmpty();
            assertThat(messages).hasSize(1);
        }
    }

    private static UpstreamOptions options(String usualResolvConf, String... arguments) {
        UpstreamOptions options = new UpstreamOptions(usualResolvConf);
        CommandSpec command = CommandSpec.create();
        options.declare(command);
        new CommandLine(command).parseArgs(arguments);
        return options;
    }

    @Test
    void aServerThatForwardsToThisOneEndsIt() throws Exception {
        CompletableFuture<String> self = new CompletableFuture<>();
        List<UpstreamForwarder> forwarders = new ArrayList<>();
        DnsResolver relay = (question, client) -> new Resolution.Pending(self.thenCompose(address -> {
            try {
                UpstreamForwarder forwarder = UpstreamForwarder.start(UpstreamZone.of(".", address));
                forwarders.add(forwarder);
                return ForwardingResolver.builder(forwarder)
                        .build()
                        .resolve(question, client)
                        .toStage();
            } catch (IOException failed) {
                return CompletableFuture.failedFuture(failed);
            }
        }));
        try (DnsServer other = DnsServer.start(relay, 0);
                RunningServer server = serve("--forward", text(other))) {
            self.complete(server.address());
            assertThat(server.awaitEnd()).isEqualTo(Main.FAILED);
            assertThat(server.err()).contains("the upstream servers forward to this server: [. -> [127.0.0.1:");
        }
        forwarders.forEach(UpstreamForwarder::close);
    }

    @Test
    void moreSearchDomainsThanAPodMayHaveAreAUsageError() {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0", "--autopath", "name"));
        for (int i = 0; i <= 32; i++) {
            arguments.addAll(List.of("--autopath-host-search", "d" + i + ".example"));
        }
        arguments.add(Run.BOOKSTORE);
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.err()).contains("--autopath-host-search: 33 search domains, at most 32 are allowed");
        assertThat(run.code()).isEqualTo(Main.INVALID);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "--forward 10.0.0.256 | not a DNS server (HOST[:PORT] or tls://HOST[:PORT][#NAME]): \"10.0.0.256\"",
                "--forward tls://1.2.3.4#bad..name | \"tls://1.2.3.4#bad..name\": after # is neither an address nor a host name",
                "--forward ::1:53 | an IPv6 address needs brackets: '::1:53'; write [::1:53], or [::1]:53 with a port",
                "--forward 2001:db8::a | an IPv6 address needs brackets: '2001:db8::a'; write [2001:db8::a]",
                "--forward tls://::1:853#dns.example | write tls://[::1:853]#dns.example, or tls://[::1]:853#dns.example with a port",
                "--stub-domain corp.example=10.0.0.1,fd00::1 | an IPv6 address needs brackets: 'fd00::1'; write [fd00::1]",
                "--stub-domain corp | not DOMAIN=SERVER[,SERVER]...: 'corp'",
                "--stub-domain x.cluster.local=192.0.2.1 | x.cluster.local lies in zone cluster.local, which is served here",
                "--forward-policy first --forward 192.0.2.1 | random, round-robin",
                "--forward-policy sequential --stub-domain a.example=192.0.2.1 | --forward-policy needs --forward; the servers",
                "--fallthrough cluster.local | --fallthrough needs --forward, --stub-domain, --kube-dns-config, or a ConfigMap of kube-dns",
                "--forward 192.0.2.1 --fallthrough example.org | --fallthrough: ",
                "--autopath dns | --autopath: unknown value 'dns'; use one of name, option, pod, off",
                "--autopath name,off | --autopath: 'off' cannot be combined with other values",
                "--autopath-host-search a.example | --autopath-host-search needs --autopath",
                "--autopath name,option --autopath-search-file x | --autopath-search-file needs --autopath pod",
                "--autopath pod --autopath-search-file x --autopath-host-search a.example | --autopath-host-search has no effect",
                "--autopath-trust 10.0.0.0/8 --autopath name | --autopath-trust needs --autopath option",
                "--search-paths-option 0 | not an option code (1 to 65535): 0",
                "--search-paths-option 8 | --search-paths-option: 8 is not for local use; use a code from 65001 to 65534, except 65011",
                "--search-paths-option 1 | --search-paths-option: 1 is not for local use; use a code from 65001 to 65534",
                "--search-paths-option 20292 | --search-paths-option: 20292 is not for local use; use a code from 65001",
                "--search-paths-option 26946 | --search-paths-option: 26946 is not for local use; use a code from 65001",
                "--search-paths-option 65000 | --search-paths-option: 65000 is not for local use; use a code from 65001",
                "--search-paths-option 65535 | --search-paths-option: 65535 is not for local use; use a code from 65001",
                "--search-paths-option 65011 | --search-paths-option: 65011 is the code of SkyDNS's loop mark; use another one",
                "--cluster-name foo --source-cluster-option 19 | --source-cluster-option: 19 is not for local use; use a code",
                "--cluster-name foo --source-cluster-option 65011 | --source-cluster-option: 65011 is the code of SkyDNS's loop mark",
                "--cache-size -1 | not a number of bytes: -1",
                "--cache-max-ttl -1 | --cache-max-ttl: not a TTL (0 to 2147483647): -1",
                "--cache-max-ttl 2147483648 | --cache-max-ttl: not a TTL (0 to 2147483647): 2147483648",
                "--cache-max-negative-ttl -1 | --cache-max-negative-ttl: not a TTL (0 to 2147483647): -1",
                "--serve-stale 604801 | --serve-stale: not a number of seconds (0 to 604800): 604801",
                "--serve-stale-mode immediate | --serve-stale-mode needs --serve-stale",
                "--serve-stale 60 --serve-stale-mode verify | use one of on-failure, immediate",
                "--forward 192.0.2.1 --cache-size 0 --serve-stale 60 | --serve-stale has no effect with --cache-size 0",
                "--cache-size 0 --serve-stale 60 --serve-stale-mode immediate | --serve-stale has no effect with",
                "--cache-size 0 --prefetch 5 | --prefetch has no effect with --cache-size 0",
                "--cache-size 0 --cache-max-ttl 3600 | --cache-max-ttl has no effect with --cache-size 0",
                "--cache-size 0 --cache-max-negative-ttl 0 | --cache-max-negative-ttl has no effect with --cache-size 0",
                "--prefetch -1 | --prefetch: not a number of hits (0 to 2147483647): -1",
                "--autopath name --autopath-suffix cluster.local | --autopath: ",
                "--autopath-suffix ap.k8s.io | --autopath-suffix needs --autopath name or option",
                "--autopath pod --autopath-suffix ap.example | --autopath-suffix needs --autopath name or option",
            })
    void invalidOptionsAreUsageErrors(String options, String message) throws Exception {
        List<String> arguments = new ArrayList<>(List.of("serve", "--listen", "127.0.0.1:0"));
        arguments.addAll(List.of(options.split(" ", -1)));
        arguments.add(Run.BOOKSTORE);
        Run run = Run.of(arguments.toArray(String[]::new));
        assertThat(run.err()).contains(message.strip());
        assertThat(run.code()).isEqualTo(Main.INVALID);
    }
}
