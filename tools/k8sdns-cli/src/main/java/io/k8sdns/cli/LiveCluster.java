package io.k8sdns.cli;

import io.k8sdns.cli.CredentialFiles.UnusableException;
import io.k8sdns.clientjava.ApiClusterSource;
import io.k8sdns.clientjava.ApiConnector;
import io.k8sdns.cluster.ClusterObserver;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.ClusterSource;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ZoneSettings;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.Config;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ParameterException;

/**
 * Objects from an API server. Nothing else in the command touches the Kubernetes client, so that it is loaded, and needs to be
 * there, only for those who ask for a live cluster.
 */
final class LiveCluster {
    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";
    private static final Duration PAUSE = Duration.ofMinutes(1);

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

    // ---- which cluster ----

    private static ApiConnector connector(LiveOptions live) throws IOException {
        Path file = live.kubeconfig;
        if (file == null) {
            String host = System.getenv(HOST);
            if (host == null || host.isEmpty()) {
                throw live.usage("--in-cluster: not in a Pod: " + HOST + " is not set");
            }
            String port = String.valueOf(System.getenv(PORT));
            if (!port.matches("[0-9]{1,5}")) {
                throw live.usage("--in-cluster: not in a Pod: " + PORT + " is no port: " + port);
            }
            requireServiceAccount(
                    live, Path.of(Config.SERVICEACCOUNT_TOKEN_PATH), Path.of(Config.SERVICEACCOUNT_CA_PATH));
            return new InCluster();
        }
        tellOfTheClientOnceAMinute();
        // What cannot be read now will not be read later, either; what has expired by then is read again.
        return new FromKubeconfig(live, file, new Kubeconfig(live, file));
    }

    /**
     * Checks the files of the Pod's service account.
     *
     * @throws ParameterException if one cannot be read or used; the message names it
     */
    static void requireServiceAccount(LiveOptions live, Path token, Path authority) {
        try {
            CredentialFiles.token(token);
        } catch (UnusableException unusable) {
            throw live.usage("--in-cluster: the service account has a token that " + unusable.getMessage());
        }
        try {
            CredentialFiles.requireCertificates(authority);
        } catch (UnusableException unusable) {
            throw live.usage(
                    "--in-cluster: the service account has a certificate authority that " + unusable.getMessage());
        }
    }

    /** Connects with the Pod's service account. */
    private static final class InCluster implements ApiConnector {
        @Override
        public ApiClient connect() throws IOException {
            return ClientBuilder.cluster().build();
        }

        @Override
        public Set<Path> files() {
            return Set.of(Path.of(Config.SERVICEACCOUNT_TOKEN_PATH), Path.of(Config.SERVICEACCOUNT_CA_PATH));
        }
    }

    /** Connects as a kubeconfig says, which is read anew each time but the first: that may have been from a pipe. */
    private static final class FromKubeconfig implements ApiConnector {
        private final LiveOptions live;
        private final Path file;
        private final AtomicReference<@Nullable Kubeconfig> first;
        private volatile Set<Path> files;

        FromKubeconfig(LiveOptions live, Path file, Kubeconfig first) {
            this.live = live;
            this.file = file;
            this.first = new AtomicReference<>(first);
            this.files = first.files();
        }

        @Override
        public ApiClient connect() throws IOException {
            Kubeconfig read = first.getAndSet(null);
            Kubeconfig current = read == null ? new Kubeconfig(live, file) : read;
            files = current.files();
            return current.client();
        }

        @Override
        public Set<Path> files() {
            return files;
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
