package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.resolver.Client.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Name;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * Tests {@code --in-cluster} with the service account of a Pod, in a separate mount namespace. Certificate and token are behind a
 * symbolic link that is replaced when they change, as by the kubelet. Needs Linux and permission to run {@code unshare}.
 */
@Tag("real")
@Timeout(600)
class RealPodTest {
    private static final Name CART = Name.fromConstantString("cart.shop.svc.cluster.local.");

    @TempDir
    private Path account;

    private final ApiServer server = new ApiServer();

    RealPodTest() throws IOException {}

    @BeforeEach
    void start() throws IOException, InterruptedException {
        try (Program unshare = Program.start(
                Path.of("."),
                Map.of(),
                "unshare",
                "--map-root-user",
                "--mount",
                "mount",
                "-t",
                "tmpfs",
                "none",
                "/run")) {
            Program.Result ended = unshare.end();
            if (ended.code() != 0) {
                skip("a mount namespace: " + ended.err().strip());
            }
        } catch (IOException none) {
            skip("unshare");
        }
        for (String file : List.of("ca.crt", "token", "namespace")) {
            Files.createSymbolicLink(account.resolve(file), Path.of("..data", file));
        }
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        putCart("10.96.0.20");
    }

    @AfterEach
    void end() {
        server.close();
    }

    private static void skip(String what) {
        System.err.println("NOT RUN: --in-cluster in a Pod's place: " + what);
        abort(what);
    }

    private void putCart(String address) {
        server.put("services", "shop/cart", "\"uid\": \"s1\"", """
                , "spec": {"clusterIP": "%1$s", "clusterIPs": ["%1$s"]}""".formatted(address));
    }

    /** Replaces the credentials of the server, and those of the Pod like the kubelet. */
    private void rotate(String token) throws IOException {
        HeldCertificate root =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        HeldCertificate host = new HeldCertificate.Builder()
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(root)
                .build();
        server.tls(new HandshakeCertificates.Builder()
                .heldCertificate(host)
                .build()
                .sslContext());
        server.token(token);
        Path files = Files.createDirectory(account.resolve("..of-" + token));
        Files.writeString(files.resolve("ca.crt"), root.certificatePem());
        Files.writeString(files.resolve("token"), token);
        Files.writeString(files.resolve("namespace"), "kube-system");
        Path link = Files.createSymbolicLink(account.resolve("..data_tmp"), files.getFileName());
        Files.move(
                link, account.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private Program startInPod(String... arguments) throws IOException {
        String script = "mount -t tmpfs none /run; mkdir -p /var/run/secrets/kubernetes.io;"
                + " ln -s \"$1\" /var/run/secrets/kubernetes.io/serviceaccount; shift; exec \"$@\"";
        Stream<String> words = Stream.of(
                "unshare",
                "--map-root-user",
                "--mount",
                "sh",
                "-ec",
                script,
                "sh",
                account.toString(),
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName());
        return Program.start(
                Path.of("."),
                Map.of(
                        "KUBERNETES_SERVICE_HOST",
                        "127.0.0.1",
                        "KUBERNETES_SERVICE_PORT",
                        Integer.toString(server.port())),
                Stream.concat(words, Stream.of(arguments)).toArray(String[]::new));
    }

    @Test
    void recordsAreThoseOfTheClusterThatThePodIsIn() throws Exception {
        rotate("first");
        try (Program records =
                startInPod("records", "--in-cluster", "--startup-timeout", "300", "--only-zone", "cluster.local")) {
            Program.Result ended = records.end();
            assertThat(ended.code()).as(ended.err()).isZero();
            assertThat(ended.out()).contains(CART + " 5 IN A 10.96.0.20");
        }
    }

    @Test
    void changesOfTokenAndAuthorityAreUsedAndNoQuestionFails() throws Exception {
        rotate("first");
        try (Program serve =
                startInPod("serve", "--in-cluster", "--startup-timeout", "300", "--listen", "127.0.0.1:0")) {
            String listening = serve.line();
            assertThat(listening).startsWith("listening on ");
            try (TestClient client = new TestClient(
                    HostAndPort.parse(listening.split(" ", -1)[2]).address())) {
                assertThat(cart(client)).containsExactly("10.96.0.20");
                rotate("second");
                server.cut();
                putCart("10.96.0.21");
                long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(300);
                List<String> now = cart(client);
                while (now.equals(List.of("10.96.0.20")) && System.nanoTime() < until) {
                    now = cart(client);
                }
                assertThat(now).containsExactly("10.96.0.21");
            }
        }
    }

    private static List<String> cart(TestClient client) throws IOException {
        return client.ask(CART, Type.A, Transport.UDP).getSection(Section.ANSWER).stream()
                .map(Record::rdataToString)
                .toList();
    }
}
