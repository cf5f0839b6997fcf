package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import java.net.URI;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of a store in etcd: the URLs of its members, and the client's credentials. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class EtcdOptions {
    private static final String HEADING = "The etcd of --store etcd:";

    List<URI> members = new ArrayList<>();
    Optional<Path> ca = Optional.empty();
    Optional<Path> certificate = Optional.empty();
    Optional<Path> key = Optional.empty();
    Optional<String> user = Optional.empty();
    Optional<Path> passwordFile = Optional.empty();
    private List<String> lists = new ArrayList<>();
    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HEADING,
                options("--etcd", String.class, value -> lists = value)
                        .paramLabel("URL[,URL]")
                        .description(
                                "The members of the etcd cluster, http://HOST[:PORT] or https://HOST[:PORT], separated by commas; "
                                        + "repeatable."),
                optional("--etcd-ca", Path.class, value -> ca = value)
                        .paramLabel("FILE")
                        .description("The CAs that may sign the certificates of members, in PEM (default: those of the "
                                + "JDK). The file is read again for each connection, as the next two are."),
                optional("--etcd-cert", Path.class, value -> certificate = value)
                        .paramLabel("FILE")
                        .description("The client certificate, in PEM (default: none)."),
                optional("--etcd-key", Path.class, value -> key = value)
                        .paramLabel("FILE")
                        .description("Its private key, in PEM and not encrypted."),
                optional("--etcd-user", String.class, value -> user = value)
                        .paramLabel("NAME")
                        .description("The user of etcd's own authentication (default: none)."),
                optional("--etcd-password-file", Path.class, value -> passwordFile = value)
                        .paramLabel("FILE")
                        .description("The file with the password of that user; a line break at its end is ignored."));
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @param isChosen whether the store is in etcd
     * @throws ParameterException if an option is invalid
     */
    void check(boolean isChosen) {
        if (!isChosen) {
            requireNone();
            return;
        }
        members = members();
        if (members.isEmpty()) {
            throw usage("--store etcd needs --etcd");
        }
        requireBoth("--etcd-cert", certificate.isPresent(), "--etcd-key", key.isPresent());
        requireBoth("--etcd-user", user.isPresent(), "--etcd-password-file", passwordFile.isPresent());
        if (ca.isPresent() || certificate.isPresent()) {
            for (URI member : members) {
                if (!"https".equalsIgnoreCase(member.getScheme())) {
                    throw usage("--etcd: with " + (ca.isPresent() ? "--etcd-ca" : "--etcd-cert")
                            + " every URL begins with https://: " + member);
                }
            }
        }
    }

    /** Returns the URLs of all lists. They are split here because the parser would ignore a trailing comma. */
    private List<URI> members() {
        List<URI> all = new ArrayList<>();
        for (String list : lists) {
            for (String url : list.split(",", -1)) {
                if (url.isBlank()) {
                    throw usage("--etcd: an empty URL in '" + list + "'");
                }
                try {
                    all.add(URI.create(url));
                } catch (IllegalArgumentException invalid) {
                    throw usage("--etcd: " + invalid.getMessage());
                }
            }
        }
        return all;
    }

    private void requireNone() {
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("--etcd", !lists.isEmpty());
        given.put("--etcd-ca", ca.isPresent());
        given.put("--etcd-cert", certificate.isPresent());
        given.put("--etcd-key", key.isPresent());
        given.put("--etcd-user", user.isPresent());
        given.put("--etcd-password-file", passwordFile.isPresent());
        given.forEach((option, isGiven) -> {
            if (isGiven) {
                throw usage(option + " needs --store etcd");
            }
        });
    }

    private void requireBoth(String one, boolean hasOne, String other, boolean hasOther) {
        if (hasOne != hasOther) {
            throw usage((hasOne ? one : other) + " needs " + (hasOne ? other : one));
        }
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
