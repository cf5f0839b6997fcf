package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    @Test
    void textsAreAscii() {
        assertThat(JsonText.of("a\"b\\032c")).isEqualTo("\"a\\\"b\\\\032c\"");
        assertThat(JsonText.of("tab\t, \u00e9, \u007f")).isEqualToIgnoringCase("\"tab\\t, \\u00e9, \\u007f\"");
    }

    @Test
    void valuesAreInOneLineAndInOrder() {
        OutputObject object = new OutputObject()
                .put("b", List.of("1", 2, 3L, true))
                .put("a", null)
                .put("none", List.of())
                .put("id", new JsonText.Raw("[0.10]"));
        assertThat(JsonText.of(object))
                .isEqualTo("{\"b\": [\"1\", 2, 3, true], \"a\": null, \"none\": [], \"id\": [0.10]}");
        assertThat(JsonText.of(new OutputObject())).isEqualTo("{}");
    }

    @Test
    void everythingAfterTheTypeIsData() {
        assertThat(JsonText.of(OutputObject.ofRecord("a\\032b. 5 IN TXT \"x y\"")))
                .isEqualTo("{\"name\": \"a\\\\032b.\", \"ttl\": 5, \"class\": \"IN\", \"type\": \"TXT\", "
                        + "\"data\": \"\\\"x y\\\"\"}");
    }
}
