package io.k8sdns.clientjava;

import io.k8sdns.pem.PemText;
import io.k8sdns.pem.UnsupportedPemException;
import java.io.IOException;
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
    /** The name of the key in its key store, which has no other. */
    static final String ALIAS = "client";

    private static final char[] PASSWORD = {};

    private ClientCertificate() {}

    /**
     * Returns the key managers of a certificate; empty if only the Kubernetes client may be able to read it or its key.
     *
     * @param certificates the certificate, and those of the authorities between it and a trusted one
     * @param key the private key
     * @throws IOException if the key is encrypted or malformed, or belongs to another certificate; the message names its source
     */
    static Optional<KeyManager[]> keyManagers(PemText certificates, PemText key) throws IOException {
        List<X509Certificate> chain;
        try {
            chain = certificates.certificates();
        } catch (IOException unreadable) {
            return Optional.empty();
        }
        try {
            PrivateKey read = key.privateKey(chain.get(0).getPublicKey());
            KeyStore store = KeyStore.getInstance("JKS");
            store.load(null, null);
            store.setKeyEntry(ALIAS, read, PASSWORD, chain.toArray(X509Certificate[]::new));
            KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            factory.init(store, PASSWORD);
            return Optional.of(factory.getKeyManagers());
        } catch (UnsupportedPemException | GeneralSecurityException unsupported) {
            return Optional.empty();
        }
    }
}
