package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertAll;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ResolvConfCommandTest {
    private static final String POD = "\"pod\": {\"metadata\": {\"name\": \"web\"}}";
    private static final String MISSING_CLUSTER_DNS = "pod: \"web_default()\". kubelet does not have ClusterDNS IP"
            + " configured and cannot create Pod using \"ClusterFirst\" policy. Falling back to \"Default\" policy.";

    private static final String WITHOUT_CLUSTER_DNS = "without --cluster-dns the Pod gets the node's own file; name the"
            + " cluster's DNS server, usually the cluster IP of the Service kube-system/kube-dns";

    @TempDir
    private Path folder;

    private String pod;
    private String hostFile;

    @BeforeEach
    void writeFiles() throws IOException {
        pod = pod("");
        hostFile = file("host.resolv.conf", "nameserver 192.0.2.53\nsearch corp.example\noptions timeout:3\n");
    }

    private String file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text).toString();
    }

    /** Writes a Pod with these lines in its spec. */
    private String pod(String spec) throws IOException {
        return file("pod.yaml", "apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec:\n" + spec.indent(2));
    }

    private static Run resolvconf(String... arguments) {
        return Run.of(List.of("resolvconf"), arguments);
    }

    private Run batch(String... lines) throws IOException {
        return resolvconf("--batch", file("batch.jsonl", String.join("\n", lines)));
    }

    private static Run withStdin(String text, String... arguments) {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)));
        try {
            return resolvconf(arguments);
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void onlyTheFileIsPrinted() {
        Run run = resolvconf("--pod", pod, "--cluster-dns", "10.96.0.10", "--host-resolv-conf", hostFile);
        assertThat(run).isEqualTo(new Run(Main.DONE, """
                        nameserver 10.96.0.10
                        search default.svc.cluster.local svc.cluster.local cluster.local corp.example
                        options ndots:5
                        """, ""));
    }

    @Test
    void theFirstPodOfADirectoryIsNamed() {
        Run run = resolvconf("-R", "-f", Run.BOOKSTORE, "--cluster-dns", "10.96.0.10");
        assertThat(run.code()).isZero();
        assertThat(run.out()).startsWith("nameserver 10.96.0.10\nsearch shop.svc.cluster.local ");
        assertThat(run.err())
                .isEqualToIgnoringNewLines(
                        "note: " + Path.of(Run.BOOKSTORE, "cart.yaml")
                                + ":18: Deployment shop/cart: the first Pod or workload of the directory; --from NS/POD chooses another");
    }

    @Test
    void fromChoosesAPodOfAWorkloadOfADirectory() throws IOException {
        for (String from : List.of("shop/db-0", "shop/db")) {
            Run run = resolvconf("-f", Run.BOOKSTORE, "--from", from, "--cluster-dns", "10.96.0.10", "--json");
            assertThat(run.err()).isEmpty();
            assertThat(run.out()).contains("\"hostname\": \"db-0\"");
        }
        Run none = resolvconf("-f", Run.BOOKSTORE, "--from", "shop/cat");
        assertThat(none.code()).isEqualTo(Main.INVALID);
        assertThat(none.err())
                .startsWith("error: " + Run.BOOKSTORE
                        + ": the directory has no Pod or workload shop/cat, but Deployment shop/cart, ")
                .doesNotContain("Service of v1");
        for (String invalid : List.of("shop", "shop/", "a/b/c")) {
            assertThat(resolvconf("-f", pod, "--from", invalid).err())
                    .contains("--from: not NS/POD or NS/WORKLOAD: '" + invalid + "'");
        }
        assertThat(resolvconf("--batch", file("batch.jsonl", ""), "--from", "a/b")
                        .err())
                .contains("not --from");
    }

    /** As with the other commands, which report such files. */
    @Test
    void theCommandThatReadsAChartIsNamed() throws IOException {
        Path chart = Files.createDirectories(folder.resolve("a chart"));
        Files.writeString(chart.resolve("Chart.yaml"), "name: web\n");
        Files.writeString(chart.resolve("web.yaml"), "kind: {{ .Values.kind }}\n");
        Run run = resolvconf("--pod", chart.toString(), "--cluster-dns", "10.96.0.10");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .contains("note: to read the chart: helm template RELEASE '" + chart
                        + "' | k8sdns resolvconf -f -, or --render");
    }

    @Test
    void filesOfADirectoryThatCannotBeParsedAreReported() throws IOException {
        Path directory = Files.createDirectory(folder.resolve("deploy"));
        Files.writeString(directory.resolve("a.yaml"), "{{ if }}\n");
        Files.copy(Path.of(pod), directory.resolve("b.yaml"));
        Run run = resolvconf("-f", directory.toString(), "--cluster-dns", "10.96.0.10");
        assertThat(run.code()).isZero();
        assertThat(run.err().lines())
                .hasSize(2)
                .anySatisfy(line -> assertThat(line)
                        .startsWith("warning: " + directory.resolve("a.yaml") + ":1: the document is skipped: "))
                .anySatisfy(line -> assertThat(line).contains("b.yaml:1: Pod default/web: the first Pod"));
    }

    @Test
    void eventsOfTheKubeletAreWarningsOnStderr() {
        Run run = resolvconf("--pod", pod, "--host-resolv-conf", hostFile);
        assertThat(run)
                .isEqualTo(new Run(
                        Main.DONE,
                        "nameserver 192.0.2.53\nsearch corp.example\noptions timeout:3\n",
                        "warning: " + MISSING_CLUSTER_DNS + System.lineSeparator() + "note: " + WITHOUT_CLUSTER_DNS
                                + System.lineSeparator()));
    }

    @Test
    void aFileWithoutTheClustersDnsIsExplained() throws IOException {
        assertThat(resolvconf("--pod", pod).err().lines())
                .containsExactly(
                        "warning: " + WITHOUT_CLUSTER_DNS,
                        "warning: " + MISSING_CLUSTER_DNS,
                        "note: without --host-resolv-conf the node has no file of its own, and the kubelet writes the loopback"
                                + " address; name a copy of the node's resolv.conf");
        assertThat(resolvconf("--pod", pod, "-o", "json").err().lines())
                .containsExactly("warning: " + WITHOUT_CLUSTER_DNS);
        String host =
                "note: with hostNetwork the dnsPolicy ClusterFirst means Default: the Pod gets the node's own file and"
                        + " finds no Service; ClusterFirstWithHostNet gives it the cluster's DNS";
        for (String policy : List.of("", "dnsPolicy: ClusterFirst\n")) {
            String network = pod(policy + "hostNetwork: true\n");
            assertThat(resolvconf("--pod", network, "--cluster-dns", "10.96.0.10", "--host-resolv-conf", hostFile)
                            .err())
                    .isEqualToIgnoringNewLines(host);
            assertThat(resolvconf(
                                    "--advice",
                                    "--pod",
                                    network,
                                    "--cluster-dns",
                                    "10.96.0.10",
                                    "--host-resolv-conf",
                                    hostFile)
                            .err())
                    .startsWith("advice: with hostNetwork ClusterFirst means Default")
                    .doesNotContain("note: ");
        }
        assertThat(resolvconf("--pod", pod("dnsPolicy: Default\n")).err())
                .startsWith("note: without --host-resolv-conf ");
    }

    @Test
    void aFileOfThePodsOwnPolicyNeedsNoExplanation() throws IOException {
        String none = pod("dnsPolicy: None\ndnsConfig: {nameservers: [192.0.2.1]}\n");
        assertThat(resolvconf("--pod", none).err()).isEmpty();
        String withHostNet = pod("hostNetwork: true\ndnsPolicy: ClusterFirstWithHostNet\n");
        assertThat(resolvconf("--pod", withHostNet, "--cluster-dns", "10.96.0.10")
                        .err())
                .isEmpty();
        assertThat(resolvconf("--pod", pod("dnsPolicy: Default\n"), "--host-resolv-conf", hostFile)
                        .err())
                .isEmpty();
    }

    @Test
    void adviceIsPrintedOnRequest() throws IOException {
        String lowered = pod("dnsConfig: {options: [{name: ndots, value: '1'}]}");
        assertThat(resolvconf("--pod", lowered, "--cluster-dns", "10.96.0.10").err())
                .isEmpty();
        assertThat(resolvconf("--pod", lowered, "--cluster-dns", "10.96.0.10", "--advice")
                        .err())
                .startsWith("advice: ndots is 1: musl (Alpine) ");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "/dev/null"})
    void missingHostFileDiffersFromAnEmptyOne(String name) {
        boolean none = name.isEmpty();
        assertThat(resolvconf("--pod", pod, "--host-resolv-conf", name).out())
                .isEqualTo(none ? "nameserver 127.0.0.1\nsearch .\n" : "");
        assertThat(resolvconf("--pod", pod, "--host-resolv-conf=" + name).out())
                .isEqualTo(none ? "nameserver 127.0.0.1\nsearch .\n" : "");
    }

    @Test
    void resolvConfOfTheMachineIsNotReadByDefault() {
        assertThat(resolvconf("--pod", pod).out()).isEqualTo("nameserver 127.0.0.1\nsearch .\n");
        assertThat(resolvconf("--pod", pod, "--node-ip", "192.0.2.1", "--node-ip", "2001:db8::1")
                        .out())
                .isEqualTo("nameserver 127.0.0.1\nnameserver ::1\nsearch .\n");
    }

    @Test
    void styleIsTheOrderOfLines() {
        assertThat(resolvconf("--pod", pod, "--cluster-dns", "10.96.0.10", "--style", "containerd")
                        .lines())
                .extracting(line -> line.split(" ", 2)[0])
                .containsExactly("search", "nameserver", "options");
    }

    @Test
    void limitsSystemAndDomainHaveEffects() throws IOException {
        String many = file(
                "many.conf",
                "search "
                        + String.join(
                                " ",
                                IntStream.range(0, 9)
                                        .mapToObj(i -> "d" + i + ".example")
                                        .toList())
                        + "\noptions edns0\n");
        Run legacy = resolvconf(
                "--pod", pod, "--cluster-dns", "10.96.0.10", "--host-resolv-conf", many, "--limits", "legacy");
        assertThat(legacy.out()).contains("cluster.local d0.example d1.example d2.example\n");
        assertThat(legacy.err()).startsWith("warning: Search Line limits were exceeded, ");
        assertThat(resolvconf("--pod", pod, "--host-resolv-conf", many, "--os", "windows")
                        .out())
                .doesNotContain("options");
        assertThat(resolvconf("--pod", pod, "--cluster-dns", "10.96.0.10", "--cluster-domain", "")
                        .out())
                .doesNotContain("search");
        assertThat(resolvconf("--pod", pod, "--cluster-dns", "10.96.0.10", "--cluster-domain", "k8s.example")
                        .out())
                .contains("search default.svc.k8s.example svc.k8s.example k8s.example\n");
    }

    @Test
    void invalidPodGivesOneLineForEachError() throws IOException {
        Run run = resolvconf(
                "--pod",
                pod("dnsPolicy: Custom\nhostname: Web\ndnsConfig: {options: [{name: ndots, value: 2}]}"),
                "--host-resolv-conf",
                file("broken.conf", "nameserver"));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err().lines().map(line -> line.split(":", 3)))
                .extracting(words -> words[0] + ":" + words[1])
                .containsExactly(
                        "error: spec.dnsConfig.options[0].value", "error: spec.dnsPolicy", "error: spec.hostname");
    }

    @Test
    void valuesOfProposalsAreAcceptedOnRequest() throws IOException {
        String proposed =
                pod("dnsPolicy: Custom\ndnsConfig: {nameservers: [192.0.2.1], options: [{name: ndots, value: 2}]}");
        assertThat(resolvconf("--pod", proposed, "--kep-policies").out())
                .isEqualTo("nameserver 192.0.2.1\noptions ndots:2\n");
        assertThat(resolvconf("--pod", proposed).err()).contains("accepted with --kep-policies");
    }

    @Test
    void fileOfTheNodeThatCannotBeReadIsAnError() throws IOException {
        String broken = file("broken.conf", "search a\nnameserver \n");
        Run run = resolvconf("--pod", pod, "--host-resolv-conf", broken);
        assertThat(run)
                .isEqualTo(new Run(
                        Main.INVALID,
                        "",
                        "error: " + broken + ": line 2: nameserver list is empty " + System.lineSeparator()));
    }

    @Test
    void podThatNeverStartsIsAnError() throws IOException {
        Run run = resolvconf("--pod", pod("setHostnameAsFQDN: true\nsubdomain: " + "s".repeat(63)));
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("error: failed to construct FQDN from pod hostname and cluster domain, ");
    }

    @Test
    void fileWithoutAPodIsAnError() {
        Run run = resolvconf("--pod", Run.BOOKSTORE + "/namespace.yaml");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.err())
                .startsWith(
                        "error: " + Run.BOOKSTORE + "/namespace.yaml: the file has no Pod of v1 and no workload, but ");
    }

    @Test
    void optionIsThatOfOtherCommands() {
        String printed = resolvconf("--pod", pod).out();
        String namespace = Run.BOOKSTORE + "/namespace.yaml";
        assertThat(printed).isNotEmpty();
        assertThat(resolvconf("-f", pod).out()).isEqualTo(printed);
        assertThat(resolvconf("--filename", pod).out()).isEqualTo(printed);
        assertThat(resolvconf("-f", namespace + "," + pod + "," + namespace).out())
                .isEqualTo(printed);
        assertThat(resolvconf("-f", namespace, "-f", pod).out()).isEqualTo(printed);
    }

    @Test
    void eachFileWithoutAPodIsReported() throws IOException {
        String namespace = Run.BOOKSTORE + "/namespace.yaml";
        String payments = Run.BOOKSTORE + "/payments.yaml";
        assertThat(resolvconf("-f", namespace + "," + payments).err().lines())
                .satisfiesExactly(
                        line -> assertThat(line)
                                .startsWith(
                                        "error: " + namespace + ": the file has no Pod of v1 and no workload, but "),
                        line -> assertThat(line)
                                .startsWith(
                                        "error: " + payments + ": the file has no Pod of v1 and no workload, but "));
        Path broken = Files.createDirectory(folder.resolve("broken"));
        Files.writeString(broken.resolve("a.yaml"), "[");
        assertThat(resolvconf("-f", broken + "," + pod).out())
                .as("a directory without a Pod")
                .isEqualTo(resolvconf("-f", pod).out());
        assertThat(resolvconf("-f", "").err()).contains("MANIFEST is an empty text");
    }

    @Test
    void missingFilesAreErrors() {
        assertAll(Stream.of(
                        resolvconf("--pod", "/no/such/pod.yaml"),
                        resolvconf("-f", pod, "-f", "/no/such/pod.yaml"),
                        resolvconf("--pod", pod, "--host-resolv-conf", "/no/such/file"),
                        resolvconf("--batch", "/no/such/file"))
                .map(run -> () -> {
                    assertThat(run.code()).isEqualTo(Main.INVALID);
                    assertThat(run.err()).startsWith("k8sdns resolvconf: no such file or directory: /no/such/");
                }));
    }

    @ParameterizedTest
    @CsvSource({"shop/db-0, shop/db-0", "db-0, NS/db-0"})
    void theNameOfAPodIsNotAFile(String name, String from) {
        for (String option : List.of("--pod", "-f")) {
            Run run = resolvconf("-f", Run.BOOKSTORE, option, name, "--cluster-dns", "10.96.0.10");
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.out()).isEmpty();
            assertThat(run.err())
                    .startsWith("k8sdns resolvconf: no such file or directory: '" + name
                            + "'; for a Pod of the manifests write --from " + from);
        }
        for (Run run : List.of(
                resolvconf("--pod", name),
                resolvconf("-f", Run.BOOKSTORE, "--pod", name, "--from", "shop/db"),
                resolvconf("-f", Run.BOOKSTORE, "--pod", name + ".yaml"))) {
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .startsWith("k8sdns resolvconf: no such file or directory: " + name)
                    .doesNotContain("--from");
        }
    }

    @Test
    void directoryIsNotAFile() {
        String directory = folder.toString();
        for (Run run :
                List.of(resolvconf("--pod", pod, "--host-resolv-conf", directory), resolvconf("--batch", directory))) {
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err())
                    .isEqualTo("k8sdns resolvconf: a directory, not a file: " + directory + System.lineSeparator());
        }
        for (Run run : List.of(
                Run.of("serve", "--config", directory),
                Run.of("from-corefile", directory),
                Run.of("queries", "--resolv-conf", directory, "cart"),
                Run.of("diff", "zone:" + directory, pod))) {
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err()).endsWith(": a directory, not a file: " + directory + System.lineSeparator());
        }
    }

    @Test
    void adviceHasTheKubeletsEventsOfTheNode() throws IOException {
        String file = file("many.conf", "search" + " a.example".repeat(30) + "\n");

        assertThat(resolvconf("--pod", pod, "--cluster-dns", "10.96.0.10", "--host-resolv-conf", file, "--advice")
                        .err())
                .contains("advice: the kubelet's event of the node, when it starts: Resolv.conf file '" + file
                        + "' contains search line consisting of more than 29 domains!");
        assertThat(batch("{" + POD + ", \"args\": [\"--advice\"], \"host_resolv_conf\": \"search"
                                + " a.example".repeat(33) + "\"}")
                        .out())
                .contains(
                        "Resolv.conf file 'host_resolv_conf' contains search line consisting of more than 29 domains!");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "options x: y",
                "options ndots:",
                "nameserver 192.0.2.1\nnameserver 192.0.2.1",
                "search a.example a.example"
            })
    void fileWithoutAnEquivalentDnsConfigIsAnError(String lines) throws IOException {
        String file = file("odd.conf", "nameserver 192.0.2.1\n" + lines + "\n");
        String own = pod("dnsPolicy: Default");

        Run run = resolvconf("--pod", own, "--host-resolv-conf", file, "--as-dns-config");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err()).startsWith("error: no dnsConfig gives this file");
    }

    @Test
    void lineOfTheNodesFileThatIsNotUtf8IsReported() throws IOException {
        Path file = folder.resolve("latin1.conf");
        Files.writeString(
                file, "# B\u00fcro\nnameserver 192.0.2.53\nsearch b\u00fcro.example\n", StandardCharsets.ISO_8859_1);
        String path = file.toString();

        Run run = resolvconf("--pod", pod, "--host-resolv-conf", path);
        assertThat(run)
                .isEqualTo(
                        new Run(Main.INVALID, "", "error: " + path + ": line 3: not UTF-8" + System.lineSeparator()));
        assertThat(batch("{" + POD + ", \"args\": [\"--host-resolv-conf\", \"" + path + "\"]}")
                        .out())
                .isEqualTo("{\"error\": \"" + path + ": line 3: not UTF-8\"}" + System.lineSeparator());
    }

    @Test
    void commentOfTheNodesFileMayBeInAnyCharacterSet() throws IOException {
        Path file = folder.resolve("latin1.conf");
        Files.writeString(file, "# B\u00fcro\n  ; caf\u00e9\nnameserver 192.0.2.53\n", StandardCharsets.ISO_8859_1);

        assertThat(resolvconf("--pod", pod, "--host-resolv-conf", file.toString())
                        .out())
                .isEqualTo("nameserver 192.0.2.53\n");
    }

    @Test
    void dashIsStandardInput() {
        assertThat(withStdin("{apiVersion: v1, kind: Pod, metadata: {name: a}}", "--pod", "-", "--json")
                        .out())
                .contains("\"hostname\": \"a\"");
        assertThat(withStdin("nameserver 192.0.2.7\n", "--pod", pod, "--host-resolv-conf", "-")
                        .out())
                .isEqualTo("nameserver 192.0.2.7\n");
        assertThat(withStdin("{" + POD + "}", "--batch", "-").lines()).hasSize(1);
    }

    @Test
    void controlCharactersAreReplaced() throws IOException {
        String hostile = file("hostile.conf", "search " + "\u001b[31m ".repeat(40) + "\n");
        assertThat(resolvconf("--pod", pod, "--host-resolv-conf", hostile).err())
                .contains("warning: Search Line limits")
                .doesNotContain("\u001b");
    }

    @Test
    void anInventedHostnameIsMarked() throws IOException {
        String template = "{\"apiVersion\": \"apps/v1\", \"kind\": \"KIND\", \"metadata\": {\"name\": \"web\"}, "
                + "\"spec\": {\"serviceName\": \"web\", \"template\": {\"spec\": {SPEC}}}}";
        String deployment = template.replace("KIND", "Deployment");
        String invented = file("invented.json", deployment.replace("SPEC", ""));
        assertThat(resolvconf("-f", invented, "--json").out())
                .contains("\"pod: \\\"web-xxxxxxxxxx-xxxxx_default()\\\" (invented name). kubelet does not have")
                .contains(
                        "\"hostname\": \"web-xxxxxxxxxx-xxxxx\", \"fqdn\": \"web-xxxxxxxxxx-xxxxx\", \"invented\": true}");
        assertThat(resolvconf("-f", invented).err())
                .contains("warning: pod: \"web-xxxxxxxxxx-xxxxx_default()\" (invented name). kubelet does not have");
        String pod = "{\"pod\": {\"metadata\": {\"generateName\": \"web-\"}}}";
        assertThat(batch(pod).out())
                .contains("\"hostname\": \"web-xxxxx\", \"fqdn\": \"web-xxxxx\", \"invented\": true}");
        String tooLong = deployment
                .replace("SPEC", "\"setHostnameAsFQDN\": true, \"subdomain\": \"SUB\"")
                .replace("SUB", "s".repeat(63));
        assertThat(resolvconf("-f", file("long.json", tooLong)).err())
                .contains("FQDN web-xxxxxxxxxx-xxxxx." + "s".repeat(63)
                        + ".default.svc.cluster.local (invented name) is too long");
        for (String known : List.of(
                deployment.replace("SPEC", "\"hostname\": \"web\""),
                deployment.replace("SPEC", "\"hostNetwork\": true"),
                template.replace("KIND", "StatefulSet").replace("SPEC", ""))) {
            assertThat(resolvconf("-f", file("known.json", known), "--json").out())
                    .contains("\"fqdn\": ")
                    .doesNotContain("\"invented\"");
        }
    }

    @Test
    void jsonHasTheListsTheWarningsAndTheNames() throws IOException {
        Run run = resolvconf("--pod", pod("subdomain: s"), "--host-resolv-conf", hostFile, "--json");
        assertThat(run)
                .isEqualTo(new Run(
                        Main.DONE,
                        "{\"nameservers\": [\"192.0.2.53\"], \"searches\": [\"corp.example\"], "
                                + "\"options\": [\"timeout:3\"], \"warnings\": ["
                                + JsonText.of(MISSING_CLUSTER_DNS)
                                + "], \"hostname\": \"web\", \"fqdn\": \"web.s.default.svc.cluster.local\"}"
                                + System.lineSeparator(),
                        ""));
        assertThat(resolvconf("--pod", pod("hostNetwork: true"), "--json").out())
                .contains("\"hostname\": \"\", \"fqdn\": \"\"}");
        assertThat(resolvconf("--pod", pod(""), "--json", "--advice").out()).contains("\"advice\": [\"the node has no");
    }

    @Test
    void printedDnsConfigGivesTheSameFile() throws IOException {
        String autopath = pod("dnsPolicy: ClusterFirstWithAutopath\ndnsConfig: {options: [{name: edns0}]}");
        String[] node = {"--cluster-dns", "10.96.0.10", "--host-resolv-conf", hostFile};
        Run same = resolvconf(with(node, "--pod", autopath, "--kep-policies", "--as-dns-config"));
        assertThat(same.out()).isEqualTo("""
                dnsPolicy: None
                dnsConfig:
                  nameservers:
                  - "10.96.0.10"
                  searches:
                  - "search.default.cluster.local.ap.k8s.io"
                  options:
                  - name: "ndots"
                    value: "5"
                  - name: "edns0"
                """);
        String file =
                resolvconf(with(node, "--pod", autopath, "--kep-policies")).out();
        assertThat(resolvconf("--pod", pod(same.out())).out()).isEqualTo(file);
    }

    private static String[] with(String[] first, String... rest) {
        return Stream.concat(Arrays.stream(first), Arrays.stream(rest)).toArray(String[]::new);
    }

    @Test
    void dnsConfigThatServersRejectIsAnError() {
        Run run = resolvconf("--pod", pod, "--host-resolv-conf", "/dev/null", "--as-dns-config");
        assertThat(run.code()).isEqualTo(Main.INVALID);
        assertThat(run.out()).isEmpty();
        assertThat(run.err())
                .startsWith(
                        "error: spec.dnsConfig.nameservers: Required value: must provide at least one DNS nameserver");
    }

    @Test
    void batchAnswersEveryLineInOrder() throws IOException {
        Run run = batch(
                "{" + POD + ", \"id\": \"a\"}",
                "{\"id\": [2], " + POD + ", \"args\": [\"--cluster-dns\", \"10.96.0.10\"], \"host_resolv_conf\": "
                        + "\"search corp.example\\n\"}",
                "{" + POD + ", \"args\": [\"--advice\", \"--json\"], \"host_resolv_conf\": \"nameserver 192.0.2.1\"}",
                "{" + POD + ", \"args\": [\"--host-resolv-conf\", " + JsonText.of(hostFile) + "]}");
        String warning = "\"warnings\": [" + JsonText.of(MISSING_CLUSTER_DNS) + "], ";
        String names = "\"hostname\": \"web\", \"fqdn\": \"web\"";
        assertThat(run.err()).isEmpty();
        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .containsExactly(
                        "{\"id\": \"a\", \"nameservers\": [\"127.0.0.1\"], \"searches\": [\".\"], \"options\": [], "
                                + warning + names + "}",
                        "{\"id\": [2], \"nameservers\": [\"10.96.0.10\"], \"searches\": "
                                + "[\"default.svc.cluster.local\", \"svc.cluster.local\", \"cluster.local\", "
                                + "\"corp.example\"], \"options\": [\"ndots:5\"], \"warnings\": [], " + names + "}",
                        "{\"nameservers\": [\"192.0.2.1\"], \"searches\": [], \"options\": [], " + warning + names
                                + ", \"advice\": []}",
                        "{\"nameservers\": [\"192.0.2.53\"], \"searches\": [\"corp.example\"], "
                                + "\"options\": [\"timeout:3\"], " + warning + names + "}");
    }

    @Test
    void argumentsOfALineDoNotAffectOtherLines() throws IOException {
        List<String> lines = batch(
                        "{" + POD + ", \"args\": [\"--cluster-dns\", \"10.96.0.10\", \"--kep-policies\", "
                                + "\"--cluster-domain\", \"k8s.example\", \"--advice\"]}",
                        "{" + POD + ", \"args\": [\"--cluster-dns\", \"10.96.0.11\"]}",
                        "{" + POD + "}")
                .lines();
        assertThat(lines.get(1))
                .contains("[\"10.96.0.11\"]", "default.svc.cluster.local")
                .doesNotContain("advice");
        assertThat(lines.get(2)).contains("[\"127.0.0.1\"]");
    }

    @Test
    void hostFileOfALineIsAbsentNullOrText() throws IOException {
        assertThat(batch(
                                "{" + POD + "}",
                                "{" + POD + ", \"host_resolv_conf\": null}",
                                "{" + POD + ", \"host_resolv_conf\": \"\"}")
                        .lines())
                .extracting(line -> line.contains("\"searches\": [\".\"]"))
                .containsExactly(true, true, false);
    }

    @Test
    void invalidLineIsAnsweredAndTheBatchContinues() throws IOException {
        List<String> wrong = List.of(
                "not JSON",
                "",
                "[]",
                "{\"pod\": {\"metadata\": {\"name\": \"web\"}}",
                "{\"id\": 5}",
                "{\"id\": 6, \"pod\": []}",
                "{\"id\": 7, \"pod\": {\"kind\": \"Service\", \"apiVersion\": \"v1\"}}",
                "{\"id\": 8, " + POD + ", \"args\": \"--json\"}",
                "{\"id\": 9, " + POD + ", \"args\": [\"--limits\", \"none\"]}",
                "{\"id\": 10, " + POD + ", \"args\": [\"--pod\", \"x\"]}",
                "{\"id\": 11, " + POD + ", \"args\": [\"--cluster-domain\", \"a b\"]}",
                "{\"id\": 12, " + POD + ", \"args\": [\"--host-resolv-conf\", \"/no/such/file\"]}",
                "{\"id\": 13, " + POD + ", \"host_resolv_conf\": 5}",
                "{\"id\": 14, " + POD + ", \"host_resolv_conf\": \"nameserver\"}",
                "{\"id\": 15, " + POD + ", \"host_resolv_conf\": \"\", \"args\": [\"--host-resolv-conf\", \"x\"]}",
                "{\"id\": 16, \"pod\": {\"metadata\": {\"name\": \"web\"}, \"spec\": {\"dnsPolicy\": \"x\"}}}",
                "{\"id\": 17, \"pod\": {\"metadata\": {\"name\": \"web\"}, \"spec\": {\"setHostnameAsFQDN\": true, "
                        + "\"subdomain\": \"" + "s".repeat(63) + "\"}}}");
        Run run =
                batch(Stream.concat(wrong.stream(), Stream.of("{" + POD + "}")).toArray(String[]::new));
        assertThat(run.code()).isZero();
        assertThat(run.lines()).hasSize(wrong.size() + 1);
        assertThat(run.lines().subList(0, wrong.size())).allMatch(line -> line.contains("\"error\": \""));
        assertThat(run.lines().subList(4, wrong.size())).allMatch(line -> line.startsWith("{\"id\": "));
        assertThat(run.lines().get(wrong.size())).startsWith("{\"nameservers\"");
        assertThat(run.out()).doesNotContain("internal error");
        assertThat(run.lines())
                .contains(
                        "{\"error\": \"the text is empty\"}",
                        "{\"id\": 5, \"error\": \"pod: an object is missing\"}",
                        "{\"id\": 7, \"error\": \"pod: no Pod of v1 and no workload, but Service of v1\"}",
                        "{\"id\": 10, \"error\": \"args: Unknown options: '--pod', 'x'\"}",
                        "{\"id\": 14, \"error\": \"host_resolv_conf: line 1: nameserver list is empty \"}");
    }

    @Test
    void batchKeepsOneLineInMemory() throws IOException {
        String line = "{" + POD + "}";
        Path file = folder.resolve("long.jsonl");
        try (var writer = Files.newBufferedWriter(file)) {
            writer.write("\uFEFF" + line + "\r\n{\"pod\": \"");
            for (int i = 0; i < 33; i++) {
                writer.write("x".repeat(1 << 20));
            }
            writer.write("\"}\n" + line);
        }
        Files.write(file, new byte[] {'\n', (byte) 0xFF, '\n'}, StandardOpenOption.APPEND);
        List<String> lines = resolvconf("--batch", file.toString()).lines();
        assertThat(lines).hasSize(4);
        assertThat(lines.get(1)).isEqualTo("{\"error\": \"a line longer than 32 MiB\"}");
        assertThat(lines.get(2)).isEqualTo(lines.get(0)).startsWith("{\"nameservers\"");
        assertThat(lines.get(3)).isEqualTo("{\"error\": \"not UTF-8\"}");
    }

    @Test
    void tenThousandPodsAreOneBatch() throws IOException {
        String[] lines = IntStream.range(0, 10_000)
                .mapToObj(i -> "{\"id\": " + i + ", " + POD + ", \"args\": [\"--cluster-dns\", \"10.96.0.10\"]}")
                .toArray(String[]::new);
        assertThat(batch(lines).lines())
                .hasSize(10_000)
                .allMatch(line -> line.endsWith("\"fqdn\": \"web\"}"))
                .last()
                .asString()
                .startsWith("{\"id\": 9999, ");
    }

    @Test
    void filesOfAnySizeAndContentGiveAResultOrAnError() throws IOException {
        Path binary = folder.resolve("binary");
        byte[] bytes = new byte[1 << 20];
        new Random(1).nextBytes(bytes);
        Files.write(binary, bytes);
        assertThat(resolvconf("--pod", pod, "--host-resolv-conf", binary.toString())
                        .code())
                .isIn(Main.DONE, Main.INVALID);
        Run endless = resolvconf("--pod", pod, "--host-resolv-conf", "/dev/zero");
        assertThat(endless.code()).isEqualTo(Main.INVALID);
        assertThat(endless.err())
                .isEqualTo("error: /dev/zero: the read limit is reached (10 MiB)" + System.lineSeparator());
        assertThat(resolvconf("--pod", binary.toString()).code()).isEqualTo(Main.INVALID);
    }
}
