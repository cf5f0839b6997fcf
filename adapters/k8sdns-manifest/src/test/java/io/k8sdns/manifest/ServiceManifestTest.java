package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ServiceManifestTest {
    private static final String CART = """
            apiVersion: v1
            kind: Service
            metadata: {name: cart, namespace: shop}
            spec: {selector: {app: cart}, ports: [{port: 80}]}
            """;
    private static final String CART_JSON = "{\"apiVersion\":\"v1\",\"kind\":\"Service\","
            + "\"metadata\":{\"name\":\"cart\",\"namespace\":\"shop\"},"
            + "\"spec\":{\"selector\":{\"app\":\"cart\"},\"ports\":[{\"port\":80}]}}";

    @TempDir
    private Path folder;

    private Path file(String name, String text) throws IOException {
        return Files.writeString(folder.resolve(name), text);
    }

    @Test
    void everyFieldIsKept() throws IOException {
        Path file = file(
                "a.yaml",
                "---\n" + CART.replace("app: cart", "app: \"yes\", on: \"0x1\"").replace("80", "0x50"));
        assertThat(ServiceManifest.read(file)).singleElement().satisfies(service -> {
            assertThat(service.namespace()).isEqualTo("shop");
            assertThat(service.name()).isEqualTo("cart");
            assertThat(service.position()).hasToString(file + ":2");
            assertThat(service.json())
                    .isEqualTo(CART_JSON.replace("\"app\":\"cart\"", "\"app\":\"yes\",\"true\":\"0x1\""));
        });
    }

    @Test
    void allServicesOfADirectoryAreReadAndOtherObjectsAreNot() throws IOException {
        Path unused = file("a.yaml", CART + "---\n" + CART.replace("cart", "b") + "---\n" + """
                apiVersion: apps/v1
                kind: Deployment
                metadata: {name: cart, namespace: shop}
                spec:
                  selector: {matchLabels: {app: cart}}
                  template: {metadata: {labels: {app: cart}}, spec: {containers: [{name: a, image: b}]}}
                """);
        unused = file(
                "b.json",
                "{\"kind\": \"List\", \"apiVersion\": \"v1\", \"items\": ["
                        + CART_JSON.replace("\"cart\",\"n", "\"c\",\"n") + "]}");
        unused = file(
                "c.json",
                "{\"items\": ["
                        + CART_JSON
                                .replace("\"cart\",\"n", "\"d\",\"n")
                                .replace("\"apiVersion\":\"v1\",\"kind\":\"Service\",", "")
                        + "], \"kind\": \"ServiceList\", \"apiVersion\": \"v1\"}");
        unused = file("notes.txt", "no manifest");
        assertThat(ServiceManifest.read(folder))
                .extracting(ServiceManifest::name)
                .containsExactly("cart", "b", "c", "d");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ", namespace: shop | '' | the manifest must name a namespace",
                "name: cart, | '' | metadata.name",
                "name: cart, | 'name: Cart_1,' | Cart_1",
                "'spec: {' | 'spec: {type: ExternalName, externalName: a.example, ' | an ExternalName has no endpoints",
                "port: 80 | port: 800000 | 800000",
                "port: 80 | prt: 80 | prt",
                "'selector: {app: cart}, ports: [{port: 80}]' | 'selector: {app: cart}' | spec.ports",
                "kind: Service | kind: Servce | Servce",
                "kind: Service | kin: Service | kin",
                "kind: Service | kind: Pod | spec.containers",
                "'ports: [{port: 80}]}' | 'ports: [{port: 80' | the document is skipped",
                "'metadata: {' | 'metadata: {annotations: {a: \uD83D\uDE00}, ' | a character above U+FFFF",
            })
    void anInvalidServiceIsRefusedWithEverythingElse(String right, String wrong, String reason) throws IOException {
        Path unused = file("a.yaml", CART.replace("cart", "first"));
        unused = file("b.yaml", CART.replace(right, wrong));
        assertThat(catchThrowableOfType(ManifestException.class, () -> ServiceManifest.read(folder)))
                .hasMessageContaining("b.yaml")
                .hasMessageContaining(reason);
    }

    @Test
    void twoServicesOfOneNameAreRefused() throws IOException {
        Path unused = file("a.yaml", CART);
        unused = file("b.yaml", CART);
        assertThatThrownBy(() -> ServiceManifest.read(folder))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("b.yaml:1")
                .hasMessageContaining("Service shop/cart: given before at");
    }

    @Test
    void manifestsWithoutAServiceAreRefused() throws IOException {
        assertThatThrownBy(() -> ServiceManifest.read(folder)).isInstanceOf(ManifestException.class);
        Path namespace = file("a.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}");
        assertThatThrownBy(() -> ServiceManifest.read(namespace))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("no Service in " + namespace);
        Path empty = file("b.yaml", "");
        assertThatThrownBy(() -> ServiceManifest.read(empty)).isInstanceOf(ManifestException.class);
        assertThatThrownBy(() -> ServiceManifest.read(folder.resolve("missing")))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessageContaining("missing");
    }
}
