package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.cli.Corefile.BlockZone;
import io.k8sdns.cli.Corefile.Directive;
import io.k8sdns.cli.Corefile.ServerBlock;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests the syntax of Corefiles. */
class CorefileTest {
    private static final Map<String, String> ENVIRONMENT = Map.of("SERVER", "192.0.2.1", "EMPTY", "", "WORDS", "a b");

    private static Corefile parse(String text) {
        return Corefile.parse(text, name -> Optional.ofNullable(ENVIRONMENT.get(name)));
    }

    private static List<Directive> directives(String text) {
        List<ServerBlock> blocks = parse(text).blocks();
        assertThat(blocks).hasSize(1);
        return blocks.get(0).directives();
    }

    private static Directive directive(int line, String name, String... arguments) {
        return new Directive(name, List.of(arguments), List.of(), line);
    }

    @Test
    void aBlockHasZonesAndDirectivesWithBlocks() {
        assertThat(parse("""
                # A comment.
                a.example:53 b.example,
                c.example:1053 {
                    errors # to stderr
                    forward . 192.0.2.1 192.0.2.2 {
                        policy random
                    }
                }

                . {
                }
                """).blocks())
                .containsExactly(
                        new ServerBlock(
                                List.of(
                                        new BlockZone("a.example:53", 2),
                                        new BlockZone("b.example", 2),
                                        new BlockZone("c.example:1053", 3)),
                                List.of(
                                        directive(4, "errors"),
                                        new Directive(
                                                "forward",
                                                List.of(".", "192.0.2.1", "192.0.2.2"),
                                                List.of(directive(6, "policy", "random")),
                                                5)),
                                2),
                        new ServerBlock(List.of(new BlockZone(".", 10)), List.of(), 10));
    }

    @Test
    void theOnlyBlockCanOmitItsBraces() {
        assertThat(parse("a.example b.example\nerrors\nlog . \"x\"\n").blocks())
                .containsExactly(new ServerBlock(
                        List.of(new BlockZone("a.example", 1), new BlockZone("b.example", 1)),
                        List.of(directive(2, "errors"), directive(3, "log", ".", "x")),
                        1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n\t\r\n", "# only a comment", "\uFEFF"})
    void emptyTextsHaveNoBlocks(String text) {
        assertThat(parse(text).blocks()).isEmpty();
    }

    @Test
    void quotesCanContainSpacesBracesLinesAndQuotes() {
        assertThat(directives(". {\nlog \"a b\" \"{\" \"}\" \"#\" \"\" \"c\\\"d\\n\" x\"y\nx \"1\n2\" z\nend\n}"))
                .containsExactly(
                        directive(2, "log", "a b", "{", "}", "#", "", "c\"d\\n", "x\"y"),
                        directive(3, "x", "1\n2", "z"),
                        directive(5, "end"));
    }

    @Test
    void bracesMayFollowOnALine() {
        assertThat(directives(". { forward . ::1 { policy random } }"))
                .containsExactly(
                        new Directive("forward", List.of(".", "::1"), List.of(directive(1, "policy", "random")), 1));
    }

    @Test
    void linesCanEndWithCrLf() {
        assertThat(directives("\uFEFF. {\r\n  errors\r\n  log a\r\n}\r\n"))
                .containsExactly(directive(2, "errors"), directive(3, "log", "a"));
    }

    @Test
    void variablesAreReplaced() {
        assertThat(parse("{$SERVER}:53 {\nx {$SERVER}:{%SERVER%} a{$EMPTY}b {$WORDS} \"{$SERVER}\" {$} {$SERVER\n}")
                        .blocks())
                .containsExactly(new ServerBlock(
                        List.of(new BlockZone("192.0.2.1:53", 1)),
                        List.of(directive(2, "x", "192.0.2.1:192.0.2.1", "ab", "a b", "192.0.2.1", "{$}", "{$SERVER")),
                        1));
    }

    @Test
    void snippetsAreInsertedWhereTheyAreImported() {
        assertThat(directives("""
                (base) {
                    errors
                    cache {
                        success 10
                    }
                }
                (all) {
                    import base
                    log
                }
                . {
                    import all
                    reload
                    kubernetes {
                        import empty/*.conf
                    }
                }
                """))
                .containsExactly(
                        directive(2, "errors"),
                        new Directive("cache", List.of(), List.of(directive(4, "success", "10")), 3),
                        directive(9, "log"),
                        directive(13, "reload"),
                        new Directive("kubernetes", List.of(), List.of(directive(15, "import", "empty/*.conf")), 14));
        assertThat(directives("(a) { log b }\n. {\nimport a\nerrors\n}"))
                .containsExactly(directive(1, "log", "b"), directive(4, "errors"));
    }

    @Test
    void importsOfFilesAreKept() {
        assertThat(parse("import custom/*.server\n. {\nimport other.conf\n}").imports())
                .containsExactly(directive(1, "import", "custom/*.server"));
        assertThat(directives(". {\nimport other.conf\n}")).containsExactly(directive(2, "import", "other.conf"));
    }

    @Test
    void aSnippetCanContainServerBlocks() {
        assertThat(parse("(a) {\n. {\nerrors\n}\n}\nimport a\n").blocks())
                .containsExactly(new ServerBlock(List.of(new BlockZone(".", 2)), List.of(directive(3, "errors")), 2));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                ". {%  errors                                | 1 | no closing brace",
                "# a%. {%  errors%  cache {%    success 1%}  | 2 | the server block has no closing brace",
                ". {%  cache {%                              | 2 | cache has no closing brace",
                "(a) {%  errors%                             | 1 | the snippet (a) has no closing brace",
                ". {%}%}                                     | 3 | a closing brace without an opening one",
                ".%errors%}                                  | 3 | a closing brace without an opening one",
                "}                                           | 1 | a closing brace without an opening one",
                "%{%}                                        | 2 | a block without a zone",
                ", {%}                                       | 1 | a block without a zone",
                ".:53{%}                                     | 1 | a blank is missing before the brace: .:53{",
                ". {%  errors%  {%  }%}                      | 3 | expected a directive, found a brace",
                ". {%  log \"a%}                             | 2 | a quote that is not closed",
                ". {%  import%}                              | 2 | import takes one snippet or file",
                ". {%  import a b%}                          | 2 | import takes one snippet or file",
                ". {%  import nothing%}                      | 2 | no snippet (nothing)",
                ". {%  import a%}%(a) {%}                    | 2 | no snippet (a)",
                "(a) {%}%(a) {%}                             | 3 | the snippet (a) is there twice",
                "(a)%. {%}                                   | 1 | a snippet without a block",
                ". {%  forward . {$NONE}%}                   | 2 | the environment variable NONE is not set",
                "(a) {%import a%}%. {%import a%}             | 2 | imports expand to more than"
            })
    void errorsAreReportedWithTheirLines(String text, int line, String problem) {
        assertThatThrownBy(() -> parse(text.replace('%', '\n')))
                .isInstanceOfSatisfying(
                        InvalidCorefileException.class,
                        invalid -> assertThat(invalid.line()).isEqualTo(line))
                .hasMessageContaining(problem);
    }

    @Test
    void deepNestingIsRefused() {
        assertThatThrownBy(() -> parse(". {\n" + "a {\n".repeat(100_000)))
                .isInstanceOf(InvalidCorefileException.class)
                .hasMessageContaining("nested deeper than 100");
    }

    @Test
    void expansionOfSnippetsIsBounded() {
        StringBuilder text = new StringBuilder("(s0) {\nerrors\n}\n");
        for (int i = 1; i < 40; i++) {
            text.append("(s" + i + ") {\nimport s" + (i - 1) + "\nimport s" + (i - 1) + "\n}\n");
        }
        assertThatThrownBy(() -> parse(text + ". {\nimport s39\n}"))
                .isInstanceOf(InvalidCorefileException.class)
                .hasMessageContaining("imports expand to more than");
    }
}
