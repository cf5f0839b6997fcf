package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.zip.CRC32;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests that binary files are reported with their format. */
class BinaryFilesTest {
    private static final String NAMESPACE = "{apiVersion: v1, kind: Namespace, metadata: {name: a}}";

    /** Returns a jar with one uncompressed entry, whose text is readable in the file. */
    private static byte[] jar(String content) throws IOException {
        byte[] stored = content.getBytes(StandardCharsets.UTF_8);
        CRC32 sum = new CRC32();
        sum.update(stored);
        JarEntry entry = new JarEntry("manifest.yaml");
        entry.setMethod(JarEntry.STORED);
        entry.setSize(stored.length);
        entry.setCrc(sum.getValue());
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (JarOutputStream jar = new JarOutputStream(out)) {
            jar.putNextEntry(entry);
            jar.write(stored);
        }
        return out.toByteArray();
    }

    @ParameterizedTest
    @ValueSource(strings = {"{{ .Values.name }}", "{% if %}", "\n---\n" + NAMESPACE + "\n---\n"})
    void aJarWithAnyContentIsAnArchive(String content) throws IOException {
        ManifestText text = ManifestText.of(jar(content), ManifestOptions.DEFAULTS.withAsIs());

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings())
                .containsExactly("broken-document test.yaml:1: the document is skipped: "
                        + "a zip or jar archive, neither YAML nor JSON");
    }

    @Test
    void aCompressedFileIsReportedAsCompressed() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
            gzip.write(NAMESPACE.getBytes(StandardCharsets.UTF_8));
        }

        assertThat(ManifestText.of(out.toByteArray(), ManifestOptions.DEFAULTS).warnings())
                .containsExactly("broken-document test.yaml:1: the document is skipped: "
                        + "compressed with gzip, neither YAML nor JSON");
    }

    @Test
    void manifestsInsideATarArchiveAreNotRead() {
        byte[] tar = new byte[2048];
        byte[] name = "manifest.yaml".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(name, 0, tar, 0, name.length);
        byte[] mark = "ustar\0".getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(mark, 0, tar, 257, mark.length);
        byte[] content = ("\n---\n" + NAMESPACE + "\n---\n").getBytes(StandardCharsets.US_ASCII);
        System.arraycopy(content, 0, tar, 512, content.length);

        ManifestText text = ManifestText.of(tar, ManifestOptions.DEFAULTS.withAsIs());

        assertThat(text.snapshot().objects()).isEmpty();
        assertThat(text.warnings()).singleElement().asString().endsWith("a tar archive, neither YAML nor JSON");
    }

    @ParameterizedTest
    @ValueSource(strings = {"\u0000{{ x }}", "{{ x }}\u0007"})
    void textWithControlCharactersIsNotATemplate(String content) {
        ManifestText text =
                ManifestText.of(content.getBytes(StandardCharsets.ISO_8859_1), ManifestOptions.DEFAULTS.withAsIs());

        assertThat(text.warnings()).singleElement().asString().contains(": a control character, number ");
    }

    @Test
    void aPodIsNotReadFromAnArchiveEither() throws IOException {
        byte[] jar = jar(NAMESPACE);

        assertThatThrownBy(() -> PodManifest.read(ManifestInput.stream("a.jar", new ByteArrayInputStream(jar))))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("a.jar:1: a zip or jar archive, neither YAML nor JSON");
    }
}
