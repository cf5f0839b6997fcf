package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/**
 * A key of etcd with its value.
 *
 * @param key the key in the form of {@link KeyRange}
 * @param value the value as text; invalid UTF-8 is replaced
 * @param modRevision the revision of its last change; more than 0
 */
record EtcdKeyValue(String key, String value, long modRevision) {
    static EtcdKeyValue read(JsonParser json) throws IOException {
        var parts = new Object() {
            byte[] key = {};
            byte[] value = {};
            long modRevision;
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "key" -> parts.key = JsonFields.bytes(at);
                case "value" -> parts.value = JsonFields.bytes(at);
                case "mod_revision" -> parts.modRevision = JsonFields.number(at);
                default -> {
                    // Skipped.
                }
            }
        });
        if (parts.key.length == 0 || parts.modRevision == 0) {
            throw new IOException("a key-value pair without key or mod_revision");
        }
        return new EtcdKeyValue(
                KeyRange.decode(parts.key), new String(parts.value, StandardCharsets.UTF_8), parts.modRevision);
    }
}
