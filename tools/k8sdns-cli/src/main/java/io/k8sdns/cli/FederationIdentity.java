package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.option;

import io.k8sdns.federation.FederationZoneName;
import io.k8sdns.federation.SourceCluster;
import io.k8sdns.name.DnsLabels;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} and {@code node-cache} for this cluster and the zone of federated names. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederationIdentity {
    private static final DnsLabels FEDERATION = DnsLabels.of("federation");

    private @Nullable String clusterName;
    private @Nullable DnsLabels zone;
    private @Nullable Long optionCode;
    private CommandSpec command;

    /** Returns the options, which the command declares under one of its headings. */
    OptionSpec.Builder[] options(CommandSpec owner) {
        command = owner;
        return new OptionSpec.Builder[] {
            option("--cluster-name", String.class, value -> clusterName = value)
                    .paramLabel("NAME")
                    .description(
                            "The name of this cluster in its federations; a DNS label, or several joined by dots. Queries for "
                                    + "federated names are forwarded with it."),
            option("--federation-zone", DnsLabels.class, value -> zone = value)
                    .converters(Main.parsed(DnsLabels::parseHostName))
                    .paramLabel("ZONE")
                    .description(
                            "The zone of federated names, SERVICE.NAMESPACE.FEDERATION.svc.ZONE (default: federation.)."),
            option("--source-cluster-option", Long.class, value -> optionCode = value)
                    .paramLabel("CODE")
                    .description("The code of the EDNS option that holds the name of this cluster (default: "
                            + SourceCluster.OPTION_CODE + ").")
        };
    }

    /** Returns whether federated names are forwarded. */
    boolean isGiven() {
        return clusterName != null;
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @throws ParameterException if an option is invalid
     */
    void check() {
        if (clusterName == null && (zone != null || optionCode != null)) {
            throw usage((zone != null ? "--federation-zone" : "--source-cluster-option") + " needs --cluster-name");
        }
        if (zone != null && zone.isEmpty()) {
            throw usage("--federation-zone: the root cannot be the zone of federated names");
        }
        if (optionCode != null) {
            EdnsOptionCodes.problem("--source-cluster-option", optionCode).ifPresent(problem -> {
                throw usage(problem);
            });
        }
        if (isGiven()) {
            SourceCluster unused = cluster();
        }
    }

    /**
     * Checks that another zone neither contains the federation zone nor lies in it.
     *
     * @param what the description of the other zone, for the message
     * @throws ParameterException if one zone contains the other
     */
    void requireApart(DnsLabels other, String what) {
        DnsLabels own = zone().name();
        if (other.endsWith(own) || own.endsWith(other)) {
            throw usage("--federation-zone: " + own + ". and " + what + " " + other + ". lie in one another");
        }
    }

    /**
     * Returns this cluster.
     *
     * @throws ParameterException if the name of the cluster is missing or invalid
     */
    SourceCluster cluster() {
        try {
            return new SourceCluster(String.valueOf(clusterName));
        } catch (IllegalArgumentException invalid) {
            throw usage("--cluster-name: " + invalid.getMessage());
        }
    }

    FederationZoneName zone() {
        DnsLabels given = zone;
        return new FederationZoneName(given == null ? FEDERATION : given);
    }

    int optionCode() {
        return optionCode == null ? SourceCluster.OPTION_CODE : optionCode.intValue();
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
