package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.addOptions;
import static io.k8sdns.cli.CommandSpecs.exitCodes;
import static io.k8sdns.cli.CommandSpecs.option;
import static io.k8sdns.cli.CommandSpecs.parameter;

import io.k8sdns.resolvconf.MalformedResolvConfException;
import io.k8sdns.resolvconf.ResolvConf;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;

/** The command {@code k8sdns from-corefile}: translates a Corefile to options. */
@SuppressWarnings("NullAway.Init") // picocli sets the fields.
final class FromCorefile implements Callable<Integer> {
    private String file;

    @Nullable
    private String resolvConf;

    private final OutputOptions output = new OutputOptions();
    private CommandSpec command;

    /** Declares the command. */
    CommandSpec spec() {
        command = CommandSpecs.command("from-corefile", this);
        command.usageMessage()
                .description(
                        "Translates a Corefile, the configuration of CoreDNS and node-local-dns, to the options of "
                                + "k8sdns serve or k8sdns node-cache.",
                        "",
                        "One option a line, as a shell reads it. A Corefile with a kubernetes directive gives the options of "
                                + "serve, any other one those of node-cache; a note on stderr names the command. A directive without "
                                + "a counterpart is a 'warning: FILE:LINE: ...' on stderr, one that needs no option is a 'note: "
                                + "...'. Snippets are inserted and environment variables replaced; no other file is imported.",
                        "")
                .footer(
                        "  k8sdns from-corefile Corefile",
                        "  k8sdns serve $(k8sdns from-corefile Corefile)",
                        "  k8sdns from-corefile Corefile | xargs k8sdns serve",
                        "  kubectl -n kube-system get configmap coredns -o jsonpath='{.data.Corefile}' |",
                        "      k8sdns from-corefile -",
                        "",
                        "  Values with blanks, such as label selectors, are quoted, which xargs understands and $(...) does",
                        "  not.")
                .exitCodeList(exitCodes(
                        "0:done, with or without warnings",
                        "1:failed at run time, for example: the file cannot be read",
                        "2:usage, or an invalid Corefile"));
        addOptions(
                command,
                HelpSections.OWN,
                option("--resolv-conf", String.class, value -> resolvConf = value)
                        .paramLabel("FILE")
                        .description(
                                "Read name servers and search domains from this file, in place of the one that the Corefile "
                                        + "names (usually /etc/resolv.conf)."));
        output.declare(
                command,
                HelpSections.OWN,
                "one object with the options by name, without dashes; of serve, -o yaml is a file for serve --config.");
        command.addPositional(parameter("0", value -> file = value)
                .paramLabel("FILE")
                .description("The Corefile, - for standard input.")
                .build());
        return command;
    }

    @Override
    public Integer call() throws IOException {
        if (file.equals("-") && "-".equals(resolvConf)) {
            throw usage("FILE and --resolv-conf cannot both be standard input");
        }
        boolean isObjects = output.isObjects();
        CorefileTranslation translation;
        try {
            Optional<ResolvConf> given = resolvConf == null
                    ? Optional.empty()
                    : Optional.of(ResolvConf.parse(InputFile.nodeFile(resolvConf)));
            Corefile corefile = Corefile.parse(InputFile.text(file), name -> Optional.ofNullable(System.getenv(name)));
            translation = CorefileTranslation.of(corefile, named -> given.isPresent() ? given.get() : read(named));
        } catch (InvalidCorefileException invalid) {
            throw usage(file + ":" + invalid.line() + ": " + invalid.getMessage());
        } catch (MalformedResolvConfException malformed) {
            throw usage("--resolv-conf: " + resolvConf + ": " + malformed.getMessage());
        } catch (IllegalArgumentException noText) {
            throw usage(String.valueOf(noText.getMessage()));
        }
        PrintWriter err = command.commandLine().getErr();
        err.println(
                translation.options().isEmpty()
                        ? "warning: " + file + ": no server block that is served, so no options"
                        : "note: these are options of k8sdns " + translation.command());
        for (CorefileRemarks.Remark remark : translation.remarks()) {
            String text = (remark.warns() ? "warning: " : "note: ") + file + ":" + remark.line() + ": " + remark.text();
            err.println(text.replaceAll("\\p{Cntrl}", " "));
        }
        PrintWriter out = command.commandLine().getOut();
        if (isObjects) {
            output.print(translation.values(), out);
        } else {
            translation.options().forEach(out::println);
        }
        return Main.DONE;
    }

    private static ResolvConf read(String named) throws IOException {
        try {
            return ResolvConf.parse(InputFile.nodeFile(named));
        } catch (NoSuchFileException missing) {
            throw new IOException("no such file", missing);
        } catch (AccessDeniedException denied) {
            throw new IOException("no permission", denied);
        }
    }

    private ParameterException usage(String text) {
        return new ParameterException(command.commandLine(), text);
    }
}
