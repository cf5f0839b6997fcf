package io.k8sdns.cli;

import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Explains arguments that a command does not have, most of them of kubectl and dig. */
final class UsageHints {
    private static final String ONLY_MANIFESTS = " -f -";

    /** The arguments with which each command reads manifests from standard input. */
    private static final Map<String, String> STANDARD_INPUT = Map.of(
            "serve",
            ONLY_MANIFESTS,
            "records",
            ONLY_MANIFESTS,
            "query",
            " -f - NAME",
            "explain",
            " -f - NAME",
            "diff",
            ONLY_MANIFESTS,
            "queries",
            " --resolv-conf FILE -f - NAME",
            "verify",
            " --server HOST:PORT -f -",
            "resolvconf",
            ONLY_MANIFESTS);

    /** The names of kubectl's options for manifests. */
    private static final Set<String> MANIFESTS = Set.of("-f", "--filename", "-k", "--kustomize");

    private static final Pattern URL_HOST =
            Pattern.compile("[A-Za-z][A-Za-z0-9+.-]*://(?:[^/?#]*@)?(?<host>\\[[^]]*]|[^/?#:]+).*");

    private static final Pattern HOST_AND_PORT = Pattern.compile("(?<host>[^:/]+):\\d+(?:/.*)?");

    /** kubectl's {@code TYPE/NAME}. */
    private static final Pattern OBJECT = Pattern.compile("(?<kind>[A-Za-z][A-Za-z0-9.-]*)/(?<name>[^/]+)");

    /** kubectl's words for Services. */
    private static final Set<String> SERVICES = Set.of("svc", "service", "services");

    private static final Pattern MANIFEST = Pattern.compile("-|.+\\.(?:yaml|yml|json)");

    private UsageHints() {}

    /** Returns what to write in place of a word that is a URL, a host with a port, an object or a file instead of a name; otherwise empty. */
    static Optional<String> ofName(String word) {
        Matcher url = URL_HOST.matcher(word);
        Optional<String> withPort = hostOf(word);
        Matcher object = OBJECT.matcher(word);
        if (url.matches()) {
            return Optional.of("the host of this URL is " + url.group("host"));
        }
        if (withPort.isPresent()) {
            return withPort.map(host -> "the name without the port is " + host);
        }
        if (object.matches()) {
            if (isManifest(word)) {
                return ofManifest(Stream.of(word));
            }
            return Optional.of(service(word)
                    .map(service -> "the name of a Service is " + service + ".NAMESPACE")
                    .orElse("only Services have names (SERVICE.NAMESPACE), and Pods below them "
                            + "(HOSTNAME.SERVICE.NAMESPACE)"));
        }
        return Optional.empty();
    }

    /** Returns the host of a word of the form {@code HOST:PORT}, which may be followed by a path; otherwise empty. */
    static Optional<String> hostOf(String word) {
        Matcher withPort = HOST_AND_PORT.matcher(word);
        return withPort.matches() ? Optional.of(withPort.group("host")) : Optional.empty();
    }

    /** Returns the Service of a word such as {@code svc/web}. */
    static Optional<String> service(String word) {
        Matcher object = OBJECT.matcher(word);
        return object.matches() && SERVICES.contains(object.group("kind").toLowerCase(Locale.ROOT))
                ? Optional.of(object.group("name"))
                : Optional.empty();
    }

    /** Returns whether a word is kubectl's word for Services. */
    static boolean isServices(String word) {
        return SERVICES.contains(word.toLowerCase(Locale.ROOT));
    }

    /** Returns how to read the first of some words that is a file, a directory or standard input, not a name; otherwise empty. */
    static Optional<String> ofManifest(Stream<String> words) {
        return words.filter(UsageHints::isManifest).findFirst().map(word -> "to read " + word + ", write -f " + word);
    }

    /** Returns whether a word is standard input, a file or directory that exists, or has the name of a manifest. */
    static boolean isManifest(String word) {
        try {
            return MANIFEST.matcher(word).matches() || !word.isEmpty() && Files.exists(Path.of(word));
        } catch (InvalidPathException noFile) {
            return false;
        }
    }

    /** Returns the arguments with which a command reads manifests from standard input, with a blank before them. */
    static String standardInput(String command) {
        return STANDARD_INPUT.getOrDefault(command, ONLY_MANIFESTS);
    }

    /** Returns what to write in place of the first argument that has a counterpart. */
    static Optional<String> of(String command, List<String> arguments) {
        return arguments.stream()
                .flatMap(argument -> of(command, UnknownArguments.name(argument)).stream())
                .findFirst();
    }

    /** Returns what to write in place of an argument; empty if that is not known. */
    static Optional<String> of(String command, String argument) {
        boolean isQuery = command.equals("query");
        if (isQuery && argument.equals("+short")) {
            return Optional.of("use --short instead of dig's +short");
        }
        if (isQuery && argument.startsWith("+")) {
            return Optional.of("no option of dig with + is supported; --short prints only the data");
        }
        if (isQuery && (argument.startsWith("@") || argument.equals("-p"))) {
            return Optional.of(
                    "query asks no server, it answers from manifests or a live cluster; use dig to ask one, or k8sdns "
                            + "verify --server HOST:PORT to check it");
        }
        return switch (argument) {
            case "-v", "--v" ->
                command.equals("k8sdns") || command.equals("version")
                        ? Optional.of("-V prints the version")
                        : Optional.of("use --log-level debug, or --verbose where manifests are read");
            case "--dry-run" ->
                STANDARD_INPUT.containsKey(command)
                        ? Optional.of("k8sdns " + command + " changes no objects")
                        : Optional.empty();
            case "-w", "--watch" -> Optional.of("only k8sdns serve watches manifests");
            case "-k", "--kustomize" ->
                // Also before the command.
                STANDARD_INPUT.containsKey(command) || command.equals("k8sdns")
                        ? Optional.of(
                                "-f DIR applies the namespace and the names of a kustomization; for all its fields use "
                                        + "--render -f DIR")
                        : Optional.empty();
            case "--live", "--context", "--kubeconfig", "--in-cluster" ->
                switch (command) {
                    case "diff" -> Optional.of("a live cluster is A or B: live, or live:CONTEXT");
                    case "resolvconf" ->
                        Optional.of("resolvconf reads no cluster; for a Pod of one, use kubectl get pod POD -o yaml | "
                                + "k8sdns resolvconf -f -");
                    default -> Optional.empty();
                };
            case "-n", "--namespace" ->
                command.equals("resolvconf")
                        ? Optional.of("--from NS/POD chooses a Pod of the manifests")
                        : Optional.empty();
            case "--exit-code" ->
                command.equals("diff")
                        ? Optional.of("use --fail-on change,appear to exit with 1 if anything differs")
                        : Optional.empty();
            case "-p", "--port" ->
                switch (command) {
                    case "serve", "node-cache", "federated-dns", "federation" ->
                        Optional.of("the port is a part of --listen HOST:PORT");
                    case "verify" -> Optional.of("the port is a part of --server HOST:PORT");
                    default -> Optional.empty();
                };
            default -> Optional.empty();
        };
    }

    /**
     * Returns the command of k8sdns that is nearest to one of kubectl, helm or dig; empty if the word is none of these.
     *
     * @param arguments the word and those after it
     */
    static Optional<String> ofOtherProgram(String word, List<String> arguments) {
        boolean hasManifests = arguments.stream().map(UnknownArguments::name).anyMatch(MANIFESTS::contains);
        return switch (word) {
            case "get" ->
                Optional.of(
                        hasManifests
                                ? "k8sdns records -f MANIFEST prints the records of manifests"
                                : "k8sdns records --live prints the records of the cluster's objects");
            case "describe" ->
                Optional.of(
                        hasManifests
                                ? "k8sdns explain -f MANIFEST NAME prints which objects make a name"
                                : "k8sdns explain --live NAME prints which objects make a name of the cluster");
            case "kustomize" ->
                Optional.of(
                        "k8sdns records --render -f DIR prints the records of a kustomization, rendered by kubectl");
            case "apply", "create", "replace" ->
                Optional.of("k8sdns changes no objects; k8sdns serve -f MANIFEST serves the records of manifests");
            case "delete", "edit", "expose", "label", "patch", "rollout", "run", "scale" ->
                Optional.of("k8sdns changes no objects");
            case "dig", "lookup", "resolve" ->
                Optional.of("k8sdns query -f MANIFEST NAME answers as the DNS of a cluster would");
            case "lint", "validate" -> Optional.of("k8sdns records --strict -f MANIFEST fails if anything is skipped");
            case "template" ->
                Optional.of("use helm template CHART | k8sdns records -f -, or k8sdns records --render -f CHART");
            case "exec", "logs", "port-forward", "top" ->
                Optional.of("k8sdns reads objects and answers DNS; use kubectl " + word);
            default -> Optional.empty();
        };
    }
}
