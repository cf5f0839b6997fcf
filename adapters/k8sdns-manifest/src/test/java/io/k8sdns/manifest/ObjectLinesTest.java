package io.k8sdns.manifest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.function.ToIntFunction;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ObjectLinesTest {
    private static final String MANIFEST = """
            # The first line.
            apiVersion: v1
            kind: Service
            metadata:
              name: web
            spec:
              selector:
                app: web
              ports:
              - port: 80
                name: http
              - {port: 443, name: https}
            ---
            kind: List
            apiVersion: v1
            items:
            - kind: Pod
              spec:
                hostname: a
            - kind: Pod
              metadata: {labels: &all {
                app: web}}
              spec:
                hostname: b
                labels: *all
            """;

    private static ToIntFunction<String> lines(String text, int line) throws IOException {
        return Manifests.fieldLines(ManifestInput.stream("-", new ByteArrayInputStream(text.getBytes(UTF_8))), line);
    }

    @Test
    void eachFieldHasTheLineOfItsKey() throws IOException {
        ToIntFunction<String> service = lines(MANIFEST, 2);
        assertThat(service.applyAsInt("metadata.name")).isEqualTo(5);
        assertThat(service.applyAsInt("spec.selector")).isEqualTo(7);
        assertThat(service.applyAsInt("spec.selector.app")).isEqualTo(8);
        assertThat(service.applyAsInt("spec.ports[0]")).isEqualTo(10);
        assertThat(service.applyAsInt("spec.ports[0].name")).isEqualTo(11);
        assertThat(service.applyAsInt("spec.ports[1].name")).isEqualTo(12);
    }

    @Test
    void anAbsentFieldHasTheLineOfTheNearestOneAroundIt() throws IOException {
        ToIntFunction<String> service = lines(MANIFEST, 2);
        assertThat(service.applyAsInt("spec.ports[1].targetPort")).isEqualTo(12);
        assertThat(service.applyAsInt("spec.ports[2].name")).isEqualTo(9);
        assertThat(service.applyAsInt("spec.clusterIPs[0]")).isEqualTo(6);
        assertThat(service.applyAsInt("status.conditions")).isEqualTo(2);
        assertThat(service.applyAsInt("")).isEqualTo(2);
    }

    @Test
    void anObjectOfAListHasItsOwnFields() throws IOException {
        assertThat(lines(MANIFEST, 17).applyAsInt("spec.hostname")).isEqualTo(19);
        assertThat(lines(MANIFEST, 20).applyAsInt("spec.hostname")).isEqualTo(24);
        assertThat(lines(MANIFEST, 20).applyAsInt("metadata.labels.app")).isEqualTo(22);
        assertThat(lines(MANIFEST, 20).applyAsInt("spec.labels.app"))
                .as("an alias has no fields of its own")
                .isEqualTo(25);
    }

    @Test
    void jsonHasLines() throws IOException {
        String json = """
                {
                  "kind": "Service",
                  "spec": {
                    "ports": [
                      {
                        "name": "http"
                      }
                    ]
                  }
                }
                """;
        assertThat(lines(json, 1).applyAsInt("spec.ports[0]")).isEqualTo(5);
        assertThat(lines(json, 1).applyAsInt("spec.ports[0].name")).isEqualTo(6);
        assertThat(lines("{kind: Service,\n spec: {\n  selector: {a: b}}}", 1).applyAsInt("spec.selector"))
                .as("YAML that begins like JSON")
                .isEqualTo(3);
    }

    @Test
    void aFileThatHasChangedHasTheLineOfTheObject(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("web.yaml");
        for (String text : new String[] {"", "a: [", "\u0000", "a: b\n"}) {
            Files.writeString(file, text);
            assertThat(Manifests.fieldLines(ManifestInput.path(file), 7).applyAsInt("spec.selector"))
                    .isEqualTo(7);
        }
    }
}
