package io.k8sdns.manifest.syntax;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/** Binary formats, such as archives, that are passed as manifests by mistake; recognized by their first bytes. */
enum BinaryFormat {
    ZIP("a zip or jar archive", 0, "PK\u0003\u0004"),
    EMPTY_ZIP("a zip or jar archive", 0, "PK\u0005\u0006"),
    GZIP("compressed with gzip", 0, "\u001f\u008b"),
    BZIP2("compressed with bzip2", 4, "1AY&SY"),
    XZ("compressed with xz", 0, "\u00fd7zXZ"),
    ZSTD("compressed with zstd", 0, "(\u00b5/\u00fd"),
    TAR("a tar archive", 257, "ustar\0"),
    GNU_TAR("a tar archive", 257, "ustar  \0"),
    CLASS("a Java class file", 0, "\u00ca\u00fe\u00ba\u00be"),
    ELF("a program or library", 0, "\u007fELF"),
    PDF("a PDF document", 0, "%PDF-"),
    PNG("a PNG image", 0, "\u0089PNG");

    private final String words;
    private final int offset;
    private final String mark;

    BinaryFormat(String words, int offset, String mark) {
        this.words = words;
        this.offset = offset;
        this.mark = mark;
    }

    /** Returns the format of a file if known, otherwise empty. */
    static Optional<BinaryFormat> of(byte[] file) {
        return Arrays.stream(values()).filter(one -> one.isMarkOf(file)).findFirst();
    }

    private boolean isMarkOf(byte[] file) {
        return file.length >= offset + mark.length()
                && new String(file, offset, mark.length(), StandardCharsets.ISO_8859_1).equals(mark);
    }

    /** Returns the description of the format. */
    String words() {
        return words;
    }
}
