package io.k8sdns.benchmarks;

import io.k8sdns.apiserver.ApiServer;
import java.io.IOException;
import java.util.concurrent.CountDownLatch;

/**
 * Serves the cluster of {@link SampleManifests} with an API server, for CoreDNS. A real API server sends CoreDNS protobuf, which is
 * cheaper to parse than JSON.
 *
 * <p>{@code ServedManifests PORT SERVICES HEADLESS} serves until the process is ended.
 */
final class ServedManifests implements AutoCloseable {
    private final ApiServer server;

    /**
     * Starts to serve.
     *
     * @param port the port, or 0 for a free one
     */
    ServedManifests(SampleManifests cluster, int port) throws IOException {
        server = new ApiServer(port);
        server.compressNothing();
        for (SampleManifests.Kind kind : SampleManifests.Kind.values()) {
            cluster.forEach(
                    kind,
                    object -> server.put(
                            kind.resource(),
                            (object.namespace().isEmpty() ? "" : object.namespace() + "/") + object.name(),
                            object.metadata(),
                            object.rest()));
        }
    }

    /** Serves until the process is ended. */
    public static void main(String[] args) throws IOException, InterruptedException {
        SampleManifests cluster = new SampleManifests(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        try (ServedManifests served = new ServedManifests(cluster, Integer.parseInt(args[0]))) {
            System.out.println("listening on " + served.port());
            new CountDownLatch(1).await();
        }
    }

    int port() {
        return server.port();
    }

    @Override
    public void close() {
        server.close();
    }
}
