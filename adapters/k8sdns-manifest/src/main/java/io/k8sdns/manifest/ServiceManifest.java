package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.json.ObjectType;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.objects.FileReading;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.objects.TypedObjects;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.Internal;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Service;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The manifest of one Service with all of its fields, for writing to an API server.
 *
 * <pre>{@code
 * List<ServiceManifest> services = ServiceManifest.read(Path.of("shards"));
 * }</pre>
 *
 * @param namespace the namespace, which the manifest must name
 * @param name its name
 * @param json the whole object of the manifest, as JSON in one line
 * @param position the position of the manifest
 */
public record ServiceManifest(String namespace, String name, String json, Position position) {
    private static final ObjectType SERVICE = new ObjectType("v1", Service.KIND);

    /** Checks that nothing is null. */
    @Internal
    public ServiceManifest {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(json, "json");
        Objects.requireNonNull(position, "position");
    }

    /**
     * Reads all Services of a file or of a directory, alone or in lists, and throws if there is any problem. Other
     * valid Kubernetes objects are ignored.
     *
     * @param path a file, or a directory as {@link ManifestInput#path} takes it
     * @return at least one, in the order of the input
     * @throws IOException if the path is missing or cannot be read; the message names it
     * @throws ManifestException as {@link Manifests#read(Path...)} does, and if there is no Service, or a Service names no namespace,
     *     has the type ExternalName, or contains a character above U+FFFF in YAML; with all problems
     */
    public static List<ServiceManifest> read(Path path) throws IOException {
        ManifestOptions options = ManifestOptions.DEFAULTS.withStrict();
        FileCollector collector = new FileCollector(options, true, complete -> List.of());
        List<Located> found = new ArrayList<>();
        new ManifestFiles(Manifests.LARGEST_FILE, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        collector.file(
                                FileReading.read(bytes, notes, options.defaultNamespace(), options.asIs(), renaming));
                        TypedObjects.read(bytes, SERVICE::equals, renaming)
                                .forEach(one -> found.add(new Located(
                                        one.object(),
                                        notes.position(one.object().line()))));
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        collector.skipped(notes.all());
                    }

                    @Override
                    public void kustomization(FileNotes notes) {
                        collector.kustomization(notes.all());
                    }
                })
                .read(ManifestInput.path(Objects.requireNonNull(path, "path")));
        // Throws if there is any problem.
        ManifestResult unused = ManifestResult.of(collector.combined(List.of()));
        return services(path, found);
    }

    private record Located(Value.Mapping service, Position position) {}

    private static List<ServiceManifest> services(Path path, List<Located> found) {
        List<Diagnostic> faults = new ArrayList<>();
        List<ServiceManifest> services = new ArrayList<>();
        for (Located one : found) {
            Value metadata = one.service().get("metadata");
            String namespace = text(metadata, "namespace");
            String name = text(metadata, "name");
            ObjectRef ref = ObjectRef.of(Service.KIND, namespace.isEmpty() ? "(no namespace)" : namespace, name);
            String json = JsonObject.json(one.service());
            if (namespace.isEmpty()) {
                faults.add(fault("no-namespace", ref, one.position(), "the manifest must name a namespace"));
            } else if (text(one.service().get("spec"), "type").equals("ExternalName")) {
                faults.add(fault("external-name", ref, one.position(), "an ExternalName has no endpoints"));
            } else if (json.contains("\\uFFFD")) {
                faults.add(fault(
                        "replaced-character",
                        ref,
                        one.position(),
                        "a character above U+FFFF: write the object in JSON"));
            } else {
                services.add(new ServiceManifest(namespace, name, json, one.position()));
            }
        }
        if (found.isEmpty()) {
            faults.add(new Diagnostic(
                    Severity.WARNING,
                    "no-object",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "no Service in " + path));
        }
        if (!faults.isEmpty()) {
            throw new ManifestException(faults);
        }
        return List.copyOf(services);
    }

    private static Diagnostic fault(String code, ObjectRef ref, Position position, String text) {
        return Diagnostic.warning(code, ref, text).atPosition(position);
    }

    private static String text(@Nullable Value parent, String member) {
        return parent instanceof Value.Mapping mapping && mapping.get(member) instanceof Value.Scalar scalar
                ? scalar.text()
                : "";
    }
}
