package io.k8sdns.federation.api;

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
import java.util.List;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Stream;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509ExtendedKeyManager;
import javax.net.ssl.X509ExtendedTrustManager;
import org.jspecify.annotations.Nullable;

/**
 * The certificate and key of the server, and the CA of its clients, from files that are read again when they have changed. The
 * {@link SSLContext} of an HTTPS server is fixed, so its managers delegate to those of the files that were read last. Thread-safe.
 *
 * <p>Files that cannot be used are reported once, and their previous content stays in use: certificate and key are usually replaced one
 * after the other.
 */
final class TlsFiles {
    private final Path certificate;
    private final Path key;
    private final Path clientCa;
    private final Consumer<String> warnings;
    private final SSLContext context;
    private volatile Material current;

    /** The content before the last change: a handshake that has chosen a certificate of it needs its key. */
    private volatile Material previous;

    /** Contents that cannot be used; guarded by this. */
    private List<PemFile> rejected = List.of();

    /** The problem that was reported last; guarded by this. */
    private String warned = "";

    /** The number of changes of the files, which makes aliases distinct; guarded by this. */
    private int generation;

    /** One content of the files, with the managers that use it. */
    private record Material(
            String alias, List<PemFile> contents, X509ExtendedKeyManager keys, X509ExtendedTrustManager trust) {}

    /**
     * Reads the files.
     *
     * @param warnings receives the problems of files that have changed
     * @throws IOException if one cannot be used; the message names it
     */
    TlsFiles(Path certificate, Path key, Path clientCa, Consumer<String> warnings) throws IOException {
        this.certificate = Objects.requireNonNull(certificate, "certificate");
        this.key = Objects.requireNonNull(key, "key");
        this.clientCa = Objects.requireNonNull(clientCa, "clientCa");
        this.warnings = warnings;
        this.current = material("0", contents());
        this.previous = current;
        try {
            this.context = SSLContext.getInstance("TLS");
            context.init(new KeyManager[] {new CurrentKey()}, new TrustManager[] {new CurrentTrust()}, null);
            // Resuming a session skips the check of the certificate, so sessions are kept for one second only.
            context.getServerSessionContext().setSessionTimeout(1);
        } catch (GeneralSecurityException unsupported) {
            throw new IOException(unsupported);
        }
    }

    SSLContext context() {
        return context;
    }

    /** Reads the files again if one has changed. */
    synchronized void refresh() {
        try {
            List<PemFile> contents = contents();
            if (contents.equals(current.contents) || contents.equals(rejected)) {
                return;
            }
            rejected = contents;
            Material next = material(String.valueOf(++generation), contents);
            previous = current;
            current = next;
            rejected = List.of();
            warned = "";
        } catch (IOException unusable) {
            String why = String.valueOf(unusable.getMessage());
            if (!why.equals(warned)) {
                warned = why;
                warnings.accept("the TLS files are not used, the last valid ones stay: " + why);
            }
        }
    }

    /**
     * Checks a client's chain as a handshake does, because a resumed session or a reused connection may be older than the files.
     *
     * @throws CertificateException if it is not valid now
     */
    void checkClient(X509Certificate[] chain) throws CertificateException {
        current.trust.checkClientTrusted(chain, chain[0].getPublicKey().getAlgorithm());
    }

    private List<PemFile> contents() throws IOException {
        return List.of(PemFile.read(certificate), PemFile.read(key), PemFile.read(clientCa));
    }

    private Material material(String alias, List<PemFile> contents) throws IOException {
        List<X509Certificate> chain = contents.get(0).certificates();
        PrivateKey privateKey = contents.get(1).privateKey(chain.get(0).getPublicKey());
        List<X509Certificate> authorities = contents.get(2).certificates();
        try {
            KeyStore identity = emptyStore();
            identity.setKeyEntry(alias, privateKey, new char[0], chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
            keys.init(identity, new char[0]);
            KeyStore trusted = emptyStore();
            for (int i = 0; i < authorities.size(); i++) {
                trusted.setCertificateEntry("ca" + i, authorities.get(i));
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            return new Material(
                    alias,
                    contents,
                    only(X509ExtendedKeyManager.class, keys.getKeyManagers()),
                    only(X509ExtendedTrustManager.class, trust.getTrustManagers()));
        } catch (GeneralSecurityException unusable) {
            throw new IOException(certificate + ", " + key + ", " + clientCa + " cannot be used", unusable);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private static <T> T only(Class<T> type, Object[] managers) {
        return Stream.of(managers)
                .filter(type::isInstance)
                .map(type::cast)
                .findFirst()
                .orElseThrow();
    }

    private <T> @Nullable T of(String alias, Function<X509ExtendedKeyManager, @Nullable T> value) {
        Material now = current;
        return value.apply(alias.equals(now.alias) ? now.keys : previous.keys);
    }

    /** Delegates to the key that was read last. Only for servers. */
    private final class CurrentKey extends X509ExtendedKeyManager {
        @Override
        public @Nullable String chooseEngineServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable SSLEngine engine) {
            return current.keys.chooseEngineServerAlias(keyType, issuers, engine);
        }

        @Override
        public @Nullable String chooseServerAlias(
                String keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return current.keys.chooseServerAlias(keyType, issuers, socket);
        }

        @Override
        public String @Nullable [] getServerAliases(String keyType, Principal @Nullable [] issuers) {
            return current.keys.getServerAliases(keyType, issuers);
        }

        @Override
        public X509Certificate @Nullable [] getCertificateChain(String alias) {
            return of(alias, keys -> keys.getCertificateChain(alias));
        }

        @Override
        public @Nullable PrivateKey getPrivateKey(String alias) {
            return of(alias, keys -> keys.getPrivateKey(alias));
        }

        @Override
        public String @Nullable [] getClientAliases(String keyType, Principal @Nullable [] issuers) {
            return null;
        }

        @Override
        public @Nullable String chooseClientAlias(
                String[] keyType, Principal @Nullable [] issuers, @Nullable Socket socket) {
            return null;
        }
    }

    /** Delegates to the CA that was read last. Only for the certificates of clients. */
    private final class CurrentTrust extends X509ExtendedTrustManager {
        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            current.trust.checkClientTrusted(chain, authType);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            current.trust.checkClientTrusted(chain, authType, socket);
        }

        @Override
        public void checkClientTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            current.trust.checkClientTrusted(chain, authType, engine);
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType) throws CertificateException {
            throw new CertificateException("no server is trusted");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, Socket socket)
                throws CertificateException {
            throw new CertificateException("no server is trusted");
        }

        @Override
        public void checkServerTrusted(X509Certificate[] chain, String authType, SSLEngine engine)
                throws CertificateException {
            throw new CertificateException("no server is trusted");
        }

        @Override
        public X509Certificate[] getAcceptedIssuers() {
            return current.trust.getAcceptedIssuers();
        }
    }
}
