package io.k8sdns.cli;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.resolver.Client.Transport;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.SocketChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

@Timeout(300)
class LiveClusterTest extends LiveTestBase {
    private static final HttpClient HTTP = HttpClient.newHttpClient();

    /** Runs a command with a long timeout, for busy machines. */
    private static Run run(String... arguments) {
        return Run.of(Stream.concat(Stream.of(arguments), Stream.of("--startup-timeout", "120"))
                .toArray(String[]::new));
    }

    @Test
    void recordsAreThoseOfTheCluster() throws IOException {
        Run run = run("records", "--only-zone", "cluster.local", "--kubeconfig", kubeconfig(TOKEN));
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .contains(
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.20",
                        "db.shop.svc.cluster.local. 5 IN A 10.244.0.9",
                        "10-244-0-9.shop.pod.cluster.local. 5 IN A 10.244.0.9");
    }

    @Test
    void queryIsAnsweredFromTheCluster() throws IOException {
        Run run = run("query", "--short", "--kubeconfig", kubeconfig(TOKEN), "cart.shop.svc.cluster.local");
        assertThat(run.lines()).containsExactly("10.96.0.20");
    }

    /** The manifests of the names are not those of the cluster. */
    @Test
    void optionsForManifestsOfNamesAreAccepted() throws IOException {
        Path resolvConf = Files.writeString(folder.resolve("resolv.conf"), """
                nameserver 10.96.0.10
                search shop.svc.cluster.local svc.cluster.local cluster.local
                options ndots:5
                """);
        Path names = Files.writeString(folder.resolve("pod.yaml"), """
                {apiVersion: v1, kind: Pod, metadata: {name: web}, spec: {containers: [
                  {name: web, image: web, env: [{name: CART_HOST, value: cart}]}]}}
                """);
        Run run = run(
                "queries",
                "--resolv-conf",
                resolvConf.toString(),
                "--from-env",
                names.toString(),
                "--default-namespace",
                "shop",
                "--render",
                "--kubeconfig",
                kubeconfig(TOKEN));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("note: cart: Pod shop/web");
    }

    @Test
    void serverAnswersFromTheCluster() throws Exception {
        List<Thread> ofOtherTests = threads();
        try (RunningServer server = RunningServer.atFreePort(
                        List.of("--startup-timeout", "120", "--kubeconfig", kubeconfig(TOKEN)));
                TestClient client = server.client()) {
            assertThat(addresses(client)).containsExactly("10.96.0.20");
        }
        List<Thread> own = new ArrayList<>(threads());
        own.removeAll(ofOtherTests);
        for (Thread thread : own) {
            thread.join();
        }
        assertThat(ofOtherTests).containsAll(threads());
    }

    /** Without verified names of Pods, the server reads Pods only to explain. */
    @ParameterizedTest
    @ValueSource(strings = {"disabled", "verified"})
    void missingNamesAreExplainedFromTheLabelsOfTheCluster(String pods) throws Exception {
        api.serviceWithSelector("shop", "web", "{\"app\": \"web\"}");
        api.pod("shop", "web-0", "10.244.0.10", "{\"app\": \"wbe\"}");
        try (RunningServer server = RunningServer.atFreePort(List.of(
                        "--startup-timeout",
                        "120",
                        "--explain-errors",
                        "--pods",
                        pods,
                        "--kubeconfig",
                        kubeconfig(TOKEN)));
                TestClient client = server.client()) {
            Message response = client.ask(Name.fromString("web.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(response.getRcode()).isEqualTo(Rcode.NXDOMAIN);
            assertThat(ServeTest.extendedErrors(response))
                    .singleElement()
                    .asString()
                    .contains("Service shop/web, spec.selector", "matches no Pod", "web-0");
        }
    }

    @Test
    void withoutPermissionToListPodsNoTextAssumesThatThereIsNone() throws Exception {
        api.serviceWithSelector("shop", "web", "{\"app\": \"web\"}");
        api.pod("shop", "web-0", "10.244.0.10", "{\"app\": \"web\"}");
        api.refusePods();
        try (RunningServer server = RunningServer.atFreePort(
                        List.of("--startup-timeout", "120", "--explain-errors", "--kubeconfig", kubeconfig(TOKEN)));
                TestClient client = server.client()) {
            Message noPod = client.ask(Name.fromString("web.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(noPod.getRcode()).isEqualTo(Rcode.NXDOMAIN);
            assertThat(ServeTest.extendedErrors(noPod))
                    .singleElement()
                    .asString()
                    .contains("Service shop/web: no EndpointSlice of it has a ready endpoint");
            Message noService = client.ask(Name.fromString("crat.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(ServeTest.extendedErrors(noService))
                    .singleElement()
                    .asString()
                    .contains("no such Service");
        }
    }

    private static List<Thread> threads() {
        return Thread.getAllStackTraces().keySet().stream()
                .filter(thread -> thread.getName().startsWith("k8sdns-api"))
                .toList();
    }

    private static List<String> addresses(TestClient client) throws IOException {
        return ask(client).getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }

    private static Message ask(TestClient client) throws IOException {
        return client.ask(Name.fromString("cart.shop.svc.cluster.local."), Type.A, Transport.UDP);
    }

    /** A Pod has the address of the client. */
    @ParameterizedTest
    @ValueSource(strings = {"disabled", "insecure", "verified"})
    void questionsOfPodsAreExpandedWhateverNamesPodsHave(String pods) throws Exception {
        api.pod("shop", "client", "127.0.0.1");
        try (RunningServer server = RunningServer.atFreePort(List.of(
                        "--startup-timeout",
                        "120",
                        "--kubeconfig",
                        kubeconfig(TOKEN),
                        "--autopath",
                        "pod",
                        "--pods",
                        pods,
                        "--resolv-conf",
                        Files.writeString(folder.resolve("host.conf"), "nameserver 192.0.2.53\n")
                                .toString()));
                TestClient client = server.client()) {
            Message expanded = client.ask(Name.fromString("cart.shop.shop.svc.cluster.local."), Type.A, Transport.UDP);
            assertThat(expanded.getSection(Section.ANSWER).stream().map(Record::rdataToString))
                    .containsExactly("cart.shop.svc.cluster.local.", "10.96.0.20");
            assertThat(rcode(client, "127-0-0-1.shop.pod.cluster.local."))
                    .isEqualTo(pods.equals("disabled") ? Rcode.NXDOMAIN : Rcode.NOERROR);
            assertThat(rcode(client, "10-1-2-3.shop.pod.cluster.local."))
                    .isEqualTo(pods.equals("insecure") ? Rcode.NOERROR : Rcode.NXDOMAIN);
        }
    }

    private static int rcode(TestClient client, String name) throws IOException {
        return client.ask(Name.fromString(name), Type.A, Transport.UDP).getRcode();
    }

    /** Names of kube-dns's federations contain the zone and the region of the cluster. */
    @Test
    void zoneAndRegionAreTheLabelsOfTheFirstNodeThatHasBoth() throws Exception {
        for (int i = 10; i < 40; i++) {
            api.node("node-" + i, i == 30 ? "{\"topology.kubernetes.io/zone\": \"a\"}" : "{}");
        }
        String old = "failure-domain.beta.kubernetes.io/";
        api.node("node-40", "{\"" + old + "zone\": \"b\", \"" + old + "region\": \"eu\"}");
        api.node("node-41", "{\"topology.kubernetes.io/zone\": \"c\", \"topology.kubernetes.io/region\": \"us\"}");
        try (RunningServer server = federated();
                TestClient client = server.client()) {
            Message answer = federated(client);
            while (answer.getRcode() == Rcode.SERVFAIL) {
                answer = federated(client);
            }
            assertThat(answer.getSection(Section.ANSWER).stream().map(Record::rdataToString))
                    .containsExactly("cart.shop.myfed.svc.b.eu.fed.example.com.");
        }
    }

    @Test
    void withoutPermissionToListNodesFederatedNamesAreServfailAndThatIsReported() throws Exception {
        api.refuseNodes();
        try (RunningServer server = federated();
                TestClient client = server.client()) {
            server.awaitErr("warning: no permission to list nodes");
            assertThat(federated(client).getRcode()).isEqualTo(Rcode.SERVFAIL);
            assertThat(addresses(client)).containsExactly("10.96.0.20");
        }
    }

    private RunningServer federated() throws Exception {
        Path config = Files.createDirectory(folder.resolve("kube-dns"));
        Files.writeString(config.resolve("federations"), "myfed=fed.example.com");
        return RunningServer.atFreePort(List.of(
                "--startup-timeout",
                "120",
                "--kubeconfig",
                kubeconfig(TOKEN),
                "--kube-dns-config",
                config.toString(),
                "--forward",
                "192.0.2.53"));
    }

    private static Message federated(TestClient client) throws IOException {
        return client.ask(Name.fromString("cart.shop.myfed.svc.cluster.local."), Type.CNAME, Transport.UDP);
    }

    /** The deadlines of search lists must not wait for an API server that does not answer. */
    @Test
    void requestsToTheApiServerDoNotBlockTheTimer() throws Exception {
        try (RunningServer server = federated()) {
            assertThat(server.address()).isNotEmpty();
            while (Thread.getAllStackTraces().keySet().stream()
                    .noneMatch(thread -> thread.getName().equals("k8sdns-requests"))) {
                // Waits for the first request.
            }
        }
    }

    @Test
    void namesAreServfailAndNeverNxdomainUntilTheClusterIsSynced() throws Exception {
        try (StubApi late = StubApi.waiting();
                RunningServer server = RunningServer.atFreePort(List.of(
                        "--startup-timeout",
                        "0",
                        "--kubeconfig",
                        late.kubeconfig(folder, TOKEN).toString()));
                TestClient client = server.client()) {
            assertThat(server.err()).contains("not all objects of the cluster were listed within 0 s");
            assertThat(ask(client).getRcode()).isEqualTo(Rcode.SERVFAIL);
            late.open();
            Message answer = ask(client);
            while (answer.getRcode() == Rcode.SERVFAIL) {
                answer = ask(client);
            }
            assertThat(answer.getRcode()).isEqualTo(Rcode.NOERROR);
        }
    }

    @Test
    void metricsReportTheSourceAndReadiness() throws Exception {
        try (StubApi late = StubApi.waiting();
                RunningServer server = RunningServer.atFreePort(List.of(
                        "--metrics",
                        "127.0.0.1:0",
                        "--startup-timeout",
                        "0",
                        "--kubeconfig",
                        late.kubeconfig(folder, TOKEN).toString()));
                TestClient client = server.client()) {
            Matcher line = Pattern.compile("metrics: (http://.*)/metrics").matcher(server.err());
            assertThat(line.find()).isTrue();
            String url = line.group(1);
            assertThat(get(url + "/health").statusCode()).isEqualTo(200);
            assertThat(get(url + "/ready").statusCode()).isEqualTo(503);
            late.open();
            while (get(url + "/ready").statusCode() != 200) {
                // Waits for the answers of the API server.
            }
            assertThat(addresses(client)).containsExactly("10.96.0.20");
            assertThat(get(url + "/metrics").body())
                    .contains("k8sdns_objects{kind=\"Service\"} 2.0", "k8sdns_source_synced{kind=\"Pod\"} 1.0")
                    .containsPattern("k8sdns_requests_total\\{.*type=\"A\"} 1\\.0");
        }
    }

    private static HttpResponse<String> get(String url) throws IOException, InterruptedException {
        return HTTP.send(HttpRequest.newBuilder(URI.create(url)).build(), HttpResponse.BodyHandlers.ofString());
    }

    @Test
    void syncTimeoutIsAFailure() throws IOException {
        String config = kubeconfig(TOKEN);
        Run run = Run.of("records", "--kubeconfig", config, "--context", "nowhere", "--startup-timeout", "0");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .singleElement()
                .asString()
                .matches("k8sdns records: not all objects of the cluster were listed within 0 s(: .*)?; "
                        + "--startup-timeout SECONDS waits longer");
    }

    @Test
    void syncTimeoutReportsTheLastFailure() {
        TimeoutException late = new TimeoutException("not synced within PT1M: services: refused");
        assertThat(LiveCluster.notListed(60, late))
                .hasMessage(
                        "not all objects of the cluster were listed within 60 s; --startup-timeout SECONDS waits longer");
        late.initCause(new IOException("services: refused"));
        assertThat(LiveCluster.notListed(60, late))
                .hasMessage("not all objects of the cluster were listed within 60 s: services: refused; "
                        + "--startup-timeout SECONDS waits longer")
                .hasCause(late);
    }

    @TestFactory
    Stream<DynamicTest> anApiServerThatCannotBeReachedEndsACommandSoon() throws IOException {
        int closed;
        try (ServerSocket socket = new ServerSocket(0)) {
            closed = socket.getLocalPort();
        }
        return Stream.of("records", "query shop", "explain shop", "verify", "verify --server 127.0.0.1:53")
                .flatMap(command -> Stream.of("https://127.0.0.1:" + closed, "https://no-such-host.invalid:6443")
                        .map(server -> DynamicTest.dynamicTest(command + " " + server, () -> {
                            String config =
                                    api.kubeconfig(folder, TOKEN, server, "").toString();
                            Run run = Run.of(
                                    (command + " --startup-timeout 86400 --kubeconfig " + config).split(" ", -1));
                            assertThat(run.err()
                                            .lines()
                                            .reduce((before, last) -> last)
                                            .orElseThrow())
                                    .startsWith("k8sdns " + command.split(" ", -1)[0] + ": cannot reach the API server "
                                            + server + " (context 'here' in " + config + "): ")
                                    .containsPattern("Failed to connect|no-such-host");
                            assertThat(run.code()).isEqualTo(codeOfOutage(command));
                        })));
    }

    /** Returns the exit code of a command that cannot read the cluster: 1 is a result of some commands. */
    private static int codeOfOutage(String command) {
        return command.startsWith("verify") || command.startsWith("explain") ? Main.NO_RESULT : Main.FAILED;
    }

    @TestFactory
    Stream<DynamicTest> credentialsThatAreNotValidEndACommandSoon() {
        return Stream.of("records", "verify")
                .flatMap(command -> Stream.of(
                                List.of("{token: expired}", "401 "),
                                List.of(
                                        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/false}}",
                                        "has no credentials: exec gives none"))
                        .map(one -> DynamicTest.dynamicTest(command + " " + one.get(0), () -> {
                            String config = kubeconfig(one.get(0));
                            Run run = Run.of(command, "--startup-timeout", "86400", "--kubeconfig", config);
                            assertThat(run.err().lines().reduce((before, last) -> last))
                                    .hasValueSatisfying(line -> assertThat(line)
                                            .startsWith(
                                                    "k8sdns " + command + ": no valid credentials for the API server "
                                                            + api.url() + " (context 'here' in " + config + "): ")
                                            .contains(one.get(1)));
                            assertThat(run.code()).isEqualTo(codeOfOutage(command));
                        })));
    }

    @Test
    void anApiServerThatIsNotTrustedEndsACommandSoon() throws IOException {
        HeldCertificate host = new HeldCertificate.Builder()
                .addSubjectAlternativeName("127.0.0.1")
                .build();
        api.tls(new HandshakeCertificates.Builder()
                .heldCertificate(host)
                .build()
                .sslContext());
        Run run = Run.of("records", "--startup-timeout", "86400", "--kubeconfig", kubeconfig(TOKEN));
        assertThat(run.err()).contains("cannot reach the API server " + api.url(), "certification path");
        assertThat(run.code()).isEqualTo(Main.FAILED);
    }

    /** On Linux a socket whose queue is full drops the packets of further connections. */
    @Test
    @EnabledOnOs(OS.LINUX)
    void anApiServerThatDoesNotAnswerEndsACommandSoon() throws IOException {
        List<SocketChannel> queue = new ArrayList<>();
        try (ServerSocket full = new ServerSocket(0, 1, InetAddress.getByAddress(new byte[] {127, 0, 0, 1}))) {
            for (int i = 0; i < 8; i++) {
                SocketChannel waiting = SocketChannel.open();
                waiting.configureBlocking(false);
                waiting.connect(full.getLocalSocketAddress());
                queue.add(waiting);
            }
            String server = "https://127.0.0.1:" + full.getLocalPort();
            String config = api.kubeconfig(folder, TOKEN, server, "").toString();
            Run run = Run.of("records", "--startup-timeout", "86400", "--kubeconfig", config);
            assertThat(run.err())
                    .contains("cannot reach the API server " + server)
                    .containsIgnoringCase("connect timed out");
            assertThat(run.code()).isEqualTo(Main.FAILED);
        } finally {
            for (SocketChannel waiting : queue) {
                waiting.close();
            }
        }
    }

    @TestFactory
    Stream<DynamicTest> keyThatCannotBeUsedIsInvalidInput() {
        HeldCertificate own = new HeldCertificate.Builder().build();
        HeldCertificate other = new HeldCertificate.Builder().build();
        String encrypted = own.privateKeyPkcs8Pem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        return Stream.of("records", "verify", "serve --listen 127.0.0.1:0")
                .flatMap(command -> Stream.of(
                                List.of(other.privateKeyPkcs8Pem(), "does not belong to the certificate"),
                                List.of(encrypted, "is encrypted"))
                        .map(one -> DynamicTest.dynamicTest(command + ": " + one.get(1), () -> {
                            String config = kubeconfig("{client-certificate-data: " + base64(own.certificatePem())
                                    + ", client-key-data: " + base64(one.get(0)) + "}");
                            Run run = Run.of((command + " --kubeconfig " + config).split(" ", -1));
                            assertUsage(
                                    run,
                                    "context 'here' in " + config
                                            + " has a client-key-data that cannot be used: user 'me': the private key "
                                            + one.get(1));
                        })));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(UTF_8));
    }

    @Test
    void tokenFromAFileIsReadAgainAfterARejection() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        String config = kubeconfig("{tokenFile: " + token + "}");
        assertThat(run("records", "--kubeconfig", config).code()).isZero();

        api.token("other");
        api.forgetRequests();
        try (RunningServer server =
                        RunningServer.atFreePort(List.of("--startup-timeout", "0", "--kubeconfig", config));
                TestClient client = server.client()) {
            api.awaitRequest("authorization", "Bearer secret");
            Files.writeString(token, "other\n");
            while (ask(client).getRcode() == Rcode.SERVFAIL) {
                // Waits for the retry.
            }
            assertThat(addresses(client)).containsExactly("10.96.0.20");
        }
    }

    @Test
    void theTokenPrintedByAProgramIsSent() throws IOException {
        Path program = Files.writeString(folder.resolve("credentials"), """
            #!/bin/sh
            echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential",
                   "status": {"token": "'"$1"'"}}'
            """);
        Files.setPosixFilePermissions(program, java.nio.file.attribute.PosixFilePermissions.fromString("rwx------"));
        String config = kubeconfig("{exec: {apiVersion: client.authentication.k8s.io/v1, command: ./credentials, "
                + "args: [secret], interactiveMode: Never}}");
        Run run = run("records", "--kubeconfig", config);
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Set.copyOf(api.headerValues("authorization"))).containsExactly("Bearer secret");
    }

    @TestFactory
    Stream<DynamicTest> missingCredentialsAreAnErrorAndNotAnonymousAccess() {
        return Stream.of(
                        "{exec: {apiVersion: client.authentication.k8s.io/v1, command: /bin/false}}",
                        "{exec: {apiVersion: client.authentication.k8s.io/v9, command: /bin/echo}}",
                        "{auth-provider: {name: unheard-of, config: {}}}",
                        "{token: ''}")
                .map(user -> DynamicTest.dynamicTest(user, () -> {
                    KubeconfigConnector config = KubeconfigConnector.read(Path.of(kubeconfig(user)));
                    assertThatThrownBy(config::connect)
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining("has no credentials: ");
                }));
    }

    @Test
    void requestsGoThroughTheProxyOfTheCluster() throws IOException {
        String proxied = api.kubeconfig(folder, TOKEN, "http://api.invalid", ", proxy-url: '" + api.url() + "'")
                .toString();
        Run run = run("query", "--short", "--kubeconfig", proxied, "cart.shop.svc.cluster.local");
        assertThat(run.lines()).containsExactly("10.96.0.20");
        assertThat(Set.copyOf(api.headerValues("host"))).containsExactly("api.invalid");
    }

    @Test
    void requestsImpersonateTheUserOfTheFile() throws IOException {
        Run run = run("records", "--kubeconfig", kubeconfig("{token: secret, as: jane, as-groups: [dns, ops]}"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Set.copyOf(api.headerValues("impersonate-user"))).containsExactly("jane");
        assertThat(Set.copyOf(api.headerValues("impersonate-group"))).containsExactly("dns, ops");
    }

    @TestFactory
    Stream<DynamicTest> unsupportedKubeconfigIsAUsageErrorInOneLine() {
        return Stream.of(
                        "proxy-url: 'https://proxy.example'",
                        "proxy-url: 'socks5://me:secret@proxy.example'",
                        "proxy-url: 'proxy.example:8080'",
                        "proxy-url: 'http://me:secret@proxy.example:99999'",
                        "proxy-url: '%'")
                .map(member -> DynamicTest.dynamicTest(
                        member,
                        () -> assertUsage(
                                Run.of(
                                        "records",
                                        "--kubeconfig",
                                        api.kubeconfig(folder, TOKEN, api.url(), ", " + member)
                                                .toString()),
                                "proxy")));
    }

    @Test
    void tokenFileTakesPrecedenceOverTheTokenInTheKubeconfig() throws IOException {
        Files.writeString(folder.resolve("rotated"), "secret\n");
        Run run = run("records", "--kubeconfig", kubeconfig("{token: old, tokenFile: rotated}"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(Set.copyOf(api.headerValues("authorization"))).containsExactly("Bearer secret");
    }

    @TestFactory
    Stream<DynamicTest> unreadableFileOfAKubeconfigIsInvalidInput() throws IOException {
        Path folderInstead = Files.createDirectory(folder.resolve("folder"));
        Path noCertificate = Files.writeString(folder.resolve("token.crt"), "secret\n");
        Path empty = Files.writeString(folder.resolve("empty.crt"), "");
        Path twoLines = Files.writeString(folder.resolve("two-lines"), "sec\nret\n");
        Path blank = Files.writeString(folder.resolve("blank"), " \n");
        return Stream.of("records", "query shop", "serve --startup-timeout 0 --listen 127.0.0.1:0")
                .flatMap(command -> Stream.of(
                                List.of("certificate-authority", "missing.crt", "no such file"),
                                List.of("certificate-authority", folderInstead.toString(), "Is a directory"),
                                List.of("certificate-authority", noCertificate.toString(), "no certificate in PEM"),
                                List.of("certificate-authority", empty.toString(), "no certificate in PEM"),
                                List.of("client-certificate", "missing.crt", "no such file"),
                                List.of("client-certificate", noCertificate.toString(), "no certificate in PEM"),
                                List.of("client-key", "missing.key", "no such file"),
                                List.of("tokenFile", "missing", "no such file"),
                                List.of("tokenFile", folderInstead.toString(), "Is a directory"),
                                List.of("tokenFile", empty.toString(), "is empty"),
                                List.of("tokenFile", blank.toString(), "is empty"),
                                List.of("tokenFile", twoLines.toString(), "a line break or another character"))
                        .map(one -> DynamicTest.dynamicTest(command + " " + one, () -> {
                            String member = one.get(0) + ": '" + one.get(1) + "'";
                            boolean ofCluster = one.get(0).equals("certificate-authority");
                            Path config = api.kubeconfig(
                                    folder,
                                    ofCluster ? TOKEN : "{" + member + "}",
                                    api.url(),
                                    ofCluster ? ", " + member : "");
                            Run run = Run.of((command + " --kubeconfig " + config).split(" ", -1));
                            assertUsage(run, "has a " + one.get(0) + " that ");
                            assertThat(run.err())
                                    .contains(
                                            "context 'here' in " + config,
                                            folder.resolve(one.get(1)).toString(),
                                            one.get(2));
                        })));
    }

    @TestFactory
    Stream<DynamicTest> invalidCertificateIsInvalidInput() {
        String pem = base64("-----BEGIN CERTIFICATE-----\nAAAA\n");
        return Stream.of(
                        List.of("certificate-authority-data", "not base64!", "base64"),
                        List.of("certificate-authority-data", "aGVsbG8=", "PEM"),
                        List.of("certificate-authority-data", pem, "PEM"),
                        List.of("client-certificate-data", "%%%", "base64"),
                        List.of("client-certificate-data", "aGVsbG8=", "PEM"),
                        List.of("client-certificate-data", "", "PEM"),
                        List.of("client-key-data", "%%%", "base64"),
                        List.of("token", "sec\\nret", "a line break or another character"),
                        List.of("token", "secret\\n", "a line break or another character"))
                .map(one -> DynamicTest.dynamicTest(one.get(0) + " " + one.get(1), () -> {
                    String member = one.get(0) + ": \"" + one.get(1) + "\"";
                    boolean ofCluster = one.get(0).startsWith("certificate-authority");
                    Path config = api.kubeconfig(
                            folder, ofCluster ? TOKEN : "{" + member + "}", api.url(), ofCluster ? ", " + member : "");
                    Run run = Run.of("records", "--kubeconfig", config.toString(), "--startup-timeout", "0");
                    assertUsage(run, "context 'here' in " + config + " has a " + one.get(0) + " that ");
                    assertThat(run.err()).contains(one.get(2));
                }));
    }

    @Test
    void contextWithoutAUserIsAnonymous() throws IOException {
        Path config = Path.of(kubeconfig(TOKEN));
        Files.writeString(config, Files.readString(config).replace("cluster: here, user: me", "cluster: here"));
        Run run = Run.of("records", "--kubeconfig", config.toString(), "--startup-timeout", "0");
        assertThat(run.code()).isEqualTo(Main.FAILED);
        assertThat(run.err()).contains("not all objects of the cluster were listed within 0 s");
    }

    @Test
    void emptyFieldsOfACertificateAuthorityAreIgnored() throws IOException {
        Path config =
                api.kubeconfig(folder, TOKEN, api.url(), ", certificate-authority: '', certificate-authority-data: ''");
        Run run = run("records", "--kubeconfig", config.toString());
        assertThat(run.code()).as(run.err()).isZero();
    }

    @TestFactory
    Stream<DynamicTest> userWithMembersOfOtherTypesIsAUsageErrorInOneLine() {
        return Stream.of(
                        "{token: 123}",
                        "{as-groups: [a, null]}",
                        "{exec: x}",
                        "{exec: {apiVersion: client.authentication.k8s.io/v1}}",
                        "{exec: {command: c, args: [1]}}",
                        "{auth-provider: gcp}")
                .map(user -> DynamicTest.dynamicTest(
                        user,
                        () -> assertUsage(
                                Run.of("records", "--kubeconfig", kubeconfig(user)),
                                "with a value of another type; expected ")));
    }

    @Test
    void passwordOfTheProxyIsNotPrinted() throws IOException {
        String config = api.kubeconfig(folder, TOKEN, api.url(), ", proxy-url: 'https://me:hunter2@proxy.example'")
                .toString();
        assertThat(Run.of("records", "--kubeconfig", config).err()).doesNotContain("hunter2");
    }

    @Test
    void missingUserIsAUsageError() throws IOException {
        assertUsage(Run.of("records", "--context", "nobody", "--kubeconfig", kubeconfig(TOKEN)), "no user 'nobody'");
        assertUsage(
                Run.of("records", "--kubeconfig", kubeconfig("{as: jane, as-user-extra: {a: [b]}}")), "as-user-extra");
        assertUsage(Run.of("records", "--kubeconfig", kubeconfig("{token: secret, as-groups: [dns]}")), "without as");
        assertUsage(
                Run.of("records", "--kubeconfig", kubeconfig("{token: secret, as: '', as-uid: '7'}")), "without as");
    }

    @Test
    void kubeconfigThatIsMissingOrADirectoryIsReportedWithItsOption() {
        assertUsage(
                Run.of("records", "--kubeconfig", folder.toString()),
                "--kubeconfig: a directory, not the file of a kubeconfig: " + folder);
        Path missing = folder.resolve("missing");
        assertUsage(Run.of("records", "--kubeconfig", missing.toString()), "--kubeconfig: no such file: " + missing);
    }

    @Test
    void unknownContextIsReportedWithItsOption() throws IOException {
        String config = kubeconfig(TOKEN);
        assertUsage(
                Run.of("records", "--kubeconfig", config, "--context", "there"),
                "--context: no context 'there' in " + config + ", which has 'here', 'nowhere', 'nobody'");
        Files.writeString(Path.of(config), Files.readString(Path.of(config)).replace("current-context: here", ""));
        assertUsage(
                Run.of("records", "--kubeconfig", config),
                "--kubeconfig: " + config
                        + " has no current context; choose one of 'here', 'nowhere', 'nobody' with --context");
    }

    @ParameterizedTest
    @ValueSource(strings = {"not a url", "ftp://example.com", "https://", "/etc/kubernetes"})
    void invalidServerIsAUsageError(String server) throws IOException {
        Path kubeconfig = api.kubeconfig(folder, TOKEN, server, "");
        assertUsage(Run.of("records", "--kubeconfig", kubeconfig.toString()), "has a server that is neither");
    }

    private static void assertUsage(Run run, String part) {
        assertThat(run.code()).as(run.err()).isEqualTo(Main.INVALID);
        assertThat(run.err().lines()).hasSize(1).first().asString().contains(part);
        assertThat(run.out()).isEmpty();
    }

    @TestFactory
    Stream<DynamicTest> kubeconfigWithoutAClusterIsAUsageErrorInOneLine() throws IOException {
        String config = kubeconfig(TOKEN);
        String other = Files.writeString(folder.resolve("other.yaml"), "- no\n- kubeconfig\n")
                .toString();
        String empty = Files.writeString(folder.resolve("empty.yaml"), "").toString();
        String bare =
                Files.writeString(folder.resolve("bare.yaml"), "kind: Config\n").toString();
        return Stream.of(
                        "records",
                        "serve",
                        "query shop",
                        "records --in-cluster --kubeconfig " + config,
                        "records --in-cluster",
                        "records --context here " + Run.BOOKSTORE,
                        "records --kubeconfig " + config + " " + Run.BOOKSTORE,
                        "query --kubeconfig " + config + " -f " + Run.BOOKSTORE + " shop",
                        "records --kubeconfig " + config + " --context there",
                        "records --kubeconfig " + folder.resolve("missing"),
                        "records --kubeconfig " + folder,
                        "query --kubeconfig " + folder + " shop",
                        "serve --listen 127.0.0.1:0 --kubeconfig " + folder,
                        "records --kubeconfig " + other,
                        "records --kubeconfig " + empty,
                        "records --kubeconfig " + bare,
                        "records --kubeconfig " + config + " --as-is",
                        "records --kubeconfig " + config + " --strict",
                        "records --kubeconfig " + config + " --verbose",
                        "records --kubeconfig " + config + " --service-cidr 10.0.0.0/8",
                        "records --kubeconfig " + config + " --default-namespace shop",
                        "records --kubeconfig " + config + " --startup-timeout -1",
                        "serve --watch -",
                        "serve --watch --kubeconfig " + config,
                        "serve --stale-limit 5 " + Run.BOOKSTORE,
                        "serve --stale-limit -1 --kubeconfig " + config)
                .map(line -> DynamicTest.dynamicTest(line.replace(folder.toString(), ""), () -> {
                    assertUsage(Run.of(line.split(" ", -1)), "");
                }));
    }
}
