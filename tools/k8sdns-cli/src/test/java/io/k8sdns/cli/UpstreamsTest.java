package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.forward.UpstreamForwarder;
import io.k8sdns.forward.UpstreamZone;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.sockets.DnsServer;
import io.k8sdns.sockets.FailureLog;
import io.k8sdns.upstream.Forwarder;
import io.k8sdns.upstream.ForwardingResolver;
import io.k8sdns.zone.ClusterZone;
import io.k8sdns.zone.ZoneFeed;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import picocli.CommandLine.Model.CommandSpec;

/** Tests what {@code serve} does with the data of a ConfigMap of kube-dns. */
@Timeout(300)
class UpstreamsTest {
    private static final Optional<Map<String, String>> UNKNOWN_HOST = stubDomain("dns.invalid");

    /** The address of the server that is tested. */
    private static final InetSocketAddress OWN = new InetSocketAddress(InetAddress.getLoopbackAddress(), 5353);

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    /** The host's resolv.conf without {@code --resolv-conf}. */
    private Path defaultResolvConf = Path.of("/etc/resolv.conf");

    /** The warning about a loop. */
    private final CompletableFuture<String> loop = new CompletableFuture<>();

    private static Optional<Map<String, String>> stubDomain(String server) {
        return Optional.of(Map.of("stubDomains", "{\"corp.example\": [\"" + server + "\"]}"));
    }

    private Upstreams started(String... options) throws IOException {
        Upstreams upstreams = upstreams(options);
        upstreams.start(List.of(OWN));
        return upstreams;
    }

    private Upstreams upstreams(String... arguments) throws IOException {
        UpstreamOptions options = new UpstreamOptions(defaultResolvConf.toString());
        CommandSpec command = CommandSpecs.command("upstreams", this);
        options.declare(command);
        Main.configured(command).parseArgs(arguments);
        ClusterZone zone = ParsedOptions.zone(List.of(), Run.BOOKSTORE);
        // The zone of a feed without objects is not synced, so that the feed has another one.
        ClusterZone unused = ClusterZone.create(ZoneSettings.builder().build());
        LocalShards shards =
                new LocalShards(ZoneFeed.builder(unused, InstantSource.system()).build());
        shards.locate(Optional.of(DnsLabels.parse("zone.region")));
        ResolverChain cluster = ResolverChain.of(zone);
        options.readSearches(cluster.zones(), new PrintWriter(err, true)::println);
        return new Upstreams(
                options,
                new LocalNames(
                        cluster,
                        List.of(DnsLabels.parse("in-addr.arpa"), DnsLabels.parse("ip6.arpa")),
                        client -> Optional.empty(),
                        shards,
                        LocalNames.FederatedNames.NONE),
                new FailureLog("io.k8sdns.cli"),
                new UpstreamReports(() -> ForwardingObserver.NONE, new PrintWriter(err, true) {
                    @Override
                    public void println(String line) {
                        super.println(line);
                        if (line.contains("forward to this server")) {
                            loop.complete(line);
                        }
                    }
                }));
    }

    @Test
    void aServerWhoseNameIsUnknownIsReportedOnceAndMayBeUsableLater() throws IOException {
        try (Upstreams upstreams = started()) {
            upstreams.kubeDnsData(UNKNOWN_HOST);
            upstreams.poll();
            assertThat(err.toString()).containsOnlyOnce("warning: the ConfigMap of kube-dns is not used");
            upstreams.kubeDnsData(stubDomain("192.0.2.53"));
            assertThat(err.toString()).contains("note: the ConfigMap of kube-dns was read: 1 zone is forwarded");
            upstreams.kubeDnsData(UNKNOWN_HOST);
            assertThat(err.toString().lines().filter(line -> line.startsWith("warning: ")))
                    .hasSize(2);
        }
    }

    /** Returns the resolution of a name in the federation {@code myfed}, whose alias shows the domain of the federation. */
    private static List<Name> federated(Upstreams upstreams) throws Exception {
        return upstreams
                .resolve(Question.of("far.shop.myfed.svc.cluster.local", RecordType.parse("CNAME")), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .get()
                .cnames();
    }

    @Test
    void aRejectedVersionHasNoEffectAtAll() throws Exception {
        try (Upstreams upstreams = started()) {
            upstreams.kubeDnsData(Optional.of(Map.of("federations", "myfed=old.example")));
            List<Name> before = federated(upstreams);
            assertThat(before).hasSize(1);
            upstreams.kubeDnsData(Optional.of(Map.of(
                    "federations", "myfed=new.example", "stubDomains", "{\"corp.example\": [\"dns.invalid\"]}")));
            assertThat(federated(upstreams)).isEqualTo(before);
            upstreams.kubeDnsData(Optional.empty());
            assertThat(federated(upstreams)).isEmpty();
        }
    }

    @Test
    void aVersionThatForwardsToThisServerIsRejected() throws Exception {
        String rejected =
                "upstream server 127.0.0.1:5353 (udp) of corp.example. is this server, which listens on 127.0.0.1:5353"
                        + System.lineSeparator();
        try (Upstreams upstreams = upstreams()) {
            upstreams.kubeDnsData(stubDomain("127.0.0.1:5353"));
            assertThat(err.toString()).isEmpty();
            upstreams.start(List.of(OWN));
            assertThat(err.toString())
                    .as("at the start")
                    .isEqualTo(
                            "warning: the ConfigMap of kube-dns is not used, only the options are used: " + rejected);
            err.getBuffer().setLength(0);
        }
        try (Upstreams upstreams = started()) {
            upstreams.kubeDnsData(stubDomain("127.0.0.1:5353"));
            assertThat(err.toString())
                    .as("the first servers")
                    .isEqualTo(
                            "warning: the ConfigMap of kube-dns is not used, only the options are used: " + rejected);
            upstreams.kubeDnsData(stubDomain("127.0.0.1:5354"));
            upstreams.kubeDnsData(stubDomain("127.0.0.1:5353"));
            assertThat(err.toString())
                    .as("other servers")
                    .endsWith("warning: the ConfigMap of kube-dns is not used, the last valid one stays: " + rejected);
        }
    }

    private Path write(String file, String text) throws IOException {
        return Files.writeString(folder.resolve(file), text);
    }

    @Test
    void aDirectoryThatCannotBeUsedAtTheStartLeavesTheDefaults() throws Exception {
        write("federations", "myfed=fed.example");
        write("stubDomains", "{\"corp.example\": [\"dns.invalid\"]}");
        try (Upstreams upstreams = started("--kube-dns-config=" + folder, "--forward=192.0.2.53")) {
            String warning = err.toString();
            assertThat(warning)
                    .startsWith(
                            "warning: the ConfigMap of kube-dns is not used, only the options are used: dns.invalid: ")
                    .hasLineCount(1);
            assertThat(federated(upstreams)).isEmpty();
            upstreams.poll();
            assertThat(err).as("reported once").hasToString(warning);
            write("stubDomains", "{\"corp.example\": [\"192.0.2.54\"]}");
            upstreams.poll();
            assertThat(federated(upstreams)).hasSize(1);
            assertThat(err.toString()).endsWith("was read: 2 zones are forwarded" + System.lineSeparator());
        }
    }

    @Test
    void unusableOptionsAreAnErrorAtTheStart() throws Exception {
        write("federations", "myfed=fed.example");
        for (String server : List.of("dns.invalid", "127.0.0.1:5353")) {
            for (String directory : List.of("", folder.toString())) {
                List<String> options = new ArrayList<>(List.of("--forward=" + server));
                if (!directory.isEmpty()) {
                    options.add("--kube-dns-config=" + directory);
                }
                try (Upstreams upstreams = upstreams(options.toArray(String[]::new))) {
                    assertThatThrownBy(() -> upstreams.start(List.of(OWN)))
                            .isInstanceOf(IOException.class)
                            .hasMessageContaining(server);
                }
            }
        }
        assertThat(err.toString()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"| none", "search example | no nameserver", "nameserver 127.0.0.1 | is this server"})
    void aDirectoryIsUsedWithoutServersOfTheHostThatCannotBeUsed(
            @Nullable String line, String cause, @TempDir Path other) throws Exception {
        Path resolvConf = other.resolve("none");
        if (line != null) {
            Files.writeString(resolvConf, line + "\n");
        }
        List<InetSocketAddress> own = List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53));
        write("federations", "myfed=fed.example");
        try (Upstreams named = upstreams("--kube-dns-config=" + folder, "--resolv-conf=" + resolvConf)) {
            assertThatThrownBy(() -> named.start(own))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining(cause);
            assertThat(err).hasToString("");
        }
        defaultResolvConf = resolvConf;
        try (Upstreams upstreams = upstreams("--kube-dns-config=" + folder)) {
            upstreams.start(own);
            assertThat(federated(upstreams)).hasSize(1);
            assertThat(ask(upstreams, "www.example.org").status()).isEqualTo(AnswerStatus.REFUSED);
            upstreams.poll();
            assertThat(err.toString().lines())
                    .as("reported once")
                    .singleElement()
                    .asString()
                    .startsWith(
                            "warning: the name servers of " + resolvConf + " are not used, other names are REFUSED: ")
                    .contains(cause);
            Files.writeString(resolvConf, "nameserver 127.0.0.9\n");
            upstreams.poll();
            assertThat(ask(upstreams, "www.example.org").status()).isEqualTo(AnswerStatus.SERVFAIL);
            assertThat(err.toString()).contains("note: other names are forwarded to the name servers of " + resolvConf);
        }
    }

    /** Also if an option names the file: the server already answers. */
    @Test
    void aLaterVersionOfTheDirectoryIsUsedWithoutServersOfTheHostThatCannotBeUsed(@TempDir Path other)
            throws Exception {
        Path resolvConf = other.resolve("resolv.conf");
        Path upstreamServers = write("upstreamNameservers", "[\"192.0.2.53\"]");
        try (Upstreams upstreams = started("--kube-dns-config=" + folder, "--resolv-conf=" + resolvConf)) {
            Files.delete(upstreamServers);
            write("federations", "myfed=fed.example");
            upstreams.poll();
            assertThat(federated(upstreams)).hasSize(1);
            assertThat(err.toString())
                    .containsOnlyOnce(
                            "warning: the name servers of " + resolvConf + " are not used, other names are REFUSED: ");
            Files.writeString(resolvConf, "nameserver 127.0.0.9\n");
            upstreams.poll();
            assertThat(ask(upstreams, "www.example.org").status()).isEqualTo(AnswerStatus.SERVFAIL);
        }
    }

    /** An invalid version drops the valid one before it, which must not be tried again. */
    @Test
    void aRejectedVersionOfTheDirectoryIsDroppedForAnInvalidOne() throws Exception {
        write("federations", "myfed=fed.example");
        write("stubDomains", "{\"corp.example\": [\"dns.invalid\"]}");
        try (Upstreams upstreams = started("--kube-dns-config=" + folder, "--forward=192.0.2.53")) {
            write("federations", "=");
            upstreams.poll();
            String warnings = err.toString();
            assertThat(warnings).contains("dns.invalid: ").hasLineCount(2);
            upstreams.poll();
            assertThat(err)
                    .as("the version with dns.invalid is not tried again")
                    .hasToString(warnings);
        }
    }

    @Test
    void nameServersOfTheHostAreReadAgain(@TempDir Path other) throws Exception {
        Path resolvConf = Files.writeString(other.resolve("resolv.conf"), "nameserver 192.0.2.53\n");
        try (Upstreams upstreams = upstreams("--kube-dns-config=" + folder, "--resolv-conf=" + resolvConf)) {
            upstreams.start(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53)));
            Files.writeString(resolvConf, "nameserver 192.0.2.54\n");
            upstreams.poll();
            upstreams.poll();
            String changed = "note: the name servers of " + resolvConf + " have changed" + System.lineSeparator();
            assertThat(err).hasToString(changed);

            Files.writeString(resolvConf, "nameserver 127.0.0.1\n");
            upstreams.poll();
            upstreams.poll();
            assertThat(err.toString())
                    .startsWith(changed + "warning: the name servers of " + resolvConf
                            + " are not read again, the last ones stay: ")
                    .contains("is this server")
                    .hasLineCount(2);
            Files.writeString(resolvConf, "nameserver 192.0.2.53\n");
            upstreams.poll();
            assertThat(err.toString()).endsWith(changed).hasLineCount(3);
        }
    }

    @Test
    void anUnusableNameServerOfTheHostIsSkippedAndReportedOnce(@TempDir Path other) throws Exception {
        Path resolvConf =
                Files.writeString(other.resolve("resolv.conf"), "nameserver fe80::1%lo\nnameserver 127.0.0.9\n");
        try (Upstreams upstreams = started("--kube-dns-config=" + folder, "--resolv-conf=" + resolvConf)) {
            upstreams.poll();
            assertThat(err.toString())
                    .startsWith("warning: " + resolvConf + ":1: nameserver fe80::1%lo: ")
                    .hasLineCount(1);
            assertThat(ask(upstreams, "www.example.org").status()).isEqualTo(AnswerStatus.SERVFAIL);
        }
    }

    private static Answer ask(Upstreams upstreams, String name) throws Exception {
        return upstreams
                .resolve(Question.of(name, RecordType.A), Client.IN_PROCESS)
                .toStage()
                .toCompletableFuture()
                .get();
    }

    @Test
    void searchDomainsOfTheHostFollowTheForwardedZones() throws Exception {
        Path resolvConf = write("resolv.conf", "search corp.example\n");
        String name = "www.search.shop.cluster.local.ap.k8s.io";
        try (NodeCacheUpstream corp = NodeCacheUpstream.holding("www.corp.example. 60 IN A 192.0.2.7");
                Upstreams upstreams = started("--autopath=name", "--resolv-conf=" + resolvConf)) {
            upstreams.kubeDnsData(Optional.of(Map.of("stubDomains", "{\"other.example\": [\"192.0.2.53\"]}")));
            assertThat(ask(upstreams, name).status()).isEqualTo(AnswerStatus.NXDOMAIN);
            upstreams.kubeDnsData(stubDomain(corp.address()));
            assertThat(ask(upstreams, name).addresses()).containsExactly("192.0.2.7");
            assertThat(err.toString())
                    .containsOnlyOnce("note: the search domains of the nodes are those of " + resolvConf + ": ");
            upstreams.kubeDnsData(Optional.empty());
            assertThat(ask(upstreams, name).status()).isEqualTo(AnswerStatus.NXDOMAIN);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "10.in-addr.arpa | | lies in zone in-addr.arpa, which this server answers; without --fallthrough in-addr.arpa this "
                        + "stub domain has no effect",
                "10.in-addr.arpa | --fallthrough=in-addr.arpa |",
                "10.in-addr.arpa | --fallthrough=ip6.arpa | lies in zone in-addr.arpa",
                "a.cluster.local | | lies in zone cluster.local, which this server answers; without --fallthrough cluster.local",
                "a.cluster.local | --fallthrough=cluster.local |",
                "ap.k8s.io | --autopath=name | lies in the autopath suffix ap.k8s.io, which this server answers; this stub domain has",
                "x.ap.k8s.io | --autopath=option | lies in the autopath suffix ap.k8s.io",
                "x.ap.k8s.io | --autopath=pod |",
                "corp.example | |",
            })
    void aStubDomainWithoutEffectIsReportedOnce(String domain, @Nullable String option, @Nullable String warning)
            throws Exception {
        List<String> options = new ArrayList<>(List.of("--resolv-conf=" + write("resolv.conf", "")));
        options.add("--forward=192.0.2.53");
        if (option != null) {
            options.add(option);
        }
        Optional<Map<String, String>> data =
                Optional.of(Map.of("stubDomains", "{\"" + domain + "\": [\"192.0.2.53\"]}"));
        try (Upstreams upstreams = started(options.toArray(String[]::new))) {
            upstreams.kubeDnsData(data);
            upstreams.kubeDnsData(data);
            assertWarning(warning, "warning: the ConfigMap of kube-dns, stubDomains: " + domain + " ");
        }
        err.getBuffer().setLength(0);
        options.add("--stub-domain=" + domain + "=192.0.2.53");
        try (Upstreams upstreams = started(options.toArray(String[]::new))) {
            assertThat(upstreams.direct()).isPresent();
            assertWarning(warning, "warning: --stub-domain: " + domain + " ");
        }
    }

    private void assertWarning(@Nullable String warning, String start) {
        List<String> warnings = err.toString()
                .lines()
                .filter(line -> line.contains("has no effect"))
                .toList();
        if (warning == null) {
            assertThat(warnings).isEmpty();
        } else {
            assertThat(warnings).singleElement().asString().startsWith(start + warning);
        }
    }

    /** Manifests predict what a cluster does; without the option they send no names to the servers of this machine. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aConfigMapAmongTheManifestsUsesAResolvConfThatAnOptionNames(boolean isStartedBefore) throws Exception {
        String other = "www.example.org";
        Path resolvConf = write("resolv.conf", "nameserver 127.0.0.9\n");
        for (Map<String, String> data : List.of(stubDomain("192.0.2.53").orElseThrow(), Map.<String, String>of())) {
            try (Upstreams upstreams = upstreams("--resolv-conf=" + resolvConf)) {
                if (isStartedBefore) {
                    upstreams.start(List.of(OWN));
                    assertThat(ask(upstreams, other).status())
                            .as("no ConfigMap")
                            .isEqualTo(AnswerStatus.REFUSED);
                }
                upstreams.kubeDnsData(Optional.of(data));
                if (!isStartedBefore) {
                    upstreams.start(List.of(OWN));
                }
                assertThat(ask(upstreams, other).status())
                        .as("forwarded to the host's server, where nothing listens")
                        .isEqualTo(AnswerStatus.SERVFAIL);
                upstreams.kubeDnsData(Optional.empty());
                assertThat(ask(upstreams, other).status()).as("deleted").isEqualTo(AnswerStatus.SERVFAIL);
            }
            try (Upstreams upstreams = started()) {
                upstreams.kubeDnsData(Optional.of(data));
                assertThat(ask(upstreams, other).status())
                        .as("without the option")
                        .isEqualTo(AnswerStatus.REFUSED);
            }
        }
        try (NodeCacheUpstream named = NodeCacheUpstream.holding(other + ". 60 IN A 192.0.2.7");
                Upstreams upstreams = started("--resolv-conf=" + resolvConf)) {
            upstreams.kubeDnsData(Optional.of(Map.of("upstreamNameservers", "[\"" + named.address() + "\"]")));
            assertThat(ask(upstreams, other).addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void withoutUpstreamNameserversALiveConfigMapUsesTheServersOfTheHost() throws Exception {
        Path resolvConf = write("resolv.conf", "nameserver 127.0.0.9\n");
        String other = "www.example.org";
        try (Upstreams upstreams = started("--resolv-conf=" + resolvConf)) {
            upstreams.liveKubeDnsData(Optional.empty());
            assertThat(ask(upstreams, other).status())
                    .as("a cluster without the ConfigMap")
                    .isEqualTo(AnswerStatus.REFUSED);
            upstreams.liveKubeDnsData(stubDomain("192.0.2.53"));
            assertThat(ask(upstreams, other).status())
                    .as("forwarded to the host's server, where nothing listens")
                    .isEqualTo(AnswerStatus.SERVFAIL);
            write("resolv.conf", "nameserver 127.0.0.8\n");
            upstreams.poll();
            assertThat(err.toString()).contains("note: the name servers of " + resolvConf + " have changed");
        }
        try (NodeCacheUpstream option = NodeCacheUpstream.holding(other + ". 60 IN A 192.0.2.7");
                Upstreams upstreams = started("--resolv-conf=" + resolvConf, "--forward=" + option.address())) {
            upstreams.liveKubeDnsData(stubDomain("192.0.2.53"));
            assertThat(ask(upstreams, other).addresses()).containsExactly("192.0.2.7");
        }
    }

    /** As in kube-dns, which uses the host's servers unless a valid version of its ConfigMap names others. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "stubDomains | {\"corp.example\": [\"192.0.2.53\"]}",
                "stubDomains | {\"corp.example\": [\"dns.invalid\"]}",
                "stubDomains | invalid",
                "federations | myfed=fed.example",
                "upstreamNameservers | []",
                "upstreamNameservers | [\"no address\"]",
                "other | x",
                "|",
            })
    void everyFirstVersionOfALiveConfigMapUsesTheServersOfTheHost(@Nullable String key, @Nullable String value)
            throws Exception {
        Path resolvConf = write("resolv.conf", "nameserver 127.0.0.9\n");
        Map<String, String> data = key == null || value == null ? Map.of() : Map.of(key, value);
        for (boolean isStartedBefore : List.of(true, false)) {
            try (Upstreams upstreams = upstreams("--resolv-conf=" + resolvConf)) {
                if (isStartedBefore) {
                    upstreams.start(List.of(OWN));
                }
                upstreams.liveKubeDnsData(Optional.of(data));
                if (!isStartedBefore) {
                    upstreams.start(List.of(OWN));
                }
                assertThat(ask(upstreams, "www.example.org").status()).isEqualTo(AnswerStatus.SERVFAIL);
                upstreams.liveKubeDnsData(Optional.of(Map.of()));
                assertThat(ask(upstreams, "www.example.org").status())
                        .as("empty")
                        .isEqualTo(AnswerStatus.SERVFAIL);
                upstreams.liveKubeDnsData(Optional.empty());
                assertThat(ask(upstreams, "www.example.org").status())
                        .as("deleted")
                        .isEqualTo(AnswerStatus.SERVFAIL);
            }
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {"| none", "search example | no nameserver", "nameserver 127.0.0.1 | is this server"})
    void aLiveConfigMapIsUsedWithoutServersOfTheHostThatCannotBeUsed(@Nullable String line, String cause)
            throws Exception {
        Path resolvConf = folder.resolve("none");
        if (line != null) {
            Files.writeString(resolvConf, line + "\n");
        }
        String other = "www.example.org";
        String used = "note: other names are forwarded to the name servers of " + resolvConf;
        try (NodeCacheUpstream corp = NodeCacheUpstream.holding("www.corp.example. 60 IN A 192.0.2.7");
                Upstreams upstreams = upstreams("--resolv-conf=" + resolvConf)) {
            upstreams.start(List.of(new InetSocketAddress(InetAddress.getLoopbackAddress(), 53)));
            String stub = "{\"corp.example\": [\"" + corp.address() + "\"]}";
            upstreams.liveKubeDnsData(Optional.of(Map.of("federations", "myfed=fed.example", "stubDomains", stub)));
            upstreams.poll();
            assertThat(federated(upstreams)).hasSize(1);
            assertThat(ask(upstreams, "www.corp.example").addresses()).containsExactly("192.0.2.7");
            assertThat(ask(upstreams, other).status()).isEqualTo(AnswerStatus.REFUSED);
            assertThat(err.toString().lines().filter(text -> text.startsWith("warning: ")))
                    .singleElement()
                    .asString()
                    .startsWith(
                            "warning: the name servers of " + resolvConf + " are not used, other names are REFUSED: ")
                    .contains(cause);
            assertThat(err.toString()).contains("was read: 1 zone is forwarded").doesNotContain(used);

            Files.writeString(resolvConf, "nameserver 127.0.0.9\n");
            upstreams.poll();
            upstreams.poll();
            assertThat(ask(upstreams, other).status()).isEqualTo(AnswerStatus.SERVFAIL);
            assertThat(err.toString()).containsOnlyOnce(used);

            // Servers that were usable are kept.
            Files.writeString(resolvConf, "search example\n");
            upstreams.poll();
            assertThat(err.toString()).contains("are not read again, the last ones stay: ");
            upstreams.liveKubeDnsData(Optional.of(Map.of("upstreamNameservers", "[\"" + corp.address() + "\"]")));
            assertThat(ask(upstreams, "www.corp.example").addresses()).containsExactly("192.0.2.7");
        }
    }

    @Test
    void missingNamesAreForwardedToServersOfALiveConfigMap() throws Exception {
        try (NodeCacheUpstream corp =
                        NodeCacheUpstream.holding("7.113.0.203.in-addr.arpa. 60 IN PTR host.corp.example.");
                Upstreams upstreams =
                        started("--fallthrough=in-addr.arpa", "--resolv-conf=" + folder.resolve("none"))) {
            upstreams.liveKubeDnsData(
                    Optional.of(Map.of("stubDomains", "{\"113.0.203.in-addr.arpa\": [\"" + corp.address() + "\"]}")));
            assertThat(upstreams
                            .resolve(
                                    Question.of("7.113.0.203.in-addr.arpa", RecordType.parse("PTR")), Client.IN_PROCESS)
                            .toStage()
                            .toCompletableFuture()
                            .get()
                            .status())
                    .isEqualTo(AnswerStatus.NOERROR);
        }
        assertThatThrownBy(() -> upstreams("--fallthrough=example.org"))
                .hasMessageContaining("--fallthrough: fallthrough of zone example.org");
    }

    @Test
    void aliasesShareTheDeadlineOfTheQuestion() throws Exception {
        Forwarder alias = (question, client) -> CompletableFuture.completedFuture(Answer.builder(Rcode.NOERROR)
                .answer(List.of(RecordSet.of(new CNAMERecord(
                        question.name(), DClass.IN, 60, Name.fromConstantString("www.silent.example.")))))
                .build());
        try (DatagramSocket silent = new DatagramSocket(0, InetAddress.getLoopbackAddress());
                DnsServer server =
                        DnsServer.start(ForwardingResolver.builder(alias).build(), 0)) {
            String dead = "127.0.0.1:" + silent.getLocalPort();
            // The first server costs the time of one attempt, so that the second zone cannot fail before the deadline.
            try (Upstreams upstreams = started(
                    "--stub-domain=alias.example=" + dead + ",127.0.0.1:" + server.port(),
                    "--stub-domain=silent.example=" + dead)) {
                Answer answer = upstreams
                        .resolve(Question.of("www.alias.example", RecordType.A), Client.IN_PROCESS)
                        .toStage()
                        .toCompletableFuture()
                        .get();
                assertThat(answer).hasToString("SERVFAIL (www.alias.example. was not answered in time)");
                assertThat(answer.recursionAvailable()).isTrue();
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aLoopOfAConfigMapIsAWarning(boolean isKnownAtTheStart) throws Exception {
        CompletableFuture<UpstreamForwarder> back = new CompletableFuture<>();
        DnsResolver relay = (question, client) ->
                new Resolution.Pending(back.thenCompose(forwarder -> forwarder.forward(question, client)));
        try (Upstreams upstreams = upstreams();
                DnsServer server = DnsServer.start(upstreams, 0);
                DnsServer other = DnsServer.start(relay, 0);
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(UpstreamZone.of(".", "127.0.0.1:" + server.port()))) {
            back.complete(forwarder);
            upstreams.start(server.addresses());
            if (isKnownAtTheStart) {
                upstreams.kubeDnsData(stubDomain("127.0.0.1:" + other.port()));
            }
            upstreams.probeForLoops(loop::complete);
            if (!isKnownAtTheStart) {
                upstreams.kubeDnsData(stubDomain("127.0.0.1:" + other.port()));
            }
            assertThat(loop.get())
                    .startsWith("warning: the upstream servers forward to this server: [corp.example. -> [127.0.0.1:");
        }
    }

    @Test
    void aLoopThatIsClosedLaterIsAWarning() throws Exception {
        CompletableFuture<UpstreamForwarder> back = new CompletableFuture<>();
        DnsResolver relay = (question, client) -> back.isDone()
                ? new Resolution.Pending(back.join().forward(question, client))
                : new Resolution.Ready(Answer.failure(Rcode.NXDOMAIN));
        try (DnsServer other = DnsServer.start(relay, 0);
                Upstreams upstreams = upstreams("--stub-domain=corp.example=127.0.0.1:" + other.port());
                DnsServer server = DnsServer.start(upstreams, 0);
                UpstreamForwarder forwarder =
                        UpstreamForwarder.start(UpstreamZone.of(".", "127.0.0.1:" + server.port()))) {
            upstreams.start(server.addresses());
            back.complete(forwarder);
            var unused = upstreams
                    .resolve(Question.of("www.corp.example", RecordType.A), Client.IN_PROCESS)
                    .toStage();
            assertThat(loop.get())
                    .startsWith("warning: the upstream servers forward to this server: [corp.example. -> [127.0.0.1:");
        }
    }

    @Test
    void aFileWithoutNameServersDelaysNoChangeOfTheConfigMap(@TempDir Path other) throws Exception {
        Path resolvConf = Files.writeString(other.resolve("resolv.conf"), "nameserver 192.0.2.53\n");
        try (Upstreams upstreams = started("--kube-dns-config=" + folder, "--resolv-conf=" + resolvConf)) {
            Files.writeString(resolvConf, "search example\n");
            write("federations", "myfed=fed.example");
            upstreams.poll();
            assertThat(federated(upstreams)).hasSize(1);
            assertThat(err.toString().lines())
                    .filteredOn(line -> line.startsWith("warning: "))
                    .singleElement()
                    .asString()
                    .contains("the last ones stay", "no nameserver");
        }
    }

    /** As in the node cache, which keeps the servers of its options while a ConfigMap names others. */
    @Test
    void theServersOfTheHostAreKeptWhileTheConfigMapNamesOthers() throws Exception {
        String other = "www.example.org";
        try (NodeCacheUpstream ofHost = NodeCacheUpstream.holding(other + ". 60 IN A 192.0.2.7");
                NodeCacheUpstream named = NodeCacheUpstream.holding(other + ". 60 IN A 192.0.2.8")) {
            Path resolvConf = write("resolv.conf", "nameserver " + ofHost.address() + "\n");
            try (Upstreams upstreams = started("--resolv-conf=" + resolvConf)) {
                upstreams.liveKubeDnsData(Optional.of(Map.of()));
                assertThat(ask(upstreams, other).addresses()).containsExactly("192.0.2.7");
                upstreams.liveKubeDnsData(Optional.of(Map.of("upstreamNameservers", "[\"" + named.address() + "\"]")));
                assertThat(ask(upstreams, other).addresses()).containsExactly("192.0.2.8");

                Files.writeString(resolvConf, "");
                upstreams.poll();
                assertThat(err.toString()).as("the file is not used").doesNotContain("warning: ");
                upstreams.liveKubeDnsData(Optional.of(Map.of()));
                assertThat(ask(upstreams, other).addresses()).containsExactly("192.0.2.7");
                upstreams.poll();
                assertThat(err.toString().lines().filter(line -> line.startsWith("warning: ")))
                        .singleElement()
                        .asString()
                        .contains("are not read again, the last ones stay: ", "no nameserver");
            }
        }
    }

    /** A change of one zone is no reason to lose the answers of others, least of all while their servers are down. */
    @Test
    void answersOfUnchangedZonesStayInTheCache() throws Exception {
        AtomicBoolean isDown = new AtomicBoolean();
        String[] records = {
            "www.kept.test. 60 IN A 192.0.2.7",
            "alias.kept.test. 60 IN CNAME www.corp.test.",
            "www.corp.test. 60 IN A 192.0.2.9"
        };
        try (NodeCacheUpstream corp = NodeCacheUpstream.holding("www.corp.test. 60 IN A 192.0.2.8");
                NodeCacheUpstream others = NodeCacheUpstream.start(NodeCacheUpstream.ready(question ->
                        isDown.get() ? Answer.failure(Rcode.SERVFAIL) : NodeCacheUpstream.answer(question, records)));
                Upstreams upstreams = started("--forward=" + others.address())) {
            assertThat(ask(upstreams, "www.kept.test").addresses()).containsExactly("192.0.2.7");
            assertThat(ask(upstreams, "www.corp.test").addresses()).containsExactly("192.0.2.9");
            assertThat(ask(upstreams, "alias.kept.test").addresses()).containsExactly("192.0.2.9");
            isDown.set(true);
            upstreams.kubeDnsData(Optional.of(Map.of("stubDomains", "{\"corp.test\": [\"" + corp.address() + "\"]}")));
            assertThat(ask(upstreams, "www.kept.test").addresses()).containsExactly("192.0.2.7");
            assertThat(ask(upstreams, "www.corp.test").addresses()).containsExactly("192.0.2.8");
            assertThat(ask(upstreams, "alias.kept.test").rcode())
                    .as("its answer had a record of the new zone, from another server")
                    .isEqualTo(Rcode.SERVFAIL);
        }
    }

    @Test
    void invalidDataCannotBecomeUsable() throws IOException {
        try (Upstreams upstreams = started()) {
            upstreams.kubeDnsData(stubDomain("no address"));
            upstreams.kubeDnsData(Optional.empty());
            assertThat(err.toString()).containsOnlyOnce("warning: the ConfigMap of kube-dns is not used");
        }
    }
}
