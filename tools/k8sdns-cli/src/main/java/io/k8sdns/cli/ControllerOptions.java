package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.optional;
import static io.k8sdns.cli.CommandSpecs.options;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.federation.FederatedServices;
import io.k8sdns.federation.api.InvalidStubZoneException;
import io.k8sdns.federation.api.StubZone;
import io.k8sdns.federation.api.StubZoneClient;
import io.k8sdns.model.Selector;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The options of the controller of a federation: its clusters, and the Services that take part. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class ControllerOptions {
    private static final String HEADING = "The controller:";
    private static final String STUB_ZONES = "Stub zones of the clusters' DNS servers (see serve --stubzone-api):";
    private static final long MAX_INTERVAL_SECONDS = 86_400;
    private static final long MAX_TIMEOUT_SECONDS = 86_400;

    String federation;
    String leaseNamespace;
    private List<String> given = new ArrayList<>();
    private List<String> services = new ArrayList<>();

    @Nullable
    private Selector selector;

    private List<String> endpoints = new ArrayList<>();
    private List<String> nameServers = new ArrayList<>();
    private Optional<Path> certificate = Optional.empty();
    private Optional<Path> key = Optional.empty();
    private Optional<Path> ca = Optional.empty();
    private final Map<String, URI> urls = new LinkedHashMap<>();
    private long interval;
    private Optional<Path> directory = Optional.empty();
    private Optional<Path> createShards = Optional.empty();
    private long startupTimeout;
    private final Map<String, Path> clusters = new LinkedHashMap<>();
    private CommandSpec command;

    /** Declares the options. */
    void declare(CommandSpec command) {
        this.command = command;
        addOptions(
                command,
                HEADING,
                option("--federation", String.class, value -> federation = value)
                        .required(true)
                        .paramLabel("NAME")
                        .description("The name of the federation, the first part of the keys that are written."),
                options("--cluster", String.class, value -> given = value)
                        .paramLabel("NAME=KUBECONFIG|DIR")
                        .description(
                                "A cluster of the federation: its name, and the kubeconfig of its API server or a directory of "
                                        + "manifests, which is watched; repeatable. A kubeconfig needs permission to list and watch "
                                        + "namespaces, services, endpointslices and nodes, and serviceexports where they are used."),
                optional("--clusters-dir", Path.class, value -> directory = value)
                        .paramLabel("DIR")
                        .description(
                                "A directory of clusters, which is followed: NAME.kubeconfig or NAME is the kubeconfig of cluster NAME, "
                                        + "a directory NAME its manifests, and NAME.stubzone-endpoint the URL of its stub zones. A "
                                        + "cluster joins when its file appears, and leaves, with its keys, when the file is removed."),
                options("--services", String.class, value -> services = value)
                        .paramLabel("NS/NAME")
                        .description("A Service that takes part; repeatable."),
                option("--selector", Selector.class, value -> selector = value)
                        .paramLabel("SELECTOR")
                        .description("Services with these labels take part (default, without --services: "
                                + FederatedServices.LABEL
                                + "=NAME and those with a ServiceExport; with --once and only directories "
                                + "every Service)."),
                optional("--create-shards", Path.class, value -> createShards = value)
                        .paramLabel("FILE|DIR")
                        .description("Manifests of Services that are created in every cluster with an API server, kept "
                                + "equal to the manifests, and deleted when they are removed from the manifests, which "
                                + "are watched. Services that no controller of the federation created are not changed. A kubeconfig needs permission "
                                + "to get, create, update and delete services, and to get, create and update leases (default: "
                                + "nothing is written to a cluster)."),
                option("--lease-namespace", String.class, value -> leaseNamespace = value)
                        .paramLabel("NAMESPACE")
                        .defaultValue("kube-system")
                        .description("The namespace of the Lease k8sdns-federation-NAME in each cluster. Only the "
                                + "controller that holds the Lease creates and changes Services there; all controllers "
                                + "need the same namespace (default: "
                                + "${DEFAULT-VALUE})."),
                option("--interval", long.class, value -> interval = value)
                        .paramLabel("SECONDS")
                        .defaultValue("60")
                        .description("How often everything is compared again; changes are written at once "
                                + "(default: ${DEFAULT-VALUE})."),
                option("--startup-timeout", long.class, value -> startupTimeout = value)
                        .paramLabel("SECONDS")
                        .defaultValue("45")
                        .description(
                                "How long to wait at the start until everything is written, 0 to 86400 (default: "
                                        + "${DEFAULT-VALUE}). The claim of a controller that was killed ends after 30 seconds."));
        addOptions(
                command,
                STUB_ZONES,
                options("--stubzone-endpoint", String.class, value -> endpoints = value)
                        .paramLabel("NAME=URL")
                        .description(
                                "The stub zone API of a cluster's DNS server: https://HOST[:PORT]; repeatable. The "
                                        + "name servers of the federation are written there, and written again if they were "
                                        + "changed."),
                options("--stubzone-nameserver", String.class, value -> nameServers = value)
                        .paramLabel("ADDR[:PORT]")
                        .description(
                                "A name server of the federation, an instance of federated-dns; repeatable, 1 to 15."),
                optional("--stubzone-tls-cert", Path.class, value -> certificate = value)
                        .paramLabel("FILE")
                        .description("The client certificate, in PEM."),
                optional("--stubzone-tls-key", Path.class, value -> key = value)
                        .paramLabel("FILE")
                        .description("Its private key, in PEM and not encrypted."),
                optional("--stubzone-tls-ca", Path.class, value -> ca = value)
                        .paramLabel("FILE")
                        .description("The CAs that may sign the certificates of the endpoints, in PEM."));
    }

    /**
     * Checks options that the parser cannot check.
     *
     * @throws ParameterException if an option is invalid
     */
    void check() {
        if (!KubernetesNames.isDnsLabel(federation)) {
            throw usage("--federation: not the name of a federation (a DNS-1123 label): '" + federation + "'");
        }
        if (!KubernetesNames.isDnsLabel(leaseNamespace)) {
            throw usage("--lease-namespace: not the name of a namespace (a DNS-1123 label): '" + leaseNamespace + "'");
        }
        clusters.clear();
        for (String one : given) {
            int equals = one.indexOf('=');
            if (equals < 1 || equals == one.length() - 1) {
                throw usage("--cluster: not NAME=KUBECONFIG or NAME=DIR: '" + one + "'");
            }
            String name = one.substring(0, equals);
            if (!KubernetesNames.isDnsSubdomain(name)) {
                throw usage("--cluster: not the name of a cluster (a DNS-1123 subdomain): '" + name + "'");
            }
            Path path = Path.of(one.substring(equals + 1));
            if (!Files.exists(path)) {
                throw usage("--cluster: no such file or directory: " + path);
            }
            if (clusters.put(name, path) != null) {
                throw usage("--cluster: two clusters with the name " + name);
            }
        }
        if (clusters.isEmpty() && directory.isEmpty()) {
            throw usage("missing: --cluster or --clusters-dir");
        }
        directory.filter(one -> !Files.isDirectory(one)).ifPresent(missing -> {
            throw usage("--clusters-dir: no such directory: " + missing);
        });
        createShards.ifPresent(this::checkCreateShards);
        if (!services.isEmpty() && selector != null) {
            throw usage("--services and --selector exclude each other");
        }
        if (interval < 1 || interval > MAX_INTERVAL_SECONDS) {
            throw usage("--interval: not a number of seconds (1 to " + MAX_INTERVAL_SECONDS + "): " + interval);
        }
        if (startupTimeout < 0 || startupTimeout > MAX_TIMEOUT_SECONDS) {
            throw usage(
                    "--startup-timeout: not a number of seconds (0 to " + MAX_TIMEOUT_SECONDS + "): " + startupTimeout);
        }
        FederatedServices unused = services(false);
        checkStubZones();
    }

    private void checkCreateShards(Path path) {
        if (!Files.exists(path)) {
            throw usage("--create-shards: no such file or directory: " + path);
        }
        if (directory.isEmpty() && clusters.values().stream().allMatch(Files::isDirectory)) {
            throw usage("--create-shards: every --cluster is a directory of manifests, which is not written to");
        }
    }

    private void checkStubZones() {
        urls.clear();
        // A directory of clusters can contain endpoints, now or later.
        boolean mayFollow = directory.isPresent() && !nameServers.isEmpty();
        boolean isOn = !endpoints.isEmpty() || mayFollow;
        Map<String, Boolean> given = new LinkedHashMap<>();
        given.put("--stubzone-nameserver", !nameServers.isEmpty());
        given.put("--stubzone-tls-cert", certificate.isPresent());
        given.put("--stubzone-tls-key", key.isPresent());
        given.put("--stubzone-tls-ca", ca.isPresent());
        given.forEach((option, isGiven) -> {
            if (isGiven != isOn) {
                throw usage(
                        isOn
                                ? (mayFollow ? "--stubzone-nameserver needs " : "--stubzone-endpoint needs ") + option
                                : option + " needs --stubzone-endpoint");
            }
        });
        for (String one : endpoints) {
            int equals = one.indexOf('=');
            String name = equals < 0 ? "" : one.substring(0, equals);
            boolean isKnown =
                    clusters.containsKey(name) || directory.isPresent() && KubernetesNames.isDnsSubdomain(name);
            if (!isKnown) {
                throw usage("--stubzone-endpoint: not NAME=URL with the NAME of a --cluster: '" + one + "'");
            }
            try {
                if (urls.put(name, URI.create(one.substring(equals + 1))) != null) {
                    throw usage("--stubzone-endpoint: two endpoints of cluster " + name);
                }
            } catch (IllegalArgumentException invalid) {
                throw usage("--stubzone-endpoint: " + invalid.getMessage());
            }
        }
        if (isOn) {
            StubZone unused = stubZone();
        }
    }

    /** Returns the stub zone of the federation. Must be called only if there is an endpoint. */
    StubZone stubZone() {
        try {
            return StubZone.parse(federation, nameServers);
        } catch (InvalidStubZoneException invalid) {
            throw usage("--stubzone-nameserver: " + invalid.getMessage());
        }
    }

    /**
     * Returns the client of a cluster's endpoint; empty if the cluster has none.
     *
     * @param registered the endpoint in the directory of clusters, which takes precedence over the option
     * @throws IOException if a file cannot be read
     * @throws IllegalArgumentException if the endpoint is invalid
     */
    Optional<StubZoneClient> endpoint(String cluster, Optional<URI> registered, Executor executor) throws IOException {
        URI url = registered.orElse(urls.get(cluster));
        if (url == null) {
            return Optional.empty();
        }
        if (nameServers.isEmpty()) {
            throw new IllegalArgumentException(
                    "a stub zone endpoint needs --stubzone-nameserver and the three --stubzone-tls- options");
        }
        return Optional.of(
                StubZoneClient.create(url, certificate.orElseThrow(), key.orElseThrow(), ca.orElseThrow(), executor));
    }

    /** Returns the directory of manifests or the kubeconfig of each cluster. */
    Map<String, Path> clusters() {
        return clusters;
    }

    /** Returns the directory of clusters that is watched. */
    Optional<Path> directory() {
        return directory;
    }

    /** Returns the manifests of the Services that are created in the clusters. */
    Optional<Path> createShards() {
        return createShards;
    }

    /** Returns whether all clusters are directories of manifests. */
    boolean areDirectories() throws IOException {
        return clusters.values().stream().allMatch(Files::isDirectory)
                && (directory.isEmpty() || ClusterRegistry.hasOnlyManifests(directory.get()));
    }

    Duration interval() {
        return Duration.ofSeconds(interval);
    }

    Duration startupTimeout() {
        return Duration.ofSeconds(startupTimeout);
    }

    /**
     * Returns the Services that take part.
     *
     * @param allByDefault whether all Services take part by default
     */
    FederatedServices services(boolean allByDefault) {
        try {
            if (selector != null) {
                return FederatedServices.matching(selector);
            }
            if (!services.isEmpty()) {
                return FederatedServices.named(services);
            }
        } catch (IllegalArgumentException invalid) {
            throw usage((selector != null ? "--selector: " : "--services: ") + invalid.getMessage());
        }
        return allByDefault
                ? FederatedServices.all()
                : FederatedServices.labelledFor(federation).orExported();
    }

    /** Returns the exception for options that the parser accepts but that are invalid. */
    ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
