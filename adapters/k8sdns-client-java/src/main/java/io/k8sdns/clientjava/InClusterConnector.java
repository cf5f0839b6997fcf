package io.k8sdns.clientjava;

import io.k8sdns.clientjava.CredentialFiles.UnusableException;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.util.ClientBuilder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;

/**
 * Connects to the API server of the cluster that the process runs in, with the Pod's service account. Needs {@code
 * io.kubernetes:client-java} at run time, which this module does not bring.
 *
 * <pre>{@code
 * ApiClusterSource source = ApiClusterSource.builder(InClusterConnector.create()).build();
 * }</pre>
 *
 * <p>The token is rotated by the kubelet and read again by {@link #connect}. Thread-safe.
 */
public final class InClusterConnector implements ApiConnector {
    private static final String HOST = "KUBERNETES_SERVICE_HOST";
    private static final String PORT = "KUBERNETES_SERVICE_PORT";
    private static final Path TOKEN = Path.of("/var/run/secrets/kubernetes.io/serviceaccount/token");
    private static final Path AUTHORITY = Path.of("/var/run/secrets/kubernetes.io/serviceaccount/ca.crt");

    private InClusterConnector() {}

    /**
     * Checks that the process runs in a Pod with a service account. No request is sent.
     *
     * @throws IllegalStateException if it does not, and the message names the environment variable or the file; or if
     *     client-java is missing
     */
    public static InClusterConnector create() {
        String host = System.getenv(HOST);
        if (host == null || host.isEmpty()) {
            throw new IllegalStateException("not in a Pod: " + HOST + " is not set");
        }
        String port = String.valueOf(System.getenv(PORT));
        if (!port.matches("[0-9]{1,5}")) {
            throw new IllegalStateException("not in a Pod: " + PORT + " is not a port: " + port);
        }
        requireServiceAccount(TOKEN, AUTHORITY);
        KubeconfigConnector.requireClientJava();
        return new InClusterConnector();
    }

    /**
     * Checks the files of a service account.
     *
     * @throws IllegalStateException if one cannot be read or used; the message names it
     */
    static void requireServiceAccount(Path token, Path authority) {
        try {
            CredentialFiles.token(token);
        } catch (UnusableException unusable) {
            throw new IllegalStateException(
                    "the service account has a token file that " + unusable.getMessage(), unusable);
        }
        try {
            CredentialFiles.requireCertificates(authority);
        } catch (UnusableException unusable) {
            throw new IllegalStateException(
                    "the service account has a CA file that " + unusable.getMessage(), unusable);
        }
    }

    /** Makes a client with the current token. */
    @Override
    public ApiClient connect() throws IOException {
        return ClientBuilder.cluster().build();
    }

    /** Returns the files of the service account's token and of the cluster's certificate authority. */
    @Override
    public Set<Path> files() {
        return Set.of(TOKEN, AUTHORITY);
    }

    /** Returns the server, for messages. */
    @Override
    public String toString() {
        return server(String.valueOf(System.getenv(HOST)), String.valueOf(System.getenv(PORT)))
                + " (of the Pod's cluster)";
    }

    /** Returns the address of a host, which may be an IPv6 address without brackets. */
    static String server(String host, String port) {
        return "https://" + (host.contains(":") ? "[" + host + "]" : host) + ":" + port;
    }
}
