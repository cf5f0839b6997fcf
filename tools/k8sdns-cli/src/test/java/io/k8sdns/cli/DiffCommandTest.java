package io.k8sdns.cli;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DiffCommandTest {
    private static final String CART = """
            apiVersion: v1
            kind: Service
            metadata: {name: cart, namespace: shop}
            spec: {clusterIP: 10.96.0.20, ports: [{port: 80, name: http}]}
            """;

    private static final String BEFORE = CART + """
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: api, namespace: shop}
            spec: {clusterIP: 10.96.0.21, ports: [{port: 80}]}
            """;

    private static final String AFTER = """
            apiVersion: v1
            kind: Service
            metadata: {name: basket, namespace: shop}
            spec: {clusterIP: 10.96.0.20, ports: [{port: 80, name: http}]}
            ---
            apiVersion: v1
            kind: Service
            metadata: {name: api, namespace: shop}
            spec: {clusterIP: 10.96.0.22, ports: [{port: 80}]}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: shop}
            spec:
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec:
                  containers:
                  - name: web
                    image: web
                    env:
                    - {name: CART_URL, value: "http://cart:80/"}
                    - {name: OTHER, value: api.shop}
            """;

    @TempDir
    private Path folder;

    private String before;
    private String after;

    @BeforeEach
    void write() throws IOException {
        before = write("before.yaml", BEFORE);
        after = write("after.yaml", AFTER);
    }

    private String write(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void namesVanishChangeAndAppearWithTheirUsers() {
        Run run = Run.of("diff", before, after);

        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "vanishes cart.shop.svc.cluster.local.",
                        "  - A 10.96.0.20",
                        "  - SRV port 80 at cart.shop.svc.cluster.local.",
                        "  used by Deployment shop/web, spec.template.spec.containers[0].env[CART_URL] (" + after
                                + ":23): cart",
                        "vanishes _http._tcp.cart.shop.svc.cluster.local.",
                        "  - SRV port 80 at cart.shop.svc.cluster.local.",
                        "vanishes 21.0.96.10.in-addr.arpa.",
                        "  - PTR api.shop.svc.cluster.local.",
                        "changes api.shop.svc.cluster.local.",
                        "  - A 10.96.0.21",
                        "  + A 10.96.0.22",
                        "  used by Deployment shop/web, spec.template.spec.containers[0].env[OTHER] (" + after
                                + ":24): api.shop",
                        "changes 20.0.96.10.in-addr.arpa.",
                        "  - PTR cart.shop.svc.cluster.local.",
                        "  + PTR basket.shop.svc.cluster.local.",
                        "appears basket.shop.svc.cluster.local.",
                        "  + A 10.96.0.20",
                        "  + SRV port 80 at basket.shop.svc.cluster.local.",
                        "appears _http._tcp.basket.shop.svc.cluster.local.",
                        "  + SRV port 80 at basket.shop.svc.cluster.local.",
                        "appears 22.0.96.10.in-addr.arpa.",
                        "  + PTR api.shop.svc.cluster.local.",
                        "3 names vanish, 2 change, 3 appear; not compared: 1 name made of addresses or Pods, because one side has invented ones");
    }

    @Test
    void theSameRecordsFromEachKindOfSourceDoNotDiffer() throws Exception {
        String zone = write("after.txt", Run.of("records", after).out());
        try (RunningServer server = RunningServer.atFreePort(List.of(), after)) {
            for (String other : List.of(after, "-", "zone:" + zone, "@" + server.address())) {
                for (List<String> sides : List.of(List.of(after, other), List.of(other, after))) {
                    Run run = Run.withInput(AFTER, "diff", sides.get(0), sides.get(1));
                    assertThat(run.lines())
                            .as("%s %s", sides, run.err())
                            .containsExactly(
                                    "no differences; not compared: 1 name made of addresses or Pods, because one side has invented ones");
                    assertThat(run.code()).isZero();
                }
            }
            Run run = Run.of("diff", "--fail-on", "vanish", before, "@" + server.address());
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.lines())
                    .contains("vanishes cart.shop.svc.cluster.local.")
                    .endsWith("3 names vanish, 2 change");
        }
    }

    @Test
    void aServiceWhoseTypeHasChangedDoesNotVanishFromAServer() throws Exception {
        String alias = write("alias.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: api, namespace: shop}
                spec: {type: ExternalName, externalName: api.example.com}
                """);
        String address = write("address.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: api, namespace: shop}
                spec: {clusterIP: 10.96.0.21, ports: [{port: 80}]}
                """);

        try (RunningServer server = RunningServer.atFreePort(List.of(), address)) {
            assertThat(Run.of("diff", "--fail-on", "vanish", alias, "@" + server.address()))
                    .satisfies(run -> assertThat(run.lines())
                            .containsExactly(
                                    "changes api.shop.svc.cluster.local.",
                                    "  - CNAME api.example.com.",
                                    "  + A 10.96.0.21",
                                    "  + SRV port 80 at api.shop.svc.cluster.local.",
                                    "1 name changes"))
                    .satisfies(run -> assertThat(run.code()).isZero());
        }
        try (RunningServer server = RunningServer.atFreePort(List.of(), alias)) {
            assertThat(Run.of("diff", "--fail-on", "vanish", address, "@" + server.address())
                            .lines())
                    .containsExactly(
                            "vanishes 21.0.96.10.in-addr.arpa.",
                            "  - PTR api.shop.svc.cluster.local.",
                            "changes api.shop.svc.cluster.local.",
                            "  - A 10.96.0.21",
                            "  - SRV port 80 at api.shop.svc.cluster.local.",
                            "  + CNAME api.example.com.",
                            "1 name vanishes, 1 changes");
        }
    }

    @Test
    void markdownOfManifestsIsInert() throws IOException {
        String config = """
                ---
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: shop}
                data: {"x\\\\|</td> @admin [ok](https://evil) `|host": cart}
                """;
        String users = write("users.yaml", AFTER + config);

        assertThat(Run.of("diff", "-o", "markdown", before, users).out())
                .contains("ConfigMap shop/web")
                .doesNotContain("</td>", "@admin", "[ok]", "`")
                .contains("&#64;admin");
    }

    @Test
    void namesThatAServerRefusesAreNotCompared() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("--zone", "cluster.local"), after)) {
            String records = Run.of("records", after).out();
            String more = write("more.zone", records + "www.example.com. 5 IN A 192.0.2.1\n");
            Run run = Run.of("diff", more, "@" + server.address());
            assertThat(run.lines()).singleElement().asString().startsWith("no differences");
            assertThat(run.err()).contains("answers 1 name with an error: www.example.com. A: REFUSED");
            String outside = write("outside.zone", "www.example.com. 5 IN A 192.0.2.1\n");
            assertThat(Run.of("diff", outside, "@" + server.address()).code()).isEqualTo(Main.NO_RESULT);
        }
    }

    @Test
    void manifestsOfTheOptionAreB() throws IOException {
        List<String> expected = Run.of("diff", before, after).lines();

        assertThat(Run.of("diff", before, "-f", after).lines()).isEqualTo(expected);
        assertThat(Run.of("diff", "--filename", after, before).lines()).isEqualTo(expected);
        assertThat(Run.withInput(AFTER, "diff", before, "-f", "-").lines())
                .isEqualTo(
                        expected.stream().map(line -> line.replace(after, "-")).toList());
        String cart = write("cart.yaml", CART);
        String api = write("api.yaml", BEFORE.substring(CART.length()));
        assertThat(Run.of("diff", before, "-f", cart + "," + api, "-R").lines()).containsExactly("no differences");
    }

    @Test
    void manifestsOfTheOptionAreComparedWithTheLiveCluster() {
        String missing = folder.resolve("missing").toString();

        Run run = Run.of("diff", "--kubeconfig", missing, "-f", after);

        assertThat(run.err()).contains(missing);
        assertThat(run.code()).isEqualTo(Main.INVALID);
    }

    @Test
    void missingAndSuperfluousSourcesAreUsageErrors() {
        assertThat(Run.of("diff").err()).contains("missing: A and B, or -f MANIFEST");
        assertThat(Run.of("diff", before).err()).contains("missing: B, or -f MANIFEST");
        assertThat(Run.of("diff", before, after, "-f", after).err())
                .contains("B is both " + after + " and the manifests of -f");
        assertThat(Run.of("diff", "-", "-f", "-").err()).contains("one input only");
        for (List<String> arguments :
                List.of(List.of("diff"), List.of("diff", before), List.of("diff", before, after, "-f", after))) {
            assertThat(Run.of(arguments).code()).isEqualTo(Main.INVALID);
        }
    }

    @Test
    void filtersThatLeaveNothingOnBothSidesAreNoSuccess() throws IOException {
        String zone =
                write("empty.zone", Run.of("records", "-n", "nosuch", before).out());
        for (List<String> filter : List.of(
                List.of("-n", "shopp"), List.of("-l", "app=nosuch"), List.of("-n", "shop", "-l", "app=nosuch"))) {
            for (String other : List.of(after, zone)) {
                Run run = Run.of(
                        List.of("diff", "-q", "--fail-on", "change", before, other), filter.toArray(String[]::new));
                assertThat(run.code()).as(run.err()).isEqualTo(Main.INVALID);
                assertThat(run.out()).isEmpty();
                assertThat(run.err())
                        .startsWith("k8sdns diff: nothing is compared, because no object of A or B with --");
            }
        }
        assertThat(Run.of("diff", "-n", "shopp", "-l", "app=nosuch", before, after)
                        .err())
                .contains("because no object of A or B with --namespace and --labels has a record");
        assertThat(Run.of("diff", "-n", "shop", before, zone).code()).isZero();
        assertThat(Run.of("diff", write("empty.yaml", ""), write("none.yaml", ""))
                        .lines())
                .containsExactly("no differences");
    }

    @Test
    void twoManifestsOfTheOptionWithoutAClusterAreExplained() throws Exception {
        Program.Result run = Program.run(
                folder,
                Map.of("KUBECONFIG", folder.resolve("missing").toString()),
                Program.ofMain(List.of("diff"), "-f", before, "-f", after));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .contains("; to compare two manifests with each other, write " + before + " " + after
                        + " without -f (see");
    }

    @Test
    void notesNameTheirSideAndBothSidesCountWhatAFilterHides() throws IOException {
        String broken = write("broken.yaml", AFTER + "---\na: b: c\n");

        Run run = Run.of("diff", "-n", "lab", before, broken);

        assertThat(run.err().lines())
                .contains(
                        "note: A: 2 of 2 Services are hidden by --namespace",
                        "note: B: 2 of 2 Services and 1 of 1 Pod are hidden by --namespace")
                .anyMatch(line -> line.startsWith("A: read 1 file: "))
                .anyMatch(line -> line.startsWith("B: read 1 file: "))
                .anyMatch(line -> line.startsWith("warning: B: " + broken + ":"));
    }

    @Test
    void failOnDecidesTheExitCode() throws IOException {
        String more = write("more.yaml", AFTER + "---\n" + CART);
        String changed = write("changed.yaml", BEFORE.replace("10.96.0.21", "10.96.0.20"));

        assertThat(Run.of("diff", "--fail-on", "vanish", before, after).code()).isEqualTo(Main.FAILED);
        assertThat(Run.of("diff", "--fail-on", "change", before, after).code()).isEqualTo(Main.FAILED);
        assertThat(Run.of("diff", "--fail-on", "change", after, more).code()).isEqualTo(Main.FAILED);
        assertThat(Run.of("diff", "--fail-on", "vanish", after, more).code()).isZero();
        assertThat(Run.of("diff", "--fail-on", "change", before, before).code()).isZero();
        assertThat(Run.of("diff", before, changed).code()).isZero();
        String cart = write("cart.yaml", CART);
        String both = write(
                "both.yaml", CART + "---\n" + BEFORE.replace("cart", "basket").replace(".20", ".30"));
        assertThat(Run.of("diff", "--fail-on", "change", cart, both).code()).isZero();
        assertThat(Run.of("diff", "--fail-on", "appear", cart, both).code()).isEqualTo(Main.FAILED);
        assertThat(Run.of("diff", "--fail-on", "appear", both, cart).code()).isZero();
        assertThat(Run.of("diff", "--fail-on", "change,appear", cart, both).code())
                .isEqualTo(Main.FAILED);
        assertThat(Run.of("diff", "--fail-on", "appear", "--fail-on", "vanish", both, cart)
                        .code())
                .isEqualTo(Main.FAILED);
    }

    private static final String WORKLOAD = """
            apiVersion: v1
            kind: Service
            metadata: {name: web, namespace: shop}
            spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80, name: http}]}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: shop}
            spec:
              replicas: 2
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: web, image: web}]}
            """;

    @Test
    void inventedAddressesAreCountedOnly() throws IOException {
        String two = write("two.yaml", WORKLOAD);
        String three = write("three.yaml", WORKLOAD.replace("replicas: 2", "replicas: 3"));

        assertThat(Run.of("diff", two, three).lines())
                .containsExactly(
                        "changes web.shop.svc.cluster.local.",
                        "  - A: 2 records",
                        "  - SRV port 80 at *.web.shop.svc.cluster.local.: 2 records",
                        "  + A: 3 records",
                        "  + SRV port 80 at *.web.shop.svc.cluster.local.: 3 records",
                        "changes _http._tcp.web.shop.svc.cluster.local.",
                        "  - SRV port 80 at *.web.shop.svc.cluster.local.: 2 records",
                        "  + SRV port 80 at *.web.shop.svc.cluster.local.: 3 records",
                        "2 names change; not compared: 9 names made of addresses or Pods, because one side has invented ones");
        assertThat(Run.of("diff", "--endpoint-names", "pod", two, three).lines())
                .as("names of Pods that their controller chooses at random")
                .noneMatch(line -> line.contains("web-deployment"));
    }

    @Test
    void whatIsNotInventedIsComparedWhereAddressesAre() throws IOException {
        String web = write("web.yaml", WORKLOAD);
        String port = write("port.yaml", WORKLOAD.replace("port: 80", "port: 81"));
        String clusterIp = write("cluster-ip.yaml", WORKLOAD.replace("clusterIP: None, ", ""));
        String one = write("one.yaml", WORKLOAD.replace("replicas: 2", "replicas: 1"));

        for (String names : List.of("hostname", "pod")) {
            assertThat(Run.of("diff", "--endpoint-names", names, "--fail-on", "change", web, port)
                            .code())
                    .as(names)
                    .isEqualTo(Main.FAILED);
        }
        assertThat(Run.of("diff", web, port).lines())
                .startsWith(
                        "changes web.shop.svc.cluster.local.",
                        "  - SRV port 80 at *.web.shop.svc.cluster.local.: 2 records",
                        "  + SRV port 81 at *.web.shop.svc.cluster.local.: 2 records");
        assertThat(Run.of("diff", "--fail-on", "change", one, clusterIp).lines())
                .as("an address of a Pod becomes that of the Service")
                .startsWith(
                        "changes web.shop.svc.cluster.local.",
                        "  - SRV port 80 at *.web.shop.svc.cluster.local.: 1 record",
                        "  + SRV port 80 at web.shop.svc.cluster.local.: 1 record");
    }

    @Test
    void otherInventedAddressesAreNoDifference() throws IOException {
        String services = WORKLOAD.substring(0, WORKLOAD.indexOf("---"));
        String workloads = WORKLOAD.substring(WORKLOAD.indexOf("---"));
        String other = WORKLOAD.replace("web", "api").replace("replicas: 2", "replicas: 9");
        String web = write("web.yaml", WORKLOAD);
        String turned = write("turned.yaml", workloads + "---\n" + services);
        String more = write("more.yaml", WORKLOAD + "---\n" + other);

        for (String names : List.of("hostname", "pod")) {
            List<String> diff = List.of("diff", "--endpoint-names", names, "--pod-cidr", "10.244.0.0/27");
            assertThat(Run.of(diff, web, turned).lines())
                    .singleElement()
                    .asString()
                    .startsWith("no differences");
            assertThat(Run.of(diff, "--fail-on", "change", web, more).code()).isZero();
            assertThat(Run.of(diff, "--fail-on", "change", more, web).lines())
                    .filteredOn(line -> line.startsWith("changes") || line.startsWith("vanishes"))
                    .containsExactly(
                            "vanishes api.shop.svc.cluster.local.", "vanishes _http._tcp.api.shop.svc.cluster.local.");
        }
        assertThat(Run.of("records", "--pod-cidr", "10.244.0.0/27", more, "-n", "shop")
                        .out())
                .as("the other Pods shift an address")
                .doesNotContain(Run.of("records", "--pod-cidr", "10.244.0.0/27", web).lines().stream()
                        .filter(line -> line.startsWith("web.shop") && line.contains(" A "))
                        .toList());
    }

    @Test
    void aServerIsAskedAboutServicesThatHaveNoRecords() throws Exception {
        String service = """
                apiVersion: v1
                kind: Service
                metadata: {name: db, namespace: shop}
                spec: {clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 5432}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: db-0, namespace: shop, labels: {app: db}}
                spec: {containers: [{name: db, image: db}]}
                """;
        String served = write("served.yaml", service + "status: {phase: Running, podIP: 10.244.7.9}\n");
        String ended = write("ended.yaml", service + "status: {phase: Succeeded, podIP: 10.244.7.9}\n");

        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run vanishing = Run.of("diff", "@" + server.address(), ended);
            assertThat(vanishing.lines())
                    .contains("vanishes db.shop.svc.cluster.local.", "  - A 10.244.7.9")
                    .last()
                    .asString()
                    .startsWith("1 name vanishes");
            assertThat(vanishing.err())
                    .contains("note: " + server.address()
                            + " is asked about the names of the other side; names that only this"
                            + " server has are not found");
            assertThat(Run.of("diff", ended, "@" + server.address()).lines())
                    .contains("appears db.shop.svc.cluster.local.", "  + A 10.244.7.9");
        }
    }

    @Test
    void namesOfRealAddressesAreComparedBesideInventedOnes() throws Exception {
        String pods = write("pods.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: real, namespace: shop}
                spec: {containers: [{name: web, image: web}]}
                status: {phase: Running, podIP: 10.244.7.9, podIPs: [{ip: 10.244.7.9}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: other, namespace: shop}
                spec: {containers: [{name: web, image: web}]}
                """);
        String records = Run.of("records", pods).out();
        String zone = write(
                "pods.zone",
                records.lines()
                        .map(line -> line.replaceFirst(" ;.*", "") + "\n")
                        .collect(joining()));

        try (RunningServer server = RunningServer.atFreePort(List.of(), pods)) {
            for (String other : List.of(zone, "@" + server.address())) {
                assertThat(Run.of("diff", pods, other).lines())
                        .as(other)
                        .singleElement()
                        .asString()
                        .startsWith("no differences");
                assertThat(Run.of("diff", other, pods).lines())
                        .as(other)
                        .singleElement()
                        .asString()
                        .startsWith("no differences");
            }
        }
    }

    @Test
    void inventedAddressesAreMarked() throws IOException {
        String web = """
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}
                """;
        String more = write("more.yaml", BEFORE + web);

        for (List<String> sides : List.of(List.of(before, more), List.of(more, before))) {
            Run text = Run.of("diff", sides.get(0), sides.get(1));
            assertThat(text.lines())
                    .as(text.err())
                    .anyMatch(line -> line.matches("  [-+] A 10\\.\\S+ ; invented address"))
                    .anyMatch(line -> line.matches("  [-+] SRV port 80 at web\\.shop\\.svc\\.cluster\\.local\\."));
            assertThat(Run.of("diff", "-o", "json", sides.get(0), sides.get(1)).lines())
                    .singleElement()
                    .asString()
                    .endsWith(", \"users\": [], \"invented\": true}");
            assertThat(Run.of("diff", "-o", "yaml", sides.get(0), sides.get(1)).out())
                    .contains("invented: true");
            assertThat(Run.of("diff", "-o", "markdown", sides.get(0), sides.get(1))
                            .out())
                    .containsPattern("<code>A 10\\.[0-9.]+</code> \\(invented address\\)<br><code>SRV port");
        }
        for (String format : List.of("text", "json", "markdown")) {
            assertThat(Run.of("diff", "-o", format, before, after).out()).doesNotContain("invented address");
            assertThat(Run.of("diff", "-o", format, "--as-is", before, write("given.yaml", BEFORE + web))
                            .out())
                    .doesNotContain("invented");
        }
    }

    @Test
    void whatAZoneFileMarksIsInvented() throws IOException {
        String git = write("git.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: vip, namespace: shop}
                spec: {selector: {app: web}, ports: [{port: 80}]}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """);
        String real = write("real.zone", """
                dns-version.cluster.local. 5 IN TXT "1.1.0"
                vip.shop.svc.cluster.local. 5 IN A 10.96.0.7
                vip.shop.svc.cluster.local. 5 IN SRV 0 100 80 vip.shop.svc.cluster.local.
                10-244-0-9.vip.shop.svc.cluster.local. 5 IN A 10.244.0.9
                10-244-0-9.shop.pod.cluster.local. 5 IN A 10.244.0.9
                7.0.96.10.in-addr.arpa. 5 IN PTR vip.shop.svc.cluster.local.
                9.0.244.10.in-addr.arpa. 5 IN PTR 10-244-0-9.vip.shop.svc.cluster.local.
                """);
        String empty = write("empty.zone", "");

        for (String names : List.of("hostname", "pod")) {
            String zone = write(
                    "git.zone",
                    Run.of("records", "--endpoint-names", names, git).out());

            assertThat(Run.of("diff", zone, empty).lines())
                    .as(names)
                    .containsSubsequence(
                            "vanishes vip.shop.svc.cluster.local.", "  - SRV port 80 at vip.shop.svc.cluster.local.")
                    .anyMatch(line -> line.matches("  - A 10\\.\\S+ ; invented address"))
                    .isEqualTo(Run.of("diff", "--endpoint-names", names, git, empty)
                            .lines());
            assertThat(Run.of("diff", "--fail-on", "change", real, zone).lines())
                    .as(names)
                    .singleElement()
                    .asString()
                    .startsWith("no differences; not compared: ");
        }
        String reverse = write(
                "reverse.zone",
                Run.of("records", "--only-zone", "in-addr.arpa", git).out());
        assertThat(Run.of("diff", reverse, empty).lines())
                .containsExactly(
                        "no differences; not compared: 2 names made of addresses or Pods, because one side has invented ones");
    }

    @Test
    void namesOfAZoneThatAZoneFileDoesNotHaveAreNotCompared() throws IOException {
        String records =
                Run.of("records", "--only-zone", "cluster.local", before).out();
        String one = write("one.zone", records);
        String text = "not compared: 2 names of zones without an SOA record in " + one
                + ", for example 20.0.96.10.in-addr.arpa.";

        for (List<String> sides : List.of(List.of(one, before), List.of(before, one))) {
            Run run = Run.of("diff", "--fail-on", "change,appear", sides.get(0), sides.get(1));
            assertThat(run.lines()).as("%s", sides).containsExactly("no differences");
            assertThat(run.code()).isZero();
            assertThat(run.err()).contains("warning: ").contains(text);
        }
        String bare = write("bare.zone", records.replaceAll("(?m)^.* SOA .*\n", ""));
        assertThat(Run.of("diff", "-o", "name", bare, before).lines())
                .as("records of any zone")
                .containsExactly("20.0.96.10.in-addr.arpa.", "21.0.96.10.in-addr.arpa.");
        String reverse = write(
                "four.zone",
                Run.of("records", "--only-zone", "in-addr.arpa", before).out());
        String six = write("six.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: six, namespace: shop}
                spec: {clusterIP: "fd00::1", ports: [{port: 80}]}
                """);
        assertThat(Run.of("diff", "-o", "name", reverse, six).lines())
                .as("records prints no reverse zone without names")
                .hasSize(3)
                .anyMatch(name -> name.endsWith(".ip6.arpa."));
    }

    @Test
    void namesOfRealAddressesAreCountedIfTheOtherSideInventsThem() throws IOException {
        String pod = """
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: %s, namespace: %s, labels: {app: web}}
                spec: {containers: [{name: web, image: web}]}
                status: {phase: Running, podIP: %s, podIPs: [{ip: %s}], conditions: [{type: Ready, status: "True"}]}
                """;
        String web = """
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}}
                """;
        String cluster = write(
                "cluster.yaml",
                BEFORE
                        + web
                        + pod.formatted("web-7d9f-x", "shop", "10.244.0.9", "10.244.0.9")
                        + pod.formatted("other", "lab", "10.244.0.8", "10.244.0.8"));
        String git = write("git.yaml", CART.replace("clusterIP: 10.96.0.20, ", "") + web + """
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """);
        String zone = write("cluster.zone", Run.of("records", cluster).out());

        for (List<String> sides : List.of(List.of(cluster, git), List.of(zone, git))) {
            Run run = Run.of("diff", "-o", "name", sides.get(0), sides.get(1));
            assertThat(run.lines())
                    .as("only names of objects that are not in Git: %s", run.err())
                    .containsExactlyInAnyOrder(
                            "api.shop.svc.cluster.local.",
                            "21.0.96.10.in-addr.arpa.",
                            "10-244-0-8.lab.pod.cluster.local.");
        }
        assertThat(Run.of("diff", git, cluster).lines())
                .last()
                .asString()
                .as("in Git and in the cluster: a reverse name of a Service, and three names of a Pod")
                .isEqualTo(
                        "3 names appear; not compared: 8 names made of addresses or Pods, because one side has invented ones");
    }

    @Test
    void namesOfRealAddressesAreCountedIfBothSidesInventAddressesOfTheirService() throws IOException {
        String web = """
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}, publishNotReadyAddresses: true}
                ---
                """;
        String dump = write("dump.yaml", web + """
                apiVersion: v1
                kind: Pod
                metadata: {name: web-7d9f8c6b5-x2bqz, namespace: shop, labels: {app: web}}
                spec: {containers: [{name: web, image: web}]}
                status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: "True"}]}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: web-7d9f8c6b5-pqrst, namespace: shop, labels: {app: web}}
                spec: {containers: [{name: web, image: web}]}
                """);
        String chart = write("chart.yaml", web + """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  replicas: 2
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """);

        for (List<String> sides : List.of(List.of(dump, chart), List.of(chart, dump))) {
            assertThat(Run.of("diff", sides.get(0), sides.get(1)).lines())
                    .singleElement()
                    .asString()
                    .startsWith("no differences; not compared: ");
            for (String format : List.of("name", "json")) {
                Run run = Run.of("diff", "-o", format, sides.get(0), sides.get(1));
                assertThat(run.out()).isEmpty();
                assertThat(run.err())
                        .containsPattern(
                                "(?m)^note: not compared: \\d+ names made of addresses or Pods, because one side has invented ones$");
            }
        }
    }

    @Test
    void aReverseNameDoesNotVanishWithOneOfItsServices() throws IOException {
        String service = """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: shop}
                spec: {clusterIP: None, selector: {app: web}}
                ---
                """;
        String both = service.formatted("web") + service.formatted("old");
        String dump = write("dump.yaml", both + """
                apiVersion: v1
                kind: Pod
                metadata: {name: web-7d9f8c6b5-x2bqz, namespace: shop, labels: {app: web}}
                spec: {containers: [{name: web, image: web}]}
                status: {phase: Running, podIP: 10.0.0.1, podIPs: [{ip: 10.0.0.1}], conditions: [{type: Ready, status: "True"}]}
                """);
        String chart = write("chart.yaml", service.formatted("web") + """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: web, image: web}]}
                """);

        assertThat(Run.of("diff", "-o", "name", dump, chart).lines())
                .as("the Pod is still behind web, with another address")
                .containsExactly("old.shop.svc.cluster.local.", "10-0-0-1.old.shop.svc.cluster.local.");
    }

    @Test
    void aRealAddressThatTheOtherSideInventsIsCompared() throws IOException {
        String chart = write("chart.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec: {containers: [{name: web, image: web}]}
                """);
        String address = Run.of("records", chart).lines().stream()
                .filter(line -> line.endsWith(" ; invented address"))
                .map(line -> line.split(" ", -1)[4])
                .findFirst()
                .orElseThrow();
        String dump = write("dump.yaml", """
                apiVersion: v1
                kind: Pod
                metadata: {name: gone, namespace: lab}
                spec: {containers: [{name: web, image: web}]}
                status: {phase: Running, podIP: %1$s, podIPs: [{ip: %1$s}]}
                """.formatted(address));

        String vanished = address.replace('.', '-') + ".lab.pod.cluster.local.";
        assertThat(Run.of("diff", "-o", "name", dump, chart).lines()).containsExactly(vanished);
        assertThat(Run.of("diff", "-o", "name", chart, dump).lines()).containsExactly(vanished);
    }

    @Test
    void otherFormats() {
        assertThat(Run.of("diff", "-o", "name", before, after).lines()).contains("cart.shop.svc.cluster.local.");
        assertThat(Run.of("diff", "-o", "json", before, after).lines().get(0))
                .isEqualTo(
                        "{\"name\": \"cart.shop.svc.cluster.local.\", \"difference\": \"vanishes\", \"removed\": [\"A 10.96.0.20\", "
                                + "\"SRV port 80 at cart.shop.svc.cluster.local.\"], \"added\": [], \"users\": [{\"host\": \"cart\", \"object\": "
                                + "\"Deployment shop/web\", \"field\": \"spec.template.spec.containers[0].env[CART_URL]\", \"position\": \""
                                + after + ":23\"}]}");
        assertThat(Run.of("diff", "-o", "markdown", before, after).lines())
                .startsWith(
                        "**3 names vanish, 2 change, 3 appear; not compared: 1 name made of addresses or Pods, because one side has invented ones**",
                        "",
                        "| | Name | Before | After | Used by |")
                .contains("| changes | <code>api.shop.svc.cluster.local.</code> | <code>A 10.96.0.21</code> | "
                        + "<code>A 10.96.0.22</code> | <code>Deployment shop/web "
                        + "spec.template.spec.containers&#91;0&#93;.env&#91;OTHER&#93;</code> |");
    }

    @Test
    void wrongSourcesAreUsageErrors() throws IOException {
        String include = write("x.zone", "$ORIGIN example.\n$INCLUDE " + before + "\n");
        String generate = write("y.zone", "$ORIGIN example.\n$GENERATE 1-99999999 a$ A 10.0.0.1\n");

        assertThat(Run.of("diff", "@127.0.0.1", "@127.0.0.2").err()).contains("are both servers");
        String wrong = write("wrong.zone", "cart 5 IN A 10.0.0.1\ncart 5 IN A 10.0.0\n");
        assertThat(Run.of("diff", wrong, before).err()).contains(wrong + ":2: not a zone file: ");
        assertThat(Run.of("diff", "--fail-on", "change,appear", before, "@127.0.0.1")
                        .err())
                .contains("--fail-on appear: no name can appear, because B is a server");
        assertThat(Run.of("diff", "--fail-on", "vanish", "@127.0.0.1", before).err())
                .contains("--fail-on vanish: no name can vanish, because A is a server");
        assertThat(Run.of("diff", "-", "-").err()).contains("one input only");
        assertThat(Run.of("diff", "-", "zone:-").err()).contains("one input only");
        assertThat(Run.of("diff", "", before).err()).contains("names no source");
        assertThat(Run.of("diff", before, "@a:b:c").err()).contains("is not HOST:PORT");
        assertThat(Run.of("diff", before, "@::1").err()).contains("@::1: ", "is not HOST:PORT");
        assertThat(Run.of("diff", before, "https://example.com/x.yaml").err()).contains("k8sdns diff A -");
        assertThat(Run.of("diff", before, include).err())
                .contains("not a zone file")
                .contains("x.zone");
        assertThat(Run.of("diff", before, generate).err())
                .contains("not a zone file")
                .contains("y.zone");
        for (String other :
                List.of("@127.0.0.1:x", "@::1", include, generate, "https://example.com/x.yaml", "", "missing.yaml")) {
            assertThat(Run.of("diff", before, other).code()).as(other).isEqualTo(Main.INVALID);
        }
    }
}
