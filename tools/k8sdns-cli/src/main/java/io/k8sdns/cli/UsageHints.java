package io.k8sdns.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Explains arguments of kubectl and dig that a command does not have. */
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

    private UsageHints() {}

    /** Returns the arguments with which a command reads manifests from standard input, with a blank before them. */
    static String standardInput(String command) {
        return STANDARD_INPUT.getOrDefault(command, ONLY_MANIFESTS);
    }

    /** Returns what to write in place of the first argument that has a counterpart. */
    static Optional<String> of(String command, List<String> arguments) {
        return arguments.stream()
                .flatMap(argument -> of(command, argument).stream())
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
        if (command.equals("k8sdns")) {
            return ofKubectl(argument);
        }
        return switch (argument) {
            case "-w", "--watch" -> Optional.of("only k8sdns serve watches manifests");
            case "-k", "--kustomize" ->
                STANDARD_INPUT.containsKey(command)
                        ? Optional.of("use kubectl kustomize DIR | k8sdns " + command + standardInput(command))
                        : Optional.empty();
            case "--live", "--context" ->
                command.equals("diff")
                        ? Optional.of("a live cluster is A or B: live, or live:CONTEXT")
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

    /** Returns the command of k8sdns that is nearest to one of kubectl. */
    private static Optional<String> ofKubectl(String argument) {
        return switch (argument) {
            case "get" -> Optional.of("k8sdns records --live prints the records of the cluster's objects");
            case "describe" ->
                Optional.of("k8sdns explain --live NAME prints which objects make a name of the cluster");
            case "apply" -> Optional.of("k8sdns serve -f MANIFEST serves the records of manifests");
            default -> Optional.empty();
        };
    }
}
