package io.k8sdns.manifest.syntax;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.JsonTokens;

/** Reads the documents of a file section by section, as JSON or as YAML. */
public final class SectionReader {
    private final Documents.DocumentReceiver receiver;
    private final Documents documents;

    /**
     * Reads one file.
     *
     * @param fileSize the size of the file in bytes
     */
    public SectionReader(Documents.DocumentReceiver receiver, long fileSize) {
        this.receiver = receiver;
        this.documents = new Documents(receiver, fileSize);
    }

    /**
     * Composes the documents of a section.
     *
     * @throws BrokenDocumentException if one cannot be read; earlier documents have been delivered
     */
    public void read(FileSection section) throws BrokenDocumentException {
        section.check();
        if (section.looksLikeJson()) {
            readJson(section);
        } else {
            documents.read(new YamlTokens(section.yaml(), section.line()));
        }
    }

    /** Reads a section that begins like JSON. If it is not JSON, reads it as YAML, which may begin the same way. */
    private void readJson(FileSection section) throws BrokenDocumentException {
        int before = documents.ended();
        try {
            documents.read(JsonTokens.ofObjects(section.json(), section.line()));
        } catch (BrokenDocumentException noJson) {
            if (documents.ended() > before) {
                throw noJson;
            }
            receiver.forget();
            try {
                documents.read(new YamlTokens(section.yaml(), section.line()));
            } catch (BrokenDocumentException noYaml) {
                // The error of the parser that read further is the more useful one.
                throw documents.ended() > before || noYaml.line() >= noJson.line() ? noYaml : noJson;
            }
        }
    }
}
