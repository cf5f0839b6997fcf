package io.k8sdns.cli;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

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

    /** The names of kubectl's options for manifests. */
    private static final Set<String> MANIFESTS = Set.of("-f", "--filename", "-k", "--kustomize");

    private UsageHints() {}

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
            case "-w", "--watch" -> Optional.of("only k8sdns serve watches manifests");
            case "-k", "--kustomize" ->
                STANDARD_INPUT.containsKey(command)
                        ? Optional.of(
                                "-f DIR applies the namespace and the names of a kustomization; for all its fields use "
                                        + (command.equals("resolvconf")
                                                ? "kubectl kustomize DIR | k8sdns resolvconf -f -"
                                                : "--render -f DIR"))
                        : Optional.empty();
            case "--live", "--context", "--kubeconfig", "--in-cluster" ->
                switch (command) {
                    case "diff" -> Optional.of("a live cluster is A or B: live, or live:CONTEXT");
                    case "resolvconf" -> Optional.of("use kubectl get pod POD -o yaml | k8sdns resolvconf -f -");
                    default -> Optional.empty();
                };
            case "-n", "--namespace" ->
                command.equals("resolvconf")
                        ? Optional.of("--from NS/POD chooses a Pod of the manifests")
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
     * Returns the command of k8sdns that is nearest to one of kubectl; empty if the word is none of kubectl.
     *
     * @param arguments the word and those after it
     */
    static Optional<String> ofKubectl(String word, List<String> arguments) {
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
            case "exec", "logs", "port-forward", "top" ->
                Optional.of("k8sdns reads objects and answers DNS; use kubectl " + word);
            default -> Optional.empty();
        };
    }
}
