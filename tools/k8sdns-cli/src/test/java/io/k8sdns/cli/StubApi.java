package io.k8sdns.cli;

import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import javax.net.ssl.SSLContext;

/** A simulated API server with two Services, over plain HTTP. Rejects wrong tokens. */
final class StubApi implements AutoCloseable {
    private static final List<String> RESOURCES = List.of("namespaces", "services", "endpointslices", "pods");

    private final ApiServer server = new ApiServer();
    private final CountDownLatch open;

    /** Starts a server that answers. */
    static StubApi answering() throws IOException {
        return new StubApi(new CountDownLatch(0));
    }

    /** Starts a server that delays all answers until {@link #open}. */
    static StubApi waiting() throws IOException {
        return new StubApi(new CountDownLatch(1));
    }

    private StubApi(CountDownLatch open) throws IOException {
        this.open = open;
        RESOURCES.forEach(resource -> server.fault(resource, Fault.delayUntil(open)));
        server.token("secret");
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        server.put("services", "shop/cart", "\"uid\": \"s1\"", """
            , "spec": {"clusterIP": "10.96.0.20", "ports": [{"name": "http", "port": 80}]}\
            """);
        server.put("services", "shop/db", "\"uid\": \"s2\"", """
            , "spec": {"clusterIP": "None"}\
            """);
        server.put("endpointslices", "shop/db-1", """
                "uid": "e1", "labels": {"kubernetes.io/service-name": "db"}\
                """, """
                , "addressType": "IPv4", "endpoints": [{"addresses": ["10.244.0.9"]}]\
                """);
        server.put("pods", "shop/db-0", "\"uid\": \"p1\"", """
            , "status": {"phase": "Running", "podIPs": [{"ip": "10.244.0.9"}]}\
            """);
    }

    String url() {
        return server.url();
    }

    /**
     * Adds the Service of the cluster's DNS server.
     *
     * @param name its name in the namespace kube-system
     * @param port its port at 127.0.0.1
     */
    void dnsService(String name, int port) {
        server.put("namespaces", "kube-system", "\"uid\": \"n2\"", "");
        server.put("services", "kube-system/" + name, """
            "uid": "s3", "labels": {"k8s-app": "kube-dns"}\
            """, """
            , "spec": {"clusterIP": "127.0.0.1", "ports": [
              {"name": "dns-tcp", "port": 53, "protocol": "TCP"},
              {"name": "dns", "port": %d, "protocol": "UDP"}]}\
            """.formatted(port));
    }

    /** Returns the recorded requests, as path and parameters. */
    List<String> recordedRequests() {
        return server.requests().stream().map(Object::toString).toList();
    }

    /** Adds a headless Service with this selector, a JSON object. */
    void serviceWithSelector(String namespace, String name, String selector) {
        server.put("services", namespace + "/" + name, "\"uid\": \"" + name + "\"", """
            , "spec": {"clusterIP": "None", "selector": %s}\
            """.formatted(selector));
    }

    /** Adds a running Pod with this address. */
    void pod(String namespace, String name, String address) {
        pod(namespace, name, address, "{}");
    }

    /** Adds a running Pod with this address and these labels, a JSON object. */
    void pod(String namespace, String name, String address, String labels) {
        server.put("pods", namespace + "/" + name, "\"uid\": \"" + name + "\", \"labels\": " + labels, """
            , "status": {"phase": "Running", "podIPs": [{"ip": "%s"}]}\
            """.formatted(
                        address));
    }

    /** Adds an EndpointSlice of a Service with this endpoint, a JSON object. */
    void endpoint(String namespace, String service, String endpoint) {
        server.put("endpointslices", namespace + "/" + service + "-1", """
                "uid": "%s-1", "labels": {"kubernetes.io/service-name": "%s"}\
                """.formatted(service, service), """
                , "addressType": "IPv4", "endpoints": [%s]\
                """.formatted(
                        endpoint));
    }

    /** Adds a Node with these labels, a JSON object. */
    void node(String name, String labels) {
        server.put("nodes", name, "\"uid\": \"" + name + "\", \"labels\": " + labels, "");
    }

    /** Adds or replaces the ConfigMap of kube-dns with this data, a JSON object. */
    void kubeDns(String data) {
        server.put("configmaps", "kube-system/kube-dns", "\"uid\": \"c1\"", ", \"data\": " + data);
    }

    /** Answers 403 to reads of ConfigMaps. */
    void refuseConfigMaps() {
        server.fault("configmaps", Fault.reply(ApiReply.refusal(403, "Forbidden", "no")));
    }

    /** Answers 500 to reads of single Services. */
    void refuseSingleServices() {
        server.fault(
                "services",
                (request, right) -> request.name().isEmpty()
                        ? right
                        : ApiReply.refusal(500, "InternalError", "etcd has no leader"));
    }

    /** Answers with this TLS context from now on. */
    void tls(SSLContext context) {
        server.tls(context);
    }

    /** Answers that there is no namespace if one is asked for by its name, which this server otherwise ignores. */
    void hideSingleNamespaces() {
        hideSelected("namespaces", "NamespaceList", "fieldSelector");
    }

    /** Answers that no namespace and no Service has the labels of a request, which this server otherwise ignores. */
    void hideLabelled() {
        hideSelected("namespaces", "NamespaceList", "labelSelector");
        hideSelected("services", "ServiceList", "labelSelector");
    }

    private void hideSelected(String resource, String kind, String selector) {
        server.fault(
                resource,
                (request, right) -> request.parameters().containsKey(selector) && !request.isWatch()
                        ? ApiReply.json(
                                200,
                                "{\"apiVersion\": \"v1\", \"kind\": \"" + kind
                                        + "\", \"metadata\": {\"resourceVersion\": \"1\"}, \"items\": []}")
                        : right);
    }

    /** Answers 403 to lists of namespaces, unless one is asked for by its name. */
    void refuseNamespaces() {
        server.fault(
                "namespaces",
                (request, right) -> request.parameters().containsKey("fieldSelector")
                        ? right
                        : ApiReply.refusal(403, "Forbidden", "no"));
    }

    /** Answers 403 to lists of Pods. */
    void refusePods() {
        refuse("pods");
    }

    /** Answers 403 to lists of these objects. */
    void refuse(String resource) {
        server.fault(resource, Fault.reply(ApiReply.refusal(403, "Forbidden", "no")));
    }

    /** Answers 403 to lists of Nodes. */
    void refuseNodes() {
        server.fault("nodes", Fault.reply(ApiReply.refusal(403, "Forbidden", "no")));
    }

    void open() {
        open.countDown();
    }

    /** Replaces the token. */
    void token(String value) {
        server.token(value);
    }

    /** Discards the recorded requests. */
    void forgetRequests() {
        server.requests().clear();
    }

    /** Waits for a recorded request with this header. */
    void awaitRequest(String header, String value) throws InterruptedException {
        while (!value.equals(server.requests().take().headers().get(header))) {
            // Skips requests without the header.
        }
    }

    /** Returns the values of this header in the recorded requests. */
    List<String> headerValues(String header) {
        return server.requests().stream()
                .map(request -> request.headers().getOrDefault(header, ""))
                .toList();
    }

    /** Writes a kubeconfig whose current context is this server with these credentials; its other context has no server. */
    Path kubeconfig(Path folder, String user) throws IOException {
        return kubeconfig(folder, user, url(), "");
    }

    /**
     * Writes such a kubeconfig with another URL.
     *
     * @param more additional fields of the cluster, after a comma
     */
    Path kubeconfig(Path folder, String user, String url, String more) throws IOException {
        return Files.writeString(folder.resolve("config"), """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts:
            - {name: here, context: {cluster: here, user: me}}
            - {name: nowhere, context: {cluster: nowhere, user: me}}
            - {name: nobody, context: {cluster: here, user: nobody}}
            clusters:
            - {name: here, cluster: {server: "%s"%s}}
            - {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
            users:
            - {name: me, user: %s}
            """.formatted(url, more, user));
    }

    @Override
    public void close() {
        server.close();
    }
}
