package io.k8sdns.clientjava;

import io.kubernetes.client.openapi.ApiClient;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the API server of a context in a kubeconfig file, as kubectl does.
 *
 * <pre>{@code
 * ApiClusterSource source = ApiClusterSource.builder(KubeconfigConnector.read(Path.of("config"))).build();
 * }</pre>
 *
 * <p>Several files are merged as kubectl merges those in {@code $KUBECONFIG}. The current context is that of the first file that has
 * one; of several contexts, clusters or users with one name the first counts, with none of the fields of the others; files that
 * do not exist are skipped.
 *
 * <p>Needs {@code io.kubernetes:client-java} at run time, which this module does not bring: it reads most of the file, runs
 * programs for credentials ({@code exec}) and sets up TLS. In addition, {@code proxy-url}, {@code tokenFile}, {@code as}, {@code
 * as-uid} and {@code as-groups} are supported. A field that is not supported ({@code as-user-extra}, for example) is an error: a
 * request is never sent to another server or as another user than the file specifies.
 *
 * <p>Each {@link #connect} after the first one reads the file, and the files that it names, again, so that expired credentials are
 * renewed. Thread-safe.
 */
public final class KubeconfigConnector implements ApiConnector {
    private final List<Path> kubeconfigs;
    private final @Nullable String context;

    /** The context that the factory read, until it is used: the file may be a pipe, which can be read only once. */
    private final AtomicReference<@Nullable Kubeconfig> first;

    private volatile Set<Path> files;
    private volatile String description;

    private KubeconfigConnector(List<Path> kubeconfigs, @Nullable String context) throws IOException {
        if (kubeconfigs.isEmpty()) {
            throw new IllegalArgumentException("files is empty: pass at least one kubeconfig");
        }
        requireClientJava();
        Kubeconfig read = new Kubeconfig(kubeconfigs, context);
        this.kubeconfigs = kubeconfigs;
        this.context = context;
        this.first = new AtomicReference<>(read);
        this.files = read.files();
        this.description = read.toString();
    }

    /**
     * Reads a kubeconfig and checks its current context. No request is sent, and no program is run.
     *
     * @param file the kubeconfig; paths in it are relative to its directory
     * @throws InvalidKubeconfigException if the context has no usable cluster or credentials; the message names the file and the field
     * @throws IOException if the file cannot be read
     * @throws IllegalStateException if client-java is missing
     */
    public static KubeconfigConnector read(Path file) throws IOException {
        return new KubeconfigConnector(List.of(Objects.requireNonNull(file, "file")), null);
    }

    /**
     * Reads a kubeconfig and checks a context. No request is sent, and no program is run.
     *
     * @param file the kubeconfig; paths in it are relative to its directory
     * @param context the name of the context, instead of the current one
     * @throws InvalidKubeconfigException if the context has no usable cluster or credentials; the message names the file and the field
     * @throws IOException if the file cannot be read
     * @throws IllegalStateException if client-java is missing
     */
    public static KubeconfigConnector read(Path file, String context) throws IOException {
        return new KubeconfigConnector(
                List.of(Objects.requireNonNull(file, "file")), Objects.requireNonNull(context, "context"));
    }

    /**
     * Reads kubeconfigs, merges them and checks their current context. No request is sent, and no program is run.
     *
     * @param files the kubeconfigs in their order, at least one; paths in each are relative to its directory
     * @throws InvalidKubeconfigException if there is no context, or it has no usable cluster or credentials; the message names the files and the
     *     field
     * @throws IOException if a file cannot be read, or none exists
     * @throws IllegalStateException if client-java is missing
     */
    public static KubeconfigConnector read(List<Path> files) throws IOException {
        return new KubeconfigConnector(List.copyOf(Objects.requireNonNull(files, "files")), null);
    }

    /**
     * Reads kubeconfigs, merges them and checks a context. No request is sent, and no program is run.
     *
     * @param files the kubeconfigs in their order, at least one; paths in each are relative to its directory
     * @param context the name of the context, instead of the current one
     * @throws InvalidKubeconfigException if the context has no usable cluster or credentials; the message names the files and the field
     * @throws IOException if a file cannot be read, or none exists
     * @throws IllegalStateException if client-java is missing
     */
    public static KubeconfigConnector read(List<Path> files, String context) throws IOException {
        return new KubeconfigConnector(
                List.copyOf(Objects.requireNonNull(files, "files")), Objects.requireNonNull(context, "context"));
    }

    /**
     * Makes a client with the current credentials.
     *
     * @throws IOException if a file cannot be read or has become invalid, or the user should have credentials and has none
     */
    @Override
    public ApiClient connect() throws IOException {
        Kubeconfig read = first.getAndSet(null);
        Kubeconfig current = read == null ? readAgain() : read;
        files = current.files();
        description = current.toString();
        return current.client();
    }

    /**
     * Checks that the optional dependency is present.
     *
     * @throws IllegalStateException if it is missing
     */
    static void requireClientJava() {
        try {
            Class.forName("io.kubernetes.client.util.KubeConfig", false, KubeconfigConnector.class.getClassLoader());
        } catch (ClassNotFoundException missing) {
            throw new IllegalStateException(
                    "io.kubernetes:client-java is not on the class path or module path; add it as a dependency",
                    missing);
        }
    }

    private Kubeconfig readAgain() throws IOException {
        try {
            return new Kubeconfig(kubeconfigs, context);
        } catch (InvalidKubeconfigException changed) {
            throw new IOException(changed.getMessage(), changed);
        }
    }

    /** Returns the kubeconfigs and the files of credentials that the context names, as of the last time they were read. */
    @Override
    public Set<Path> files() {
        return files;
    }

    /** Returns the server, the context and its file, as of the last time they were read, for messages. */
    @Override
    public String toString() {
        return description;
    }
}
