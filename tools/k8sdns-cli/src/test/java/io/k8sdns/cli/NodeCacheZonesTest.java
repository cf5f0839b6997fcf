package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.nodecache.NodeCache;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** Tests which ConfigMap of kube-dns a node cache uses. */
class NodeCacheZonesTest {
    /** An address of the cache, which must not be that of a server. */
    private static final InetSocketAddress OWN = new InetSocketAddress(InetAddress.getLoopbackAddress(), 5353);

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();
    private NodeCacheOptions options;
    private NodeCacheZones zones;

    @BeforeEach
    void createZones() throws IOException {
        options = options("--listen=127.0.0.1:0", "--zone-upstream=.=127.0.0.1:9", "--kube-dns-config=" + folder);
        zones = new NodeCacheZones(options, reports());
    }

    private UpstreamReports reports() {
        return new UpstreamReports(() -> ForwardingObserver.NONE, new PrintWriter(err, true));
    }

    @Test
    void aVersionThatCannotBeUsedNowIsTriedAgainAndReportedOnce() throws Exception {
        try (NodeCache cache = withUnusableConfigMap()) {
            zones.poll(cache);
            assertThat(names(cache)).doesNotContain("corp.example");
            assertThat(err.toString())
                    .startsWith("warning: the ConfigMap of kube-dns is not used, only the options are used: ")
                    .hasLineCount(1);

            cache.requireOthers(List.of());
            zones.poll(cache);
            assertThat(names(cache)).contains("corp.example");
        }
    }

    @Test
    void anInvalidVersionReplacesOneThatCouldNotBeUsed() throws Exception {
        try (NodeCache cache = withUnusableConfigMap()) {
            write("not JSON");
            zones.poll(cache);

            cache.requireOthers(List.of());
            zones.poll(cache);
            assertThat(names(cache)).doesNotContain("corp.example");
        }
    }

    @Test
    void theListenerReceivesTheZoneNamesAtOnceAndAfterEachChange() throws Exception {
        List<List<String>> passed = new ArrayList<>();
        try (NodeCache cache = options.builder().zones(zones.ofOptions()).start()) {
            zones.pass(
                    cache,
                    names -> passed.add(names.stream().map(DnsLabels::toString).toList()));
            write("{\"corp.example\": [\"127.0.0.1:9\"]}");
            zones.poll(cache);
            zones.poll(cache);
            write("{}");
            zones.poll(cache);
        }

        assertThat(passed).containsExactly(List.of(""), List.of("", "corp.example"), List.of(""));
    }

    @Test
    void nameServersOfAFileAreReadAgain() throws Exception {
        Path file = folder.resolve("resolv.conf");
        Files.writeString(file, "nameserver 192.0.2.1\n");
        options = options("--listen=127.0.0.1:0", "--zone-upstream=.=" + file);
        zones = new NodeCacheZones(options, reports());
        try (NodeCache cache = options.builder().zones(zones.ofOptions()).start()) {
            cache.requireOthers(List.of(OWN));
            Files.writeString(file, "nameserver 192.0.2.2\n");
            zones.poll(cache);
            zones.poll(cache);
            assertThat(servers(cache)).containsOnly("192.0.2.2:53 (udp)");
            assertThat(err.toString())
                    .isEqualTo("note: the name servers of [" + file + "] have changed" + System.lineSeparator());

            Files.writeString(file, "search only\n");
            zones.poll(cache);
            zones.poll(cache);
            assertThat(servers(cache)).contains("192.0.2.2:53 (udp)");
            assertThat(err.toString())
                    .contains("warning: the name servers of [" + file + "] are not read again, the last ones stay: "
                            + file + ": no nameserver")
                    .hasLineCount(2);
        }
    }

    @Test
    void aSkippedLineOfAFileIsReportedOncePerChange() throws Exception {
        Path file = folder.resolve("resolv.conf");
        Files.writeString(file, "nameserver fe80::1%lo\nnameserver 192.0.2.1\n");
        options = options("--listen=127.0.0.1:0", "--zone-upstream=.=" + file, "--zone-upstream=corp.example=" + file);
        zones = new NodeCacheZones(options, reports());
        try (NodeCache cache = options.builder().zones(zones.ofOptions()).start()) {
            zones.poll(cache);
            assertThat(err.toString()).startsWith("warning: " + file + ":1: ").hasLineCount(1);

            Files.writeString(file, "nameserver 192.0.2.1\n");
            zones.poll(cache);
            Files.writeString(file, "nameserver fe80::1%lo\nnameserver 192.0.2.1\n");
            zones.poll(cache);
            assertThat(err.toString()).hasLineCount(2);
        }
    }

    @Test
    void eachSkippedLineIsAWarningAndASetupError() throws Exception {
        Path file = folder.resolve("resolv.conf");
        Files.writeString(file, "nameserver fe80::1%lo\nnameserver dns.example\nnameserver 192.0.2.1\n");
        options = options("--listen=127.0.0.1:0", "--zone-upstream=.=" + file);
        List<ForwardingObserver.SetupError> errors = new ArrayList<>();
        ForwardingObserver observer = new ForwardingObserver() {
            @Override
            public void setupError(SetupError kind) {
                errors.add(kind);
            }
        };
        zones = new NodeCacheZones(
                options, new UpstreamReports(() -> observer, PrintableWriter.to(new PrintWriter(err, true))));
        try (NodeCache cache = options.builder().zones(zones.ofOptions()).start()) {
            zones.poll(cache);
        }

        assertThat(err.toString().lines())
                .satisfiesExactly(
                        first -> assertThat(first).startsWith("warning: " + file + ":1: "),
                        second -> assertThat(second).startsWith("warning: " + file + ":2: "));
        assertThat(errors).hasSize(2).containsOnly(ForwardingObserver.SetupError.RESOLV_CONF);
    }

    /** A ConfigMap can name servers for the cluster domain at any time, and names of a live cluster are not forwarded. */
    @Test
    void withoutServersAndExpansionOfTheSuffixTheCacheDoesNotStart() {
        String none = "--autopath-fallback=none";
        assertThatThrownBy(() -> options("--listen=127.0.0.1:0", "--zone-upstream=.=192.0.2.53", none)
                        .check())
                .isInstanceOf(ParameterException.class)
                .hasMessage(
                        "--autopath-fallback none: no zone has servers for names below ap.k8s.io.: they do not exist;"
                                + " if the servers of . are the cluster DNS, add --zone-upstream cluster.local=SERVER or"
                                + " --zone-upstream ap.k8s.io=SERVER");
        for (String other : List.of(
                "--zone-upstream=local=192.0.2.53",
                "--zone-upstream=ap.k8s.io=192.0.2.53",
                "--zone-upstream=cluster.local.ap.k8s.io=192.0.2.53",
                "--kube-dns-config=" + folder,
                "--live",
                "--autopath-fallback=local")) {
            List<String> all = new ArrayList<>(List.of("--listen=127.0.0.1:0", "--zone-upstream=.=192.0.2.53", other));
            if (!other.startsWith("--autopath")) {
                all.add(none);
            }
            options(all.toArray(String[]::new)).check();
        }
    }

    private static List<String> servers(NodeCache cache) {
        return cache.zones().stream()
                .flatMap(zone -> zone.servers().stream())
                .map(Object::toString)
                .distinct()
                .toList();
    }

    /** Starts a cache, and polls a version that names the cache's own address. */
    private NodeCache withUnusableConfigMap() throws IOException {
        NodeCache cache = options.builder().zones(zones.ofOptions()).start();
        cache.requireOthers(List.of(OWN));
        write("{\"corp.example\": [\"127.0.0.1:5353\"]}");
        zones.poll(cache);
        return cache;
    }

    private NodeCacheOptions options(String... arguments) {
        NodeCacheOptions parsed = new NodeCacheOptions();
        CommandSpec command = CommandSpecs.command("node-cache", this);
        parsed.declare(command);
        Main.configured(command).parseArgs(arguments);
        return parsed;
    }

    private void write(String stubDomains) throws IOException {
        Files.writeString(folder.resolve("stubDomains"), stubDomains);
    }

    private static List<String> names(NodeCache cache) {
        return cache.zones().stream()
                .map(UpstreamZone::name)
                .map(Object::toString)
                .toList();
    }
}
