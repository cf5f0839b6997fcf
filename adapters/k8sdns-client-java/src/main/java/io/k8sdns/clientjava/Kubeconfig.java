package io.k8sdns.clientjava;

import io.k8sdns.clientjava.CredentialFiles.UnusableException;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * A context of a kubeconfig file. The Kubernetes client reads most fields. This class reads those that the client ignores: without
 * them, requests would be sent to another server or as another user.
 */
final class Kubeconfig {
    /** Fields with credentials. Requests of a user with one of them must not be sent anonymously. */
    private static final List<String> CREDENTIALS = List.of(
            "client-certificate", "client-certificate-data", "username", "auth-provider", "exec", "token", "tokenFile");

    private static final Set<String> CLUSTER_TEXTS =
            Set.of("server", "certificate-authority", "certificate-authority-data", "tls-server-name", "proxy-url");
    private static final Set<String> USER_TEXTS = Set.of(
            "client-certificate",
            "client-certificate-data",
            "client-key",
            "client-key-data",
            "username",
            "password",
            "token",
            "tokenFile",
            "as",
            "as-uid");

    /** Fields that name a file of certificates. */
    private static final Set<String> CERTIFICATES = Set.of("certificate-authority", "client-certificate");

    private static final int HTTP_PORT = 80;
    private static final int SOCKS_PORT = 1080;
    private static final int MAX_PORT = 65_535;

    private final Path file;
    private final KubeConfig config;
    private final String context;
    private final Map<?, ?> user;
    private final Optional<Path> tokenFile;
    private final Set<Path> files = new LinkedHashSet<>();
    private final Optional<URI> proxy;

    /**
     * Reads a context of a file.
     *
     * @param chosen the context; null for the current one of the file
     * @throws InvalidKubeconfigException if the context has no cluster, or a file that it names cannot be read
     * @throws IOException if the kubeconfig cannot be read
     */
    Kubeconfig(Path file, @Nullable String chosen) throws IOException {
        this.file = file;
        try (Reader reader = Files.newBufferedReader(file)) {
            config = load(reader);
            config.setFile(file.toAbsolutePath().toFile());
            context = context(chosen);
            Map<?, ?> members = members(config.getContexts(), context, "context");
            user = members.get("user") instanceof String name && !name.isEmpty()
                    ? members(config.getUsers(), name, "user")
                    : new LinkedHashMap<>();
            Map<?, ?> cluster = members(config.getClusters(), members.get("cluster"), "cluster");
            checkTypes(cluster, CLUSTER_TEXTS);
            checkTypes(user, USER_TEXTS);
            checkServer(cluster);
            proxy = proxy(cluster);
            files.add(file.toAbsolutePath());
            checkContents(cluster);
            checkFiles(cluster);
            // It takes precedence over a token in the kubeconfig itself.
            tokenFile = readableFile(user, "tokenFile");
            user.remove("tokenFile");
        } catch (ClassCastException | NullPointerException other) {
            throw noKubeconfig(other);
        }
        checkImpersonation();
    }

    private KubeConfig load(Reader reader) {
        try {
            return KubeConfig.loadKubeConfig(reader);
        } catch (RuntimeException notYaml) {
            // A YAMLException of SnakeYAML, which is not a dependency of this module.
            throw noKubeconfig(notYaml);
        }
    }

    private InvalidKubeconfigException noKubeconfig(RuntimeException cause) {
        return new InvalidKubeconfigException(file, Optional.empty(), "no kubeconfig: " + file, cause);
    }

    private String context(@Nullable String chosen) {
        String named = chosen == null ? config.getCurrentContext() : chosen;
        if (named == null || named.isEmpty()) {
            throw invalid(
                    "current-context",
                    file + " has no current context; choose one of " + String.join(", ", contexts()));
        }
        if (!config.setContext(named)) {
            throw invalid(
                    "contexts",
                    "no context '" + named + "' in " + file + ", which has " + String.join(", ", contexts()));
        }
        return named;
    }

    private List<String> contexts() {
        List<String> names = new ArrayList<>();
        if (config.getContexts() != null) {
            for (Object one : config.getContexts()) {
                if (one instanceof Map<?, ?> map && map.get("name") instanceof String name) {
                    names.add("'" + name + "'");
                }
            }
        }
        return names.isEmpty() ? List.of("none") : names;
    }

    /** Returns the members of the entry with a name in a list, as a map that can be changed. */
    private Map<?, ?> members(@Nullable List<?> list, @Nullable Object name, String what) {
        for (Object one : Objects.requireNonNullElse(list, List.of())) {
            if (one instanceof Map<?, ?> map && name != null && name.equals(map.get("name"))) {
                return map.get(what) instanceof Map<?, ?> members ? members : new LinkedHashMap<>();
            }
        }
        throw invalid(what + "s", file + " has no " + what + " '" + name + "'");
    }

    private void checkServer(Map<?, ?> cluster) {
        if (!(cluster.get("server") instanceof String server) || server.isBlank()) {
            throw wrong("server", "names no cluster with a server");
        }
        if (!isAddress(server)) {
            throw wrong("server", "has a server that is neither https://HOST:PORT nor http://HOST:PORT: " + server);
        }
    }

    /** Checks the certificates, key and token that the kubeconfig holds itself. */
    private void checkContents(Map<?, ?> cluster) {
        // Empty fields count as absent, as for kubectl; the Kubernetes client reads them.
        Set.of("certificate-authority", "certificate-authority-data").forEach(field -> cluster.remove(field, ""));
        checkData(cluster, "certificate-authority-data");
        checkData(user, "client-certificate-data");
        checkData(user, "client-key-data");
        if (user.get("token") instanceof String token && !CredentialFiles.isHeader(token)) {
            throw wrong("token", "has a token that holds a line break or another character that no token has");
        }
    }

    /** Checks the files of certificates and keys that the kubeconfig names. */
    private void checkFiles(Map<?, ?> cluster) {
        readableFile(cluster, "certificate-authority");
        readableFile(user, "client-certificate");
        readableFile(user, "client-key");
    }

    private void checkImpersonation() {
        if (user.containsKey("as-user-extra")) {
            throw wrong("as-user-extra", "has a user with as-user-extra, which is not supported");
        }
        boolean impersonatesNoUser = user.get("as") == null || user.get("as").equals("");
        if (impersonatesNoUser && (user.containsKey("as-uid") || user.containsKey("as-groups"))) {
            throw wrong("as", "has a user with as-uid or as-groups and without as");
        }
    }

    /** Checks the types of members, which the Kubernetes client does not check. */
    private void checkTypes(Map<?, ?> members, Set<String> texts) {
        for (Map.Entry<?, ?> member : members.entrySet()) {
            boolean right = switch (String.valueOf(member.getKey())) {
                case "insecure-skip-tls-verify" -> member.getValue() instanceof Boolean;
                case "as-groups" -> isTexts(member.getValue());
                case "auth-provider" -> member.getValue() instanceof Map;
                case "exec" ->
                    member.getValue() instanceof Map<?, ?> exec
                            && exec.get("command") instanceof String
                            && (exec.get("args") == null || isTexts(exec.get("args")));
                default -> !texts.contains(String.valueOf(member.getKey())) || member.getValue() instanceof String;
            };
            if (!right) {
                throw wrong(
                        String.valueOf(member.getKey()), "has a " + member.getKey() + " that is not what it should be");
            }
        }
    }

    /**
     * Returns the file that a field names, relative to the folder of the kubeconfig; empty if the field is absent, or if the field
     * with the contents takes precedence.
     *
     * @throws InvalidKubeconfigException if the file cannot be read, or lacks the certificate or token
     */
    private Optional<Path> readableFile(Map<?, ?> members, String field) {
        if (!(members.get(field) instanceof String name) || name.isEmpty() || members.get(field + "-data") != null) {
            return Optional.empty();
        }
        Path named;
        try {
            named = file.toAbsolutePath().resolveSibling(name);
        } catch (InvalidPathException invalid) {
            throw wrong(field, "has a " + field + " that is no path: " + invalid.getReason());
        }
        files.add(named);
        if (Files.isRegularFile(named) || Files.isDirectory(named) || !Files.exists(named)) {
            requireContents(field, named);
        }
        // Any other file may be a pipe, which can be read only once.
        return Optional.of(named);
    }

    private void requireContents(String field, Path named) {
        try {
            if (CERTIFICATES.contains(field)) {
                CredentialFiles.requireCertificates(named);
            } else if (field.equals("tokenFile")) {
                CredentialFiles.token(named);
            } else {
                CredentialFiles.read(named);
            }
        } catch (UnusableException unusable) {
            throw wrong(field, "has a " + field + " that " + unusable.getMessage());
        }
    }

    private void checkData(Map<?, ?> members, String field) {
        if (members.get(field) instanceof String base64) {
            try {
                if (field.equals("client-key-data")) {
                    CredentialFiles.decoded(base64);
                } else {
                    CredentialFiles.requireCertificateData(base64);
                }
            } catch (UnusableException unusable) {
                throw wrong(field, "has a " + field + " that " + unusable.getMessage());
            }
        }
    }

    /** Returns the kubeconfig and the files that it names. */
    Set<Path> files() {
        return Set.copyOf(files);
    }

    private static boolean isTexts(@Nullable Object value) {
        return value instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
    }

    private InvalidKubeconfigException wrong(String field, String what) {
        return invalid(field, "context '" + context + "' in " + file + " " + what);
    }

    private InvalidKubeconfigException invalid(String field, String message) {
        return new InvalidKubeconfigException(file, Optional.of(field), message, null);
    }

    /** Returns whether a server looks like an address; the scheme may be missing. */
    private static boolean isAddress(String server) {
        try {
            URI url = new URI(server.contains("://") ? server : "http://" + server);
            // Names with underscores are used, and are an authority to the JDK but not a host.
            return url.getAuthority() != null && Set.of("http", "https").contains(url.getScheme());
        } catch (URISyntaxException invalid) {
            return false;
        }
    }

    private Optional<URI> proxy(Map<?, ?> cluster) {
        Object text = cluster.get("proxy-url");
        if (text == null || text.equals("")) {
            return Optional.empty();
        }
        URI url;
        try {
            url = URI.create(text.toString());
        } catch (IllegalArgumentException invalid) {
            throw wrong("proxy-url", "has a proxy-url that is no URL");
        }
        boolean socks = "socks5".equals(url.getScheme());
        if (url.getHost() == null || url.getPort() > MAX_PORT || !(socks || "http".equals(url.getScheme()))) {
            // The message does not quote the URL, which may hold a password.
            throw wrong("proxy-url", "has a proxy-url that is neither http://HOST:PORT nor socks5://HOST:PORT");
        }
        if (socks && url.getUserInfo() != null) {
            throw wrong("proxy-url", "has a SOCKS proxy with a password, which is not supported");
        }
        return Optional.of(url);
    }

    /**
     * Returns a client with the current credentials; runs the program that prints them, if there is one.
     *
     * @throws IOException if the user should have credentials and has none, or a file cannot be read
     */
    ApiClient client() throws IOException {
        ApiClient client = ClientBuilder.kubeconfig(config).build();
        if (tokenFile.isPresent()) {
            client.setApiKeyPrefix("Bearer");
            client.setApiKey(token(tokenFile.get()));
        }
        boolean known = client.getKeyManagers() != null
                || client.getAuthentication("BearerToken") instanceof ApiKeyAuth token
                        && token.getApiKey() != null
                        && !token.getApiKey().isEmpty();
        Optional<String> promised =
                CREDENTIALS.stream().filter(user::containsKey).findFirst();
        if (!known && promised.isPresent()) {
            throw new IOException("the user of context '" + context + "' in " + file + " has no credentials: "
                    + promised.get() + " gives none");
        }
        OkHttpClient.Builder http = client.getHttpClient().newBuilder();
        proxy.ifPresent(url -> useProxy(url, http));
        impersonate(http);
        return client.setHttpClient(http.build());
    }

    private String token(Path named) throws IOException {
        try {
            return CredentialFiles.token(named);
        } catch (UnusableException unusable) {
            throw new IOException(
                    "context '" + context + "' in " + file + " has a tokenFile that " + unusable.getMessage(),
                    unusable);
        }
    }

    private static void useProxy(URI url, OkHttpClient.Builder http) {
        boolean socks = "socks5".equals(url.getScheme());
        int defaultPort = socks ? SOCKS_PORT : HTTP_PORT;
        http.proxy(new Proxy(
                socks ? Proxy.Type.SOCKS : Proxy.Type.HTTP,
                InetSocketAddress.createUnresolved(url.getHost(), url.getPort() < 0 ? defaultPort : url.getPort())));
        if (url.getUserInfo() != null) {
            String[] named = url.getUserInfo().split(":", 2);
            String credentials = Credentials.basic(named[0], named.length > 1 ? named[1] : "");
            http.proxyAuthenticator((route, response) -> response.request().header("Proxy-Authorization") != null
                    ? null
                    : response.request()
                            .newBuilder()
                            .header("Proxy-Authorization", credentials)
                            .build());
        }
    }

    /** Adds the headers of impersonation (as, as-uid, as-groups), as kubectl does. */
    private void impersonate(OkHttpClient.Builder http) {
        Map<String, List<String>> headers = new LinkedHashMap<>();
        headers.put("Impersonate-User", texts(user.get("as")));
        headers.put("Impersonate-Uid", texts(user.get("as-uid")));
        headers.put("Impersonate-Group", texts(user.get("as-groups")));
        headers.values().removeIf(List::isEmpty);
        if (!headers.isEmpty()) {
            http.addInterceptor(chain -> {
                Request.Builder request = chain.request().newBuilder();
                headers.forEach((name, values) -> values.forEach(value -> request.addHeader(name, value)));
                return chain.proceed(request.build());
            });
        }
    }

    private static List<String> texts(@Nullable Object value) {
        List<?> all = value instanceof List<?> list ? list : value == null ? List.of() : List.of(value);
        return all.stream().map(Object::toString).toList();
    }
}
