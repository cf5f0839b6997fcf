package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class VerifyTest {
    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata:
              name: web
              namespace: shop
            spec:
              clusterIP: %s
              ports:
                - name: http
                  port: 80
            ---
            apiVersion: v1
            kind: Namespace
            metadata:
              name: shop
            ---
            """;

    @TempDir
    private Path folder;

    private String manifest(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    @Test
    void findsNoDifferenceForEqualObjects() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", Run.BOOKSTORE);
            assertThat(run.out()).matches("\\d+ names, 0 differences\\R");
            assertThat(run.code()).isZero();
        }
    }

    @Test
    void reportsServersThatDoNotExpandSearchLists() throws Exception {
        String[] verify = {"verify", "--as-applied", "--autopath-suffix", "ap.k8s.io", Run.BOOKSTORE, "--server"};
        try (RunningServer server = RunningServer.atFreePort(List.of("--autopath", "name"), Run.BOOKSTORE)) {
            Run run = Run.of(with(verify, server.address()));
            assertThat(run.out()).matches("\\d+ names, 0 differences\\R");
            assertThat(run.code()).isZero();
        }
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            Run run = Run.of(with(verify, server.address()));
            assertThat(run.lines())
                    .containsSubsequence(
                            "Service shop/cart: cart.search.shop.cluster.local.ap.k8s.io. CNAME: "
                                    + "expected cart.shop.svc.cluster.local., got REFUSED",
                            "  because: the search list leads to cart.shop.svc.cluster.local. (--autopath-suffix)",
                            "no-such-name.search.shop.cluster.local.ap.k8s.io. A: expected NXDOMAIN, got REFUSED",
                            "  because: no name of the search list exists (--autopath-suffix)");
            assertThat(run.code()).isEqualTo(Main.FAILED);
            Run inZone = Run.of(
                    "verify",
                    "--as-applied",
                    "--autopath-suffix",
                    "ap.cluster.local",
                    "--server",
                    server.address(),
                    Run.BOOKSTORE);
            assertThat(inZone.lines())
                    .containsSubsequence(
                            "Service shop/cart: cart.search.shop.cluster.local.ap.cluster.local. CNAME: "
                                    + "expected cart.shop.svc.cluster.local., got NXDOMAIN",
                            "  because: the search list leads to cart.shop.svc.cluster.local. (--autopath-suffix)");
        }
    }

    private static String[] with(String[] arguments, String last) {
        String[] all = Arrays.copyOf(arguments, arguments.length + 1);
        all[arguments.length] = last;
        return all;
    }

    @Test
    void printsTheDifferenceAndItsObject() throws Exception {
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10"));
        String expected = manifest("expected.yaml", SERVICE.formatted("10.96.0.11"));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), expected);
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.lines())
                    .containsSubsequence(
                            "Service shop/web: web.shop.svc.cluster.local. A: missing 10.96.0.11; "
                                    + "not expected 10.96.0.10",
                            "  because: Service shop/web, spec.clusterIPs[0] (specification 2.3.1); 10.96.0.10 is neither a"
                                    + " cluster IP nor the address of an endpoint, a Pod or a Node in the manifests")
                    .containsSubsequence(
                            "Service shop/web: 11.0.96.10.in-addr.arpa. PTR: "
                                    + "expected web.shop.svc.cluster.local., got NXDOMAIN",
                            "  because: Service shop/web, spec.clusterIPs[0] (specification 2.3.3)");
            assertThat(run.lines().get(run.lines().size() - 1)).matches("\\d+ names, 2 differences");
        }
    }

    @Test
    void inventedAddressesAreMarked() throws Exception {
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10") + """
                {apiVersion: v1, kind: Service, metadata: {name: given, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                """);
        String expected = manifest("expected.yaml", SERVICE.replace("  clusterIP: %s\n", "") + """
                {apiVersion: v1, kind: Service, metadata: {name: given, namespace: shop}, spec: {clusterIP: 10.96.0.21, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: six, namespace: shop}, spec: {clusterIP: None, selector: {app: six}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: six, namespace: shop}
                spec:
                  replicas: 8
                  selector: {matchLabels: {app: six}}
                  template: {metadata: {labels: {app: six}}, spec: {containers: [{name: a, image: b}]}}
                """);
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            List<String> verify = List.of("verify", "--server", server.address(), "--as-applied", "-f", expected);
            Run text = Run.of(verify);
            assertThat(text.lines())
                    .anyMatch(line -> line.matches("Service shop/web: web\\.shop\\.svc\\.cluster\\.local\\. A: "
                            + "missing 10\\.\\S+ \\(invented address\\); not expected 10\\.96\\.0\\.10"))
                    .anyMatch(line -> line.matches("Service shop/web: \\S+\\.in-addr\\.arpa\\. PTR: expected "
                            + "web\\.shop\\.svc\\.cluster\\.local\\. \\(invented address\\), got NXDOMAIN"))
                    .anyMatch(line -> line.matches(".* six\\.shop\\.svc\\.cluster\\.local\\. A: expected "
                            + "(10\\.\\S+ \\(invented address\\),? ){5}and 3 more, got NXDOMAIN"))
                    .anyMatch(line -> line.matches(".* 10-\\S+\\.shop\\.pod\\.cluster\\.local\\. AAAA: "
                            + "expected no record \\(NODATA\\) \\(name made of an invented address\\), got NXDOMAIN"))
                    .contains(
                            "Service shop/given: given.shop.svc.cluster.local. A: missing 10.96.0.21; not expected 10.96.0.20");
            long marked = text.lines().stream()
                    .filter(line -> line.contains("invented address)"))
                    .count();
            String json = Run.of(verify, "-o", "json").out();
            assertThat(json.split("\"invented\": true\\}", -1)).hasSize(Math.toIntExact(marked) + 1);
            assertThat(json).doesNotContain("(invented address)");
            String junit = Run.of(verify, "-o", "junit").out();
            assertThat(List.of(text.out(), json, junit))
                    .as("a Pod with an invented name is named after its workload")
                    .allMatch(out -> out.contains("Deployment shop/six") && !out.contains("six-deployment-"));
            assertThat(junit.split("<failure message=\"[^\"]*invented address\\)", -1))
                    .hasSize(Math.toIntExact(marked) + 1);
        }
    }

    @Test
    void unexpectedNamesAreDifferences() throws Exception {
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10") + """
                apiVersion: v1
                kind: Service
                metadata:
                  name: no-such-name
                  namespace: shop
                spec:
                  clusterIP: 10.96.0.12
                  ports: [{port: 80}]
                """);
        String expected = manifest("expected.yaml", SERVICE.formatted("10.96.0.10"));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), expected);
            assertThat(run.lines())
                    .containsSubsequence(
                            "Namespace shop: no-such-name.shop.svc.cluster.local. A: "
                                    + "expected NXDOMAIN, got 10.96.0.12",
                            "  because: Service shop/no-such-name: no such Service");
            Run reverse = Run.of("verify", "--server", server.address(), served);
            assertThat(reverse.code()).as(reverse.out()).isZero();
        }
    }

    @Test
    void theReasonForARecordOfAPodIsItsWorkload() throws Exception {
        String manifest = """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: cart, namespace: shop}, spec: {clusterIP: None, selector: {app: cart}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: cart, namespace: shop}
                spec:
                  selector: {matchLabels: {app: cart}}
                  template:
                    metadata: {labels: {app: cart}}
                    spec: {hostname: no-such-name, %scontainers: [{name: a, image: b}]}
                """;
        String served = manifest("served.yaml", manifest.formatted("subdomain: cart, "));
        String expected = manifest("expected.yaml", manifest.formatted(""));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", expected);
            assertThat(run.out())
                    .contains("no-such-name.cart.shop.svc.cluster.local. A: expected NXDOMAIN, got ")
                    .contains("because: Deployment shop/cart, spec.template.spec.subdomain: missing; ");
        }
    }

    private static final String WORKLOAD = """
            {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
            ---
            {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}, ports: [{name: http, port: 80}]}}
            ---
            apiVersion: apps/v1
            kind: Deployment
            metadata: {name: web, namespace: shop}
            spec:
              replicas: %d
              selector: {matchLabels: {app: web}}
              template:
                metadata: {labels: {app: web}}
                spec: {containers: [{name: a, image: b}]}
            """;

    @Test
    void theReasonForMorePodsThanExpectedHasTheirNumbers() throws Exception {
        String served = manifest("served.yaml", WORKLOAD.formatted(3));
        String expected = manifest("expected.yaml", WORKLOAD.formatted(2));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", expected);
            assertThat(run.lines())
                    .filteredOn(line -> line.startsWith("  because: "))
                    .hasSize(3)
                    .allMatch(line -> line.matches("  because: 10[.\\d]+ is neither a cluster IP nor the address of an"
                            + " endpoint, a Pod or a Node in the manifests; of the Pods of Deployment shop/web 2 records"
                            + " are expected, and the server has 3"));
        }
    }

    @Test
    void theReasonAgainstAPodIsThatItIsNotReady() throws Exception {
        String both = manifest("both.yaml", WORKLOAD.formatted(2) + """
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: web-0, namespace: shop, labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                """);
        try (RunningServer server = RunningServer.atFreePort(List.of(), both)) {
            Run run =
                    Run.of("verify", "--server", server.address(), "--as-applied", "--ready", "shop/web-0=false", both);
            assertThat(run.lines())
                    .filteredOn(line -> line.startsWith("  because: "))
                    .hasSize(3)
                    .allMatch(line ->
                            line.matches("  because: Pod shop/web-0 has the address 10[.\\d]+ \\(invented address\\),"
                                    + " but is not ready"));
        }
    }

    @Test
    void theNoteAboutAWorkloadThatIsNotCompletedSaysWhichPodsAreMissing() throws Exception {
        String manifest = manifest(
                "git.yaml",
                WORKLOAD.formatted(2) + "---\n"
                        + SERVICE.formatted("10.96.0.10").replace("web", "api"));
        try (RunningServer server = RunningServer.atFreePort(List.of(), manifest)) {
            assertThat(Run.of("verify", "--server", server.address(), manifest).err())
                    .contains("not checked: 1 of 2 Services")
                    .contains(
                            "Service shop/web: no record: it selects the Pods of a workload, which are not among the objects")
                    .doesNotContain("matches no Pod");
        }
    }

    @Test
    void aReasonNamesTheObjectsOfASliceThatNoManifestHolds() throws Exception {
        String manifest = """
                {apiVersion: v1, kind: Namespace, metadata: {name: shop}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, selector: {app: db}, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: db, namespace: shop, labels: {app: db}}, spec: {containers: [{name: a, image: b}]},
                 status: {phase: Running, podIP: 10.244.0.9, podIPs: [{ip: 10.244.0.9}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template:
                    metadata: {labels: {app: web}}
                    spec: {containers: [{name: a, image: b}]}
                """;
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10"));
        String expected = manifest("expected.yaml", manifest);
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", expected);
            assertThat(run.out()).doesNotContain("EndpointSlice");
            assertThat(run.lines())
                    .contains(
                            "  because: Pod shop/db, status.podIPs[0] (specification 2.4.1)",
                            "  because: Deployment shop/web, spec.template (specification 2.4.1)");
        }
    }

    @Test
    void anInventedAddressInAReasonIsMarked() throws Exception {
        String served = manifest(
                "served.yaml",
                SERVICE.formatted("10.96.0.10")
                        .replace("  ports:", "  clusterIPs: [10.96.0.10, \"fd00::10\"]\n  ports:"));
        String expected = manifest("expected.yaml", SERVICE.replace("  clusterIP: %s\n", ""));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            Run run = Run.of("verify", "--server", server.address(), "--as-applied", expected);
            assertThat(run.lines())
                    .anyMatch(line ->
                            line.matches("  because: Service shop/web, spec\\.clusterIPs: has records, but none of type"
                                    + " AAAA; its addresses are \\[10\\.\\S+ \\(invented address\\)\\]"));
        }
    }

    @Test
    void doesNotCompleteManifestsByDefault() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("--as-is"), Run.BOOKSTORE)) {
            Run asIs = Run.of("verify", "--server", server.address(), Run.BOOKSTORE);
            assertThat(asIs.code()).as(asIs.out()).isZero();
            Run asApplied = Run.of("verify", "--server", server.address(), "--as-applied", Run.BOOKSTORE);
            assertThat(asApplied.code()).isEqualTo(Main.FAILED);
            assertThat(asApplied.out()).contains("Service shop/db, Pod shop/db-0: db-0.db.shop.svc.cluster.local. A: ");
        }
    }

    @Test
    void servicesWithoutAnAddressAreNotCheckedWhichIsNoSuccess() throws Exception {
        String manifest = manifest("git.yaml", SERVICE.replace("  clusterIP: %s\n", ""));
        try (RunningServer server = RunningServer.atFreePort(List.of("--as-is"), manifest)) {
            List<String> verify = List.of("verify", "--server", server.address(), manifest);
            Run nothing = Run.of(verify);
            assertThat(nothing.code()).isEqualTo(Main.INVALID);
            assertThat(nothing.out()).isEmpty();
            assertThat(nothing.err())
                    .contains(
                            "k8sdns verify: nothing is checked, because no object has a record: 1 of 1 Service has no "
                                    + "address yet (for example Service shop/web); --as-applied completes manifests as k8sdns serve does");
            Run exported = Run.of(verify, "--as-is");
            assertThat(exported.code()).isEqualTo(Main.INVALID);
            assertThat(exported.err())
                    .contains("1 of 1 Service has no address yet")
                    .doesNotContain("--as-applied");
            Run hidden = Run.of(verify, "-n", "lab");
            assertThat(hidden.code()).isEqualTo(Main.INVALID);
            assertThat(hidden.err())
                    .containsPattern("(?m)^k8sdns verify: nothing is checked, because no object has a record$");
        }
    }

    @Test
    void servicesWithoutAnAddressAreCountedIfOthersAreChecked() throws Exception {
        try (RunningServer server = RunningServer.atFreePort(List.of("--as-is"), Run.BOOKSTORE)) {
            Run run = Run.of("verify", "--server", server.address(), Run.BOOKSTORE);
            assertThat(run.code()).as(run.out()).isZero();
            assertThat(run.err())
                    .containsPattern(
                            "(?m)^warning: not checked: 3 of 5 Services have no address yet \\(for example Service "
                                    + "shop/\\w+\\); --as-applied completes manifests as k8sdns serve does$");
            assertThat(Run.of("verify", "--server", server.address(), "--no-endpoints", Run.BOOKSTORE)
                            .err())
                    .contains("not checked: 2 of 5 Services have no address yet");
        }
        try (RunningServer server = RunningServer.atFreePort(List.of(), Run.BOOKSTORE)) {
            assertThat(Run.of("verify", "--server", server.address(), "--as-applied", Run.BOOKSTORE)
                            .err())
                    .doesNotContain("not checked");
        }
    }

    /** A cluster has the names of these Services, and one of its addresses may be next to a known one. */
    @Test
    void servicesWithoutAnAddressAreNotAskedFor() throws Exception {
        String manifest = manifest("git.yaml", SERVICE.formatted("10.96.0.10") + """
                {apiVersion: v1, kind: Service, metadata: {name: next, namespace: shop}, spec: {ports: [{name: http, port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: db, namespace: shop}, spec: {clusterIP: None, selector: {app: db}, ports: [{name: sql, port: 1}]}}
                ---
                {apiVersion: v1, kind: Pod, metadata: {name: no-such-name, namespace: shop, labels: {app: db}}, spec: {hostname: no-such-name, subdomain: db, containers: [{name: a, image: b}]}}
                """);
        String applied = manifest(
                "applied.yaml",
                Files.readString(Path.of(manifest))
                        .replace("spec: {ports: [{name: http", "spec: {clusterIP: 10.96.0.11, ports: [{name: http"));
        for (List<String> each : List.of(List.of(applied, manifest), List.of(Run.BOOKSTORE, Run.BOOKSTORE))) {
            try (RunningServer server = RunningServer.atFreePort(List.of(), each.get(0))) {
                String expected = each.get(1);
                Run run = Run.of("verify", "--server", server.address(), expected);
                assertThat(run.code()).as(run.out()).isZero();
                assertThat(run.err()).contains("warning: not checked: ");
                assertThat(Run.of("verify", "--server", server.address(), "-o", "junit", expected)
                                .out())
                        .contains("testcase")
                        .doesNotContain("db.shop", "next.shop");
            }
        }
        String other = manifest("other.yaml", SERVICE.formatted("10.96.0.11"));
        try (RunningServer server = RunningServer.atFreePort(List.of(), other)) {
            Run run = Run.of("verify", "--server", server.address(), manifest);
            assertThat(run.code()).isEqualTo(Main.FAILED);
            assertThat(run.out())
                    .contains("web.shop.svc.cluster.local. A: missing 10.96.0.10; not expected 10.96.0.11");
        }
    }

    @Test
    void theServerMayHaveNoPortAndIsNoParameter() throws IOException {
        String nowhere = manifest("empty.yaml", "");
        assertThat(Run.of("verify", "--server", "127.0.0.1", nowhere).err()).contains("no Kubernetes object in ");
        for (String word : List.of("@127.0.0.1:15353", "127.0.0.1:15353")) {
            Run run = Run.of("verify", word);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .startsWith("k8sdns verify: no such file or directory: '" + word
                            + "'; to ask a server, write --server 127.0.0.1:15353 (see ");
        }
    }

    @Test
    void oneDifferenceIsSingular() throws Exception {
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10"));
        String expected = manifest("expected.yaml", SERVICE.formatted("10.96.0.10") + """
                {apiVersion: v1, kind: Service, metadata: {name: www, namespace: shop}, spec: {type: ExternalName, externalName: example.com}}
                """);
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            assertThat(Run.of("verify", "--server", server.address(), expected).lines())
                    .last()
                    .asString()
                    .matches("\\d+ names, 1 difference");
        }
    }

    @Test
    void differencesOfManifestsThatAreNotCompletedAreExplained() throws Exception {
        String manifest = manifest(
                "git.yaml",
                SERVICE.formatted("10.96.0.10").replace("  ports:", "  selector: {app: web}\n  ports:") + """
                {apiVersion: v1, kind: Pod, metadata: {name: a, namespace: shop, labels: {app: web}}, spec: {hostname: no-such-name, subdomain: web, containers: [{name: a, image: b}]}}
                """);
        try (RunningServer server = RunningServer.atFreePort(List.of(), manifest)) {
            Run run = Run.of("verify", "--server", server.address(), manifest);
            assertThat(run.code()).as(run.out()).isEqualTo(Main.FAILED);
            assertThat(run.err().lines())
                    .last()
                    .asString()
                    .matches("note: 1 of 1 difference disappears with --as-applied, which completes manifests"
                            + " as k8sdns serve does");
        }
    }

    @Test
    void otherDifferencesAreNotExplainedByCompletion() throws Exception {
        String served = manifest("served.yaml", SERVICE.formatted("10.96.0.10"));
        String expected = manifest("expected.yaml", SERVICE.formatted("10.96.0.11"));
        try (RunningServer server = RunningServer.atFreePort(List.of(), served)) {
            assertThat(Run.of("verify", "--server", server.address(), expected).err())
                    .doesNotContain("--as-applied");
            assertThat(Run.of("verify", "--server", server.address(), "--as-is", Run.BOOKSTORE)
                            .err())
                    .doesNotContain("--as-applied");
        }
    }

    /** An answer of more than 1232 bytes is truncated over UDP, and complete over TCP. */
    @Test
    void truncatedAnswersAreFetchedOverTcp() throws Exception {
        StringBuilder slice = new StringBuilder("""
                apiVersion: v1
                kind: Service
                metadata:
                  name: many
                  namespace: shop
                spec:
                  clusterIP: None
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: many-1
                  namespace: shop
                  labels:
                    kubernetes.io/service-name: many
                addressType: IPv4
                endpoints:
                """);
        for (int i = 0; i < 200; i++) {
            slice.append("  - addresses: [10.244.1.").append(i).append("]\n");
        }
        String manifest = manifest("many.yaml", slice.toString());
        try (RunningServer server = RunningServer.atFreePort(List.of(), manifest)) {
            Run run = Run.of("verify", "--server", server.address(), manifest);
            assertThat(run.code()).as(run.out()).isZero();
        }
    }

    @Test
    void missingServerIsReportedInOneLine() throws Exception {
        try (DatagramSocket refusing = new DatagramSocket(0, InetAddress.getLoopbackAddress())) {
            // Refuses the datagrams of all others, and keeps other programs from the port.
            refusing.connect(refusing.getLocalSocketAddress());
            String server = "127.0.0.1:" + refusing.getLocalPort();
            Run run = Run.of("verify", "--server", server, Run.BOOKSTORE);
            assertThat(run.code()).isEqualTo(Main.NO_RESULT);
            assertThat(run.out()).isEmpty();
            assertThat(run.err().lines().filter(line -> line.startsWith("k8sdns verify: ")))
                    .singleElement()
                    .asString()
                    .contains(server);
        }
    }
}
