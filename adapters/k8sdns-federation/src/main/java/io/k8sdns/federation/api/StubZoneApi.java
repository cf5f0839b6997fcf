package io.k8sdns.federation.api;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsExchange;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.k8sdns.arguments.Copies;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLPeerUnverifiedException;
import org.jspecify.annotations.Nullable;

/**
 * The HTTPS server that programs stub zones, for clients with a certificate.
 *
 * <table>
 *   <caption>Requests and responses</caption>
 *   <tr><th>request</th><th>response</th></tr>
 *   <tr><td>{@code GET /federations}</td><td>200 and all stub zones</td></tr>
 *   <tr><td>{@code GET /federations/NAME}</td><td>200 and the stub zone, or 404</td></tr>
 *   <tr><td>{@code POST} or {@code PUT /federations/NAME} with <code>{"nameservers": ["192.0.2.53"]}</code></td>
 *       <td>201 if it is new, 200 if it was replaced, and the stub zone; 400 if it is not valid; then it is not changed</td></tr>
 *   <tr><td>{@code DELETE /federations/NAME}</td><td>204, or 404</td></tr>
 * </table>
 *
 * <p>Other methods get 405, other paths 404, and a body of more than 64 KiB 413. Errors are <code>{"error": "..."}</code>.
 *
 * <pre>{@code
 * StubZoneApi api = StubZoneApi.builder(zones)
 *         .address(new InetSocketAddress(host, 8443))
 *         .tlsFiles(certificate, key, clientCa)
 *         .allowClients(List.of("federation-controller"))
 *         .start();
 * }</pre>
 *
 * <p>TLS 1.2 and 1.3. A client needs a certificate for client authentication that the given CA has signed: without one, the handshake
 * fails and no request is read. A client whose name is not allowed gets 403. The files are read again when they have changed.
 *
 * <p>A request has ten seconds from its handshake to its response, and a thread of its own, so that a stalled client does not delay the
 * others.
 *
 * <p>Source: the design document "Service Discovery in Ubernetes", section "Initial Setup".
 */
public final class StubZoneApi implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("io.k8sdns.federation.api");

    private static final String FEDERATIONS = "/federations";
    private static final int BACKLOG = 64;
    private static final int MAX_THREADS = 64;
    private static final int MAX_BODY = 64 << 10;

    /** The maximum size that is read of a too large body, so that the client can read the response. */
    private static final long MAX_DRAINED = 1L << 20;

    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final StubZones zones;
    private final Set<String> allowed;
    private final TlsFiles tls;
    private final RequestThreads threads;
    private final HttpsServer server;
    private final InetSocketAddress address;

    private StubZoneApi(Builder builder, TlsFiles tls) throws IOException {
        this.zones = builder.zones;
        this.allowed = builder.allowed;
        this.tls = tls;
        this.server = HttpsServer.create(builder.address, BACKLOG);
        this.address = server.getAddress();
        this.threads = new RequestThreads(builder.maxThreads, builder.limit);
        server.setHttpsConfigurator(new ClientCertificates(tls));
        server.setExecutor(threads);
        server.createContext("/", this::handle);
    }

    /**
     * Returns a builder of a server that shows and changes these stub zones.
     *
     * @param zones the stub zones
     */
    public static Builder builder(StubZones zones) {
        return new Builder(Objects.requireNonNull(zones, "zones"));
    }

    /** Returns the address of the server; the port is never 0. */
    public InetSocketAddress address() {
        return address;
    }

    /** Stops the server. Closing again does nothing. */
    @Override
    public void close() {
        server.stop(0);
        threads.close();
    }

    /** Configures each connection, after reading the TLS files again if they have changed. */
    private static final class ClientCertificates extends HttpsConfigurator {
        private final TlsFiles tls;

        ClientCertificates(TlsFiles tls) {
            super(tls.context());
            this.tls = tls;
        }

        @Override
        public void configure(HttpsParameters connection) {
            tls.refresh();
            SSLParameters parameters = getSSLContext().getDefaultSSLParameters();
            parameters.setProtocols(new String[] {"TLSv1.3", "TLSv1.2"});
            parameters.setNeedClientAuth(true);
            connection.setSSLParameters(parameters);
        }
    }

    // ---- requests

    /** A response: its status and its body, which may be empty. */
    private record Reply(int status, String body, @Nullable String allow) {
        static Reply of(int status, String body) {
            return new Reply(status, body, null);
        }

        static Reply error(int status, String message) {
            return of(status, StubZoneJson.error(message));
        }

        static Reply notAllowed(String methods) {
            return new Reply(405, StubZoneJson.error("only " + methods), methods);
        }
    }

    private void handle(HttpExchange exchange) throws IOException {
        try (exchange) {
            send(exchange, reply(exchange));
        }
    }

    private Reply reply(HttpExchange exchange) throws IOException {
        Optional<X509Certificate> client = client(exchange);
        if (client.isEmpty()) {
            return Reply.error(403, "the client certificate is not valid");
        }
        if (!allowed.isEmpty() && !ClientNames.hasAny(client.get(), allowed)) {
            return Reply.error(403, "the client is not allowed: " + client.get().getSubjectX500Principal());
        }
        threads.authenticated();
        String path = Optional.ofNullable(exchange.getRequestURI().getRawPath()).orElse("");
        String method = exchange.getRequestMethod();
        if (path.equals(FEDERATIONS)) {
            return method.equals("GET")
                    ? Reply.of(200, StubZoneJson.write(zones.all().values()))
                    : Reply.notAllowed("GET");
        }
        String name = path.startsWith(FEDERATIONS + "/") ? path.substring(FEDERATIONS.length() + 1) : "";
        if (name.isEmpty() || name.indexOf('/') >= 0) {
            return Reply.error(404, "there are /federations and /federations/NAME");
        }
        try {
            StubZone.requireName(name);
            return switch (method) {
                case "GET" ->
                    zones.get(name)
                            .map(zone -> Reply.of(200, StubZoneJson.write(zone)))
                            .orElseGet(() -> unknown(name));
                case "POST", "PUT" -> put(name, exchange);
                case "DELETE" -> threads.uninterrupted(() -> zones.remove(name)) ? Reply.of(204, "") : unknown(name);
                default -> Reply.notAllowed("GET, POST, PUT, DELETE");
            };
        } catch (InvalidStubZoneException invalid) {
            return Reply.error(400, String.valueOf(invalid.getMessage()));
        }
    }

    private static Reply unknown(String name) {
        return Reply.error(404, "there is no federation " + name);
    }

    private Reply put(String name, HttpExchange exchange) throws IOException {
        InputStream body = exchange.getRequestBody();
        byte[] json = body.readNBytes(MAX_BODY + 1);
        if (json.length > MAX_BODY) {
            drain(body);
            return Reply.error(413, "the body has more than " + MAX_BODY + " bytes");
        }
        StubZone zone = StubZoneJson.read(name, json);
        boolean isNew;
        try {
            isNew = threads.uninterrupted(() -> zones.put(zone));
        } catch (IOException unwritable) {
            LOG.log(System.Logger.Level.WARNING, "stub zones cannot be stored: " + unwritable, unwritable);
            return Reply.error(500, "the stub zone cannot be stored");
        }
        return Reply.of(isNew ? 201 : 200, StubZoneJson.write(zone));
    }

    private static void drain(InputStream body) throws IOException {
        byte[] buffer = new byte[8192];
        long read = 0;
        int some = 0;
        while (some >= 0 && read < MAX_DRAINED) {
            read += some;
            some = body.read(buffer);
        }
    }

    /** Returns the client's certificate if it is valid now, otherwise empty. */
    private Optional<X509Certificate> client(HttpExchange exchange) {
        try {
            Certificate[] chain = ((HttpsExchange) exchange).getSSLSession().getPeerCertificates();
            X509Certificate[] certificates =
                    Stream.of(chain).map(X509Certificate.class::cast).toArray(X509Certificate[]::new);
            tls.checkClient(certificates);
            return Optional.of(certificates[0]);
        } catch (SSLPeerUnverifiedException | CertificateException invalid) {
            return Optional.empty();
        }
    }

    private static void send(HttpExchange exchange, Reply reply) throws IOException {
        byte[] body = reply.body().getBytes(StandardCharsets.UTF_8);
        if (reply.allow() != null) {
            exchange.getResponseHeaders().set("Allow", reply.allow());
        }
        if (body.length == 0 || exchange.getRequestMethod().equals("HEAD")) {
            exchange.sendResponseHeaders(reply.status(), -1);
            return;
        }
        exchange.getResponseHeaders().set("Content-Type", "application/json");
        exchange.sendResponseHeaders(reply.status(), body.length);
        exchange.getResponseBody().write(body);
    }

    /** Collects the settings of a server. */
    public static final class Builder {
        private final StubZones zones;
        private InetSocketAddress address = new InetSocketAddress(java.net.InetAddress.getLoopbackAddress(), 0);
        private @Nullable Path certificate;
        private @Nullable Path key;
        private @Nullable Path clientCa;
        private Set<String> allowed = Set.of();
        private Duration limit = LIMIT;
        private int maxThreads = MAX_THREADS;

        private Builder(StubZones zones) {
            this.zones = zones;
        }

        /** Sets the address; by default a free port of the loopback address. Port 0 selects a free port. */
        public Builder address(InetSocketAddress value) {
            address = Objects.requireNonNull(value, "address");
            return this;
        }

        /**
         * Sets the files for TLS, in PEM; required.
         *
         * @param certificateFile the certificate of the server, followed by those of intermediate CAs if there are any
         * @param keyFile its private key, not encrypted
         * @param clientCaFile the CA that signs the certificates of clients, or several
         */
        public Builder tlsFiles(Path certificateFile, Path keyFile, Path clientCaFile) {
            certificate = Objects.requireNonNull(certificateFile, "certificateFile");
            key = Objects.requireNonNull(keyFile, "keyFile");
            clientCa = Objects.requireNonNull(clientCaFile, "clientCaFile");
            return this;
        }

        /**
         * Sets the allowed clients, by the common name or a subject alternative name of their certificate; by default all clients of
         * the CA.
         *
         * @param names an empty collection allows all clients
         */
        public Builder allowClients(Collection<String> names) {
            allowed = Copies.set("allowClients", names);
            return this;
        }

        /** Sets the maximum time of a request, from its handshake to its response; ten seconds by default. */
        Builder limit(Duration value) {
            limit = value;
            return this;
        }

        /** Sets the maximum number of concurrent requests; 64 by default. */
        Builder maxThreads(int value) {
            maxThreads = value;
            return this;
        }

        /**
         * Reads the files and starts the server.
         *
         * @throws IOException if a file cannot be used or the address cannot be bound; the message names it
         * @throws IllegalStateException if the files are not set
         */
        public StubZoneApi start() throws IOException {
            Path certificateFile = certificate;
            Path keyFile = key;
            Path clientCaFile = clientCa;
            if (certificateFile == null || keyFile == null || clientCaFile == null) {
                throw new IllegalStateException("no certificate files: call tlsFiles(..) before start()");
            }
            TlsFiles tls = new TlsFiles(
                    certificateFile, keyFile, clientCaFile, warning -> LOG.log(System.Logger.Level.WARNING, warning));
            StubZoneApi api = new StubZoneApi(this, tls);
            api.server.start();
            return api;
        }
    }
}
