package io.k8sdns.clustertests;

import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;

/** The cluster of the current kubeconfig, with a namespace that is deleted at the end. */
final class KubeconfigCluster implements TestCluster {
    private final Path kubeconfig;
    private final String namespace =
            "k8sdns-test-" + UUID.randomUUID().toString().substring(0, 8);
    private final KubernetesClient client = new KubernetesClientBuilder().build();

    KubeconfigCluster(Path kubeconfig) {
        this.kubeconfig = kubeconfig;
        client.resource(new NamespaceBuilder()
                        .withNewMetadata()
                        .withName(namespace)
                        .addToLabels("k8sdns-test", namespace)
                        .endMetadata()
                        .build())
                .create();
    }

    /** Returns the current kubeconfig: the first file of {@code KUBECONFIG}, or the one in the home directory. */
    static Optional<Path> kubeconfig() {
        String files = System.getenv("KUBECONFIG");
        Path file = files == null || files.isEmpty()
                ? Path.of(System.getProperty("user.home"), ".kube", "config")
                : Path.of(files.split(File.pathSeparator, -1)[0]);
        return Optional.of(file).filter(Files::isReadable);
    }

    @Override
    public KubernetesClient client() {
        return client;
    }

    @Override
    public String namespace() {
        return namespace;
    }

    @Override
    public ApiClient connect() throws IOException {
        try (Reader reader = Files.newBufferedReader(kubeconfig)) {
            KubeConfig config = KubeConfig.loadKubeConfig(reader);
            config.setFile(kubeconfig.toFile());
            return ClientBuilder.kubeconfig(config).build();
        }
    }

    @Override
    public Service create(Service service) {
        return client.resource(service).create();
    }

    @Override
    public Pod run(Pod pod) {
        return client.resource(client.resource(pod).create())
                .waitUntilCondition(
                        now -> now != null
                                && now.getStatus() != null
                                && now.getStatus().getPodIP() != null,
                        patience().toSeconds(),
                        TimeUnit.SECONDS);
    }

    @Override
    public Duration patience() {
        return Duration.ofMinutes(2);
    }

    @Override
    public void close() {
        client.namespaces().withName(namespace).delete();
        client.close();
    }
}
