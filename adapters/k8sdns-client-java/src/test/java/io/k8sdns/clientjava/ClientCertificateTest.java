package io.k8sdns.clientjava;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.Objects;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.X509KeyManager;
import okhttp3.tls.HeldCertificate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The forms of keys are those of {@code PemFileTest}. */
class ClientCertificateTest {
    private static final HeldCertificate CA =
            new HeldCertificate.Builder().certificateAuthority(0).build();
    private static final HeldCertificate EC =
            new HeldCertificate.Builder().signedBy(CA).build();
    private static final HeldCertificate RSA =
            new HeldCertificate.Builder().rsa2048().signedBy(CA).build();

    @TempDir
    private Path folder;

    private static Optional<KeyManager[]> keyManagers(String certificates, String key) {
        return ClientCertificate.keyManagers(certificates.getBytes(US_ASCII), key.getBytes(US_ASCII));
    }

    private static X509KeyManager only(KeyManager @Nullable [] managers) {
        assertThat(managers).hasSize(1);
        return (X509KeyManager) Objects.requireNonNull(managers)[0];
    }

    @Test
    void theCertificateIsSentWithThoseOfItsAuthorities() {
        for (HeldCertificate one : new HeldCertificate[] {EC, RSA}) {
            PrivateKey key = one.keyPair().getPrivate();
            X509KeyManager manager =
                    only(keyManagers(one.certificatePem() + CA.certificatePem(), one.privateKeyPkcs8Pem())
                            .orElseThrow());
            String alias = manager.chooseClientAlias(new String[] {key.getAlgorithm()}, null, null);
            assertThat(alias).isEqualTo(ClientCertificate.ALIAS);
            assertThat(manager.getPrivateKey(alias)).isEqualTo(key);
            assertThat(manager.getCertificateChain(alias)).containsExactly(one.certificate(), CA.certificate());
        }
    }

    @Test
    void whatTheJdkCannotReadIsLeftToTheKubernetesClient() {
        String encrypted = RSA.privateKeyPkcs8Pem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        String ofOpenssl = RSA.privateKeyPkcs1Pem().replaceFirst("\n", "\nProc-Type: 4,ENCRYPTED\n\n");
        for (String key : new String[] {encrypted, ofOpenssl, EC.privateKeyPkcs8Pem(), "", "key"}) {
            assertThat(keyManagers(RSA.certificatePem(), key)).isEmpty();
        }
        assertThat(keyManagers("", RSA.privateKeyPkcs8Pem())).isEmpty();
    }

    @Test
    void fieldsAndFilesOfAKubeconfigAreRead() throws IOException {
        Files.writeString(folder.resolve("client.crt"), RSA.certificatePem());
        Files.writeString(folder.resolve("client.key"), RSA.privateKeyPkcs1Pem());
        String data = "{client-certificate-data: %s, client-key-data: %s}"
                .formatted(base64(RSA.certificatePem()), base64(RSA.privateKeyPkcs1Pem()));
        for (String user : new String[] {data, "{client-certificate: client.crt, client-key: client.key}"}) {
            assertThat(only(client(user).getKeyManagers()).getPrivateKey(ClientCertificate.ALIAS))
                    .isEqualTo(RSA.keyPair().getPrivate());
        }
        // The Kubernetes client does not compare the key with the certificate.
        String other = data.replace(base64(RSA.certificatePem()), base64(EC.certificatePem()));
        assertThat(only(client(other).getKeyManagers()).getPrivateKey(ClientCertificate.ALIAS))
                .isNull();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(US_ASCII));
    }

    private ApiClient client(String user) throws IOException {
        Path file = Files.writeString(folder.resolve("config"), """
                current-context: here
                contexts: [{name: here, context: {cluster: here, user: me}}]
                clusters: [{name: here, cluster: {server: "https://api.invalid"}}]
                users: [{name: me, user: %s}]
                """.formatted(user));
        return KubeconfigConnector.read(file).connect();
    }
}
