package io.k8sdns.cli;

import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.clientjava.InClusterConnector;
import io.k8sdns.clientjava.InvalidKubeconfigException;
import io.k8sdns.clientjava.KubeconfigConnector;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.federation.controller.LeaseApi;
import io.k8sdns.federation.controller.ServiceApi;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.openapi.apis.CoreV1Api;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeList;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.nio.file.AccessDeniedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.logging.Logger;
import picocli.CommandLine.ParameterException;

/**
 * Objects from an API server. Nothing else in the command but {@link LiveServices}, which is made here, touches the Kubernetes client,
 * so that it is loaded, and needs to be there, only for those who ask for a live cluster.
 */
final class LiveCluster {
    private static final String KUBE_SYSTEM = "kube-system";
    private static final String KUBE_DNS = "kube-dns";
    private static final Duration PAUSE = Duration.ofMinutes(1);

    /** A Node is some 20 kB of JSON, and usually the first one has both labels. */
    private static final int NODES_OF_A_PAGE = 20;

    /** Held here, since loggers that nobody holds are made anew, without what they were told. */
    private static final Logger CLIENT_LOG = Logger.getLogger("io.kubernetes.client.util.KubeConfig");

    private LiveCluster() {}

    /**
     * Returns a source of what makes these records.
     *
     * @param observer is told how it is doing
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static ClusterSource source(
            LiveOptions live, ClusterOptions options, ZoneSettings settings, ClusterObserver observer)
            throws IOException {
        return builder(live, options, settings).observer(observer).build();
    }

    /**
     * Returns the objects as they are now.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if not all of them are known in time
     */
    static ClusterSnapshot snapshot(LiveOptions live, ClusterOptions options, ZoneSettings settings)
            throws IOException {
        try {
            return builder(live, options, settings).snapshot(Duration.ofSeconds(live.startupTimeout));
        } catch (TimeoutException late) {
            throw new IOException("the cluster's objects are not known after " + live.startupTimeout + " s", late);
        } catch (InterruptedException ended) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted", ended);
        }
    }

    /**
     * Returns a source of what a federation needs of a cluster.
     *
     * @param kubeconfig the file that describes the cluster
     * @param readsExports whether ServiceExports count
     * @throws IllegalArgumentException if the file does not lead to a cluster; the message names it
     * @throws IOException if it cannot be read
     */
    static ClusterSource federated(Path kubeconfig, boolean readsExports) throws IOException {
        tellOfTheClientOnceAMinute();
        try {
            ApiClusterSource.Builder source = ApiClusterSource.builder(KubeconfigConnector.read(kubeconfig))
                    .nodes();
            return (readsExports ? source.serviceExports() : source).build();
        } catch (InvalidKubeconfigException invalid) {
            throw new IllegalArgumentException(invalid.getMessage(), invalid);
        }
    }

    /**
     * Returns the Services of a cluster, to read and to write.
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

    private static ApiClusterSource.Builder builder(LiveOptions live, ClusterOptions options, ZoneSettings settings)
            throws IOException {
        ApiClusterSource.Builder source = ApiClusterSource.builder(connector(live));
        if (!options.publishing.namespaces.isEmpty()) {
            source.namespaces(Set.copyOf(options.publishing.namespaces));
        }
        if (options.publishing.labels != null) {
            source.labels(options.publishing.labels);
        }
        if (options.publishing.namespaceLabels != null) {
            source.namespaceLabels(options.publishing.namespaceLabels);
        }
        if (!settings.endpoints()) {
            source.noEndpoints();
        }
        if (settings.pods() == PodsMode.VERIFIED) {
            source.pods();
        }
        return source;
    }

    /**
     * Returns what reads the ConfigMap of kube-dns, empty if there is none. It throws {@link AccessDeniedException} without the right
     * to get it, and another {@link IOException} if the API server does not answer.
     *
     * @throws ParameterException if the options do not lead to a cluster
     * @throws IOException if a file cannot be read
     */
    static Callable<Optional<Map<String, String>>> kubeDnsData(LiveOptions live) throws IOException {
        ApiConnector connector = connector(live);
        return () -> {
            try {
                Map<String, String> data = new CoreV1Api(connector.connect())
                        .readNamespacedConfigMap(KUBE_DNS, KUBE_SYSTEM)
                        .execute()
                        .getData();
                return Optional.of(data == null ? Map.of() : data);
            } catch (ApiException failed) {
                return switch (failed.getCode()) {
                    case HttpURLConnection.HTTP_NOT_FOUND -> Optional.empty();
                    case HttpURLConnection.HTTP_FORBIDDEN ->
                        throw new AccessDeniedException("configmaps " + KUBE_SYSTEM + "/" + KUBE_DNS);
                    default -> throw new IOException(failed);
                };
            }
        };
    }

    /**
     * Returns what reads where the cluster is: the labels {@code ZONE.REGION} of the first Node, by name, that has both; empty if none
     * has. It throws {@link AccessDeniedException} without the right to list Nodes, and another {@link IOException} if the API server
     * does not answer.
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
                    V1NodeList page = api.listNode()
                            .limit(NODES_OF_A_PAGE)
                            ._continue(next)
                            .execute();
                    for (V1Node node : page.getItems()) {
                        Map<String, String> labels = labels(node);
                        Optional<DnsLabels> place = LocalShards.topology(name -> Optional.ofNullable(labels.get(name)));
                        if (place.isPresent()) {
                            return place;
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

    private static Map<String, String> labels(V1Node node) {
        Map<String, String> labels =
                node.getMetadata() == null ? null : node.getMetadata().getLabels();
        return labels == null ? Map.of() : labels;
    }

    // ---- which cluster ----

    private static ApiConnector connector(LiveOptions live) throws IOException {
        Path file = live.kubeconfig;
        if (file == null) {
            try {
                return InClusterConnector.create();
            } catch (IllegalStateException notInAPod) {
                throw live.usage("--in-cluster: " + notInAPod.getMessage());
            }
        }
        tellOfTheClientOnceAMinute();
        String context = live.context;
        try {
            return context == null ? KubeconfigConnector.read(file) : KubeconfigConnector.read(file, context);
        } catch (InvalidKubeconfigException invalid) {
            String field = invalid.field().orElse("");
            throw live.usage((field.equals("contexts") && context != null ? "--context: " : "--kubeconfig: ")
                    + invalid.getMessage()
                    + (field.equals("current-context") ? " with --context" : ""));
        }
    }

    /** Why there are no credentials the client logs at each try, and with where it came from in its code. */
    private static void tellOfTheClientOnceAMinute() {
        AtomicLong last = new AtomicLong(System.nanoTime() - PAUSE.toNanos());
        CLIENT_LOG.setFilter(line -> {
            long now = System.nanoTime();
            long before = last.get();
            if (now - before < PAUSE.toNanos() || !last.compareAndSet(before, now)) {
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
