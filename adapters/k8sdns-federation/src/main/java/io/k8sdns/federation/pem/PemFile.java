package io.k8sdns.federation.pem;

import io.k8sdns.pem.PemText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The content of one PEM file (RFC 7468), with certificates and private keys as OpenSSL, cert-manager and cfssl write them.
 *
 * <p>Two contents of one file are equal if the file has not changed between the two readings.
 */
public final class PemFile {
    private static final int MAX_BYTES = 1 << 20;

    private final Path path;
    private final String text;

    private PemFile(Path path, String text) {
        this.path = path;
        this.text = text;
    }

    /**
     * Reads a file.
     *
     * @throws IOException if it cannot be read, or has more than 1 MiB; the message names it
     */
    public static PemFile read(Path path) throws IOException {
        Objects.requireNonNull(path, "path");
        try {
            if (Files.size(path) > MAX_BYTES) {
                throw new IOException(path + ": more than " + MAX_BYTES + " bytes");
            }
            return new PemFile(path, Files.readString(path, StandardCharsets.ISO_8859_1));
        } catch (NoSuchFileException missing) {
            throw new IOException(path + ": no such file", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException(path + ": permission denied", denied);
        }
    }

    /**
     * Returns the certificates in their order, at least one.
     *
     * @throws IOException if there is none, or one is malformed; the message names the file
     */
    public List<X509Certificate> certificates() throws IOException {
        return new PemText(path.toString(), text).certificates();
    }

    /**
     * Returns the first private key, as {@link PemText#privateKey} does.
     *
     * @param owner the key of the certificate that it must belong to
     * @throws IOException if there is no such key, it is encrypted, or it belongs to another certificate; the message names the file
     */
    public PrivateKey privateKey(PublicKey owner) throws IOException {
        return new PemText(path.toString(), text).privateKey(owner);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof PemFile one && path.equals(one.path) && text.equals(one.text);
    }

    @Override
    public int hashCode() {
        return text.hashCode();
    }

    /** Returns the path of the file, not its content, which may be secret. */
    @Override
    public String toString() {
        return path.toString();
    }
}
