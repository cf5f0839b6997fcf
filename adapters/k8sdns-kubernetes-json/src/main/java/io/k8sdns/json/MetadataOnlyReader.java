package io.k8sdns.json;

import io.k8sdns.model.Metadata;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ServiceExport;

/** Reads objects that have only metadata here: Namespaces and ServiceExports. */
final class MetadataOnlyReader {
    private final ObjectReader.Sink sink;

    MetadataOnlyReader(ObjectReader.Sink sink) {
        this.sink = sink;
    }

    void readNamespace(Field object, Metadata metadata) {
        sink.put(object, new Namespace(metadata.name(), metadata.uid(), metadata.labels()));
    }

    void readServiceExport(Field object, Metadata metadata) {
        sink.put(object, new ServiceExport(metadata));
    }
}
