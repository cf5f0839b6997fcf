package io.k8sdns.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

/** Tests the translation of Corefiles to options. */
class FromCorefileTest {
    /** The Corefile of kubeadm. */
    static final String KUBEADM = """
            .:53 {
                errors
                health {
                   lameduck 5s
                }
                ready
                kubernetes cluster.local in-addr.arpa ip6.arpa {
                   pods insecure
                   fallthrough in-addr.arpa ip6.arpa
                   ttl 30
                }
                prometheus :9153
                forward . /etc/resolv.conf {
                   max_concurrent 1000
                }
                cache 30 {
                   disable success cluster.local
                   disable denial cluster.local
                }
                loop
                reload
                loadbalance
            }
            """;

    /** The Corefile of the node-local DNS cache of Kubernetes, with replaced placeholders. */
    static final String NODE_LOCAL = """
            cluster.local:53 {
                errors
                cache {
                        success 9984 30
                        denial 9984 5
                }
                reload
                loop
                bind 169.254.20.10 10.96.0.10
                forward . 10.96.0.11 {
                        force_tcp
                }
                prometheus :9253
                health 169.254.20.10:8080
                }
            in-addr.arpa:53 {
                errors
                cache 30
                reload
                loop
                bind 169.254.20.10 10.96.0.10
                forward . 10.96.0.11 {
                        force_tcp
                }
                prometheus :9253
                }
            ip6.arpa:53 {
                errors
                cache 30
                reload
                loop
                bind 169.254.20.10 10.96.0.10
                forward . 10.96.0.11 {
                        force_tcp
                }
                prometheus :9253
                }
            .:53 {
                errors
                cache 30
                reload
                loop
                bind 169.254.20.10 10.96.0.10
                forward . __PILLAR__UPSTREAM__SERVERS__
                prometheus :9253
                }
            """;

    /** A server block that forwards other names. */
    private static final String FORWARD = "acme.example:53 {\n  forward . 192.0.2.1\n}\n";

    @TempDir
    private Path folder;

    private Path resolvConf;

    @BeforeEach
    void writeResolvConf() throws IOException {
        resolvConf = Files.writeString(
                folder.resolve("resolv.conf"),
                "search corp.example lab.example\nnameserver 192.0.2.53\nnameserver 2001:db8::53\noptions ndots:1\n");
    }

    private Run translate(String corefile) throws IOException {
        Path file = Files.writeString(folder.resolve("Corefile"), corefile);
        Run run = Run.of("from-corefile", "--resolv-conf", resolvConf.toString(), file.toString());
        return new Run(run.code(), run.out(), run.err().replace(file.toString(), "Corefile"));
    }

    private Run done(String corefile) throws IOException {
        Run run = translate(corefile);
        assertThat(run.code()).as(run.err()).isZero();
        return run;
    }

    private List<String> options(String corefile) throws IOException {
        return done(corefile).lines();
    }

    private List<String> warnings(String corefile) throws IOException {
        return done(corefile)
                .err()
                .lines()
                .filter(line -> line.startsWith("warning: "))
                .toList();
    }

    private String error(String corefile) throws IOException {
        Run run = translate(corefile);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines()).hasSize(1);
        return run.err();
    }

    /** Returns a server block with an additional line. */
    private static String server(String line) {
        return ".:53 {\n  kubernetes cluster.local in-addr.arpa\n  " + line + "\n}\n";
    }

    /** Returns a server block whose kubernetes directive has a property. */
    private static String kubernetes(String property) {
        return ".:53 {\n  kubernetes cluster.local in-addr.arpa {\n    " + property + "\n  }\n}\n";
    }

    @Test
    void theCorefileOfKubeadmIsTranslatedToServe() throws IOException {
        Run run = done(KUBEADM);
        assertThat(run.lines())
                .containsExactly(
                        "--in-cluster",
                        "--listen [::]:53",
                        "--zone cluster.local",
                        "--reverse-zone in-addr.arpa",
                        "--reverse-zone ip6.arpa",
                        "--ttl 30",
                        "--pods insecure",
                        "--order shuffle",
                        "--fallthrough in-addr.arpa",
                        "--fallthrough ip6.arpa",
                        "--forward 192.0.2.53",
                        "--forward [2001:db8::53]",
                        "--cache-max-ttl 30",
                        "--metrics [::]:9153");
        assertThat(run.err().lines())
                .contains(
                        "note: these are options of k8sdns serve",
                        "note: Corefile:2: errors: failures are logged without an option")
                .noneMatch(line -> line.startsWith("warning"));
    }

    @Test
    void theCorefileOfNodeLocalDnsIsTranslatedToNodeCache() throws IOException {
        Run run = done(NODE_LOCAL);
        assertThat(run.lines())
                .containsExactly(
                        "--listen 169.254.20.10:53",
                        "--listen 10.96.0.10:53",
                        "--cluster-domain cluster.local",
                        "--zone-upstream cluster.local=10.96.0.11,tcp",
                        "--zone-upstream in-addr.arpa=10.96.0.11,tcp",
                        "--zone-upstream ip6.arpa=10.96.0.11,tcp",
                        "--zone-upstream .=192.0.2.53,[2001:db8::53]",
                        "--metrics [::]:9253");
        assertThat(run.err().lines())
                .contains("note: these are options of k8sdns node-cache")
                .noneMatch(line -> line.startsWith("warning"));
        assertThat(run.err().lines().filter(line -> line.contains("loop:"))).hasSize(1);
    }

    @Test
    void placeholdersAreReported() throws IOException {
        Run run = done("""
                __PILLAR__DNS__DOMAIN__:53 {
                    bind __PILLAR__LOCAL__DNS__
                    forward . __PILLAR__CLUSTER__DNS__
                }
                """);
        assertThat(run.lines()).containsExactly("--listen [::]:53");
        assertThat(run.err())
                .contains(
                        "Corefile:1: __PILLAR__DNS__DOMAIN__:53 is a placeholder",
                        "Corefile:2: bind: __PILLAR__LOCAL__DNS__ is not an address",
                        "Corefile:3: forward: __PILLAR__CLUSTER__DNS__ is a placeholder");
    }

    @Test
    void theClusterDomainHasTheServersOfTheReverseZones() throws IOException {
        assertThat(options("""
                acme.example {
                    forward . 10.0.0.1
                }
                k8s.example in-addr.arpa {
                    forward . 10.96.0.11
                }
                """)).contains("--cluster-domain k8s.example");
        assertThat(options("acme.example {\n forward . 10.0.0.1\n}\n"))
                .containsExactly("--listen [::]:53", "--zone-upstream acme.example=10.0.0.1");
    }

    @Test
    void blocksOfOtherZonesAreStubDomains() throws IOException {
        assertThat(options(KUBEADM + """
                acme.example:53 b.example:53 {
                    errors
                    cache 30
                    forward . 10.0.0.10 10.0.0.11:5353 tls://[2001:db8::1]:8853
                }
                10.1.0.0/16 {
                    forward . 10.0.0.12
                }
                """))
                .contains(
                        "--stub-domain acme.example=10.0.0.10,10.0.0.11:5353,tls://[2001:db8::1]:8853",
                        "--stub-domain b.example=10.0.0.10,10.0.0.11:5353,tls://[2001:db8::1]:8853",
                        "--stub-domain 1.10.in-addr.arpa=10.0.0.12");
        assertThat(options(server("forward c.example 10.0.0.1"))).contains("--stub-domain c.example=10.0.0.1");
    }

    @Test
    void aStubDomainInTheClustersZonesIsAWarning() throws IOException {
        assertThat(warnings(KUBEADM + "consul.cluster.local {\n  forward . 10.0.0.10\n}\n"))
                .containsExactly(
                        "warning: Corefile:25: forward: consul.cluster.local lies in the zone cluster.local, whose names "
                                + "serve does not forward to servers of their own");
        assertThat(options(KUBEADM + "consul.cluster.local {\n  forward . 10.0.0.10\n}\n"))
                .noneMatch(line -> line.startsWith("--stub-domain"));
        String reverse = KUBEADM + "96.10.in-addr.arpa {\n  forward . 10.0.0.10\n  cache 30\n}\n";
        assertThat(warnings(reverse))
                .containsExactly(
                        "warning: Corefile:25: forward: 96.10.in-addr.arpa lies in the zone in-addr.arpa, which is answered "
                                + "first; --fallthrough in-addr.arpa forwards the names that it does not have");
        assertThat(options(reverse)).contains("--stub-domain 96.10.in-addr.arpa=10.0.0.10");
        assertThat(warnings("cluster.local {\n  kubernetes\n  forward . 10.0.0.10\n}\n"))
                .singleElement()
                .asString()
                .contains("Corefile:3: forward: cluster.local is the cluster's own zone");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "pods verified                     | --pods verified",
                "pods disabled                     | --pods disabled",
                "ttl 0                             | --ttl 0",
                "endpoint_pod_names                | --endpoint-names pod",
                "noendpoints                       | --no-endpoints",
                "ignore empty_service              | --ignore-empty-services",
                "namespaces shop                   | --namespace shop",
                "labels app=web                    | --labels app=web",
                "labels app in (web, db),tier      | --labels 'app in (web, db),tier'",
                "namespace_labels team=sales       | --namespace-labels team=sales",
                "kubeconfig /etc/kube.conf         | --kubeconfig /etc/kube.conf",
                "kubeconfig k.conf staging         | --context staging",
                "startup_timeout 1m30s             | --startup-timeout 90",
                "startup_timeout 1500ms            | --startup-timeout 2"
            })
    void aPropertyOfKubernetesIsAnOption(String property, String option) throws IOException {
        assertThat(options(kubernetes(property))).contains(option);
        assertThat(warnings(kubernetes(property))).isEmpty();
    }

    @Test
    void severalNamespacesAreSeveralOptions() throws IOException {
        assertThat(options(kubernetes("namespaces shop lab"))).contains("--namespace shop", "--namespace lab");
    }

    @Test
    void theDefaultsOfCoreDnsBecomeOptions() throws IOException {
        assertThat(options(server("")))
                .containsExactly(
                        "--in-cluster",
                        "--listen [::]:53",
                        "--zone cluster.local",
                        "--reverse-zone in-addr.arpa",
                        "--pods disabled",
                        "--order stable");
        assertThat(options(kubernetes("kubeconfig k.conf"))).doesNotContain("--in-cluster");
    }

    @ParameterizedTest
    @ValueSource(strings = {"fallthrough", "fallthrough ."})
    void withoutAZoneTheNamesOfAllZonesFallThrough(String property) throws IOException {
        assertThat(options(forwarding(kubernetes(property))))
                .contains("--fallthrough cluster.local", "--fallthrough in-addr.arpa");
    }

    @Test
    void theNamesOfAZoneFallThrough() throws IOException {
        assertThat(options(forwarding(kubernetes("fallthrough in-addr.arpa"))))
                .contains("--fallthrough in-addr.arpa")
                .doesNotContain("--fallthrough cluster.local");
    }

    /** CoreDNS has no next plugin there: names of the cluster must not reach the servers of another block. */
    @Test
    void nothingFallsThroughToTheServersOfAnotherBlock() throws IOException {
        Run run = done("""
                . {
                  forward . 192.0.2.53
                }
                cluster.local {
                  kubernetes cluster.local in-addr.arpa ip6.arpa {
                    fallthrough
                  }
                }
                """);
        assertThat(run.lines())
                .contains("--forward 192.0.2.53")
                .doesNotContain("--fallthrough cluster.local")
                .as("the other block has these names")
                .contains("--fallthrough in-addr.arpa", "--fallthrough ip6.arpa");
        assertThat(run.err())
                .contains(
                        "note: Corefile:6: fallthrough: no forward here covers these names, so those that do not exist are NXDOMAIN");
        assertThat(options(kubernetes("fallthrough") + FORWARD)).noneMatch(line -> line.startsWith("--fallthrough"));
    }

    @ParameterizedTest
    @CsvSource({
        "., true",
        "cluster.local, true",
        "local, true",
        "corp.cluster.local, false",
        "corp.example, false",
        "in-addr.arpa, false"
    })
    void onlyAForwardThatCoversTheZoneCounts(String forwarded, boolean falls) throws IOException {
        Run run = done(". {\n  forward . 192.0.2.53\n}\ncluster.local {\n"
                + "  kubernetes cluster.local in-addr.arpa ip6.arpa {\n    fallthrough\n  }\n"
                + "  forward " + forwarded + " 192.0.2.9\n}\n");
        assertThat(run.lines().contains("--fallthrough cluster.local")).isEqualTo(falls);
        assertThat(run.err().contains("Corefile:6: fallthrough: no forward here covers these names"))
                .isEqualTo(!falls);
    }

    @Test
    void aPartOfAZoneCannotFallThrough() throws IOException {
        String corefile = forwarding(kubernetes("fallthrough corp.cluster.local 10.in-addr.arpa"));
        assertThat(options(corefile)).noneMatch(line -> line.startsWith("--fallthrough"));
        assertThat(warnings(corefile))
                .containsExactly(
                        "warning: Corefile:3: fallthrough: corp.cluster.local is a part of the zone cluster.local; serve"
                                + " forwards the missing names of whole zones only, with --fallthrough cluster.local",
                        "warning: Corefile:3: fallthrough: 10.in-addr.arpa is a part of the zone in-addr.arpa; serve"
                                + " forwards the missing names of whole zones only, with --fallthrough in-addr.arpa");
    }

    @Test
    void theZonesWithinANameFallThrough() throws IOException {
        Run run = done(forwarding(kubernetes("fallthrough local corp.example")));
        assertThat(run.lines().stream().filter(line -> line.startsWith("--fallthrough")))
                .containsExactly("--fallthrough cluster.local");
        assertThat(run.err())
                .contains("note: Corefile:3: fallthrough: corp.example is in no zone of kubernetes, so not used");
    }

    /** Adds servers to a block of {@link #kubernetes}. */
    private static String forwarding(String block) {
        return block.substring(0, block.length() - "}\n".length()) + "  forward . 192.0.2.1\n}\n";
    }

    @Test
    void nothingFallsThroughWithoutAServer() throws IOException {
        for (String corefile : List.of(kubernetes("fallthrough"), ". {\n  kubernetes cluster.local\n}\n")) {
            assertThat(options(corefile)).noneMatch(line -> line.startsWith("--fallthrough"));
            assertThat(warnings(corefile)).isEmpty();
        }
        assertThat(done(kubernetes("fallthrough")).err())
                .contains("fallthrough: no forward here covers these names, so those that do not exist are NXDOMAIN");
    }

    @Test
    void propertiesWhoseOptionsExcludeEachOtherAreRefused() throws IOException {
        assertThat(error(kubernetes("namespaces shop\n    namespace_labels a=b")))
                .contains("namespaces and namespace_labels exclude each other");
        assertThat(error(kubernetes("noendpoints\n    ignore empty_service")))
                .contains("noendpoints and ignore empty_service exclude each other");
    }

    @Test
    void theZonesOfTheBlockAreThoseOfTheCluster() throws IOException {
        assertThat(options("Cluster.Local.:1053 10.96.0.0/12:1053 {\n  kubernetes\n}\n"))
                .contains("--listen [::]:1053", "--zone cluster.local", "--reverse-zone 10.96.0.0/12");
        assertThat(warnings(". {\n  kubernetes\n}\n"))
                .anyMatch(line -> line.startsWith("warning: Corefile:2: kubernetes: without a zone"));
    }

    @Test
    void withoutAReverseZoneNamesOfAddressesAreForwarded() throws IOException {
        Run run = done(". {\n  kubernetes cluster.local\n  forward . 192.0.2.1\n}\n");
        assertThat(run.lines()).contains("--fallthrough in-addr.arpa", "--fallthrough ip6.arpa");
        assertThat(run.err()).contains("note: Corefile:2: kubernetes: no reverse zone here");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "forward . 192.0.2.1:5353                              | 192.0.2.1:5353",
                "forward . 192.0.2.1:53                                | 192.0.2.1",
                "forward . dns://192.0.2.1                             | 192.0.2.1",
                "forward . 2001:db8::1                                 | [2001:db8::1]",
                "forward . [2001:db8::1]:5353                          | [2001:db8::1]:5353",
                "forward . tls://192.0.2.1                             | tls://192.0.2.1",
                "forward . tls://192.0.2.1:853                         | tls://192.0.2.1",
                "forward . tls://192.0.2.1%dns.example                 | tls://192.0.2.1#dns.example",
                "forward . tls://192.0.2.1 { tls_servername dns.example } | tls://192.0.2.1#dns.example",
                "forward . tls://192.0.2.1 { tls }                     | tls://192.0.2.1",
                "forward . 192.0.2.1:853 { tls }                       | 192.0.2.1:853",
                "forward . dns://192.0.2.1 { tls_servername dns.example } | 192.0.2.1",
                "proxy . 192.0.2.1                                     | 192.0.2.1"
            })
    void aServerHasTheFormOfTheOptions(String directive, String server) throws IOException {
        assertThat(options(server(directive))).contains("--forward " + server);
        assertThat(warnings(server(directive))).isEmpty();
        assertThat(options(". {\n" + directive + "\n}\n"))
                .contains("--zone-upstream .="
                        + (server.startsWith("tls://") && !server.contains("#")
                                ? server.substring("tls://".length()) + ",tls"
                                : server));
    }

    /** In CoreDNS the properties for TLS change only servers with {@code tls://}. */
    @Test
    void tlsAppliesToServersWithTlsAlone() throws IOException {
        String corefile = server("forward . 192.0.2.1 tls://192.0.2.2 dns://192.0.2.3:5353 /etc/resolv.conf {\n"
                + "    tls\n    tls_servername dns.example\n  }");
        assertThat(options(corefile))
                .contains(
                        "--forward 192.0.2.1",
                        "--forward tls://192.0.2.2#dns.example",
                        "--forward 192.0.2.3:5353",
                        "--forward 192.0.2.53");
        String others = ": applies to servers with tls:// alone; asked without TLS, as CoreDNS does: 192.0.2.1"
                + " 192.0.2.3:5353 192.0.2.53 [2001:db8::53]";
        assertThat(remarks(corefile, 4)).containsExactly("note: tls" + others);
        assertThat(remarks(corefile, 5)).containsExactly("note: tls_servername" + others);
        assertThat(options(". {\n  forward . 192.0.2.1 {\n    tls\n  }\n}\n")).contains("--zone-upstream .=192.0.2.1");
        assertThat(remarks(server("forward . tls://192.0.2.2 {\n    tls\n  }"), 4))
                .isEmpty();
        assertThat(warnings(server("forward . 192.0.2.2 {\n    tls a b c\n  }")))
                .isEmpty();
    }

    /** CoreDNS drops the scheme of a file. */
    @Test
    void serversOfAFileAreAskedWithoutTls() throws IOException {
        assertThat(options(server("forward . tls:///etc/resolv.conf")))
                .contains("--forward 192.0.2.53", "--forward [2001:db8::53]");
        assertThat(warnings(server("forward . tls:///etc/resolv.conf")))
                .containsExactly(
                        "warning: Corefile:3: forward: tls:///etc/resolv.conf: the servers of a file are asked without TLS, as CoreDNS does; "
                                + "name each of them with tls:// instead");
        assertThat(options(server("forward . dns:///etc/resolv.conf"))).contains("--forward 192.0.2.53");
        assertThat(warnings(server("forward . dns:///etc/resolv.conf"))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"force_tcp, ',tcp'", "prefer_udp, ',udp'", "policy sequential, ''"})
    void theTransportOfAZoneIsThatOfTheNodeCache(String property, String suffix) throws IOException {
        assertThat(options(". {\n  forward . 192.0.2.1 192.0.2.2 {\n    " + property + "\n  }\n}\n"))
                .contains("--zone-upstream .=192.0.2.1,192.0.2.2" + suffix);
    }

    @Test
    void theTransportOfAZoneIsThatOfServersWithoutTls() throws IOException {
        String tls = "tls://192.0.2.1%dns.example";
        assertThat(options(". {\n  forward . " + tls + " 192.0.2.2 {\n    force_tcp\n  }\n}\n"))
                .contains("--zone-upstream .=tls://192.0.2.1#dns.example,192.0.2.2,tcp");
        assertThat(options(". {\n  forward . " + tls + " {\n    prefer_udp\n  }\n}\n"))
                .contains("--zone-upstream .=tls://192.0.2.1#dns.example");
    }

    /** Returns the warnings and notes about one line, without that line. */
    private List<String> remarks(String corefile, int line) throws IOException {
        String place = ": Corefile:" + line + ": ";
        return done(corefile)
                .err()
                .lines()
                .filter(text -> text.contains(place))
                .map(text -> text.replace(place, ": "))
                .toList();
    }

    private static String serverWithCache(String property) {
        return ".:53 {\n  kubernetes cluster.local in-addr.arpa {\n    fallthrough in-addr.arpa\n  }\n"
                + "  forward . 192.0.2.1\n  cache {\n    " + property + "\n  }\n}\n";
    }

    private static String nodeWithCache(String property) {
        return ".:53 {\n  forward . 192.0.2.1\n  cache 5 {\n    success 100 30\n    " + property + "\n  }\n}\n";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "keepttl                      | warning: keepttl: no option; the TTL of a cached answer counts down",
                "frobnicate                   | warning: frobnicate: a property of cache without a counterpart",
                "disable success              | warning: disable: no option keeps answers about . from being cached",
                "disable denial a.example     | warning: disable: no option keeps answers about a.example from being",
                "disable denial cluster.local a.example | warning: disable: no option keeps answers about a.example",
                "disable success in-addr.arpa | warning: disable: no option keeps answers about in-addr.arpa",
                "disable success svc.cluster.local | note: disable: names of the cluster are never cached",
                "success 5000                 | note: success: --cache-size BYTES bounds the memory of all answers",
                "denial 5000                  | note: denial: --cache-size BYTES bounds the memory of all answers",
                "success 5000 3600 0          | note: success: forwarded records are cached for 5 to 3600 s, not for 0 to 3600 s",
                "servfail 10s                 | note: servfail: SERVFAIL is cached for 5 s",
                "servfail 0                   | note: servfail: SERVFAIL is cached for 5 s",
            })
    void aDifferentPropertyOfCacheIsReportedWithItsLine(String property, String remark) throws IOException {
        assertThat(remarks(serverWithCache(property), 7)).anyMatch(text -> text.startsWith(remark));
        assertThat(warnings(serverWithCache(property))).hasSize(remark.startsWith("warning") ? 1 : 0);
        assertThat(options(serverWithCache(property))).isEqualTo(options(serverWithCache("")));
    }

    /** Without a zone in the Corefile, serve has its default zone, and answers its names itself. */
    @Test
    void namesOfTheDefaultZoneAreNeverCached() throws IOException {
        String corefile =
                ".:53 {\n  kubernetes\n  forward . 192.0.2.1\n  cache {\n    disable success svc.cluster.local\n  }\n}\n";
        assertThat(remarks(corefile, 5)).contains("note: disable: names of the cluster are never cached");
        assertThat(warnings(corefile)).noneMatch(line -> line.contains("disable"));
    }

    /** Returns the options of a translated property of cache, without those of the other directives. */
    private List<String> optionsOfCache(String property) throws IOException {
        List<String> without = options(serverWithCache(""));
        return options(serverWithCache(property)).stream()
                .filter(option -> !without.contains(option))
                .toList();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "success 5000 300        | --cache-max-ttl 300, --cache-max-negative-ttl 1800",
                "success 5000 2000       | --cache-max-ttl 2000",
                "denial 5000 30          | --cache-max-negative-ttl 30",
                "prefetch 10             | --prefetch 10",
                "prefetch 5 1m 10%       | --prefetch 5",
                "prefetch 0              | ",
                "serve_stale 0           | ",
                "serve_stale 0s verify   | ",
                "serve_stale             | --serve-stale 3600, --serve-stale-mode immediate",
                "serve_stale 24h         | --serve-stale 86400, --serve-stale-mode immediate",
                "serve_stale 1h30m verify | --serve-stale 5400",
            })
    void aPropertyOfCacheIsAnOptionOfServe(String property, @Nullable String expected) throws IOException {
        assertThat(optionsOfCache(property))
                .isEqualTo(expected == null ? List.of() : List.of(expected.split(", ", -1)));
        assertThat(warnings(serverWithCache(property))).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "prefetch 10 30s            | note: prefetch: hits count if they are at most a minute apart, not 30s; no option",
                "prefetch 10 1m 20%         | note: prefetch: an answer is fetched again in the last tenth of its TTL, not the last 20%",
                "serve_stale                | note: serve_stale: stale answers have a TTL of 30 s, not 0; no option",
                "serve_stale 1h verify      | note: serve_stale: a stale answer is also used if the servers take longer than 1.8 s",
                "serve_stale 200h immediate | warning: serve_stale: stale answers are used for at most 604800 s, not for 720000 s",
            })
    void whatAnOptionOfServeCannotDoIsReported(String property, String remark) throws IOException {
        assertThat(remarks(serverWithCache(property), 7)).anyMatch(text -> text.startsWith(remark));
        assertThat(optionsOfCache(property)).isNotEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "serve_stale 1h verify 5s       | 5s: without a counterpart, ignored; serve_stale has at most 2 arguments",
                "prefetch 5 1m 10% 7 8          | 7 8: without a counterpart, ignored; prefetch has at most 3 arguments",
                "success 100 30 5 7             | 7: without a counterpart, ignored; success has at most 3 arguments",
                "denial 100 30 5 7              | 7: without a counterpart, ignored; denial has at most 3 arguments",
                "servfail 5s 7                  | 7: without a counterpart, ignored; servfail has at most 1 argument",
                "keepttl yes                    | yes: without a counterpart, ignored; keepttl has at most 0 arguments"
            })
    void surplusArgumentsOfTheCacheAreReportedWithTheirLine(String property, String warning) throws IOException {
        String cache = " {\n  forward . 192.0.2.1\n  cache 30 {\n    " + property + "\n  }\n}\n";
        String kubernetes = cache.replace("forward", "kubernetes cluster.local\n  forward");
        String name = property.substring(0, property.indexOf(' '));
        assertThat(warnings("." + cache)).contains("warning: Corefile:4: " + name + ": " + warning);
        assertThat(warnings("." + kubernetes)).contains("warning: Corefile:5: " + name + ": " + warning);
    }

    @ParameterizedTest
    @ValueSource(strings = {"serve_stale 1h sometimes", "serve_stale soon", "prefetch", "prefetch 10 1m 5%"})
    void argumentsOfTheCacheOfANodeCacheAreChecked(String property) throws IOException {
        assertThat(error(". {\n  forward . 192.0.2.1\n  cache {\n    " + property + "\n  }\n}\n"))
                .contains("Corefile:4: ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"prefetch 0", "serve_stale 0", "serve_stale 0 immediate", "serve_stale 0s verify"})
    void aPropertyWithTheValueZeroIsNotReported(String property) throws IOException {
        assertThat(remarks(serverWithCache(property), 7)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "serve_stale 1h sometimes",
                "serve_stale 0 sometimes",
                "serve_stale soon",
                "prefetch 10 1m 5%",
                "prefetch 10 1m 20",
                "prefetch"
            })
    void anInvalidPropertyOfCacheIsRefused(String property) throws IOException {
        assertThat(error(serverWithCache(property))).contains("Corefile:7: ");
    }

    @Test
    void oneCacheHoldsTheAnswersOfAllBlocks() throws IOException {
        String main =
                ".:53 {\n  kubernetes cluster.local\n  forward . 192.0.2.1\n  cache 300 {\n    prefetch 10\n  }\n}\n";
        String stub = "a.example {\n  forward . 192.0.2.2\n  cache 60 {\n    prefetch 5\n    serve_stale\n  }\n}\n";
        assertThat(options(main + stub))
                .contains("--cache-max-ttl 60", "--prefetch 10", "--serve-stale 3600")
                .noneMatch(line -> line.startsWith("--cache-max-negative-ttl"));
        assertThat(remarks(main + stub, 4))
                .contains(
                        "note: cache: forwarded records are cached for 5 to 60 s, not for 5 to 300 s; one cache holds the "
                                + "answers of all blocks, with the lowest maximum");
        assertThat(remarks(main + stub, 11))
                .containsExactly(
                        "warning: prefetch: one cache holds the answers of all blocks; line 5 differs, and is used");
        assertThat(remarks(main + stub, 12))
                .contains(
                        "note: serve_stale: one cache holds the answers of all blocks, so this applies to all of them");
    }

    @Test
    void aBlockWithoutACacheIsAWarningIfAnotherBlockHasOne() throws IOException {
        String main =
                ".:53 {\n  kubernetes cluster.local\n  forward . 192.0.2.1\n  cache 300 {\n    prefetch 10\n  }\n}\n";
        String stubs = "a.example {\n  forward . 192.0.2.2\n}\nb.example {\n  forward . 192.0.2.3\n}\n";
        String remark = "warning: forward: no cache in this block; one cache holds the answers of all blocks, so its "
                + "answers are cached, too; --cache-size 0 caches none at all";
        assertThat(remarks(main + stubs, 9)).containsExactly(remark);
        assertThat(remarks(main + stubs, 12)).containsExactly(remark);
        assertThat(remarks(main + stubs, 5))
                .containsExactly(
                        "note: prefetch: one cache holds the answers of all blocks, so this applies to all of them");
        assertThat(options(main + stubs)).isEqualTo(withStubs(options(main)));
        assertThat(remarks(main, 5)).isEmpty();
        assertThat(warnings(main)).isEmpty();
    }

    /** Returns options with the stub domains of a.example and b.example, in the order of the output. */
    private static List<String> withStubs(List<String> options) {
        List<String> all = new ArrayList<>(options);
        all.addAll(
                options.indexOf("--forward 192.0.2.1") + 1,
                List.of("--stub-domain a.example=192.0.2.2", "--stub-domain b.example=192.0.2.3"));
        return all;
    }

    @Test
    void withoutAnyCacheForwardedAnswersAreNotCached() throws IOException {
        String forward = "a.example {\n  forward . 192.0.2.2\n}\n";
        String cluster = "cluster.local {\n  kubernetes\n  cache 30\n}\n";
        for (String corefile : List.of(cluster + forward, server("forward . 192.0.2.1"))) {
            assertThat(options(corefile)).contains("--cache-size 0").noneMatch(line -> line.startsWith("--cache-max"));
            assertThat(warnings(corefile)).isEmpty();
        }
        assertThat(remarks(cluster + forward, 6))
                .containsExactly(
                        "note: forward: no block that forwards has a cache, so forwarded answers are not cached");
        assertThat(options(cluster)).noneMatch(line -> line.startsWith("--cache"));
        assertThat(options(forward)).noneMatch(line -> line.startsWith("--cache"));
        assertThat(remarks(forward, 2))
                .containsExactly("note: forward: no cache in this block, but node-cache caches all answers; "
                        + "--cache-size 0 caches none");
    }

    /** The names that fall through are forwarded by the block of other names, whose cache applies. */
    @Test
    void aForwardThatIsNotUsedNeedsNoCache() throws IOException {
        String cluster = "cluster.local {\n  kubernetes {\n    fallthrough\n  }\n  forward . 192.0.2.1\n}\n";
        assertThat(remarks(cluster + ". {\n  forward . 192.0.2.1\n  cache 30\n}\n", 5))
                .singleElement()
                .asString()
                .contains("is the cluster's own zone");
    }

    @Test
    void aCacheWithoutForwardingHasNoEffect() throws IOException {
        String cluster = "cluster.local {\n  kubernetes\n  cache 5 {\n    keepttl\n  }\n}\n";
        assertThat(options(cluster + ". {\n  forward . 192.0.2.1\n  cache 30\n}\n"))
                .contains("--cache-max-ttl 30");
        assertThat(remarks(cluster, 3))
                .containsExactly("note: cache: nothing is forwarded here, and names of the cluster are never cached");
        assertThat(warnings(cluster)).isEmpty();
        assertThat(options(cluster)).noneMatch(line -> line.startsWith("--cache"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "serve_stale                  | note: serve_stale: if the servers fail or are slow, the last answer is used",
                "prefetch 5                   | note: prefetch: an answer with ten hits is fetched again before its TTL",
                "keepttl                      | warning: keepttl: no option",
                "disable denial cluster.local | warning: disable: no option keeps answers about cluster.local from being",
                "success 100 60               | note: success: forwarded records are cached for 5 to 30 s, not for 5 to 60 s",
                "denial 100 10 7              | note: denial: missing names and types are cached for 5 s, not for 7 to 10 s",
            })
    void aPropertyOfCacheIsComparedWithTheNodeCache(String property, String remark) throws IOException {
        assertThat(remarks(nodeWithCache(property), 5)).anyMatch(text -> text.startsWith(remark));
        assertThat(warnings(nodeWithCache(property))).hasSize(remark.startsWith("warning") ? 1 : 0);
    }

    @Test
    void anEqualCacheIsNotReported() throws IOException {
        assertThat(remarks(nodeWithCache("servfail 5s"), 5)).isEmpty();
        assertThat(remarks(nodeWithCache(""), 3)).hasSize(1);
        assertThat(remarks(serverWithCache("servfail 5s"), 7)).isEmpty();
        assertThat(remarks(serverWithCache(""), 6)).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "cache, ''",
        "cache 3600, '--cache-max-negative-ttl 3600'",
        "cache 300, '--cache-max-ttl 300'",
        "cache 3, '--cache-max-ttl 3'",
        "cache 7200, '--cache-max-ttl 7200, --cache-max-negative-ttl 7200'"
    })
    void theTtlOfACacheIsAnOption(String directive, String expected) throws IOException {
        String corefile = server("forward . 192.0.2.1\n  " + directive);
        assertThat(options(corefile).stream().filter(line -> line.startsWith("--cache")))
                .isEqualTo(expected.isEmpty() ? List.of() : List.of(expected.split(", ", -1)));
        assertThat(remarks(corefile, 4)).hasSize(1);
    }

    @Test
    void aCacheOfSomeZonesIsAWarning() throws IOException {
        assertThat(warnings(server("forward . 192.0.2.1\n  cache a.example")))
                .containsExactly("warning: Corefile:4: cache: no option caches only a.example; all forwarded names are"
                        + " cached");
        assertThat(warnings("a.example {\n  forward . 192.0.2.1\n  cache 30 example\n}\n"))
                .isEmpty();
    }

    @Test
    void aFileThatCannotBeReadIsReported() throws IOException {
        Path corefile =
                Files.writeString(folder.resolve("Corefile"), server("forward . " + folder.resolve("missing.conf")));
        Run run = Run.of("from-corefile", corefile.toString());
        assertThat(run.code()).isZero();
        assertThat(run.lines()).noneMatch(line -> line.startsWith("--forward"));
        assertThat(run.err())
                .contains(":3: forward: ", "missing.conf cannot be read here (no such file)", "--resolv-conf");
    }

    @Test
    void aFileWithoutServersIsReported() throws IOException {
        Files.writeString(resolvConf, "search a.example\nnameserver fe80::1%eth0\n");
        assertThat(warnings(server("forward . /etc/resolv.conf")))
                .hasSize(2)
                .anyMatch(line -> line.contains("not the address of a server: fe80::1%eth0"))
                .anyMatch(line -> line.contains("/etc/resolv.conf names no server"));
    }

    @Test
    void autopathUsesTheSearchDomainsOfThePodAndOfTheHost() throws IOException {
        assertThat(options(server("autopath @kubernetes")))
                .contains(
                        "--autopath pod", "--autopath-host-search corp.example", "--autopath-host-search lab.example");
    }

    @Test
    void autopathWithAFileUsesItsSearchList() throws IOException {
        String file = server("autopath /etc/autopath.conf");
        assertThat(options(file)).contains("--autopath pod", "--autopath-search-file /etc/autopath.conf");
        assertThat(options(file)).noneMatch(option -> option.startsWith("--autopath-host-search"));
        assertThat(warnings(file)).isEmpty();
        assertThat(remarks(server("autopath cluster.local /etc/autopath.conf"), 3))
                .containsExactly("note: autopath: expands the names below the first search domain of "
                        + "/etc/autopath.conf; no option limits them to zones");
    }

    /** In CoreDNS autopath without zones applies to the zones of its server block. */
    @ParameterizedTest
    @CsvSource({"'.', 0", "'corp.example .', 0", "corp.example, 1", "'corp.example tls://.:853', 1"})
    void autopathWithAFileInABlockOfOtherZonesIsANote(String zones, int notes) throws IOException {
        String corefile = zones + " {\n  autopath /etc/autopath.conf\n  forward . 10.0.0.10\n}\n"
                + "cluster.local {\n  kubernetes\n}\n";
        assertThat(remarks(corefile, 2))
                .filteredOn(line -> line.equals("note: autopath: expands the names below the first search domain of "
                        + "/etc/autopath.conf; no option limits them to zones"))
                .hasSize(notes);
    }

    @Test
    void autopathWithSeveralSearchListsIsAWarning() throws IOException {
        String pods = server("autopath @kubernetes\n  autopath /etc/autopath.conf");
        assertThat(warnings(pods))
                .containsExactly("warning: Corefile:4: autopath: /etc/autopath.conf differs from an earlier line, which"
                        + " is used");
        assertThat(options(pods)).noneMatch(option -> option.startsWith("--autopath-search-file"));
        assertThat(warnings(server("autopath a.conf\n  autopath @kubernetes"))).hasSize(1);
        assertThat(warnings(server("autopath a.conf\n  autopath b.conf"))).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"autopath", "autopath @erratic"})
    void autopathOfOtherSourcesIsAWarning(String directive) throws IOException {
        assertThat(warnings(server(directive))).hasSize(1);
    }

    /** In CoreDNS autopath has no effect without {@code pods verified}. */
    @ParameterizedTest
    @CsvSource({"kubernetes, 1", "'kubernetes { pods insecure }', 1", "'kubernetes { pods verified }', 0"})
    void autopathWithoutVerifiedPodsIsANote(String kubernetes, int notes) throws IOException {
        String corefile = "cluster.local {\n  autopath @kubernetes\n  "
                + kubernetes.replace("{", "{\n").replace("}", "\n}") + "\n  forward . 10.0.0.10\n}\n";
        assertThat(done(corefile).err().lines())
                .filteredOn(line -> line.contains("Corefile:2: autopath: CoreDNS expands only with pods verified"))
                .hasSize(notes);
    }

    @ParameterizedTest
    @CsvSource({
        "prometheus, localhost:9153",
        "prometheus 127.0.0.1:9000, 127.0.0.1:9000",
        "health, [::]:8080",
        "health :8081, [::]:8081",
        "ready, [::]:8181"
    })
    void directivesWithHttpSetTheAddressOfMetrics(String directive, String address) throws IOException {
        assertThat(options(server(directive))).contains("--metrics " + address);
    }

    @Test
    void severalAddressesOfMetricsAreAWarning() throws IOException {
        assertThat(warnings(server("prometheus :9153") + "a.example {\n  prometheus :9154\n  forward . ::1\n}\n"))
                .singleElement()
                .asString()
                .contains("Corefile:6: prometheus: at [::]:9154 besides [::]:9153");
    }

    /** {@code serve} cannot listen at both. */
    @Test
    void anAddressOfBindThatAWildcardIncludesIsNoOption() throws IOException {
        assertThat(listening("bind 0.0.0.0 ::")).containsExactly("--listen [::]:53");
        assertThat(listening("bind ::1 0:0::0 127.0.0.1 ::")).containsExactly("--listen [::]:53");
        assertThat(listening("bind 127.0.0.1 0.0.0.0 ::1")).containsExactly("--listen 0.0.0.0:53", "--listen [::1]:53");
    }

    private List<String> listening(String bind) throws IOException {
        return options(server(bind)).stream()
                .filter(option -> option.startsWith("--listen"))
                .toList();
    }

    @Test
    void everyAddressOfBindBecomesAnOption() throws IOException {
        assertThat(options(server("bind 127.0.0.1 ::1"))).contains("--listen 127.0.0.1:53", "--listen [::1]:53");
        assertThat(warnings(server("bind eth0")))
                .singleElement()
                .asString()
                .contains("Corefile:3: bind: eth0 is not an address");
    }

    @Test
    void blocksAtDifferentAddressesAreAWarning() throws IOException {
        assertThat(warnings(server("") + "a.example:1053 {\n  forward . ::1\n}\n"))
                .containsExactly(
                        "warning: Corefile:5: a.example: other addresses than those of an earlier block; every zone "
                                + "is answered at all addresses");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rewrite name a b",
                "hosts /etc/hosts",
                "federation cluster.local { prod fed.example.com }",
                "import custom/*.override",
                "frobnicate",
                "template ANY ANY { rcode NXDOMAIN }",
                "k8s_external example.org"
            })
    void aDirectiveWithoutACounterpartIsReportedWithItsLine(String directive) throws IOException {
        String name = directive.split(" ", -1)[0];
        assertThat(warnings(server(directive)))
                .singleElement()
                .asString()
                .startsWith("warning: Corefile:3: " + name + ": ");
        assertThat(options(server(directive))).isEqualTo(options(server("")));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"multicluster clusterset.local", "endpoint https://10.0.0.1", "ignore everything", "frobnicate"})
    void aPropertyWithoutACounterpartIsReportedWithItsLine(String property) throws IOException {
        assertThat(warnings(kubernetes(property)))
                .singleElement()
                .asString()
                .startsWith("warning: Corefile:3: " + property.split(" ", -1)[0] + ": ");
    }

    /** CoreDNS does not forward the names below {@code except}, so a zone in one of them cannot fall through. */
    @ParameterizedTest
    @CsvSource({
        "cluster.local, in-addr.arpa, ",
        "CLUSTER.local., in-addr.arpa, ",
        "a.example cluster.local, in-addr.arpa, a.example",
        "local, in-addr.arpa, local",
        "corp.cluster.local, cluster.local in-addr.arpa, corp.cluster.local",
        "10.0.0.0/8, cluster.local in-addr.arpa, 10.0.0.0/8",
        "cluster.local 10.0.0.0/8, in-addr.arpa, 10.0.0.0/8",
        "cluster.local in-addr.arpa, , ",
        "., , .",
    })
    void aZoneInAnExceptionDoesNotFallThrough(String excepted, @Nullable String fallthrough, @Nullable String forwarded)
            throws IOException {
        Run run = done(".:53 {\n  kubernetes cluster.local in-addr.arpa {\n    fallthrough\n  }\n"
                + "  forward . 192.0.2.1 {\n    except " + excepted + "\n  }\n}\n");
        assertThat(run.lines().stream().filter(line -> line.startsWith("--fallthrough ")))
                .containsExactlyElementsOf(
                        fallthrough == null
                                ? List.of()
                                : Stream.of(fallthrough.split(" ", -1))
                                        .map("--fallthrough "::concat)
                                        .toList());
        assertThat(run.err().lines().filter(line -> line.startsWith("warning: ")))
                .containsExactlyElementsOf(
                        forwarded == null
                                ? List.of()
                                : List.of("warning: Corefile:6: except: no option keeps " + forwarded
                                        + " from being forwarded; with --stub-domain it can have servers of its own"));
        assertThat(run.err().contains("fallthrough: no forward here covers these names"))
                .isEqualTo(fallthrough == null || !fallthrough.contains(" "));
    }

    /** The warning stays, because the names that fall through reach the servers of {@code --forward}. */
    @Test
    void oneOfSeveralForwardsMayExceptAZone() throws IOException {
        String corefile = """
                .:53 {
                  kubernetes cluster.local {
                    fallthrough
                  }
                  forward . 192.0.2.1 {
                    except cluster.local
                  }
                  forward local 192.0.2.2
                }
                """;
        assertThat(options(corefile)).contains("--fallthrough cluster.local");
        assertThat(warnings(corefile)).anyMatch(line -> line.contains("except: no option keeps cluster.local"));
    }

    @Test
    void unsupportedSettingsOfForwardAreReported() throws IOException {
        assertThat(
                        warnings(
                                server(
                                        "forward . tls://192.0.2.1 {\n  except a.example\n  force_tcp\n  next NXDOMAIN\n  tls a b c\n  }")))
                .hasSize(4);
        assertThat(warnings(server("forward . grpc://192.0.2.1"))).hasSize(1);
    }

    /** Returns a block that forwards a zone to two servers. */
    private static String twoServers(String zone, String policy) {
        return zone + " {\n  forward . 192.0.2.1 192.0.2.2 {\n    " + policy + "\n  }\n}\n";
    }

    @ParameterizedTest
    @ValueSource(strings = {"policy random", ""})
    void aServerIsChosenAtRandomAsInCoreDns(String policy) throws IOException {
        assertThat(remarks(server("") + twoServers(".", policy), 7)).isEmpty();
        assertThat(remarks(twoServers("a.example", policy), 3)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({"round_robin, round-robin", "sequential, sequential"})
    void aPolicyIsAnOptionOfServeAndAWarningForANodeCache(String policy, String option) throws IOException {
        String served = server("") + twoServers(".", "policy " + policy);
        assertThat(options(served)).contains("--forward-policy " + option);
        assertThat(warnings(served)).isEmpty();
        assertThat(warnings(twoServers("a.example", "policy " + policy)))
                .containsExactly("warning: Corefile:3: policy: " + policy
                        + ": no option; --zone-upstream chooses a server at random");
    }

    @Test
    void thePolicyThatIsTheDefaultIsNoOptionAndAnUnknownOneIsAWarning() throws IOException {
        for (String policy : List.of("", "policy random", "policy least_conn")) {
            String served = server("") + twoServers(".", policy);
            assertThat(options(served)).noneMatch(line -> line.startsWith("--forward-policy"));
            assertThat(warnings(served)).hasSize(policy.endsWith("least_conn") ? 1 : 0);
        }
        assertThat(warnings(server("") + twoServers(".", "policy least_conn")))
                .containsExactly("warning: Corefile:7: policy: least_conn: a policy without a counterpart; a server is "
                        + "chosen at random");
    }

    @Test
    void theServersOfAStubDomainAreQueriedInOrder() throws IOException {
        String server = server("");
        assertThat(warnings(server + twoServers("a.example", "policy sequential")))
                .isEmpty();
        for (String policy : List.of("random", "round_robin")) {
            assertThat(warnings(server + twoServers("a.example", "policy " + policy)))
                    .containsExactly("warning: Corefile:7: policy: " + policy
                            + ": no option; --stub-domain asks the first server that works");
        }
        assertThat(remarks(server + twoServers("a.example", ""), 6))
                .contains("note: forward: --stub-domain asks the first server that works, not at random");
    }

    @Test
    void thePolicyOfOneServerIsNotReported() throws IOException {
        String served = server("forward . 192.0.2.1 {\n    policy sequential\n  }");
        assertThat(warnings(served)).isEmpty();
        assertThat(options(served)).noneMatch(line -> line.startsWith("--forward-policy"));
    }

    @Test
    void theFirstOfTwoBlocksForAZoneIsUsed() throws IOException {
        Run run = done("""
                .:53 {
                  kubernetes cluster.local
                  forward . 8.8.8.8
                }
                .:5353 {
                  kubernetes other.local
                  forward . 1.1.1.1
                }
                a.example {
                  forward . 192.0.2.1 192.0.2.2
                }
                a.example:5353 {
                  forward . 192.0.2.2 192.0.2.3
                }
                """);
        assertThat(run.lines())
                .contains(
                        "--zone cluster.local",
                        "--zone other.local",
                        "--forward 8.8.8.8",
                        "--stub-domain a.example=192.0.2.1,192.0.2.2")
                .noneMatch(line -> line.contains("1.1.1.1") || line.contains("192.0.2.3"));
        assertThat(run.err().lines())
                .contains(
                        "warning: Corefile:7: forward: . has other servers in an earlier line, which are used (8.8.8.8);"
                                + " not used: 1.1.1.1",
                        "warning: Corefile:13: forward: a.example has other servers in an earlier line, which are used"
                                + " (192.0.2.1,192.0.2.2); not used: 192.0.2.2,192.0.2.3");
    }

    @Test
    void theSameServersForOneZoneAreNotAWarning() throws IOException {
        String block = "{\n  kubernetes cluster.local\n  forward . 8.8.8.8 1.1.1.1\n}\n";
        assertThat(warnings(". " + block + ". " + block.replace("8.8.8.8 1.1.1.1", "1.1.1.1 8.8.8.8")))
                .isEmpty();
        String cache = ". {\n  forward . 8.8.8.8 1.1.1.1\n}\n";
        assertThat(options(cache + cache.replace("8.8.8.8 1.1.1.1", "1.1.1.1 8.8.8.8")))
                .contains("--zone-upstream .=8.8.8.8,1.1.1.1");
        assertThat(warnings(cache + cache.replace("8.8.8.8 1.1.1.1", "1.1.1.1 8.8.8.8")))
                .isEmpty();
        assertThat(warnings(cache + cache.replace("8.8.8.8", "192.0.2.1")))
                .containsExactly("warning: Corefile:5: forward: . has other servers in an earlier line, which are used"
                        + " (8.8.8.8,1.1.1.1); not used: 192.0.2.1,1.1.1.1");
    }

    @Test
    void aBlockThatIsNotServedHasNoOptions() throws IOException {
        String served = ".:53 {\n  forward . 8.8.8.8\n}\n";
        String other = """
                tls://.:853 {
                  bind eth0
                  forward . 9.9.9.9
                  kubernetes third.local
                  rewrite a b
                  prometheus :9153
                }
                """;
        for (String corefile : List.of(served + other, other + served)) {
            Run run = done(corefile);
            assertThat(run.lines()).containsExactly("--listen [::]:53", "--zone-upstream .=8.8.8.8");
            assertThat(run.err().lines().filter(line -> line.startsWith("warning")))
                    .singleElement()
                    .asString()
                    .endsWith(": tls://.:853: queries over tls are not served; UDP and TCP are; this block is skipped");
        }
        assertThat(options(other)).isEmpty();
        assertThat(options("a.example tls://b.example {\n  forward . 8.8.8.8\n}\n"))
                .containsExactly("--listen [::]:53", "--zone-upstream a.example=8.8.8.8");
    }

    @Test
    void otherTransportsAndBlocksWithoutAnswersAreReported() throws IOException {
        assertThat(warnings(server("") + "tls://. {\n  forward . ::1\n}\na.example {\n  errors\n}\n"))
                .containsExactly(
                        "warning: Corefile:5: tls://.: queries over tls are not served; UDP and TCP are; this block is skipped",
                        "warning: Corefile:8: a.example: neither kubernetes nor forward, so not served");
    }

    @Test
    void theOptionsOfTheFirstKubernetesBlockAreUsed() throws IOException {
        Run run = done(kubernetes("ttl 30") + "k8s.example {\n  kubernetes {\n    ttl 7\n  }\n  loadbalance\n}\n");
        assertThat(run.lines()).contains("--ttl 30", "--order stable").doesNotContain("--ttl 7", "--order shuffle");
        assertThat(run.err())
                .contains(
                        "Corefile:8: ttl: --ttl 7 differs from 30 of an earlier line",
                        "Corefile:10: loadbalance: --order");
    }

    @Test
    void snippetsAreTranslatedWithTheirOwnLines() throws IOException {
        Run run = done(
                "(base) {\n  rewrite name a b\n  prometheus :9153\n}\n.:53 {\n  import base\n  kubernetes cluster.local\n}\n");
        assertThat(run.lines()).contains("--metrics [::]:9153");
        assertThat(run.err()).contains("warning: Corefile:2: rewrite: no query is rewritten");
    }

    @Test
    void aFileThatIsImportedAtTheTopIsReported() throws IOException {
        assertThat(warnings("import custom/*.server\n" + server("")))
                .containsExactly("warning: Corefile:1: import: no other file is read; translate it on its own");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ". {%  errors                           | 1: the server block has no closing brace",
                ". {%  log \"a%}                        | 2: a quote that is not closed",
                ".:99999 {%}                            | 1: not a port",
                "%a..b {%}                              | 2: not a zone",
                "10.0.0.1/8 {%}                         | 1: not a network",
                ". {%  forward .%}                      | 2: forward needs a zone and a server",
                ". {%  forward . tls://dns.example%}    | 2: not the address of a server: tls://dns.example",
                ". {%  kubernetes a {%    pods%  }%}    | 3: pods needs a value",
                ". {%  kubernetes a {%    labels \"\"%  }%} | 3: labels needs a value",
                ". {%  kubernetes a {%    pods x%  }%}  | 3: pods takes disabled, insecure or verified",
                ". {%  kubernetes a {%    ttl 3601%  }%}| 3: ttl takes 0 to 3600",
                ". {%  kubernetes a {%    startup_timeout 5%  }%} | 3: not a duration",
                ". {%  cache 0%}                        | 2: cache: a TTL is 1 second or more, not 0",
                ". {%  cache {%    success many%  }%}   | 3: success: not a number from 0 to 999999999: many",
                ". {%  cache {%    denial%  }%}         | 3: denial needs a value",
                ". {%  cache {%    servfail 5%  }%}     | 3: not a duration",
                ". {%  cache {%    disable all%  }%}    | 3: disable takes success or denial, not all",
                ". {%  prometheus 9153%}                | 2: prometheus: '9153' is not HOST:PORT",
                ". {%  forward . {$K8SDNS_NOT_SET}%}    | 2: the environment variable K8SDNS_NOT_SET is not set"
            })
    void anInvalidCorefileIsAnErrorWithItsLine(String corefile, String error) throws IOException {
        assertThat(error(corefile.replace('%', '\n'))).startsWith("k8sdns from-corefile: Corefile:" + error);
    }

    @Test
    void aFileThatIsNotTextOrCannotBeReadIsAnError() throws IOException {
        Path binary = Files.write(folder.resolve("binary"), new byte[] {'.', ' ', (byte) 0xFF});
        assertThat(Run.of("from-corefile", binary.toString()).code()).isEqualTo(Main.INVALID);
        assertThat(Run.of("from-corefile", folder.toString()).code()).isEqualTo(Main.INVALID);
        Path corefile = Files.writeString(folder.resolve("Corefile"), KUBEADM);
        assertThat(Run.of("from-corefile", "--resolv-conf", folder.resolve("no").toString(), corefile.toString())
                        .code())
                .isEqualTo(Main.INVALID);
    }

    @Test
    void anEmptyCorefileGivesNoOptions() throws IOException {
        assertThat(options("# nothing\n")).isEmpty();
        assertThat(warnings("# nothing\n")).singleElement().asString().contains("no server block");
    }

    @Test
    void valuesAreQuotedForAShell() {
        assertThat(CorefileOptions.quoted("[::]:53")).isEqualTo("[::]:53");
        assertThat(CorefileOptions.quoted("tls://192.0.2.1#dns.example")).isEqualTo("tls://192.0.2.1#dns.example");
        assertThat(CorefileOptions.quoted("a b")).isEqualTo("'a b'");
        assertThat(CorefileOptions.quoted("it's")).isEqualTo("'it'\\''s'");
        assertThat(CorefileOptions.quoted("#a")).isEqualTo("'#a'");
        assertThat(CorefileOptions.quoted("$(x)")).isEqualTo("'$(x)'");
    }

    /** All options that are generated for serve must be options of serve. */
    @Test
    void serveAcceptsTheOptions() throws IOException {
        CommandLine k8sdns = Main.commandLine("serve");
        CommandLine serve = requireNonNull(k8sdns.getSubcommands().get("serve"));
        List<String> words = new ArrayList<>(List.of("serve"));
        for (String line : options(KUBEADM)) {
            List<String> parts = List.of(line.split(" ", 2));
            if (serve.getCommandSpec().findOption(parts.get(0)) != null) {
                words.addAll(parts);
            }
        }
        assertThat(words).contains("--listen", "--zone", "--pods", "--metrics");
        k8sdns.parseArgs(words.toArray(String[]::new));
        assertThat(serve.getParseResult().matchedOptionValue("--ttl", 0L)).isEqualTo(30);
    }

    /** A shell must parse the lines to the same options, in double quotes or not. */
    @Test
    void aShellParsesTheLinesToTheOptions() throws Exception {
        Path lines = Files.write(
                folder.resolve("lines"), options(kubernetes("labels app in (web, db)")), StandardCharsets.UTF_8);
        Program.Result ended = Program.run("xargs", "-a", lines.toString(), "printf", "%s\\n");
        assertThat(ended.out()).contains("--listen", "[::]:53", "--labels", "app in (web, db)");
        assertThat(Stream.of(ended.code())).containsExactly(0);
    }
}
