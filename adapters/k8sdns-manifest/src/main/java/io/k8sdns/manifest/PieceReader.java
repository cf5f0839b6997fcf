package io.k8sdns.manifest;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Documents;
import io.k8sdns.json.JsonTokens;

/** Reads the documents of a file piece by piece, as JSON or as YAML. */
final class PieceReader {
    private final Documents.Reader reader;
    private final Documents documents;

    /**
     * Reads one file.
     *
     * @param fileSize the size of the file in bytes
     */
    PieceReader(Documents.Reader reader, long fileSize) {
        this.reader = reader;
        this.documents = new Documents(reader, fileSize);
    }

    /**
     * Composes the documents of a piece.
     *
     * @throws BrokenDocumentException if one cannot be read; earlier documents have been delivered
     */
    void read(Piece piece) throws BrokenDocumentException {
        piece.check();
        if (piece.looksLikeJson()) {
            readJson(piece);
        } else {
            documents.read(new YamlTokens(piece.yaml(), piece.line()));
        }
    }

    /** Reads a piece that begins like JSON and is none as YAML, which may begin the same way. */
    private void readJson(Piece piece) throws BrokenDocumentException {
        int before = documents.ended();
        try {
            documents.read(JsonTokens.ofObjects(piece.json(), piece.line()));
        } catch (BrokenDocumentException noJson) {
            if (documents.ended() > before) {
                throw noJson;
            }
            reader.forget();
            try {
                documents.read(new YamlTokens(piece.yaml(), piece.line()));
            } catch (BrokenDocumentException noYaml) {
                // The error of the parser that read further is the more useful one.
                throw documents.ended() > before || noYaml.line() >= noJson.line() ? noYaml : noJson;
            }
        }
    }
}
