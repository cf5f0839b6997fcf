package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.optional;

import io.k8sdns.federation.external.ExternalLevel;
import io.k8sdns.federation.external.ExternalRecords;
import io.k8sdns.federation.external.RecordOwner;
import io.k8sdns.name.DnsLabels;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of the records for clients outside of the clusters. There are no such records without {@code --external-suffix}. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ExternalOptions {
    private static final String HEADING =
            "Records for clients outside of the clusters, in a zone of another DNS server:";

    Optional<DnsLabels> suffix = Optional.empty();
    Optional<HostAndPort> server = Optional.empty();
    Optional<DnsLabels> zone = Optional.empty();
    Optional<Path> key = Optional.empty();
    Optional<Path> journal = Optional.empty();
    private Optional<String> levels = Optional.empty();
    private Optional<Long> ttl = Optional.empty();
    private Optional<String> owner = Optional.empty();
    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HEADING,
                optional("--external-suffix", DnsLabels.class, value -> suffix = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("SUFFIX")
                        .description("Keeps the external addresses of Services of type LoadBalancer at "
                                + "SERVICE.NAMESPACE.FEDERATION.svc.SUFFIX; needs --rfc2136, --rfc2136-zone, --tsig-key-file and "
                                + "--owner (default: no such records)."),
                optional("--levels", String.class, value -> levels = value)
                        .paramLabel("LEVEL[,LEVEL]")
                        .description("Which names there are: global, region (...svc.REGION.SUFFIX), zone "
                                + "(...svc.ZONE.REGION.SUFFIX) (default: global,region,zone)."),
                optional("--external-ttl", Long.class, value -> ttl = value)
                        .paramLabel("SECONDS")
                        .description("The TTL of the records (default: " + ExternalRecords.DEFAULT_TTL_SECONDS + ")."),
                optional("--rfc2136", HostAndPort.class, value -> server = value)
                        .paramLabel("HOST:PORT")
                        .description(
                                "The primary server of the zone, which takes dynamic updates (RFC 2136) over TCP."),
                optional("--rfc2136-zone", DnsLabels.class, value -> zone = value)
                        .converters(Main.parsed(DnsLabels::parseHostName))
                        .paramLabel("ZONE")
                        .description("The zone at that server; SUFFIX is its name, or a name in it."),
                optional("--tsig-key-file", Path.class, value -> key = value)
                        .paramLabel("FILE")
                        .description(
                                "The key that signs the updates, as tsig-keygen writes it: hmac-sha256, hmac-sha384 or "
                                        + "hmac-sha512. It needs permission to update the zone and to transfer it."),
                optional("--owner", String.class, value -> owner = value)
                        .paramLabel("ID")
                        .description(
                                "Names this controller in the owner records. Names of other owners, and names without "
                                        + "an owner record, are never changed."),
                optional("--rfc2136-journal", Path.class, value -> journal = value)
                        .paramLabel("FILE")
                        .description(
                                "Keeps the names that were created, for a key that may not transfer the zone: without "
                                        + "both, names that were no longer wanted at the start stay (default: none)."));
    }

    /** Returns whether there are such records. */
    boolean isEnabled() {
        return suffix.isPresent();
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @param federation a valid name of a federation
     * @throws ParameterException if an option is invalid or missing
     */
    void check(String federation) {
        Map<String, Boolean> needed = new LinkedHashMap<>();
        needed.put("--rfc2136", server.isPresent());
        needed.put("--rfc2136-zone", zone.isPresent());
        needed.put("--tsig-key-file", key.isPresent());
        needed.put("--owner", owner.isPresent());
        Map<String, Boolean> given = new LinkedHashMap<>(needed);
        given.put("--levels", levels.isPresent());
        given.put("--external-ttl", ttl.isPresent());
        given.put("--rfc2136-journal", journal.isPresent());
        if (!isEnabled()) {
            given.forEach((option, isGiven) -> {
                if (isGiven) {
                    throw usage(option + " needs --external-suffix");
                }
            });
            return;
        }
        needed.forEach((option, isGiven) -> {
            if (!isGiven) {
                throw usage("--external-suffix needs " + option);
            }
        });
        if (server.orElseThrow().port() == 0) {
            throw usage("--rfc2136: not the port of a server: 0");
        }
        if (!suffix.orElseThrow().endsWith(zone.orElseThrow())) {
            throw usage("--external-suffix: " + suffix.get() + " is not in the zone of --rfc2136-zone, " + zone.get());
        }
        ExternalRecords.Builder unused = records(federation);
    }

    /** Returns the rules of the records. Must be called only if there are such records. */
    ExternalRecords.Builder records(String federation) {
        ExternalRecords.Builder records =
                parsed("--external-suffix", () -> ExternalRecords.builder(owner(federation), suffix.orElseThrow()));
        levels.ifPresent(text -> parsed("--levels", () -> records.levels(ExternalLevel.parse(text))));
        ttl.ifPresent(seconds -> parsed("--external-ttl", () -> records.ttlSeconds(seconds)));
        return records;
    }

    private RecordOwner owner(String federation) {
        return parsed("--owner", () -> new RecordOwner(owner.orElseThrow(), federation));
    }

    /** Parses the value of an option; throws {@link IllegalArgumentException} if it is invalid. */
    private interface Parser<T> {
        T parse();
    }

    private <T> T parsed(String option, Parser<T> parser) {
        try {
            return parser.parse();
        } catch (IllegalArgumentException invalid) {
            throw usage(option + ": " + invalid.getMessage());
        }
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
