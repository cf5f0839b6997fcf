package io.k8sdns.distribution;

import io.k8sdns.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes the files that picocli derives from the options of the command: AsciiDoc of a manual page for each sub-command, and the
 * completion scripts of the shells, each where its shell or package looks for it below {@code share}.
 *
 * <p>{@code CommandFiles ASCIIDOC SHARE}: the directory for the pages, and {@code share}.
 */
public final class CommandFiles {
    private static final Map<String, String> SCRIPTS = Map.of(
            "bash", "bash-completion/completions/k8sdns",
            "zsh", "zsh/site-functions/_k8sdns",
            "fish", "fish/vendor_completions.d/k8sdns.fish");

    private CommandFiles() {}

    /** Writes the pages and the scripts. */
    public static void main(String[] arguments) throws IOException {
        Path pages = Files.createDirectories(Path.of(arguments[0]));
        Path share = Path.of(arguments[1]).toAbsolutePath();
        CommandLine command = Main.commandLine();
        int code =
                ManPageGenerator.generateManPage(pages.toFile(), null, new boolean[0], false, command.getCommandSpec());
        if (code != CommandLine.ExitCode.OK) {
            throw new IOException("no manual pages: picocli's generator ended with " + code);
        }
        for (Map.Entry<String, String> script : SCRIPTS.entrySet()) {
            write(script.getKey(), share.resolve(script.getValue()));
        }
    }

    private static void write(String shell, Path script) throws IOException {
        Files.createDirectories(script.getParent());
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(script))) {
            int code = Main.commandLine().setOut(out).execute("completion", shell);
            if (code != CommandLine.ExitCode.OK) {
                throw new IOException("no completion script for " + shell + ": ended with " + code);
            }
        }
    }
}
