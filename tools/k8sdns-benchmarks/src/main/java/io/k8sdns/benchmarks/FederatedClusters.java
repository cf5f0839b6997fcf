package io.k8sdns.benchmarks;

import io.k8sdns.apiserver.ApiServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The API servers of the clusters c0, c1, … of the federation {@code prod}. Each has the same Services s0, s1, … of the namespace
 * {@code shop}, each with a load balancer and a ready endpoint. Cluster N is in region r(N mod 3) and zone z(N mod 6).
 */
final class FederatedClusters implements AutoCloseable {
    private static final int REGIONS = 3;
    private static final int ZONES = 6;

    private final List<ApiServer> servers = new ArrayList<>();
    private final int services;

    private final AtomicInteger addresses = new AtomicInteger();

    /** The addresses of the load balancers, by cluster and Service. */
    private final Map<List<Integer>, String> current = new ConcurrentHashMap<>();

    /** Starts the API servers. */
    FederatedClusters(int clusters, int services) throws IOException {
        this.services = services;
        for (int cluster = 0; cluster < clusters; cluster++) {
            ApiServer server = new ApiServer();
            servers.add(server);
            server.put("namespaces", "shop", "\"uid\": \"shop\"", "");
            server.put(
                    "nodes",
                    "n1",
                    "\"uid\": \"n1\", \"labels\": {\"topology.kubernetes.io/region\": \"r" + cluster % REGIONS
                            + "\", \"topology.kubernetes.io/zone\": \"z" + cluster % ZONES + "\"}",
                    "");
            for (int service = 0; service < services; service++) {
                putService(cluster, service, nextAddress());
                putEndpoint(cluster, service, true);
            }
        }
    }

    int clusters() {
        return servers.size();
    }

    int services() {
        return services;
    }

    ApiServer server(int cluster) {
        return servers.get(cluster);
    }

    /** Returns the cluster IP of a Service in every cluster. */
    static String clusterIp(int service) {
        return "10.96." + service / 250 + "." + service % 250;
    }

    /** Writes the kubeconfig of a cluster into a directory of clusters. */
    static void writeKubeconfig(Path directory, int cluster, int port) throws IOException {
        Path unused = Files.writeString(
                directory.resolve("c" + cluster + ".kubeconfig"), ApiServer.kubeconfig("http://127.0.0.1:" + port));
    }

    /** Returns a new address for a load balancer. */
    String nextAddress() {
        int number = addresses.getAndIncrement();
        return "198." + (18 + (number >> 16)) + "." + (number >> 8 & 0xFF) + "." + (number & 0xFF);
    }

    /** Returns the address of a load balancer. */
    String address(int cluster, int service) {
        return Objects.requireNonNull(current.get(List.of(cluster, service)));
    }

    /** Sets the address of a Service's load balancer. */
    void putService(int cluster, int service, String address) {
        current.put(List.of(cluster, service), address);
        servers.get(cluster)
                .put(
                        "services",
                        "shop/s" + service,
                        "\"uid\": \"s" + service + "\", \"labels\": {\"federation.k8sdns.io/name\": \"prod\"}",
                        String.format(Locale.ROOT, """
                        , "spec": {"type": "LoadBalancer", "clusterIP": "%1$s", "clusterIPs": ["%1$s"], \
                        "ports": [{"name": "http", "port": 80}]}, \
                        "status": {"loadBalancer": {"ingress": [{"ip": "%2$s"}]}}\
                        """, clusterIp(service), address));
    }

    /** Sets whether the endpoint of a Service is ready. */
    void putEndpoint(int cluster, int service, boolean isReady) {
        servers.get(cluster)
                .put(
                        "endpointslices",
                        "shop/s" + service + "-1",
                        "\"uid\": \"e" + service + "\", \"labels\": {\"kubernetes.io/service-name\": \"s" + service
                                + "\"}",
                        String.format(Locale.ROOT, """
                        , "addressType": "IPv4", "ports": [{"name": "http", "port": 8080, "protocol": "TCP"}], \
                        "endpoints": [{"addresses": ["10.244.%d.%d"], "conditions": {"ready": %s}}]\
                        """, service / 250, service % 250, isReady));
    }

    @Override
    public void close() {
        servers.forEach(ApiServer::close);
    }
}
