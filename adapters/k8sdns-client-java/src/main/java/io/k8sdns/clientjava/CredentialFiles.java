package io.k8sdns.clientjava;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;

/** Checks certificates and tokens before a request uses them. */
final class CredentialFiles {
    private static final String NO_CERTIFICATE = "holds no certificate in PEM";

    private CredentialFiles() {}

    /** Thrown for credentials that no request can use. The message is a verb phrase; callers put it after "has a FIELD that". */
    static final class UnusableException extends IOException {
        private static final long serialVersionUID = 1;

        UnusableException(String problem) {
            super(problem);
        }
    }

    /** Returns the contents of a file; the message of an exception names it. */
    static byte[] read(Path file) throws UnusableException {
        try {
            return Files.readAllBytes(file);
        } catch (NoSuchFileException missing) {
            throw new UnusableException("cannot be read: " + file + ": no such file");
        } catch (AccessDeniedException denied) {
            throw new UnusableException("cannot be read: " + file + ": permission denied");
        } catch (IOException unreadable) {
            throw new UnusableException("cannot be read: " + file + ": " + unreadable.getMessage());
        }
    }

    /** Checks that a file holds certificates. */
    static void requireCertificates(Path file) throws UnusableException {
        if (!areCertificates(read(file))) {
            throw new UnusableException(NO_CERTIFICATE + ": " + file);
        }
    }

    /** Checks that base64 holds certificates. */
    static void requireCertificateData(String base64) throws UnusableException {
        if (!areCertificates(decoded(base64))) {
            throw new UnusableException(NO_CERTIFICATE + ", encoded in base64");
        }
    }

    /**
     * Decodes as strictly as kubectl does; only line breaks are ignored. The Kubernetes client ignores all characters that are not
     * base64.
     */
    static byte[] decoded(String base64) throws UnusableException {
        try {
            return Base64.getDecoder().decode(base64.replaceAll("[\\r\\n]", ""));
        } catch (IllegalArgumentException invalid) {
            throw new UnusableException("is not base64");
        }
    }

    private static boolean areCertificates(byte[] contents) {
        try {
            return !CertificateFactory.getInstance("X.509")
                    .generateCertificates(new ByteArrayInputStream(contents))
                    .isEmpty();
        } catch (CertificateException invalid) {
            // The message of the exception describes the decoder, so the caller writes its own.
            return false;
        }
    }

    /** Returns the token in a file, without white space around it. */
    static String token(Path file) throws UnusableException {
        String token = new String(read(file), StandardCharsets.UTF_8).strip();
        if (token.isEmpty()) {
            throw new UnusableException("is empty: " + file);
        }
        if (!isHeader(token)) {
            throw new UnusableException("holds a line break or another character that no token has: " + file);
        }
        return token;
    }

    /** Returns whether a token can be sent: printable ASCII, as in the header of a request. */
    static boolean isHeader(String token) {
        return token.chars().allMatch(c -> c >= ' ' && c <= '~');
    }
}
