package io.k8sdns.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** A directory of manifests: a Node, and Services of the namespace shop, each with a load balancer and an endpoint. */
record ShopCluster(Path directory, String region) {
    private static final String PROD = "federation.k8sdns.io/name: prod";

    private static final String SERVICE = """
            apiVersion: v1
            kind: Service
            metadata: {name: %1$s, namespace: shop, labels: {%4$s}}
            spec: {type: LoadBalancer, clusterIP: 10.96.0.%2$d, ports: [{name: http, port: 80}]}
            status: {loadBalancer: {ingress: [{ip: 192.0.2.%2$d}]}}
            ---
            apiVersion: discovery.k8s.io/v1
            kind: EndpointSlice
            metadata: {name: %1$s-1, namespace: shop, labels: {kubernetes.io/service-name: %1$s}}
            addressType: IPv4
            endpoints: [{addresses: [10.244.0.%2$d], conditions: {ready: %3$s}}]
            ports: [{name: http, port: 8080}]
            """;

    /** Creates a cluster without Services. */
    static ShopCluster make(Path folder, String name, String region) throws IOException {
        ShopCluster made = new ShopCluster(Files.createDirectories(folder.resolve(name)), region);
        made.write("nodes.yaml", """
                apiVersion: v1
                kind: Node
                metadata: {name: n1, labels: {topology.kubernetes.io/region: %1$s, topology.kubernetes.io/zone: %1$s-a}}
                ---
                apiVersion: v1
                kind: Namespace
                metadata: {name: shop}
                """.formatted(region));
        return made;
    }

    /** Adds a Service of the federation prod, or replaces it: its addresses end with the number. */
    ShopCluster with(String service, int number) throws IOException {
        return with(service, number, true, PROD);
    }

    /** Makes the endpoint of a Service unready. */
    void fail(String service, int number) throws IOException {
        ShopCluster unused = with(service, number, false, PROD);
    }

    /**
     * Adds a Service, or replaces it.
     *
     * @param number the end of its addresses
     * @param isReady whether its endpoint is ready
     * @param labels its labels, in YAML
     */
    ShopCluster with(String service, int number, boolean isReady, String labels) throws IOException {
        write(service + ".yaml", SERVICE.formatted(service, number, isReady, labels));
        return this;
    }

    /** Writes a file atomically. */
    private void write(String name, String text) throws IOException {
        Path next = Files.writeString(directory.resolve("next"), text);
        Path unused = Files.move(next, directory.resolve(name), StandardCopyOption.REPLACE_EXISTING);
    }

    /** Returns the value of {@code --cluster}. */
    @Override
    public String toString() {
        return directory.getFileName() + "=" + directory;
    }
}
