package io.k8sdns.model;

import io.k8sdns.arguments.KubernetesNames;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;

/**
 * A Service of type ExternalName (specification 2.5): an alias for a name inside or outside Kubernetes.
 *
 * @param metadata namespace, name (a DNS-1123 label), UID, labels
 * @param externalName the target without a trailing dot, a DNS-1123 subdomain when folded to lower case; an IP literal
 *     is kept, as the API server keeps it, but has no record; nor has a Service without a target, which a manifest can
 *     hold but no API server accepts
 */
public record ExternalNameService(Metadata metadata, Optional<String> externalName) implements Service {
    /**
     * Checks name and target; one trailing dot of the target is dropped.
     *
     * @throws InvalidFieldException if the name is not a DNS label or the target neither a DNS subdomain nor an address
     */
    @Internal
    public ExternalNameService {
        Objects.requireNonNull(metadata, "metadata");
        Objects.requireNonNull(externalName, "externalName");
        FieldChecks.requireDnsLabel("metadata.name", metadata.name());
        externalName = externalName.map(ExternalNameService::target);
    }

    /**
     * Makes a Service with a target.
     *
     * @throws InvalidFieldException if the name is not a DNS label or the target neither a DNS subdomain nor an address
     */
    public ExternalNameService(Metadata metadata, String externalName) {
        this(metadata, Optional.of(Objects.requireNonNull(externalName, "externalName")));
    }

    /**
     * Returns a Service that is an alias for a target, and nothing else.
     *
     * @throws InvalidFieldException if the name is not a DNS label or the target neither a DNS subdomain nor an address
     */
    public static ExternalNameService of(String namespace, String name, String externalName) {
        return new ExternalNameService(Metadata.of(namespace, name), externalName);
    }

    /**
     * Returns a Service without a target, which a manifest can hold but no API server accepts; it has no record.
     *
     * @throws InvalidFieldException if the name is not a DNS label
     */
    public static ExternalNameService withoutTarget(Metadata metadata) {
        return new ExternalNameService(metadata, Optional.empty());
    }

    /**
     * Returns the name that the alias leads to: the external name, unless it is an IP address, which the API accepts but DNS cannot
     * use as a target.
     */
    public Optional<String> targetName() {
        return externalName.filter(target -> IpAddress.tryParse(target).isEmpty());
    }

    private static String target(String name) {
        String target = name.endsWith(".") ? name.substring(0, name.length() - 1) : name;
        if (!KubernetesNames.isDnsSubdomain(target.toLowerCase(Locale.ROOT))
                && IpAddress.tryParse(target).isEmpty()) {
            throw new InvalidFieldException("spec.externalName", "not a DNS name: \"" + target + "\"");
        }
        return target;
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
