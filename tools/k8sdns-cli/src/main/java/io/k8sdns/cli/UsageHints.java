package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;

/** Explains arguments of kubectl and dig that a command does not have. */
final class UsageHints {
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
        return switch (argument) {
            case "-w", "--watch" -> Optional.of("only k8sdns serve watches manifests");
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
}
