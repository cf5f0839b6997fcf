package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Principal;
import java.util.concurrent.CompletableFuture;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;
import okhttp3.tls.HandshakeCertificates;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** TLS handshakes with a server that requests a client certificate. */
@Timeout(120)
class EtcdTlsTest {
    private static final String TRUST_STORE = "javax.net.ssl.trustStore";

    private final HeldCertificate ca =
            new HeldCertificate.Builder().certificateAuthority(0).build();
    private final HeldCertificate client =
            new HeldCertificate.Builder().commonName("client").signedBy(ca).build();

    @TempDir
    private Path folder;

    private Path write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    private SSLContext withoutCa() throws IOException {
        return EtcdTls.withClientCertificate(
                write("client.pem", client.certificatePem()), write("key.pem", client.privateKeyPkcs8Pem()));
    }

    /** Returns the name in the client certificate that the server receives. */
    private Principal shownBy(SSLContext tls) throws Exception {
        HeldCertificate held = new HeldCertificate.Builder()
                .addSubjectAlternativeName("127.0.0.1")
                .signedBy(ca)
                .build();
        SSLContext ofServer = new HandshakeCertificates.Builder()
                .heldCertificate(held)
                .addTrustedCertificate(ca.certificate())
                .build()
                .sslContext();
        try (SSLServerSocket server = (SSLServerSocket)
                ofServer.getServerSocketFactory().createServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            server.setNeedClientAuth(true);
            CompletableFuture<Principal> shown = CompletableFuture.supplyAsync(() -> {
                try (SSLSocket accepted = (SSLSocket) server.accept()) {
                    accepted.startHandshake();
                    return accepted.getSession().getPeerPrincipal();
                } catch (IOException refused) {
                    throw new IllegalStateException(refused);
                }
            });
            try (SSLSocket socket =
                    (SSLSocket) tls.getSocketFactory().createSocket(server.getInetAddress(), server.getLocalPort())) {
                socket.startHandshake();
                return shown.get();
            }
        }
    }

    @Test
    void withoutACaTheJdksAuthoritiesCheckTheServer() throws Exception {
        SSLContext tls = withoutCa();
        assertThatThrownBy(() -> shownBy(tls)).isInstanceOf(SSLHandshakeException.class);
    }

    @Test
    void withoutACaTheClientCertificateIsSentToAServerThatTheJdkTrusts() throws Exception {
        KeyStore trusted = KeyStore.getInstance("PKCS12");
        trusted.load(null, null);
        trusted.setCertificateEntry("ca", ca.certificate());
        Path file = folder.resolve("trusted.p12");
        try (OutputStream stream = Files.newOutputStream(file)) {
            trusted.store(stream, "changeit".toCharArray());
        }
        System.setProperty(TRUST_STORE, file.toString());
        System.setProperty(TRUST_STORE + "Password", "changeit");
        try {
            assertThat(shownBy(withoutCa())).hasToString("CN=client");
        } finally {
            System.clearProperty(TRUST_STORE);
            System.clearProperty(TRUST_STORE + "Password");
        }
    }
}
