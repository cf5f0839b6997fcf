package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import io.k8sdns.model.Namespace;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.Collections;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Hostile files: they take bounded time and memory, and do not affect the next document. */
class HostileManifestTest {
    private static final String GOOD = "\n---\n{apiVersion: v1, kind: Namespace, metadata: {name: good}}\n";
    private static final int MANY = 200_000;
    private static final int LONG = 10_000_000;

    static Stream<Arguments> corpus() {
        Map<String, Supplier<String>> corpus = new TreeMap<>();
        corpus.put("deep lists", () -> "[".repeat(MANY));
        corpus.put("deep mappings", () -> "{a: ".repeat(MANY));
        corpus.put("deep JSON", () -> "{\"a\":".repeat(MANY));
        corpus.put("deep JSON lists", () -> "{\"a\":" + "[".repeat(MANY));
        corpus.put("deep block lists", () -> "- ".repeat(MANY));
        corpus.put("deep block mappings", () -> "? ".repeat(MANY));
        corpus.put("deep block by lines", () -> {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 1500; i++) {
                text.append(" ".repeat(i)).append("a:\n");
            }
            return text.toString();
        });
        corpus.put("billion laughs", HostileManifestTest::billionLaughs);
        corpus.put(
                "billion merges",
                () -> billionLaughs()
                        .replace("a0: &a0 [x,x,x,x,x,x,x,x,x,x]", "a0: &a0 {x: y}")
                        .replaceAll("(a\\d+: &a\\d+) \\[(.*)]", "$1 {<<: [$2]}"));
        corpus.put("itself", () -> "a: &a [*a]");
        corpus.put("itself merged", () -> "a: &a {<<: *a}");
        corpus.put("itself as a key", () -> "&a {*a : b}");
        corpus.put("long plain text", () -> "a: " + "x".repeat(LONG));
        corpus.put("long plain text in words", () -> "a: " + "x ".repeat(LONG / 2));
        corpus.put("long plain text in lines", () -> "a: " + "x\n  ".repeat(MANY));
        corpus.put("long quoted text", () -> "a: \"" + "x".repeat(LONG));
        corpus.put("long block of text", () -> "a: |\n" + "  x\n".repeat(MANY));
        corpus.put("long folded text", () -> "a: >\n" + "  x\n\n".repeat(MANY));
        corpus.put("long number", () -> "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + "1".repeat(LONG));
        corpus.put("long name", () -> "apiVersion: v1\nkind: Namespace\nmetadata: {name: " + "a".repeat(LONG) + "}");
        corpus.put(
                "long JSON number",
                () -> "{\"apiVersion\":\"v1\",\"kind\":\"Service\",\"metadata\":{\"name\":\"a\"},"
                        + "\"spec\":{\"ports\":[{\"port\":" + "1".repeat(MANY) + "}]}}");
        corpus.put("long JSON key", () -> "{\"" + "a".repeat(LONG) + "\":1}");
        corpus.put("long comment", () -> "a: b #" + "x".repeat(LONG));
        corpus.put("long key", () -> "a".repeat(MANY) + ": b");
        corpus.put("long anchor", () -> "a: &" + "x".repeat(MANY) + " b\nc: *" + "x".repeat(MANY));
        corpus.put("long directive", () -> "%" + "x".repeat(MANY) + "\n---\na: b");
        corpus.put("many keys", () -> {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 50_000; i++) {
                text.append('k').append(i).append(": v\n");
            }
            return text.toString();
        });
        corpus.put("many keys in one line", () -> "{" + "a: b, ".repeat(MANY) + "}");
        corpus.put("many anchors", () -> {
            StringBuilder text = new StringBuilder();
            for (int i = 0; i < 50_000; i++) {
                text.append("- &a").append(i).append(" v\n");
            }
            return text.toString();
        });
        corpus.put("many documents", () -> "a: b\n---\n".repeat(20_000));
        corpus.put("many broken documents", () -> "a: b: c\n---\n".repeat(20_000));
        corpus.put("many markers", () -> "---\n".repeat(LONG / 2));
        corpus.put("many blank lines", () -> "\n".repeat(LONG));
        corpus.put("many bad labels", () -> {
            StringBuilder text =
                    new StringBuilder("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: a\n  labels:\n");
            for (int i = 0; i < 50_000; i++) {
                text.append("    l").append(i).append(": 1\n");
            }
            return text.toString();
        });
        corpus.put(
                "many bad ports",
                () -> "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports:\n"
                        + "  - {name: x}\n".repeat(20_000));
        corpus.put(
                "many equal objects",
                () -> "{\"apiVersion\":\"v1\",\"kind\":\"Namespace\",\"metadata\":{\"name\":\"a\"}}".repeat(20_000));
        corpus.put("carriage returns", () -> "a: b\r".repeat(MANY));
        corpus.put("tabs", () -> "\t".repeat(LONG));
        corpus.put("spaces", () -> " ".repeat(LONG) + "a");
        corpus.put("zeros", () -> "\0".repeat(MANY));
        corpus.put(
                "line separators in names",
                () -> "{apiVersion: v1, kind: \"A\\n\\e\\u2028\", metadata: {name: \"b\\r\"}}");
        return corpus.entrySet().stream().map(entry -> Arguments.argumentSet(entry.getKey(), entry.getValue()));
    }

    private static String billionLaughs() {
        StringBuilder text = new StringBuilder("a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n");
        for (int i = 1; i < 60; i++) {
            String before = "*a" + (i - 1);
            text.append("a" + i + ": &a" + i + " [" + String.join(",", Collections.nCopies(7, before)) + "]\n");
        }
        return text.toString();
    }

    @ParameterizedTest
    @MethodSource("corpus")
    void aHostileManifestIsReadOrRefusedInTime(Supplier<String> hostile) {
        byte[] bytes = (hostile.get() + GOOD).getBytes(StandardCharsets.UTF_8);

        ManifestText text = assertTimeoutPreemptively(
                Duration.ofMinutes(2), () -> ManifestText.of(bytes, ManifestOptions.DEFAULTS));

        assertThat(text.names(Namespace.class)).contains("good");
        assertThat(text.result().diagnostics()).hasSizeLessThan(200_000);
        assertThat(text.result().diagnostics())
                .allSatisfy(one -> assertThat(one.toString())
                        .hasSizeLessThan(1200)
                        .doesNotContain("\n", "\r", "\u001b", "\u2028"));
        assertThat(String.join("\n", DiagnosticReport.lines(text.result().diagnostics(), false)))
                .hasSizeLessThan(10_000);
        assertThat(text.result().summary()).hasSizeLessThan(2000).doesNotContain("\n");
    }

    @Test
    void nestingIsBoundedAtAHundred() {
        String deep = "{apiVersion: v1, kind: Namespace, metadata: {name: a}, x: %s1%s}";

        assertThat(ManifestText.asIs(deep.formatted("[".repeat(99), "]".repeat(99)))
                        .names(Namespace.class))
                .containsExactly("a");
        assertThat(ManifestText.asIs(deep.formatted("[".repeat(100), "]".repeat(100)))
                        .warnings())
                .containsExactly("broken-document test.yaml:1: the document is skipped: nested deeper than 100");
        String json = "{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"a\"}, \"x\": %s%s}";
        assertThat(ManifestText.asIs(json.formatted("[".repeat(9_000), "]".repeat(9_000)))
                        .names(Namespace.class))
                .as("JSON, which has no aliases")
                .containsExactly("a");
    }

    @Test
    void expansionIsBoundedAtTenTimesTheFile() {
        String text =
                "apiVersion: v1\nkind: Namespace\nmetadata: {name: a}\nx: &x \"" + "x".repeat(10_000) + "\"\ny: [%s]\n";

        assertThat(ManifestText.asIs(text.formatted("*x,".repeat(9))).names(Namespace.class))
                .containsExactly("a");
        assertThat(ManifestText.asIs(text.formatted("*x,".repeat(11))).warnings())
                .containsExactly("broken-document test.yaml:5: the document is skipped: "
                        + "aliases expand to more than 10 times the file");
    }

    @Test
    void aRefusedDocumentDoesNotAffectTheRestOfTheFile() {
        String bomb = "x: &x \"" + "x".repeat(10_000) + "\"\ny: [" + "*x,".repeat(50) + "]\n";
        String good = "apiVersion: v1\nkind: Namespace\nmetadata: {name: a, labels: &l {a: b}, annotations: *l}\n";

        assertThat(ManifestText.asIs(bomb + "---\n" + good).names(Namespace.class))
                .containsExactly("a");
    }

    /**
     * Any bytes give a result: damage to one of three documents leaves the others as they were, unless it joins them.
     */
    @Test
    void damageAffectsOnlyItsDocument() {
        String before = "apiVersion: v1\nkind: Namespace\nmetadata: {name: before}\n---\n";
        String middle = """
                # all there is
                apiVersion: v1
                kind: Service
                metadata: {name: web, namespace: shop, labels: &l {app: web, "a/b": c}}
                spec:
                  clusterIP: 10.0.0.1
                  clusterIPs: [10.0.0.1, "2001:db8::1"]
                  selector: *l
                  ports:
                  - {name: http, port: 80, targetPort: http}
                  - name: dns
                    port: 53
                    protocol: UDP
                ---
                {"apiVersion": "discovery.k8s.io/v1", "kind": "EndpointSlice", "addressType": "IPv4",
                 "metadata": {"name": "web-1", "namespace": "shop", "labels": {"kubernetes.io/service-name": "web"}},
                 "endpoints": [{"addresses": ["10.1.0.1"], "conditions": {"ready": true}, "hostname": "web-0"}],
                 "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}]}
                ---
                kind: List
                apiVersion: v1
                items:
                - apiVersion: apps/v1
                  kind: StatefulSet
                  metadata: {<<: {name: db}, namespace: shop}
                  spec: {replicas: 2, serviceName: db, template: {metadata: {labels: {app: db}}}}
                - apiVersion: v1
                  kind: Pod
                  metadata:
                    name: "web-0"
                    creationTimestamp: null
                  spec: {hostname: web-0, containers: [{ports: [{name: http, containerPort: 8080}]}]}
                  status: {podIPs: [{ip: 10.1.0.1}], conditions: [{type: Ready, status: 'True'}]}
                """;
        String after = "\n---\n" + before.replace("before", "after");
        byte[] seed = middle.getBytes(StandardCharsets.UTF_8);
        Random random = new Random(20_261_121);
        for (int round = 0; round < 2_000; round++) {
            byte[] damaged = damaged(seed, random);
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            bytes.writeBytes(before.getBytes(StandardCharsets.UTF_8));
            bytes.writeBytes(damaged);
            bytes.writeBytes(after.getBytes(StandardCharsets.UTF_8));

            ManifestText text = ManifestText.of(bytes.toByteArray(), ManifestOptions.DEFAULTS);

            assertThat(text.names(Namespace.class))
                    .as(() -> "round with " + new String(damaged, StandardCharsets.ISO_8859_1))
                    .contains("before", "after");
        }
    }

    private static byte[] damaged(byte[] seed, Random random) {
        byte[] alphabet = "{}[]&*!|>'\"%@`#:,-?<=~ \t\n\r\0\\u0aZ9.é".getBytes(StandardCharsets.UTF_8);
        byte[] bytes = seed.clone();
        int changes = 1 + random.nextInt(6);
        for (int i = 0; i < changes; i++) {
            if (bytes.length == 0) {
                return bytes;
            }
            int at = random.nextInt(bytes.length);
            switch (random.nextInt(5)) {
                case 0 -> bytes[at] = (byte) random.nextInt(256);
                case 1 -> bytes[at] = alphabet[random.nextInt(alphabet.length)];
                case 2 -> bytes = spliced(bytes, at, at, bytes, random);
                case 3 -> bytes = spliced(bytes, at, Math.min(bytes.length, at + random.nextInt(40)), alphabet, random);
                default -> bytes = Arrays.copyOf(bytes, Math.max(1, at));
            }
        }
        return bytes;
    }

    /** Replaces a part by a part of another text. */
    private static byte[] spliced(byte[] bytes, int from, int to, byte[] source, Random random) {
        int start = random.nextInt(source.length);
        int length = random.nextInt(Math.min(60, source.length - start) + 1);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.write(bytes, 0, from);
        out.write(source, start, length);
        out.write(bytes, to, bytes.length - to);
        return out.toByteArray();
    }
}
