package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ServicePort;
import java.io.ByteArrayOutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that text is read as kubectl reads YAML and JSON, with lines. */
class DocumentsTest {
    private static String namespace(String name) {
        return "apiVersion: v1\nkind: Namespace\nmetadata:\n  name: " + name + "\n";
    }

    private static Map<String, String> labels(String labels) {
        ManifestText text =
                ManifestText.asIs("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n" + labels.indent(2));
        assertThat(text.warnings()).isEmpty();
        return text.only(Namespace.class).labels().values();
    }

    @Test
    void aBrokenDocumentAffectsNoOther() {
        ManifestText text = ManifestText.asIs(namespace("a") + "---\n" + "a: b: c\n" + "---\n" + namespace("b"));

        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
        assertThat(text.warnings())
                .containsExactly("broken-document test.yaml:6: the document is skipped: "
                        + "mapping values are not allowed here");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a: 'never closed",
                "a: \"never closed",
                "[a, b",
                "{a: b",
                "a:\n\tb: c",
                "*unknown",
                "!unknown!tag a",
                "\u0001",
                "{\"a\": ",
                "{{- if .Values.enabled }}",
                "? [a]\n: b",
                "<<: 5",
                "a: b\n c: d",
                "@"
            })
    void anyFaultOfADocumentAffectsNoOther(String broken) {
        ManifestText text =
                ManifestText.asIs(namespace("a") + "---\n" + broken + "\n---\n" + namespace("b") + "---\n" + broken);

        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
        assertThat(text.warnings()).isNotEmpty().allMatch(line -> line.contains("test.yaml:"));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "---\n",
                "--- \n",
                "---\r\n",
                "--- # comment\n",
                "\n\n---\n\n",
                "...\n---\n",
                "---\n# comment\n---\n",
                "---\n---\n",
                "%YAML 1.1\n---\n",
                "...\n%YAML 1.1\n---\n",
                "---\nnull\n---\n"
            })
    void documentsAreSeparated(String between) {
        ManifestText text = ManifestText.asIs(between + namespace("a") + between + namespace("b") + between);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
    }

    @Test
    void aQuoteMayBeEscapedInYaml() {
        ManifestText text = ManifestText.asIs(namespace("a") + "  annotations: {run: \"echo \\'it\\'s\\'\"}\n");

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Namespace.class)).containsExactly("a");
    }

    /** kubectl accepts this escape only in JSON, although YAML 1.2 has it, too. */
    @Test
    void aSlashMayBeEscapedOnlyInJson() {
        ManifestText text = ManifestText.asIs(
                "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\",\"uid\":\"b\\/c\"}}\n---\n"
                        + namespace("b") + "  uid: \"b\\/c\"\n");

        assertThat(text.only(Namespace.class).uid()).contains("b/c");
        assertThat(text.warnings())
                .containsExactly("broken-document test.yaml:7: the document is skipped: "
                        + "while scanning a double-quoted scalar: found unknown escape character /(47)");
    }

    @Test
    void aMarkerMayBeFollowedByTheDocument() {
        ManifestText text = ManifestText.asIs("""
                --- {apiVersion: v1, kind: Namespace, metadata: {name: a}}
                --- !!map {apiVersion: v1, kind: Namespace, metadata: {name: b}}
                """);

        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
    }

    @Test
    void dashesInsideABlockOfTextDoNotSeparateDocuments() {
        ManifestText text = ManifestText.asIs(
                namespace("a") + "  annotations:\n    pem: |\n      ---\n      -----BEGIN CERTIFICATE-----\n"
                        + "    ---x: y\n---more: z\n---\n" + namespace("b"));

        assertThat(text.warnings())
                .containsExactly("unknown-field test.yaml:10: Namespace a, ---more: unknown field \"---more\"");
        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "\n\n", "# nothing\n", "---\n", "---\n---\n# nothing\n...\n", "\uFEFF", "%YAML 1.1\n---\n"})
    void aTextWithoutDocumentsHasNoObjects(String text) {
        assertThat(ManifestText.asIs(text).result().diagnostics()).isEmpty();
    }

    @Test
    void linesAreRightAcrossDocumentsAndInJson() {
        ManifestText text = ManifestText.asIs("""
                # a comment
                ---

                apiVersion: v1
                kind: Service
                metadata: {name: a}
                spec:
                  clusterIP: 10.0.0.1
                  ports:
                  - port: 0
                ---
                {
                  "apiVersion": "v1",
                  "kind": "Service",
                  "metadata": {"name": "b"},
                  "spec": {
                    "clusterIP":
                      "10.0.0.x"
                  }
                }
                {"apiVersion": "v1", "kind": "Service", "metadata": {
                  "name": "C"}}
                """);

        assertThat(text.warnings())
                .extracting(line -> line.substring(line.indexOf(' ') + 1, line.indexOf(": ")))
                .containsExactly("test.yaml:10", "test.yaml:18", "test.yaml:22");
    }

    @Test
    void linesAreRightWithCarriageReturns() {
        ManifestText text = ManifestText.asIs((namespace("a") + "---\n" + namespace("B")).replace("\n", "\r\n"));

        assertThat(text.names(Namespace.class)).containsExactly("a");
        assertThat(text.warnings()).hasSize(1).first().asString().contains("test.yaml:9: Namespace B, metadata.name");
    }

    @ParameterizedTest
    @ValueSource(strings = {"UTF-16LE", "UTF-16BE", "UTF-8"})
    void aByteOrderMarkDecidesTheEncoding(String charset) {
        ManifestText text = ManifestText.of(
                ("\uFEFF" + namespace("a") + "---\n" + namespace("b")).getBytes(Charset.forName(charset)),
                ManifestOptions.DEFAULTS.withAsIs());

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
    }

    @Test
    void jsonMayHaveAByteOrderMark() {
        ManifestText text = ManifestText.asIs(
                "\uFEFF{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"a\"}}");

        assertThat(text.names(Namespace.class)).containsExactly("a");
    }

    @Test
    void bytesThatAreNotUtf8AffectOnlyTheirDocument() throws Exception {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        bytes.write((namespace("a") + "---\nok: yes\nx: ").getBytes(StandardCharsets.UTF_8));
        bytes.write(0xE4);
        bytes.write(("\n---\n" + namespace("b")).getBytes(StandardCharsets.UTF_8));
        ManifestText text = ManifestText.of(bytes.toByteArray(), ManifestOptions.DEFAULTS.withAsIs());

        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
        assertThat(text.warnings()).containsExactly("broken-document test.yaml:7: the document is skipped: not UTF-8");
    }

    @Test
    void tabsAreAcceptedWhereKubectlAcceptsThem() {
        ManifestText text = ManifestText.asIs(
                "apiVersion:\tv1\t# x\nkind: Namespace\t\nmetadata:\t\n  name:\ta\n\t\n  labels: {a:\tb}\n");

        assertThat(text.warnings()).isEmpty();
        assertThat(text.only(Namespace.class).labels().values()).isEqualTo(Map.of("a", "b"));
    }

    @Test
    void jsonIndentedByTabsAndYamlThatLooksLikeJson() {
        ManifestText text = ManifestText.asIs("""
                {
                \t"apiVersion": "v1",
                \t"kind": "Namespace",
                \t"metadata": {"name": "\\u0061"}
                }
                ---
                {apiVersion: v1, kind: Namespace, metadata: {name: b,},} # no JSON
                """);

        assertThat(text.warnings()).isEmpty();
        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
                    no           | true or false
                    Yes          | true or false
                    off          | true or false
                    y            | true or false
                    1.10         | a number
                    0777         | a number
                    0x1F         | a number
                    0b11         | a number
                    1_000        | a number
                    089          | a number
                    1e3          | a number
                    .5           | a number
                    -0           | a number
                    .inf         | a number
                    .NaN         | a number
                    !!int 5      | a number
                    12e45        | a number
                    1e-400       | a number
                    0xFFFFFFFFFFFFFFFF  | a number
                    -0x8000000000000000 | a number
                    99999999999999999999 | a number
                    """)
    void plainScalarsThatAreNotTextToKubectlAreNotLabels(String scalar, String words) {
        ManifestText text =
                ManifestText.asIs("apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: {x: " + scalar + "}}");

        assertThat(text.only(Namespace.class).labels().values()).isEmpty();
        assertThat(text.warnings())
                .hasSize(1)
                .first()
                .asString()
                .contains("metadata.labels[x]: expected text, found " + words + ": ");
    }

    /** Git hashes and other identifiers look like these. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "12e4567",
                "1e400",
                "1_2e4567",
                "0x1FFFFFFFFFFFFFFFF",
                "0o2777777777777777777777",
                "0b11111111111111111111111111111111111111111111111111111111111111111",
                "-1e400",
                "-0x8000000000000001",
                "+0xFFFFFFFFFFFFFFFF"
            })
    void aNumberOutOfRangeIsTextToKubectl(String scalar) {
        assertThat(annotations("k: " + scalar).warnings()).isEmpty();
    }

    private static ManifestText annotations(String members) {
        return ManifestText.asApplied(
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, annotations: {" + members + "}}");
    }

    @Test
    void plainScalarsThatAreTextToKubectl() {
        assertThat(labels("""
                        labels:
                          a: 2001-12-14
                          b: nO
                          c: 1.2.3
                          d: 0o
                          e: "1.10"
                          f: 'no'
                          g: !!str 5
                          h: ~x
                          i: 0x
                          j: 5m
                          k: |-
                            text
                          no: key
                          5: key
                        """.replace("h: ~x", "h: x")))
                .containsEntry("a", "2001-12-14")
                .containsEntry("b", "nO")
                .containsEntry("c", "1.2.3")
                .containsEntry("d", "0o")
                .containsEntry("e", "1.10")
                .containsEntry("f", "no")
                .containsEntry("g", "5")
                .containsEntry("i", "0x")
                .containsEntry("j", "5m")
                .containsEntry("k", "text")
                .containsEntry("false", "key")
                .containsEntry("5", "key");
    }

    @ParameterizedTest
    @CsvSource({
        "80, 80",
        "0x50, 80",
        "0120, 80",
        "0o120, 80",
        "0b1010000, 80",
        "8e1, 80",
        "80.0, 80",
        "+80, 80",
        "8_0, 80"
    })
    void numbersAreWrittenInManyWays(String text, int port) {
        ManifestText read = ManifestText.asIs(
                "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: 10.0.0.1, ports: [{port: " + text
                        + "}]}");

        assertThat(read.only(ClusterIpService.class).ports())
                .extracting(ServicePort::port)
                .containsExactly(port);
    }

    @ParameterizedTest
    @ValueSource(strings = {"80.5", ".inf", ".nan", "1e300", "99999999999999999999", "-80"})
    void otherNumbersAreNotPorts(String text) {
        ManifestText read = ManifestText.asIs(
                "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec: {clusterIP: 10.0.0.1, ports: [{port: " + text
                        + "}]}");

        assertThat(read.only(ClusterIpService.class).ports()).isEmpty();
        assertThat(read.warnings()).hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "+1, 1",
        "1_, 1",
        "010, 8",
        "0x10, 16",
        "-0, 0",
        "1., 1",
        "1.50, 1.5",
        ".5, 0.5",
        "-.5, -0.5",
        "-0.0, -0",
        "1e+3, 1000",
        "123456.0, 123456",
        "1234567.0, 1.234567e+06",
        "16777217.0, 1.6777216e+07",
        "1e-4, 0.0001",
        "1e-5, 1e-05",
        "5e-324, 0",
        "99999999999999999999, 1e+20",
        "9223372036854775807, 9223372036854775807",
        ".NaN, .nan",
        "+.INF, .inf",
        "-1e300, -.inf",
        "1e400, 1e400",
    })
    void aNumberAsAKeyIsWrittenAsKubectlSendsIt(String key, String sent) {
        assertThat(annotations(key + ": [x]").warnings())
                .anyMatch(line -> line.contains("metadata.annotations[" + sent + "]: expected text, found a list"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"+1", "1_", ".5", "1e+3"})
    void aNumberIsAnAnnotationKey(String key) {
        assertThat(annotations(key + ": x").warnings()).isEmpty();
    }

    @Test
    void aliasesAreReplacedByTheirValues() {
        assertThat(labels("annotations: &all {a: b}\nlabels: *all")).isEqualTo(Map.of("a", "b"));
        assertThat(labels("annotations: {x: &v b}\nlabels: {a: *v, *v : c}")).isEqualTo(Map.of("a", "b", "b", "c"));
    }

    @Test
    void mergeKeysApplyAtTheirPosition() {
        String base = "annotations: [&one {a: one, b: one}, &two {a: two, c: two}]\n";

        assertThat(labels(base + "labels: {<<: *one, a: own}")).isEqualTo(Map.of("a", "own", "b", "one"));
        assertThat(labels(base + "labels: {a: own, <<: *one}")).isEqualTo(Map.of("a", "one", "b", "one"));
        assertThat(labels(base + "labels: {<<: [*one, *two]}")).isEqualTo(Map.of("a", "one", "b", "one", "c", "two"));
        assertThat(labels(base + "labels: {<<: {x: z}}")).isEqualTo(Map.of("x", "z"));
    }

    @Test
    void theLastValueOfARepeatedKeyIsUsed() {
        assertThat(ManifestText.asIs("{apiVersion: v1, kind: Namespace,"
                                + " metadata: {name: a, labels: {a: one}, labels: {a: two, a: three}}}")
                        .only(Namespace.class)
                        .labels()
                        .values())
                .isEqualTo(Map.of("a", "three"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "spec: {clusterIP: 10.0.0.1,\\n clusterIP: None, ports: [{port: 80}]} | spec.clusterIP",
                "spec: {clusterIP: None},\\n spec: {clusterIP: None, ports: [{port: 80}]} | spec",
                "spec: {ports: [{port: 80}, {port: 81,\\n port: 82, name: a}], clusterIP: None} | spec.ports[1].port",
                "spec: {clusterIP: None, selector: {app: a,\\n app: b}} | spec.selector.app",
                "spec: {clusterIP: None}, status: {a: [{b: 1,\\n b: 2}]} | status.a[0].b",
                "spec: {<<: {clusterIP: 10.0.0.1}, clusterIP: 10.0.0.2,\\n clusterIP: None} | spec.clusterIP",
            })
    void aRepeatedKeyIsReported(String body, String path) {
        String text = "{apiVersion: v1, kind: Service, metadata: {name: web}, " + body.replace("\\n", "\n") + "}";

        assertThat(ManifestText.asIs(text).warnings())
                .contains("duplicate-field test.yaml:2: Service default/web, " + path + ": duplicate field \"" + path
                        + "\"; the last one is used");
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("duplicate field \"" + path + "\"");
    }

    @Test
    void aMissingSeparatorOfObjectsIsReported() {
        String service = "apiVersion: v1\nkind: Service\nmetadata: {name: web}\nspec: {clusterIP: None}\n";
        assertThat(ManifestText.asIs(service + service).warnings())
                .startsWith(
                        "duplicate-field test.yaml:5: Service default/web, apiVersion: duplicate field \"apiVersion\"; the last"
                                + " one is used; if another object begins here, the line --- is missing before it, or is at the"
                                + " end of another line",
                        "duplicate-field test.yaml:6: Service default/web, kind: duplicate field \"kind\"; the last one is used");
    }

    @ParameterizedTest
    @ValueSource(strings = {"spec:\n  ports:\n  - port: 80", "metadata:\n  name: web", "metadata: {name: web}"})
    void aMissingLineBreakBetweenObjectsIsReported(String end) {
        String first = "apiVersion: v1\nkind: Service\n" + end;
        String second = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\n";
        assertThat(ManifestText.asIs(first + second).warnings())
                .filteredOn(warning -> warning.startsWith("broken-document "))
                .singleElement()
                .asString()
                .startsWith("broken-document test.yaml:" + first.lines().count() + ": the document is skipped: ")
                .endsWith("; if another object begins in this line, a line break and the line --- are missing before "
                        + "apiVersion");
        assertThat(ManifestText.asIs(first + "\n---\n" + second + "x: [1").warnings())
                .filteredOn(warning -> warning.startsWith("broken-document "))
                .singleElement()
                .asString()
                .doesNotContain("missing");
    }

    @Test
    void aRepeatedKeyInJsonIsReported() {
        assertThat(ManifestText.asIs("{\"apiVersion\": \"v1\", \"kind\": \"Namespace\","
                                + " \"metadata\": {\"name\": \"a\", \"name\": \"b\"}}")
                        .warnings())
                .containsExactly("duplicate-field test.yaml:1: Namespace b, metadata.name: "
                        + "duplicate field \"metadata.name\"; the last one is used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "labels: {<<: {a: b}, a: c}",
                "labels: {a: c, <<: {a: b}}",
                "labels: {<<: [{a: b}, {a: c}], <<: {a: d}}",
                "labels: &x {a: b}, annotations: *x"
            })
    void aKeyThatReplacesAMergedKeyIsNotADuplicate(String labels) {
        assertThat(ManifestText.of(
                                "{apiVersion: v1, kind: Namespace, metadata: {name: a, " + labels + "}}",
                                ManifestOptions.DEFAULTS.withStrict())
                        .warnings())
                .isEmpty();
    }

    @Test
    void anchorsOfOneDocumentAreUnknownInTheNext() {
        ManifestText text = ManifestText.asIs("a: &x b\n---\nc: *x\n");

        assertThat(text.warnings())
                .hasSize(1)
                .first()
                .asString()
                .contains("test.yaml:3")
                .contains("*x");
    }

    @Test
    void listsAreRead() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                items:
                - apiVersion: v1
                  kind: Namespace
                  metadata: {name: a}
                - apiVersion: v1
                  kind: List
                  items:
                  - {apiVersion: v1, kind: Namespace, metadata: {name: b}}
                - {apiVersion: v1, kind: Namespace, metadata: {name: "-"}}
                kind: List
                metadata: {resourceVersion: ""}
                """);

        assertThat(text.names(Namespace.class)).containsExactly("a", "b");
        assertThat(text.warnings()).hasSize(1).first().asString().contains("test.yaml:10: Namespace -, metadata.name");
    }

    @Test
    void theEntriesOfATypedListMayLackTheirType() {
        String items = "items: [{metadata: {name: a}}, {metadata: {name: b}}]";

        for (String list : new String[] {
            "kind: NamespaceList\napiVersion: v1\n" + items,
            items + "\nkind: NamespaceList\napiVersion: v1\n",
            "kind: NamespaceList\napiVersion: v1\nitems: &anchored" + items.substring(6)
        }) {
            assertThat(ManifestText.asIs(list).names(Namespace.class)).containsExactly("a", "b");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"kind: List\napiVersion: v1\nitems: null", "kind: List\napiVersion: v1\nitems: []"})
    void anEmptyListHasNoObjects(String list) {
        assertThat(ManifestText.asIs(list).snapshot().objects()).isEmpty();
        assertThat(ManifestText.asIs(list).warnings()).isEmpty();
    }

    @Test
    void itemsOutsideAListAreNotObjects() {
        ManifestText text = ManifestText.asIs("""
                apiVersion: v1
                kind: ConfigMap
                metadata: {name: a}
                items: [{apiVersion: v1, kind: Namespace, metadata: {name: Bad}}]
                """);

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings()).isEmpty();
    }

    @Test
    void aBrokenListIsSkippedAsAWhole() {
        ManifestText text = ManifestText.asIs(
                "kind: List\napiVersion: v1\nitems:\n- {apiVersion: v1, kind: Namespace, metadata: {name: Bad}}\n"
                        + "- {apiVersion: v1, kind: Namespace, metadata: {name: a}}\n- [\n---\n" + namespace("b"));

        assertThat(text.names(Namespace.class)).containsExactly("b");
        assertThat(text.warnings()).hasSize(1).first().asString().startsWith("broken-document test.yaml:");
    }

    @Test
    void aTemplateIsOneWarning() {
        ManifestText text = ManifestText.asIs("""
                {{- range .Values.services }}
                apiVersion: v1
                kind: Service
                metadata:
                  name: {{ .name }}
                ---
                {{- end }}
                apiVersion: v1
                kind: Service
                metadata:
                  name: "{{ .Release.Name }}"
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: a}
                """);

        assertThat(text.names(Namespace.class)).containsExactly("a");
        assertThat(text.warnings())
                .containsExactly("template test.yaml:1: a template that was not rendered; parts skipped: 2");
    }

    @Test
    void outputOfKubectlGetIsRead() {
        ManifestText text = ManifestText.asIs("""
                {
                    "apiVersion": "v1",
                    "items": [
                        {
                            "apiVersion": "v1",
                            "kind": "Service",
                            "metadata": {
                                "annotations": null,
                                "creationTimestamp": "2026-01-01T00:00:00Z",
                                "managedFields": [{"apiVersion": "v1", "fieldsV1": {"f:spec": {"f:ports": {"k:{\\"port\\":80}": {}}}}}],
                                "name": "web", "namespace": "shop", "uid": "u"
                            },
                            "spec": {
                                "clusterIP": "10.0.0.1", "clusterIPs": ["10.0.0.1"],
                                "internalTrafficPolicy": "Cluster", "ipFamilies": ["IPv4"],
                                "ipFamilyPolicy": "SingleStack", "selector": null, "sessionAffinity": "None",
                                "ports": [{"port": 80, "protocol": "TCP", "targetPort": 8080}], "type": "ClusterIP"
                            },
                            "status": {"loadBalancer": {}}
                        }
                    ],
                    "kind": "List",
                    "metadata": {"resourceVersion": ""}
                }
                """);

        assertThat(text.result().diagnostics()).isEmpty();
        assertThat(text.only(ClusterIpService.class).uid()).contains("u");
    }
}
