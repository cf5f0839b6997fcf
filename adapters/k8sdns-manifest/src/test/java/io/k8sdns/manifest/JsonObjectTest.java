package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class JsonObjectTest {
    @Test
    void membersAreReadByNameAndType() {
        JsonObject object =
                JsonObject.parse("{\"name\":\"db\",\"args\":[\"a\",\"b\"],\"env\":{\"A\":\"1\"},\"none\":null}");
        assertThat(object.members()).containsExactly("name", "args", "env", "none");
        assertThat(object.text("name")).contains("db");
        assertThat(object.texts("args")).containsExactly("a", "b");
        assertThat(object.object("env").orElseThrow().text("A")).contains("1");
        assertThat(object.isObject("env")).isTrue();
        assertThat(object.isObject("args")).isFalse();
    }

    @Test
    void aNullMemberIsPresentAndEmpty() {
        JsonObject object = JsonObject.parse("{\"none\":null}");
        assertThat(object.has("none")).isTrue();
        assertThat(object.has("name")).isFalse();
        assertThat(object.text("none")).isEmpty();
        assertThat(object.texts("none")).isEmpty();
        assertThat(object.object("none")).isEmpty();
        assertThat(object.json("none")).contains("null");
        assertThat(object.json("name")).isEmpty();
    }

    @Test
    void aListInTheMemberItemsIsRead() {
        assertThat(JsonObject.parse("{\"items\":[\"a\"]}").texts("items")).containsExactly("a");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "\"a\\\"b\\\\c\\u00E4\\uD83D\\uDE00\\uD800\\n\"",
                "1",
                "-1.50e+300",
                "12345678901234567890123456789",
                "true",
                "false",
                "null",
                "[1,[],{}]",
                "{\"a\":[{\"b\":null}],\"\":\"c\"}"
            })
    void memberIsGivenBackAsJson(String json) {
        assertThat(JsonObject.parse("{\"id\": " + json + "}").json("id")).contains(json);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '\0', textBlock = """
            {"a":1} {"b":2}   | text after the value
            ["a"]             | expected an object, found a list
            null              | expected an object, found null
            "a"               | expected an object, found text
            {"a":}            | (column 6)
            {"a":1            | Unexpected end-of-input
            {'a':1}           | (column 2)
            {"a":NaN}         | not JSON
            {"a":01}          | not JSON
            apiVersion: v1    | not JSON
            """)
    void textThatIsNotAnObjectIsAnErrorWithItsPosition(String text, String message) {
        assertThatThrownBy(() -> JsonObject.parse(text))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessageContaining(message);
    }

    @Test
    void anEmptyTextIsNotAnObject() {
        assertThatThrownBy(() -> JsonObject.parse(" "))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessage("the text is empty");
    }

    @Test
    void aMemberOfAnotherTypeIsReportedInTheError() {
        JsonObject object = JsonObject.parse("{\"a\":1,\"b\":[\"x\",true],\"c\":{\"d\":[]}}");
        assertThatThrownBy(() -> object.text("a")).hasMessage("a: expected text, found a number");
        assertThatThrownBy(() -> object.texts("a")).hasMessage("a: expected a list, found a number");
        assertThatThrownBy(() -> object.texts("b")).hasMessage("b[1]: expected text, found true or false");
        assertThatThrownBy(() -> object.object("b")).hasMessage("b: expected an object, found a list");
        assertThatThrownBy(() -> object.object("c").orElseThrow().text("d"))
                .hasMessage("c[\"d\"]: expected text, found a list");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{\"id\": [7]}",
                "{\"a\": {\"id\": 1}, \"id\": [7], \"b\": tru",
                "{\"id\": [7], \"b\": 'c'}",
                "{\"id\": [7]} more",
                "{\"id\": 1, \"id\": [7], \"id\": [8"
            })
    void aMemberBeforeInvalidJsonIsReadable(String text) {
        assertThat(JsonObject.readableJson(text, "id")).contains("[7]");
    }

    @Test
    void aMemberBeforeTooDeepJsonIsReadable() {
        assertThat(JsonObject.readableJson("{\"id\": 7, \"a\": " + "[".repeat(1_000), "id"))
                .contains("7");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "7", "[{\"id\": 7}]", "{\"a\": tru, \"id\": 7}", "{\"a\": {\"id\": 7}}"})
    void aMemberAfterInvalidJsonIsNotReadable(String text) {
        assertThat(JsonObject.readableJson(text, "id")).isEmpty();
    }

    @Test
    void depthIsBounded() {
        assertThatThrownBy(() -> JsonObject.parse("{\"a\":" + "[".repeat(1_000_000)))
                .isInstanceOf(InvalidJsonException.class)
                .hasMessageContaining("nested deeper than 100");
    }
}
