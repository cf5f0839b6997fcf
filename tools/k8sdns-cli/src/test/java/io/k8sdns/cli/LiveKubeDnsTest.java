package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests reading the ConfigMap of kube-dns from an API server. */
class LiveKubeDnsTest {
    private static final String PATH = "/api/v1/namespaces/kube-system/configmaps/kube-dns";

    @TempDir
    private Path folder;

    private volatile String body = "";
    private volatile int status = 200;
    private final List<String> tokens = new CopyOnWriteArrayList<>();
    private final Set<Integer> connections = ConcurrentHashMap.newKeySet();

    @Test
    void readsTheDataFromTheApiServer() throws Exception {
        HttpServer server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.createContext(PATH, exchange -> {
            byte[] bytes = body.getBytes(StandardCharsets.UTF_8);
            tokens.add(String.valueOf(exchange.getRequestHeaders().getFirst("Authorization")));
            connections.add(exchange.getRemoteAddress().getPort());
            exchange.getResponseHeaders().add("Content-Type", "application/json");
            exchange.sendResponseHeaders(status, bytes.length);
            exchange.getResponseBody().write(bytes);
            exchange.close();
        });
        server.start();
        try {
            LiveOptions live = new LiveOptions();
            live.kubeconfig = Files.writeString(
                    folder.resolve("config"), """
                    apiVersion: v1
                    kind: Config
                    current-context: here
                    contexts: [{name: here, context: {cluster: here, user: me}}]
                    clusters: [{name: here, cluster: {server: 'http://127.0.0.1:%d'}}]
                    users: [{name: me, user: {token: secret}}]
                    """.formatted(server.getAddress().getPort()));
            Callable<Optional<Map<String, String>>> data = LiveCluster.kubeDnsData(live);

            body = """
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-dns"},
                     "data": {"stubDomains": "{}"}}
                    """;
            assertThat(data.call()).contains(Map.of("stubDomains", "{}"));
            body = """
                    {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "kube-dns"}}
                    """;
            assertThat(data.call()).contains(Map.of());
            body = "{}";
            status = 404;
            assertThat(data.call()).isEmpty();
            assertThat(connections)
                    .as("all requests use one client, and its connection")
                    .hasSize(1);

            status = 401;
            assertThatThrownBy(data::call).isInstanceOf(IOException.class);
            Files.writeString(
                    live.kubeconfig, Files.readString(live.kubeconfig).replace("token: secret", "token: next"));
            status = 200;
            assertThat(data.call()).contains(Map.of());
            assertThat(tokens).as("credentials are read again").endsWith("Bearer secret", "Bearer next");

            connections.clear();
            for (int denied = 0; denied < 3; denied++) {
                status = 403;
                assertThatThrownBy(data::call)
                        .isInstanceOf(AccessDeniedException.class)
                        .hasMessage("configmaps kube-system/kube-dns");
                status = 500;
                assertThatThrownBy(data::call).isInstanceOf(IOException.class);
            }
            status = 200;
            assertThat(data.call()).contains(Map.of());
            assertThat(connections)
                    .as("the client is kept while there is no permission")
                    .hasSize(1);
        } finally {
            server.stop(0);
        }
    }
}
