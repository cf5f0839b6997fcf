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
 * <p>The first Pod ({@code kind: Pod}, {@code apiVersion: v1}) or workload of a YAML or JSON file is used. Of a workload it is
 * the first Pod that its controller makes from the template; characters of its name that are drawn at random are
 * {@code x}. The object may be an entry of a list, as {@code kubectl get -o yaml} prints it, or of an OpenShift Template, whose
 * parameters have their default values. The rest of the file is not read. Fields that do not affect DNS are
 * ignored.
 *
 * <pre>{@code
 * PodDns dns = KubeletDns.forPod(PodManifest.read(file), NodeDns.ofClusterDns("10.96.0.10"));
 * }</pre>
 */
public final class PodManifest implements PodDefinition {
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
     * Reads the first Pod of a file, and refuses it if it has unknown or duplicate fields, so that a test with a misspelt field
     * fails.
     *
     * @param file the file
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws ManifestException as {@link #read(ManifestInput)} does, and if the Pod has {@link #diagnostics}
     */
    public static PodManifest read(Path file) throws IOException {
        PodManifest manifest = read(ManifestInput.path(Objects.requireNonNull(file, "file")));
        if (!manifest.diagnostics.isEmpty()) {
            throw new ManifestException(manifest.diagnostics);
        }
        return manifest;
    }

    /**
     * Reads the first Pod of a file. Unknown and duplicate fields of the Pod are ignored and in {@link #diagnostics}.
     *
     * @param input a file or a stream
     * @throws IOException if it is missing or cannot be read; the message names it
     * @throws ManifestException if there is no Pod in it, if a document before the Pod is neither YAML nor JSON, if it is a
     *     directory, or larger than 256 MiB
     */
    public static PodManifest read(ManifestInput input) throws IOException {
        Objects.requireNonNull(input, "input");
        if (input instanceof ManifestInput.OfPath named && Files.isDirectory(named.path())) {
            throw refused(
                    new FileNotes(named.path().toString()), "directory", 0, "a directory; a Pod is read from one file");
        }
        List<PodManifest> read = new ArrayList<>(1);
        new ManifestFiles(Manifests.LARGEST_FILE, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        read.add(first(bytes, notes));
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        throw new ManifestException(notes.all());
                    }
                })
                .readAlone(input);
        return read.get(0);
    }

    private static PodManifest first(byte[] bytes, FileNotes notes) {
        FirstPod pods = new FirstPod();
        SectionReader documents = new SectionReader(pods, bytes.length);
        for (FileSection section : FileSection.of(bytes)) {
            Optional<BrokenDocumentException> broken = Optional.empty();
            try {
                documents.read(section);
            } catch (BrokenDocumentException e) {
                broken = Optional.of(e);
            }
            if (pods.found().isPresent()) {
                return new PodManifest(
                        pods.found().get(), true, diagnostics(pods.found().get().pod(), notes));
            }
            if (broken.isPresent()) {
                throw refused(
                        notes,
                        "broken-document",
                        broken.get().line(),
                        String.valueOf(broken.get().getMessage()));
            }
        }
        throw refused(notes, "no-pod", 0, "the file has no Pod of v1 and no workload, but " + pods.others());
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
        FirstPod pods = new FirstPod();
        return new PodManifest(
                pods.find(value, FirstPod.POD)
                        .orElseThrow(() -> new InvalidJsonException(
                                member + ": no Pod of v1 and no workload, but " + pods.others())),
                false,
                List.of());
    }

    /**
     * Returns the unknown and the duplicate fields of the Pod, each with the most similar known field. Empty for a Pod
     * of a {@link JsonObject}.
     */
    public List<Diagnostic> diagnostics() {
        return diagnostics;
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
