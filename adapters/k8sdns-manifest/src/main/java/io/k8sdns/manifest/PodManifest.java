package io.k8sdns.manifest;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Field;
import io.k8sdns.json.FileNotes;
import io.k8sdns.json.Value;
import io.k8sdns.manifest.checks.ManifestChecks;
import io.k8sdns.manifest.checks.PodDecoder;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.manifest.syntax.FileSection;
import io.k8sdns.manifest.syntax.SectionReader;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.resolvconf.InvalidPodException;
import io.k8sdns.resolvconf.InvalidPodException.FieldError;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDefinition;
import io.k8sdns.resolvconf.PodDnsSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The manifest of one Pod, read for its DNS fields.
 *
 * <p>The first Pod ({@code kind: Pod}, {@code apiVersion: v1}) or workload of a YAML or JSON file, or of the files of a directory, is
 * used. Of a workload it is the first Pod that its controller makes from the template; characters of its name that are drawn at
 * random are {@code x}. The object may be an entry of a list, as {@code kubectl get -o yaml} prints it, or of an OpenShift Template,
 * whose parameters have their default values. The rest of the file is not read. Fields that do not affect DNS are ignored.
 *
 * <pre>{@code
 * PodDns dns = KubeletDns.forPod(PodManifest.read(file), NodeDns.ofClusterDns("10.96.0.10"));
 * }</pre>
 */
public final class PodManifest implements PodDefinition {
    private static final String NO_POD = "no-pod";
    private static final String BROKEN = "broken-document";

    private final Value.Mapping pod;
    private final String specPath;
    private final boolean hasLines;
    private final List<Diagnostic> diagnostics;

    private PodManifest(TemplatePod found, boolean hasLines, List<Diagnostic> diagnostics) {
        this.pod = found.pod();
        this.specPath = found.specPath();
        this.hasLines = hasLines;
        this.diagnostics = List.copyOf(diagnostics);
    }

    /**
     * Reads the first Pod of a file or directory, and refuses it if it has unknown or duplicate fields, so that a test with a misspelt
     * field fails.
     *
     * @param file the file, or a directory as in {@link ManifestInput#path}
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws ManifestException as {@link #read(ManifestInput)} does, and if there are warnings among the {@link #diagnostics}
     */
    public static PodManifest read(Path file) throws IOException {
        PodManifest manifest = read(ManifestInput.path(Objects.requireNonNull(file, "file")));
        if (manifest.diagnostics.stream().anyMatch(one -> one.severity() == Diagnostic.Severity.WARNING)) {
            throw new ManifestException(manifest.diagnostics);
        }
        return manifest;
    }

    /**
     * Reads the first Pod of a file or directory. Unknown and duplicate fields of the Pod are ignored and in {@link #diagnostics}.
     *
     * <p>In a directory the namespaces and names of kustomizations are applied, and files that are not valid are skipped.
     *
     * @param input a file, a directory or a stream
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws ManifestException if there is no Pod in it; and if a file is larger than 256 MiB, or has a document before the Pod that
     *     is neither YAML nor JSON, unless it is in a directory
     */
    public static PodManifest read(ManifestInput input) throws IOException {
        return read(input, FirstPod.ofAll(), true);
    }

    /**
     * Reads the first Pod with a name, or of a workload with this name, as {@link #read(ManifestInput)} does. Names are those after
     * kustomizations were applied.
     *
     * @param namespace the namespace; {@code default} for objects that name none
     * @param name the name of the Pod or workload
     */
    public static PodManifest read(ManifestInput input, String namespace, String name) throws IOException {
        return read(
                input,
                FirstPod.named(Objects.requireNonNull(namespace, "namespace"), Objects.requireNonNull(name, "name")),
                false);
    }

    private static PodManifest read(ManifestInput input, FirstPod pods, boolean isChosenByOrder) throws IOException {
        Objects.requireNonNull(input, "input");
        if (input instanceof ManifestInput.OfPath named && Files.isDirectory(named.path())) {
            DirectorySearch search = new DirectorySearch(named.path(), pods, isChosenByOrder);
            new ManifestFiles(Manifests.LARGEST_FILE, search).read(input);
            return search.result();
        }
        List<PodManifest> read = new ArrayList<>(1);
        new ManifestFiles(Manifests.LARGEST_FILE, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        read.add(first(bytes, notes, pods));
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        throw new ManifestException(notes.all());
                    }
                })
                .readAlone(input);
        return read.get(0);
    }

    private static PodManifest first(byte[] bytes, FileNotes notes, FirstPod pods) {
        Optional<BrokenDocumentException> broken = search(bytes, pods);
        if (pods.found().isPresent()) {
            TemplatePod pod = pods.found().get();
            return new PodManifest(pod, true, diagnostics(pod.pod(), notes));
        }
        broken.ifPresent(document -> {
            throw refused(notes, BROKEN, document.line(), String.valueOf(document.getMessage()));
        });
        throw refused(notes, NO_POD, 0, "the file has " + pods.missing());
    }

    /** Searches the sections of a file until the Pod is found; returns the problem of a section that cannot be read before it. */
    private static Optional<BrokenDocumentException> search(byte[] bytes, FirstPod pods) {
        SectionReader documents = new SectionReader(pods, bytes.length);
        for (FileSection section : FileSection.of(bytes)) {
            try {
                documents.read(section);
            } catch (BrokenDocumentException broken) {
                if (pods.found().isEmpty()) {
                    return Optional.of(broken);
                }
            }
            if (pods.found().isPresent()) {
                break;
            }
        }
        return Optional.empty();
    }

    /** Searches the files of a directory. */
    private static final class DirectorySearch implements ManifestFiles.FileReceiver {
        private final Path directory;
        private final FirstPod pods;
        private final boolean isChosenByOrder;

        /** The problems of the files that were skipped. */
        private final List<Diagnostic> skipped = new ArrayList<>();

        /** The notes about the kustomizations whose files are being read. */
        private final List<Diagnostic> kustomized = new ArrayList<>();

        private Optional<PodManifest> found = Optional.empty();

        /**
         * Creates a search.
         *
         * @param isChosenByOrder whether the diagnostics name the Pod, because it is the first one of several perhaps
         */
        DirectorySearch(Path directory, FirstPod pods, boolean isChosenByOrder) {
            this.directory = directory;
            this.pods = pods;
            this.isChosenByOrder = isChosenByOrder;
        }

        @Override
        public void kustomization(FileNotes notes) {
            kustomized.addAll(notes.all());
        }

        @Override
        public void endOfKustomizations() {
            kustomized.clear();
        }

        @Override
        public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
            if (found.isPresent()) {
                return;
            }
            pods.rename(renaming);
            search(bytes, pods).ifPresent(broken -> {
                notes.brokenDocument(false, broken.line(), String.valueOf(broken.getMessage()));
                skipped.addAll(notes.all());
            });
            found = pods.found().map(pod -> new PodManifest(pod, true, all(pod, notes)));
        }

        @Override
        public void skipped(FileNotes notes) {
            if (found.isEmpty()) {
                skipped.addAll(notes.all());
            }
        }

        private List<Diagnostic> all(TemplatePod pod, FileNotes notes) {
            List<Diagnostic> all = new ArrayList<>(counted());
            all.addAll(kustomized);
            if (isChosenByOrder) {
                all.add(Diagnostic.note("first-pod", pod.ref(), "the first Pod or workload of the directory")
                        .atPosition(notes.position(pod.object().line())));
            }
            all.addAll(diagnostics(pod.pod(), notes));
            return all;
        }

        /** Returns the first problem of a skipped file, with the number of the others. */
        private List<Diagnostic> counted() {
            if (skipped.size() < 2) {
                return skipped;
            }
            Diagnostic first = skipped.get(0);
            int others = skipped.size() - 1;
            String text = first.text() + " (and " + others + " more " + (others == 1 ? "problem" : "problems") + ")";
            return List.of(new Diagnostic(
                    first.severity(), first.code(), first.object(), first.field(), first.position(), text));
        }

        PodManifest result() {
            return found.orElseThrow(() -> {
                List<Diagnostic> all = new ArrayList<>(counted());
                all.addAll(
                        refused(new FileNotes(directory.toString()), NO_POD, 0, "the directory has " + pods.missing())
                                .diagnostics());
                return new ManifestException(all);
            });
        }
    }

    private static List<Diagnostic> diagnostics(Value.Mapping pod, FileNotes notes) {
        FileNotes found = notes.copyWithout(any -> true);
        Field root = Field.root(found, pod);
        Field metadata = root.get("metadata");
        ObjectRef ref = ObjectRef.of(
                FirstPod.POD.kind(),
                metadata.get("namespace").scalarText().orElse("default"),
                metadata.get("name").scalarText().orElse("(no name)"));
        new ManifestChecks(false).hasKnownFields(root.of(ref), FirstPod.POD.kind());
        return found.all();
    }

    private static ManifestException refused(FileNotes notes, String code, int line, String text) {
        notes.warn(code, Optional.empty(), Optional.empty(), line, text);
        return new ManifestException(notes.all());
    }

    /**
     * Returns the Pod in a member of a JSON object; {@code kind} and {@code apiVersion} may be missing.
     *
     * @throws InvalidJsonException if there is no such member, or if it is not an object or an object of another kind
     */
    public static PodManifest of(JsonObject object, String member) {
        Objects.requireNonNull(object, "object");
        Objects.requireNonNull(member, "member");
        Value.Mapping value = object.mapping(member);
        FirstPod pods = FirstPod.ofAll();
        return new PodManifest(
                pods.find(value, FirstPod.POD)
                        .orElseThrow(() -> new InvalidJsonException(member + ": " + pods.missing())),
                false,
                List.of());
    }

    /**
     * Returns the unknown and the duplicate fields of the Pod, each with the most similar known field. Of a directory before them: the
     * problems of files that were skipped, those of the Pod's kustomization, and a note that names the Pod unless it was read by its
     * name. Empty for a Pod of a {@link JsonObject}.
     */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
    }

    /**
     * Returns the name in {@link #spec} if the manifest does not have it: that of a Pod with only a {@code generateName}, or of a workload
     * whose controller draws the names.
     */
    public Optional<String> inventedName() {
        return PodDecoder.inventedName(pod);
    }

    /**
     * Returns the DNS fields of the Pod.
     *
     * @param node the version of the API server and its limits; if the node accepts the enhancement proposals, the
     *     value of an option may be a number, and {@code dnsConfig} may be a list
     * @throws InvalidPodException if an API server would refuse the DNS fields; with all errors: first those of its JSON decoder
     *     about values of the wrong type, then those of its validation
     */
    @Override
    public PodDnsSpec spec(NodeDns node) {
        PodDecoder decoder = new PodDecoder(node.enhancementPolicies(), hasLines);
        PodDnsSpec spec = decoder.decode(pod);
        List<FieldError> errors = new ArrayList<>(decoder.errors());
        errors.addAll(decoder.findings(spec, node));
        if (!errors.isEmpty()) {
            throw new InvalidPodException(
                    spec.name(), errors.stream().map(this::inManifest).toList());
        }
        return spec;
    }

    /** Returns an error with the path of its field in the manifest. */
    private FieldError inManifest(FieldError error) {
        return error.field().startsWith("spec.")
                ? new FieldError(specPath + error.field().substring("spec".length()), error.problem())
                : error;
    }
}
