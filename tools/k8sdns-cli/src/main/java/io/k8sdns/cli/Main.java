package io.k8sdns.cli;

import static io.k8sdns.cli.CommandSpecs.exitCodes;

import io.k8sdns.forward.UpstreamPolicy;
import io.k8sdns.manifest.DiagnosticReport;
import io.k8sdns.manifest.ManifestException;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Selector;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.EndpointNames;
import io.k8sdns.records.PodsMode;
import io.k8sdns.records.ReversePolicy;
import io.k8sdns.records.SrvPort;
import io.k8sdns.resolvconf.KubeletDialect.SearchLimits;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.ResolvConf.FileOrder;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Dialect;
import io.k8sdns.sockets.UdpMode;
import io.k8sdns.wire.AnswerOrder;
import java.io.BufferedOutputStream;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.IVersionProvider;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.RunLast;
import picocli.CommandLine.TypeConversionException;

/**
 * The command {@code k8sdns}.
 *
 * <p>Exit codes of all commands: 0 success (with any RCODE); 1 {@code verify} found differences, {@code explain} a name that does not
 * resolve, {@code diff} a difference of {@code --fail-on}, or another command failed at run time; 2 usage or invalid input; 3 one of
 * these three failed at run time. Errors are printed as one line to stderr.
 */
public final class Main {
    /** Exit code: success. */
    static final int DONE = 0;

    /** Exit code: failure at run time; of {@link #CHECKS}, a negative result. */
    static final int FAILED = 1;

    /** Exit code: invalid usage, or input that is missing or invalid. */
    static final int INVALID = 2;

    /** Exit code of {@link #CHECKS}: failure at run time, so that there is no result. */
    static final int NO_RESULT = 3;

    /** The commands whose exit code is a result: scripts must tell a negative one from an outage. */
    private static final Set<String> CHECKS = Set.of("explain", "diff", "verify");

    private static final String MORE_MEMORY = "; JAVA_OPTS=-Xmx4g gives the JVM 4 GiB";

    /** The sub-commands in the order of the help. */
    private static final List<String> SUBCOMMANDS = List.of(
            "serve",
            "records",
            "query",
            "explain",
            "diff",
            "verify",
            "resolvconf",
            "queries",
            "from-corefile",
            "node-cache",
            "federated-dns",
            "federation-controller",
            "federation",
            "completion",
            "version",
            "help");

    /** The sub-commands that need the declarations of all others. */
    private static final Set<String> NEED_ALL_COMMANDS = Set.of("completion", "help");

    private Main() {}

    /** Returns the names of the sub-commands in the order of the help. */
    static List<String> subcommands() {
        return SUBCOMMANDS;
    }

    /** Returns a new declaration of a sub-command. */
    static CommandSpec subcommand(String name) {
        return switch (name) {
            case "serve" -> new Serve().spec();
            case "records" -> new Records().spec();
            case "query" -> new QueryCommand().spec();
            case "explain" -> new ExplainCommand().spec();
            case "diff" -> new DiffCommand().spec();
            case "verify" -> new Verify().spec();
            case "resolvconf" -> new ResolvConfCommand().spec();
            case "queries" -> new QueriesCommand().spec();
            case "from-corefile" -> new FromCorefile().spec();
            case "node-cache" -> new NodeCacheCommand().spec();
            case "federated-dns" -> new FederatedDns().spec();
            case "federation-controller" -> new FederationControllerCommand().spec();
            case "federation" -> new FederationCommand().spec();
            case "completion" -> new CompletionCommand().spec();
            case "version" -> new VersionCommand().spec();
            case "help" -> new HelpCommand().spec();
            default -> throw new AssertionError(name);
        };
    }

    /** Runs the command and exits with its code. */
    public static void main(String[] arguments) {
        LogLines.install();
        StandardOutput stdout = new StandardOutput();
        PrintWriter out = new PrintWriter(new BufferedOutputStream(stdout, 1 << 16), false, StandardCharsets.UTF_8);
        PrintableWriter err = PrintableWriter.to(new PrintWriter(System.err, true, StandardCharsets.UTF_8));
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, thrown) -> reportEndOf(thread, thrown, err, failureCode(arguments)));
        int code;
        try {
            code = commandLine(arguments).setOut(out).setErr(err).execute(arguments);
        } catch (OutOfMemoryError tooLarge) {
            err.error("k8sdns: out of memory" + MORE_MEMORY);
            code = failureCode(arguments);
        } catch (Error broken) {
            if (List.of(arguments).contains("--debug")) {
                err.useTraces();
            }
            err.error("k8sdns: internal error: " + broken, broken);
            code = failureCode(arguments);
        }
        if (out.checkError()) {
            code = failureCode(arguments);
            stdout.reportableFailure().ifPresent(text -> err.error("k8sdns: standard output: " + text));
        }
        System.exit(code);
    }

    /**
     * Reports that a thread has ended. Ends the program if memory is exhausted: a server without one of its threads runs, but does not
     * answer, and only its end lets a supervisor restart it.
     *
     * @param failed the exit code for a failure at run time
     */
    private static void reportEndOf(Thread thread, Throwable thrown, PrintableWriter err, int failed) {
        if (thrown instanceof OutOfMemoryError) {
            try {
                err.error("k8sdns: out of memory in thread " + thread.getName() + MORE_MEMORY);
            } finally {
                Runtime.getRuntime().halt(failed);
            }
        }
        err.error("k8sdns: internal error: thread " + thread.getName() + " has ended: " + thrown, thrown);
    }

    /** Returns the exit code for a failure at run time. */
    private static int failureCode(String... arguments) {
        return arguments.length > 0 && CHECKS.contains(arguments[0]) ? NO_RESULT : FAILED;
    }

    private static CommandSpec spec() {
        CommandSpec command = CommandSpecs.command("k8sdns", new Main());
        command.usageMessage()
                .description("Kubernetes DNS-based service discovery from manifests.")
                .synopsisSubcommandLabel("COMMAND")
                .commandListHeading("%nCommands:%n")
                .footer(
                        "  k8sdns serve -f examples/bookstore",
                        "  k8sdns records --zone cluster.example -f deploy/",
                        "  k8sdns query --short -f examples/bookstore db.shop.svc.cluster.local",
                        "  k8sdns explain -f examples/bookstore --from lab cart",
                        "  kubectl get ns,svc,endpointslices,pods -A -o yaml >live.yaml",
                        "  k8sdns verify --server 10.96.0.10:53 -f live.yaml",
                        "  k8sdns records --live -n shop -o name",
                        "  k8sdns resolvconf --pod examples/pod.yaml --cluster-dns 10.96.0.10 >pod.conf",
                        "  k8sdns queries --resolv-conf pod.conf --dialect glibc --dialect musl-1.2.5 db.shop.svc",
                        "  k8sdns serve $(k8sdns from-corefile Corefile)",
                        "",
                        "See 'k8sdns help COMMAND' for the options.")
                .exitCodeList(exitCodes(
                        "0:done, whatever the answer was",
                        "1:verify: differences were found; explain: the name does not resolve; diff: a difference of --fail-on was "
                                + "found; other commands: failed at run time",
                        "2:usage or invalid input",
                        "3:verify, explain, diff: failed at run time"));
        return command;
    }

    /**
     * Returns the command, ready to be executed, with the sub-command of the first argument, or with all sub-commands if it is not
     * one.
     */
    public static CommandLine commandLine(String... arguments) {
        CommandLine commandLine = new OneLineMessages(CommandSpecs.withHelp(spec()));
        // Declaring all sub-commands takes longer than running most of them.
        boolean one =
                arguments.length > 0 && SUBCOMMANDS.contains(arguments[0]) && !NEED_ALL_COMMANDS.contains(arguments[0]);
        for (String name : one ? List.of(arguments[0]) : SUBCOMMANDS) {
            commandLine.addSubcommand(name, CommandSpecs.withHelp(ProgramOptions.declare(subcommand(name))));
        }
        return configured(commandLine);
    }

    /** Returns a command with the converters of our option types. */
    static CommandLine configured(CommandSpec command) {
        return configured(new OneLineMessages(command));
    }

    private static CommandLine configured(CommandLine commandLine) {
        // One object for both types, for the reason that parsed() has.
        ITypeConverter<Long> wholeNumber = Main::wholeNumber;
        commandLine
                .setExpandAtFiles(false)
                .registerConverter(PodsMode.class, words(PodsMode.class))
                .registerConverter(EndpointNames.class, words(EndpointNames.class))
                .registerConverter(ReversePolicy.class, words(ReversePolicy.class))
                .registerConverter(SrvPort.class, words(SrvPort.class))
                .registerConverter(AnswerOrder.class, words(AnswerOrder.class))
                .registerConverter(UdpMode.class, words(UdpMode.class))
                .registerConverter(SearchLimits.class, words(SearchLimits.class))
                .registerConverter(NodeDns.Os.class, words(NodeDns.Os.class))
                .registerConverter(FileOrder.class, words(FileOrder.class))
                .registerConverter(Dialect.class, words(Dialect.all(), Dialect::word))
                .registerConverter(AddressFamily.class, words(AddressFamily.class, AddressFamily::word))
                .registerConverter(Verify.Peer.class, words(Verify.Peer.class))
                .registerConverter(DiffCommand.FailOn.class, words(DiffCommand.FailOn.class))
                .registerConverter(UpstreamPolicy.class, words(UpstreamPolicy.class))
                .registerConverter(CacheOptions.StaleMode.class, words(CacheOptions.StaleMode.class))
                .registerConverter(long.class, wholeNumber)
                .registerConverter(Long.class, wholeNumber)
                .registerConverter(IpAddress.class, parsed(IpAddress::parse))
                .registerConverter(IpNetwork.class, parsed(IpNetwork::parse))
                .registerConverter(DnsLabels.class, parsed(DnsLabels::parse))
                .registerConverter(Selector.class, parsed(Selector::parse))
                .registerConverter(HostAndPort.class, parsed(HostAndPort::parse))
                .setParameterExceptionHandler((problem, arguments) -> usage(problem, List.of(arguments)))
                .setExecutionStrategy(Main::run)
                .setExecutionExceptionHandler(Main::failure);
        HelpSections.install(commandLine);
        return commandLine;
    }

    private static int usage(ParameterException problem, List<String> arguments) {
        CommandLine command = problem.getCommandLine();
        printError(
                command,
                UnknownArguments.explained(problem, arguments) + " (see "
                        + command.getCommandSpec().qualifiedName() + " --help)");
        return INVALID;
    }

    private static int run(ParseResult parsed) {
        if (parsed.isUsageHelpRequested() && parsed.hasSubcommand()) {
            // As kubectl -h get does.
            CommandLine named = parsed.subcommand().commandSpec().commandLine();
            named.usage(named.getOut(), named.getColorScheme());
            return DONE;
        }
        if (!parsed.hasSubcommand() && !parsed.isUsageHelpRequested() && !parsed.isVersionHelpRequested()) {
            // As kubectl does without a command.
            CommandLine program = parsed.commandSpec().commandLine();
            program.usage(program.getOut(), program.getColorScheme());
            return DONE;
        }
        ProgramOptions.apply(parsed);
        return new RunLast().execute(parsed);
    }

    private static int failure(Exception problem, CommandLine command, ParseResult any) {
        PrintableWriter err = PrintableWriter.to(command.getErr());
        if (problem instanceof ManifestException manifests) {
            // These lines explain the error, so --quiet must not hide them.
            CommandSpec named = command.getCommandSpec();
            String piped = named.qualifiedName() + UsageHints.standardInput(named.name());
            DiagnosticReport.lines(manifests.diagnostics(), piped, false).stream()
                    .map(InventedRecords.of(manifests)::marked)
                    .forEach(err::error);
        }
        err.error(message(command, text(problem)), problem);
        return isInvalidInput(problem) ? INVALID : failureCode(command.getCommandName());
    }

    private static String text(Exception problem) {
        if (problem instanceof ManifestException manifests) {
            int problems = manifests.diagnostics().size();
            return "--strict: " + problems + (problems == 1 ? " problem" : " problems") + " in the manifests";
        }
        if (problem instanceof NoSuchFileException missing) {
            return "no such file or directory: " + missing.getFile();
        }
        if (problem instanceof InvalidPathException unreadable) {
            return "not the name of a file in this locale: " + unreadable.getInput();
        }
        if (problem instanceof AccessDeniedException denied) {
            return "cannot be read: " + denied.getFile();
        }
        if (problem instanceof IOException || problem instanceof InvalidInputException) {
            return String.valueOf(problem.getMessage());
        }
        StackTraceElement[] trace = problem.getStackTrace();
        return "internal error: " + problem + (trace.length == 0 ? "" : " at " + trace[0]);
    }

    private static boolean isInvalidInput(Exception problem) {
        return problem instanceof ManifestException
                || problem instanceof InvalidInputException
                || problem instanceof NoSuchFileException
                || problem instanceof InputFile.DirectoryException
                || problem instanceof InvalidPathException;
    }

    /** Prints an error of a command. */
    static void printError(CommandLine command, String text) {
        PrintableWriter.to(command.getErr()).error(message(command, text));
    }

    /** Returns the line of an error: the command, and the text without line breaks and control characters. */
    private static String message(CommandLine command, String text) {
        return command.getCommandSpec().qualifiedName() + ": "
                + text.lines()
                        .map(line -> line.strip().replaceAll("\\p{Cntrl}", " "))
                        .collect(Collectors.joining(" "));
    }

    /** Returns a converter of enum values: {@code headless-only} is {@code HEADLESS_ONLY}. */
    private static <E extends Enum<E>> ITypeConverter<E> words(Class<E> type) {
        return words(type, Main::word);
    }

    private static <E extends Enum<E>> ITypeConverter<E> words(Class<E> type, Function<E, String> word) {
        return words(Arrays.asList(type.getEnumConstants()), word);
    }

    /** Returns a converter of these values. Its usage errors list them. */
    static <T> ITypeConverter<T> words(List<T> values, Function<T, String> word) {
        return text -> values.stream()
                .filter(value -> word.apply(value).equals(text))
                .findFirst()
                .orElseThrow(() -> new TypeConversionException("unknown value '" + text + "'; use one of "
                        + values.stream().map(word).collect(Collectors.joining(", "))));
    }

    private static String word(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    private static Long wholeNumber(String text) {
        try {
            return Long.valueOf(text);
        } catch (NumberFormatException none) {
            throw new TypeConversionException("'" + text + "' is not a whole number");
        }
    }

    /**
     * Returns a converter whose usage errors have the parser's message.
     *
     * @param parser not a picocli type: JDK 17 cannot archive classes of Java 5, as those of picocli, and crashes when it archives a
     *     class that makes two equal lambdas of such a type
     */
    static <T> ITypeConverter<T> parsed(Function<String, T> parser) {
        return text -> {
            try {
                return parser.apply(text);
            } catch (IllegalArgumentException invalid) {
                throw new TypeConversionException(String.valueOf(invalid.getMessage()));
            }
        };
    }

    /** A command whose messages on stderr have one line each, even if they quote control characters. */
    private static final class OneLineMessages extends CommandLine {
        OneLineMessages(CommandSpec command) {
            super(command);
        }

        @Override
        public CommandLine setErr(PrintWriter err) {
            return super.setErr(PrintableWriter.to(err));
        }
    }

    /**
     * Standard output that stores its first failure, because {@code PrintStream} hides it. A closed pipe is not reported, a full
     * disk is.
     */
    private static final class StandardOutput extends FileOutputStream {
        private Optional<IOException> failure = Optional.empty();

        StandardOutput() {
            super(FileDescriptor.out);
        }

        @Override
        public void write(byte[] bytes, int from, int length) throws IOException {
            try {
                super.write(bytes, from, length);
            } catch (IOException failed) {
                failure = Optional.of(failed);
                throw failed;
            }
        }

        Optional<String> reportableFailure() {
            return failure.map(failed -> String.valueOf(failed.getMessage()))
                    .filter(text -> !text.contains("Broken pipe"));
        }
    }

    /** The version in the manifest of the jar. */
    static final class Version implements IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"k8sdns " + text()};
        }

        /** Returns the version without the name of the program. */
        static String text() {
            return Optional.ofNullable(Main.class.getPackage().getImplementationVersion())
                    .orElse("(not packaged)");
        }
    }
}
