package io.k8sdns.clientjava;

import io.k8sdns.pem.PemText;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Optional;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;

/**
 * A client certificate and its key, read with the JDK alone. The Kubernetes client reads keys with Bouncy Castle: hundreds of classes of a
 * signed jar, whose signature the JVM checks, which is most of a second of a start.
 */
final class ClientCertificate {
    /** The name of the key, which is in no other key store. */
    static final String ALIAS = "client";

    private static final char[] PASSWORD = {};

    private ClientCertificate() {}

    /**
     * Returns the key managers of a certificate; empty if the JDK cannot read it or its key, for example because the key is encrypted, or if
     * the key does not belong to the certificate.
     *
     * @param certificates the certificate, and those of the authorities between it and a trusted one, in PEM
     * @param key the key in PEM
     */
    static Optional<KeyManager[]> keyManagers(byte[] certificates, byte[] key) {
        try {
            List<X509Certificate> chain =
                    pem("client-certificate", certificates).certificates();
            PrivateKey read = pem("client-key", key).privateKey(chain.get(0).getPublicKey());
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry(ALIAS, read, PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, PASSWORD);
            return Optional.of(factory.getKeyManagers());
        } catch (IOException | GeneralSecurityException unreadable) {
            // The Kubernetes client tries, and reports it.
            return Optional.empty();
        }
    }

    private static PemText pem(String source, byte[] text) {
        return new PemText(source, new String(text, StandardCharsets.ISO_8859_1));
    }
}
