package io.k8sdns.clientjava;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.pem.PemText;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.util.Base64;
import java.util.Map;
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
    private static final HeldCertificate OTHER_RSA =
            new HeldCertificate.Builder().rsa2048().build();
    private static final String LONGER_RSA = longerRsa();

    private static final String ENCRYPTED = RSA.privateKeyPkcs8Pem().replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");

    /** A key that OpenSSL has encrypted. */
    private static final String OPENSSL =
            RSA.privateKeyPkcs1Pem().replaceFirst("\n", "\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-256-CBC,00\n\n");

    @TempDir
    private Path folder;

    /** Returns a key whose signatures are longer than those of {@link #RSA}. */
    private static String longerRsa() {
        try {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(3072);
            return "-----BEGIN PRIVATE KEY-----\n"
                    + Base64.getMimeEncoder()
                            .encodeToString(
                                    generator.generateKeyPair().getPrivate().getEncoded())
                    + "\n-----END PRIVATE KEY-----\n";
        } catch (NoSuchAlgorithmException impossible) {
            throw new AssertionError(impossible);
        }
    }

    private static Optional<KeyManager[]> keyManagers(String certificates, String key) throws IOException {
        return ClientCertificate.keyManagers(new PemText("certificates", certificates), new PemText("the key", key));
    }

    private static X509KeyManager only(KeyManager @Nullable [] managers) {
        assertThat(managers).hasSize(1);
        return (X509KeyManager) Objects.requireNonNull(managers)[0];
    }

    @Test
    void theCertificateIsSentWithThoseOfItsAuthorities() throws IOException {
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
    void formsThatOnlyTheKubernetesClientMayReadAreLeftToIt() throws IOException {
        String certificate = RSA.certificatePem();
        String key = RSA.privateKeyPkcs8Pem();
        assertThat(keyManagers(certificate, key.replace("PRIVATE KEY", "DSA PRIVATE KEY")))
                .isEmpty();
        assertThat(keyManagers("", key)).isEmpty();
        // Without its intermediate certificate the chain would be incomplete.
        String chain = certificate + CA.certificatePem().replace("CERTIFICATE", "TRUSTED CERTIFICATE");
        assertThat(keyManagers(chain, key)).isEmpty();
        String old = certificate + CA.certificatePem().replace("CERTIFICATE", "X509 CERTIFICATE");
        assertThat(only(keyManagers(old, key).orElseThrow()).getCertificateChain(ClientCertificate.ALIAS))
                .containsExactly(RSA.certificate(), CA.certificate());
    }

    @Test
    void keyThatCannotBeUsedIsReported() throws IOException {
        Map<String, String> problems = Map.of(
                ENCRYPTED,
                "the private key is encrypted; a key without a password is needed",
                OPENSSL,
                "the private key is encrypted; a key without a password is needed",
                EC.privateKeyPkcs8Pem(),
                "the private key cannot be used with the certificate, whose key is RSA",
                OTHER_RSA.privateKeyPkcs8Pem(),
                "the private key does not belong to the certificate",
                LONGER_RSA,
                "the private key does not belong to the certificate",
                "key",
                "no private key: a block PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY, not encrypted");
        Path file = folder.resolve("client.key");
        for (Map.Entry<String, String> problem : problems.entrySet()) {
            Files.writeString(file, problem.getKey());
            String certificate = "client-certificate-data: " + base64(RSA.certificatePem());
            assertThatThrownBy(() -> client("{" + certificate + ", client-key: client.key}"))
                    .isInstanceOf(InvalidKubeconfigException.class)
                    .hasMessage("context 'here' in " + folder.resolve("config")
                            + " has a client-key that cannot be used: " + file + ": " + problem.getValue())
                    .extracting(thrown -> ((InvalidKubeconfigException) thrown).field())
                    .isEqualTo(Optional.of("client-key"));
            assertThatThrownBy(() -> client("{" + certificate + ", client-key-data: " + base64(problem.getKey()) + "}"))
                    .hasMessageEndingWith(
                            " has a client-key-data that cannot be used: user 'me': " + problem.getValue());
        }
    }

    @Test
    void keyThatTheKubernetesClientCannotReadEitherIsAnIoException() {
        String dsa = RSA.privateKeyPkcs8Pem().replace("PRIVATE KEY", "DSA PRIVATE KEY");
        String user = "{client-certificate-data: %s, client-key-data: %s}"
                .formatted(base64(RSA.certificatePem()), base64(dsa));
        assertThatIOException()
                .isThrownBy(() -> client(user))
                .withMessageStartingWith(
                        "context 'here' in " + folder.resolve("config") + " has credentials that cannot be used: ");
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
