package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class QueryTest {
    @TempDir
    private Path folder;

    private String manifest;

    @BeforeEach
    void writeManifest() throws IOException {
        manifest = Files.writeString(folder.resolve("cluster.yaml"), """
                apiVersion: v1
                kind: Service
                metadata:
                  name: db
                spec:
                  clusterIP: None
                  ports:
                    - name: postgres
                      port: 5432
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: db-1
                  labels:
                    kubernetes.io/service-name: db
                addressType: IPv4
                endpoints:
                  - addresses: [10.244.0.5]
                    hostname: a
                  - addresses: [10.244.0.6]
                    hostname: b
                ports:
                  - name: postgres
                    port: 5432
                """).toString();
    }

    private Run query(String... arguments) {
        return Run.of(Stream.concat(Stream.of("query", "-f", manifest), Arrays.stream(arguments))
                .toArray(String[]::new));
    }

    @Test
    void printsTheFormatOfDigWithIdZeroAndNoTrailer() {
        Run run = query("_postgres._tcp.db.default.svc.cluster.local", "srv");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                ;; ->>HEADER<<- opcode: QUERY, status: NOERROR, id: 0
                ;; flags: qr aa rd; QUERY: 1, ANSWER: 2, AUTHORITY: 0, ADDITIONAL: 2

                ;; QUESTION SECTION:
                ;_postgres._tcp.db.default.svc.cluster.local.	IN	SRV

                ;; ANSWER SECTION:
                _postgres._tcp.db.default.svc.cluster.local.	5	IN	SRV	0 50 5432 a.db.default.svc.cluster.local.
                _postgres._tcp.db.default.svc.cluster.local.	5	IN	SRV	0 50 5432 b.db.default.svc.cluster.local.

                ;; ADDITIONAL SECTION:
                a.db.default.svc.cluster.local.	5	IN	A	10.244.0.5
                b.db.default.svc.cluster.local.	5	IN	A	10.244.0.6
                """);
    }

    @Test
    void nxdomainIsPrinted() {
        Run run = query("missing.default.svc.cluster.local.");
        assertThat(run.code()).isZero();
        assertThat(run.out()).isEqualToNormalizingNewlines("""
                ;; ->>HEADER<<- opcode: QUERY, status: NXDOMAIN, id: 0
                ;; flags: qr aa rd; QUERY: 1, ANSWER: 0, AUTHORITY: 1, ADDITIONAL: 0

                ;; QUESTION SECTION:
                ;missing.default.svc.cluster.local.	IN	A

                ;; AUTHORITY SECTION:
                cluster.local.	5	IN	SOA	ns.dns.cluster.local. hostmaster.cluster.local. 1 7200 1800 86400 5
                """);
    }

    @Test
    void nameOutsideTheZonesIsRefusedWithTheReason() {
        Run run = query("www.example.com");
        assertThat(run.code()).isZero();
        assertThat(run.out())
                .contains("status: REFUSED")
                .contains("; EDE: 20 (Not Authoritative): (www.example.com. is not served by this server)");
        assertThat(run.err()).isEmpty();
    }

    @Test
    void anAddressIsAskedForItsNames() {
        assertThat(query("-x", "10.244.0.5").out())
                .isEqualTo(query("5.0.244.10.in-addr.arpa", "PTR").out())
                .contains("a.db.default.svc.cluster.local.");
        assertThat(query("--short", "-x", "::1").code()).isZero();
        Run noAddress = query("-x", "db.default");
        assertThat(noAddress.code()).isEqualTo(2);
        assertThat(noAddress.err()).contains("-x needs an address, not 'db.default'");
    }

    @Test
    void aNameWithoutItsZoneIsRefusedWithTheNameThatExists() {
        assertThat(query("db.default").err())
                .isEqualToIgnoringNewLines(
                        "note: db.default is not served by this server; db.default.svc.cluster.local exists");
        assertThat(query("db").err()).contains("; db.default.svc.cluster.local exists");
        assertThat(query("10.244.0.5").err())
                .isEqualToIgnoringNewLines("note: 10.244.0.5 is an address; -x asks for its names");
        assertThat(query("db.default.svc", "AAAA").err()).contains("; db.default.svc.cluster.local exists");
        assertThat(query("a".repeat(63) + ("." + "a".repeat(60)).repeat(3)).err())
                .isEmpty();
    }

    @Test
    void shortPrintsOnlyTheDataOfTheAnswer() {
        assertThat(query("--short", "db.default.svc.cluster.local").lines())
                .containsExactly("10.244.0.5", "10.244.0.6");
        assertThat(query("--short", "5.0.244.10.in-addr.arpa", "PTR").lines())
                .containsExactly("a.db.default.svc.cluster.local.");
        assertThat(query("--short", "missing.default.svc.cluster.local").out()).isEmpty();
    }

    @Test
    void orderDoesNotDependOnOptions() {
        for (String order : List.of("rotate", "stable", "shuffle")) {
            assertThat(query("--short", "--order", order, "db.default.svc.cluster.local")
                            .lines())
                    .containsExactly("10.244.0.5", "10.244.0.6");
        }
    }

    @Test
    void jsonIsOneObjectWithTheSections() {
        assertThat(query("--json", "a.db.default.svc.cluster.local").out())
                .isEqualToIgnoringNewLines("{\"status\": \"NOERROR\", \"flags\": [\"qr\", \"aa\", \"rd\"], "
                        + "\"question\": {\"name\": \"a.db.default.svc.cluster.local.\", \"class\": \"IN\", "
                        + "\"type\": \"A\"}, \"answer\": [{\"name\": \"a.db.default.svc.cluster.local.\", \"ttl\": 5, "
                        + "\"class\": \"IN\", \"type\": \"A\", \"data\": \"10.244.0.5\"}], "
                        + "\"authority\": [], \"additional\": []}");
    }

    @Test
    void typesCanBeNumbers() {
        assertThat(query("db.default.svc.cluster.local", "TYPE1").out()).contains("IN\tA\t10.244.0.5");
        assertThat(query("db.default.svc.cluster.local", "TYPE65280").out())
                .contains("status: NOERROR")
                .contains(";db.default.svc.cluster.local.\tIN\tTYPE65280");
        assertThat(query("db.default.svc.cluster.local", "ANY").out()).contains("HINFO");
    }

    @Test
    void theTypeCanBeAnOptionOrBeforeTheName() {
        String name = "_postgres._tcp.db.default.svc.cluster.local";
        String expected = query(name, "SRV").out();
        assertThat(expected).contains("ANSWER: 2");
        assertThat(query("SRV", name).out()).isEqualTo(expected);
        assertThat(query("-t", "SRV", name).out()).isEqualTo(expected);
        assertThat(query(name, "--type", "srv").out()).isEqualTo(expected);
        // A name that is also a type is the name if a type follows.
        assertThat(query("a", "aaaa").out()).contains(";a.\tIN\tAAAA");
        Run both = query("-t", "SRV", name, "A");
        assertThat(both.code()).isEqualTo(Main.INVALID);
        assertThat(both.err()).contains("--type and TYPE exclude each other");
    }

    @Test
    void otherArgumentsOfDigAreExplained() {
        for (String[] words : new String[][] {
            {"cart", "A", "+short"}, {"cart", "+short"}, {"+short", "cart"}, {"cart", "A", "+short", "+tcp"}
        }) {
            Run run = query(words);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .contains("'+short'", "; use --short instead of dig's +short (see");
        }
        assertThat(query("cart", "+tcp").err())
                .contains("no option of dig with + is supported; --short prints only the data");
        for (String[] words : new String[][] {
            {"@127.0.0.1", "cart"}, {"@127.0.0.1", "cart", "A"}, {"cart", "@127.0.0.1"}, {"-p", "1053", "cart"}
        }) {
            Run run = query(words);
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .contains("; query asks no server, it answers from manifests");
        }
    }

    @Test
    void aManifestAsAParameterIsExplained() {
        for (List<String> words : List.of(
                List.of("db.default.svc.cluster.local", manifest),
                List.of("db.default.svc.cluster.local", "A", manifest),
                List.of(manifest, "db.default.svc.cluster.local"),
                List.of("-f", manifest, "db.default.svc.cluster.local", manifest),
                List.of("-f", manifest, manifest, "db.default.svc.cluster.local"))) {
            Run run = Run.of(List.of("query"), words.toArray(String[]::new));
            assertThat(run.code()).isEqualTo(Main.INVALID);
            assertThat(run.err().lines())
                    .singleElement()
                    .asString()
                    .endsWith("; to read " + manifest + ", write -f " + manifest + " (see k8sdns query --help)");
        }
        assertThat(query("db.default", "-").err()).contains("not a record type: '-'; to read -, write -f -");
        assertThat(query("db.default", "B").err()).contains("not a record type: 'B' (see");
        assertThat(query("db.default", "A", "B").err()).doesNotContain("to read");
    }

    @Test
    void aUrlAndAnObjectAreNoNames() {
        assertThat(query("http://db.default:80/").err())
                .contains(
                        "neither a name nor a type: 'http://db.default:80/'; the host of this URL is db.default (see");
        assertThat(query("svc/db").err()).contains("'svc/db'; the name of a Service is db.NAMESPACE (see");
    }

    @Test
    void escapedDotIsPartOfALabel() {
        assertThat(query("db\\.default.svc.cluster.local").out()).contains("status: NXDOMAIN");
    }

    @Test
    void severalManifestsAreReadAsOne() throws IOException {
        Path second = Files.writeString(folder.resolve("second.yaml"), """
                apiVersion: v1
                kind: Service
                metadata:
                  name: alias
                spec:
                  type: ExternalName
                  externalName: db.default.svc.cluster.local
                """);
        assertThat(Run.of(
                                "query",
                                "-f",
                                manifest,
                                "-f",
                                second.toString(),
                                "--short",
                                "alias.default.svc.cluster.local")
                        .lines())
                .containsExactly("db.default.svc.cluster.local.", "10.244.0.5", "10.244.0.6");
    }
}
