package io.k8sdns.etcd;

import io.k8sdns.federation.pem.PemFile;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * Creates TLS contexts with certificates from PEM files. The files are read again for each connection, so that certificates can be
 * renewed while a program runs. If they cannot be read or do not match at that moment, the previous certificates stay in use.
 */
public final class EtcdTls {
    private EtcdTls() {}

    /**
     * Returns a TLS context without a client certificate.
     *
     * @param ca certificates of the authorities that may sign the server's certificate
     * @throws IOException if the file cannot be read, or contains no certificate; the message names it
     */
    public static SSLContext withCa(Path ca) throws IOException {
        return context(new KeyManager[0], new TrustedAuthorities(Objects.requireNonNull(ca, "ca")));
    }

    /**
     * Returns a TLS context with a client certificate.
     *
     * @param ca certificates of the authorities that may sign the server's certificate
     * @param certificate the client's certificate, followed by those of the authorities between it and the root, if any
     * @param key its private key: PKCS #8, PKCS #1 or SEC 1, not encrypted
     * @throws IOException if a file cannot be read, or holds no certificate or no such key; the message names it
     */
    public static SSLContext withClientCertificate(Path ca, Path certificate, Path key) throws IOException {
        ClientCertificate client = new ClientCertificate(
                Objects.requireNonNull(certificate, "certificate"), Objects.requireNonNull(key, "key"));
        return context(new KeyManager[] {client}, new TrustedAuthorities(Objects.requireNonNull(ca, "ca")));
    }

    /**
     * Returns a TLS context with a client certificate, for servers whose certificates are signed by an authority that the JDK trusts.
     *
     * @param certificate the client's certificate, followed by those of the authorities between it and the root, if any
     * @param key its private key: PKCS #8, PKCS #1 or SEC 1, not encrypted
     * @throws IOException if a file cannot be read, or holds no certificate or no such key; the message names it
     */
    public static SSLContext withClientCertificate(Path certificate, Path key) throws IOException {
        ClientCertificate client = new ClientCertificate(
                Objects.requireNonNull(certificate, "certificate"), Objects.requireNonNull(key, "key"));
        return context(new KeyManager[] {client}, null);
    }

    /** Returns a context; without a trust manager it uses the JDK's default authorities. */
    private static SSLContext context(KeyManager[] keyManagers, @Nullable TrustedAuthorities trusted)
            throws IOException {
        try {
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keyManagers, trusted == null ? null : new TrustManager[] {trusted}, null);
            return context;
        } catch (GeneralSecurityException missing) {
            throw new IOException(missing);
        }
    }

    /** Provides the client certificate from the files. */
    private static final class ClientCertificate extends X509ExtendedKeyManager {
        private final Path certificate;
        private final Path key;
        private volatile Credentials current;
        private volatile Credentials previous;

        /**
         * A certificate and its key.
         *
         * @param alias the unique name of these credentials, so that a handshake does not mix old and new ones
         */
        private record Credentials(String alias, List<X509Certificate> chain, PrivateKey privateKey) {}

        ClientCertificate(Path certificate, Path key) throws IOException {
            this.certificate = certificate;
            this.key = key;
            List<X509Certificate> chain = PemFile.read(certificate).certificates();
            this.current = new Credentials("0", chain, privateKey(chain));
            this.previous = current;
        }

        private PrivateKey privateKey(List<X509Certificate> chain) throws IOException {
            return PemFile.read(key).privateKey(chain.get(0).getPublicKey());
        }

        private synchronized Credentials newest() {
            try {
                List<X509Certificate> chain = PemFile.read(certificate).certificates();
                if (!chain.equals(current.chain())) {
                    PrivateKey privateKey = privateKey(chain);
                    previous = current;
                    current = new Credentials(Long.toString(Long.parseLong(previous.alias()) + 1), chain, privateKey);
                }
            } catch (IOException unreadable) {
                // The previous credentials stay in use; a server that rejects them reports it.
            }
            return current;
        }

        private @Nullable Credentials named(@Nullable String alias) {
            Credentials now = current;
            Credentials before = previous;
            return now.alias().equals(alias) ? now : before.alias().equals(alias) ? before : null;
        }

        private @Nullable String alias(String[] keyTypes) {
            Credentials newest = newest();
            String algorithm = newest.privateKey().getAlgorithm();
            return Arrays.asList(keyTypes).contains(algorithm) ? newest.alias() : null;
        }

        @Override
        public @Nullable String chooseEngineClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return alias(keyTypes);
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyTypes, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return alias(keyTypes);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(@Nullable String alias) {
            Credentials credentials = named(alias);
            return credentials == null ? null : credentials.chain().toArray(X509Certificate[]::new);
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(@Nullable String alias) {
            Credentials credentials = named(alias);
            return credentials == null ? null : credentials.privateKey();
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return new String[] {current.alias()};
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    /** Checks server certificates with the authorities from the file. */
    private static final class TrustedAuthorities extends X509ExtendedTrustManager {
        private final Path ca;
        private List<X509Certificate> authorities;
        private X509ExtendedTrustManager current;

        TrustedAuthorities(Path ca) throws IOException {
            this.ca = ca;
            this.authorities = PemFile.read(ca).certificates();
            this.current = manager(authorities);
        }

        private static X509ExtendedTrustManager manager(List<X509Certificate> authorities) throws IOException {
            try {
                KeyStore store = KeyStore.getInstance("PKCS12");
                store.load(null, null);
                for (int i = 0; i < authorities.size(); i++) {
                    store.setCertificateEntry(Integer.toString(i), authorities.get(i));
                }
                TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
                factory.init(store);
                return (X509ExtendedTrustManager) factory.getTrustManagers()[0];
            } catch (GeneralSecurityException missing) {
                throw new IOException(missing);
            }
        }

        private synchronized X509ExtendedTrustManager newest() {
            try {
                List<X509Certificate> read = PemFile.read(ca).certificates();
                if (!read.equals(authorities)) {
                    current = manager(read);
                    authorities = read;
                }
            } catch (IOException unreadable) {
                // The previous authorities stay in use.
            }
            return current;
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            newest().checkServerTrusted(chain, type, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            newest().checkServerTrusted(chain, type, socket);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String type) throws CertificateException {
            newest().checkServerTrusted(chain, type);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, SSLEngine engine)
                throws CertificateException {
            newest().checkClientTrusted(chain, type, engine);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type, Socket socket)
                throws CertificateException {
            newest().checkClientTrusted(chain, type, socket);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String type) throws CertificateException {
            newest().checkClientTrusted(chain, type);
        }

        @Override
        public synchronized X509Certificate[] getAcceptedIssuers() {
            return current.getAcceptedIssuers();
        }
    }
}
