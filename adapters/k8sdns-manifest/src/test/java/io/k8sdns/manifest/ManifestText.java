package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;

/** The result of reading the text of one file, {@code test.yaml}. */
record ManifestText(ManifestResult result) {
    static ManifestText asIs(String text) {
        return of(text, ManifestOptions.DEFAULTS.withAsIs());
    }

    static ManifestText asApplied(String text) {
        return of(text, ManifestOptions.DEFAULTS);
    }

    static ManifestText of(String text, ManifestOptions options) {
        return of(text.getBytes(StandardCharsets.UTF_8), options);
    }

    static ManifestText of(byte[] bytes, ManifestOptions options) {
        try {
            return new ManifestText(Manifests.read(
                    List.of(ManifestInput.stream("test.yaml", new ByteArrayInputStream(bytes))), options));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    ClusterSnapshot snapshot() {
        return result.snapshot();
    }

    /** Returns the only object of a type. */
    <T extends ClusterObject> T only(Class<T> type) {
        List<T> all = snapshot().objects(type).toList();
        if (all.size() != 1) {
            throw new AssertionError(all + " of " + result);
        }
        return all.get(0);
    }

    boolean has(String kind, String namespace, String name) {
        return snapshot().get(ObjectRef.of(kind, namespace, name)).isPresent();
    }

    /** Returns the names of all objects of a type. */
    List<String> names(Class<? extends ClusterObject> type) {
        return snapshot().objects(type).map(ClusterObject::name).toList();
    }

    /** Returns the warnings, one line each. */
    List<String> warnings() {
        return lines(Diagnostic.Severity.WARNING);
    }

    /** Returns the notes, one line each. */
    List<String> notes() {
        return lines(Diagnostic.Severity.NOTE);
    }

    private List<String> lines(Diagnostic.Severity severity) {
        return result.diagnostics().stream()
                .filter(one -> one.severity() == severity)
                .map(one -> one.code() + " " + one)
                .toList();
    }
}
