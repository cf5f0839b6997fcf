package io.k8sdns.distribution;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;

/** An API server of a cluster that does not change, with TLS, for {@link TrainingRun}: lists, and watches without events. */
final class TrainingCluster implements AutoCloseable {
    /** Enough for the tables of a zone to grow. */
    private static final int SERVICES = 200;

    private static final String PASSWORD = "training";

    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final HttpsServer server;
    private final String certificate;

    private TrainingCluster(HttpsServer server, KeyStore keys) throws GeneralSecurityException {
        this.server = server;
        this.certificate = "-----BEGIN CERTIFICATE-----\n"
                + Base64.getMimeEncoder()
                        .encodeToString(keys.getCertificate("server").getEncoded())
                + "\n-----END CERTIFICATE-----\n";
    }

    /**
     * Starts a server at a free port of 127.0.0.1.
     *
     * @param folder receives a file with the key
     */
    static TrainingCluster start(Path folder) throws IOException, InterruptedException {
        try {
            KeyStore keys = keys(folder.resolve("keys"));
            KeyManagerFactory managers = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
            managers.init(keys, PASSWORD.toCharArray());
            SSLContext tls = SSLContext.getInstance("TLS");
            tls.init(managers.getKeyManagers(), null, null);
            HttpsServer server = HttpsServer.create(
                    new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
            server.setHttpsConfigurator(new HttpsConfigurator(tls));
            TrainingCluster cluster = new TrainingCluster(server, keys);
            server.createContext("/", TrainingCluster::answer);
            server.setExecutor(cluster.threads);
            server.start();
            return cluster;
        } catch (GeneralSecurityException impossible) {
            throw new IOException(impossible);
        }
    }

    /** Makes a key with a certificate, for which the JDK has only a program (keytool). */
    private static KeyStore keys(Path file) throws IOException, InterruptedException, GeneralSecurityException {
        int code = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "server",
                        "-keyalg",
                        "EC",
                        "-dname",
                        "CN=training",
                        "-ext",
                        "san=ip:127.0.0.1",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        file.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
        if (code != 0) {
            throw new IOException("keytool ended with " + code);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(file)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        return keys;
    }

    /** Returns a kubeconfig for this server. */
    String kubeconfig() {
        String authority = Base64.getEncoder().encodeToString(certificate.getBytes(StandardCharsets.US_ASCII));
        return "{apiVersion: v1, kind: Config, current-context: here, contexts: [{name: here, context: {cluster: here, user: me}}], "
                + "clusters: [{name: here, cluster: {server: 'https://127.0.0.1:"
                + server.getAddress().getPort()
                + "', certificate-authority-data: " + authority + "}}], users: [{name: me, user: {token: none}}]}\n";
    }

    /** Returns the objects of the cluster as a manifest. */
    static String manifest() {
        return list("", List.of(namespace(), services(), slices()));
    }

    private static void answer(HttpExchange exchange) throws IOException {
        String query = String.valueOf(exchange.getRequestURI().getQuery());
        String path = exchange.getRequestURI().getPath();
        exchange.getResponseHeaders().add("Content-Type", "application/json");
        if (query.contains("watch=true")) {
            // Stays open until the client or the server ends.
            exchange.sendResponseHeaders(200, 0);
            exchange.getResponseBody().flush();
            return;
        }
        String body = switch (path.substring(path.lastIndexOf('/') + 1)) {
            case "services" -> list("Service", List.of(services()));
            case "endpointslices" -> list("EndpointSlice", List.of(slices()));
            case "namespaces" -> list("Namespace", List.of(namespace()));
            default -> list("", List.of());
        };
        byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
        exchange.sendResponseHeaders(200, bytes.length);
        exchange.getResponseBody().write(bytes);
        exchange.close();
    }

    private static String list(String kind, List<String> items) {
        return "{\"kind\": \"" + kind
                + "List\", \"apiVersion\": \"v1\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": ["
                + String.join(",", items) + "]}";
    }

    private static String namespace() {
        return "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"default\", \"uid\": \"n\", "
                + "\"resourceVersion\": \"1\"}}";
    }

    private static String services() {
        return IntStream.range(0, SERVICES)
                .mapToObj(i -> String.format(
                        Locale.ROOT,
                        "{\"apiVersion\": \"v1\", \"kind\": \"Service\", \"metadata\": {\"name\": \"web-%d\", \"namespace\": \"default\", "
                                + "\"uid\": \"s%d\", \"resourceVersion\": \"1\"}, \"spec\": {\"type\": \"ClusterIP\", \"clusterIP\": \"10.97.%d.%d\", "
                                + "\"clusterIPs\": [\"10.97.%d.%d\"], \"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}]}}%n",
                        i,
                        i,
                        i / 250,
                        i % 250 + 1,
                        i / 250,
                        i % 250 + 1))
                .collect(Collectors.joining(","));
    }

    private static String slices() {
        return IntStream.range(0, SERVICES)
                .mapToObj(i -> String.format(
                        Locale.ROOT,
                        "{\"apiVersion\": \"discovery.k8s.io/v1\", \"kind\": \"EndpointSlice\", \"metadata\": {\"name\": \"web-%d-a\", "
                                + "\"namespace\": \"default\", \"uid\": \"e%d\", \"resourceVersion\": \"1\", \"labels\": "
                                + "{\"kubernetes.io/service-name\": \"web-%d\"}}, \"addressType\": \"IPv4\", \"endpoints\": [{\"addresses\": "
                                + "[\"10.244.%d.%d\"], \"conditions\": {\"ready\": true}}], \"ports\": [{\"name\": \"http\", \"port\": 8080}]}%n",
                        i,
                        i,
                        i,
                        i / 250,
                        i % 250 + 1))
                .collect(Collectors.joining(","));
    }

    @Override
    public void close() {
        server.stop(0);
        threads.shutdownNow();
    }
}
