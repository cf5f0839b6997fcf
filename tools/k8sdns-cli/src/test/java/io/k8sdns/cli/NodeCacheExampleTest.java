package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.k8sdns.autopath.AutopathObserver.Front;
import io.k8sdns.forward.AnswerCache;
import io.k8sdns.forward.UpstreamObserver.Failure;
import io.k8sdns.forward.UpstreamServer;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.resolver.AnswerStatus;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.xbill.DNS.Rcode;

/** {@code examples/kubernetes/node-cache} and {@code docs/node-cache.md}, as far as they are about this command. */
class NodeCacheExampleTest {
    private static final Path FOLDER = Run.ROOT.resolve(Path.of("examples", "kubernetes", "node-cache"));
    private static final Pattern METRIC = Pattern.compile("`(k8sdns_[a-z_]+)");

    @Test
    void argumentsAreTheCommands() throws IOException {
        String[] deployed = Files.readString(FOLDER.resolve("daemonset.yaml"))
                .lines()
                .dropWhile(line -> !line.strip().equals("args:"))
                .skip(1)
                .map(String::strip)
                .takeWhile(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toArray(String[]::new);

        assertThat(deployed).startsWith("node-cache").hasSizeGreaterThan(6);
        assertThatCode(() -> Main.commandLine(deployed).parseArgs(deployed)).doesNotThrowAnyException();
    }

    @Test
    void metricsOfThePageAreRegistered() throws Exception {
        List<String> page = Files.readString(Run.ROOT.resolve(Path.of("docs", "node-cache.md")))
                .lines()
                .filter(line -> line.startsWith("| `k8sdns_"))
                .flatMap(line -> METRIC.matcher(line).results())
                .map(metric -> metric.group(1))
                .toList();
        try (MetricsServer server = MetricsServer.start(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            NodeCacheObserver observer = server.nodeCache();
            UpstreamServer upstream = UpstreamServer.parse("192.0.2.53");
            observer.created(AnswerCache.builder((question, client) -> new CompletableFuture<>())
                    .build());
            observer.answered(upstream, Rcode.NOERROR, 1_000);
            observer.failed(upstream, Failure.TIMEOUT);
            observer.connecting(upstream);
            observer.setAside(upstream);
            observer.refused(UpstreamZone.of(".", "192.0.2.53"));
            observer.expanded(Front.NAME, 1, AnswerStatus.NOERROR);
            observer.passedOn();
            String scraped = HttpClient.newHttpClient()
                    .send(
                            HttpRequest.newBuilder(
                                            URI.create("http://" + HostAndPort.text(server.address()) + "/metrics"))
                                    .build(),
                            HttpResponse.BodyHandlers.ofString())
                    .body();
            assertThat(page).hasSizeGreaterThan(10).allMatch(metric -> scraped.contains("# TYPE " + metric + " "));
        }
    }
}
