package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Message;
import org.xbill.DNS.Rcode;

/** Tests {@code federated-dns --store etcd} with a simulated etcd server, or without a server. */
@Timeout(300)
class FederatedDnsEtcdTest {
    private static final String CART = "cart.shop.prod.svc.federation.";

    private static final String FROM_FOO = "65432=foo";

    private static final Map<String, String> CONTENT = Map.of(
            "/prod/shop/cart/foo", "{\"externalIP\": \"192.0.2.1\", \"clusterIP\": \"10.0.0.1\"}",
            "/prod/shop/cart/bar", "{\"externalIP\": \"192.0.2.2\", \"clusterIP\": \"10.0.0.2\"}",
            "/prod/shop/cart/baz", "{\"externalIP\": \"192.0.2.3\", \"clusterIP\": \"10.0.0.3\"}",
            "/_clusters/foo", "{\"region\": \"eu\"}",
            "/_clusters/baz", "{\"region\": \"eu\"}");

    private static String base64(String text, Charset charset) {
        return Base64.getEncoder().encodeToString(text.getBytes(charset));
    }

    /** Starts a server that lists the content but does not support watches. */
    private static HttpServer etcdWithoutWatch() throws IOException {
        return etcdWithoutWatch(CONTENT, StandardCharsets.UTF_8);
    }

    private static HttpServer etcdWithoutWatch(Map<String, String> content, Charset charset) throws IOException {
        String pairs = content.entrySet().stream()
                .map(pair -> "{\"key\": \"%s\", \"value\": \"%s\", \"mod_revision\": \"1\"}"
                        .formatted(base64(pair.getKey(), charset), base64(pair.getValue(), charset)))
                .collect(Collectors.joining(", "));
        byte[] list = "{\"header\": {\"cluster_id\": \"1\", \"revision\": \"1\"}, \"kvs\": [%s], \"count\": \"%d\"}"
                .formatted(pairs, content.size())
                .getBytes(StandardCharsets.UTF_8);
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                boolean isList = exchange.getRequestURI().getPath().equals("/v3/kv/range");
                exchange.sendResponseHeaders(isList ? 200 : 503, isList ? list.length : -1);
                if (isList) {
                    exchange.getResponseBody().write(list);
                }
            }
        });
        server.start();
        return server;
    }

    private static CommandThread start(int port) {
        return new CommandThread(
                "federated-dns",
                List.of(
                        "--listen",
                        "127.0.0.1:0",
                        "--store",
                        "etcd",
                        "--etcd",
                        "http://127.0.0.1:" + port,
                        "--upstream",
                        "127.0.0.9",
                        "--order",
                        "stable"));
    }

    private static List<Integer> extendedErrors(Message response) {
        return response.getOPT().getOptions(EDNSOption.Code.EDNS_EXTENDED_ERROR).stream()
                .map(option -> ((ExtendedErrorCodeOption) option).getErrorCode())
                .toList();
    }

    @Test
    void contentOfEtcdIsServedAndKeptWhileEtcdIsUnavailable() throws Exception {
        HttpServer etcd = etcdWithoutWatch();
        try (CommandThread run = start(etcd.getAddress().getPort())) {
            String server = run.nextAddress().toString();
            Message response = FederationLab.ask(server, CART, FROM_FOO);
            while (extendedErrors(response).isEmpty()) {
                assertThat(FederationLab.data(response)).containsExactly("10.0.0.1", "192.0.2.3", "192.0.2.2");
                response = FederationLab.ask(server, CART, FROM_FOO);
            }
            assertThat(extendedErrors(response)).containsExactly(ExtendedErrorCodeOption.STALE_ANSWER);
            assertThat(FederationLab.data(response)).containsExactly("10.0.0.1", "192.0.2.3", "192.0.2.2");
            assertThat(run.stop()).isZero();
            assertThat(run.err()).isEmpty();
        } finally {
            etcd.stop(0);
        }
    }

    /** Writers of the store must not be able to forge log lines or control a terminal. */
    @Test
    void keysOfAnotherFormAreReportedInOneLineEach() throws Exception {
        HttpServer etcd = etcdWithoutWatch(
                Map.of(
                        "/prod/shop/ne\u001b[31m\nwarning: fake/a", "{}",
                        "/prod/shop/c\u00ffrt/foo", "{}"),
                StandardCharsets.ISO_8859_1);
        try (CommandThread run = start(etcd.getAddress().getPort())) {
            HostAndPort unused = run.nextAddress();
            assertThat(run.err().lines().filter(line -> line.contains("is skipped")))
                    .containsExactly(
                            "warning: /prod/shop/c\\xffrt/foo is skipped: not the name of a service (a DNS-1123 label): c\\xffrt",
                            "warning: /prod/shop/ne\\u001B[31m\\u000Awarning: fake/a is skipped: not the name of a service"
                                    + " (a DNS-1123 label): ne\\u001B[31m\\u000Awarning: fake");
            assertThat(run.err().lines()).noneMatch(line -> line.startsWith("warning: fake"));
            assertThat(run.err()).doesNotContain("\u001b");
        } finally {
            etcd.stop(0);
        }
    }

    @Test
    void everyNameIsServfailBeforeTheStoreIsRead() throws Exception {
        // Bound and not listening: refuses connections, and keeps other programs from the port.
        Socket refusing = new Socket();
        refusing.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        try (refusing;
                CommandThread run = start(refusing.getLocalPort())) {
            String server = run.nextAddress().toString();
            assertThat(run.err()).contains("warning: the store has not been read after 5 s");
            Message response = FederationLab.ask(server, CART, FROM_FOO);
            assertThat(response.getRcode()).isEqualTo(Rcode.SERVFAIL);
            assertThat(extendedErrors(response)).containsExactly(ExtendedErrorCodeOption.NOT_READY);
            assertThat(run.stop()).isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"http://127.0.0.1,", ",http://127.0.0.1", "http://127.0.0.1,,http://127.0.0.2", ",", ""})
    void anEmptyUrlIsAUsageErrorWithTheOption(String urls) {
        Run run = Run.of("federated-dns", "--listen", "127.0.0.1:0", "--store", "etcd", "--etcd", urls);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--etcd: an empty URL in '" + urls + "'");
    }

    @Test
    void anInvalidUrlIsAUsageErrorWithTheOption() {
        Run run = Run.of("federated-dns", "--listen", "127.0.0.1:0", "--store", "etcd", "--etcd", "http://a b");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--etcd: ").contains("http://a b");
    }

    /** Without a CA the members are checked with the authorities of the JDK. */
    @Test
    void aClientCertificateNeedsNoCa() {
        Run run = Run.of(
                "federated-dns",
                "--listen",
                "127.0.0.1:0",
                "--store",
                "etcd",
                "--etcd",
                "https://127.0.0.1",
                "--etcd-cert",
                "missing.pem",
                "--etcd-key",
                "missing-key.pem");
        assertThat(run.err()).contains("missing.pem").doesNotContain("--etcd-ca");
    }

    @Test
    void aClientCertificateIsForHttps() {
        Run run = Run.of(
                "federated-dns",
                "--listen",
                "127.0.0.1:0",
                "--store",
                "etcd",
                "--etcd",
                "http://127.0.0.1",
                "--etcd-cert",
                "client.pem",
                "--etcd-key",
                "client-key.pem");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err()).contains("--etcd: with --etcd-cert every URL begins with https://: http://127.0.0.1");
    }
}
