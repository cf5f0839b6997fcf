package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonGenerator;
import java.io.IOException;

/**
 * A request to watch a range of keys.
 *
 * @param revision the first revision whose changes are reported
 */
record WatchRequest(KeyRange range, long revision) {
    static final String PATH = "/v3/watch";

    void write(JsonGenerator json) throws IOException {
        json.writeStartObject();
        json.writeObjectFieldStart("create_request");
        json.writeBinaryField("key", KeyRange.encode(range.first()));
        json.writeBinaryField("range_end", KeyRange.encode(range.end()));
        json.writeStringField("start_revision", Long.toString(revision));
        json.writeEndObject();
        json.writeEndObject();
    }
}
