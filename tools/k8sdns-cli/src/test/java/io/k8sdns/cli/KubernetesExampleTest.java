package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Tests the arguments and names in {@code examples/kubernetes}. Tests of the client check that an API server accepts the files. */
class KubernetesExampleTest {
    private static final Path FOLDER = Run.ROOT.resolve(Path.of("examples", "kubernetes"));

    @Test
    void serviceHasRecordsWithoutCompletion() {
        Run run = Run.of("records", "--as-is", FOLDER.toString());

        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .contains(
                        "k8sdns.kube-system.svc.cluster.local. 5 IN A 10.96.0.53",
                        "_dns._udp.k8sdns.kube-system.svc.cluster.local. 5 IN SRV 0 100 53 k8sdns.kube-system.svc.cluster.local.",
                        "_dns-tcp._tcp.k8sdns.kube-system.svc.cluster.local. 5 IN SRV 0 100 53 k8sdns.kube-system.svc.cluster.local.",
                        "53.0.96.10.in-addr.arpa. 5 IN PTR k8sdns.kube-system.svc.cluster.local.");
        assertThat(run.err()).doesNotContain("warning:");
    }

    @Test
    void argumentsOfTheServerAreValid() throws IOException {
        String[] deployed = arguments("deployment.yaml");
        String[] image = Files.readAllLines(FOLDER.resolve("Containerfile")).stream()
                .filter(line -> line.startsWith("CMD "))
                .flatMap(line -> Pattern.compile("\"([^\"]*)\"").matcher(line).results())
                .map(argument -> argument.group(1))
                .toArray(String[]::new);

        assertThat(deployed).startsWith("serve", "--in-cluster").hasSizeGreaterThan(4);
        assertThat(image).startsWith("serve", "--in-cluster").hasSizeGreaterThan(2);
        assertThatCode(() -> Main.commandLine(deployed).parseArgs(deployed)).doesNotThrowAnyException();
        assertThatCode(() -> Main.commandLine(image).parseArgs(image)).doesNotThrowAnyException();
    }

    @Test
    void argumentsOfTheNodeCacheAreValid() throws IOException {
        String[] deployed = arguments("node-cache/daemonset.yaml");

        assertThat(deployed).startsWith("node-cache").hasSizeGreaterThan(6);
        assertThatCode(() -> Main.commandLine(deployed).parseArgs(deployed)).doesNotThrowAnyException();
    }

    /** Prometheus scrapes the address of the Pod, here of the Node, at the port of the annotation. */
    @Test
    void metricsOfTheNodeCacheAreWhereItsAnnotationsSay() throws IOException {
        Matcher port = Pattern.compile("prometheus\\.io/port: \"(\\d+)\"")
                .matcher(Files.readString(FOLDER.resolve("node-cache/daemonset.yaml")));

        assertThat(port.find()).isTrue();
        assertThat(arguments("node-cache/daemonset.yaml")).contains("--metrics=[::]:" + port.group(1));
    }

    /** The probes that restart the container: a cache that waits for its address is alive. */
    @Test
    void aNodeCacheThatWaitsIsNotRestarted() throws IOException {
        String daemonSet = Files.readString(FOLDER.resolve("node-cache/daemonset.yaml"));
        assertThat(daemonSet.substring(daemonSet.indexOf("startupProbe:"), daemonSet.indexOf("readinessProbe:")))
                .contains("/run/k8sdns/alive")
                .doesNotContain("/run/k8sdns/health");
    }

    /** A killed container leaves all files, and the startup probe may succeed because of them. */
    @Test
    void theStartupProbeOfTheNodeCacheRemovesWhatMakesItsPodReady() throws IOException {
        String daemonSet = Files.readString(FOLDER.resolve("node-cache/daemonset.yaml"));
        String startup = daemonSet.substring(daemonSet.indexOf("startupProbe:"), daemonSet.indexOf("livenessProbe:"));

        assertThat(startup).contains("rm -f /run/k8sdns/ready && rm /run/k8sdns/alive");
    }

    @Test
    void argumentsOfTheFederationAreValid() throws IOException {
        for (String manifest : List.of("federation/federated-dns.yaml", "federation/controller.yaml")) {
            String[] deployed = arguments(manifest);

            assertThat(deployed).hasSizeGreaterThan(7);
            assertThatCode(() -> Main.commandLine(deployed).parseArgs(deployed)).doesNotThrowAnyException();
        }
    }

    /** Returns the arguments of the first container of a manifest. */
    private static String[] arguments(String manifest) throws IOException {
        return Files.readString(FOLDER.resolve(manifest))
                .lines()
                .dropWhile(line -> !line.strip().equals("args:"))
                .skip(1)
                .map(String::strip)
                .filter(line -> !line.startsWith("#"))
                .takeWhile(line -> line.startsWith("- "))
                .map(line -> line.substring(2))
                .toArray(String[]::new);
    }

    @Test
    void theServiceAddressIsTheSameInAllFiles() throws IOException {
        assertThat(Files.readString(FOLDER.resolve("service.yaml"))).contains("clusterIP: 10.96.0.53\n");
        assertThat(Files.readString(FOLDER.resolve("deployment.yaml"))).contains("--ns-address=10.96.0.53\n");
        assertThat(Files.readString(FOLDER.resolve("README.md"))).contains("@10.96.0.53 ");
    }

    @Test
    void addressOfFederatedDnsIsTheNameServerOfTheController() throws IOException {
        String address = "192.0.2.53";
        assertThat(arguments("federation/federated-dns.yaml")).contains("--ns-address=" + address);
        assertThat(arguments("federation/controller.yaml")).contains("--stubzone-nameserver=" + address);
        assertThat(Files.readString(FOLDER.resolve("federation/README.md"))).contains("`" + address + "`");
    }

    /** All JVM options are in the distribution, in {@code lib/jvm.options}, except the one that ends a server for a restart. */
    @Test
    void imageAndManifestsRunTheDistributionWithItsOptions() throws IOException {
        Path module = Run.ROOT.resolve("tools/k8sdns-distribution");
        List<String> image = Files.readAllLines(FOLDER.resolve("Containerfile"));

        assertThat(image)
                .contains(
                        "COPY --from=build /src/tools/k8sdns-distribution/target/image/ /opt/k8sdns/",
                        "RUN /opt/k8sdns/lib/make-archive",
                        "USER 65532:65532",
                        "ENTRYPOINT [\"/opt/k8sdns/bin/k8sdns\"]");
        assertThat(image.indexOf("RUN /opt/k8sdns/lib/make-archive")).isLessThan(image.indexOf("USER 65532:65532"));
        assertThat(String.join(" ", image))
                .contains("-Ddistribution.name=image ", "-Ddistribution.without.archive=true ");
        assertThat(Files.readString(module.resolve("pom.xml")))
                .contains("<distribution.name>", "<skip>${distribution.without.archive}</skip>");
        assertThat(Files.readAllLines(Run.ROOT.resolve(".dockerignore"))).contains(".git", "**/target");
        assertThat(module.resolve("src/main/dist/bin/k8sdns")).isExecutable();
        assertThat(module.resolve("src/main/dist/lib/make-archive")).isExecutable();
        try (Stream<Path> files = Files.walk(FOLDER)) {
            for (Path file : files.filter(Files::isRegularFile).toList()) {
                assertThat(Files.readString(file).replace("-XX:+ExitOnOutOfMemoryError", ""))
                        .as(file.toString())
                        .doesNotContain("-XX:", "-Xm", "-Xs", "-Xlog", "--enable-native-access", "JDK_JAVA_OPTIONS");
            }
        }
    }
}
