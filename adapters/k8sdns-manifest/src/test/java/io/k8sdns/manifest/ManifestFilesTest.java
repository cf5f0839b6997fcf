package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.objects.ObjectRenaming;
import io.k8sdns.model.Namespace;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the selection and order of files. */
class ManifestFilesTest {
    @TempDir
    private Path directory;

    private void write(String file, String text) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }

    /** Writes the name of a file into it; the name may hold any character in any locale. */
    private void writeNameInto(String file) throws IOException {
        // A path from a URI has the URI's bytes; one from a string has only what the locale's charset can encode.
        String encoded = URLEncoder.encode(file, StandardCharsets.UTF_8).replace("%2F", "/");
        Path path = Path.of(URI.create(directory.toUri() + encoded));
        Files.createDirectories(path.getParent());
        Files.writeString(path, file);
    }

    private static String namespace(String name) {
        return "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + "}}";
    }

    private static List<String> read(Path... paths) throws IOException {
        List<ManifestInput> inputs = new ArrayList<>();
        for (Path path : paths) {
            inputs.add(ManifestInput.path(path));
        }
        return new ManifestText(Manifests.read(inputs, ManifestOptions.DEFAULTS.withAsIs())).names(Namespace.class);
    }

    /** The files of a directory in the order in which they are read, relative to it. */
    private List<String> order() throws IOException {
        List<String> order = new ArrayList<>();
        new ManifestFiles(1 << 20, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        order.add(directory
                                .relativize(Path.of(notes.position(0).file()))
                                .toString());
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        order.add(notes.all().get(0).code());
                    }
                })
                .read(ManifestInput.path(directory));
        return order;
    }

    /** The contents of the files of a directory in the order in which they are read. */
    private List<String> contents() throws IOException {
        List<String> contents = new ArrayList<>();
        new ManifestFiles(1 << 20, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        contents.add(new String(bytes, StandardCharsets.UTF_8));
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        contents.add(notes.all().get(0).code());
                    }
                })
                .read(ManifestInput.path(directory));
        return contents;
    }

    @Test
    void aDirectoryIsReadRecursivelyInTheBytewiseOrderOfWholePaths() throws IOException {
        for (String file : List.of("b.yaml", "a/z.yml", "a-b.json", "a.yaml", "a/b/c.yaml", "B.yaml")) {
            writeNameInto(file);
        }
        for (String file : List.of("c.txt", "yaml", "d.yaml.bak", "a/f.md")) {
            writeNameInto(file);
        }

        assertThat(contents()).containsExactly("B.yaml", "a-b.json", "a.yaml", "a/b/c.yaml", "a/z.yml", "b.yaml");

        writeNameInto("e.YAML");
        assertThat(contents()).endsWith("b.yaml", "unreadable-file");
    }

    @Test
    void filesWhoseNamesTheLocaleCannotSpellAreReadInTheSameOrder() throws IOException {
        // In UTF-16 the last two would be in the opposite order; in US-ASCII the first two would be equal.
        List<String> files = List.of("\u00E4.yaml", "\u00FC.yaml", "\uFF5E.yaml", "\uD83D\uDE00.yaml");
        for (int i = files.size() - 1; i >= 0; i--) {
            writeNameInto(files.get(i));
        }

        assertThat(contents()).containsExactlyElementsOf(files);
    }

    @Test
    void aNamedFileIsReadWithAnyExtension() throws IOException {
        write("manifest.txt", namespace("a"));
        write("other", namespace("b"));

        assertThat(read(directory.resolve("other"), directory.resolve("manifest.txt")))
                .containsExactlyInAnyOrder("a", "b");
    }

    @Test
    void aMissingPathIsReportedInTheError() {
        Path missing = directory.resolve("missing.yaml");

        assertThatThrownBy(() -> read(missing))
                .isInstanceOf(IOException.class)
                .hasMessageContaining(missing.toString())
                .hasMessageContaining("no such file");
    }

    @Test
    void linksToFilesAreReadAndLinksToDirectoriesCauseNoLoop() throws IOException {
        write("data/a.yaml", namespace("a"));
        Files.createSymbolicLink(directory.resolve("b.yaml"), directory.resolve("data/a.yaml"));
        Files.createSymbolicLink(directory.resolve("loop"), directory);
        Files.createSymbolicLink(directory.resolve("loop.yaml"), directory);
        Files.createSymbolicLink(directory.resolve("dangling.yaml"), directory.resolve("nowhere"));

        assertThat(order()).containsExactly("b.yaml", "unreadable-file");
        assertThat(read(directory)).containsExactly("a");
    }

    @Test
    void aMountedConfigMapIsReadThroughTheLinkToTheVersionInForce() throws IOException {
        write("..2026_11_21/a.yaml", namespace("old"));
        write("..2026_11_22/a.yaml", namespace("a"));
        write("..2026_11_22/sub/b.yaml", namespace("b"));
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("..2026_11_22"));
        Files.createSymbolicLink(directory.resolve("a.yaml"), Path.of("..data/a.yaml"));
        Files.createSymbolicLink(directory.resolve("sub"), Path.of("..data/sub"));

        assertThat(order()).containsExactly("..data/a.yaml", "..data/sub/b.yaml");
        assertThat(read(directory)).containsExactly("a", "b");
    }

    @Test
    void aLinkOfThatNameToAParentDirectoryCausesNoLoop() throws IOException {
        write("a.yaml", "");
        write("..link/b.yaml", "");
        Files.createSymbolicLink(directory.resolve("..data"), Path.of("."));

        assertThat(order()).containsExactly("a.yaml");
    }

    @Test
    void theReasonWhyAFileCannotBeReadIsReported() throws IOException {
        Files.createSymbolicLink(directory.resolve("dangling.yaml"), directory.resolve("nowhere"));

        ManifestText text =
                new ManifestText(Manifests.read(List.of(ManifestInput.path(directory)), ManifestOptions.DEFAULTS));

        assertThat(text.warnings())
                .singleElement()
                .asString()
                .endsWith("dangling.yaml: cannot be read: a link to a missing file");
    }

    @Test
    void anyPathIsReportedInOneLine() throws IOException {
        write("a\nb\u001B[31m.yaml", "kind: Service\n");

        ManifestText text =
                new ManifestText(Manifests.read(List.of(ManifestInput.path(directory)), ManifestOptions.DEFAULTS));

        assertThat(text.warnings()).singleElement().asString().contains("a b [31m.yaml:1");
    }

    @Test
    void aLinkThatIsNamedIsFollowed(@TempDir Path other) throws IOException {
        write("a.yaml", namespace("a"));
        Path link = other.resolve("link");
        Files.createSymbolicLink(link, directory);

        assertThat(read(link)).containsExactly("a");
    }

    @Test
    void aFileThatIsTooLargeIsSkipped() throws IOException {
        write("a.yaml", "x".repeat((1 << 20) + 1));
        write("b.yaml", "x".repeat(1 << 20));

        assertThat(order()).containsExactly("file-too-large", "b.yaml");
    }

    @Test
    void aStreamThatIsTooLargeIsSkipped() throws IOException {
        List<String> codes = new ArrayList<>();
        new ManifestFiles(100, new ManifestFiles.FileReceiver() {
                    @Override
                    public void file(byte[] bytes, FileNotes notes, ObjectRenaming renaming) {
                        codes.add("read");
                    }

                    @Override
                    public void skipped(FileNotes notes) {
                        codes.add(notes.all().get(0).code());
                    }
                })
                .read(ManifestInput.stream("-", new ByteArrayInputStream(new byte[101])));

        assertThat(codes).containsExactly("file-too-large");
    }

    @Test
    void laterInputsReplaceEarlierOnes() throws IOException {
        write("a.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: a, labels: {from: file}}}");
        ManifestText text = new ManifestText(Manifests.read(
                List.of(
                        ManifestInput.path(directory),
                        ManifestInput.stream(
                                "-",
                                new ByteArrayInputStream("{apiVersion: v1, kind: Namespace, metadata: {name: a}}"
                                        .getBytes(StandardCharsets.UTF_8)))),
                ManifestOptions.DEFAULTS.withAsIs()));

        assertThat(text.only(Namespace.class).labels().values()).isEmpty();
        assertThat(text.warnings())
                .containsExactly("given-twice -:1: Namespace a: given before at " + directory.resolve("a.yaml")
                        + ":1; this one is used and has no label from=file");
    }
}
