package io.k8sdns.manifest.syntax;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.json.BrokenDocumentException;
import io.k8sdns.json.Tokens;
import java.util.ArrayList;
import java.util.List;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.constraints.Size;

/** Any text in quotes is read as the same text. */
class YamlQuotesLaws {
    /** A text and one of the ways to write it. */
    private record Quoted(String text, String written) {}

    @Property(tries = 2000)
    void quotedTextsAreReadAsTheyWereMeant(@ForAll @Size(min = 1, max = 6) List<@From("quoted") Object> quoted)
            throws BrokenDocumentException {
        List<String> expected = new ArrayList<>();
        StringBuilder list = new StringBuilder();
        StringBuilder mapping = new StringBuilder("{");
        for (Object one : quoted) {
            expected.add(((Quoted) one).text());
            list.append("- ").append(((Quoted) one).written()).append('\n');
            mapping.append(((Quoted) one).written()).append(": x, ");
        }
        assertThat(texts(list.toString())).isEqualTo(expected);
        assertThat(texts(mapping.append('}').toString()))
                .isEqualTo(expected.stream()
                        .flatMap(text -> List.of(text, "x").stream())
                        .toList());
    }

    private static List<String> texts(String yaml) throws BrokenDocumentException {
        YamlTokens tokens = new YamlTokens(new YamlText(yaml), 1);
        List<String> texts = new ArrayList<>();
        for (Tokens.Kind kind = tokens.next(); kind != Tokens.Kind.NOTHING; kind = tokens.next()) {
            if (kind == Tokens.Kind.SCALAR) {
                texts.add(tokens.text());
            }
        }
        return texts;
    }

    @Provide
    Arbitrary<Object> quoted() {
        Arbitrary<Object> doubly = Arbitraries.of(
                        new Quoted("'", "'"),
                        new Quoted("'", "\\'"),
                        new Quoted("\t", "\t"),
                        new Quoted("\t", "\\t"),
                        new Quoted("\t", "\\\t"),
                        new Quoted("\\", "\\\\"),
                        new Quoted("\"", "\\\""),
                        new Quoted("'", "\\x27"),
                        new Quoted("/", "/"),
                        new Quoted("x27", "x27"),
                        new Quoted("a", "a"),
                        new Quoted(" ", " "))
                .list()
                .ofMaxSize(8)
                .map(parts -> join("\"", parts));
        Arbitrary<Object> singly = Arbitraries.of(
                        new Quoted("'", "''"),
                        new Quoted("\\", "\\"),
                        new Quoted("\\", "\\"),
                        new Quoted("\t", "\t"),
                        new Quoted("\"", "\""),
                        new Quoted("a", "a"),
                        new Quoted(" ", " "))
                .list()
                .ofMaxSize(8)
                .map(parts -> join("'", parts));
        return Arbitraries.oneOf(doubly, singly);
    }

    private static Quoted join(String quote, List<Quoted> parts) {
        StringBuilder text = new StringBuilder();
        StringBuilder written = new StringBuilder(quote);
        for (Quoted part : parts) {
            text.append(part.text());
            written.append(part.written());
        }
        return new Quoted(text.toString(), written.append(quote).toString());
    }
}
