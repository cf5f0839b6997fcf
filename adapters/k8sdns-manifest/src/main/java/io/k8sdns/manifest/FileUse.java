package io.k8sdns.manifest;

import io.k8sdns.json.FileNotes;
import io.k8sdns.manifest.objects.FileContents;
import io.k8sdns.model.Diagnostic;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** The kinds of files, by what the reader found in them. */
enum FileUse {
    USED("is used", "are used"),
    SKIPPED("has only skipped objects", "have only skipped objects"),
    FOREIGN("is not a Kubernetes manifest", "are not Kubernetes manifests"),
    TEMPLATE("is a template", "are templates"),
    KUSTOMIZATION("is a kustomization", "are kustomizations"),
    BROKEN("cannot be parsed", "cannot be parsed");

    /** The code of notes about documents that are not Kubernetes objects. */
    static final String NO_OBJECT = "no-object";

    /** The code of warnings about documents that cannot be parsed. */
    static final String BROKEN_DOCUMENT = "broken-document";

    private final String ofOne;
    private final String ofMany;

    FileUse(String ofOne, String ofMany) {
        this.ofOne = ofOne;
        this.ofMany = ofMany;
    }

    /**
     * Returns the use of a file.
     *
     * @param found all diagnostics of the file
     */
    static FileUse of(FileContents contents, List<Diagnostic> found) {
        if (contents.holdsObjects()) {
            return USED;
        }
        Set<String> codes = found.stream().map(Diagnostic::code).collect(Collectors.toSet());
        if (codes.contains(FileNotes.TEMPLATE)) {
            return TEMPLATE;
        }
        if (codes.contains(BROKEN_DOCUMENT)) {
            return BROKEN;
        }
        if (found.stream().anyMatch(UnrenderedFiles::isKustomization)) {
            return KUSTOMIZATION;
        }
        boolean isForeign =
                found.stream().allMatch(one -> one.code().equals(NO_OBJECT) || NoteGroup.isForeignKind(one));
        return isForeign ? FOREIGN : SKIPPED;
    }

    /** Returns whether such a file is a manifest that needs no rendering. */
    boolean isManifest() {
        return this == USED || this == SKIPPED;
    }

    /** Returns the number of such files in words: {@code 2 files are used}. */
    String words(int count) {
        return Plurals.counted(count, "file") + " " + (count == 1 ? ofOne : ofMany);
    }
}
