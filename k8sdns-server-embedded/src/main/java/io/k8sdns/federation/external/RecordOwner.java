package io.k8sdns.federation.external;

import io.k8sdns.arguments.KubernetesNames;
import java.util.Objects;

/**
 * Who has made records of an external zone. Each name has an owner record beside it, a TXT record whose text names the owner, its
 * federation and the Service; only names with the own text are changed or removed. Two controllers that are meant to write different
 * names, for example for different suffixes, need different ids.
 *
 * @param id 1 to 63 letters, digits and inner {@code - _ .}
 * @param federation the federation, a DNS-1123 label
 */
public record RecordOwner(String id, String federation) {
    /**
     * Checks the parts.
     *
     * @throws IllegalArgumentException if one has another form
     */
    public RecordOwner {
        Objects.requireNonNull(id, "id");
        Objects.requireNonNull(federation, "federation");
        if (id.isEmpty() || !KubernetesNames.isLabelValue(id)) {
            throw new IllegalArgumentException(
                    "the id of an owner has 1 to 63 letters, digits and inner dashes, dots and underscores: \"" + id
                            + "\"");
        }
        if (!KubernetesNames.isDnsLabel(federation)) {
            throw new IllegalArgumentException(
                    "not the name of a federation (a DNS-1123 label): \"" + federation + "\"");
        }
    }

    /** Returns what the texts of this owner begin with. */
    private String start() {
        return "heritage=k8sdns,k8sdns/owner=" + id + ",k8sdns/federation=" + federation + ",";
    }

    /** Returns the text of the owner records of a Service. */
    String text(String namespace, String service) {
        return start() + "k8sdns/resource=service/" + namespace + "/" + service;
    }

    /**
     * Returns whether the text of an owner record is of this owner.
     *
     * @param text as {@link OwnedRecords#owner} has it
     */
    public boolean owns(String text) {
        return text.startsWith(start());
    }
}
