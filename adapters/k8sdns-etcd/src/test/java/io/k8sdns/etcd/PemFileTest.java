package io.k8sdns.etcd;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@link PemFile} with files as OpenSSL and others write them. */
class PemFileTest {
    /** The object identifier of the curve P-256. */
    private static final byte[] P_256 = {0x06, 0x08, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x03, 0x01, 0x07};

    @TempDir
    private Path folder;

    private Path write(String text) throws IOException {
        return Files.writeString(folder.resolve("file.pem"), text);
    }

    private static String block(String type, byte[] der) {
        String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return "-----BEGIN " + type + "-----\n" + base64 + "\n-----END " + type + "-----\n";
    }

    @Test
    void keysOfPkcs8AreRead() throws Exception {
        for (String algorithm : List.of("RSA", "EC", "Ed25519")) {
            PrivateKey key =
                    KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPrivate();
            assertThat(PemFile.privateKey(write("a comment\n" + block("PRIVATE KEY", key.getEncoded()))))
                    .isEqualTo(key);
        }
    }

    @Test
    void aKeyOfPkcs1IsRead() throws Exception {
        HeldCertificate rsa = new HeldCertificate.Builder().rsa2048().build();
        assertThat(PemFile.privateKey(write(rsa.privateKeyPkcs1Pem())))
                .isEqualTo(rsa.keyPair().getPrivate());
    }

    @Test
    void aKeyOfSec1IsReadWithTheCurveInABlockOfItsOwn() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair pair = generator.generateKeyPair();
        byte[] pkcs8 = pair.getPrivate().getEncoded();
        // SEQUENCE, version, algorithm, and in an OCTET STRING the key of SEC 1, which has no curve here.
        int begin = 2 + 3 + 2 + (pkcs8[6] & 0xff) + 2;
        byte[] sec1 = Arrays.copyOfRange(pkcs8, begin, pkcs8.length);
        Path file = write(block("EC PARAMETERS", P_256) + block("EC PRIVATE KEY", sec1));
        assertThat(PemFile.privateKey(file)).isEqualTo(pair.getPrivate());
        assertThatIOException()
                .isThrownBy(() -> PemFile.privateKey(write(block("EC PRIVATE KEY", sec1))))
                .withMessageContaining("without its curve");
    }

    @Test
    void certificatesAreReadInTheirOrder() throws Exception {
        HeldCertificate ca =
                new HeldCertificate.Builder().certificateAuthority(0).build();
        HeldCertificate host = new HeldCertificate.Builder().signedBy(ca).build();
        String text = "Certificate:\n    Data: -\n" + host.certificatePem() + "\n" + host.privateKeyPkcs8Pem() + "\n"
                + ca.certificatePem();
        assertThat(PemFile.certificates(write(text))).containsExactly(host.certificate(), ca.certificate());
    }

    @Test
    void aFileThatHoldsSomethingElseIsNamed() throws Exception {
        HeldCertificate one = new HeldCertificate.Builder().build();
        Path missing = folder.resolve("missing.pem");
        assertThatIOException().isThrownBy(() -> PemFile.certificates(missing)).withMessage(missing + ": no such file");
        for (String text : List.of(
                "",
                one.privateKeyPkcs8Pem(),
                block("CERTIFICATE", new byte[] {1, 2, 3}),
                "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----\n")) {
            assertThatIOException()
                    .isThrownBy(() -> PemFile.certificates(write(text)))
                    .withMessageContaining("file.pem: not a PEM file with certificates");
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
            assertThatIOException()
                    .isThrownBy(() -> PemFile.privateKey(write(text)))
                    .withMessageContaining("file.pem: ");
        }
    }

    @Test
    @Tag("real")
    void keysOfOpensslAreRead() throws Exception {
        assertThat(openssl("ecparam", "-name", "secp384r1", "-genkey").getAlgorithm())
                .isEqualTo("EC");
        assertThat(openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout")
                        .getAlgorithm())
                .isEqualTo("EC");
        assertThat(openssl("genrsa", "-traditional", "2048").getAlgorithm()).isEqualTo("RSA");
        assertThat(openssl("genrsa", "3072").getAlgorithm()).isEqualTo("RSA");
        assertThat(openssl("genpkey", "-algorithm", "ed25519").getAlgorithm()).isEqualTo("EdDSA");
    }

    private PrivateKey openssl(String... arguments) throws Exception {
        String[] command = new String[arguments.length + 1];
        command[0] = RealEtcd.program("openssl", "openssl");
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        Process run = new ProcessBuilder(command)
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        String printed = new String(run.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
        assertThat(run.waitFor()).isZero();
        return PemFile.privateKey(write(printed));
    }
}
