package io.k8sdns.json;

import io.k8sdns.model.Metadata;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads ConfigMaps. */
final class ConfigMapReader {
    private final ObjectReader.Sink sink;

    ConfigMapReader(ObjectReader.Sink sink) {
        this.sink = sink;
    }

    /**
     * Reads a ConfigMap. If a value is not text, the whole ConfigMap is skipped, because a part of a configuration has another
     * meaning.
     */
    void read(Field object, Metadata metadata) {
        Field field = object.get("data");
        Map<String, String> data = new TreeMap<>();
        boolean allText = field.isMappingOrAbsent();
        for (Map.Entry<String, Field> entry : field.members().entrySet()) {
            Field value = entry.getValue();
            Optional<String> text = value.isAbsent() ? Optional.of("") : value.text();
            text.ifPresent(some -> data.put(entry.getKey(), some));
            allText &= text.isPresent();
        }
        if (allText) {
            ConfigMap read = new ConfigMap(metadata.namespace(), metadata.name(), data);
            sink.add(object, read.ref(), read, false);
        }
    }
}
