package io.k8sdns.cli;

import io.k8sdns.apiserver.ApiReply;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.apiserver.Fault;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;

/** An API server of two Services, over plain HTTP; who has the wrong token is sent away. */
final class StubApi implements AutoCloseable {
    private static final List<String> RESOURCES = List.of("namespaces", "services", "endpointslices", "pods");

    private final ApiServer server = new ApiServer();
    private final CountDownLatch open;

    /** Starts to answer. */
    static StubApi answering() throws IOException {
        return new StubApi(new CountDownLatch(0));
    }

    /** Starts, and leaves every request waiting until it is opened. */
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

    /** Adds a Node with these labels, a JSON object. */
    void node(String name, String labels) {
        server.put("nodes", name, "\"uid\": \"" + name + "\", \"labels\": " + labels, "");
    }

    /** Refuses to list Nodes: 403. */
    void refuseNodes() {
        server.fault("nodes", Fault.reply(ApiReply.refusal(403, "Forbidden", "no")));
    }

    void open() {
        open.countDown();
    }

    /** Takes another token from now on. */
    void token(String value) {
        server.token(value);
    }

    /** Forgets the requests so far. */
    void forgetRequests() {
        server.requests().clear();
    }

    /** Waits for a request that is not forgotten and has this header. */
    void awaitRequest(String header, String value) throws InterruptedException {
        while (!value.equals(server.requests().take().headers().get(header))) {
            // A later one has it.
        }
    }

    /** Returns what was shown of this header. */
    List<String> shown(String header) {
        return server.requests().stream()
                .map(request -> request.headers().getOrDefault(header, ""))
                .toList();
    }

    /** Writes a kubeconfig whose current context leads here with these credentials, and whose other one nowhere. */
    Path kubeconfig(Path folder, String user) throws IOException {
        return kubeconfig(folder, user, url(), "");
    }

    /**
     * Writes such a kubeconfig.
     *
     * @param more of the cluster, behind a comma
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
