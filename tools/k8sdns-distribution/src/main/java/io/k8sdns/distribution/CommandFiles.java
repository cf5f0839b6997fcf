package io.k8sdns.distribution;

import io.k8sdns.cli.Main;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.codegen.docgen.manpage.ManPageGenerator;

/**
 * Writes the files that picocli derives from the options of the command: AsciiDoc of a manual page for each sub-command, and a completion
 * script for bash and zsh.
 *
 * <p>{@code CommandFiles ASCIIDOC SCRIPT}: the directory for the pages, and the file for the script.
 */
public final class CommandFiles {
    private CommandFiles() {}

    /** Writes the pages and the script. */
    public static void main(String[] arguments) throws IOException {
        Path pages = Files.createDirectories(Path.of(arguments[0]));
        Path script = Path.of(arguments[1]);
        CommandLine command = Main.commandLine();
        int code =
                ManPageGenerator.generateManPage(pages.toFile(), null, new boolean[0], false, command.getCommandSpec());
        if (code != CommandLine.ExitCode.OK) {
            throw new IOException("no manual pages: picocli's generator ended with " + code);
        }
        Files.createDirectories(script.toAbsolutePath().getParent());
        try (PrintWriter out = new PrintWriter(Files.newBufferedWriter(script))) {
            Main.commandLine().setOut(out).execute("completion", "bash");
        }
    }
}
