package io.k8sdns.etcd;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads certificates and private keys in PEM (RFC 7468), as OpenSSL and cfssl write them. */
final class PemFile {
    private static final int MAX_BYTES = 1 << 20;
    private static final Pattern BLOCK =
            Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----", Pattern.DOTALL);

    private static final byte[] VERSION_0 = {0x02, 0x01, 0x00};
    private static final byte[] RSA = {
        0x30, 0x0d, 0x06, 0x09, 0x2a, (byte) 0x86, 0x48, (byte) 0x86, (byte) 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00
    };
    private static final byte[] EC_PUBLIC_KEY = {0x06, 0x07, 0x2a, (byte) 0x86, 0x48, (byte) 0xce, 0x3d, 0x02, 0x01};
    private static final int SEQUENCE = 0x30;
    private static final int OCTET_STRING = 0x04;
    private static final int OBJECT_IDENTIFIER = 0x06;

    /** The tag of the curve in a SEC 1 key. */
    private static final int PARAMETERS = 0xa0;

    private PemFile() {}

    private static String read(Path file) throws IOException {
        try {
            if (Files.size(file) > MAX_BYTES) {
                throw new IOException(file + ": more than " + MAX_BYTES + " bytes");
            }
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (NoSuchFileException missing) {
            throw new IOException(file + ": no such file", missing);
        }
    }

    private static List<byte[]> blocks(String text, String type) throws IOException {
        List<byte[]> found = new ArrayList<>();
        Matcher block = BLOCK.matcher(text);
        while (block.find()) {
            if (block.group(1).equals(type)) {
                try {
                    found.add(Base64.getMimeDecoder().decode(block.group(2)));
                } catch (IllegalArgumentException malformed) {
                    throw new IOException("malformed Base64 in a block " + type, malformed);
                }
            }
        }
        return found;
    }

    /**
     * Returns all certificates of a file.
     *
     * @throws IOException if there is none, or one is malformed; the message names the file
     */
    static List<X509Certificate> certificates(Path file) throws IOException {
        String text = read(file);
        try {
            CertificateFactory factory = CertificateFactory.getInstance("X.509");
            List<X509Certificate> all = new ArrayList<>();
            for (byte[] block : blocks(text, "CERTIFICATE")) {
                Certificate certificate = factory.generateCertificate(new ByteArrayInputStream(block));
                all.add((X509Certificate) certificate);
            }
            if (all.isEmpty()) {
                throw new IOException("no block CERTIFICATE");
            }
            return List.copyOf(all);
        } catch (CertificateException | IOException malformed) {
            throw new IOException(file + ": not a PEM file with certificates: " + malformed.getMessage(), malformed);
        }
    }

    /**
     * Returns the first private key of a file.
     *
     * @throws IOException if there is none, or it is encrypted or malformed; the message names the file
     */
    static PrivateKey privateKey(Path file) throws IOException {
        String text = read(file);
        try {
            for (byte[] pkcs8 : blocks(text, "PRIVATE KEY")) {
                return key(pkcs8, "RSA", "EC", "EdDSA");
            }
            for (byte[] pkcs1 : blocks(text, "RSA PRIVATE KEY")) {
                return key(wrapped(RSA, pkcs1), "RSA");
            }
            for (byte[] sec1 : blocks(text, "EC PRIVATE KEY")) {
                byte[] curve = curve(sec1, text);
                return key(wrapped(der(SEQUENCE, join(EC_PUBLIC_KEY, curve)), sec1), "EC");
            }
        } catch (IOException malformed) {
            throw new IOException(file + ": " + malformed.getMessage(), malformed);
        }
        throw new IOException(
                file + ": no private key: a block PRIVATE KEY, RSA PRIVATE KEY or EC PRIVATE KEY, not encrypted");
    }

    private static PrivateKey key(byte[] pkcs8, String... algorithms) throws IOException {
        for (String algorithm : algorithms) {
            try {
                return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(pkcs8));
            } catch (GeneralSecurityException other) {
                // The next algorithm.
            }
        }
        throw new IOException("malformed private key, or encrypted, or neither RSA nor EC nor EdDSA");
    }

    /** Returns a key of PKCS #8. */
    private static byte[] wrapped(byte[] algorithm, byte[] key) {
        return der(SEQUENCE, join(VERSION_0, algorithm, der(OCTET_STRING, key)));
    }

    /** Returns the object identifier of the curve: of the key, or of the block EC PARAMETERS. */
    private static byte[] curve(byte[] sec1, String text) throws IOException {
        Optional<byte[]> own = Optional.empty();
        DerReader key = new DerReader(new DerReader(sec1).next(SEQUENCE));
        while (own.isEmpty() && key.hasNext()) {
            int tag = key.tag();
            byte[] content = key.next(tag);
            if (tag == PARAMETERS) {
                own = Optional.of(new DerReader(content).next(OBJECT_IDENTIFIER));
            }
        }
        if (own.isEmpty()) {
            for (byte[] parameters : blocks(text, "EC PARAMETERS")) {
                own = Optional.of(new DerReader(parameters).next(OBJECT_IDENTIFIER));
            }
        }
        return der(OBJECT_IDENTIFIER, own.orElseThrow(() -> new IOException("an EC key without its curve")));
    }

    private static byte[] der(int tag, byte[] content) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write(tag);
        int length = content.length;
        if (length < 0x80) {
            bytes.write(length);
        } else {
            // The shortest form: DER allows no other.
            int size = length < 0x100 ? 1 : length < 0x1_0000 ? 2 : 3;
            bytes.write(0x80 + size);
            for (int i = size - 1; i >= 0; i--) {
                bytes.write(length >> (8 * i));
            }
        }
        bytes.writeBytes(content);
        return bytes.toByteArray();
    }

    private static byte[] join(byte[]... parts) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        for (byte[] part : parts) {
            bytes.writeBytes(part);
        }
        return bytes.toByteArray();
    }

    /** Reads elements of DER one after the other. */
    private static final class DerReader {
        private final byte[] bytes;
        private int at;

        DerReader(byte[] bytes) {
            this.bytes = bytes;
        }

        boolean hasNext() {
            return at < bytes.length;
        }

        int tag() throws IOException {
            if (!hasNext()) {
                throw malformed();
            }
            return bytes[at] & 0xff;
        }

        /** Returns the content of the next element, which has this tag. */
        byte[] next(int tag) throws IOException {
            if (tag() != tag || at + 1 >= bytes.length) {
                throw malformed();
            }
            int length = bytes[at + 1] & 0xff;
            int begin = at + 2;
            if (length >= 0x80) {
                int size = length - 0x80;
                if (size < 1 || size > 3 || begin + size > bytes.length) {
                    throw malformed();
                }
                length = 0;
                for (int i = 0; i < size; i++) {
                    length = length << 8 | bytes[begin + i] & 0xff;
                }
                begin += size;
            }
            if (length > bytes.length - begin) {
                throw malformed();
            }
            at = begin + length;
            byte[] content = new byte[length];
            System.arraycopy(bytes, begin, content, 0, length);
            return content;
        }

        private static IOException malformed() {
            return new IOException("malformed DER in a private key");
        }
    }
}
