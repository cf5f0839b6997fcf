package io.k8sdns.federation.pem;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

/** Tests {@link PemFile} with files of OpenSSL and other programs. */
class PemFileTest {
    /** The object identifier of the curve P-256. */
    private static final byte[] P_256 = {0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x03, 0x01, 0x07};

    @TempDir
    private Path folder;

    private PemFile pem(String text) throws IOException {
        return PemFile.read(Files.writeString(folder.resolve("file.pem"), text));
    }

    private static String block(String type, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
    }

    @Test
    void keysOfPkcs8AreRead() throws Exception {
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            KeyPair pair = KeyPairGenerator.getInstance(algorithm).generateKeyPair();
            String text = "a comment\n" + block("PRIVATE KEY", pair.getPrivate().getEncoded());
            assertThat(pem(text).privateKey(pair.getPublic())).isEqualTo(pair.getPrivate());
        }
    }

    @Test
    void aKeyOfPkcs1IsRead() throws Exception {
        HeldCertificate rsa = new HeldCertificate.Builder().rsa2048().build();
        assertThat(pem(rsa.privateKeyPkcs1Pem()).privateKey(rsa.keyPair().getPublic()))
                .isEqualTo(rsa.keyPair().getPrivate());
    }

    /** The curve is that of the certificate; OpenSSL writes it in a block of its own, too. */
    @Test
    void aKeyOfSec1IsReadWithAndWithoutItsCurve() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair pair = generator.generateKeyPair();
        byte[] pkcs8 = pair.getPrivate().getEncoded();
        // SEQUENCE, version, algorithm, and in an OCTET STRING the key of SEC 1, which has no curve here.
        int begin = 2 + 3 + 2 + (pkcs8[6] & 0xff) + 2;
        byte[] sec1 = Arrays.copyOfRange(pkcs8, begin, pkcs8.length);
        String key = block("EC PRIVATE KEY", sec1);
        for (String text : List.of(key, block("EC PARAMETERS", P_256) + key)) {
            assertThat(pem(text).privateKey(pair.getPublic())).isEqualTo(pair.getPrivate());
        }
    }

    @Test
    void aKeyOfAnotherCertificateIsRefused() throws Exception {
        HeldCertificate own = new HeldCertificate.Builder().build();
        PublicKey other = new HeldCertificate.Builder().build().keyPair().getPublic();
        PublicKey rsa =
                new HeldCertificate.Builder().rsa2048().build().keyPair().getPublic();
        assertThatIOException()
                .isThrownBy(() -> pem(own.privateKeyPkcs8Pem()).privateKey(other))
                .withMessage(folder.resolve("file.pem") + ": the private key does not belong to the certificate");
        assertThatIOException()
                .isThrownBy(() -> pem(own.privateKeyPkcs8Pem()).privateKey(rsa))
                .withMessageEndingWith(
                        "file.pem: the private key cannot be used with the certificate, whose key is RSA");
    }

    @Test
    void certificatesAreReadInTheirOrder() throws Exception {
        HeldCertificate ca =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        HeldCertificate host = new HeldCertificate.Builder().signedBy(ca).build();
        String text = "Certificate:\n    Data: -\n" + host.certificatePem() + "\n" + host.privateKeyPkcs8Pem() + "\n"
                + ca.certificatePem();
        assertThat(pem(text).certificates()).containsExactly(host.certificate(), ca.certificate());
    }

    @Test
    void certificatesOfOldProgramsAreReadAndOthersReported() throws Exception {
        HeldCertificate one = new HeldCertificate.Builder().build();
        for (String label : List.of("X509 CERTIFICATE", "X.509 CERTIFICATE")) {
            assertThat(pem(one.certificatePem().replace("CERTIFICATE", label)).certificates())
                    .containsExactly(one.certificate());
        }
        String trusted = one.certificatePem() + block("TRUSTED CERTIFICATE", new byte[] {1});
        assertThatIOException()
                .isThrownBy(() -> pem(trusted).certificates())
                .withMessageEndingWith("file.pem: a block TRUSTED CERTIFICATE is not supported");
    }

    @Test
    void anEncryptedKeyIsReportedAsSuch() {
        PublicKey owner = new HeldCertificate.Builder().build().keyPair().getPublic();
        String openssl = """
                -----BEGIN EC PRIVATE KEY-----
                Proc-Type: 4,ENCRYPTED
                DEK-Info: AES-256-CBC,00

                AAAA
                -----END EC PRIVATE KEY-----
                """;
        for (String text : List.of(openssl, block("ENCRYPTED PRIVATE KEY", new byte[] {1}))) {
            assertThatIOException()
                    .isThrownBy(() -> pem(text).privateKey(owner))
                    .withMessageEndingWith("the private key is encrypted; a key without a password is needed");
        }
    }

    @Test
    void filesOfEqualContentAreEqual() throws Exception {
        PemFile one = pem("a");
        assertThat(pem("a")).isEqualTo(one).hasSameHashCodeAs(one);
        assertThat(pem("b"))
                .isNotEqualTo(one)
                .hasToString(folder.resolve("file.pem").toString());
    }

    @Test
    void aFileThatHoldsSomethingElseIsNamed() throws Exception {
        HeldCertificate one = new HeldCertificate.Builder().build();
        Path missing = folder.resolve("missing.pem");
        assertThatIOException().isThrownBy(() -> PemFile.read(missing)).withMessage(missing + ": no such file");
        assertThatIOException()
                .isThrownBy(() -> pem("x".repeat((1 << 20) + 1)))
                .withMessageEndingWith("file.pem: more than 1048576 bytes");
        for (String text : List.of(
                "",
                one.privateKeyPkcs8Pem(),
                block("CERTIFICATE", new byte[] {1, 2, 3}),
                "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n",
                "-----BEGIN CERTIFICATE-----\nA\n-----END CERTIFICATE-----\n")) {
            PemFile file = pem(text);
            assertThatIOException().isThrownBy(file::certificates).withMessageContaining("file.pem: ");
        }
        for (String text : List.of(
                "",
                one.certificatePem(),
                block("ENCRYPTED PRIVATE KEY", new byte[] {1}),
                block("PRIVATE KEY", new byte[] {1, 2, 3}),
                block("RSA PRIVATE KEY", new byte[200]),
                block("EC PRIVATE KEY", new byte[] {0x30, (byte) 0x84, 1, 1, 1, 1}),
                block("EC PRIVATE KEY", new byte[] {0x30, 0x7f}),
                block("EC PRIVATE KEY", new byte[0]))) {
            PemFile file = pem(text);
            assertThatIOException()
                    .isThrownBy(() -> file.privateKey(one.keyPair().getPublic()))
                    .withMessageContaining("file.pem: ");
        }
    }

    @Test
    @Tag("real")
    void keysOfOpensslAreRead() throws Exception {
        assertThat(keyOfOpenssl("ecparam", "-name", "secp384r1", "-genkey")).isEqualTo("EC");
        assertThat(keyOfOpenssl("ecparam", "-name", "prime256v1", "-genkey", "-noout"))
                .isEqualTo("EC");
        assertThat(keyOfOpenssl("genrsa", "-traditional", "2048")).isEqualTo("RSA");
        assertThat(keyOfOpenssl("genrsa", "3072")).isEqualTo("RSA");
        assertThat(keyOfOpenssl("genpkey", "-algorithm", "ed25519")).isEqualTo("EdDSA");
    }

    /** Makes a key and a certificate of it, and returns the algorithm of the key that is read. */
    private String keyOfOpenssl(String... arguments) throws Exception {
        Path key = Files.writeString(folder.resolve("key.pem"), openssl(arguments));
        PemFile certificate =
                pem(openssl("req", "-new", "-x509", "-key", key.toString(), "-subj", "/CN=a", "-days", "1"));
        return PemFile.read(key)
                .privateKey(certificate.certificates().get(0).getPublicKey())
                .getAlgorithm();
    }

    private static String openssl(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = "openssl";
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process run;
        try {
            run = new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
        } catch (IOException missing) {
            if (System.getenv("CI") != null) {
                throw missing;
            }
            throw new TestAbortedException("NOT RUN: openssl is not installed (Debian: apt-get install openssl)");
        }
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(run.waitFor()).isZero();
        return printed;
    }
}
