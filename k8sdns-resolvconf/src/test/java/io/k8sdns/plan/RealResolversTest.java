package io.k8sdns.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.ResolverSettings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Compares the plans with the real resolvers: glibc, musl, Go and c-ares, each in its own network namespace with scripted
 * servers. Needs Linux, {@code unshare} with the right to use it, {@code ip} and a C compiler; {@code musl-gcc} for
 * musl, {@code go} for Go, the header files of c-ares 1.18 for c-ares. Programs that use other
 * resolvers, with the arguments and output of the programs here, are set with {@code -Dk8sdns.resolvers=DIALECT=PROGRAM,...}.
 */
@Tag("real")
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class RealResolversTest {
    /** The number of lookups that run in parallel; they wait nearly all the time. */
    private static final int LABS = 4;

    /** Cases with a later query are skipped. */
    private static final long PATIENCE_MILLIS = 20_000;

    /** The number of differences that are printed. */
    private static final int SHOWN = 10;

    private static final int RANDOM_CASES = Integer.getInteger("k8sdns.random", 300);
    private static final long SEED = Long.getLong("k8sdns.seed", 20261121);

    @TempDir
    private Path folder;

    @Test
    void glibcSendsThePlannedQueries() throws Exception {
        Path program = compile("cc", "lookup.c", "glibc");
        compare(Dialect.GLIBC, program.toString());
    }

    @Test
    void muslSendsThePlannedQueries() throws Exception {
        Path program = compile("musl-gcc", "lookup.c", "musl");
        String loader = run(List.of("sh", "-c", "ls /lib/ld-musl-*.so.1")).strip();
        // Without a program the loader prints its version and fails.
        String version = run(List.of("sh", "-c", loader + " 2>&1 || true"));
        boolean recent = !version.contains("Version 1.2.3");
        compare(recent ? Dialect.MUSL_1_2_5 : Dialect.MUSL_1_2_3, program.toString());
    }

    @Test
    void otherResolversSendThePlannedQueries() throws Exception {
        String resolvers = System.getProperty("k8sdns.resolvers", "");
        if (resolvers.isEmpty()) {
            skip("other resolvers: none is named by -Dk8sdns.resolvers");
        }
        for (String resolver : resolvers.split(",", -1)) {
            String[] named = resolver.split("=", 2);
            compare(Dialect.tryParse(named[0]).orElseThrow(), named[1]);
        }
    }

    @Test
    void cAresSendsThePlannedQueries() throws Exception {
        need("cc");
        Path header = Files.writeString(folder.resolve("header.c"), "#include <ares.h>\n");
        if (exitCode(List.of("cc", "-fsyntax-only", header.toString())) != 0) {
            skip("the header files of c-ares are not installed");
        }
        Path program = compile("cc", "lookup-cares.c", "cares", "-lcares");
        String version = run(List.of(program.toString(), "--version")).strip();
        if (!version.startsWith("1.18.")) {
            skip("c-ares is " + version + ", the plan is one for 1.18");
        }
        compare(Dialect.C_ARES_1_18, program.toString());
    }

    @Test
    void goSendsThePlannedQueries() throws Exception {
        need("go");
        Path source = resource("lookup.go");
        Path program = folder.resolve("go-lookup");
        ProcessBuilder build = new ProcessBuilder("go", "build", "-o", program.toString(), source.toString());
        build.environment().put("CGO_ENABLED", "0");
        build.environment().put("GO111MODULE", "off");
        build.environment().put("GOFLAGS", "");
        build.environment().put("GOCACHE", folder.resolve("go-cache").toString());
        Process process = build.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        compare(Dialect.GO, program.toString());
    }

    private void compare(Dialect dialect, String program) throws Exception {
        List<QueryCase> cases = new ArrayList<>(
                QueryCase.folders().stream().map(QueryCase::read).toList());
        RandomCases random = new RandomCases(SEED);
        IntStream.range(0, RANDOM_CASES).forEach(number -> cases.add(random.next(number)));
        int all = cases.size();
        cases.removeIf(one -> isRace(dialect, one) || takesLong(one.run(dialect)));
        List<LookupLab.Observation> observations = observe(cases, program);
        List<String> differences = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++) {
            difference(dialect, cases.get(i), observations.get(i)).ifPresent(differences::add);
        }
        System.out.println(dialect.word() + ": " + cases.size() + " lookups compared, seed " + SEED + ", "
                + differences.size() + " differences, " + (all - cases.size()) + " skipped");
        assertThat(differences.stream().limit(SHOWN)).isEmpty();
    }

    private static boolean takesLong(QueryTrace trace) {
        return trace.queries().stream().anyMatch(query -> query.atMillis() > PATIENCE_MILLIS);
    }

    /** musl queries all servers at once: if they disagree, the fastest one counts. It also divides by attempts. */
    private static boolean isRace(Dialect dialect, QueryCase one) {
        ResolverSettings settings = SettingsReader.read(dialect, one.resolvConf(), one.environment());
        boolean disagree = settings.nameservers().size() > 1
                && one.answers().stream().anyMatch(answer -> !answer.server().equals("*"));
        return isMusl(dialect) && (disagree || settings.attempts() == 0);
    }

    private static boolean isMusl(Dialect dialect) {
        return dialect == Dialect.MUSL_1_2_3 || dialect == Dialect.MUSL_1_2_5;
    }

    private static Optional<String> difference(Dialect dialect, QueryCase one, LookupLab.Observation seen) {
        QueryTrace trace = one.run(dialect);
        List<SentQuery> planned = trace.queries().stream().map(SentQuery::of).toList();
        boolean tcp = trace.queries().stream().anyMatch(query -> query.transport() == Transport.TCP);
        // musl opens connections concurrently, in an order that varies.
        QueryOrder order = tcp && isMusl(dialect) && trace.plan().queryOrder() == QueryOrder.EXACT
                ? QueryOrder.PAIRS
                : trace.plan().queryOrder();
        boolean same = SentQuery.comparable(planned, order).equals(SentQuery.comparable(seen.queries(), order))
                && (order == QueryOrder.NAMES || SentQuery.inTime(planned, seen.queries()))
                && sameResult(dialect, one, trace.outcome(), seen.result())
                && trace.addresses().stream()
                        .map(Object::toString)
                        .collect(Collectors.toSet())
                        .equals(Set.copyOf(seen.addresses()));
        return same
                ? Optional.empty()
                : Optional.of(one + "\n  planned " + order + " " + planned + " "
                        + trace.outcome().word() + " "
                        + trace.addresses() + "\n  seen    " + seen.queries() + " " + seen.result() + " "
                        + seen.addresses());
    }

    /** If A and AAAA fail in different ways, the result of Go is that of the answer that it reads last. */
    private static boolean sameResult(Dialect dialect, QueryCase one, LookupOutcome planned, String seen) {
        boolean typesDiffer =
                one.answers().stream().anyMatch(answer -> answer.key().contains("|"));
        return planned.word().equals(seen)
                || dialect == Dialect.GO
                        && typesDiffer
                        && planned != LookupOutcome.OK
                        && !seen.equals(LookupOutcome.OK.word());
    }

    private List<LookupLab.Observation> observe(List<QueryCase> cases, String program) throws Exception {
        LookupLab.Observation[] observations = new LookupLab.Observation[cases.size()];
        ExecutorService labs = Executors.newFixedThreadPool(LABS);
        try {
            List<Future<?>> ends = new ArrayList<>();
            for (int lab = 0; lab < LABS; lab++) {
                int first = lab;
                ends.add(labs.submit(() -> {
                    observe(first, cases, program, observations);
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof LabMissing missing) {
                skip(missing.what);
            }
            throw failed;
        } finally {
            labs.shutdownNow();
        }
        return List.of(observations);
    }

    private void observe(int first, List<QueryCase> cases, String program, LookupLab.Observation[] observations)
            throws IOException, InterruptedException {
        Path files = Files.createDirectories(folder.resolve("lab-" + first));
        Files.writeString(files.resolve("resolv.conf"), "");
        Files.writeString(files.resolve("nsswitch.conf"), "hosts: files dns\n");
        Files.writeString(
                files.resolve("hosts"),
                "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\n");
        String script = "ip link set lo up; cd \"$1\"; for file in resolv.conf nsswitch.conf hosts; do"
                + " mount --bind $file /etc/$file; done; exec \"$2\" -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp \"$3\" "
                + LookupLab.class.getName() + " \"$1\"";
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        Process lab = new ProcessBuilder(
                        "unshare", "--net", "--mount", "sh", "-ec", script, "sh", files.toString(), java, classPath)
                .redirectError(files.resolve("err").toFile())
                .start();
        try (Writer requests = new OutputStreamWriter(lab.getOutputStream(), StandardCharsets.UTF_8);
                BufferedReader results =
                        new BufferedReader(new InputStreamReader(lab.getInputStream(), StandardCharsets.UTF_8))) {
            for (int i = first; i < cases.size(); i += LABS) {
                requests.write(LookupLab.request(cases.get(i), program) + "\n");
                requests.flush();
                String line = results.readLine();
                if (line == null) {
                    throw new LabMissing("a network namespace with servers on port 53: "
                            + Files.readString(files.resolve("err")).strip());
                }
                observations[i] = LookupLab.observation(line);
            }
        } catch (IOException closed) {
            throw new LabMissing("a network namespace with servers on port 53: "
                    + Files.readString(files.resolve("err")).strip());
        } finally {
            lab.destroy();
            lab.waitFor();
        }
    }

    /** The machine does not allow the namespaces that {@link LookupLab} needs. */
    private static final class LabMissing extends RuntimeException {
        private static final long serialVersionUID = 1;

        private final String what;

        private LabMissing(String what) {
            super(what);
            this.what = what;
        }
    }

    private Path compile(String compiler, String source, String name, String... libraries)
            throws IOException, InterruptedException {
        need(compiler);
        Path program = folder.resolve(name + "-lookup");
        List<String> command = new ArrayList<>(
                List.of(compiler, "-o", program.toString(), resource(source).toString()));
        command.addAll(List.of(libraries));
        run(command);
        return program;
    }

    private Path resource(String name) throws IOException {
        Path file = folder.resolve(name);
        try (InputStream source = RealResolversTest.class.getResourceAsStream(name)) {
            Files.copy(
                    java.util.Objects.requireNonNull(source, name),
                    file,
                    java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        }
        return file;
    }

    private static void need(String program) throws InterruptedException, IOException {
        if (exitCode(List.of("sh", "-c", "command -v " + program)) != 0) {
            skip(program + " is not installed");
        }
    }

    private static int exitCode(List<String> command) throws InterruptedException, IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start()
                .waitFor();
    }

    private static void skip(String what) {
        System.err.println("NOT RUN: a real resolver against its plan: " + what);
        abort(what);
    }

    private static String run(List<String> command) throws IOException, InterruptedException {
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
        return output;
    }
}
