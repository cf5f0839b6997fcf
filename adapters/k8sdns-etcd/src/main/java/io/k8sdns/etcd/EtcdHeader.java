package io.k8sdns.etcd;

import com.fasterxml.jackson.core.JsonParser;
import java.io.IOException;

/**
 * The header of a response.
 *
 * @param cluster the id of the cluster
 * @param revision the revision of the store; 0 if absent
 */
record EtcdHeader(String cluster, long revision) {
    static final EtcdHeader NONE = new EtcdHeader("", 0);

    static EtcdHeader read(JsonParser json) throws IOException {
        var parts = new Object() {
            String cluster = "";
            long revision;
        };
        JsonFields.object(json, (name, at) -> {
            switch (name) {
                case "cluster_id" -> parts.cluster = JsonFields.unsigned(at);
                case "revision" -> parts.revision = JsonFields.number(at);
                default -> {
                    // Skipped.
                }
            }
        });
        return new EtcdHeader(parts.cluster, parts.revision);
    }
}
