package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;

import java.util.Optional;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of the store of federations: in memory, with a file, or in etcd. {@link #etcd} declares the options of etcd. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class StoreOptions {
    final EtcdOptions etcd = new EtcdOptions();
    Optional<String> shards;
    private final Use use;
    private String store;
    private CommandSpec command;

    /** The ways in which commands use the store. */
    enum Use {
        /** The command serves the content. */
        SERVED(
                "Where the shards of Services come from: the file of --shards (memory), or the keys of an etcd "
                        + "cluster (etcd) (default: ${DEFAULT-VALUE}).",
                "The content of the memory store, JSON: {\"/FEDERATION/NAMESPACE/SERVICE/CLUSTER\": "
                        + "{\"externalIP\": ..., \"clusterIP\": ...}}. The file is watched; a version that is not a "
                        + "JSON object changes nothing."),

        /** The command writes the content. */
        WRITTEN(
                "Where to write: the file of --shards (memory), or an etcd cluster (etcd) "
                        + "(default: ${DEFAULT-VALUE}).",
                "The file that keeps the content of the memory store, JSON, as federated-dns --shards follows it; it "
                        + "is created if missing. Only one controller may write it (default: stdout, with --once)."),

        /** The command writes and serves the content. */
        SHARED(
                "Where the shards of Services are: in memory, or in an etcd cluster (etcd), which several servers and "
                        + "controllers may share (default: ${DEFAULT-VALUE}).",
                "The file that keeps the content of the memory store, JSON; read at the start, written after changes, and "
                        + "created if missing (default: nothing is kept).");

        private final String storeText;
        private final String shardsText;

        Use(String storeText, String shardsText) {
            this.storeText = storeText;
            this.shardsText = shardsText;
        }
    }

    StoreOptions(Use use) {
        this.use = use;
    }

    /** Declares {@code --store} and {@code --shards}. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HelpSections.OWN,
                option("--store", String.class, value -> store = value)
                        .paramLabel("memory|etcd")
                        .defaultValue("memory")
                        .description(use.storeText),
                optional("--shards", String.class, value -> shards = value)
                        .paramLabel("FILE")
                        .description(use.shardsText));
    }

    /** Returns whether the store is in etcd. */
    boolean isInEtcd() {
        return store.equals("etcd");
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @throws ParameterException if an option is invalid
     */
    void check() {
        if (!store.equals("memory") && !isInEtcd()) {
            throw usage("--store: '" + store + "' is neither memory nor etcd");
        }
        if (isInEtcd() && shards.isPresent()) {
            throw usage("--shards is for --store memory");
        }
        if (shards.filter("-"::equals).isPresent()) {
            throw usage("--shards: standard input cannot be watched; name a file");
        }
        etcd.check(isInEtcd());
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
