package io.k8sdns.federation.external;

import io.k8sdns.arguments.KubernetesNames;
import java.util.Objects;

/**
 * The owner of records in an external zone, usually a controller. The owner record of a name is a TXT record with the owner, the
 * federation and the Service; an owner changes and removes only names with its own owner record. Controllers that write different
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

    /** Returns the prefix of all owner records of this owner. */
    private String textPrefix() {
        return "heritage=k8sdns,k8sdns/owner=" + id + ",k8sdns/federation=" + federation + ",";
    }

    /** Returns the text of the owner record for names of a Service. */
    String text(String namespace, String service) {
        return textPrefix() + "k8sdns/resource=service/" + namespace + "/" + service;
    }

    /**
     * Returns whether an owner record belongs to this owner.
     *
     * @param text the text of the owner record, {@link OwnedRecords#owner}
     */
    public boolean owns(String text) {
        return text.startsWith(textPrefix());
    }
}
