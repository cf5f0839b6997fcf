package io.k8sdns.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/** A child process, which is killed after half an hour. Its stderr is written to a file. */
final class Program implements AutoCloseable {
    private static final long TIMEOUT_SECONDS = 1800;

    private final Process process;
    private final Path err;
    private final BufferedReader out;

    private Program(Process process, Path err) {
        this.process = process;
        this.err = err;
        this.out = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** The result of a program. */
    record Result(int code, List<String> out, String err) {}

    static Program start(Path directory, Map<String, String> environment, String... command) throws IOException {
        Path err = Files.createTempFile("stderr", ".txt");
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(directory.toFile()).redirectError(err.toFile());
        builder.environment().putAll(environment);
        Process process = builder.start();
        // A test that waits for a program must not hang.
        CompletableFuture.delayedExecutor(TIMEOUT_SECONDS, TimeUnit.SECONDS).execute(process::destroyForcibly);
        return new Program(process, err);
    }

    /** Returns the command line of {@link Main} in a JVM of its own. */
    static String[] ofMain(List<String> command, String... more) {
        return Stream.of(
                        List.of(
                                Path.of(System.getProperty("java.home"), "bin", "java")
                                        .toString(),
                                "-cp",
                                System.getProperty("java.class.path"),
                                Main.class.getName()),
                        command,
                        List.of(more))
                .flatMap(List::stream)
                .toArray(String[]::new);
    }

    static Result run(Path directory, Map<String, String> environment, String... command)
            throws IOException, InterruptedException {
        try (Program program = start(directory, environment, command)) {
            return program.end();
        }
    }

    static Result run(String... command) throws IOException, InterruptedException {
        return run(Path.of("."), new HashMap<>(), command);
    }

    /** Waits for the end. */
    Result end() throws IOException, InterruptedException {
        List<String> lines = new ArrayList<>();
        for (String line = out.readLine(); line != null; line = out.readLine()) {
            lines.add(line);
        }
        return new Result(process.waitFor(), lines, Files.readString(err));
    }

    /** Waits for the next line of stdout. */
    String line() throws IOException {
        String line = out.readLine();
        if (line == null) {
            throw new AssertionError("ended: " + Files.readString(err));
        }
        return line;
    }

    long pid() {
        return process.pid();
    }

    /** Sends a signal, for example {@code TERM}. */
    void signal(String name) throws IOException, InterruptedException {
        run("kill", "-" + name, Long.toString(process.pid()));
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(err);
    }
}
