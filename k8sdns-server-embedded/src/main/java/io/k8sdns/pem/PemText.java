package io.k8sdns.pem;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.SignatureException;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A text in PEM (RFC 7468), with certificates and private keys as OpenSSL, cert-manager and cfssl write them. */
public final class PemText {
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9. ]+)-----([A-Za-z0-9+/=\\s]*+)-----END \\1-----");

    /** The labels of a certificate; RFC 7468, 5.1, has the last two for old programs. */
    private static final Set<String> CERTIFICATES = Set.of("CERTIFICATE", "X509 CERTIFICATE", "X.509 CERTIFICATE");

    /** The header with which OpenSSL marks an encrypted key of the forms PKCS #1 and SEC 1 (RFC 1421). */
    private static final String ENCRYPTED = "Proc-Type: 4,ENCRYPTED";

    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};

    private final String source;
    private final String text;

    /**
     * Wraps a text. It is parsed when certificates or keys are read.
     *
     * @param source its file or another origin, for messages
     * @param text the text in PEM
     */
    public PemText(String source, String text) {
        this.source = Objects.requireNonNull(source, "source");
        this.text = Objects.requireNonNull(text, "text");
    }

    /**
     * Returns the certificates in their order, at least one.
     *
     * @throws UnsupportedPemException if there is another sort of certificate, such as OpenSSL's TRUSTED CERTIFICATE
     * @throws IOException if there is none, or one is malformed; the message names the source
     */
    public List<X509Certificate> certificates() throws IOException {
        List<X509Certificate> certificates = new ArrayList<>();
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            String label = block.group(1);
            if (CERTIFICATES.contains(label)) {
                try {
                    certificates.add((X509Certificate) CertificateFactory.getInstance("X.509")
                            .generateCertificate(new ByteArrayInputStream(der(block))));
                } catch (CertificateException malformed) {
                    throw new IOException(
                            source + ": certificate " + (certificates.size() + 1) + " is malformed", malformed);
                }
            } else if (label.endsWith("CERTIFICATE")) {
                // A chain without it would be incomplete.
                throw new UnsupportedPemException(source + ": a block " + label + " is not supported");
            }
        }
        if (certificates.isEmpty()) {
            throw new IOException(source + ": no certificate in PEM");
        }
        return List.copyOf(certificates);
    }

    /**
     * Returns the first private key, in the form PKCS #8 ({@code PRIVATE KEY}), PKCS #1 ({@code RSA PRIVATE KEY}) or SEC 1
     * ({@code EC PRIVATE KEY}).
     *
     * @param owner the key of the certificate that it must belong to
     * @throws UnsupportedPemException if the key has another form, or its algorithm is not supported
     * @throws IOException if there is no key, it is encrypted, or it belongs to another certificate; the message names the source
     */
    public PrivateKey privateKey(PublicKey owner) throws IOException {
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            String label = block.group(1);
            if (label.equals("ENCRYPTED PRIVATE KEY")) {
                throw encrypted();
            }
            if (label.equals("PRIVATE KEY")) {
                return checked(der(block), owner);
            }
            if (label.equals("RSA PRIVATE KEY") || label.equals("EC PRIVATE KEY")) {
                return checked(wrapped(der(block), owner), owner);
            }
            if (label.endsWith("PRIVATE KEY")) {
                throw new UnsupportedPemException(source + ": a block " + label + " is not supported");
            }
        }
        if (text.contains(ENCRYPTED)) {
            throw encrypted();
        }
        throw new IOException(
                source + ": no private key: a block PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY, not encrypted");
    }

    private IOException encrypted() {
        return new IOException(source + ": the private key is encrypted; a key without a password is needed");
    }

    private byte[] der(Matcher block) throws IOException {
        try {
            return Base64.getMimeDecoder().decode(block.group(2));
        } catch (IllegalArgumentException malformed) {
            throw new IOException(source + ": " + block.group(1) + " is not in Base64", malformed);
        }
    }

    private PrivateKey checked(byte[] pkcs8, PublicKey owner) throws IOException {
        try {
            PrivateKey key =
                    KeyFactory.getInstance(owner.getAlgorithm()).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            if (isPair(key, owner)) {
                return key;
            }
        } catch (InvalidKeySpecException | IllegalArgumentException wrong) {
            throw new IOException(
                    source + ": the private key cannot be used with the certificate, whose key is "
                            + owner.getAlgorithm(),
                    wrong);
        } catch (GeneralSecurityException unsupported) {
            throw new UnsupportedPemException(
                    source + ": keys of the algorithm " + owner.getAlgorithm() + " are not supported", unsupported);
        }
        throw new IOException(source + ": the private key does not belong to the certificate");
    }

    /** Returns whether a signature of one key is valid for the other. */
    private static boolean isPair(PrivateKey key, PublicKey owner) throws GeneralSecurityException {
        Signature signature = Signature.getInstance(signatureAlgorithm(owner.getAlgorithm()));
        byte[] data = {1, 2, 3};
        signature.initSign(key);
        signature.update(data);
        byte[] signed = signature.sign();
        signature.initVerify(owner);
        signature.update(data);
        try {
            return signature.verify(signed);
        } catch (SignatureException otherLength) {
            return false;
        }
    }

    private static String signatureAlgorithm(String keyAlgorithm) {
        return switch (keyAlgorithm) {
            case "RSA" -> "SHA256withRSA";
            case "EC" -> "SHA256withECDSA";
            default -> keyAlgorithm;
        };
    }

    /** Returns a key in the form PKCS #8: the version, the algorithm, which is that of the certificate's key, and the key. */
    private byte[] wrapped(byte[] key, PublicKey owner) throws IOException {
        return element(SEQUENCE, join(VERSION_0, algorithm(owner.getEncoded()), element(OCTET_STRING, key)));
    }

    /** Returns the first element of a SubjectPublicKeyInfo (RFC 5280, 4.1). */
    private byte[] algorithm(byte[] publicKey) throws IOException {
        int from = 1 + lengthOfLength(publicKey, 1);
        int header = 1 + lengthOfLength(publicKey, from + 1);
        int length = publicKey[from + 1] & 0xFF;
        if (length >= 0x80) {
            throw new UnsupportedPemException(source + ": the algorithm of the certificate's key is not supported");
        }
        return Arrays.copyOfRange(publicKey, from, from + header + length);
    }

    private static int lengthOfLength(byte[] der, int at) {
        int first = der[at] & 0xFF;
        return first < 0x80 ? 1 : 1 + (first & 0x7F);
    }

    private static byte[] element(int tag, byte[] content) {
        int length = content.length;
        byte[] header = length < 0x80
                ? new byte[] {(byte) tag, (byte) length}
                : length < 0x100
                        ? new byte[] {(byte) tag, (byte) 0x81, (byte) length}
                        : new byte[] {(byte) tag, (byte) 0x82, (byte) (length >>> 8), (byte) length};
        return join(header, content);
    }

    private static byte[] join(byte[]... parts) {
        byte[] joined = new byte[Stream.of(parts).mapToInt(part -> part.length).sum()];
        int at = 0;
        for (byte[] part : parts) {
            System.arraycopy(part, 0, joined, at, part.length);
            at += part.length;
        }
        return joined;
    }
}
