package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.kubedns.KubeDnsConfig;
import io.k8sdns.manifest.FollowedFolder.StepReport;
import io.k8sdns.model.Namespace;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The ConfigMap kube-dns in kube-system, which is read among manifests; other ConfigMaps are not. */
class KubeDnsDataTest {
    private static final String UPSTREAM = "upstreamNameservers";

    @TempDir
    private Path directory;

    private static String configMap(String namespace, String name, String data) {
        return "{apiVersion: v1, kind: ConfigMap, metadata: {namespace: " + namespace + ", name: " + name + "}, data: "
                + data + "}";
    }

    private static String kubeDns(String data) {
        return configMap("kube-system", "kube-dns", data);
    }

    private static String namespace(String name) {
        return "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}";
    }

    @Test
    void theDataIsReadWithoutChanges() {
        ManifestText text = ManifestText.asApplied("""
                apiVersion: v1
                kind: ConfigMap
                metadata:
                  name: kube-dns
                  namespace: kube-system
                data:
                  upstreamNameservers: |
                    ["192.0.2.53"]
                  other: ""
                  nothing:
                """);

        Map<String, String> data = text.result().kubeDnsData().orElseThrow();
        assertThat(data)
                .containsOnly(
                        Map.entry(UPSTREAM, "[\"192.0.2.53\"]\n"), Map.entry("other", ""), Map.entry("nothing", ""));
        assertThat(KubeDnsConfig.parse(data, List.of(DnsLabels.parse("cluster.local")))
                        .upstreamNameservers())
                .hasSize(1);
        assertThat(text.names(Namespace.class))
                .isEqualTo(ManifestText.asApplied("").names(Namespace.class));
        assertThat(text.result().diagnostics()).isEmpty();
        assertThat(text.result().summary()).isEqualTo("read 1 file: 1 ConfigMap");
    }

    @Test
    void theConfigMapIsFoundInListsAndInTheDefaultNamespace() {
        assertThat(ManifestText.asApplied("{apiVersion: v1, kind: List, items: [" + kubeDns("{a: b}") + "]}")
                        .result()
                        .kubeDnsData())
                .contains(Map.of("a", "b"));
        assertThat(ManifestText.asApplied("{apiVersion: v1, kind: ConfigMapList, items: ["
                                + "{metadata: {name: kube-dns, namespace: kube-system}, data: {a: b}}]}")
                        .result()
                        .kubeDnsData())
                .contains(Map.of("a", "b"));
        assertThat(ManifestText.of(
                                "{apiVersion: v1, kind: ConfigMap, metadata: {name: kube-dns}}",
                                ManifestOptions.DEFAULTS.withDefaultNamespace("kube-system"))
                        .result()
                        .kubeDnsData())
                .contains(Map.of());
    }

    @Test
    void otherConfigMapsAreSkippedWithANote() {
        ManifestText text = ManifestText.asApplied(configMap("kube-system", "coredns", "{a: 1}")
                + "\n---\n" + configMap("default", "kube-dns", "{a: 1}") + "\n---\n"
                + "{apiVersion: v1, kind: ConfigMap}");

        assertThat(text.result().kubeDnsData()).isEmpty();
        assertThat(text.warnings()).isEmpty();
        assertThat(text.notes()).hasSize(3).allMatch(note -> note.endsWith("ConfigMap of v1 is not read"));
        assertThat(text.result().summary()).contains("skipped 3 ConfigMaps");
    }

    @Test
    void theLaterConfigMapIsUsed() {
        ManifestText text = ManifestText.asApplied(kubeDns("{a: b}") + "\n---\n" + kubeDns("{c: d}"));

        assertThat(text.result().kubeDnsData()).contains(Map.of("c", "d"));
        assertThat(text.warnings()).singleElement().asString().contains("given-twice", "has no key a");
    }

    @ParameterizedTest
    @ValueSource(strings = {"{upstreamNameservers: [192.0.2.53]}", "{a: b, c: 1}", "{a: {b: c}}", "[a]", "text"})
    void aConfigMapWithInvalidDataIsSkipped(String data) {
        ManifestText text = ManifestText.asApplied(kubeDns(data));

        assertThat(text.result().kubeDnsData()).isEmpty();
        assertThat(text.warnings()).singleElement().asString().contains("wrong-type", "ConfigMap kube-system/kube-dns");
    }

    @Test
    void aMisspeltFieldIsReported() {
        assertThat(ManifestText.asApplied("{apiVersion: v1, kind: ConfigMap, "
                                + "metadata: {name: kube-dns, namespace: kube-system}, date: {a: b}}")
                        .warnings())
                .singleElement()
                .asString()
                .contains("unknown field \"date\"; did you mean \"data\"?");
    }

    @Test
    void aChangeOfOnlyTheConfigMapIsReported() throws IOException {
        write("a.yaml", namespace("a"));
        write("b.yaml", kubeDns("{a: b}"));
        FollowedFolder followed = follow();
        assertThat(followed.result().kubeDnsData()).contains(Map.of("a", "b"));

        write("b.yaml", kubeDns("{a: c}"));
        assertThat(followed.step())
                .isEqualTo(new StepReport(List.of(), List.of(), "read 2 files: 1 Namespace, 1 ConfigMap"));
        assertThat(followed.result().kubeDnsData()).contains(Map.of("a", "c"));
        assertThat(followed.step().summary()).isEmpty();

        Files.delete(directory.resolve("b.yaml"));
        assertThat(followed.step().summary()).isEqualTo("read 1 file: 1 Namespace");
        assertThat(followed.result().kubeDnsData()).isEmpty();
    }

    @Test
    void aConfigMapIsKeptWhenItBecomesInvalid() throws IOException {
        write("a.yaml", kubeDns("{a: b}"));
        FollowedFolder followed = follow();

        write("a.yaml", kubeDns("{a: [c]}"));
        assertThat(followed.step().diagnostics())
                .anyMatch(line -> line.contains("its last valid version stays in use"));
        assertThat(followed.result().kubeDnsData()).contains(Map.of("a", "b"));

        write("a.yaml", kubeDns("{a: c}"));
        followed.step();
        assertThat(followed.result().kubeDnsData()).contains(Map.of("a", "c"));
    }

    private void write(String file, String text) throws IOException {
        Files.writeString(directory.resolve(file), text);
    }

    private FollowedFolder follow() throws IOException {
        return new FollowedFolder(List.of(directory), ManifestOptions.DEFAULTS.withAsIs(), InstantSource.system());
    }
}
