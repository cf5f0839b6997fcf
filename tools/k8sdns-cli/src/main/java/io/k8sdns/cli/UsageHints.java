package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Explains arguments of kubectl and dig that a command does not have. */
final class UsageHints {
    private static final Set<String> TAKE_MANIFESTS =
            Set.of("serve", "records", "query", "queries", "verify", "resolvconf");

    private UsageHints() {}

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
                TAKE_MANIFESTS.contains(command)
                        ? Optional.of("use kubectl kustomize DIR | k8sdns " + command + " -f -")
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
            case "describe" -> Optional.of("k8sdns query --live NAME prints what a name of the cluster has");
            case "apply" -> Optional.of("k8sdns serve -f MANIFEST serves the records of manifests");
            default -> Optional.empty();
        };
    }
}
