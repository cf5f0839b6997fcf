package io.k8sdns.clientjava;

import io.k8sdns.clientjava.CredentialFiles.UnusableException;
import io.k8sdns.clientjava.KubeconfigFiles.Entry;
import io.k8sdns.pem.PemText;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import io.kubernetes.client.util.ClientBuilder;
import io.kubernetes.client.util.KubeConfig;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Proxy;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import javax.net.ssl.KeyManager;
import okhttp3.Credentials;
import okhttp3.OkHttpClient;
import okhttp3.Request;
import org.jspecify.annotations.Nullable;

/**
 * A context of a kubeconfig, which is one file or several that are merged. The Kubernetes client reads most fields. This class
 * reads those that the client ignores: without them, requests would be sent to another server or as another user.
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

    private final KubeconfigFiles merged;
    private final KubeConfig config;
    private final String context;
    private final Entry cluster;
    private final Entry user;
    private final Optional<Path> tokenFile;
    private final Optional<KeyManager[]> keyManagers;
    private final Set<Path> files = new LinkedHashSet<>();
    private final Optional<URI> proxy;

    /**
     * Reads a context.
     *
     * @param paths the files, at least one; those that do not exist are skipped
     * @param chosen the context; null for the current one of the files
     * @throws InvalidKubeconfigException if the context has no cluster, a file that it names cannot be read, or a key cannot be used
     *     with its certificate
     * @throws IOException if a kubeconfig cannot be read, or none exists
     */
    Kubeconfig(List<Path> paths, @Nullable String chosen) throws IOException {
        merged = new KubeconfigFiles(paths);
        paths.forEach(path -> files.add(path.toAbsolutePath()));
        try {
            context = context(chosen);
            Entry chosenContext = find("context", context);
            cluster = find("cluster", chosenContext.members().get("cluster"));
            user = chosenContext.members().get("user") instanceof String name && !name.isEmpty()
                    ? find("user", name)
                    : new Entry("", chosenContext.file(), new LinkedHashMap<>());
            checkTypes(cluster, CLUSTER_TEXTS);
            checkTypes(user, USER_TEXTS);
            checkServer();
            proxy = proxy();
            checkContents();
            checkFiles();
            // A tokenFile takes precedence over a token in the kubeconfig itself.
            tokenFile = readableFile(user, "tokenFile");
            user.members().remove("tokenFile");
            config = new KubeConfig(
                    new ArrayList<>(list("context", chosenContext)),
                    new ArrayList<>(list("cluster", cluster)),
                    new ArrayList<>(list("user", user)));
            config.setContext(context);
            // The programs of a user are relative to the folder of the file.
            config.setFile(user.file().toAbsolutePath().toFile());
            keyManagers = keyManagers();
        } catch (ClassCastException | NullPointerException other) {
            throw new InvalidKubeconfigException(
                    merged.first(), Optional.empty(), "not a kubeconfig: " + merged, other);
        }
        checkImpersonation();
    }

    /** Returns an entry in the form that the Kubernetes client reads, if it has a name. */
    private static List<Map<String, Object>> list(String what, Entry entry) {
        return entry.name().isEmpty() ? List.of() : List.of(Map.of("name", entry.name(), what, entry.members()));
    }

    private String context(@Nullable String chosen) {
        List<String> contexts =
                merged.contexts().stream().map(name -> "'" + name + "'").toList();
        if (contexts.isEmpty()) {
            throw invalid("contexts", "there is no context in " + merged);
        }
        String named = chosen == null ? merged.currentContext().orElse("") : chosen;
        if (named.isEmpty()) {
            throw invalid(
                    "current-context",
                    merged + " " + merged.have() + " no current context; choose one of " + String.join(", ", contexts));
        }
        if (merged.find("context", named).isEmpty()) {
            throw invalid(
                    "contexts",
                    "no context '" + named + "' in " + merged + ", which " + merged.have() + " "
                            + String.join(", ", contexts));
        }
        return named;
    }

    private Entry find(String what, @Nullable Object name) {
        return merged.find(what, name)
                .orElseThrow(
                        () -> invalid(what + "s", merged + " " + merged.have() + " no " + what + " '" + name + "'"));
    }

    private void checkServer() {
        if (!(cluster.members().get("server") instanceof String server) || server.isBlank()) {
            throw wrong(cluster, "server", "names no cluster with a server");
        }
        if (!isAddress(server)) {
            throw wrong(
                    cluster,
                    "server",
                    "has a server that is neither https://HOST:PORT nor http://HOST:PORT: " + withoutUser(server));
        }
    }

    /** Checks the certificates, key and token that the kubeconfig holds itself. */
    private void checkContents() {
        // Empty fields count as absent, as for kubectl; the Kubernetes client reads them.
        Set.of("certificate-authority", "certificate-authority-data")
                .forEach(field -> cluster.members().remove(field, ""));
        checkData(cluster, "certificate-authority-data");
        checkData(user, "client-certificate-data");
        checkData(user, "client-key-data");
        if (user.members().get("token") instanceof String token && !CredentialFiles.isHeader(token)) {
            throw wrong(user, "token", "has a token that holds a line break or another character that no token has");
        }
    }

    /** Checks the files of certificates and keys that the kubeconfig names. */
    private void checkFiles() {
        readableFile(cluster, "certificate-authority");
        readableFile(user, "client-certificate");
        readableFile(user, "client-key");
    }

    private void checkImpersonation() {
        Map<?, ?> members = user.members();
        if (members.containsKey("as-user-extra")) {
            throw wrong(user, "as-user-extra", "has a user with as-user-extra, which is not supported");
        }
        boolean impersonatesNoUser =
                members.get("as") == null || members.get("as").equals("");
        if (impersonatesNoUser && (members.containsKey("as-uid") || members.containsKey("as-groups"))) {
            throw wrong(user, "as", "has a user with as-uid or as-groups and without as");
        }
    }

    /** Checks the types of members, which the Kubernetes client does not check. */
    private void checkTypes(Entry entry, Set<String> texts) {
        for (Map.Entry<?, ?> member : entry.members().entrySet()) {
            String field = String.valueOf(member.getKey());
            expectedType(field, member.getValue(), texts).ifPresent(expected -> {
                throw wrong(
                        entry, field, "has the field " + field + " with a value of another type; expected " + expected);
            });
        }
    }

    /** Returns the type that a field must have if its value has another one. */
    private static Optional<String> expectedType(String field, @Nullable Object value, Set<String> texts) {
        return switch (field) {
            case "insecure-skip-tls-verify" -> expected("true or false", value instanceof Boolean);
            case "as-groups" -> expected("a list of strings", isTexts(value));
            case "auth-provider" -> expected("a mapping", value instanceof Map);
            case "exec" ->
                expected(
                        "a mapping with the string command and the list of strings args",
                        value instanceof Map<?, ?> exec
                                && exec.get("command") instanceof String
                                && (exec.get("args") == null || isTexts(exec.get("args"))));
            default -> expected("a string", !texts.contains(field) || value instanceof String);
        };
    }

    private static Optional<String> expected(String type, boolean has) {
        return has ? Optional.empty() : Optional.of(type);
    }

    /**
     * Returns the file that a field names, and makes the field absolute, because the Kubernetes client takes all paths relative to
     * one kubeconfig; empty if the field is absent, or if the field with the contents takes precedence.
     *
     * @throws InvalidKubeconfigException if the file cannot be read, or lacks the certificate or token
     */
    private Optional<Path> readableFile(Entry entry, String field) {
        Map<Object, Object> members = entry.members();
        if (!(members.get(field) instanceof String name) || name.isEmpty() || members.get(field + "-data") != null) {
            return Optional.empty();
        }
        Path named;
        try {
            named = entry.file().toAbsolutePath().resolveSibling(name);
        } catch (InvalidPathException invalid) {
            throw wrong(entry, field, "has a " + field + " that is not a path: " + invalid.getReason());
        }
        members.put(field, named.toString());
        files.add(named);
        if (Files.isRegularFile(named) || Files.isDirectory(named) || !Files.exists(named)) {
            requireContents(entry, field, named);
        }
        // Any other file may be a pipe, which can be read only once.
        return Optional.of(named);
    }

    private void requireContents(Entry entry, String field, Path named) {
        try {
            if (CERTIFICATES.contains(field)) {
                CredentialFiles.requireCertificates(named);
            } else if (field.equals("tokenFile")) {
                CredentialFiles.token(named);
            } else {
                CredentialFiles.read(named);
            }
        } catch (UnusableException unusable) {
            throw wrong(entry, field, "has a " + field + " that " + unusable.getMessage());
        }
    }

    private void checkData(Entry entry, String field) {
        if (entry.members().get(field) instanceof String base64) {
            try {
                if (field.equals("client-key-data")) {
                    CredentialFiles.decoded(base64);
                } else {
                    CredentialFiles.requireCertificateData(base64);
                }
            } catch (UnusableException unusable) {
                throw wrong(entry, field, "has a " + field + " that " + unusable.getMessage());
            }
        }
    }

    /** Returns the kubeconfigs, with those that do not exist, and the files that the context names. */
    Set<Path> files() {
        return Set.copyOf(files);
    }

    private static boolean isTexts(@Nullable Object value) {
        return value instanceof List<?> list && list.stream().allMatch(String.class::isInstance);
    }

    private InvalidKubeconfigException wrong(Entry entry, String field, String what) {
        return new InvalidKubeconfigException(
                entry.file(), Optional.of(field), "context '" + context + "' in " + entry.file() + " " + what, null);
    }

    private InvalidKubeconfigException invalid(String field, String message) {
        return new InvalidKubeconfigException(merged.first(), Optional.of(field), message, null);
    }

    /** Removes a user and a password, which must not be printed, from an address. */
    private static String withoutUser(String address) {
        return address.replaceFirst(".*@", "");
    }

    private static URI url(String server) throws URISyntaxException {
        return new URI(server.contains("://") ? server : "http://" + server);
    }

    /** Returns whether a server looks like an address; the scheme may be missing. */
    private static boolean isAddress(String server) {
        try {
            URI url = url(server);
            // Names with underscores are used, and are an authority to the JDK but not a host.
            return url.getAuthority() != null && Set.of("http", "https").contains(url.getScheme());
        } catch (URISyntaxException invalid) {
            return false;
        }
    }

    private Optional<URI> proxy() {
        Object text = cluster.members().get("proxy-url");
        if (text == null || text.equals("")) {
            return Optional.empty();
        }
        URI url;
        try {
            url = URI.create(text.toString());
        } catch (IllegalArgumentException invalid) {
            throw wrong(cluster, "proxy-url", "has a proxy-url that is not a URL");
        }
        boolean socks = "socks5".equals(url.getScheme());
        if (url.getHost() == null || url.getPort() > MAX_PORT || !(socks || "http".equals(url.getScheme()))) {
            // The message does not quote the URL, which may hold a password.
            throw wrong(
                    cluster, "proxy-url", "has a proxy-url that is neither http://HOST:PORT nor socks5://HOST:PORT");
        }
        if (socks && url.getUserInfo() != null) {
            throw wrong(cluster, "proxy-url", "has a SOCKS proxy with a password, which is not supported");
        }
        return Optional.of(url);
    }

    /**
     * Returns a client with the current credentials; runs the program that prints them, if there is one.
     *
     * @throws IOException if the user should have credentials and has none, or a file cannot be read
     */
    ApiClient client() throws IOException {
        ApiClient client = clientOfConfig();
        if (tokenFile.isPresent()) {
            client.setApiKeyPrefix("Bearer");
            client.setApiKey(token(tokenFile.get()));
        }
        boolean known = client.getKeyManagers() != null
                || client.getAuthentication("BearerToken") instanceof ApiKeyAuth token
                        && token.getApiKey() != null
                        && !token.getApiKey().isEmpty();
        Optional<String> promised =
                CREDENTIALS.stream().filter(user.members()::containsKey).findFirst();
        if (!known && promised.isPresent()) {
            throw new IOException("the user of context '" + context + "' in " + user.file() + " has no credentials: "
                    + promised.get() + " gives none");
        }
        OkHttpClient.Builder http = client.getHttpClient().newBuilder();
        proxy.ifPresent(url -> useProxy(url, http));
        impersonate(http);
        return client.setHttpClient(http.build());
    }

    private ApiClient clientOfConfig() throws IOException {
        try {
            ClientBuilder builder = ClientBuilder.kubeconfig(config);
            keyManagers.ifPresent(keys -> builder.setAuthentication(made -> made.setKeyManagers(keys)));
            return builder.build();
        } catch (RuntimeException unusable) {
            // For example, the Kubernetes client cannot read the key, either.
            Exception cause = unusable.getCause() instanceof Exception known ? known : unusable;
            throw new IOException(
                    "context '" + context + "' in " + user.file() + " has credentials that cannot be used: "
                            + ApiFailure.describe(cause),
                    unusable);
        }
    }

    /**
     * Returns the key managers of the user's certificate; empty if there is none, or only the Kubernetes client may be able to read it.
     *
     * @throws InvalidKubeconfigException if the key is encrypted or malformed, or belongs to another certificate
     */
    private Optional<KeyManager[]> keyManagers() {
        try {
            Optional<PemText> certificate = pem("client-certificate");
            Optional<PemText> key = pem("client-key");
            return certificate.isPresent() && key.isPresent()
                    ? ClientCertificate.keyManagers(certificate.get(), key.get())
                    : Optional.empty();
        } catch (IOException unusable) {
            String field = user.members().containsKey("client-key-data") ? "client-key-data" : "client-key";
            throw wrong(user, field, "has a " + field + " that cannot be used: " + unusable.getMessage());
        }
    }

    /** Returns the contents of a field or of the file that it names; empty if it is absent, or the file is a pipe. */
    private Optional<PemText> pem(String field) throws UnusableException {
        Map<Object, Object> members = user.members();
        if (members.get(field + "-data") instanceof String base64) {
            return Optional.of(pem("user '" + user.name() + "'", CredentialFiles.decoded(base64)));
        }
        // The Kubernetes client reads a pipe, which can be read only once.
        return members.get(field) instanceof String name && Files.isRegularFile(Path.of(name))
                ? Optional.of(pem(name, CredentialFiles.read(Path.of(name))))
                : Optional.empty();
    }

    private static PemText pem(String source, byte[] text) {
        return new PemText(source, new String(text, StandardCharsets.ISO_8859_1));
    }

    private String token(Path named) throws IOException {
        try {
            return CredentialFiles.token(named);
        } catch (UnusableException unusable) {
            throw new IOException(
                    "context '" + context + "' in " + user.file() + " has a tokenFile that " + unusable.getMessage(),
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
        headers.put("Impersonate-User", texts(user.members().get("as")));
        headers.put("Impersonate-Uid", texts(user.members().get("as-uid")));
        headers.put("Impersonate-Group", texts(user.members().get("as-groups")));
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

    @Override
    public String toString() {
        return address() + " (context '" + context + "' in " + merged + ")";
    }

    /** Returns scheme, host and port of the server; the rest of the URL may hold a password. */
    private String address() {
        String server = String.valueOf(cluster.members().get("server"));
        try {
            URI url = url(server);
            return (server.contains("://") ? url.getScheme() + "://" : "") + withoutUser(url.getRawAuthority());
        } catch (URISyntaxException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
