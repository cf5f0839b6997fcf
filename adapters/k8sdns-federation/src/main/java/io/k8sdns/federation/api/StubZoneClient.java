package io.k8sdns.federation.api;

import io.k8sdns.federation.pem.PemFile;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/**
 * A client of a {@link StubZoneApi}, with a client certificate.
 *
 * <p>The certificate files are read again before each request; if they cannot be used, their previous content is. Thread-safe. The
 * JDK's HTTP client has a thread of its own, which ends when the client has been garbage-collected.
 */
public final class StubZoneClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final URI endpoint;
    private final Path certificate;
    private final Path key;
    private final Path ca;
    private final Executor executor;

    /** The client for the current files; guarded by this. */
    private HttpClient http;

    /** The files in use; guarded by this. */
    private List<PemFile> files;

    private StubZoneClient(URI endpoint, Path certificate, Path key, Path ca, Executor executor) throws IOException {
        this.endpoint = endpoint;
        this.certificate = certificate;
        this.key = key;
        this.ca = ca;
        this.executor = executor;
        this.files = read();
        this.http = client(files);
    }

    /**
     * Creates a client, without sending a request.
     *
     * @param endpoint {@code https://HOST[:PORT]}
     * @param certificate the client's certificate, followed by intermediate certificates, in PEM
     * @param key its private key, in PEM, not encrypted
     * @param ca the authorities that may sign the server's certificate, in PEM
     * @param executor runs the stages that depend on a response
     * @throws IllegalArgumentException if the endpoint has another form
     * @throws IOException if a file cannot be used; the message names it
     */
    public static StubZoneClient create(URI endpoint, Path certificate, Path key, Path ca, Executor executor)
            throws IOException {
        boolean isServer = "https"
                        .equalsIgnoreCase(
                                Objects.requireNonNull(endpoint, "endpoint").getScheme())
                && endpoint.getHost() != null
                && endpoint.getRawUserInfo() == null
                && endpoint.getRawQuery() == null
                && endpoint.getRawFragment() == null
                && (endpoint.getRawPath() == null
                        || endpoint.getRawPath().isEmpty()
                        || endpoint.getRawPath().equals("/"));
        if (!isServer) {
            throw new IllegalArgumentException("not https://HOST[:PORT]: \"" + endpoint + "\"");
        }
        return new StubZoneClient(
                endpoint,
                Objects.requireNonNull(certificate, "certificate"),
                Objects.requireNonNull(key, "key"),
                Objects.requireNonNull(ca, "ca"),
                Objects.requireNonNull(executor, "executor"));
    }

    private List<PemFile> read() throws IOException {
        return List.of(PemFile.read(certificate), PemFile.read(key), PemFile.read(ca));
    }

    private HttpClient client(List<PemFile> contents) throws IOException {
        List<X509Certificate> chain = contents.get(0).certificates();
        try {
            KeyStore identity = emptyStore();
            identity.setKeyEntry(
                    "client",
                    contents.get(1).privateKey(chain.get(0).getPublicKey()),
                    new char[0],
                    chain.toArray(X509Certificate[]::new));
            KeyManagerFactory keys = KeyManagerFactory.getInstance("SunX509");
            keys.init(identity, new char[0]);
            KeyStore trusted = emptyStore();
            for (X509Certificate authority : contents.get(2).certificates()) {
                trusted.setCertificateEntry(String.valueOf(trusted.size()), authority);
            }
            TrustManagerFactory trust = TrustManagerFactory.getInstance("PKIX");
            trust.init(trusted);
            SSLContext context = SSLContext.getInstance("TLS");
            context.init(keys.getKeyManagers(), trust.getTrustManagers(), null);
            return HttpClient.newBuilder()
                    .version(HttpClient.Version.HTTP_1_1)
                    .connectTimeout(TIMEOUT)
                    .executor(executor)
                    .sslContext(context)
                    .build();
        } catch (GeneralSecurityException unusable) {
            throw new IOException(certificate + ", " + key + ", " + ca + " cannot be used", unusable);
        }
    }

    private static KeyStore emptyStore() throws GeneralSecurityException, IOException {
        KeyStore store = KeyStore.getInstance("PKCS12");
        store.load(null, null);
        return store;
    }

    private synchronized HttpClient newest() {
        try {
            List<PemFile> now = read();
            if (!now.equals(files)) {
                http = client(now);
                files = now;
            }
        } catch (IOException unusable) {
            // Certificate and key are usually replaced one after the other.
        }
        return http;
    }

    /**
     * Reads the stub zone of a federation.
     *
     * @return a stage with the stub zone, empty if there is none; fails with an {@link IOException} if the server does not answer in
     *     10 s, or answers with an error
     */
    public CompletionStage<Optional<StubZone>> get(String federation) {
        StubZone.requireName(federation);
        return send(request(federation).GET().build()).thenApply(response -> {
            if (response.statusCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            require(response, HttpURLConnection.HTTP_OK);
            try {
                return Optional.of(StubZoneJson.read(federation, response.body()));
            } catch (InvalidStubZoneException invalid) {
                throw new CompletionException(new IOException(endpoint + ": " + invalid.getMessage(), invalid));
            }
        });
    }

    /**
     * Creates or replaces the stub zone of a federation.
     *
     * @return a stage that completes when the server uses it; fails as {@link #get} does
     */
    public CompletionStage<Void> put(StubZone zone) {
        Objects.requireNonNull(zone, "zone");
        HttpRequest request = request(zone.federation())
                .header("Content-Type", "application/json")
                .POST(BodyPublishers.ofString(StubZoneJson.write(zone)))
                .build();
        return send(request).thenAccept(response -> {
            if (response.statusCode() != HttpURLConnection.HTTP_CREATED) {
                require(response, HttpURLConnection.HTTP_OK);
            }
        });
    }

    private HttpRequest.Builder request(String federation) {
        return HttpRequest.newBuilder(endpoint.resolve("/federations/" + federation))
                .timeout(TIMEOUT);
    }

    private CompletableFuture<HttpResponse<byte[]>> send(HttpRequest request) {
        return newest().sendAsync(request, BodyHandlers.ofByteArray()).handle((response, failure) -> {
            if (failure == null) {
                return response;
            }
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            throw new CompletionException(new IOException(endpoint + ": " + reason(cause) + ownExpiry(), cause));
        });
    }

    private static String reason(Throwable failure) {
        // The message of the outer exception is only "validity check failed".
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof CertificateExpiredException) {
                return "a certificate of the server has expired, " + cause.getMessage();
            }
        }
        return failure.getMessage() == null ? failure.getClass().getSimpleName() : failure.getMessage();
    }

    /**
     * Returns the expiry of the client's own certificate as the end of a message, otherwise an empty text: a server that refuses an expired
     * certificate may close the connection without a reason.
     */
    private synchronized String ownExpiry() {
        try {
            files.get(0).certificates().get(0).checkValidity();
        } catch (CertificateExpiredException expired) {
            return "; " + certificate + " has expired, " + expired.getMessage();
        } catch (CertificateNotYetValidException | IOException other) {
            // The request did not fail because of an expired certificate.
        }
        return "";
    }

    private void require(HttpResponse<byte[]> response, int status) {
        if (response.statusCode() != status) {
            String body = new String(response.body(), StandardCharsets.UTF_8).strip();
            throw new CompletionException(
                    new IOException(endpoint + ": HTTP status " + response.statusCode() + " " + StubZone.quoted(body)));
        }
    }
}
