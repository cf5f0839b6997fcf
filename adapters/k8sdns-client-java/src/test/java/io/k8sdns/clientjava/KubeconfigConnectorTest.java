package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.k8sdns.ClusterDns;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.records.RecordType;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.auth.ApiKeyAuth;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import okhttp3.tls.HeldCertificate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests the values and exceptions of the library; the tests of the command cover the fields of kubeconfigs. */
@Timeout(300)
class KubeconfigConnectorTest {
    @TempDir
    private Path folder;

    private ApiServer server;

    @BeforeEach
    void start() throws IOException {
        server = new ApiServer();
        server.token("secret");
        server.put("namespaces", "shop", "\"uid\": \"n1\"", "");
        server.put("services", "shop/cart", "\"uid\": \"s1\"", """
                , "spec": {"clusterIP": "10.96.0.20", "clusterIPs": ["10.96.0.20"]}\
                """);
    }

    @AfterEach
    void end() {
        server.close();
    }

    private Path kubeconfig(String user) throws IOException {
        return Files.writeString(folder.resolve("config"), """
            apiVersion: v1
            kind: Config
            current-context: here
            contexts:
            - {name: here, context: {cluster: here, user: me}}
            - {name: nowhere, context: {cluster: nowhere, user: me}}
            clusters:
            - {name: here, cluster: {server: "%s"}}
            - {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
            users:
            - {name: me, user: %s}
            """.formatted(server.url(), user));
    }

    private static InvalidKubeconfigException invalid(Path file) {
        return catchThrowableOfType(InvalidKubeconfigException.class, () -> KubeconfigConnector.read(file));
    }

    @Test
    void objectsAreThoseOfTheCurrentContext() throws Exception {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        Path config = kubeconfig("{tokenFile: token}");
        KubeconfigConnector connector = KubeconfigConnector.read(config);
        ClusterDns dns = ClusterDns.of(ApiClusterSource.builder(connector).snapshot(Duration.ofMinutes(2)));
        assertThat(dns.lookup("cart.shop", RecordType.A).addresses()).containsExactly("10.96.0.20");
        assertThat(connector.files()).containsExactlyInAnyOrder(config, token);
    }

    @Test
    void anotherContextCanBeChosen() throws IOException {
        KubeconfigConnector connector = KubeconfigConnector.read(kubeconfig("{token: secret}"), "nowhere");
        assertThat(connector.connect().getBasePath()).isEqualTo("http://127.0.0.1:1");
    }

    @Test
    void theExceptionHasTheFileAndTheField() throws IOException {
        Path config = kubeconfig("{tokenFile: missing}");
        InvalidKubeconfigException token = invalid(config);
        assertThat(token.file()).isEqualTo(config);
        assertThat(token.field()).contains("tokenFile");
        assertThat(token)
                .hasMessage("context 'here' in " + config + " has a tokenFile that cannot be read: "
                        + folder.resolve("missing") + ": no such file");

        Path valid = kubeconfig("{token: secret}");
        assertThatThrownBy(() -> KubeconfigConnector.read(valid, "there"))
                .isInstanceOf(InvalidKubeconfigException.class)
                .hasMessage("no context 'there' in " + valid + ", which has 'here', 'nowhere'");

        InvalidKubeconfigException other = invalid(Files.writeString(folder.resolve("other"), "- a list\n"));
        assertThat(other.field()).isEmpty();
        assertThat(other).hasMessage("not a kubeconfig: " + folder.resolve("other"));
        assertThat(invalid(Files.writeString(folder.resolve("broken"), "{")))
                .hasMessageStartingWith("not a kubeconfig: ");
    }

    @Test
    void directoryAndBinaryFileAreNotKubeconfigs() throws IOException {
        InvalidKubeconfigException directory = invalid(folder);
        assertThat(directory.file()).isEqualTo(folder);
        assertThat(directory).hasMessage("a directory, not the file of a kubeconfig: " + folder);
        Path binary = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xff, 0});
        assertThat(invalid(binary)).hasMessage("not a kubeconfig: " + binary + ": not UTF-8");
        List<Path> both = List.of(kubeconfig("{token: secret}"), folder);
        assertThatThrownBy(() -> KubeconfigConnector.read(both)).hasMessageContaining("a directory");
    }

    @Test
    void passwordOfTheServerIsNotPrinted() throws IOException {
        Path config = Files.writeString(folder.resolve("config"), """
                current-context: here
                contexts: [{name: here, context: {cluster: here}}]
                clusters: [{name: here, cluster: {server: "https://me:hunter2@api_1.example:6443/path?token=hunter2"}}]
                """);
        assertThat(KubeconfigConnector.read(config))
                .hasToString("https://api_1.example:6443 (context 'here' in " + config + ")");
        Files.writeString(config, Files.readString(config).replace("https://", "ftp://"));
        assertThat(invalid(config)).hasMessageContaining("api_1.example:6443");
        assertThat(invalid(config).getMessage()).doesNotContain("me:hunter2");
        Files.writeString(config, Files.readString(config).replace("ftp://", "").replaceFirst("/path[^\"]*", ""));
        assertThat(KubeconfigConnector.read(config)).asString().startsWith("api_1.example:6443 (");
    }

    @Test
    void serverOfAPodMayHaveAnAddressOfIpv6() {
        assertThat(InClusterConnector.server("fd00::1", "443")).isEqualTo("https://[fd00::1]:443");
        assertThat(InClusterConnector.server("10.96.0.1", "443")).isEqualTo("https://10.96.0.1:443");
    }

    @Test
    void fileThatIsMissingIsAnIoException() {
        assertThatThrownBy(() -> KubeconfigConnector.read(folder.resolve("none")))
                .isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void fileIsReadAgainForEachConnectionButTheFirst() throws IOException {
        Path config = kubeconfig("{token: secret}");
        KubeconfigConnector connector = KubeconfigConnector.read(config);
        Files.delete(config);
        assertThat(connector.connect().getBasePath()).isEqualTo(server.url());
        assertThatThrownBy(connector::connect).isInstanceOf(NoSuchFileException.class);

        kubeconfig("{tokenFile: missing}");
        assertThatThrownBy(connector::connect)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("has a tokenFile that cannot be read");

        kubeconfig("{token: other}");
        assertThat(connector.connect().getBasePath()).isEqualTo(server.url());
    }

    private Path file(String path, String text) throws IOException {
        Path file = folder.resolve(path);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    @Test
    void firstCurrentContextAndFirstEntryOfANameCount() throws Exception {
        Path empty = file("empty", "");
        Path contexts = file("contexts", """
            contexts:
            - {name: first, context: {cluster: here, user: me}}
            users:
            - {name: me, user: {token: secret}}
            """);
        Path clusters = file("clusters", """
            current-context: first
            clusters:
            - {name: here, cluster: {server: "%s"}}
            contexts:
            - {name: first, context: {cluster: nowhere, user: me}}
            """.formatted(server.url()));
        Path others = file("others", """
            current-context: second
            contexts:
            - {name: second, context: {cluster: nowhere, user: me}}
            clusters:
            - {name: nowhere, cluster: {server: "http://127.0.0.1:1"}}
            - {name: here, cluster: {server: "http://127.0.0.1:1"}}
            users:
            - {name: me, user: {token: other, as: jane}}
            """);
        List<Path> files = List.of(folder.resolve("missing"), empty, contexts, clusters, others);

        KubeconfigConnector current = KubeconfigConnector.read(files);
        assertThat(current.files()).containsExactlyInAnyOrderElementsOf(files);
        for (int i = 0; i < 2; i++) {
            ClusterDns dns = ClusterDns.of(ApiClusterSource.builder(current).snapshot(Duration.ofMinutes(2)));
            assertThat(dns.lookup("cart.shop", RecordType.A).addresses()).containsExactly("10.96.0.20");
        }
        assertThat(server.requests())
                .isNotEmpty()
                .allSatisfy(request -> assertThat(request.headers()).doesNotContainKey("impersonate-user"));
        assertThat(KubeconfigConnector.read(files, "second").connect().getBasePath())
                .isEqualTo("http://127.0.0.1:1");
    }

    @Test
    void pathsAreRelativeToTheFileThatNamesThem() throws IOException {
        Path authority =
                file("clusters/ca.crt", new HeldCertificate.Builder().build().certificatePem());
        Path clusters = file("clusters/config", """
            clusters:
            - {name: here, cluster: {server: "https://api.invalid", certificate-authority: ca.crt}}
            """);
        Path program = file("users/credentials", """
            #!/bin/sh
            echo '{"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential", "status": {"token": "secret"}}'
            """);
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("rwx------"));
        Path token = file("users/token", "secret");
        Path users = file("users/config", """
            users:
            - {name: me, user: {tokenFile: token}}
            - {name: program, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: ./credentials}}}
            """);
        Path contexts = file("config", """
            contexts:
            - {name: file, context: {cluster: here, user: me}}
            - {name: program, context: {cluster: here, user: program}}
            """);
        List<Path> files = List.of(contexts, clusters, users);
        for (String context : List.of("file", "program")) {
            ApiClient client = KubeconfigConnector.read(files, context).connect();
            assertThat(client.getAuthentication("BearerToken"))
                    .as(context)
                    .isInstanceOfSatisfying(
                            ApiKeyAuth.class,
                            bearer -> assertThat(bearer.getApiKey()).isEqualTo("secret"));
        }
        assertThat(KubeconfigConnector.read(files, "file").files())
                .containsExactlyInAnyOrder(contexts, clusters, users, authority, token);
    }

    @Test
    void theExceptionListsTheMergedFiles() throws IOException {
        Path one = file("one", "kind: Config\n");
        Path two = file("two", "clusters: []\n");
        Path missing = folder.resolve("missing");
        String names = one + ", " + missing + " (no such file), " + two;
        List<Path> files = List.of(one, missing, two);
        assertThatThrownBy(() -> KubeconfigConnector.read(files))
                .isInstanceOf(InvalidKubeconfigException.class)
                .hasMessage("there is no context in " + names);

        Files.writeString(two, "contexts:\n- {name: a, context: {cluster: here}}\n- {name: b}\n");
        assertThatThrownBy(() -> KubeconfigConnector.read(files))
                .hasMessage(names + " have no current context; choose one of 'a', 'b'");
        assertThatThrownBy(() -> KubeconfigConnector.read(files, "c"))
                .hasMessage("no context 'c' in " + names + ", which have 'a', 'b'");
        assertThatThrownBy(() -> KubeconfigConnector.read(files, "a")).hasMessage(names + " have no cluster 'here'");

        Files.writeString(one, "clusters:\n- {name: here, cluster: {server: 'ftp://api.invalid'}}\n");
        InvalidKubeconfigException server =
                catchThrowableOfType(InvalidKubeconfigException.class, () -> KubeconfigConnector.read(files, "a"));
        assertThat(server.file()).isEqualTo(one);
        assertThat(server).hasMessageContaining(one + " has a server that is neither");

        assertThatThrownBy(() -> KubeconfigConnector.read(List.of(missing, folder.resolve("none"))))
                .isInstanceOf(NoSuchFileException.class);
        assertThatThrownBy(() -> KubeconfigConnector.read(List.of()))
                .hasMessage("files is empty: pass at least one kubeconfig");
    }

    @Test
    void serviceAccountWithoutReadableFilesIsRefused() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        Path empty = Files.writeString(folder.resolve("none"), "");
        Path missing = folder.resolve("missing");
        Map<List<Path>, String> problems = Map.of(
                List.of(missing, missing),
                "token file that cannot be read: " + missing + ": no such file",
                List.of(empty, missing),
                "token file that is empty: " + empty,
                List.of(token, missing),
                "CA file that cannot be read: " + missing + ": no such file",
                List.of(token, empty),
                "CA file that holds no certificate in PEM: " + empty);
        problems.forEach((files, problem) -> assertThatThrownBy(
                        () -> InClusterConnector.requireServiceAccount(files.get(0), files.get(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the service account has a " + problem));
    }
}
