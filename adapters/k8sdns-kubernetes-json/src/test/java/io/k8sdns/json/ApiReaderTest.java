package io.k8sdns.json;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import java.io.IOException;
import java.io.Reader;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ApiReaderTest {
    private static final String CART = """
            {"metadata": {"name": "cart", "namespace": "shop", "uid": "u1", "resourceVersion": "7"},
             "spec": {"clusterIP": "10.96.0.20", "clusterIPs": ["10.96.0.20"], "ports": [{"name": "http", "port": 80}]}}""";

    private final List<Diagnostic> diagnostics = new ArrayList<>();
    private final List<ApiReader.Item> items = new ArrayList<>();
    private final ApiReader reader = new ApiReader("v1", Service.KIND, true, diagnostics::add);

    private ApiReader.Page list(String json) {
        return reader.list(new StringReader(json), items::add);
    }

    private static String services(String metadata, String... services) {
        return "{\"kind\": \"ServiceList\", \"apiVersion\": \"v1\", \"metadata\": " + metadata + ", \"items\": ["
                + String.join(",", services) + "]}";
    }

    @Test
    void objectsOfAListNeedNoType() {
        ApiReader.Page page = list(services("{\"resourceVersion\": \"9\", \"continue\": \"abc\"}", CART));
        assertThat(page).isEqualTo(new ApiReader.Page("9", Optional.of("abc")));
        assertThat(items).singleElement().satisfies(item -> {
            assertThat(item.ref()).isEqualTo(ObjectRef.of(Service.KIND, "shop", "cart"));
            assertThat(item.uid()).isEqualTo("u1");
            assertThat(item.version()).isEqualTo("7");
            assertThat(item.object().flatMap(object -> object.uid())).contains("u1");
        });
        assertThat(diagnostics).isEmpty();
    }

    @Test
    void lastPageHasNoContinueToken() {
        assertThat(list(services("{\"resourceVersion\": \"9\", \"continue\": \"\"}")))
                .isEqualTo(new ApiReader.Page("9", Optional.empty()));
        assertThat(list("{\"kind\": \"ServiceList\", \"metadata\": {\"resourceVersion\": \"9\"}, \"items\": null}"))
                .isEqualTo(new ApiReader.Page("9", Optional.empty()));
    }

    @Test
    void objectThatCannotBeUsedIsAnItemWithoutAnObject() {
        list(services("{}", CART.replace("\"name\": \"cart\"", "\"name\": \"Cart\"")));
        assertThat(items).singleElement().satisfies(item -> {
            assertThat(item.ref().name()).isEqualTo("Cart");
            assertThat(item.object()).isEmpty();
        });
        assertThat(diagnostics).isNotEmpty().allSatisfy(one -> {
            assertThat(one.object()).map(ObjectRef::name).contains("Cart");
            assertThat(one.position()).isEmpty();
        });
    }

    @ParameterizedTest
    @CsvSource({
        "'v1', 'Pod', 'Pod of v1'",
        "'', 'Pod', 'Pod of v1'",
        "'v2', 'Service', 'Service of v2'",
        "'v2', '', 'Service of v2'",
        "'v1', 'ServiceList', 'ServiceList of v1'",
        "'', 'List', 'List of v1'"
    })
    void objectOfAnotherTypeIsSkipped(String apiVersion, String kind, String type) {
        String other = CART.replaceFirst(
                "\\{",
                "{\"apiVersion\": \"" + apiVersion + "\", \"kind\": \"" + kind + "\", \"items\": [" + CART + "], ");
        list(services("{}", other));
        ApiReader.Event event = reader.event("{\"type\": \"ADDED\", \"object\": " + other + "}");
        assertThat(items)
                .containsExactly(
                        new ApiReader.Item(ObjectRef.of(Service.KIND, "shop", "cart"), "u1", "7", Optional.empty()));
        assertThat(event.item()).contains(items.get(0));
        assertThat(diagnostics).hasSize(2).allSatisfy(one -> {
            assertThat(one.severity()).isEqualTo(Diagnostic.Severity.WARNING);
            assertThat(one).hasToString("Service shop/cart: " + type + ", where Service of v1 was requested");
        });
    }

    @Test
    void objectOfTheRequestedTypeIsRead() {
        list(services("{}", CART.replaceFirst("\\{", "{\"apiVersion\": \"v1\", \"kind\": \"Service\", ")));
        assertThat(items)
                .singleElement()
                .satisfies(item -> assertThat(item.object()).isPresent());
        assertThat(diagnostics).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "\"namespace\": \"\", ", "\"namespace\": null, "})
    void objectWithoutANamespaceIsInNone(String namespace) {
        list(services("{}", CART.replace("\"namespace\": \"shop\", ", namespace)));
        assertThat(items)
                .containsExactly(new ApiReader.Item(ObjectRef.of(Service.KIND, "cart"), "u1", "7", Optional.empty()));
        assertThat(diagnostics).singleElement().satisfies(one -> {
            assertThat(one.severity()).isEqualTo(Diagnostic.Severity.WARNING);
            assertThat(one).hasToString("Service cart, metadata.namespace: a Service without a namespace");
        });
    }

    @Test
    void objectOfTheClusterNeedsNoNamespace() {
        new ApiReader("v1", Namespace.KIND, false, diagnostics::add)
                .list(
                        new StringReader(
                                "{\"kind\": \"NamespaceList\", \"items\": [{\"metadata\": {\"name\": \"shop\"}}]}"),
                        items::add);
        assertThat(items)
                .singleElement()
                .satisfies(item -> assertThat(item.object()).isPresent());
        assertThat(diagnostics).isEmpty();
    }

    @Test
    void ignoredFieldThatIsNestedTooDeeplyDoesNotAffectTheObject() {
        String deep = "\"managedFields\": " + "{\"a\": [".repeat(4_999) + "]}".repeat(4_999) + ", ";
        String cart = CART.replace("\"name\": \"cart\"", deep + "\"name\": \"cart\"");
        list(services("{}", cart, CART.replace("cart", "till")));
        assertThat(items).extracting(item -> item.ref().name()).containsExactly("cart", "till");
        ApiReader.Event event = reader.event("{\"type\": \"ADDED\", \"object\": " + cart + "}");
        assertThat(event.item()).map(item -> item.ref().name()).contains("cart");
        assertThat(diagnostics).isEmpty();
    }

    @Test
    void veryDeepNestingIsRejectedInBoundedMemory() {
        String endless = services("{}", CART.replace("80", "[".repeat(1 << 20)));
        assertThatThrownBy(() -> list(endless)).isInstanceOf(InvalidApiResponseException.class);
    }

    @Test
    void fieldThatIsNestedTooDeeplyIsOfTheWrongType() {
        list(services("{}", CART.replace("80", "[".repeat(5_000) + "]".repeat(5_000))));
        assertThat(items)
                .singleElement()
                .satisfies(item -> assertThat(item.object()).isPresent());
        assertThat(diagnostics)
                .singleElement()
                .satisfies(one -> assertThat(one.field()).contains("spec.ports[0].port"));
    }

    @Test
    void onlyTheInvalidPartIsSkipped() {
        list(services(
                "{}", CART.replace("\"clusterIPs\": [\"10.96.0.20\"]", "\"clusterIPs\": [\"10.96.0.20\", \"x\"]")));
        assertThat(items)
                .singleElement()
                .satisfies(item -> assertThat(item.object()).isPresent());
        assertThat(diagnostics)
                .singleElement()
                .satisfies(one -> assertThat(one.field()).contains("spec.clusterIPs[1]"));
    }

    @Test
    void truncatedListHasPassedOnTheEarlierItems() {
        String whole = services("{}", CART, CART);
        assertThatThrownBy(() -> list(whole.substring(0, whole.length() - 20)))
                .isInstanceOf(InvalidApiResponseException.class);
        assertThat(items).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "[]", "7", "{\"kind\": \"Status\", \"code\": 500}", "{} {}", "<html>", "{\"items\": []}"})
    void textThatIsNotAListIsAnError(String json) {
        assertThatThrownBy(() -> list(json)).isInstanceOf(InvalidApiResponseException.class);
        assertThat(items).isEmpty();
    }

    @Test
    void connectionThatIsLostIsNotReportedAsInvalidText() {
        Reader lost = new Reader() {
            @Override
            public int read(char[] to, int from, int most) throws IOException {
                throw new IOException("reset");
            }

            @Override
            public void close() {}
        };
        assertThatThrownBy(() -> reader.list(lost, items::add))
                .isInstanceOf(UncheckedIOException.class)
                .hasRootCauseMessage("reset");
    }

    @Test
    void eventsHaveTheirObject() {
        ApiReader.Event event = reader.event("{\"type\": \"DELETED\", \"object\": " + CART + "}");
        assertThat(event.type()).isEqualTo("DELETED");
        assertThat(event.version()).isEqualTo("7");
        assertThat(event.item()).map(ApiReader.Item::uid).contains("u1");
    }

    @Test
    void bookmarkHasAVersionAndNoObject() {
        ApiReader.Event event = reader.event(
                "{\"type\": \"BOOKMARK\", \"object\": {\"kind\": \"Service\", \"metadata\": {\"resourceVersion\": \"12\"}}}");
        assertThat(event.version()).isEqualTo("12");
        assertThat(event.item()).isEmpty();
        assertThat(diagnostics).isEmpty();
    }

    @Test
    void errorIsReportedWithItsReason() {
        assertThat(reader.event(
                                "{\"type\": \"ERROR\", \"object\": {\"kind\": \"Status\", \"code\": 410, \"reason\": \"Expired\","
                                        + " \"message\": \"too old\\u0007\", \"details\": {\"retryAfterSeconds\": 3}}}")
                        .status())
                .contains(new ApiReader.Status(410, "Expired", "too old ", 3));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "{}",
                "{\"type\": \"ADDED\"}",
                "{\"object\": {}}",
                "[]",
                "{\"type\": \"ADDED\", \"object\": {"
            })
    void textThatIsNotAnEventIsAnError(String json) {
        assertThatThrownBy(() -> reader.event(json)).isInstanceOf(InvalidApiResponseException.class);
    }

    @Test
    void statusIsReadFromAResponseOfKindStatus() {
        assertThat(ApiReader.status("{\"kind\": \"Status\", \"code\": 403}"))
                .contains(new ApiReader.Status(403, "", "", 0));
        assertThat(ApiReader.status("{\"kind\": \"Service\"}")).isEmpty();
        assertThat(ApiReader.status("upstream connect error")).isEmpty();
    }
}
