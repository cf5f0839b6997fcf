package io.k8sdns.benchmarks;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.function.Consumer;

/**
 * The cluster that servers are measured with, as text: Services with a cluster IP, and headless ones of twenty endpoints,
 * all in the namespace {@code shop}.
 *
 * <p>{@code SampleManifests json|yaml SERVICES HEADLESS} writes it to stdout: a List in JSON, an object a line, or YAML
 * documents in block style.
 *
 * @param services how many Services {@code service-0} and so on there are, at 10.96.0.0 and so on
 * @param headless how many headless Services {@code headless-0} and so on there are, with endpoints at 10.128.0.0 and so on
 */
record SampleManifests(int services, int headless) {
    /** How many endpoints a headless Service has. */
    static final int ENDPOINTS = 20;

    /** What there is of a cluster, and the version of its API. */
    enum Kind {
        NAMESPACE("Namespace", "v1"),
        SERVICE("Service", "v1"),
        ENDPOINT_SLICE("EndpointSlice", "discovery.k8s.io/v1");

        private final String word;
        private final String apiVersion;

        Kind(String word, String apiVersion) {
            this.word = word;
            this.apiVersion = apiVersion;
        }

        String word() {
            return word;
        }

        String apiVersion() {
            return apiVersion;
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
            forEach(kind, object -> list.append(object).append(",\n"));
        }
        return list.replace(list.length() - 2, list.length(), "\n]}\n").toString();
    }

    /** Hands over each object of a kind, in JSON. */
    void forEach(Kind kind, Consumer<String> objects) {
        switch (kind) {
            case NAMESPACE -> objects.accept(object(kind, "\"name\": \"shop\"", ""));
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

    private static String object(Kind kind, String metadata, String rest) {
        return String.format(
                Locale.ROOT,
                "{\"apiVersion\": \"%s\", \"kind\": \"%s\", \"metadata\": {%s, \"resourceVersion\": \"1\"}%s}",
                kind.apiVersion(),
                kind.word(),
                metadata,
                rest);
    }

    private static String service(String name, String clusterIp) {
        return object(
                Kind.SERVICE,
                named(name),
                String.format(
                        Locale.ROOT,
                        ", \"spec\": {\"type\": \"ClusterIP\", \"clusterIP\": \"%1$s\", \"clusterIPs\": [\"%1$s\"], "
                                + "\"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}]}",
                        clusterIp));
    }

    private static String slice(int number) {
        StringBuilder endpoints = new StringBuilder();
        for (int i = 0; i < ENDPOINTS; i++) {
            endpoints
                    .append(i == 0 ? "" : ", ")
                    .append("{\"addresses\": [\"")
                    .append(address(128, number * ENDPOINTS + i))
                    .append("\"], \"conditions\": {\"ready\": true}}");
        }
        return object(
                Kind.ENDPOINT_SLICE,
                named("headless-" + number + "-x") + ", \"labels\": {\"kubernetes.io/service-name\": \"headless-"
                        + number + "\"}",
                ", \"addressType\": \"IPv4\", \"ports\": [{\"name\": \"http\", \"port\": 80, \"protocol\": \"TCP\"}], "
                        + "\"endpoints\": [" + endpoints + "]");
    }

    private static String named(String name) {
        return "\"name\": \"" + name + "\", \"namespace\": \"shop\"";
    }

    private static String address(int second, int number) {
        return "10." + (second + number / 65_536) + "." + number / 256 % 256 + "." + number % 256;
    }

    /** The same cluster as {@code kubectl get -o yaml} would write it. */
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
