package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** A report has at most 20 lines, and its numbers add up to those of the diagnostics and files. */
class DiagnosticReportLaws {
    private static final int MAX_LINES = 20;
    private static final String COMMAND = "k8sdns records -f -";

    private static final Pattern COUNTED = Pattern.compile("(?:warning|note): (?:\\.\\.\\. and )?(\\d+) .*");
    private static final Pattern FIRST =
            Pattern.compile("(?:warning|note): .* \\(and (\\d+) more of this sort\\)(?:; to .*)?");
    private static final Pattern REST =
            Pattern.compile("(?:and (\\d+) notes and warnings of other sorts; )?--verbose prints all (\\d+) .*");

    /** Documents of all uses of files. */
    private static final List<String> DOCUMENTS = List.of(
            "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: a}, spec: {ports: [{port: 81}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: b}, spec: {clusterIP: None, ports: [{port: 70000}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: c}, spec: {clusterIP: None, selector: {a: b}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: d}}",
            "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: a}}",
            "{apiVersion: example.org/v1, kind: Ingress, metadata: {name: a}}",
            "{apiVersion: v1, kind: Servce, metadata: {name: a}}",
            "{apiVersion: skaffold/v3, kind: Config}",
            "{apiVersion: kustomize.config.k8s.io/v1beta1, kind: Kustomization}",
            "{apiVersion: v1, kind: Service, metadata: {name: {{ .Values.name }}}",
            "services: {web: {image: web}}",
            "a: b: c",
            "");

    @Provide
    Arbitrary<Diagnostic> diagnostics() {
        Arbitrary<String> codes = Arbitraries.oneOf(
                Arbitraries.of(
                        "broken-document",
                        "template",
                        "given-twice",
                        "given-again",
                        "no-object",
                        "kind-not-read",
                        "completed-service",
                        "invalid-address"),
                Arbitraries.integers().between(1, 40).map(i -> "code-" + i));
        Arbitrary<String> files = Arbitraries.of(
                "a.yaml", "x/templates/a.yaml", "x/Chart.yaml", "y/kustomization.yaml", "z/overlays/kustomization.yml");
        return Combinators.combine(
                        codes,
                        Arbitraries.of(Severity.class),
                        files,
                        Arbitraries.of("Service", "Pod"),
                        Arbitraries.of("wrong", "no record: it has no endpoints", "x".repeat(300)))
                .as((code, severity, file, kind, text) -> new Diagnostic(
                        severity,
                        code,
                        Optional.of(ObjectRef.of(kind, "shop", "web")),
                        Optional.of("spec"),
                        Optional.of(new Position(file, 1)),
                        text));
    }

    @Property
    void diagnosticsHaveFewLinesAndAllAreCounted(@ForAll @Size(max = 400) List<@From("diagnostics") Diagnostic> all) {
        List<String> lines = DiagnosticReport.lines(all, false);

        assertThat(lines).hasSizeLessThanOrEqualTo(MAX_LINES);
        assertThat(lines.stream().mapToInt(DiagnosticReportLaws::counted).sum()).isEqualTo(all.size());
        assertThat(DiagnosticReport.lines(all, true))
                .filteredOn(line -> counted(line) > 0)
                .as("one line each, in addition to the commands for charts and kustomizations")
                .hasSameSizeAs(all);
    }

    /** Returns the number of diagnostics of a line. */
    private static int counted(String line) {
        if (line.startsWith("note: to read ")) {
            return 0;
        }
        Matcher rest = REST.matcher(line);
        if (rest.matches()) {
            return rest.group(1) == null ? 0 : Integer.parseInt(rest.group(1));
        }
        Matcher first = FIRST.matcher(line);
        if (first.matches()) {
            return 1 + Integer.parseInt(first.group(1));
        }
        Matcher counted = COUNTED.matcher(line);
        return counted.matches() ? Integer.parseInt(counted.group(1)) : 1;
    }

    @Provide
    Arbitrary<String> texts() {
        return Arbitraries.of(DOCUMENTS).list().ofMaxSize(4).map(documents -> String.join("\n---\n", documents));
    }

    @Property(tries = 300)
    void filesHaveFewLinesAndAllAreCounted(@ForAll @Size(max = 60) List<@From("texts") String> texts)
            throws IOException {
        List<ManifestInput> files = new ArrayList<>();
        for (int i = 0; i < texts.size(); i++) {
            byte[] bytes = texts.get(i).getBytes(StandardCharsets.UTF_8);
            files.add(ManifestInput.stream(i % 7 + "/file.yaml", new ByteArrayInputStream(bytes)));
        }
        ManifestResult result = Manifests.read(files, ManifestOptions.DEFAULTS);
        List<String> lines = DiagnosticReport.lines(result, COMMAND, false);

        assertThat(lines).hasSizeLessThanOrEqualTo(MAX_LINES);
        assertThat(DiagnosticReport.lines(result, COMMAND, 10))
                .hasSizeLessThanOrEqualTo(10)
                .first()
                .asString()
                .startsWith("read " + files.size());
        assertThat(lines.get(0)).startsWith("read " + files.size() + (files.size() == 1 ? " file: " : " files: "));
        result.summaryLines().stream()
                .filter(line -> line.matches("\\d+ files? .*"))
                .forEach(line -> assertThat(Pattern.compile("\\d+")
                                .matcher(line)
                                .results()
                                .mapToInt(number -> Integer.parseInt(number.group()))
                                .sum())
                        .isEqualTo(files.size()));
    }
}
