package io.k8sdns.federation;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.name.DnsLabels;
import java.util.Objects;
import java.util.Optional;

/**
 * The name of the zone of federated names, usually {@code federation.}; finds the federation of a name in the zone.
 *
 * <pre>
 * SVC.NS.FED.svc.federation.                    all shards
 * CLUSTER.SVC.NS.FED.svc.federation.            the shard of one cluster
 * SVC.NS.FED.svc.[ZONE.]REGION.federation.      the shards of one region, or of one zone in it
 * </pre>
 *
 * <p>The federation is the label before {@code svc}, which is one of the last three labels below the zone. If several of these are
 * {@code svc}, the last one counts. The labels before the federation are ignored.
 *
 * @param name the name of the zone, not the root
 */
public record FederationZoneName(DnsLabels name) {
    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is the root
     */
    public FederationZoneName {
        Objects.requireNonNull(name, "name");
        if (name.isEmpty()) {
            throw new IllegalArgumentException("the federation zone must not be the root");
        }
    }

    /**
     * Parses the name of a zone.
     *
     * @param name for example {@code federation.}, with or without the last dot
     * @throws IllegalArgumentException if it is not a host name, or is the root
     */
    public static FederationZoneName parse(String name) {
        return new FederationZoneName(DnsLabels.parseHostName(Objects.requireNonNull(name, "name")));
    }

    /** Returns whether a name equals the name of the zone or lies below it. */
    public boolean contains(DnsLabels asked) {
        return asked.endsWith(name);
    }

    /**
     * Returns the federation of a name, in lower case; empty if the name belongs to no federation. {@code FED.svc.federation.}
     * belongs to {@code FED}, too.
     *
     * @param asked the labels up to the root
     */
    public Optional<String> federation(DnsLabels asked) {
        int at = servicesLabel(asked);
        return at < 1
                ? Optional.empty()
                : Optional.of(asked.foldedLabel(at - 1)).filter(KubernetesNames::isDnsLabel);
    }

    /**
     * Returns the labels before the federation: {@code SVC.NS} and all labels before. Empty for names of a region or zone, and for
     * names that belong to no federation.
     *
     * @param asked the labels up to the root
     */
    Optional<DnsLabels> service(DnsLabels asked) {
        int at = servicesLabel(asked);
        boolean isGlobal = at == asked.count() - name.count() - 1;
        return isGlobal && federation(asked).isPresent() ? Optional.of(asked.first(at - 1)) : Optional.empty();
    }

    /** Returns the index of the label {@code svc}; -1 if there is none. */
    private int servicesLabel(DnsLabels asked) {
        return contains(asked) ? FederatedName.servicesLabel(asked, asked.count() - name.count()) : -1;
    }

    /** Returns the name of the zone with its last dot. */
    @Override
    public String toString() {
        return name + ".";
    }
}
