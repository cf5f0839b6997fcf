package io.k8sdns.model;

import java.util.List;
import java.util.Locale;

/**
 * A Service of type ExternalName (specification 2.5): an alias for a name outside Kubernetes or inside.
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param externalName the target without a trailing dot, a DNS-1123 subdomain when folded to lower case; an IP literal
 *     is kept, as the API server keeps it, and makes no record
 */
public record ExternalNameService(Metadata metadata, String externalName) implements Service {
    /**
     * Checks name and target; one trailing dot of the target is dropped.
     *
     * @throws InvalidFieldException if the name is no DNS label or the target neither a DNS subdomain nor an address
     */
    public ExternalNameService {
        KubernetesNames.requireDnsLabel("metadata.name", metadata.name());
        externalName = externalName.endsWith(".") ? externalName.substring(0, externalName.length() - 1) : externalName;
        if (!KubernetesNames.isDnsSubdomain(externalName.toLowerCase(Locale.ROOT))
                && IpAddress.tryParse(externalName).isEmpty()) {
            throw new InvalidFieldException("spec.externalName", "not a DNS name: \"" + externalName + "\"");
        }
    }

    @Override
    public List<ServicePort> ports() {
        return List.of();
    }

    @Override
    public boolean publishNotReadyAddresses() {
        return false;
    }
}
