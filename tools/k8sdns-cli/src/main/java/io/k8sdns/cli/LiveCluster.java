package io.k8sdns.cli;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.clientjava.InClusterConnector;
import io.k8sdns.clientjava.InvalidCredentialsException;
import io.k8sdns.clientjava.InvalidKubeconfigException;
import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.clientjava.MissingPermissionException;
import io.k8sdns.clientjava.NoResponseException;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.cluster.SyncState;
import io.k8sdns.federation.controller.LeaseApi;
import io.k8sdns.federation.controller.ServiceApi;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1ListMeta;
import io.kubernetes.client.openapi.models.V1NamespaceList;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeList;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.UnaryOperator;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * Connects to an API server. Only this class, {@link LiveServices} and {@link NodeCacheCluster} use the Kubernetes client, so that
 * its classes are loaded, and required, only for live clusters.
 */
final class LiveCluster {
    static final String KUBE_SYSTEM = "kube-system";
    static final String KUBE_DNS = "kube-dns";
    private static final int DNS_PORT = 53;
    private static final Duration LOG_INTERVAL = Duration.ofMinutes(1);

    /** The page size of Node lists. Small, because a Node has some 20 kB of JSON, and usually the first one has both labels. */
    private static final int NODES_PER_PAGE = 20;

    /** The number of namespaces that are listed for a message. */
    private static final int MAX_NAMESPACES = 500;

    /** The status of an {@link ApiException} without a response. */
    private static final int NO_RESPONSE = 0;

    /** A strong reference, because the JDK recreates unreferenced loggers without their filters. */
    private static final Logger CLIENT_LOG = Logger.getLogger("io.kubernetes.client.util.KubeConfig");

    private LiveCluster() {}

    /**
     * Returns a source of the objects that the records need.
     *
     * @param readsPods whether Pods are read even if the records do not need them
     * @param observer receives the state of the source
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static ClusterSource source(
            LiveOptions live,
            ClusterOptions options,
            ZoneSettings settings,
            boolean readsPods,
            ClusterObserver observer)
            throws IOException {
        ApiClusterSource.Builder source =
                builder(connector(live), options, settings).observer(observer);
        return (readsPods ? source.pods() : source).build();
    }

    /**
     * Returns a snapshot of the present objects.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if they are not all received before the timeout
     */
    static ClusterSnapshot snapshot(LiveOptions live, ClusterOptions options, ZoneSettings settings)
            throws IOException {
        return objects(live, options, settings).snapshot();
    }

    /** Returns objects like {@link #snapshot(LiveOptions, ClusterOptions, ZoneSettings)}. */
    static PresentObjects objects(LiveOptions live, ClusterOptions options, ZoneSettings settings) throws IOException {
        return objects(new LastClient(connector(live)), live, options, settings, UnaryOperator.identity());
    }

    /** Returns objects like {@link #snapshot(LiveOptions, ClusterOptions, ZoneSettings)}, of a side that each message names. */
    static PresentObjects objects(
            LiveOptions live, ClusterOptions options, ZoneSettings settings, ClusterOptions.Side side)
            throws IOException {
        return objects(new LastClient(connector(live)), live, options, settings, side::named);
    }

    private static PresentObjects objects(
            LastClient connector,
            LiveOptions live,
            ClusterOptions options,
            ZoneSettings settings,
            UnaryOperator<String> message)
            throws IOException {
        PresentObjects present = received(builder(connector, options, settings), connector, live, options);
        options.emptyNamespaces(present.snapshot(), () -> namespaces(connector.last()))
                .forEach(warning -> options.print(message.apply(warning)));
        return present;
    }

    /**
     * The present objects of a cluster.
     *
     * @param hasPods whether the Pods are among them; they are not if they are not requested, or without permission to list them
     */
    record PresentObjects(ClusterSnapshot snapshot, boolean hasPods) {}

    /**
     * Returns objects as {@link #snapshot(LiveOptions, ClusterOptions, ZoneSettings)} does, but also those without records, because they
     * may be why a name has none: all Pods, objects that the labels of the options hide, and the other namespaces.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if they are not all received before the timeout
     */
    static PresentObjects explainedObjects(LiveOptions live, ClusterOptions options, ZoneSettings settings)
            throws IOException {
        LastClient connector = new LastClient(connector(live));
        PresentObjects present =
                received(builderWithHidden(connector, options, settings).pods(), connector, live, options);
        List<String> existing = options.publishing.namespaces.isEmpty() ? List.of() : namespaces(connector.last());
        options.emptyNamespaces(present.snapshot(), () -> existing).forEach(options::print);
        Stream<Namespace> namespaces = existing.stream().map(Namespace::of);
        return new PresentObjects(
                ClusterSnapshot.of(Stream.concat(namespaces, present.snapshot().objects(ClusterObject.class))
                        .toList()),
                present.hasPods());
    }

    private static PresentObjects received(
            ApiClusterSource.Builder source, ApiConnector connector, LiveOptions live, ClusterOptions options)
            throws IOException {
        AtomicBoolean hasPods = new AtomicBoolean();
        source.responseWithin(LiveOptions.RESPONSE_WITHIN)
                .observer(new KindStates(ClusterObserver.NONE, (kind, state) -> {
                    if (kind.equals(Pod.KIND) && state == SyncState.SYNCED) {
                        hasPods.set(true);
                    }
                }));
        Progress progress = Progress.start("reading the objects of the cluster", live.messages());
        try {
            ClusterSnapshot snapshot = source.snapshot(Duration.ofSeconds(live.startupTimeout));
            return new PresentObjects(snapshot, hasPods.get());
        } catch (MissingPermissionException forbidden) {
            throw new IOException(
                    "no permission at the API server " + connector + ": " + reason(forbidden)
                            + (options.publishing.namespaces.isEmpty()
                                    ? "; -n NAMESPACE reads only one namespace"
                                    : ""),
                    forbidden);
        } catch (NoResponseException absent) {
            throw unreachable(connector, absent);
        } catch (InvalidCredentialsException refused) {
            throw new IOException(
                    "no valid credentials for the API server " + connector + ": " + reason(refused), refused);
        } catch (TimeoutException late) {
            throw notListed(live.startupTimeout, late);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", ended);
        } finally {
            progress.close();
        }
    }

    /** Returns the exception of a command whose requests had no response. */
    private static IOException unreachable(ApiConnector connector, Exception failure) {
        return new IOException("cannot reach the API server " + connector + ": " + reason(failure), failure);
    }

    private static String reason(Exception failure) {
        Throwable cause = failure.getCause();
        return String.valueOf((cause == null ? failure : cause).getMessage());
    }

    /** Returns the exception of a command that did not receive all objects in time; it names the last failure, if there was one. */
    static IOException notListed(long seconds, TimeoutException late) {
        Throwable failure = late.getCause();
        return new IOException(
                "not all objects of the cluster were listed within " + seconds + " s"
                        + (failure == null ? "" : ": " + failure.getMessage())
                        + "; --startup-timeout SECONDS waits longer",
                late);
    }

    /**
     * Returns a source of the objects that a federation needs.
     *
     * @param kubeconfig the file that describes the cluster
     * @param readsExports whether ServiceExports are read
     * @throws IllegalArgumentException if the file does not lead to a cluster; the message names it
     * @throws IOException if it cannot be read
     */
    static ClusterSource federated(Path kubeconfig, boolean readsExports) throws IOException {
        limitClientLog();
        try {
            ApiClusterSource.Builder source = ApiClusterSource.builder(KubeconfigConnector.read(kubeconfig))
                    .nodes();
            return (readsExports ? source.serviceExports() : source).build();
        } catch (InvalidKubeconfigException invalid) {
            throw new IllegalArgumentException(invalid.getMessage(), invalid);
        }
    }

    /**
     * Returns the API for Services of a cluster.
     *
     * @param kubeconfig the file that describes the cluster
     * @throws IllegalArgumentException if the file does not lead to a cluster; the message names it
     * @throws IOException if it cannot be read
     */
    static ServiceApi services(Path kubeconfig) throws IOException {
        return new LiveServices(connector(kubeconfig));
    }

    /** Returns the Leases of a cluster, as {@link #services}. */
    static LeaseApi leases(Path kubeconfig) throws IOException {
        return new LiveLeases(connector(kubeconfig));
    }

    private static KubeconfigConnector connector(Path kubeconfig) throws IOException {
        try {
            return KubeconfigConnector.read(kubeconfig);
        } catch (InvalidKubeconfigException invalid) {
            throw new IllegalArgumentException(invalid.getMessage(), invalid);
        }
    }

    private static ApiClusterSource.Builder builder(
            ApiConnector connector, ClusterOptions options, ZoneSettings settings) {
        ApiClusterSource.Builder source = builderWithHidden(connector, options, settings);
        if (options.publishing.labels != null) {
            source.labels(options.publishing.labels);
        }
        if (options.publishing.namespaceLabels != null) {
            source.namespaceLabels(options.publishing.namespaceLabels);
        }
        if (settings.pods() == PodsMode.VERIFIED) {
            source.pods();
        }
        return source;
    }

    /** Returns a builder of a source that also has the objects that the labels of the options hide. */
    private static ApiClusterSource.Builder builderWithHidden(
            ApiConnector connector, ClusterOptions options, ZoneSettings settings) {
        ApiClusterSource.Builder source = ApiClusterSource.builder(connector);
        if (!options.publishing.namespaces.isEmpty()) {
            source.namespaces(Set.copyOf(options.publishing.namespaces));
        }
        if (!settings.endpoints()) {
            source.noEndpoints();
        }
        return source;
    }

    /**
     * Returns a function that reads the data of kube-dns's ConfigMap; empty if it does not exist. The function throws {@link
     * AccessDeniedException} if access is forbidden, and another {@link IOException} if the API server does not answer. It uses one
     * client until the API server refuses its credentials or cannot be reached, and is not thread-safe.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static Callable<Optional<Map<String, String>>> kubeDnsData(LiveOptions live) throws IOException {
        return new KubeDnsData(connector(live));
    }

    /** Reads the data of kube-dns's ConfigMap. */
    private static final class KubeDnsData implements Callable<Optional<Map<String, String>>> {
        private final ApiConnector connector;

        /**
         * Null before the first request, and after a failure that new credentials or certificates might repair. After a 403 the client
         * is kept, because many clusters never grant the permission, and a new client opens a new connection. So credentials that a
         * kubeconfig gets later are not noticed if the API server answers 403, not 401, to requests without credentials.
         */
        private @Nullable CoreV1Api api;

        KubeDnsData(ApiConnector connector) {
            this.connector = connector;
        }

        @Override
        public Optional<Map<String, String>> call() throws IOException {
            CoreV1Api current = api;
            if (current == null) {
                current = new CoreV1Api(connector.connect());
                api = current;
            }
            try {
                Map<String, String> data = current.readNamespacedConfigMap(KUBE_DNS, KUBE_SYSTEM)
                        .execute()
                        .getData();
                return Optional.of(data == null ? Map.of() : data);
            } catch (ApiException failed) {
                if (failed.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                    return Optional.empty();
                }
                if (failed.getCode() == NO_RESPONSE || failed.getCode() == HttpURLConnection.HTTP_UNAUTHORIZED) {
                    api = null;
                }
                if (failed.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                    throw new AccessDeniedException("configmaps " + KUBE_SYSTEM + "/" + KUBE_DNS);
                }
                throw new IOException(failed);
            }
        }
    }

    /**
     * Returns a function that reads the location of the cluster: the labels {@code ZONE.REGION} of the first Node, by name, that
     * has both; empty if there is none. The function throws {@link AccessDeniedException} if listing Nodes is forbidden, and
     * another {@link IOException} if the API server does not answer.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static Callable<Optional<DnsLabels>> topology(LiveOptions live) throws IOException {
        ApiConnector connector = connector(live);
        return () -> {
            try {
                CoreV1Api api = new CoreV1Api(connector.connect());
                String next = null;
                do {
                    V1NodeList page =
                            api.listNode().limit(NODES_PER_PAGE)._continue(next).execute();
                    for (V1Node node : page.getItems()) {
                        Map<String, String> labels = labels(node);
                        Optional<DnsLabels> location =
                                LocalShards.topology(name -> Optional.ofNullable(labels.get(name)));
                        if (location.isPresent()) {
                            return location;
                        }
                    }
                    next = page.getMetadata() == null
                            ? null
                            : page.getMetadata().getContinue();
                } while (next != null && !next.isEmpty());
                return Optional.empty();
            } catch (ApiException failed) {
                if (failed.getCode() == HttpURLConnection.HTTP_FORBIDDEN) {
                    throw new AccessDeniedException("nodes");
                }
                throw new IOException(failed);
            }
        };
    }

    /** The present objects of a cluster, and the address of its DNS Service; empty if it has none. */
    record WithDnsService(PresentObjects objects, Optional<DnsServiceAddress> dnsService) {}

    /**
     * Returns objects, as {@link #snapshot} does, and the address of the cluster's DNS Service: of {@code kube-system/kube-dns},
     * otherwise of the first Service, by namespace and name, with the label {@code k8s-app=kube-dns} and a cluster IP. The snapshot may
     * be limited to other namespaces.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if the objects are not all received before the timeout, or the request for the Service fails
     */
    static WithDnsService objectsWithDnsService(LiveOptions live, ClusterOptions options, ZoneSettings settings)
            throws IOException {
        LastClient connector = new LastClient(connector(live));
        PresentObjects objects = objects(connector, live, options, settings, UnaryOperator.identity());
        return new WithDnsService(objects, dnsService(new CoreV1Api(connector.last()), connector));
    }

    /** Returns the namespaces of a cluster for a message; empty if there are too many, or the user must not list them. */
    private static List<String> namespaces(ApiClient client) {
        try {
            V1NamespaceList list =
                    new CoreV1Api(client).listNamespace().limit(MAX_NAMESPACES).execute();
            V1ListMeta page = list.getMetadata();
            if (page != null
                    && page.getContinue() != null
                    && !page.getContinue().isEmpty()) {
                return List.of();
            }
            return list.getItems().stream()
                    .flatMap(namespace -> Stream.ofNullable(namespace.getMetadata()))
                    .flatMap(metadata -> Stream.ofNullable(metadata.getName()))
                    .toList();
        } catch (ApiException failed) {
            return List.of();
        }
    }

    /** Keeps the last client of a connector, so that another one need not be made, for which a user may have to log in. */
    private static final class LastClient implements ApiConnector {
        private final ApiConnector connector;
        private volatile @Nullable ApiClient last;

        LastClient(ApiConnector connector) {
            this.connector = connector;
        }

        /** Returns the client with which a snapshot was received. */
        ApiClient last() {
            return Objects.requireNonNull(last, "a snapshot was received, so there is a client");
        }

        @Override
        public ApiClient connect() throws IOException {
            ApiClient made = connector.connect();
            last = made;
            return made;
        }

        @Override
        public Set<Path> files() {
            return connector.files();
        }

        @Override
        public String toString() {
            return connector.toString();
        }
    }

    private static Optional<DnsServiceAddress> dnsService(CoreV1Api api, ApiConnector connector) throws IOException {
        try {
            Optional<DnsServiceAddress> usual = named(api).flatMap(LiveCluster::dnsAddress);
            if (usual.isPresent()) {
                return usual;
            }
            return api.listServiceForAllNamespaces().labelSelector("k8s-app=" + KUBE_DNS).execute().getItems().stream()
                    .map(LiveCluster::dnsAddress)
                    .flatMap(Optional::stream)
                    .min(Comparator.comparing(DnsServiceAddress::service));
        } catch (ApiException failed) {
            if (failed.getCode() == NO_RESPONSE) {
                throw unreachable(connector, failed);
            }
            throw new IOException(
                    "the API server " + connector + " has answered " + failed.getCode()
                            + " to the request for its DNS Service; --server HOST:PORT does without",
                    failed);
        }
    }

    private static Optional<V1Service> named(CoreV1Api api) throws ApiException {
        try {
            return Optional.of(api.readNamespacedService(KUBE_DNS, KUBE_SYSTEM).execute());
        } catch (ApiException failed) {
            if (failed.getCode() == HttpURLConnection.HTTP_NOT_FOUND) {
                return Optional.empty();
            }
            throw failed;
        }
    }

    private static Optional<DnsServiceAddress> dnsAddress(V1Service service) {
        V1ServiceSpec spec = service.getSpec();
        V1ObjectMeta metadata = service.getMetadata();
        List<V1ServicePort> ports = spec == null ? null : spec.getPorts();
        if (spec == null || metadata == null || ports == null) {
            return Optional.empty();
        }
        Optional<IpAddress> address = Optional.ofNullable(spec.getClusterIP()).flatMap(IpAddress::tryParse);
        return address.flatMap(ip -> ports.stream()
                .filter(port -> "UDP".equals(port.getProtocol()))
                .filter(port -> "dns".equals(port.getName()) || port.getPort() == DNS_PORT)
                .findFirst()
                .map(port -> new DnsServiceAddress(
                        metadata.getNamespace() + "/" + metadata.getName(),
                        new HostAndPort(ip.toString(), port.getPort()))));
    }

    private static Map<String, String> labels(V1Node node) {
        Map<String, String> labels =
                node.getMetadata() == null ? null : node.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    // ---- which cluster ----

    /**
     * Returns a connector to the API server.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static ApiConnector connector(LiveOptions live) throws IOException {
        List<Path> files = live.kubeconfigs();
        if (files.isEmpty()) {
            try {
                return InClusterConnector.create();
            } catch (IllegalStateException notInAPod) {
                throw live.usage("--in-cluster: " + notInAPod.getMessage());
            }
        }
        limitClientLog();
        String context = live.context;
        try {
            return context == null ? KubeconfigConnector.read(files) : KubeconfigConnector.read(files, context);
        } catch (NoSuchFileException missing) {
            throw live.usage(live.source() + ": no such file: " + missing.getFile());
        } catch (InvalidKubeconfigException invalid) {
            String field = invalid.field().orElse("");
            throw live.usage((field.equals("contexts") && context != null ? live.contextSource() : live.source()) + ": "
                    + invalid.getMessage()
                    + (field.equals("current-context") ? " with " + live.contextChoice() : ""));
        }
    }

    /**
     * Limits the client's log messages about missing credentials, which it writes at each attempt with a stack trace, to one line a
     * minute.
     */
    private static void limitClientLog() {
        AtomicLong last = new AtomicLong(System.nanoTime() - LOG_INTERVAL.toNanos());
        CLIENT_LOG.setFilter(line -> {
            long now = System.nanoTime();
            long before = last.get();
            if (now - before < LOG_INTERVAL.toNanos() || !last.compareAndSet(before, now)) {
                return false;
            }
            if (line.getThrown() != null) {
                line.setMessage(line.getMessage() + ": " + line.getThrown().getMessage());
                line.setThrown(null);
            }
            return true;
        });
    }
}
