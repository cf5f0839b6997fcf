package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.search.Dialect;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class QueriesCommandTest {
    @TempDir
    private Path folder;

    private String podFile;

    @BeforeEach
    void writeFile() throws IOException {
        podFile = podFile(5);
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    private String podFile(int ndots) throws IOException {
        return file("resolv.conf", """
                nameserver 10.96.0.10
                search shop.svc.cluster.local svc.cluster.local cluster.local
                options ndots:%d
                """.formatted(ndots));
    }

    private Run queries(String... arguments) {
        return Run.of(List.of("queries", "--resolv-conf", podFile), arguments);
    }

    private Run batch(String... lines) throws IOException {
        return Run.of("queries", "--batch", file("batch.jsonl", String.join("\n", lines)));
    }

    @Test
    void hostNamesOfTemplatesAreLookedUp() throws IOException {
        String manifest = """
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec:
                  containers:
                  - name: web
                    image: web
                    env:
                    - {name: CART_URL, value: "http://cart:80/"}
                    - {name: DATABASE, value: db.shop}
                    - {name: OTHER, value: no.name}
                """;
        String file = file("web.yaml", manifest);

        Run run = queries("--from-env", file, "-f", Run.BOOKSTORE, "-o", "json", "api.payments.example");
        assertThat(run.code()).isZero();
        assertThat(run.lines().stream().map(line -> line.replaceFirst("^.*?\"name\": \"([^\"]*)\".*", "$1")))
                .containsExactly("api.payments.example", "cart", "db.shop");
        assertThat(run.err())
                .contains("note: cart: Pod shop/web, spec.containers[0].env[CART_URL] (" + file + ":9)")
                .contains("note: db.shop: Pod shop/web, spec.containers[0].env[DATABASE] (" + file + ":10)");
        // Without a cluster a word alone is not a name.
        assertThat(queries("--from-env", file).lines().get(0)).startsWith("cart (glibc");
        assertThat(queries("--from-env", file).out()).doesNotContain("db.shop");
        assertThat(Run.withInput(manifest, "queries", "--resolv-conf", podFile, "--from-env", "-")
                        .out())
                .startsWith("cart (glibc");
        assertThat(queries("--from-env", file("none.yaml", "a: b\n")).err()).contains("note: no host name in");
        assertThat(queries("--from-env", "-", "-f", "-").code()).isEqualTo(Main.INVALID);
    }

    @Test
    void aServiceWithoutRecordsIsAKnownNameOfATemplate() throws IOException {
        String file = file("web.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: broken, namespace: shop}
                spec: {clusterIP: None, selector: {app: none}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: web, namespace: shop}
                spec:
                  containers:
                  - {name: web, image: web, command: [nc, -z, broken, "5432"]}
                """);
        Run run = queries("--from-env", file, "-f", file);
        assertThat(run.out()).startsWith("broken (glibc, ndots 5): 8 queries, EAI_NONAME");
    }

    @Test
    void templatesOfAChartHaveNoHostNames() throws IOException {
        Path chart = folder.resolve("chart");
        Files.createDirectories(chart.resolve("templates"));
        Files.writeString(chart.resolve("Chart.yaml"), "name: web\n");
        Files.writeString(chart.resolve("templates/web.yaml"), "kind: {{ .Values.kind }}\n");

        Run run = queries("--from-env", chart.toString());
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .contains("templates are not rendered; use helm template RELEASE " + chart
                        + " | k8sdns queries --resolv-conf FILE --from-env -, or --render");

        String pod = "{apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop}, spec: {containers: "
                + "[{name: a, image: a, env: [{name: X, value: 'cart:80'}]}]}}";
        Files.writeString(chart.resolve("templates/pod.yaml"), pod);
        assertThat(queries("--from-env", chart.toString()).err())
                .contains("note: no host name of the templates of " + chart + " is looked up");
    }

    @Test
    void theOptionsForTemplatesNeedNoOtherManifests() throws IOException {
        String file = file("web.yaml", "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {HOST: cart}}");
        Run run = queries("--from-env", file, "--default-namespace", "shop");
        assertThat(run.code()).isZero();
        assertThat(run.err())
                .contains("note: cart: ConfigMap shop/a, data[HOST]")
                .doesNotContain("search list");
        assertThat(queries("--from-env", file, "--render").err()).contains("warning: --render: nothing is rendered");
        assertThat(queries("--from-env", file).err())
                .contains("note: the search list of " + podFile + " is not that of a Pod in namespace default, where"
                        + " objects of --from-env are; their names may lead elsewhere in their Pods");
        assertThat(queries("--from-env", file("broken.yaml", "a: [\n")).code()).isEqualTo(Main.INVALID);
    }

    @Test
    void theNameOfAPortInATemplateIsNotLookedUp() throws IOException {
        String file = file("web.yaml", """
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: web, namespace: shop}
                data: {CART_SRV: _http._tcp.cart.shop.svc.cluster.local, CART_HOST: cart}
                """);
        Run run = queries("--from-env", file, "-f", Run.BOOKSTORE, "-o", "name");
        assertThat(run.lines()).containsExactly("cart.shop.svc.cluster.local.");
        assertThat(run.err())
                .contains("note: _http._tcp.cart.shop.svc.cluster.local: ConfigMap shop/web, data[CART_SRV] (" + file
                        + ":4); not looked up, because the name of a port has SRV records only");
    }

    @Test
    void withoutAnswersTheCandidatesAreListedWithTheNextSteps() {
        Run run = queries("db.shop");
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                db.shop (glibc, ndots 5): 4 names, 8 queries if none is found
                  1  db.shop.shop.svc.cluster.local.  2 queries  + shop.svc.cluster.local
                  2  db.shop.svc.cluster.local.       2 queries  + svc.cluster.local
                  3  db.shop.cluster.local.           2 queries  + cluster.local
                  4  db.shop.                         2 queries  unchanged
                  after 1 to 3: NODATA, NXDOMAIN, SERVFAIL -> the next name; REFUSED, NOTIMP, FORMERR, TC, DROP -> the unchanged name
                  after 4: NODATA, NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR, TC, DROP -> the end
                """);
    }

    @Test
    void theLookupEndsAtTheFirstNameThatTheManifestsHave() {
        Run run = queries("-f", Run.BOOKSTORE, "cart", "cart.shop");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                cart (glibc, ndots 5): 2 queries, found
                  0 ms  cart.shop.svc.cluster.local.  A AAAA  10.96.0.10  10.96.0.20, NODATA
                cart.shop (glibc, ndots 5): 4 queries, found
                  0 ms  cart.shop.shop.svc.cluster.local.  A AAAA  10.96.0.10  NXDOMAIN
                  0 ms  cart.shop.svc.cluster.local.       A AAAA  10.96.0.10  10.96.0.20, NODATA
                """);
        assertThat(run.err()).contains("Service shop/cart").doesNotContain("read 6 files", "outside the cluster");
    }

    @Test
    void headlessServicesAndReverseZonesBelongToTheCluster() {
        Run run = queries("-f", Run.BOOKSTORE, "--zone", "cluster.local", "--family", "4", "db");
        assertThat(run.lines()).hasSize(2);
        assertThat(run.lines().get(1))
                .matches("  0 ms  db\\.shop\\.svc\\.cluster\\.local\\.  A  10\\.96\\.0\\.10  10\\..* 10\\..* 10\\..*");
    }

    @Test
    void inventedAddressesAreMarked() throws IOException {
        String manifest = file("shop.yaml", """
                {apiVersion: v1, kind: Service, metadata: {name: given, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: none, namespace: shop}, spec: {ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}}}
                ---
                apiVersion: v1
                kind: Pod
                metadata: {name: one, namespace: shop, labels: {app: web}}
                spec: {containers: [{name: a, image: b}]}
                status: {phase: Running, podIP: 10.244.0.9, podIPs: [{ip: 10.244.0.9}]}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: two, namespace: shop, labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                """);
        assertThat(queries("-f", manifest, "none").lines().get(1))
                .matches(".* 10\\.96\\.0\\.10  10\\.\\S+, NODATA ; invented address");
        assertThat(queries("-f", manifest, "given").out()).doesNotContain("invented");
        assertThat(queries("-f", manifest, "--family", "4", "web").lines().get(1))
                .as("one of two addresses")
                .containsPattern(" 10\\.244\\.0\\.9\\b")
                .matches(".* (10\\.\\S+) .*; invented address: (?!10\\.244\\.0\\.9$)10\\.\\S+");
        for (String invented : List.of("none", "web")) {
            assertThat(queries("-f", manifest, "-o", "json", invented).out().strip())
                    .endsWith("\"], \"invented\": true}");
        }
        assertThat(queries("-f", manifest, "-o", "json", "given").out()).doesNotContain("invented");
        assertThat(queries("-f", manifest, "-o", "yaml", "none").out()).contains("invented: true");
    }

    @Test
    void theAssumedAddressOfATargetIsMarked() throws IOException {
        String manifest = file("pay.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: pay, namespace: shop}
                spec: {type: ExternalName, externalName: pay.example.com}
                """);
        assertThat(queries("-f", manifest, "pay").lines().get(1)).endsWith("  10.1.2.3, fd00::123 ; invented address");
        assertThat(queries("-f", manifest, "-o", "json", "pay").out().strip())
                .endsWith("\"addresses\": [\"10.1.2.3\", \"fd00::123\"], \"invented\": true}");
        for (String given : List.of("*=A", "pay.example.com=A")) {
            assertThat(queries("-f", manifest, "--answer", given, "pay").lines().get(1))
                    .endsWith("  10.1.2.3, fd00::123");
            assertThat(queries("-f", manifest, "--answer", given, "-o", "json", "pay", "pay.example.com.")
                            .out())
                    .contains("10.1.2.3")
                    .doesNotContain("invented");
        }
    }

    @Test
    void namesOutsideTheClusterAreAnsweredByTheScript() {
        Run run = queries("-f", Run.BOOKSTORE, "--answer", "www.example.com=A", "www.example.com", "www.example.org");
        assertThat(run.lines())
                .contains(
                        "www.example.com (glibc, ndots 5): 8 queries, found",
                        "www.example.org (glibc, ndots 5): 8 queries, EAI_NONAME");
        assertThat(run.err())
                .contains("note: outside the cluster, answered by --answer, otherwise NXDOMAIN: www.example.com."
                        + " www.example.org.");
    }

    @Test
    void targetOutsideTheClusterIsAssumedToExist() {
        Run run = queries("-f", Run.BOOKSTORE, "payments");
        assertThat(run.lines()).first().isEqualTo("payments (glibc, ndots 5): 2 queries, found");
        assertThat(run.err())
                .contains("note: outside the cluster, targets of aliases, assumed to exist unless --answer has them:"
                        + " api.payments.example.");
        for (String nowhere : List.of("*=NXDOMAIN", "api.payments.example=NXDOMAIN")) {
            assertThat(queries("-f", Run.BOOKSTORE, "--answer", nowhere, "payments")
                            .lines())
                    .first()
                    .isEqualTo("payments (glibc, ndots 5): 8 queries, EAI_NONAME");
        }
    }

    @Test
    void scriptAnswersWithoutManifests() {
        assertThat(queries("--answer", "*=NXDOMAIN", "--answer", "db.svc.cluster.local|A=DROP", "db")
                        .out())
                .isEqualToNormalizingNewlines("""
                        db (glibc, ndots 5): 8 queries, EAI_NONAME
                          0 ms      db.shop.svc.cluster.local.  A AAAA  10.96.0.10  NXDOMAIN
                          0 ms      db.svc.cluster.local.       A AAAA  10.96.0.10  no answer, NXDOMAIN
                          5000 ms   db.svc.cluster.local.       A       10.96.0.10  no answer (asked again)
                          10000 ms  db.svc.cluster.local.       A       10.96.0.10  no answer (asked again)
                          15000 ms  db.                         A       10.96.0.10  NXDOMAIN
                          15000 ms  db.                         AAAA    10.96.0.10  NXDOMAIN
                        """);
    }

    @Test
    void sourcesOfTheFileOfAPodAreNamed() {
        String sources =
                "kubectl exec POD -- cat /etc/resolv.conf prints that of a running Pod, k8sdns resolvconf -f MANIFEST";
        assertThat(Run.of("queries", "db").err()).contains("'--resolv-conf=FILE' or '--batch=FILE'; " + sources);
        assertThat(Run.of("queries", "--help").out().replaceAll("\\s+", " ")).contains(sources);
    }

    @Test
    void ignoredLinesAreReported() throws IOException {
        podFile = file("odd.conf", """
                nameserver 10.96.0.10
                nameserver\t10.96.0.300\u0007
                search shop.svc.cluster.local
                options ndots:5
                """);
        for (List<String> what : List.of(List.of("db"), List.of("--advise", file("hosts.txt", "db\n")))) {
            List<String> arguments = new ArrayList<>(List.of("--dialect", "glibc", "--dialect", "systemd-resolved"));
            arguments.addAll(what);
            Run run = queries(arguments.toArray(String[]::new));
            assertThat(run.code()).isZero();
            assertThat(run.err().lines())
                    .containsExactly(
                            "note: " + podFile
                                    + ": line 2 is ignored (glibc, systemd-resolved): nameserver 10.96.0.300 ",
                            "note: " + podFile + ": line 4 is ignored (systemd-resolved): options ndots:5");
        }
        assertThat(queries("--json", "db").out()).contains("\"unread_lines\": [2]");
    }

    @Test
    void onlyTheFirstIgnoredLinesAreReported() throws IOException {
        podFile = file("odd.conf", "x".repeat(1_000) + "\n" + "nonsense\n".repeat(6));
        assertThat(queries("db").err().lines())
                .hasSize(6)
                .startsWith("note: " + podFile + ": line 1 is ignored (glibc): " + "x".repeat(100) + "...")
                .endsWith("note: " + podFile + ": and 2 more lines");
    }

    @Test
    void severalResolversAreShownSideBySide() throws IOException {
        podFile = podFile(2);
        Run run = queries("-f", Run.BOOKSTORE, "--dialect", "glibc", "--dialect", "musl-1.2.5", "cart.shop.svc");
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                cart.shop.svc
                                                         glibc                       musl-1.2.5
                  cart.shop.svc.                         1. 2 queries NXDOMAIN       1. 2 queries NXDOMAIN
                  cart.shop.svc.shop.svc.cluster.local.  2. 2 queries NXDOMAIN       -
                  cart.shop.svc.svc.cluster.local.       3. 2 queries NXDOMAIN       -
                  cart.shop.svc.cluster.local.           4. 2 queries found, NODATA  -
                  queries                                8                           2
                  last query at                          0 ms                        0 ms
                  result                                 found                       EAI_NONAME
                """);
    }

    @Test
    void environmentOfTheProgramIsUsed() {
        assertThat(queries("--env", "LOCALDOMAIN=a.example", "--env", "RES_OPTIONS=ndots:1", "db")
                        .lines())
                .startsWith(
                        "db (glibc, ndots 1): 2 names, 4 queries if none is found",
                        "  1  db.a.example.  2 queries  + a.example");
    }

    @Test
    void nameThatNeedsNoQueryHasNone() {
        assertThat(queries("192.0.2.1").lines()).containsExactly("192.0.2.1 (glibc, ndots 5): no query");
    }

    @Test
    void jsonHasThePlanAndTheRun() {
        List<String> lines = queries("--json", "--dialect", "glibc", "--dialect", "go", "--answer", "db=A", "db.")
                .lines();
        assertThat(lines).hasSize(2);
        assertThat(lines.get(0))
                .isEqualTo(
                        "{\"name\": \"db.\", \"dialect\": \"glibc\", \"ndots\": 5, \"unread_lines\": [], \"order\": \"exact\", "
                                + "\"candidates\": [{\"name\": \"db.\", \"domain\": null, \"queries\": 2, \"after\": {"
                                + "\"A\": \"found\", \"NODATA\": \"stop\", \"NXDOMAIN\": \"stop\", \"SERVFAIL\": \"stop\", "
                                + "\"REFUSED\": \"stop\", \"NOTIMP\": \"stop\", \"FORMERR\": \"stop\", \"TC\": \"stop\", "
                                + "\"DROP\": \"stop\"}}], \"queries\": [{\"name\": \"db.\", \"type\": \"A\", "
                                + "\"server\": \"10.96.0.10\", \"proto\": \"udp\", \"at_ms\": 0, \"group\": 0, "
                                + "\"reason\": \"first\", \"answer\": \"A\"}, {\"name\": \"db.\", \"type\": \"AAAA\", "
                                + "\"server\": \"10.96.0.10\", \"proto\": \"udp\", \"at_ms\": 0, \"group\": 0, "
                                + "\"reason\": \"first\", \"answer\": \"A\"}], \"result\": \"ok\", "
                                + "\"addresses\": [\"10.1.2.3\", \"fd00::123\"]}");
        assertThat(lines.get(1)).contains("\"dialect\": \"go\"", "\"order\": \"pairs\"");
    }

    @Test
    void dashIsStandardInput() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("search a.example\n".getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(Run.of("queries", "--resolv-conf", "-", "db").out()).contains("db.a.example.");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void fileThatIsTooLargeIsAnError() throws IOException {
        podFile = file("resolv.conf", "search" + " a.example".repeat(200_000));
        Run run = queries("db");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("error: " + podFile + ": ");
        podFile = file("resolv.conf", "#".repeat((10 << 20) + 1));
        assertThat(queries("db").err()).contains("larger than 10 MiB");
    }

    @Test
    void controlCharactersAreReplaced() {
        assertThat(queries("d\u001b[31mb\u009b").out()).doesNotContain("\u001b", "\u009b");
    }

    @Test
    void batchAnswersEveryLineInOrder() throws IOException {
        Run run = batch(
                "{\"id\": 1, \"resolv_conf\": \"nameserver 127.0.0.1\\nsearch test.svc.cluster.local\\noptions ndots:5\\n\", "
                        + "\"dialect\": \"glibc\", \"name\": \"db\", \"family\": \"unspec\", \"env\": {}, "
                        + "\"answers\": {\"*\": \"NXDOMAIN\", \"db.test.svc.cluster.local.\": \"A\"}}",
                "{\"resolv_conf\": \"nameserver 192.0.2.1\\nnameserver 192.0.2.2\\n\", \"dialect\": \"glibc\", "
                        + "\"name\": \"db.\", \"family\": \"4\", "
                        + "\"answers\": {\"db\": {\"192.0.2.1\": \"SERVFAIL\", \"*\": \"NODATA\"}}}",
                "{\"resolv_conf\": \"nameserver 127.0.0.1\", \"dialect\": \"netty\", \"name\": \"db.\", \"family\": \"6\", "
                        + "\"env\": {\"RES_OPTIONS\": \"ndots:1\"}}");
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "{\"id\": 1, \"queries\": [{\"name\": \"db.test.svc.cluster.local.\", \"type\": \"A\", "
                                + "\"server\": \"127.0.0.1\", \"proto\": \"udp\", \"at_ms\": 0}, "
                                + "{\"name\": \"db.test.svc.cluster.local.\", \"type\": \"AAAA\", "
                                + "\"server\": \"127.0.0.1\", \"proto\": \"udp\", \"at_ms\": 0}], "
                                + "\"result\": \"ok\", \"addresses\": [\"10.1.2.3\", \"fd00::123\"]}",
                        "{\"queries\": [{\"name\": \"db.\", \"type\": \"A\", \"server\": \"192.0.2.1\", "
                                + "\"proto\": \"udp\", \"at_ms\": 0}, {\"name\": \"db.\", \"type\": \"A\", "
                                + "\"server\": \"192.0.2.2\", \"proto\": \"udp\", \"at_ms\": 0}], "
                                + "\"result\": \"EAI_NODATA\", \"addresses\": []}",
                        "{\"queries\": [{\"name\": \"db.\", \"type\": \"AAAA\", \"server\": \"127.0.0.1\", "
                                + "\"proto\": \"udp\", \"at_ms\": 0}], \"result\": \"not found\", \"addresses\": []}");
    }

    @Test
    void invalidLineIsAnsweredAndTheBatchContinues() throws IOException {
        String db = "\"resolv_conf\": \"\", \"name\": \"db\"";
        List<String> lines = batch(
                        "",
                        "null",
                        "{\"id\": 1, \"resolv_conf\": \"\"}",
                        "{\"id\": 2, \"resolv_conf\": \"\", \"name\": 5}",
                        "{\"id\": 3, " + db + ", \"dialect\": \"bionic\"}",
                        "{\"id\": 4, " + db + ", \"family\": \"5\"}",
                        "{\"id\": 5, " + db + ", \"answers\": {\"db\": \"MAYBE\"}}",
                        "{\"id\": 6, " + db + ", \"answers\": {\"db\": [\"A\"]}}",
                        "{\"id\": 7, " + db + ", \"answers\": {\"db|MX\": \"A\"}}",
                        "{\"id\": 8, " + db + ", \"env\": [\"A\"]}",
                        "{\"id\": 9, \"name\": \"db\", \"resolv_conf\": \"search" + " a".repeat(200_000) + "\"}",
                        "{\"id\": 10, \"name\": \"db\", \"resolv_conf\": 5}",
                        "{\"id\": 11, \"name\": \"db\", \"resolv_conf\": null}",
                        "{\"id\": 12, \"name\": \"db\"}",
                        "{" + db + "}",
                        "")
                .lines();
        assertThat(lines.subList(0, 14))
                .containsExactly(
                        "{\"error\": \"the text is empty\"}",
                        "{\"error\": \"expected an object, found null\"}",
                        "{\"id\": 1, \"error\": \"name: a text is missing\"}",
                        "{\"id\": 2, \"error\": \"name: expected text, found a number\"}",
                        "{\"id\": 3, \"error\": \"dialect: unknown value 'bionic'; use one of "
                                + Dialect.all().stream().map(Dialect::word).collect(Collectors.joining(", "))
                                + "\"}",
                        "{\"id\": 4, \"error\": \"family: unknown value '5'; use one of unspec, 4, 6\"}",
                        "{\"id\": 5, \"error\": \"answers[\\\"db\\\"]: not one of A, NODATA, NXDOMAIN, SERVFAIL, REFUSED,"
                                + " NOTIMP, FORMERR, TC, DROP: MAYBE\"}",
                        "{\"id\": 6, \"error\": \"answers[\\\"db\\\"]: expected text, found a list\"}",
                        "{\"id\": 7, \"error\": \"answers[\\\"db|MX\\\"]: the type is A or AAAA, not MX\"}",
                        "{\"id\": 8, \"error\": \"env: expected an object, found a list\"}",
                        "{\"id\": 9, \"error\": \"line 1: a search list of more than 100000 domains; glibc tries all of them,"
                                + " but this simulation does not\"}",
                        "{\"id\": 10, \"error\": \"resolv_conf: expected text, found a number\"}",
                        "{\"id\": 11, \"error\": \"resolv_conf: a text is missing\"}",
                        "{\"id\": 12, \"error\": \"resolv_conf: a text is missing\"}");
        assertThat(lines.get(14)).startsWith("{\"queries\": [");
    }

    @Test
    void brokenLineKeepsItsId() throws IOException {
        Run run = batch("{\"id\": [\"a\", 1], \"name\": " + "[".repeat(200), "{\"id\": 2, \"name\": ");
        assertThat(run.lines()).hasSize(2);
        assertThat(run.lines().get(0)).isEqualTo("{\"id\": [\"a\",1], \"error\": \"nested deeper than 100\"}");
        assertThat(run.lines().get(1)).startsWith("{\"id\": 2, \"error\": \"not JSON: ");
    }

    @Test
    void everyResolverAnswersABatch() throws IOException {
        List<String> words = Dialect.all().stream().map(Dialect::word).toList();
        String[] lines = words.stream()
                .map(word -> "{\"id\": \"" + word + "\", \"resolv_conf\": \"search a.example\", \"dialect\": \"" + word
                        + "\", \"name\": \"db\"}")
                .toArray(String[]::new);
        assertThat(batch(lines).lines()).hasSameSizeAs(words).allMatch(line -> line.contains("\"result\": \""));
    }

    @Test
    void adviceIsPrintedForTheNamesOfAFile() throws IOException {
        String hosts = file("hosts.txt", "# of the reporter\ncart\n\n  db.shop  \n");
        Run run = queries("-f", Run.BOOKSTORE, "--advise", hosts, "payments");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                payments: 2 queries, found (glibc, musl-1.2.5, go)
                cart: 2 queries, found (glibc, musl-1.2.5, go)
                db.shop: 4 queries, found (glibc, musl-1.2.5, go)
                  write db.shop.svc.cluster.local.: 2 queries, found (glibc, musl-1.2.5, go) [1] [2] [3]
                all 3 names, by the Pod's ndots:
                  ndots  glibc       musl-1.2.5             go
                  1      10 queries  6 queries, no db.shop  10 queries
                  2      8 queries   8 queries              8 queries
                  3      8 queries   8 queries              8 queries
                  4      8 queries   8 queries              8 queries
                  5      8 queries   8 queries              8 queries
                [1] TLS: the server name of the handshake has no dot at its end (RFC 6066, section 3); a client that copies the host string sends one, and the server may refuse it or present another certificate.
                [2] Certificates: their names have no dot at the end; a client that compares the host string as it is refuses the certificate.
                [3] HTTP: the Host header keeps the dot; Ingress rules, virtual hosts and cookies that compare text do not know the name then.
                """);
        List<String> lines =
                queries("-f", Run.BOOKSTORE, "--advise", hosts, "--json").lines();
        assertThat(lines.subList(0, 2)).allMatch(line -> line.startsWith("{\"host\": \""));
        assertThat(lines.subList(2, lines.size()))
                .allMatch(line -> line.startsWith("{\"ndots\": "))
                .hasSize(5);
    }

    @Test
    void withoutAnswersNamesAreAssumedToExistAndThatIsPrinted() throws IOException {
        String hosts = file("hosts.txt", "www.example.com\n");
        Run run = queries("--advise", hosts, "--dialect", "glibc");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.lines())
                .startsWith(
                        "no answers given (-f MANIFEST, --answer): assumed are a Service of the Pod's namespace"
                                + " for a name without a dot, a Service of another namespace for a name that ends in"
                                + " .svc, and a full name for every other",
                        "www.example.com: 8 queries, found (glibc)",
                        "  set ndots:2: 2 queries, found (glibc) [1]",
                        "  write www.example.com.: 2 queries, found (glibc) [2] [3] [4]",
                        "1 name, by the Pod's ndots:");
        List<String> lines = queries("--advise", hosts, "--json").lines();
        assertThat(lines.get(0))
                .startsWith("{\"host\": \"www.example.com\", \"answers_given\": false,"
                        + " \"assumed\": \"www.example.com.\", \"costs\": [");
        assertThat(lines.subList(1, lines.size()))
                .hasSize(5)
                .allMatch(line -> line.contains("\"answers_given\": false"));
        assertThat(queries("--advise", hosts, "--json", "--answer", "*=A").lines())
                .allMatch(line -> line.contains("\"answers_given\": true"));
    }

    @Test
    void adviceWithManifestsAssumesThatNamesOutsideTheClusterExist() throws IOException {
        Run run = queries(
                "-f", Run.BOOKSTORE, "--advise", file("hosts.txt", "www.example.com\ndb.shop\ngone.shop.svc\n"));
        assertThat(run.lines())
                .startsWith(
                        "www.example.com: 8 queries, found (glibc, musl-1.2.5, go)",
                        "  set ndots:2: 2 queries, found (glibc, musl-1.2.5, go) [1]")
                .contains(
                        "db.shop: 4 queries, found (glibc, musl-1.2.5, go)",
                        "  1      16 queries  6 queries, no db.shop  16 queries")
                .anyMatch(line -> line.startsWith("gone.shop.svc: 8 queries, EAI_NONAME (glibc, musl-1.2.5); "));
        assertThat(run.err())
                .contains("note: outside the cluster, assumed to exist if it is a full name in the list and cannot be a"
                        + " Service of a known namespace, otherwise NXDOMAIN: www.example.com.")
                .doesNotContain("gone.shop");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "www.example.com=A", "*=A", "crat.shop=A"})
    void misspeltServiceOfAKnownNamespaceIsMissingForEveryUpstreamAnswer(String answer) throws IOException {
        String hosts =
                file("hosts.txt", "crat.shop\ncrat.shop.svc\ncrat.shop.svc.cluster.local.\ndb-9.crat.shop.svc\n");
        List<String> lines = advise(hosts, answer);
        assertThat(lines.subList(0, 5))
                .allMatch(line -> !line.contains("queries, found"), "not found")
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("crat.shop: 8 queries, EAI_NONAME ")
                                .endsWith(" [1]"),
                        line -> assertThat(line)
                                .startsWith("crat.shop.svc: 8 queries, ")
                                .endsWith(" [2]"),
                        line -> assertThat(line)
                                .startsWith("crat.shop.svc.cluster.local.: ")
                                .contains(" [2] "),
                        line -> assertThat(line)
                                .startsWith("db-9.crat.shop.svc: ")
                                .endsWith(" [2]"),
                        line -> assertThat(line).startsWith("all 4 names"));
        assertThat(lines)
                .contains(
                        "[1] Missing: the cluster has the namespace in this name, but no such Service; nothing is"
                                + " suggested. If a name outside the cluster is meant, end it with a dot.",
                        "[2] Missing: the cluster has the namespace in this name, but no such Service; nothing is"
                                + " suggested.");
    }

    /** Returns the advice with the example's manifests, and with an answer if it is not empty. */
    private List<String> advise(String hosts, String answer) {
        List<String> arguments = new ArrayList<>(List.of("-f", Run.BOOKSTORE, "--advise", hosts));
        if (!answer.isEmpty()) {
            arguments.addAll(List.of("--answer", answer));
        }
        return queries(arguments.toArray(String[]::new)).lines();
    }

    @Test
    void hostBelowAnUnknownServiceIsUnknownWithoutAnAnswer() throws IOException {
        String manifests = file("dev.yaml", """
                apiVersion: v1
                kind: Namespace
                metadata: {name: dev}
                """);
        String hosts = file("hosts.txt", "www.go.dev\ndb-0.bd.dev\n_sip._tcp.go.dev\n");
        assertThat(queries("-f", manifests, "--advise", hosts).lines())
                .startsWith("www.go.dev: 8 queries, EAI_NONAME (glibc, musl-1.2.5); 8 queries, not found (go) [1]")
                .contains("db-0.bd.dev: 8 queries, EAI_NONAME (glibc, musl-1.2.5); 8 queries, not found (go) [1]")
                .anyMatch(line -> line.startsWith("_sip._tcp.go.dev: 8 queries, found "))
                .anyMatch(line -> line.startsWith("[1] Unknown: "))
                .noneMatch(line -> line.contains("Missing"))
                .noneMatch(line -> line.startsWith("  write www.go.dev") || line.startsWith("  set ndots:2"));
        assertThat(queries("-f", manifests, "--advise", hosts, "--answer", "www.go.dev=A")
                        .lines())
                .startsWith(
                        "www.go.dev: 8 queries, found (glibc, musl-1.2.5, go)",
                        "  set ndots:2: 2 queries, found (glibc, musl-1.2.5, go) [1]");
    }

    @Test
    void namespaceIsNotFoundAndNothingIsSuggested() throws IOException {
        assertThat(advise(file("hosts.txt", "shop.svc\n"), ""))
                .noneMatch(line -> line.contains("queries, found"))
                .noneMatch(line -> line.startsWith("  write") || line.startsWith("  set"))
                .last()
                .asString()
                .startsWith("[1] Not found: this is a namespace");
    }

    @ParameterizedTest
    @ValueSource(strings = {"--namespace=prod", "--labels=a=c", "--namespace-labels=a=c"})
    void hiddenServicesAndNamespacesAreNotReportedAsMissing(String filter) throws IOException {
        String manifests = file("hid.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: api, namespace: prod}
                spec: {clusterIP: 10.96.0.1, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: stage}
                spec: {clusterIP: 10.96.0.2, ports: [{port: 80}]}
                """);
        String hosts = file("hosts.txt", "web.stage\nwbe.stage\nwbe.stage.svc.cluster\n");
        List<String> lines = queries("-f", manifests, filter, "--advise", hosts).lines();
        assertThat(lines.subList(0, 4))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith("web.stage: 8 queries, EAI_NONAME ")
                                .endsWith(" [1]"),
                        line -> assertThat(line)
                                .startsWith("wbe.stage: 8 queries, EAI_NONAME ")
                                .endsWith(" [2]"),
                        line -> assertThat(line)
                                .startsWith("wbe.stage.svc.cluster: 8 queries, EAI_NONAME ")
                                .endsWith(" [3]"),
                        line -> assertThat(line).startsWith("all 3 names"));
        assertThat(lines)
                .anyMatch(line -> line.startsWith("[1] Not found: the Service exists, but its name has no address"))
                .anyMatch(line -> line.startsWith("[2] Missing: the cluster has the namespace in this name"))
                .anyMatch(line -> line.startsWith("[3] Missing: the cluster has the namespace in this name"));
    }

    @Test
    void unknownEndpointOfAKnownServiceIsNotFoundUnlessUpstreamHasTheName() throws IOException {
        String hosts = file("hosts.txt", "db-9.db.shop\n");
        List<String> lines = advise(hosts, "");
        assertThat(lines).first().asString().startsWith("db-9.db.shop: 8 queries, EAI_NONAME ");
        assertThat(lines)
                .noneMatch(line -> line.startsWith("  write") || line.startsWith("  set"))
                .last()
                .asString()
                .startsWith("[1] Not found: the cluster has the Service in this name, but no such endpoint");
        assertThat(advise(hosts, "*=A")).first().asString().startsWith("db-9.db.shop: 8 queries, found ");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"early.shop", "early.shop.svc", "early.shop.svc.cluster.local", "alias.shop", "alias.shop.svc"})
    void serviceWithoutAddressIsNotMissing(String host) throws IOException {
        String manifests = file("shop.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: early, namespace: shop}
                spec: {clusterIP: None, selector: {app: early}, ports: [{port: 80}]}
                ---
                apiVersion: v1
                kind: Service
                metadata: {name: alias, namespace: shop}
                spec: {type: ExternalName, externalName: gone.shop.svc.cluster.local}
                """);
        for (String answer : List.of("*=A", "www.example.com=A")) {
            Run run = queries(
                    "-f",
                    manifests,
                    "--advise",
                    file("hosts.txt", host + "\n"),
                    "--answer",
                    answer,
                    "--dialect",
                    "glibc");
            assertThat(run.lines())
                    .first()
                    .asString()
                    .contains(" queries, EAI_N")
                    .endsWith(" [1]");
            assertThat(run.lines())
                    .noneMatch(line -> line.startsWith("  write") || line.startsWith("  set"))
                    .last()
                    .asString()
                    .startsWith("[1] Not found: the Service exists, but its name has no address");
        }
    }

    @ParameterizedTest
    @CsvSource({
        "kubernetes.default, the API server creates",
        "kubernetes.default.svc, the API server creates",
        "kubernetes.default.svc.cluster.local, the API server creates",
        "kube-dns.kube-system, Kubernetes or an add-on",
        "metrics-server.kube-system.svc, Kubernetes or an add-on",
    })
    void builtInServiceOfTheClusterIsNotMissing(String host, String part) throws IOException {
        String system = file("system.yaml", """
                apiVersion: v1
                kind: List
                items:
                - {apiVersion: v1, kind: Namespace, metadata: {name: default}}
                - {apiVersion: v1, kind: Namespace, metadata: {name: kube-system}}
                """);
        for (String manifests : List.of(Run.BOOKSTORE, system)) {
            List<String> lines = queries("-f", manifests, "--advise", file("hosts.txt", host + "\n"))
                    .lines();
            assertThat(lines).first().asString().endsWith(" [1]");
            assertThat(lines)
                    .noneMatch(line -> line.startsWith("  write") || line.startsWith("  set"))
                    .last()
                    .asString()
                    .startsWith("[1] Not in these manifests: " + part);
        }
    }

    @Test
    void namesOutsideTheClusterAreReportedButNotMissingServicesOfKnownNamespaces() throws IOException {
        Run run = queries(
                "-f", Run.BOOKSTORE, "--advise", file("hosts.txt", "crat.shop\nwww.example.com\n"), "--answer", "*=A");
        assertThat(run.err().lines())
                .last()
                .isEqualTo("note: outside the cluster, answered by --answer, otherwise NXDOMAIN: www.example.com.");
    }

    @Test
    void nameInAnUnknownNamespaceIsAssumedToExist() throws IOException {
        assertThat(queries("-f", Run.BOOKSTORE, "--advise", file("hosts.txt", "crat.prod\n"))
                        .lines())
                .startsWith(
                        "crat.prod: 8 queries, found (glibc, musl-1.2.5, go)",
                        "  set ndots:1: 2 queries, found (glibc, musl-1.2.5, go) [1]");
    }

    @Test
    void lineThatIsNotOnlyAHostIsReportedWithACorrection() throws IOException {
        String hosts = file("hosts.txt", """
                \uFEFF# of the reporter
                https://user@api.example.com:8443/x?y#z
                db.shop:5432

                [2001:db8::1]:53
                jdbc:postgresql://db.shop/orders
                api.example.com/x
                10.0.0.1 gateway
                :80
                fe80::1%eth0
                2001:db8::1
                cart
                """);
        Run run = queries("--advise", hosts);
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines())
                .containsExactly(
                        "error: " + hosts + ": line 2: not a host name alone: https://user@api.example.com:8443/x?y#z;"
                                + " write api.example.com",
                        "error: " + hosts + ": line 3: not a host name alone: db.shop:5432; write db.shop",
                        "error: " + hosts + ": line 5: not a host name alone: [2001:db8::1]:53; write 2001:db8::1",
                        "error: " + hosts
                                + ": line 6: not a host name alone: jdbc:postgresql://db.shop/orders; write db.shop",
                        "error: " + hosts + ": line 7: not a host name alone: api.example.com/x; write api.example.com",
                        "error: " + hosts + ": line 8: not a host name alone: 10.0.0.1 gateway; write 10.0.0.1",
                        "error: " + hosts + ": line 9: not a host name alone: :80; write a host name");
        assertThat(queries("--advise", file("none.txt", "# nothing\n")).err())
                .startsWith("error: ")
                .contains("none.txt: no name in it");
    }

    @Test
    void onlyTheFirstErrorsOfAFileArePrinted() throws IOException {
        Run run = queries("--advise", file("hosts.txt", ("http://a" + "b".repeat(200) + "\n").repeat(50_000)));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err().lines()).hasSize(21).last().isEqualTo("error: and 49980 more");
        assertThat(run.err().lines()).allMatch(line -> line.length() < 400);
    }

    @Test
    void lineThatIsNotUtf8IsReported() throws IOException {
        Path latin = folder.resolve("latin1.conf");
        Files.writeString(latin, "# B\u00fcro\nsearch b\u00fcro.example\n", StandardCharsets.ISO_8859_1);
        assertThat(Run.of("queries", "--resolv-conf", latin.toString(), "db"))
                .isEqualTo(
                        new Run(Main.INVALID, "", "error: " + latin + ": line 2: not UTF-8" + System.lineSeparator()));
        assertThat(queries("--advise", latin.toString()).err())
                .isEqualTo("error: " + latin + ": line 2: not UTF-8" + System.lineSeparator());
        Files.writeString(latin, "# B\u00fcro\nsearch a.example\n", StandardCharsets.ISO_8859_1);
        assertThat(Run.of("queries", "--resolv-conf", latin.toString(), "db").out())
                .contains("db.a.example.");
    }

    @Test
    void domainsAreShownAsTheFileHasThem() throws IOException {
        podFile = file("resolv.conf", "search caf\u00e9.example\noptions ndots:5\n");
        assertThat(queries("db").lines())
                .startsWith(
                        "db (glibc, ndots 5): 2 names, 4 queries if none is found",
                        "  1  db.caf\\195\\169.example.  2 queries  + caf\u00e9.example");
    }

    @Test
    void tableOfALongSearchListIsFast() throws IOException {
        podFile = file(
                "resolv.conf",
                "search "
                        + IntStream.range(0, 20_000)
                                .mapToObj(i -> "d" + i + ".example")
                                .collect(Collectors.joining(" ")));
        assertThat(queries("--dialect", "glibc", "--dialect", "go", "db").lines())
                .hasSizeGreaterThan(20_000);
    }
}
