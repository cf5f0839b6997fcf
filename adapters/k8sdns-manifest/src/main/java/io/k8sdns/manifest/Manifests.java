package io.k8sdns.manifest;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.objects.FileReading;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.NamespacedObject;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.ToIntFunction;

/**
 * Reads Kubernetes manifests: YAML and JSON as {@code kubectl apply -R -f} accepts and {@code kubectl get -o yaml}
 * prints.
 *
 * <p>Reads Namespace, Node, Service, Endpoints and Pod of {@code v1}, EndpointSlice of {@code discovery.k8s.io/v1},
 * ReplicationController and the workloads of {@code apps/v1} and {@code batch/v1}, and ServiceExport of
 * {@code multicluster.x-k8s.io}, alone, in lists or in OpenShift Templates, and the ConfigMap
 * {@code kube-dns} in the namespace {@code kube-system} ({@link ManifestResult#kubeDnsData}); other objects
 * are ignored. A faulty part is reported with its place and omitted; the rest is kept. Fields that API server,
 * scheduler and kubelet would set are completed.
 *
 * <p>A document without a field that an API server requires is a fragment, for example a Service that needs ports and
 * has none, or a workload without a selector: it is reported and skipped unless read as is. A strategic merge patch
 * is skipped too. An object with a fault never replaces one without. Fields and kinds that Kubernetes does not have are
 * reported, in the words of {@code kubectl}; other kinds than these, and custom resources, are skipped with a note.
 *
 * <p>Bounded: a file over 256 MiB, a document nested deeper than 100 (YAML) or 10,100 (JSON), or one whose aliases expand to
 * more than ten times its file is refused.
 */
public final class Manifests {
    /** The names of files that are kustomizations, in the order in which kustomize looks for them. */
    public static final List<String> KUSTOMIZATION_FILES = FileScan.KUSTOMIZATIONS;

    static final long LARGEST_FILE = 256L << 20;

    private Manifests() {}

    /**
     * Reads files and directories as if they were applied, and throws if there is any problem, so that a test with a
     * mistake in its manifests fails. Other YAML and JSON files, for example the values of a Helm chart, are refused
     * too: name the manifests, or use {@link #read(List, ManifestOptions)}, which skips them.
     *
     * @param paths files and directories; of two objects with one kind, namespace and name the later one is used
     * @return the objects, with the fields that API server, scheduler and kubelet would set
     * @throws IOException if a path is missing or cannot be read; the message names it
     * @throws ManifestException if an object or field is skipped, unknown or refused by an API server, if a file or document
     *     has no Kubernetes object, or if there is no Service, EndpointSlice or Pod; with all problems
     */
    public static ClusterSnapshot read(Path... paths) throws IOException {
        List<ManifestInput> inputs =
                Copies.list("paths", Arrays.asList(Objects.requireNonNull(paths, "paths"))).stream()
                        .map(ManifestInput::path)
                        .toList();
        ClusterSnapshot cluster = read(inputs, ManifestOptions.DEFAULTS.withStrict(), true, complete -> List.of())
                .snapshot();
        if (cluster.objects(NamespacedObject.class).findAny().isEmpty()) {
            throw new ManifestException(List.of(new Diagnostic(
                    Diagnostic.Severity.WARNING,
                    "no-object",
                    Optional.empty(),
                    Optional.empty(),
                    Optional.empty(),
                    "no Service, EndpointSlice or Pod in " + Arrays.toString(paths))));
        }
        return cluster;
    }

    /**
     * Reads inputs in their order. Of several objects with the same kind, namespace and name, the last one without a
     * fault is used, otherwise the last one.
     *
     * @throws IOException if an input is missing or cannot be read; the message names it
     * @throws ManifestException if the options are strict and a part of the input is omitted
     */
    public static ManifestResult read(List<ManifestInput> inputs, ManifestOptions options) throws IOException {
        return read(inputs, options, complete -> List.of());
    }

    /**
     * Reads inputs as {@link #read(List, ManifestOptions)} does, with an additional check of the result.
     *
     * @param check returns additional diagnostics of the cluster, for example about records that are too large for DNS.
     *     They get the position of their object and are in the summary; warnings are errors under strictness
     * @throws IOException if an input is missing or cannot be read; the message names it
     * @throws ManifestException if the options are strict and a part of the input is omitted
     */
    public static ManifestResult read(
            List<ManifestInput> inputs, ManifestOptions options, Function<ClusterSnapshot, List<Diagnostic>> check)
            throws IOException {
        return read(inputs, options, false, check);
    }

    /**
     * Reads an object again, because a {@link ManifestResult} has only the line of each object, and returns the lines of its fields.
     *
     * @param input the file or the stream that holds the object, no directory
     * @param objectLine the line at which the object begins, from 1
     * @return the line of a field by its path, for example {@code spec.ports[0].name}; if the object does not have it, the line of the
     *     nearest field around it that the object has, otherwise that of the object
     * @throws IOException if the input is missing or cannot be read
     */
    public static ToIntFunction<String> fieldLines(ManifestInput input, int objectLine) throws IOException {
        return ObjectLines.read(input, objectLine);
    }

    private static ManifestResult read(
            List<ManifestInput> inputs,
            ManifestOptions options,
            boolean objectsOnly,
            Function<ClusterSnapshot, List<Diagnostic>> check)
            throws IOException {
        List<ManifestInput> all = Copies.list("inputs", inputs);
        Objects.requireNonNull(options, "options");
        Objects.requireNonNull(check, "check");
        FileCollector collector = new FileCollector(options, objectsOnly, check);
        ManifestFiles files = new ManifestFiles(LARGEST_FILE, new ManifestFiles.FileReceiver() {
            @Override
            public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                collector.file(FileReading.read(bytes, notes, options.defaultNamespace(), options.asIs(), renaming));
            }

            @Override
            public void skipped(FileNotes notes) {
                collector.skipped(notes.all());
            }

            @Override
            public void kustomization(FileNotes notes) {
                collector.kustomization(notes.all());
            }
        });
        for (ManifestInput input : all) {
            int before = collector.files();
            files.read(input);
            if (objectsOnly && collector.files() == before && input instanceof ManifestInput.OfPath directory) {
                collector.withoutFile(directory.path());
            }
        }
        return ManifestResult.of(collector.combined(List.of()));
    }
}
