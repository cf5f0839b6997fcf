package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.model.IpNetwork;
import io.k8sdns.name.DnsLabels;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of {@code serve} for federated names: forwarding, and the API that sets the routes. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FederationOptions {
    private static final String HEADING =
            "Federated names (docs/federation-stub-zones.md; ordinary names, unless --cluster-name is given):";

    final FederationIdentity identity = new FederationIdentity();
    List<IpNetwork> peers = new ArrayList<>();
    private String fallback;
    Optional<HostAndPort> api = Optional.empty();
    Optional<Path> certificate = Optional.empty();
    Optional<Path> key = Optional.empty();
    Optional<Path> clientCa = Optional.empty();
    List<String> allowedClients = new ArrayList<>();
    Optional<Path> store = Optional.empty();

    /** Declares the options. */
    void declare(CommandSpec command) {
        addOptions(command, HEADING, identity.options(command));
        addOptions(
                command,
                HEADING,
                options("--federation-peer", IpNetwork.class, value -> peers = value)
                        .paramLabel("CIDR")
                        .description(
                                "Servers that forward federated names themselves: their queries with the option are REFUSED, to prevent loops; "
                                        + "repeatable. The name servers of federations are always included."),
                option("--federation-fallback", String.class, value -> fallback = value)
                        .paramLabel("cluster|none")
                        .defaultValue("cluster")
                        .description(
                                "The answer while no name server of a federation answers: this cluster's Service if it has a ready "
                                        + "endpoint (cluster), or SERVFAIL (none) (default: ${DEFAULT-VALUE})."),
                optional("--stubzone-api", HostAndPort.class, value -> api = value)
                        .converters(ListenAddresses.CONVERTER)
                        .paramLabel("HOST:PORT")
                        .description(
                                "Where to answer HTTPS, :PORT for all addresses: POST /federations/NAME with {\"nameservers\": "
                                        + "[\"192.0.2.53\"]} sets the name servers of a federation (default: nowhere)."),
                optional("--stubzone-tls-cert", Path.class, value -> certificate = value)
                        .paramLabel("FILE")
                        .description(
                                "The certificate of that server, in PEM; read again when it changes, as the next two are."),
                optional("--stubzone-tls-key", Path.class, value -> key = value)
                        .paramLabel("FILE")
                        .description("Its private key, in PEM and not encrypted."),
                optional("--stubzone-tls-client-ca", Path.class, value -> clientCa = value)
                        .paramLabel("FILE")
                        .description("The CA of client certificates, in PEM; other clients are not read."),
                options("--stubzone-allow-client", String.class, value -> allowedClients = value)
                        .paramLabel("NAME")
                        .description(
                                "A client that is allowed, by the common name or a subject alternative name of its certificate; "
                                        + "repeatable (default: all of that CA)."),
                optional("--stubzone-store", Path.class, value -> store = value)
                        .paramLabel("FILE")
                        .description(
                                "The file that keeps the name servers of federations over a restart (default: none)."));
    }

    /** Returns whether federated names are forwarded. */
    boolean isEnabled() {
        return identity.isGiven();
    }

    /** Returns whether this cluster's Services are the answer while no name server of a federation answers. */
    boolean hasFallback() {
        return fallback.equals("cluster");
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @param served the zones of the cluster
     * @param upstream the options for all other names
     * @throws ParameterException if an option is invalid
     */
    void check(List<DnsLabels> served, UpstreamOptions upstream) {
        identity.check();
        if (!fallback.equals("cluster") && !fallback.equals("none")) {
            throw identity.usage("--federation-fallback: '" + fallback + "' is neither cluster nor none");
        }
        if (!isEnabled()) {
            if (!peers.isEmpty() || api.isPresent() || store.isPresent()) {
                throw identity.usage((!peers.isEmpty()
                                ? "--federation-peer"
                                : api.isPresent() ? "--stubzone-api" : "--stubzone-store")
                        + " needs --cluster-name");
            }
        } else {
            checkZone(served, upstream);
        }
        boolean hasAll = certificate.isPresent() && key.isPresent() && clientCa.isPresent();
        boolean hasNone = certificate.isEmpty() && key.isEmpty() && clientCa.isEmpty() && allowedClients.isEmpty();
        if (api.isPresent() && !hasAll) {
            throw identity.usage(
                    "--stubzone-api needs --stubzone-tls-cert, --stubzone-tls-key and --stubzone-tls-client-ca");
        }
        if (api.isEmpty() && !hasNone) {
            throw identity.usage(
                    "--stubzone-tls-cert, --stubzone-tls-key, --stubzone-tls-client-ca and --stubzone-allow-client need "
                            + "--stubzone-api");
        }
    }

    private void checkZone(List<DnsLabels> served, UpstreamOptions upstream) {
        served.forEach(zone -> identity.requireApart(zone, "the zone of the cluster"));
        if (upstream.usesSuffix()) {
            identity.requireApart(upstream.autopathSuffix(), "--autopath-suffix");
        }
        if (upstream.modes().contains(UpstreamOptions.Mode.OPTION)
                && upstream.searchPathsCode() == identity.optionCode()) {
            throw identity.usage("--source-cluster-option and --search-paths-option are both " + identity.optionCode());
        }
        for (StubDomain stub : upstream.stubDomains) {
            if (identity.zone().contains(stub.domain())) {
                throw identity.usage("--stub-domain: " + stub.domain() + " lies in the federation zone "
                        + identity.zone() + ", whose names go to the name servers of their federation alone");
            }
        }
    }
}
