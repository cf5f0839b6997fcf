package io.k8sdns.cli;

import io.k8sdns.manifest.Manifests;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Renders kustomizations and Helm charts with {@code kubectl}, {@code kustomize} and {@code helm}. A program is run without a shell;
 * its time and its output are limited.
 */
final class ManifestRenderer {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);

    /** The limit of a file of manifests. */
    private static final int MAX_OUTPUT = 256 << 20;

    private static final int MAX_ERRORS = 64 << 10;
    private static final int MAX_MESSAGE = 2000;
    private static final String CHART = "Chart.yaml";

    /** The option that kustomize requires in its errors. */
    private static final String ENABLE_HELM = "--enable-helm";

    /** How often processes are listed and ended: one that starts others without end must not keep the command waiting. */
    private static final int MAX_PASSES = 100;

    /** The variable by which the processes that a program starts are found. */
    private static final String MARK = "K8SDNS_RENDER";

    private final String path;
    private final Duration timeout;
    private final int maxOutput;

    /** Makes a renderer with the programs of this process's {@code PATH}. */
    ManifestRenderer() {
        this(Optional.ofNullable(System.getenv("PATH")).orElse(""), TIMEOUT, MAX_OUTPUT);
    }

    /**
     * Makes a renderer.
     *
     * @param path the directories of programs, as in {@code PATH}
     * @param maxOutput the maximum size of the output in bytes
     */
    ManifestRenderer(String path, Duration timeout, int maxOutput) {
        this.path = path;
        this.timeout = timeout;
        this.maxOutput = maxOutput;
    }

    /** Rendered manifests, and the command that printed them. */
    static final class Rendered {
        private final String command;
        private final byte[] manifests;
        private final String messages;

        private Rendered(String command, byte[] manifests, String messages) {
            this.command = command;
            this.manifests = manifests;
            this.messages = messages;
        }

        /** Returns what the program printed on its standard error, in one line; empty if that is nothing. */
        String messages() {
            return messages;
        }

        /** Returns the command, quoted for a shell, which is the name of the input in messages. */
        String command() {
            return command;
        }

        /** Opens the manifests. */
        InputStream open() {
            return new ByteArrayInputStream(manifests);
        }
    }

    /**
     * Renders a manifest that a user names.
     *
     * @param namespace the namespace in which a chart is rendered
     * @param release the name of its release; empty for that of Helm
     * @return empty if it is neither a directory with a kustomization or a chart nor the file of one
     * @throws IOException if no program is on the path, or it fails; the message names it
     */
    Optional<Rendered> render(Path named, String namespace, Optional<String> release) throws IOException {
        Path directory = Files.isDirectory(named) ? named : parent(named);
        String file = Files.isDirectory(named) ? "" : String.valueOf(named.getFileName());
        // Absolute, because a relative one may be an option, and kustomize takes github.com/a/b for a repository.
        String argument = directory.toAbsolutePath().normalize().toString();
        if (Manifests.KUSTOMIZATION_FILES.contains(file)
                || file.isEmpty()
                        && Manifests.KUSTOMIZATION_FILES.stream()
                                .anyMatch(name -> Files.isRegularFile(directory.resolve(name)))) {
            return Optional.of(first(
                    argument,
                    List.of(List.of("kubectl", "kustomize", argument), List.of("kustomize", "build", argument))));
        }
        if (file.equals(CHART) || file.isEmpty() && isChart(directory)) {
            List<String> command = new ArrayList<>(List.of("helm", "template"));
            release.ifPresent(command::add);
            command.addAll(List.of(argument, "--namespace", namespace));
            return Optional.of(first(argument, List.of(command)));
        }
        return Optional.empty();
    }

    private static Path parent(Path file) {
        Path parent = file.getParent();
        return parent == null ? Path.of(".") : parent;
    }

    /** Runs the first command whose program is on the path, to render a directory. */
    private Rendered first(String directory, List<List<String>> commands) throws IOException {
        for (List<String> command : commands) {
            Optional<Path> program = program(command.get(0));
            if (program.isPresent()) {
                return run(program.get(), command);
            }
        }
        List<String> names = commands.stream().map(words -> words.get(0)).toList();
        throw new IOException("--render: " + (names.size() == 1 ? "" : "neither ") + String.join(" nor ", names)
                + (names.size() == 1 ? " is not" : " is") + " on the PATH; it renders " + directory);
    }

    private Optional<Path> program(String name) {
        for (String directory : path.split(Pattern.quote(File.pathSeparator), -1)) {
            // An empty entry means the working directory, from which nothing is run.
            if (directory.isEmpty()) {
                continue;
            }
            for (String ending : List.of("", ".exe")) {
                Path program = Path.of(directory, name + ending);
                if (Files.isRegularFile(program) && Files.isExecutable(program)) {
                    return Optional.of(program);
                }
            }
        }
        return Optional.empty();
    }

    private Rendered run(Path program, List<String> command) throws IOException {
        String words = words(command.stream());
        List<String> arguments = new ArrayList<>(command);
        arguments.set(0, program.toAbsolutePath().toString());
        ProcessBuilder builder = new ProcessBuilder(arguments);
        String mark = UUID.randomUUID().toString();
        builder.environment().put(MARK, mark);
        Process process = builder.start();
        try {
            process.getOutputStream().close();
            CompletableFuture<byte[]> output = inThread(process.getInputStream(), maxOutput, false);
            CompletableFuture<byte[]> errors = inThread(process.getErrorStream(), MAX_ERRORS, true);
            long deadline = System.nanoTime() + timeout.toNanos();
            await(CompletableFuture.anyOf(output, process.onExit()), deadline);
            if (output.isDone() && await(output, deadline).length > maxOutput) {
                throw tooLong(words);
            }
            await(process.onExit(), deadline);
            // A process that it has left behind may keep its output open.
            end(process, mark);
            byte[] manifests = await(output, deadline);
            if (manifests.length > maxOutput) {
                throw tooLong(words);
            }
            String message = message(await(errors, deadline));
            if (process.exitValue() != 0) {
                throw new IOException("--render: " + words + " failed with exit code " + process.exitValue()
                        + (message.isEmpty() ? "" : ": " + message)
                        + (message.contains(ENABLE_HELM) ? withHelm(command) : ""));
            }
            return new Rendered(words, manifests, message);
        } catch (TimeoutException late) {
            String problem = process.isAlive()
                    ? "did not end within "
                    : "ended with exit code " + process.exitValue()
                            + ", but left a process behind that kept its output open for ";
            throw new IOException("--render: " + words + " " + problem + timeout.toSeconds() + " s", late);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new IOException("--render: interrupted while " + words + " ran", interrupted);
        } finally {
            end(process, mark);
        }
    }

    /** Ends a process and those that it has started, until no more are found: a process can start another one before it ends. */
    private static void end(Process process, String mark) {
        for (int pass = 0; pass < MAX_PASSES; pass++) {
            // Listed first: a process whose parent has ended is no descendant any more.
            List<ProcessHandle> started =
                    Stream.concat(process.descendants(), marked(mark)).toList();
            if (process.isAlive()) {
                // Of one that has ended, this would close the output before it is read to its end.
                process.destroyForcibly();
            }
            if (started.isEmpty()) {
                return;
            }
            started.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Returns the processes with this mark: also those whose parents have ended. Finds them on Linux only. */
    private static Stream<ProcessHandle> marked(String mark) {
        return ProcessHandle.allProcesses().filter(process -> {
            try {
                byte[] variables = Files.readAllBytes(Path.of("/proc", String.valueOf(process.pid()), "environ"));
                return List.of(new String(variables, StandardCharsets.ISO_8859_1).split("\0"))
                        .contains(MARK + "=" + mark);
            } catch (IOException endedOrNotOurs) {
                return false;
            }
        });
    }

    /** Returns the command for a kustomization with charts. It is not run, because it may download them. */
    private static String withHelm(List<String> command) {
        return "; --render downloads no chart, use: "
                + words(Stream.of(command.get(0), command.get(1), ENABLE_HELM, command.get(2)));
    }

    /** Returns the outermost chart that contains a file, because a chart renders the charts in it, too; empty if no chart does. */
    static Optional<Path> chartOf(Path file) {
        Path directory = Path.of("").toAbsolutePath();
        Optional<Path> chart = Stream.iterate(file.toAbsolutePath().getParent(), Objects::nonNull, Path::getParent)
                .filter(ManifestRenderer::isChart)
                .reduce((inner, outer) -> outer);
        return file.isAbsolute()
                ? chart
                : chart.map(directory::relativize).map(one -> one.toString().isEmpty() ? Path.of(".") : one);
    }

    /** Returns whether a directory is a chart. */
    static boolean isChart(Path directory) {
        return Files.isRegularFile(directory.resolve(CHART));
    }

    private static String words(Stream<String> command) {
        return command.map(CorefileOptions::quoted).collect(Collectors.joining(" "));
    }

    private IOException tooLong(String words) {
        return new IOException("--render: " + words + " printed more than " + (maxOutput >> 20) + " MiB");
    }

    private static <T> T await(CompletableFuture<T> result, long deadline)
            throws IOException, InterruptedException, TimeoutException {
        try {
            return result.get(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } catch (ExecutionException failed) {
            Throwable cause = failed.getCause();
            throw cause instanceof IOException io ? io : new IOException(cause);
        }
    }

    /**
     * Reads a stream in a thread of its own.
     *
     * @param limit one byte more than this many is kept
     * @param toEnd whether the rest is read and dropped, so that the program does not wait
     */
    private static CompletableFuture<byte[]> inThread(InputStream stream, int limit, boolean toEnd) {
        CompletableFuture<byte[]> bytes = new CompletableFuture<>();
        Thread thread = new Thread(
                () -> {
                    try {
                        bytes.complete(read(stream, limit, toEnd));
                    } catch (IOException | RuntimeException | Error failed) {
                        bytes.completeExceptionally(failed);
                    }
                },
                "k8sdns-render");
        thread.setDaemon(true);
        thread.start();
        return bytes;
    }

    private static byte[] read(InputStream stream, int limit, boolean toEnd) throws IOException {
        ByteArrayOutputStream kept = new ByteArrayOutputStream();
        byte[] buffer = new byte[1 << 16];
        for (int read = stream.read(buffer); read >= 0; read = stream.read(buffer)) {
            kept.write(buffer, 0, Math.min(read, limit + 1 - kept.size()));
            if (kept.size() > limit && !toEnd) {
                break;
            }
        }
        return kept.toByteArray();
    }

    private static String message(byte[] errors) {
        // One message, whatever the program prints.
        String line = new String(errors, StandardCharsets.UTF_8)
                .replaceAll("\\s*[\\p{Cntrl}\u2028\u2029]+\\s*", " ")
                .strip();
        return line.length() <= MAX_MESSAGE ? line : line.substring(0, MAX_MESSAGE) + "...";
    }
}
