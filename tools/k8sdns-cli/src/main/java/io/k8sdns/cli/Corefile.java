package io.k8sdns.cli;

import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * A parsed configuration of CoreDNS: server blocks of directives. Imported snippets are inserted and environment variables are
 * replaced. Directives are not interpreted.
 *
 * <pre>
 * (snippet) {
 *     errors
 * }
 * .:53 cluster.local:1053 {
 *     import snippet
 *     forward . 192.0.2.53 {
 *         policy sequential
 *     }
 * }
 * </pre>
 *
 * @param blocks the server blocks, in order
 * @param imports the imports of files outside of server blocks; the files are not read
 */
record Corefile(List<ServerBlock> blocks, List<Directive> imports) {
    /** The name of the directive that inserts a snippet or a file. */
    static final String IMPORT = "import";

    Corefile {
        blocks = List.copyOf(blocks);
        imports = List.copyOf(imports);
    }

    /**
     * A server block: zones and their directives.
     *
     * @param keys the zones as written, with optional transport and port: {@code dns://cluster.local:53}
     */
    record ServerBlock(List<BlockZone> keys, List<Directive> directives, int line) {
        ServerBlock {
            keys = List.copyOf(keys);
            directives = List.copyOf(directives);
        }
    }

    /** One zone of a server block. */
    record BlockZone(String text, int line) {}

    /**
     * A directive: a line of a block, with its own block if it has one.
     *
     * @param name the first word
     * @param arguments the other words
     * @param block the lines between the braces; empty if there are none
     */
    record Directive(String name, List<String> arguments, List<Directive> block, int line) {
        Directive {
            arguments = List.copyOf(arguments);
            block = List.copyOf(block);
        }
    }

    /**
     * Parses a Corefile. Imports of files stay directives; the files are not read.
     *
     * @param environment returns the value of an environment variable; empty if it is not set
     * @throws InvalidCorefileException if the text is not a Corefile
     */
    static Corefile parse(String text, Function<String, Optional<String>> environment) {
        return new CorefileParser(new CorefileLexer(text, environment).words()).corefile();
    }
}
