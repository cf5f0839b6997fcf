package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class JsonTextTest {
    @Test
    void stringsAreEscaped() {
        assertThat(JsonText.string("a\"b\\032c")).isEqualTo("\"a\\\"b\\\\032c\"");
        assertThat(JsonText.string("tab\t, \u00e9, \u007f")).isEqualTo("\"tab\\u0009, \\u00e9, \\u007f\"");
    }

    @Test
    void arraysAreListedInOrder() {
        assertThat(JsonText.array(List.of("1", "\"b\""))).isEqualTo("[1, \"b\"]");
        assertThat(JsonText.array(List.of())).isEqualTo("[]");
    }

    @Test
    void everythingAfterTheTypeIsData() {
        assertThat(JsonText.record("a\\032b. 5 IN TXT \"x y\""))
                .isEqualTo("{\"name\": \"a\\\\032b.\", \"ttl\": 5, \"class\": \"IN\", \"type\": \"TXT\", "
                        + "\"data\": \"\\\"x y\\\"\"}");
    }
}
