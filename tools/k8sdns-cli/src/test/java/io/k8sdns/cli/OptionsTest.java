package io.k8sdns.cli;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import io.k8sdns.resolver.Client.Transport;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** Tests that every option has an effect and every contradiction is rejected. */
class OptionsTest {
    private static final Path DATA = Run.ROOT.resolve("tools/k8sdns-cli/src/test/resources/options");
    private static final String CLUSTER = DATA.resolve("cluster.yaml").toString();
    private static final String BROKEN = DATA.resolve("broken.yaml").toString();
    private static final String SIX_NEW = DATA.resolve("six-new.yaml").toString();

    /**
     * The effect of an option on the output of {@code records}.
     *
     * @param option the option and its values
     * @param removed texts that are printed only without the option
     * @param added texts that are printed only with the option
     */
    private record Change(List<String> option, List<String> removed, List<String> added) {
        static Change of(String option) {
            return new Change(List.of(option.split(" ", -1)), List.of(), List.of());
        }

        Change removed(String... lines) {
            return new Change(option, List.of(lines), added);
        }

        Change added(String... lines) {
            return new Change(option, removed, List.of(lines));
        }
    }

    private static final List<Change> CHANGES = List.of(
            Change.of("--zone k8s.example")
                    .removed("web.shop.svc.cluster.local. 5 IN A 10.96.0.10")
                    .added("web.shop.svc.k8s.example. 5 IN A 10.96.0.10"),
            Change.of("--zone cluster.local --zone k8s.example").added("web.shop.svc.k8s.example. 5 IN A 10.96.0.10"),
            Change.of("--reverse-zone 10.96.0.0/16")
                    .removed("6.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-6.db.shop.svc.cluster.local.")
                    .added("96.10.in-addr.arpa. 5 IN NS ns.dns.cluster.local."),
            Change.of("--reverse-zone 244.10.in-addr.arpa")
                    .removed("10.0.96.10.in-addr.arpa. 5 IN PTR web.shop.svc.cluster.local.")
                    .added("244.10.in-addr.arpa. 5 IN NS ns.dns.cluster.local."),
            Change.of("--ttl 30")
                    .removed("web.shop.svc.cluster.local. 5 IN A 10.96.0.10")
                    .added(
                            "web.shop.svc.cluster.local. 30 IN A 10.96.0.10",
                            "cluster.local. 30 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. "
                                    + "1 7200 1800 86400 30"),
            Change.of("--negative-ttl 7")
                    .added("cluster.local. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. "
                            + "1 7200 1800 86400 7"),
            Change.of("--pods disabled").removed("10-244-0-5.shop.pod.cluster.local. 5 IN A 10.244.0.5"),
            Change.of("--pods insecure").removed("10-244-0-5.shop.pod.cluster.local. 5 IN A 10.244.0.5"),
            Change.of("--endpoint-names pod")
                    .removed("6.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-6.db.shop.svc.cluster.local.")
                    .added(
                            "db-spare.db.shop.svc.cluster.local. 5 IN A 10.244.0.6",
                            "6.0.244.10.in-addr.arpa. 5 IN PTR db-spare.db.shop.svc.cluster.local."),
            Change.of("--ptr headless-only")
                    .removed("7.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-7.api.lab.svc.cluster.local."),
            Change.of("--ptr hostname-only")
                    .removed("6.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-6.db.shop.svc.cluster.local."),
            Change.of("--ptr one").removed("5.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-5.api.lab.svc.cluster.local."),
            Change.of("--srv-port service")
                    .removed("_postgres._tcp.db.shop.svc.cluster.local. 5 IN SRV 0 50 15432 "
                            + "db-0.db.shop.svc.cluster.local.")
                    .added("_postgres._tcp.db.shop.svc.cluster.local. 5 IN SRV 0 50 5432 "
                            + "db-0.db.shop.svc.cluster.local."),
            Change.of("--no-bare-srv")
                    .removed("web.shop.svc.cluster.local. 5 IN SRV 0 100 80 web.shop.svc.cluster.local."),
            Change.of("--namespace lab").removed("web.shop.svc.cluster.local. 5 IN A 10.96.0.10"),
            Change.of("-n lab").removed("web.shop.svc.cluster.local. 5 IN A 10.96.0.10"),
            Change.of("--selector app=web").removed("api.lab.svc.cluster.local. 5 IN A 10.96.0.11"),
            Change.of("-l app=web").removed("api.lab.svc.cluster.local. 5 IN A 10.96.0.11"),
            Change.of("--namespace lab --namespace shop").removed("stray.default.svc.cluster.local. 5 IN A 10.96.0.12"),
            Change.of("--labels app=web")
                    .removed(
                            "api.lab.svc.cluster.local. 5 IN A 10.96.0.11",
                            "10-244-0-5.shop.pod.cluster.local. 5 IN A 10.244.0.5"),
            Change.of("--namespace-labels team=sales").removed("api.lab.svc.cluster.local. 5 IN A 10.96.0.11"),
            Change.of("--ignore-empty-services")
                    .removed(
                            "web.shop.svc.cluster.local. 5 IN A 10.96.0.10",
                            "10.0.96.10.in-addr.arpa. 5 IN PTR web.shop.svc.cluster.local."),
            Change.of("--no-endpoints")
                    .removed(
                            "db.shop.svc.cluster.local. 5 IN A 10.244.0.5",
                            "7.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-7.api.lab.svc.cluster.local."),
            Change.of("--ns-address 192.0.2.53 --ns-address 2001:db8::53")
                    .removed("ns.dns.cluster.local. 5 IN A 127.0.0.1 ; invented address")
                    .added("ns.dns.cluster.local. 5 IN A 192.0.2.53", "ns.dns.cluster.local. 5 IN AAAA 2001:db8::53"),
            Change.of("--default-namespace lab")
                    .removed("stray.default.svc.cluster.local. 5 IN A 10.96.0.12")
                    .added("stray.lab.svc.cluster.local. 5 IN A 10.96.0.12"));

    @TestFactory
    Stream<DynamicTest> everyOptionOfRecordsActs() {
        Set<String> before = new LinkedHashSet<>(records());
        return CHANGES.stream()
                .map(change -> dynamicTest(String.join(" ", change.option()), () -> {
                    List<String> after = records(change.option().toArray(String[]::new));
                    assertThat(before).containsAll(change.removed()).noneMatch(change.added()::contains);
                    assertThat(after).containsAll(change.added()).noneMatch(change.removed()::contains);
                    assertThat(change.removed().size() + change.added().size()).isPositive();
                }));
    }

    private static List<String> records(String... options) {
        Run run = Run.of(Stream.concat(Stream.of("records", CLUSTER), Arrays.stream(options))
                .toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return run.lines();
    }

    @Test
    void readinessIsAssumedByNameOrForAllPods() {
        String name = "db-0.db.shop.svc.cluster.local. 5 IN A ";
        assertThat(readinessOf()).anyMatch(line -> line.startsWith(name));
        assertThat(readinessOf("--ready", "none")).noneMatch(line -> line.startsWith(name));
        assertThat(readinessOf("--ready", "none", "--ready", "db=true")).anyMatch(line -> line.startsWith(name));
        assertThat(readinessOf("--ready", "shop/db-0=false")).noneMatch(line -> line.startsWith(name));
        assertThat(Run.of("records", Run.BOOKSTORE, "--ready", "db=false", "--ready", "typo=false", "--strict")
                        .err())
                .contains("Pod typo: the assumed readiness has no effect");
        for (String wrong : List.of("db", "db=yes", "=true", "")) {
            assertThat(Run.of("records", Run.BOOKSTORE, "--ready", wrong).err())
                    .contains("--ready: not all, none, NAME=true or NAME=false: " + wrong);
        }
        assertThat(Run.of("records", Run.BOOKSTORE, "--ready", "all", "--ready", "none")
                        .err())
                .contains("--ready: all and none exclude each other");
    }

    private static List<String> readinessOf(String... options) {
        Run run = Run.of(Stream.concat(Stream.of("records", Run.BOOKSTORE), Arrays.stream(options))
                .toArray(String[]::new));
        assertThat(run.code()).as(run.err()).isZero();
        return run.lines();
    }

    @Test
    void serviceAndPodCidrsDefineTheAddressesThatManifestsOmit() {
        assertThat(records()).anyMatch(line -> line.startsWith("new.lab.svc.cluster.local. 5 IN A 10."));
        assertThat(records("--service-cidr", "192.0.2.0/24"))
                .anyMatch(line -> line.startsWith("new.lab.svc.cluster.local. 5 IN A 192.0.2."));
        assertThat(records("--service-cidr", "2001:db8::/112"))
                .anyMatch(line -> line.startsWith("new.lab.svc.cluster.local. 5 IN AAAA 2001:db8::"));
        assertThat(records()).noneMatch(line -> line.contains("203-0-113-"));
        assertThat(records("--pod-cidr", "203.0.113.0/24"))
                .anyMatch(line -> line.matches("203-0-113-\\d+\\.lab\\.pod\\.cluster\\.local\\. 5 IN A 203\\..*"));
    }

    @Test
    void asIsCompletesNothing() {
        assertThat(records("--as-is"))
                .noneMatch(line -> line.startsWith("new.lab."))
                .contains("api.lab.svc.cluster.local. 5 IN A 10.96.0.11");
    }

    @Test
    void strictMakesAWarningAnError() {
        Run lenient = Run.of("records", BROKEN);
        assertThat(lenient.code()).isZero();
        assertThat(lenient.err()).contains("broken.yaml:7").contains("Service shop/broken");
        assertThat(lenient.out()).contains("sound.shop.svc.cluster.local. 5 IN A 10.96.0.13");
        Run strict = Run.of("records", "--strict", BROKEN);
        assertThat(strict.code()).isEqualTo(Main.INVALID);
        assertThat(strict.out()).isEmpty();
        assertThat(strict.err()).contains("broken.yaml:7").contains("--strict: 1 problem");
    }

    @Test
    void aNamespaceThatATemplateDoesNotKeepIsNotedForEveryName(@TempDir Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("template.yaml"), """
                apiVersion: template.openshift.io/v1
                kind: Template
                metadata: {name: shop}
                objects:
                - {apiVersion: v1, kind: Service, metadata: {name: web, namespace: prod}, spec: {ports: [{port: 80}]}}
                """);
        assertThat(Run.of("query", "-f", file.toString(), "web.prod").err())
                .contains("note: " + file + ":5: Template shop, objects: oc process removes a metadata.namespace");
    }

    @Test
    void theProblemsOfStrictMarkInventedAddresses() {
        // So long that names of endpoints do not fit below it.
        String zone = String.join(".", "a".repeat(63), "b".repeat(63), "c".repeat(63), "d".repeat(38));
        assertThat(Run.of("records", "--strict", "--zone", zone, Run.BOOKSTORE).err())
                .containsPattern(
                        "more than 255 bytes there: 10-244-\\d+-\\d+\\.catalog\\.shop\\.svc \\(invented address\\)");
    }

    @Test
    void verbosePrintsEveryNote() {
        assertThat(Run.of("records", SIX_NEW).err()).contains("--verbose prints all");
        assertThat(Run.of("records", "--verbose", SIX_NEW).err())
                .contains(IntStream.rangeClosed(1, 6)
                        .mapToObj(i -> "Service default/new-" + i)
                        .toList())
                .doesNotContain("--verbose prints all");
    }

    @Test
    void insecurePodNamesAreAnsweredForAnyAddressAndWarnedOf() throws Exception {
        assertThat(Run.of("query", "-f", CLUSTER, "--short", "192-0-2-1.shop.pod.cluster.local")
                        .out())
                .isEmpty();
        assertThat(Run.of("query", "-f", CLUSTER, "--short", "--pods", "insecure", "192-0-2-1.shop.pod.cluster.local")
                        .lines())
                .containsExactly("192.0.2.1");
        try (RunningServer server = RunningServer.atFreePort(List.of("--pods", "insecure"), CLUSTER)) {
            assertThat(server.err().lines().filter(line -> line.contains("--pods insecure")))
                    .hasSize(1);
        }
    }

    @Test
    void orderOfServeIsRotatedStableOrShuffled() throws Exception {
        assertThat(firstAddresses("rotate")).hasSize(2);
        assertThat(firstAddresses("stable")).containsExactly("10.244.0.5");
        assertThat(firstAddresses("shuffle")).hasSize(2);
    }

    /** Returns the first addresses of a hundred answers with consecutive ids. */
    private static Set<String> firstAddresses(String order) throws Exception {
        Set<String> first = new TreeSet<>();
        try (RunningServer server = RunningServer.atFreePort(List.of("--order", order), CLUSTER);
                TestClient client = server.client()) {
            for (int id = 0; id < 100; id++) {
                Message response = client.ask(Name.fromString("db.shop.svc.cluster.local."), Type.A, Transport.UDP, id);
                first.add(response.getSection(Section.ANSWER).get(0).rdataToString());
            }
        }
        return first;
    }

    /** Fails for a new option without a test. */
    @Test
    void everySharedOptionIsInTheTableOrHasATestOfItsOwn() {
        Set<String> tested = CHANGES.stream()
                .flatMap(change -> change.option().stream())
                .filter(word -> word.startsWith("--"))
                .collect(Collectors.toCollection(TreeSet::new));
        tested.addAll(List.of(
                "--service-cidr", "--pod-cidr", "--ready", "--as-is", "--strict", "--render", "--verbose", "--order"));
        tested.add("--release");
        tested.addAll(List.of("--only-zone", "--serial", "--json", "--help", "--version"));
        tested.addAll(List.of("--filename", "--output", "--all-namespaces", "--debug", "--log-level", "--log-format"));
        tested.addAll(List.of("--quiet", "--recursive"));
        tested.addAll(List.of("--kubeconfig", "--context", "--in-cluster", "--startup-timeout", "--live"));
        Set<String> declared = command("records").options().stream()
                .flatMap(option -> Arrays.stream(option.names()))
                .filter(name -> name.startsWith("--"))
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(tested).isEqualTo(declared);
    }

    /** Without all objects a command has no answer; a server answers the names that it knows later. */
    @Test
    void commandsWaitLongerForACluster() {
        for (String name : List.of("records", "query", "queries", "explain", "diff", "verify")) {
            assertThat(startupTimeout(name)).as(name).isEqualTo("60");
        }
        assertThat(startupTimeout("serve")).isEqualTo("5");
    }

    private static String startupTimeout(String name) {
        return requireNonNull(command(name).findOption("--startup-timeout")).defaultValue();
    }

    /** The options of live clusters, which are tested by LiveClusterTest. */
    private static final List<String> LIVE =
            List.of("--live", "--kubeconfig", "--context", "--in-cluster", "--startup-timeout", "--stale-limit");

    @Test
    void allCommandsOfAClusterShareTheOptions() {
        Set<String> own = new TreeSet<>(List.of(
                "--listen", "--only-zone", "--serial", "--json", "--output", "--short", "--server", "--as-applied"));
        own.addAll(List.of("--config", "--concurrency", "--peer"));
        own.addAll(List.of("--resolv-conf", "--dialect", "--family", "--env", "--answer", "--advise", "--batch"));
        own.addAll(List.of("--udp", "--udp-threads", "--metrics", "--watch", "--explain-errors"));
        own.addAll(List.of(
                "--forward", "--stub-domain", "--fallthrough", "--kube-dns-config", "--resolv-conf", "--cache-size"));
        own.addAll(List.of("--forward-policy", "--cache-max-ttl", "--cache-max-negative-ttl"));
        own.addAll(List.of("--serve-stale", "--serve-stale-mode", "--prefetch"));
        own.addAll(List.of("--autopath", "--autopath-suffix", "--autopath-host-search", "--autopath-trust"));
        own.addAll(List.of("--autopath-search-file", "--from", "--from-env", "--fail-on"));
        own.addAll(List.of("--search-paths-option", "--reverse", "--type"));
        own.addAll(List.of("--cluster-name", "--federation-zone", "--source-cluster-option", "--federation-peer"));
        own.addAll(List.of("--federation-fallback", "--stubzone-api", "--stubzone-tls-cert", "--stubzone-tls-key"));
        own.addAll(List.of("--stubzone-tls-client-ca", "--stubzone-allow-client", "--stubzone-store"));
        own.addAll(LIVE);
        List<Set<String>> shared = Main.commandLine().getSubcommands().values().stream()
                .filter(command -> !Set.of(
                                "resolvconf",
                                "from-corefile",
                                "node-cache",
                                "federated-dns",
                                "federation-controller",
                                "federation",
                                "completion",
                                "version",
                                "help")
                        .contains(command.getCommandName()))
                .map(command -> command.getCommandSpec().options().stream()
                        .map(OptionSpec::longestName)
                        .filter(name -> !own.contains(name))
                        .collect(Collectors.toSet()))
                .toList();
        assertThat(shared).hasSize(7).allMatch(shared.get(0)::equals);
    }

    @TestFactory
    Stream<DynamicTest> invalidOptionsAreUsageErrorsInOneLine() {
        return Stream.of(
                        "records",
                        "records --frobnicate FILE",
                        "records --ttl five FILE",
                        "records --ttl -1 FILE",
                        "records --ttl 2147483648 FILE",
                        "records --ttl 5 --ttl 6 FILE",
                        "records --negative-ttl -1 FILE",
                        "records --zone a..b FILE",
                        "records --zone . FILE",
                        "records --zone k8s --zone dns.k8s FILE",
                        "records --zone 10.in-addr.arpa FILE",
                        "records --reverse-zone 10.96.0.1/12 FILE",
                        "records --reverse-zone 10.96.0.0/33 FILE",
                        "records --reverse-zone example.org FILE",
                        "records --pods some FILE",
                        "records --pods VERIFIED FILE",
                        "records --endpoint-names short FILE",
                        "records --ptr few FILE",
                        "records --srv-port any FILE",
                        "records --order backwards FILE",
                        "records --labels a=b=c FILE",
                        "records --namespace-labels in(a) FILE",
                        "records --namespace No_Namespace FILE",
                        "records --namespace= FILE",
                        "records --namespace-labels= FILE",
                        "records --labels= FILE",
                        "records --default-namespace No_Namespace FILE",
                        "records --ns-address localhost FILE",
                        "records --service-cidr 10.96.0.0/28 FILE",
                        "records --service-cidr 10.96.0.0 FILE",
                        "records --service-cidr 10.96.0.0/16 --service-cidr 10.97.0.0/16 FILE",
                        "records --pod-cidr 10.244.0.0/30 FILE",
                        "records --no-endpoints --ignore-empty-services FILE",
                        "records --namespace shop --namespace-labels team=sales FILE",
                        "records -A -n shop -f FILE",
                        "records -A --namespace-labels team=sales -f FILE",
                        "records -o wide FILE",
                        "records -o junit FILE",
                        "records -o yaml --json FILE",
                        "records --log-level loud FILE",
                        "records --log-format xml FILE",
                        "records --live FILE",
                        "records --live --in-cluster",
                        "records --context staging",
                        "records --only-zone example.org FILE",
                        "records --serial -1 FILE",
                        "records --serial 4294967296 FILE",
                        "records --listen 127.0.0.1:0 FILE",
                        "records ",
                        "records /no/such/file.yaml",
                        "records @FILE",
                        "serve",
                        "serve --listen 127.0.0.1 FILE",
                        "serve --listen 127.0.0.1:65536 FILE",
                        "serve --listen ::1:53 FILE",
                        "serve --listen 127.0.0.1:1054 --listen 127.0.0.1:1054 FILE",
                        "serve --no-endpoints --ignore-empty-services FILE",
                        "serve --json FILE",
                        "query cart.shop.svc.cluster.local",
                        "query -f FILE",
                        "query -f FILE a..b",
                        "query -f FILE --short --json name.",
                        "query -f FILE --short -o yaml name.",
                        "query -f FILE ",
                        "query -f FILE name. NOTYPE",
                        "query -f FILE name. A more",
                        "verify FILE",
                        "verify --server ::1 FILE",
                        "verify --server 127.0.0.1:53 --as-is --as-applied FILE",
                        "verify --server 127.0.0.1:53",
                        "verify --server 127.0.0.1:53 --concurrency 0 FILE",
                        "verify --server 127.0.0.1:53 --concurrency 1025 FILE",
                        "verify --server 127.0.0.1:53 --peer bind FILE",
                        "verify --live --as-applied",
                        "resolvconf",
                        "resolvconf --pod",
                        "resolvconf FILE",
                        "resolvconf --pod FILE --limits none",
                        "resolvconf --pod FILE --os plan9",
                        "resolvconf --pod FILE --style docker",
                        "resolvconf --pod FILE --cluster-dns localhost",
                        "resolvconf --pod FILE --node-ip 10.0.0.0/8",
                        "resolvconf --pod FILE --cluster-domain a\tb",
                        "resolvconf --pod FILE --as-dns-config --json",
                        "resolvconf --pod FILE --zone example.org",
                        "resolvconf --pod - --host-resolv-conf -",
                        "resolvconf --pod /no/such/file.yaml",
                        "resolvconf --batch FILE --pod FILE",
                        "resolvconf --batch FILE --advice",
                        "resolvconf --batch FILE -o yaml",
                        "resolvconf --pod FILE -o name",
                        "resolvconf --pod FILE --as-dns-config -o yaml",
                        "resolvconf --batch /no/such/file.jsonl",
                        "queries",
                        "queries db",
                        "queries --resolv-conf FILE",
                        "queries --resolv-conf FILE --dialect bionic db",
                        "queries --resolv-conf FILE --family 5 db",
                        "queries --resolv-conf FILE --env A db",
                        "queries --resolv-conf FILE --answer db=MAYBE db",
                        "queries --resolv-conf FILE --answer db|TXT=A db",
                        "queries --resolv-conf FILE --zone cluster.local db",
                        "queries --resolv-conf FILE -f FILE --ttl five db",
                        "queries --resolv-conf - -f - db",
                        "queries --resolv-conf FILE --advise FILE --family 4",
                        "queries --resolv-conf - --advise -",
                        "queries --resolv-conf /no/such/file db",
                        "queries --resolv-conf FILE --advise /no/such/file",
                        "queries --resolv-conf FILE -f /no/such/file db",
                        "queries --batch FILE db",
                        "queries --batch FILE --dialect go",
                        "queries --batch FILE -o yaml",
                        "queries --resolv-conf FILE -o wide db",
                        "queries --resolv-conf FILE --live -f FILE db",
                        "queries --batch /no/such/file",
                        "from-corefile",
                        "from-corefile FILE more",
                        "from-corefile --zone cluster.local FILE",
                        "from-corefile - --resolv-conf -",
                        "from-corefile /no/such/file",
                        "node-cache",
                        "node-cache --listen 127.0.0.1:0",
                        "node-cache --zone-upstream .=192.0.2.53",
                        "node-cache --listen 127.0.0.1 --zone-upstream .=192.0.2.53",
                        "node-cache --listen 127.0.0.1:1 --listen 127.0.0.1:1 --zone-upstream .=192.0.2.53",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream cluster.local",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --zone-upstream .=192.0.2.54",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --cluster-domain .",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --cache-size -1",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --autopath-fallback some",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --autopath-suffix local",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --autopath-suffix ap.arpa",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --autopath-host-search a..b",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --search-paths-option 65536",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --search-paths-option 15",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream federation=192.0.2.53 --cluster-name foo"
                                + " --source-cluster-option 3",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --search-paths-form short",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 --kubeconfig /no/such/file",
                        "node-cache --listen 127.0.0.1:0 --zone-upstream .=192.0.2.53 FILE",
                        "federation-controller",
                        "federation-controller --federation prod --once",
                        "federation-controller --cluster foo=. --once",
                        "federation-controller --federation a.b --cluster foo=. --once",
                        "federation-controller --federation prod --cluster foo=.",
                        "federation-controller --federation prod --cluster foo --once",
                        "federation-controller --federation prod --cluster Foo=. --once",
                        "federation-controller --federation prod --cluster foo=/no/such/file --once",
                        "federation-controller --federation prod --cluster foo=FILE --once",
                        "federation-controller --federation prod --cluster foo=. --cluster foo=. --once",
                        "federation-controller --federation prod --cluster foo=. --once --services cart",
                        "federation-controller --federation prod --cluster foo=. --once --services a/b --selector c=d",
                        "federation-controller --federation prod --cluster foo=. --once --create-shards /no/such/file",
                        "federation-controller --federation prod --cluster foo=. --once --create-shards FILE",
                        "federation-controller --federation prod --cluster foo=. --once --lease-namespace a.b",
                        "federation-controller --federation prod --cluster foo=. --once --interval 0",
                        "federation-controller --federation prod --cluster foo=. --once --store file",
                        "federation-controller --federation prod --cluster foo=. --once --store etcd",
                        "federation-controller --federation prod --cluster foo=. --once --etcd http://127.0.0.1",
                        "federation-controller --federation prod --cluster foo=. --once --shards FILE",
                        "federation-controller --federation prod --cluster foo=. --once --stubzone-nameserver 192.0.2.1",
                        "federation-controller --federation prod --cluster foo=. --once --stubzone-tls-cert FILE",
                        "federation-controller --federation prod --cluster foo=. --once --stubzone-endpoint foo=https://a",
                        "federation-controller --federation prod --cluster foo=. --once --stubzone-endpoint bar=https://a"
                                + " --stubzone-nameserver 192.0.2.1 --stubzone-tls-cert FILE --stubzone-tls-key FILE"
                                + " --stubzone-tls-ca FILE",
                        "federation-controller --federation prod --cluster foo=. --once --stubzone-endpoint foo=https://a"
                                + " --stubzone-nameserver ns --stubzone-tls-cert FILE --stubzone-tls-key FILE"
                                + " --stubzone-tls-ca FILE",
                        "federation-controller --federation prod --cluster foo=. --once --levels global",
                        "federation-controller --federation prod --cluster foo=. --once --external-ttl 60",
                        "federation-controller --federation prod --cluster foo=. --once --rfc2136 127.0.0.1:53",
                        "federation-controller --federation prod --cluster foo=. --once --rfc2136-zone example.org",
                        "federation-controller --federation prod --cluster foo=. --once --tsig-key-file FILE",
                        "federation-controller --federation prod --cluster foo=. --once --owner a",
                        "federation-controller --federation prod --cluster foo=. --once --rfc2136-journal FILE",
                        "federation-controller --federation prod --cluster foo=. --once --external-suffix example.org",
                        "federation-controller --federation prod --cluster foo=. --once --external-suffix a..b",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.com --tsig-key-file FILE --owner a",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.org --tsig-key-file FILE --owner a --levels country",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.org --tsig-key-file FILE --owner a --external-ttl -1",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.org --tsig-key-file FILE --owner a,b",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:0 --rfc2136-zone example.org --tsig-key-file FILE --owner a",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.org --tsig-key-file FILE --owner a",
                        "federation-controller --federation prod --cluster foo=. --once"
                                + " --external-suffix example.org --rfc2136 127.0.0.1:53 --rfc2136-zone example.org --tsig-key-file /no/such/file --owner a",
                        "federation",
                        "federation --federation prod",
                        "federation --cluster foo=.",
                        "federation --federation prod --cluster foo=. --once",
                        "federation --federation prod --cluster foo=. --store etcd",
                        "federation --federation prod --cluster foo=. --shards FILE --listen 127.0.0.1:0",
                        "federation --federation prod --cluster foo=. --clusters FILE --listen 127.0.0.1:0",
                        "federation --federation prod --cluster foo=. --owner a",
                        "federation --federation prod --cluster foo=. --startup-timeout -1",
                        "federation-controller --federation prod --cluster foo=. --once --shards -",
                        "federated-dns FILE",
                        "federated-dns --store etcd",
                        "federated-dns --etcd http://127.0.0.1",
                        "federated-dns --etcd-ca FILE",
                        "federated-dns --etcd-user root",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --shards FILE",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --etcd-ca FILE",
                        "federated-dns --store etcd --etcd https://127.0.0.1,http://127.0.0.2 --etcd-ca FILE",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --etcd-cert FILE --etcd-key FILE",
                        "federated-dns --store etcd --etcd https://127.0.0.1 --etcd-ca FILE --etcd-cert FILE",
                        "federated-dns --store etcd --etcd https://127.0.0.1 --etcd-ca FILE --etcd-key FILE",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --etcd-user root",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --etcd-password-file FILE",
                        "federated-dns --store etcd --etcd http://127.0.0.1,ftp://127.0.0.1 --listen 127.0.0.1:0",
                        "federated-dns --store etcd --etcd http://127.0.0.1:x:y --listen 127.0.0.1:0",
                        "federated-dns --store etcd --etcd http://127.0.0.1, --listen 127.0.0.1:0",
                        "federated-dns --store etcd --etcd http://127.0.0.1 --etcd-user root --etcd-password-file /no/such/file "
                                + "--listen 127.0.0.1:0",
                        "federated-dns --store file",
                        "federated-dns --shards /no/such/file --listen 127.0.0.1:0",
                        "federated-dns --clusters /no/such/file --listen 127.0.0.1:0",
                        "federated-dns --shards FILE --listen 127.0.0.1:0",
                        "federated-dns --clusters FILE --listen 127.0.0.1:0",
                        "federated-dns --shards -",
                        "federated-dns --clusters -",
                        "federated-dns --zone .",
                        "federated-dns --ttl -1",
                        "federated-dns --ttl 2147483648",
                        "federated-dns --order backwards",
                        "federated-dns --source-cluster-option 0",
                        "federated-dns --source-cluster-option 65536",
                        "federated-dns --listen 127.0.0.1:0 --source-cluster-option 8",
                        "federated-dns --ns-address localhost",
                        "federated-dns --upstream tls://",
                        "federated-dns --listen 127.0.0.1",
                        "federated-dns --listen 127.0.0.1:1 --listen 127.0.0.1:1",
                        "serve --config /no/such/file",
                        "completion",
                        "completion tcsh",
                        "help frobnicate",
                        "version more",
                        "records -w FILE",
                        "version -o name",
                        "version -o json --json -o yaml",
                        "diff",
                        "diff FILE",
                        "diff FILE FILE -f FILE",
                        "diff FILE FILE FILE",
                        "verify --server 127.0.0.1 -p 53 FILE",
                        "serve -p 53 FILE",
                        "frobnicate")
                .map(text -> dynamicTest("k8sdns " + text, () -> {
                    String[] arguments = text.replace("FILE", CLUSTER).split(" ", -1);
                    Run run = Run.of(arguments);
                    assertAll(
                            () -> assertThat(run.code()).isEqualTo(Main.INVALID),
                            () -> assertThat(run.out()).isEmpty(),
                            () -> assertThat(run.err().lines().filter(line -> line.startsWith("k8sdns")))
                                    .as(run.err())
                                    .hasSize(1),
                            () -> assertThat(run.err()).doesNotContain("Exception", "\tat "));
                }));
    }

    @Test
    void misspelledWordsAreCorrected() {
        assertThat(Run.of("records", "--ptrs", CLUSTER).err()).contains("'--ptrs', did you mean --ptr? (see");
        assertThat(Run.of("records", "--srv-prot=slice", CLUSTER).err()).contains(", did you mean --srv-port? (see");
        assertThat(Run.of("record", CLUSTER).err()).contains("no command 'record', did you mean records? (see");
        assertThat(Run.of("records", "--as", "me", CLUSTER).err())
                .as("kubectl's option for another user")
                .contains("Unknown option: '--as' (see");
    }

    @Test
    void optionsOfOtherCommandsAreThoseOfOtherCommands() {
        assertThat(Run.of("queries", "--from", "shop").err())
                .contains("; only k8sdns explain and resolvconf have --from (see");
        assertThat(Run.of("resolvconf", "--zone=k8s.example").err())
                .contains("; only k8sdns serve, records, query, explain, diff, verify, queries")
                .contains(" have --zone (see");
        assertThat(Run.of("version", "-A").err()).contains(" have -A (see");
        assertThat(Run.of("--live").err()).contains("; only k8sdns serve, ").contains(" have --live (see");
    }

    @Test
    void optionsOfOtherProgramsAreExplained() {
        assertThat(Run.of("records", "-w", CLUSTER).err()).contains("'-w'; only k8sdns serve watches manifests (see");
        for (String option : List.of("-v=6", "--v=6")) {
            assertThat(Run.of("records", option, CLUSTER).err())
                    .contains("'" + option + "'; use --log-level debug, or --verbose where manifests are read (see");
        }
        assertThat(Run.of("records", "--dry-run=client", CLUSTER).err())
                .contains("'--dry-run=client'; k8sdns records changes no objects (see");
        assertThat(Run.of("serve", "-p", "53", CLUSTER).err())
                .contains("'-p'; the port is a part of --listen HOST:PORT (see");
        assertThat(Run.of("verify", "-p", "53", CLUSTER).err())
                .contains("'-p'; the port is a part of --server HOST:PORT (see");
        assertThat(Run.of("serve", "--port=53", CLUSTER).err())
                .contains("'--port=53'; the port is a part of --listen HOST:PORT (see");
        for (String command : List.of("serve", "records", "query", "explain", "diff", "queries", "verify")) {
            for (List<String> option : List.of(List.of("-k", "deploy"), List.of("--kustomize=deploy", "web.shop"))) {
                assertThat(Run.of(List.of(command), option.toArray(String[]::new))
                                .err())
                        .contains("'" + option.get(0) + "'; -f DIR applies the namespace and the names of a "
                                + "kustomization; for all its fields use --render -f DIR (see");
            }
        }
        for (String option : List.of("--live", "--context")) {
            assertThat(Run.of("diff", option, "-f", CLUSTER).err())
                    .contains("'" + option + "'; a live cluster is A or B: live, or live:CONTEXT (see");
        }
        assertThat(Run.of("diff", "--exit-code", CLUSTER, CLUSTER).err())
                .contains("'--exit-code'; use --fail-on change,appear to exit with 1 if anything differs (see");
        assertThat(Run.of("resolvconf", "-k", "deploy").err())
                .contains("; for all its fields use --render -f DIR (see");
        assertThat(Run.of("resolvconf", "--live").err())
                .contains(
                        "'--live'; resolvconf reads no cluster; for a Pod of one, use kubectl get pod POD -o yaml | k8sdns resolvconf -f - (see");
        assertThat(Run.of("resolvconf", "-n", "shop").err()).contains("; --from NS/POD chooses a Pod of the manifests");
        assertThat(Run.of("federated-dns", "-k", "deploy").err()).doesNotContain("kustomization");
        assertThat(Run.of("-k", "deploy").err())
                .contains(
                        "; -f DIR applies the namespace and the names of a kustomization; for all its fields use --render -f DIR (see");
        // Without -f, too.
        for (List<String> words : List.of(List.of("@127.0.0.1:1053", "cart"), List.of("cart", "@127.0.0.1"))) {
            assertThat(Run.of(List.of("query"), words.toArray(String[]::new)).err())
                    .contains("; query asks no server, it answers from manifests or a live cluster; ");
        }
        for (String command : List.of("records", "serve", "verify", "query cart", "explain cart", "resolvconf")) {
            assertThat(Run.of(command.split(" ", -1)).err())
                    .contains("missing: -f MANIFEST")
                    .contains("; -f - reads standard input (see");
        }
        assertThat(Run.of("records", "-n", "a,b", CLUSTER).err())
                .contains("--namespace: not the name of a namespace: 'a,b'; for several write -n a -n b (see");
    }

    @Test
    void theHelpOfOptionsForOwnAddressesHasTheShortForm() {
        List<OptionSpec> options = Main.subcommands().stream()
                .flatMap(command -> Main.subcommand(command).options().stream())
                .filter(option -> List.of(option.converters()).contains(ListenAddresses.CONVERTER))
                .toList();
        assertThat(options).extracting(OptionSpec::longestName).contains("--listen", "--metrics", "--stubzone-api");
        assertThat(options)
                .allSatisfy(option ->
                        assertThat(String.join(" ", option.description())).contains(":PORT for all addresses"));
    }

    @Test
    void helpMayStandBeforeTheCommand() {
        for (String command : List.of("records", "query")) {
            Run before = Run.of("-h", command);
            assertThat(before.code()).isZero();
            assertThat(before.out())
                    .startsWith("Usage: k8sdns " + command + " ")
                    .isEqualTo(Run.of(command, "-h").out());
        }
    }

    @Test
    void hintsAboutStandardInputCanBeParsed() {
        for (String command :
                List.of("serve", "records", "query", "explain", "diff", "queries", "verify", "resolvconf")) {
            String hint = command + UsageHints.standardInput(command).replace("HOST:PORT", "127.0.0.1:53");
            String[] arguments = hint.split(" ", -1);
            assertThatCode(() -> Main.commandLine(arguments).parseArgs(arguments))
                    .as(hint)
                    .doesNotThrowAnyException();
        }
    }

    @Test
    void commandsOfKubectlAreExplained() {
        for (List<String> words : List.of(List.of("get", "svc"), List.of("get", "services", "-n", "shop"))) {
            Run run = Run.of(words);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err()).contains("; k8sdns records --live prints the records of the cluster's objects (see");
        }
        for (String word : List.of("dig", "lookup", "resolve")) {
            assertThat(Run.of(word, "cart").err()).startsWith("k8sdns: no command '" + word + "'; k8sdns query ");
        }
        for (String word : List.of("lint", "validate")) {
            assertThat(Run.of(word, ".").err())
                    .startsWith("k8sdns: no command '" + word + "'; k8sdns records --strict ");
        }
        assertThat(Run.of("template", ".").err())
                .startsWith("k8sdns: no command 'template'; use helm template CHART | k8sdns records -f -");
        assertThat(Run.of("get", "svc").err()).startsWith("k8sdns: no command 'get'; k8sdns records --live ");
        assertThat(Run.of("get", "-f", CLUSTER).err()).contains("'get'; k8sdns records -f MANIFEST prints ");
        assertThat(Run.of("describe", "svc", "cart").err()).contains("; k8sdns explain --live NAME ");
        assertThat(Run.of("describe", "--filename=" + CLUSTER).err()).contains("; k8sdns explain -f MANIFEST NAME ");
        assertThat(Run.of("apply", "-f", CLUSTER).err()).contains("; k8sdns serve -f MANIFEST ");
        assertThat(Run.of("kustomize", "deploy").err()).contains("; k8sdns records --render -f DIR ");
        assertThat(Run.of("delete", "svc", "cart").err()).contains("'delete'; k8sdns changes no objects (see");
        assertThat(Run.of("logs", "web-0").err()).contains("; use kubectl logs (see");
    }

    @Test
    void manifestsAreNotDownloaded() {
        String url = "https://example.com/a.yaml?x=1&y=2";
        List<List<String>> commands = List.of(
                List.of("records", "-f", url),
                List.of("records", url),
                List.of("query", "-f", url, "web.shop"),
                List.of("serve", "-w", "-f", url),
                List.of("resolvconf", "--pod", url));
        for (List<String> command : commands) {
            Run run = Run.of(command);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .contains("manifests are not downloaded; use curl -fsSL '" + url + "' | k8sdns " + command.get(0)
                            + " -f -");
        }
    }

    @Test
    void onlyTheNamedSubcommandIsCreated() {
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            assertThat(command.getCommandName()).isEqualTo(name);
            if (!Set.of("completion", "help").contains(name)) {
                assertThat(Main.commandLine(name, "--help").getSubcommands()).containsOnlyKeys(name);
            }
        });
    }

    @Test
    void helpListsEveryOptionAndTheExitCodes() {
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            Run run = Run.of(name, "--help");
            assertThat(run.code()).isZero();
            List<String> options = command.getCommandSpec().options().stream()
                    .filter(option -> !option.hidden())
                    .map(OptionSpec::longestName)
                    .toList();
            assertThat(run.out()).contains(options).contains("Exit codes:", "Examples:");
            assertThat(run.out().lines()).allMatch(line -> line.length() <= 100);
            assertThat(command.getCommandSpec().args()).allMatch(OptionsTest::isDescribed);
        });
    }

    @Test
    void helpBreaksLinesOnlyAtBlanks() {
        Set<String> divided = new TreeSet<>();
        Main.commandLine().getSubcommands().forEach((name, command) -> {
            Set<String> printed = words(Run.of(name, "--help").out());
            UsageMessageSpec message = command.getCommandSpec().usageMessage();
            Stream.of(
                            Arrays.stream(message.description()),
                            message.exitCodeList().values().stream(),
                            command.getCommandSpec().args().stream()
                                    .flatMap(argument -> Arrays.stream(argument.description())))
                    .flatMap(texts -> texts)
                    .flatMap(text -> words(text).stream())
                    .filter(word -> !printed.contains(word) && !word.contains("${"))
                    .forEach(word -> divided.add(name + ": " + word));
        });
        Set<String> ofProgram = words(Run.of("--help").out());
        assertThat(Run.of("resolvconf", "--help").out()).contains("the /etc/resolv.conf that");
        assertThat(ofProgram).contains("/etc/resolv.conf");
        assertThat(divided).isEmpty();
    }

    private static Set<String> words(String text) {
        return Arrays.stream(text.split("\\s+", -1)).collect(Collectors.toSet());
    }

    private static CommandSpec command(String name) {
        return requireNonNull(Main.commandLine().getSubcommands().get(name)).getCommandSpec();
    }

    private static boolean isDescribed(ArgSpec argument) {
        return argument.description().length > 0;
    }

    @TestFactory
    Stream<DynamicTest> invalidZoneIsReportedWithItsOptionAndTheReason() {
        List<List<String>> commands = List.of(
                List.of("records", "--zone", "ZONE", CLUSTER),
                List.of("serve", "--listen", "127.0.0.1:0", "--zone", "k8s.example", "--zone", "ZONE", CLUSTER),
                List.of("query", "--zone", "ZONE", "-f", CLUSTER, "web.shop.svc.cluster.local"),
                List.of("verify", "--server", "127.0.0.1:53", "--zone", "ZONE", CLUSTER),
                List.of("queries", "--resolv-conf", CLUSTER, "-f", CLUSTER, "--zone", "ZONE", "web"),
                List.of("resolvconf", "--pod", CLUSTER, "--cluster-domain", "ZONE"));
        return commands.stream()
                .flatMap(command -> Stream.of("cluster local/x", "cluster_local", "-k8s.example", "k8s\\.example", "..")
                        .map(zone -> dynamicTest(command.get(0) + " " + zone, () -> {
                            Run run = Run.of(command.stream()
                                    .map(word -> word.replace("ZONE", zone))
                                    .toArray(String[]::new));
                            assertThat(run.code()).isEqualTo(Main.INVALID);
                            assertThat(run.out()).isEmpty();
                            assertThat(run.err().lines())
                                    .singleElement()
                                    .asString()
                                    .contains(command.contains("--zone") ? "'--zone'" : "--cluster-domain: ", zone)
                                    .containsAnyOf("host name", "a label of 0 bytes");
                        })));
    }

    @Test
    void zoneMayHaveCapitalsAndADotAtTheEnd() {
        assertThat(records("--zone", "K8s-1.Example.")).contains("web.shop.svc.K8s-1.Example. 5 IN A 10.96.0.10");
    }
}
