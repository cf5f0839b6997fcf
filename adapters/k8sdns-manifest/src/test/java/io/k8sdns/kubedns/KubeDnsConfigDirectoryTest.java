package io.k8sdns.kubedns;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.Executors;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A ConfigMap in a directory, from version to version. */
class KubeDnsConfigDirectoryTest {
    private static final List<DnsLabels> CLUSTER = List.of(DnsLabels.parse("cluster.local"));
    private static final String UPSTREAM = "upstreamNameservers";

    @TempDir
    private Path folder;

    @TempDir
    private Path others;

    private KubeDnsConfigDirectory directory() {
        return directory(folder);
    }

    private static KubeDnsConfigDirectory directory(Path path) {
        return new KubeDnsConfigDirectory(path, data -> KubeDnsConfig.parse(data, CLUSTER));
    }

    private void write(String key, String text) throws IOException {
        // In one step, because a follower may read at any time.
        Path written = Files.writeString(others.resolve(key), text);
        Files.move(written, folder.resolve(key), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    private static KubeDnsConfig upstream(String address) {
        return new KubeDnsConfig(Map.of(), List.of(new KubeDnsServer(address, 53)), Map.of());
    }

    @Test
    void aDirectoryWithoutFilesIsTheDefaults() throws IOException {
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.current()).isEqualTo(KubeDnsConfig.DEFAULTS);
        assertThat(directory.poll()).isEmpty();
        assertThat(directory.current()).isEqualTo(KubeDnsConfig.DEFAULTS);
    }

    @Test
    void aNewConfigurationIsReturnedOnce() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).contains(upstream("10.0.0.1"));
        assertThat(directory.poll()).isEmpty();
        write(UPSTREAM, "[\"10.0.0.2\"]");
        assertThat(directory.poll()).contains(upstream("10.0.0.2"));
        assertThat(directory.current()).isEqualTo(upstream("10.0.0.2"));
    }

    @Test
    void equalContentCausesNoEvent() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).isPresent();
        Files.delete(folder.resolve(UPSTREAM));
        write(UPSTREAM, "[\"10.0.0.1\"]");
        assertThat(directory.poll()).isEmpty();
        write(UPSTREAM, " [\"10.0.0.1:53\"]\n");
        assertThat(directory.poll()).isEmpty();
        write("other", "anything");
        assertThat(directory.poll()).isEmpty();
    }

    @Test
    void deletedFilesAreTheDefaults() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).isPresent();
        Files.delete(folder.resolve(UPSTREAM));
        assertThat(directory.poll()).contains(KubeDnsConfig.DEFAULTS);
    }

    @Test
    void anInvalidVersionIsReportedOnceAndTheLastValidOneIsKept() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).isPresent();
        write("federations", "a=x.example");
        write("stubDomains", "{\"a.example\": [\"10.0.0.2\", \"not a server\"]}");
        assertThatThrownBy(directory::poll)
                .isInstanceOf(InvalidKubeDnsConfigException.class)
                .hasMessageContaining("stubDomains[\"a.example\"][1]");
        assertThat(directory.current()).isEqualTo(upstream("10.0.0.1"));
        assertThat(directory.poll()).isEmpty();
        write("stubDomains", "{\"a.example\": [\"10.0.0.2\", \"nor this one\"]}");
        assertThatThrownBy(directory::poll).hasMessageContaining("nor this one");
        write("stubDomains", "");
        assertThat(directory.poll())
                .hasValueSatisfying(config -> assertThat(config.federations()).hasSize(1));
    }

    @Test
    void aVersionEqualToTheLastValidOneIsNotAChange() throws IOException {
        KubeDnsConfigDirectory directory = directory();
        write(UPSTREAM, "[");
        assertThatThrownBy(directory::poll).isInstanceOf(InvalidKubeDnsConfigException.class);
        assertThat(directory.current()).isEqualTo(KubeDnsConfig.DEFAULTS);
        write(UPSTREAM, "[]");
        assertThat(directory.poll()).isEmpty();
        write(UPSTREAM, "[");
        assertThatThrownBy(directory::poll).isInstanceOf(InvalidKubeDnsConfigException.class);
    }

    @Test
    void dotFilesAndDirectoriesAreIgnored() throws IOException {
        Files.createDirectory(folder.resolve(UPSTREAM));
        Files.writeString(folder.resolve(UPSTREAM).resolve(UPSTREAM), "[");
        Files.write(folder.resolve(".swp"), new byte[] {(byte) 0xFF});
        assertThat(directory().poll()).isEmpty();
    }

    @Test
    void aFileThatIsNotUtf8RefusesTheLoad() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        Files.write(folder.resolve("logo"), new byte[] {(byte) 0xFF, 'x'});
        assertThatThrownBy(directory()::poll)
                .isInstanceOf(InvalidKubeDnsConfigException.class)
                .hasMessageContaining("logo: not UTF-8");
    }

    @Test
    void moreThanAConfigMapCanHoldIsNotRead() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        write("large", " ".repeat(1 << 20));
        assertThatThrownBy(directory()::poll).isInstanceOf(IOException.class).hasMessageContaining("1 MiB");
    }

    @Test
    void aMissingDirectoryIsReportedOnceAndTheLastValidVersionIsKept() throws IOException {
        write(UPSTREAM, "[\"10.0.0.1\"]");
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).isPresent();
        Path away = folder.resolveSibling(folder.getFileName() + "-away");
        Files.move(folder, away);
        assertThatThrownBy(directory::poll).isInstanceOf(IOException.class).hasMessageContaining("no such directory");
        assertThat(directory.poll()).isEmpty();
        assertThat(directory.current()).isEqualTo(upstream("10.0.0.1"));
        Files.move(away, folder);
        assertThat(directory.poll()).isEmpty();
        assertThatThrownBy(directory(folder.resolve(UPSTREAM))::poll).hasMessageContaining("no such directory");
    }

    @Test
    void aMountedConfigMapIsReadFromVersionToVersion() throws IOException {
        mount("1", Map.of(UPSTREAM, "[\"10.0.0.1\"]", "federations", "a=x.example"));
        KubeDnsConfigDirectory directory = directory();
        assertThat(directory.poll()).hasValueSatisfying(config -> {
            assertThat(config.upstreamNameservers()).hasSize(1);
            assertThat(config.federations()).hasSize(1);
        });
        // The kubelet removes the link of a removed key after it has activated the new version.
        mount("2", Map.of(UPSTREAM, "[\"10.0.0.2\"]"));
        assertThat(directory.poll()).contains(upstream("10.0.0.2"));
        Files.delete(folder.resolve("federations"));
        assertThat(directory.poll()).isEmpty();
    }

    /** Writes a version of a ConfigMap as the kubelet does. */
    private void mount(String version, Map<String, String> data) throws IOException {
        Path real = Files.createDirectory(folder.resolve("..2026_" + version));
        for (Map.Entry<String, String> entry : data.entrySet()) {
            Files.write(real.resolve(entry.getKey()), entry.getValue().getBytes(StandardCharsets.UTF_8));
            Path link = folder.resolve(entry.getKey());
            if (!Files.isSymbolicLink(link)) {
                Files.createSymbolicLink(link, Path.of("..data", entry.getKey()));
            }
        }
        Path next = Files.createSymbolicLink(folder.resolve("..data_tmp"), real.getFileName());
        Files.move(next, folder.resolve("..data"), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
    }

    @Test
    void followingReportsEachConfigurationAndEachFailureAndContinues() throws Exception {
        BlockingQueue<String> events = new LinkedBlockingQueue<>();
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        try {
            write(UPSTREAM, "[\"10.0.0.1\"]");
            ScheduledFuture<?> following = directory()
                    .follow(
                            config -> {
                                events.add("config " + config.upstreamNameservers());
                                throw new IllegalStateException("of the receiver");
                            },
                            failure -> events.add(failure.getClass().getSimpleName()),
                            executor,
                            Duration.ofMillis(10));
            assertThat(next(events)).isEqualTo("config [10.0.0.1]");
            assertThat(next(events)).isEqualTo("IllegalStateException");
            write(UPSTREAM, "{}");
            assertThat(next(events)).isEqualTo("InvalidKubeDnsConfigException");
            following.cancel(false);
        } finally {
            executor.shutdownNow();
        }
    }

    private static String next(BlockingQueue<String> events) throws InterruptedException {
        return String.valueOf(events.poll(60, TimeUnit.SECONDS));
    }

    @Test
    void theIntervalIsPositive() {
        ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();
        try {
            assertThatThrownBy(() -> directory().follow(any -> {}, any -> {}, executor, Duration.ZERO))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("interval");
        } finally {
            executor.shutdownNow();
        }
    }
}
