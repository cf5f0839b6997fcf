package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.k8sdns.ClusterDns;
import io.k8sdns.apiserver.ApiServer;
import io.k8sdns.records.RecordType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
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
    void exceptionNamesTheFileAndTheField() throws IOException {
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
        assertThat(other).hasMessage("no kubeconfig: " + folder.resolve("other"));
        assertThat(invalid(Files.writeString(folder.resolve("broken"), "{"))).hasMessageStartingWith("no kubeconfig: ");
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

    @Test
    void serviceAccountWithoutReadableFilesIsRefused() throws IOException {
        Path token = Files.writeString(folder.resolve("token"), "secret\n");
        Path empty = Files.writeString(folder.resolve("none"), "");
        Path missing = folder.resolve("missing");
        Map<List<Path>, String> problems = Map.of(
                List.of(missing, missing),
                "token that cannot be read: " + missing + ": no such file",
                List.of(empty, missing),
                "token that holds no token: " + empty,
                List.of(token, missing),
                "certificate authority that cannot be read: " + missing + ": no such file",
                List.of(token, empty),
                "certificate authority that holds no certificate in PEM: " + empty);
        problems.forEach((files, problem) -> assertThatThrownBy(
                        () -> InClusterConnector.requireServiceAccount(files.get(0), files.get(1)))
                .isInstanceOf(IllegalStateException.class)
                .hasMessage("the service account has a " + problem));
    }
}
