package io.k8sdns.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The manifests of the cluster for benchmarks of servers: Services with a cluster IP and headless Services with twenty endpoints, all
 * in the namespace {@code shop}.
 *
 * <p>{@code SampleManifests json|yaml SERVICES HEADLESS} writes them to stdout: as a List in JSON with one object per line, or as YAML
 * documents in block style.
 *
 * @param services the number of Services {@code service-0} and so on, with cluster IPs from 10.96.0.0 on
 * @param headless the number of headless Services {@code headless-0} and so on, with endpoints from 10.128.0.0 on
 */
record SampleManifests(int services, int headless) {
    /** The number of endpoints of a headless Service. */
    static final int ENDPOINTS = 20;

    private static final String NAMESPACE = "shop";

    /** The kinds of objects, with their API versions and resources. */
    enum Kind {
        NAMESPACE("Namespace", "v1", "namespaces"),
        SERVICE("Service", "v1", "services"),
        ENDPOINT_SLICE("EndpointSlice", "discovery.k8s.io/v1", "endpointslices");

        private final String word;
        private final String apiVersion;
        private final String resource;

        Kind(String word, String apiVersion, String resource) {
            this.word = word;
            this.apiVersion = apiVersion;
            this.resource = resource;
        }

        String resource() {
            return resource;
        }
    }

    /**
     * An object.
     *
     * @param namespace the namespace; empty for a cluster-scoped object
     * @param labels the labels, as members of a JSON object
     * @param rest the other members in JSON, each after a comma
     */
    record Sample(Kind kind, String namespace, String name, String labels, String rest) {
        /** Returns the labels as a member of the metadata in JSON; empty without labels. */
        String metadata() {
            return labels.isEmpty() ? "" : "\"labels\": {" + labels + "}";
        }

        /** Returns the object in JSON. */
        String json() {
            return String.format(
                    Locale.ROOT,
                    "{\"apiVersion\": \"%s\", \"kind\": \"%s\", \"metadata\": {\"name\": \"%s\"%s%s, "
                            + "\"resourceVersion\": \"1\"}%s}",
                    kind.apiVersion,
                    kind.word,
                    name,
                    namespace.isEmpty() ? "" : ", \"namespace\": \"" + namespace + "\"",
                    labels.isEmpty() ? "" : ", " + metadata(),
                    rest);
        }
    }

    /** Writes a cluster. */
    public static void main(String[] args) throws IOException {
        SampleManifests cluster = new SampleManifests(Integer.parseInt(args[1]), Integer.parseInt(args[2]));
        String text = switch (args[0]) {
            case "json" -> cluster.json();
            case "yaml" -> cluster.yaml();
            default -> throw new IllegalArgumentException("json or yaml: " + args[0]);
        };
        System.out.write(text.getBytes(StandardCharsets.UTF_8));
        System.out.flush();
    }

    String json() {
        StringBuilder list = new StringBuilder("{\"apiVersion\": \"v1\", \"kind\": \"List\", \"items\": [\n");
        for (Kind kind : Kind.values()) {
            forEach(kind, object -> list.append(object.json()).append(",\n"));
        }
        return list.replace(list.length() - 2, list.length(), "\n]}\n").toString();
    }

    /** Passes each object of a kind to a consumer. */
    void forEach(Kind kind, Consumer<Sample> objects) {
        switch (kind) {
            case NAMESPACE -> objects.accept(new Sample(kind, "", NAMESPACE, "", ""));
            case SERVICE -> {
                for (int i = 0; i < services; i++) {
                    objects.accept(service("service-" + i, address(96, i)));
                }
                for (int i = 0; i < headless; i++) {
                    objects.accept(service("headless-" + i, "None"));
                }
            }
            case ENDPOINT_SLICE -> {
                for (int i = 0; i < headless; i++) {
                    objects.accept(slice(i));
                }
            }
        }
    }

    private static Sample service(String name, String clusterIp) {
        return new Sample(
                Kind.SERVICE,
                NAMESPACE,
                name,
                "",
                String.format(
                        Locale.ROOT,
                        ", \"spec\": {\"type\": \"ClusterIP\", \"clusterIP\": \"%1$s\", \"clusterIPs\": [\"%1$s\"], "
                                + "\"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}]}",
                        clusterIp));
    }

    private static Sample slice(int number) {
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < ENDPOINTS; i++) {
            endpoints
                    .append(i == 0 ? "" : ", ")
                    .append("{\"addresses\": [\"")
                    .append(address(128, number * ENDPOINTS + i))
                    .append("\"], \"conditions\": {\"ready\": true}}");
        }
        return new Sample(
                Kind.ENDPOINT_SLICE,
                NAMESPACE,
                "headless-" + number + "-x",
                "\"kubernetes.io/service-name\": \"headless-" + number + "\"",
                ", \"addressType\": \"IPv4\", \"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}], "
                        + "\"endpoints\": [" + endpoints + "]");
    }

    private static String address(int second, int number) {
        return "10." + (second + number / 65_536) + "." + number / 256 % 256 + "." + number % 256;
    }

    /** Returns the cluster in the format of {@code kubectl get -o yaml}. */
    String yaml() {
        StringBuilder yaml = new StringBuilder("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: shop\n");
        for (int i = 0; i < services; i++) {
            addService(yaml, "service-" + i, address(96, i));
        }
        for (int i = 0; i < headless; i++) {
            addService(yaml, "headless-" + i, "None");
            addSlice(yaml, i);
        }
        return yaml.toString();
    }

    private static void addService(StringBuilder yaml, String name, String clusterIp) {
        yaml.append(String.format(Locale.ROOT, """
                ---
                apiVersion: v1
                kind: Service
                metadata:
                  name: %1$s
                  namespace: shop
                  resourceVersion: "1"
                spec:
                  type: ClusterIP
                  clusterIP: %2$s
                  clusterIPs:
                  - %2$s
                  ports:
                  - name: http
                    port: 80
                    protocol: TCP
                """, name, clusterIp));
    }

    private static void addSlice(StringBuilder yaml, int number) {
        yaml.append(String.format(Locale.ROOT, """
                ---
                apiVersion: discovery.k8s.io/v1
                kind: EndpointSlice
                metadata:
                  name: headless-%1$d-x
                  namespace: shop
                  resourceVersion: "1"
                  labels:
                    kubernetes.io/service-name: headless-%1$d
                addressType: IPv4
                ports:
                - name: http
                  port: 80
                  protocol: TCP
                endpoints:
                """, number));
        for (int i = 0; i < ENDPOINTS; i++) {
            yaml.append(String.format(Locale.ROOT, """
                    - addresses:
                      - %s
                      conditions:
                        ready: true
                    """, address(128, number * ENDPOINTS + i)));
        }
    }
}
