package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests {@code federated-dns --store etcd} with an etcd server that requires a client certificate, a user and a password. */
@Tag("real")
@Timeout(600)
class RealFederatedDnsTest {
    private static final String CART = "cart.shop.prod.svc.federation.";
    private static final String PASSWORD = "correct horse";
    private static final int MAX_TRIES = 5;

    @TempDir
    private Path folder;

    private String etcdctl;
    private String url;
    private Path ca;
    private Path certificate;
    private Path key;
    private Process etcd;

    @BeforeEach
    void startEtcd() throws Exception {
        String program = RealServer.program("etcd", "etcd-server");
        etcdctl = RealServer.program("etcdctl", "etcd-client");
        HeldCertificate authority = new HeldCertificate.Builder()
                .certificateAuthority(0)
                .commonName("test CA")
                .build();
        HeldCertificate server = new HeldCertificate.Builder()
                .commonName("etcd")
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(authority)
                .build();
        ca = write("ca.pem", authority.certificatePem());
        // The gateway of etcd rejects client certificates with a common name if authentication is enabled.
        HeldCertificate client = new HeldCertificate.Builder()
                .commonName("")
                .organizationalUnit("federated-dns")
                .signedBy(authority)
                .build();
        certificate = write("client.pem", client.certificatePem());
        key = write("client-key.pem", client.privateKeyPkcs8Pem());
        write("server.pem", server.certificatePem());
        write("server-key.pem", server.privateKeyPkcs8Pem());
        url = "https://127.0.0.1:" + RealServer.freePort();
        etcd = launch(program, "data-1");
        for (int tries = 2; !isHealthy(); tries++) {
            // Another program may have bound a port in the meantime.
            assertThat(tries).as(Files.readString(folder.resolve("etcd.log"))).isLessThanOrEqualTo(MAX_TRIES);
            url = "https://127.0.0.1:" + RealServer.freePort();
            etcd = launch(program, "data-" + tries);
        }
    }

    private Process launch(String program, String data) throws IOException {
        String peer = "http://127.0.0.1:" + RealServer.freePort();
        ProcessBuilder builder = new ProcessBuilder(
                        program,
                        "--name=one",
                        "--data-dir=" + data,
                        "--listen-client-urls=" + url,
                        "--advertise-client-urls=" + url,
                        "--listen-peer-urls=" + peer,
                        "--initial-advertise-peer-urls=" + peer,
                        "--initial-cluster=one=" + peer,
                        "--client-cert-auth",
                        "--trusted-ca-file=ca.pem",
                        "--cert-file=server.pem",
                        "--key-file=server-key.pem",
                        "--logger=zap")
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .redirectOutput(folder.resolve("etcd.log").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        return builder.start();
    }

    /** Waits until etcd answers; returns false if it has ended. */
    private boolean isHealthy() throws IOException, InterruptedException {
        while (etcd.isAlive() && etcdctl("endpoint", "health").isEmpty()) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(50));
        }
        return etcd.isAlive();
    }

    @AfterEach
    void endEtcd() throws InterruptedException {
        if (etcd != null) {
            etcd.destroyForcibly();
            assertThat(etcd.waitFor(60, TimeUnit.SECONDS)).isTrue();
        }
    }

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    /** Runs etcdctl, and returns its output; empty if it fails. */
    private String etcdctl(String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(
                etcdctl,
                "--endpoints=" + url,
                "--cacert=ca.pem",
                "--cert=client.pem",
                "--key=client-key.pem",
                "--command-timeout=5s"));
        command.addAll(List.of(arguments));
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true);
        builder.environment().keySet().removeIf(name -> name.startsWith("ETCD"));
        builder.environment().put("ETCDCTL_API", "3");
        Process run = builder.start();
        run.getOutputStream().close();
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return run.waitFor() == 0 ? printed : "";
    }

    private void asRoot(String... arguments) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(List.of("--user=root:" + PASSWORD));
        all.addAll(List.of(arguments));
        assertThat(etcdctl(all.toArray(String[]::new))).as(all.toString()).isNotEmpty();
    }

    private CommandThread start() throws IOException {
        return new CommandThread(
                "federated-dns",
                List.of(
                        "--listen=127.0.0.1:0",
                        "--order=stable",
                        "--store=etcd",
                        // No server answers at the first URL.
                        "--etcd=https://127.0.0.1:" + RealServer.freePort() + "," + url,
                        "--etcd-ca=" + ca,
                        "--etcd-cert=" + certificate,
                        "--etcd-key=" + key,
                        "--etcd-user=root",
                        "--etcd-password-file=" + write("password", PASSWORD + "\n")));
    }

    /** Queries each server as cluster foo until its answer is as expected; the test has a time limit. */
    private static void await(List<String> servers, String... expected) throws IOException {
        for (String server : servers) {
            while (!FederationLab.data(FederationLab.ask(server, CART, "65432=foo"))
                    .equals(List.of(expected))) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(20));
            }
        }
    }

    @Test
    void allServersOfOneEtcdWatchItsKeys() throws Exception {
        assertThat(etcdctl("user", "add", "root", "--new-user-password=" + PASSWORD))
                .isNotEmpty();
        assertThat(etcdctl("user", "grant-role", "root", "root")).isNotEmpty();
        assertThat(etcdctl("auth", "enable")).isNotEmpty();
        asRoot("put", "/prod/shop/cart/foo", "{\"externalIP\": \"192.0.2.1\", \"clusterIP\": \"10.0.0.1\"}");
        asRoot("put", "/prod/shop/cart/bar", "{\"externalIP\": \"192.0.2.2\", \"clusterIP\": \"10.0.0.2\"}");
        asRoot("put", "/prod/shop/cart/baz", "{externalIP: \"192.0.2.3\", clusterIP: \"10.0.0.3\",}");
        try (CommandThread one = start();
                CommandThread other = start()) {
            List<String> servers =
                    List.of(one.nextAddress().toString(), other.nextAddress().toString());
            await(servers, "10.0.0.1", "192.0.2.2", "192.0.2.3");

            asRoot("put", "/_clusters/foo", "{\"region\": \"eu\"}");
            asRoot("put", "/_clusters/baz", "{\"region\": \"eu\"}");
            await(servers, "10.0.0.1", "192.0.2.3", "192.0.2.2");

            asRoot("del", "/prod/shop/cart/foo");
            await(servers, "192.0.2.3", "192.0.2.2");

            asRoot("put", "/prod/shop/cart/foo", "7");
            one.awaitErr("warning: /prod/shop/cart/foo is skipped");
            await(servers, "192.0.2.3", "192.0.2.2");

            etcd.destroyForcibly();
            assertThat(etcd.waitFor(60, TimeUnit.SECONDS)).isTrue();
            await(servers, "192.0.2.3", "192.0.2.2");
            assertThat(one.stop()).isZero();
            assertThat(other.stop()).isZero();
        }
    }
}
