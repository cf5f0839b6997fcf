package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RecordsTest {
    @Test
    void bookstoreHasARecordForEveryServiceAndDatabasePod() {
        Run run = Run.of("records", Run.BOOKSTORE);
        assertThat(run.code()).isZero();
        assertThat(run.lines())
                .startsWith(
                        "cluster.local. 5 IN SOA ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5",
                        "cluster.local. 5 IN NS ns.dns.cluster.local.",
                        "ns.dns.cluster.local. 5 IN A 127.0.0.1 ; invented address",
                        "dns-version.cluster.local. 28800 IN TXT \"1.1.0\"")
                .contains(
                        "cart.shop.svc.cluster.local. 5 IN A 10.96.0.20",
                        "_http._tcp.cart.shop.svc.cluster.local. 5 IN SRV 0 100 80 cart.shop.svc.cluster.local.",
                        "payments.shop.svc.cluster.local. 5 IN CNAME api.payments.example.",
                        "db.shop.svc.cluster.local. 5 IN SRV 0 33 5432 db-2.db.shop.svc.cluster.local.",
                        "20.0.96.10.in-addr.arpa. 5 IN PTR cart.shop.svc.cluster.local.")
                .anyMatch(line -> line.startsWith("db-0.db.shop.svc.cluster.local. 5 IN A 10.244."));
        assertThat(run.err()).contains("read 6 files: 5 Services");
    }

    @Test
    void assumedReadinessIsReportedOnce() {
        String note = "note: Pods of workloads are assumed to be ready; --ready none assumes the opposite";
        assertThat(Run.of("records", Run.BOOKSTORE).err().lines()).containsOnlyOnce(note);
        for (List<String> options : List.of(
                List.of("--ready", "none"),
                List.of("--ready", "all"),
                List.of("--no-endpoints"),
                List.of("--as-is"),
                List.of("-n", "lab"),
                List.of("-l", "app=none"))) {
            Run run = Run.of(List.of("records", Run.BOOKSTORE), options.toArray(String[]::new));
            assertThat(run.err()).as("%s", options).doesNotContain("assumed to be ready");
        }
    }

    @Test
    void recordsWithAnInventedAddressAreMarked(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("shop.yaml");
        Files.writeString(file, """
                {apiVersion: v1, kind: Service, metadata: {name: given, namespace: shop}, spec: {clusterIP: 10.96.0.20, ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: none, namespace: shop}, spec: {ports: [{port: 80}]}}
                ---
                {apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}}
                ---
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: web, namespace: shop}
                spec:
                  selector: {matchLabels: {app: web}}
                  template: {metadata: {labels: {app: web}}, spec: {containers: [{name: a, image: b}]}}
                """);
        List<String> marked = Run.of("records", file.toString()).lines().stream()
                .filter(line -> line.endsWith(" ; invented address"))
                .map(line ->
                        line.replaceFirst("^\\S+(?=\\.in-addr)", "REVERSE").replaceAll("10([.-]\\d+){3}", "ADDRESS"))
                .toList();
        assertThat(marked)
                .containsExactlyInAnyOrder(
                        "ns.dns.cluster.local. 5 IN A 127.0.0.1 ; invented address",
                        "ADDRESS.shop.pod.cluster.local. 5 IN A ADDRESS ; invented address",
                        "none.shop.svc.cluster.local. 5 IN A ADDRESS ; invented address",
                        "web.shop.svc.cluster.local. 5 IN A ADDRESS ; invented address",
                        "web.shop.svc.cluster.local. 5 IN SRV 0 100 80 ADDRESS.web.shop.svc.cluster.local. ; invented address",
                        "ADDRESS.web.shop.svc.cluster.local. 5 IN A ADDRESS ; invented address",
                        "REVERSE.in-addr.arpa. 5 IN PTR none.shop.svc.cluster.local. ; invented address",
                        "REVERSE.in-addr.arpa. 5 IN PTR ADDRESS.web.shop.svc.cluster.local. ; invented address");
        assertThat(Run.of("records", "-o", "json", file.toString()).lines())
                .filteredOn(line -> line.endsWith(", \"invented\": true}"))
                .hasSameSizeAs(marked);
        assertThat(Run.of("records", "--endpoint-names", "pod", file.toString()).lines())
                .anyMatch(line ->
                        line.matches("web-deployment-1\\.web\\.shop\\.\\S+ 5 IN A \\S+ ; invented address and name"))
                .anyMatch(line ->
                        line.matches("\\S+ 5 IN PTR web-deployment-1\\.web\\.shop\\.\\S+ ; invented address and name"))
                .anyMatch(line -> line.matches(
                        "web\\.shop\\.\\S+ 5 IN SRV 0 100 80 web-deployment-1\\.web\\.shop\\.\\S+ ; invented name"));
        assertThat(Run.of("records", "--endpoint-names", "pod", "-o", "json", file.toString())
                        .lines())
                .filteredOn(line -> line.contains("web-deployment-1"))
                .hasSize(3)
                .allMatch(line -> line.endsWith(", \"invented\": true}"));
        assertThat(Run.of("records", "--as-is", "--ns-address", "192.0.2.53", file.toString())
                        .lines())
                .noneMatch(line -> line.contains("invented"));
        assertThat(Run.of("query", "-f", file.toString(), "ns.dns.cluster.local")
                        .lines())
                .contains("ns.dns.cluster.local.\t5\tIN\tA\t127.0.0.1 ; invented address");
        assertThat(Run.of("query", "-f", file.toString(), "none.shop.svc.cluster.local")
                        .lines())
                .anyMatch(line -> line.matches("none\\.shop\\S+\t5\tIN\tA\t\\S+ ; invented address"));
        assertThat(Run.of("query", "-f", file.toString(), "given.shop.svc.cluster.local")
                        .lines())
                .noneMatch(line -> line.contains("invented"));
    }

    @Test
    void unrepresentableRecordIsAWarningAndWithStrictAnError(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("long.yaml");
        Files.writeString(
                file,
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{name: %s, port: 80}]}}"
                        .formatted("p".repeat(63)));
        Run run = Run.of("records", file.toString());
        assertThat(run.code()).isZero();
        assertThat(run.err())
                .contains(
                        "long.yaml:1: Service default/web, spec.ports[0].name: no SRV record at the name of this port: with its underscore it has more than 63 bytes");
        assertThat(Run.of("records", "--strict", file.toString()).code()).isEqualTo(Main.INVALID);
    }

    @Test
    void jsonIsOneObjectPerLine() {
        List<String> json = Run.of("records", "--json", Run.BOOKSTORE).lines();
        assertThat(json)
                .hasSameSizeAs(Run.of("records", Run.BOOKSTORE).lines())
                .contains(
                        "{\"name\": \"cart.shop.svc.cluster.local.\", \"ttl\": 5, \"class\": \"IN\", \"type\": \"A\", "
                                + "\"data\": \"10.96.0.20\"}",
                        "{\"name\": \"dns-version.cluster.local.\", \"ttl\": 28800, \"class\": \"IN\", "
                                + "\"type\": \"TXT\", \"data\": \"\\\"1.1.0\\\"\"}",
                        "{\"name\": \"db.shop.svc.cluster.local.\", \"ttl\": 5, \"class\": \"IN\", \"type\": \"SRV\", "
                                + "\"data\": \"0 33 5432 db-0.db.shop.svc.cluster.local.\"}");
    }

    @Test
    void onlyOneZoneIsPrinted() {
        assertThat(Run.of("records", "--only-zone", "CLUSTER.local.", Run.BOOKSTORE)
                        .lines())
                .hasSizeGreaterThan(10)
                .noneMatch(line -> line.contains("arpa."));
        assertThat(Run.of("records", "--only-zone", "in-addr.arpa", Run.BOOKSTORE)
                        .lines())
                .hasSizeGreaterThan(2)
                .allMatch(line -> line.split(" ", 2)[0].endsWith("in-addr.arpa."));
        assertThat(Run.of("records", "--only-zone", "ip6.arpa", Run.BOOKSTORE).lines())
                .as("a zone without PTR records is printed when it is asked for")
                .hasSize(2);
        assertThat(Run.of("records", "--only-zone", "example.org", Run.BOOKSTORE)
                        .err())
                .contains("--only-zone: unknown value 'example.org'; use one of cluster.local, in-addr.arpa, ip6.arpa");
    }

    @Test
    void serialIsUsedInEverySoa() {
        assertThat(Run.of("records", "--serial", "4294967295", Run.BOOKSTORE).lines().stream()
                        .filter(line -> line.contains(" IN SOA ")))
                .hasSize(2)
                .allMatch(line -> line.contains(" 4294967295 7200 "));
        assertThat(Run.of("records", "--serial", "0", Run.BOOKSTORE).lines().get(0))
                .contains(" 0 7200 ");
    }

    @Test
    void dashIsStandardInput() {
        InputStream before = System.in;
        System.setIn(new ByteArrayInputStream("""
                apiVersion: v1
                kind: Service
                metadata:
                  name: kubernetes
                spec:
                  clusterIP: 10.96.0.1
                  ports:
                    - name: https
                      port: 443
                """.getBytes(StandardCharsets.UTF_8)));
        try {
            assertThat(Run.of("records", "--as-is", "-").lines())
                    .contains("kubernetes.default.svc.cluster.local. 5 IN A 10.96.0.1");
        } finally {
            System.setIn(before);
        }
    }

    @Test
    void unreadableInputIsReportedInOneLine() {
        Run missing = Run.of("records", "/no/such/place");
        assertThat(missing.err())
                .isEqualToIgnoringNewLines("k8sdns records: no such file or directory: /no/such/place");
        assertThat(missing.code()).isEqualTo(Main.INVALID);
    }
}
