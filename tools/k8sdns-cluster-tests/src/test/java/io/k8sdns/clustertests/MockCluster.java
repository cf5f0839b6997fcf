package io.k8sdns.clustertests;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.server.mock.KubernetesMockServer;
import io.fabric8.mockwebserver.Context;
import io.fabric8.mockwebserver.MockWebServer;
import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.concurrent.CompletableFuture;
import okhttp3.Interceptor;
import okhttp3.MediaType;
import okhttp3.OkHttpClient;
import okhttp3.Protocol;
import okhttp3.Request;
import okhttp3.Response;
import okhttp3.ResponseBody;
import okhttp3.WebSocket;
import okhttp3.WebSocketListener;
import okio.BufferedSink;
import okio.BufferedSource;
import okio.ForwardingSource;
import okio.Okio;
import okio.Pipe;
import org.jspecify.annotations.Nullable;

/**
 * fabric8's mock of an API server over HTTPS, which stores objects. It differs from real API servers:
 *
 * <ul>
 *   <li>It has watches only over WebSocket; {@link PlainWatches} converts their messages to lines.
 *   <li>A watch starts with every object, regardless of the requested version; this class removes events up to that version.
 *   <li>{@link MockDispatcher} corrects three more differences of its watches.
 *   <li>It supports only equality in selectors.
 *   <li>It has no bookmarks, no pages and no expiry; tests of these use {@code ApiServer}.
 *   <li>Services and Pods get no addresses; this class sets them.
 * </ul>
 */
final class MockCluster implements TestCluster {
    private static final ObjectMapper JSON = new ObjectMapper();

    private final MockWebServer web = new MockWebServer();
    private final MockDispatcher dispatcher = new MockDispatcher();
    private final KubernetesMockServer server =
            new KubernetesMockServer(new Context(JSON), web, new HashMap<>(), dispatcher, true);
    private final KubernetesClient client;
    private int addresses;

    MockCluster() {
        server.init(InetAddress.getLoopbackAddress(), 0);
        // The default of ten seconds is too short on a busy machine.
        client = server.createClient(
                builder -> builder.editOrNewConfig().withRequestTimeout(120_000).endConfig());
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace())
                        .addToLabels("k8sdns-test", namespace())
                        .endMetadata()
                        .build())
                .create();
    }

    @Override
    public KubernetesClient client() {
        return client;
    }

    @Override
    public String namespace() {
        return "k8sdns-test";
    }

    @Override
    public ApiClient connect() throws IOException {
        ApiClient api = new ApiClient().setBasePath("https://localhost:" + web.getPort());
        Path certificate = Path.of(web.getSelfSignedCertificate().certificatePath());
        try (var in = Files.newInputStream(certificate)) {
            api.setSslCaCert(in);
        }
        OkHttpClient http = api.getHttpClient();
        return api.setHttpClient(
                http.newBuilder().addInterceptor(new PlainWatches(http)).build());
    }

    @Override
    public Service create(Service service) {
        boolean addressed = service.getSpec().getClusterIP() == null
                && !"ExternalName".equals(service.getSpec().getType());
        String address = "10.96.0." + ++addresses;
        return client.resource(
                        addressed
                                ? new ServiceBuilder(service)
                                        .editSpec()
                                        .withClusterIP(address)
                                        .withClusterIPs(address)
                                        .endSpec()
                                        .build()
                                : service)
                .create();
    }

    @Override
    public Pod run(Pod pod) {
        String address = "10.244.0." + ++addresses;
        return client.resource(new PodBuilder(pod)
                        .withNewStatus()
                        .withPhase("Running")
                        .withPodIP(address)
                        .addNewPodIP(address)
                        .endStatus()
                        .build())
                .create();
    }

    @Override
    public Duration patience() {
        return Duration.ofMinutes(2);
    }

    @Override
    public void close() {
        client.close();
        dispatcher.endWatches();
        server.destroy();
    }

    /** Lets a client watch over plain HTTP. */
    private record PlainWatches(OkHttpClient http) implements Interceptor {
        @Override
        public Response intercept(Chain chain) throws IOException {
            Request request = chain.request();
            if (!"true".equals(request.url().queryParameter("watch"))) {
                return chain.proceed(request);
            }
            Messages messages =
                    new Messages(Long.parseLong(String.valueOf(request.url().queryParameter("resourceVersion"))));
            WebSocket socket = http.newWebSocket(request, messages);
            messages.opened.join();
            return new Response.Builder()
                    .request(request)
                    .protocol(Protocol.HTTP_1_1)
                    .code(200)
                    .message("OK")
                    .body(messages.body(socket))
                    .build();
        }
    }

    /** Converts WebSocket messages to the lines of a response. */
    private static final class Messages extends WebSocketListener {
        private final long since;
        private final Pipe pipe = new Pipe(1 << 20);
        private final BufferedSink lines = Okio.buffer(pipe.sink());
        private final CompletableFuture<Void> opened = new CompletableFuture<>();

        Messages(long since) {
            this.since = since;
        }

        ResponseBody body(WebSocket socket) {
            BufferedSource source = Okio.buffer(new ForwardingSource(pipe.source()) {
                @Override
                public void close() throws IOException {
                    socket.cancel();
                    super.close();
                }
            });
            return new ResponseBody() {
                @Override
                public MediaType contentType() {
                    return MediaType.get("application/json");
                }

                @Override
                public long contentLength() {
                    return -1;
                }

                @Override
                public BufferedSource source() {
                    return source;
                }
            };
        }

        @Override
        public void onOpen(WebSocket socket, Response response) {
            opened.complete(null);
        }

        @Override
        public void onMessage(WebSocket socket, String text) {
            try {
                JsonNode event = JSON.readTree(text);
                long version = event.at("/object/metadata/resourceVersion").asLong();
                if (version > since) {
                    lines.writeString(event + "\n", StandardCharsets.UTF_8).flush();
                }
            } catch (JsonProcessingException impossible) {
                throw new UncheckedIOException(impossible);
            } catch (IOException closedByClient) {
                socket.cancel();
            }
        }

        @Override
        public void onClosed(WebSocket socket, int code, String reason) {
            end();
        }

        @Override
        public void onFailure(WebSocket socket, Throwable why, @Nullable Response response) {
            opened.completeExceptionally(why);
            end();
        }

        private void end() {
            try {
                lines.close();
            } catch (IOException closedByClient) {
                // The client has closed the response.
            }
        }
    }
}
