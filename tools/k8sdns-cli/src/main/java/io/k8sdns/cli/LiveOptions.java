package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.flag;
import static io.k8sdns.cli.CommandSpecs.option;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.ParameterException;

/** The options for reading objects from an API server instead of manifests. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class LiveOptions {
    /** Long enough for a large cluster with a slow API server: without all objects there is no answer. */
    private static final String SNAPSHOT_SECONDS = "60";

    /**
     * How long a command that prints once repeats requests to an API server that has not responded, refuses its credentials or forbids
     * to list objects: long enough for a connection that is lost once.
     */
    static final Duration RESPONSE_WITHIN = Duration.ofSeconds(2);

    private static final String AFTER_SNAPSHOT =
            "After that time, the command fails; already after " + RESPONSE_WITHIN.toSeconds()
                    + " to 4 s if the API server cannot be reached, accepts no credentials or permits too little.";

    /** As in CoreDNS. */
    private static final String SERVER_SECONDS = "5";

    @Nullable
    Path kubeconfig;

    @Nullable
    String context;

    boolean ofDefaultKubeconfig;
    boolean inCluster;
    long startupTimeout;

    /** The parameter that names the cluster in place of the options; otherwise null. */
    private @Nullable String parameter;

    private CommandSpec command;

    /** Declares the options of a command that needs all objects before it prints. */
    void declare(CommandSpec command) {
        declare(command, SNAPSHOT_SECONDS, "pods with --pods verified", AFTER_SNAPSHOT);
    }

    /** Declares the options of a command that needs all objects before it prints, and reads Pods with every value of {@code --pods}. */
    void declareWithPods(CommandSpec command) {
        declare(command, SNAPSHOT_SECONDS, "pods", AFTER_SNAPSHOT);
    }

    /** Declares the options of a server, which can start before all objects are listed. */
    void declareOfServer(CommandSpec command) {
        declare(
                command,
                SERVER_SECONDS,
                "pods with --pods verified or --autopath pod",
                "After that time, serve answers SERVFAIL until they are.");
    }

    private void declare(CommandSpec command, String seconds, String pods, String afterwards) {
        String heading = "A live cluster, instead of manifests:";
        declareCluster(
                command,
                heading,
                "Follow the objects of the cluster that this file describes; needs permission to "
                        + "list and watch namespaces, services and endpointslices, and "
                        + pods + ".");
        declareTimeout(command, heading, seconds, afterwards);
    }

    private void declareTimeout(CommandSpec command, String heading, String seconds, String afterwards) {
        addOptions(
                command,
                heading,
                option("--startup-timeout", long.class, value -> startupTimeout = value)
                        .paramLabel("SECONDS")
                        .defaultValue(seconds)
                        .description(
                                "How long to wait until all objects are listed, 0 to 86400 (default: ${DEFAULT-VALUE}). "
                                        + afterwards));
    }

    /** Declares the options of a command whose arguments name clusters by their contexts ({@link #ofContext}). */
    void declareOfContexts(CommandSpec command) {
        this.command = command;
        String heading = "Live clusters:";
        addOptions(
                command,
                heading,
                option("--kubeconfig", Path.class, value -> kubeconfig = value)
                        .paramLabel("FILE")
                        .description("The file that describes the clusters (default: $KUBECONFIG, whose files are "
                                + "merged, or ~/.kube/config)."));
        declareTimeout(command, heading, SNAPSHOT_SECONDS, AFTER_SNAPSHOT);
    }

    /**
     * Returns the options for the parameter {@code live} or {@code live:CONTEXT}, which messages name.
     *
     * @param name the context; null for the current one
     */
    LiveOptions ofContext(@Nullable String name) {
        LiveOptions options = new LiveOptions();
        options.command = command;
        options.kubeconfig = kubeconfig;
        options.ofDefaultKubeconfig = kubeconfig == null;
        options.context = name;
        options.parameter = name == null ? "live" : "live:" + name;
        options.startupTimeout = startupTimeout;
        return options;
    }

    /** Declares only the options that choose the cluster. */
    void declareCluster(CommandSpec command, String heading, String ofKubeconfig) {
        this.command = command;
        addOptions(
                command,
                heading,
                flag("--live", value -> ofDefaultKubeconfig = value)
                        .description(
                                "kubectl's cluster: that of the files in $KUBECONFIG, which are merged as kubectl does, "
                                        + "otherwise of ~/.kube/config."),
                option("--kubeconfig", Path.class, value -> kubeconfig = value)
                        .paramLabel("FILE")
                        .description(ofKubeconfig),
                option("--context", String.class, value -> context = value)
                        .paramLabel("NAME")
                        .description("The context in the kubeconfig (default: its current one)."),
                flag("--in-cluster", value -> inCluster = value)
                        .description(
                                "Follow the objects of the cluster that the command runs in, with the Pod's service account."));
    }

    /** Returns whether objects come from an API server. */
    boolean isChosen() {
        return kubeconfig != null || inCluster || ofDefaultKubeconfig;
    }

    /**
     * Checks that there is exactly one source of objects, and no option of another source.
     *
     * @param manifests the manifests that were given
     * @throws ParameterException if there is no source, or more than one
     */
    void requireOneSource(List<String> manifests) {
        requireOneSource(manifests, Stream.empty());
    }

    /**
     * Checks the options of a command whose parameters are no manifests.
     *
     * @param manifests the manifests that were given
     * @param parameters the parameters, one of which may be meant as a manifest
     * @throws ParameterException if there is no source, or more than one
     */
    void requireOneSource(List<String> manifests, Stream<String> parameters) {
        requireAtMostOneSource(manifests, Set.of());
        if (!isChosen() && manifests.isEmpty()) {
            throw usage("missing: -f MANIFEST, --live, --kubeconfig or --in-cluster"
                    + UsageHints.ofManifest(parameters).map(hint -> "; " + hint).orElse("; -f - reads standard input"));
        }
    }

    /**
     * Checks the options like {@link #requireOneSource}, but also accepts no source.
     *
     * @param others long names of options for reading manifests that the command uses for other files
     */
    void requireAtMostOneSource(List<String> manifests, Set<String> others) {
        requireOneCluster();
        requireTimeout();
        if (isChosen() && !manifests.isEmpty()) {
            throw usage("objects come from manifests or from a live cluster, not both");
        }
        if (isChosen()) {
            Set<String> reading = ClusterOptions.Reading.longNames();
            command.commandLine().getParseResult().matchedOptions().stream()
                    .map(OptionSpec::longestName)
                    .filter(name -> reading.contains(name) && !others.contains(name))
                    .sorted()
                    .findFirst()
                    .ifPresent(option -> {
                        throw usage(option + " is for manifests; a live cluster's objects are as they are");
                    });
        }
    }

    /** Checks {@code --startup-timeout}. */
    void requireTimeout() {
        if (startupTimeout < 0 || startupTimeout > 86_400) {
            throw usage("--startup-timeout: not a number of seconds (0 to 86400): " + startupTimeout);
        }
    }

    /**
     * Checks that the options name at most one cluster.
     *
     * @throws ParameterException if they name two, or a context without a kubeconfig
     */
    void requireOneCluster() {
        if (inCluster && (kubeconfig != null || ofDefaultKubeconfig)) {
            throw usage((kubeconfig == null ? "--live" : "--kubeconfig") + " and --in-cluster exclude each other");
        }
        if (context != null && kubeconfig == null && !ofDefaultKubeconfig) {
            throw usage("--context needs --live or --kubeconfig");
        }
    }

    /**
     * Returns the kubeconfigs, to be merged: that of the option, otherwise kubectl's.
     *
     * @return empty with {@code --in-cluster}
     * @throws ParameterException if no file exists
     */
    List<Path> kubeconfigs() {
        if (kubeconfig != null) {
            return List.of(kubeconfig);
        }
        if (!ofDefaultKubeconfig) {
            return List.of();
        }
        try {
            return KubeconfigChoice.files(System.getenv("KUBECONFIG"), KubeconfigChoice.home(System.getenv("HOME")));
        } catch (IllegalArgumentException none) {
            throw usage(source() + ": " + none.getMessage() + (parameter == null ? "; in a Pod use --in-cluster" : ""));
        }
    }

    /** Returns the option or the parameter that names the cluster. */
    String source() {
        if (kubeconfig != null) {
            return "--kubeconfig";
        }
        return parameter != null ? parameter : inCluster ? "--in-cluster" : "--live";
    }

    /** Returns the option or the parameter that names the context. */
    String contextSource() {
        return parameter == null ? "--context" : parameter;
    }

    /** Returns the option or the parameter with which a context can be chosen. */
    String contextChoice() {
        return parameter == null ? "--context" : "live:CONTEXT";
    }

    /** Returns the messages of the command. */
    PrintWriter messages() {
        return command.commandLine().getErr();
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
