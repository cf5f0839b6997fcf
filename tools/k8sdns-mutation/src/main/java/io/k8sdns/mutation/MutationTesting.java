package io.k8sdns.mutation;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.pitest.mutationtest.commandline.MutationCoverageReport;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/**
 * Runs PIT over the classes of {@code classes.txt} with the tests of all modules that can see them, and prints the table.
 *
 * <p>Ends with exit code 1 if a class has less than its required share. PIT's own report, with each mutant beside its line, is in
 * {@code target/pit}.
 */
public final class MutationTesting {
    /** The module whose tests start the whole command; only these of them are worth their time. */
    private static final String COMMAND = "tools/k8sdns-cli";

    /** Modules whose tests are run. Tests of the other modules use the classes only over sockets or in processes. */
    static final List<String> MODULES = List.of(
            "k8sdns-model",
            "k8sdns-records",
            "k8sdns-resolvconf",
            "k8sdns-server-embedded",
            "adapters/k8sdns-kubernetes-json",
            "adapters/k8sdns-manifest",
            COMMAND);

    private static final List<String> TESTS_OF_COMMAND = List.of(
            "io.k8sdns.cli.*ConformanceTest", "io.k8sdns.cli.RecordsAreQueriesTest", "io.k8sdns.cli.VerifyTest");

    private MutationTesting() {}

    /**
     * Runs PIT and prints the table; exits with 1 if it did not pass.
     *
     * @param args the root of the checkout and the number of threads; the system properties {@code mutation.classes} and {@code
     *     mutation.tests} limit the classes to some of {@code classes.txt} and the tests to some patterns, each separated by
     *     commas. Fewer tests are faster and can only kill fewer mutants.
     */
    public static void main(String[] args) throws IOException, ParserConfigurationException, SAXException {
        Path root = Path.of(args[0]).toAbsolutePath();
        Path module = root.resolve("tools/k8sdns-mutation");
        Map<String, Integer> required = required(Files.readAllLines(module.resolve("classes.txt")));
        String only = System.getProperty("mutation.classes", "");
        if (!only.isEmpty()) {
            required.keySet().retainAll(List.of(only.split(",", -1)));
        }
        if (required.isEmpty()) {
            throw new IllegalArgumentException("mutation.classes: none of " + only + " is in classes.txt");
        }
        String tests = System.getProperty("mutation.tests", "");
        Path report = module.resolve("target/pit");
        MutationCoverageReport.main(
                arguments(root, report, args[1], required.keySet(), tests.isEmpty() ? tests(root) : tests));
        MutationTable table = MutationTable.of(
                required,
                mutants(report.resolve("mutations.xml"), root),
                EquivalentMutants.parse(Files.readString(module.resolve("equivalent.txt"))));
        System.out.println(table.text());
        Files.writeString(report.resolve("table.txt"), table.text());
        System.exit(table.passed() ? 0 : 1);
    }

    /** Returns the patterns of all tests and laws of the modules. */
    private static String tests(Path root) throws IOException {
        Set<String> patterns = new TreeSet<>(TESTS_OF_COMMAND);
        for (String module : MODULES) {
            Path classes = root.resolve(module).resolve("target/test-classes");
            if (module.equals(COMMAND) || !Files.exists(classes)) {
                continue;
            }
            try (Stream<Path> files = Files.walk(classes)) {
                files.filter(file -> file.toString().matches(".*(Test|Laws)\\.class"))
                        .map(file ->
                                classes.relativize(file.getParent()).toString().replace(File.separatorChar, '.'))
                        .forEach(name -> patterns.addAll(List.of(name + ".*Test", name + ".*Laws")));
            }
        }
        return String.join(",", patterns);
    }

    static Map<String, Integer> required(List<String> lines) {
        Map<String, Integer> required = new LinkedHashMap<>();
        for (String line : lines) {
            if (!line.isBlank() && !line.startsWith("#")) {
                String[] words = line.split(" ", -1);
                required.put(words[1], Integer.valueOf(words[0]));
            }
        }
        return required;
    }

    private static String[] arguments(Path root, Path report, String threads, Set<String> classes, String tests) {
        List<String> jvm = List.of(
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Dk8sdns.root=" + root,
                // A failed law kills the mutant; its smallest example is not needed.
                "-Djqwik.shrinking.default=OFF",
                "-Djqwik.database=");
        Set<String> classPath = new LinkedHashSet<>();
        for (String name : MODULES) {
            classPath.add(root.resolve(name).resolve("target/classes").toString());
            classPath.add(root.resolve(name).resolve("target/test-classes").toString());
        }
        classPath.addAll(Arrays.asList(System.getProperty("java.class.path").split(File.pathSeparator, -1)));
        return new String[] {
            "--reportDir=" + report,
            "--targetClasses="
                    + classes.stream().map(name -> name + "," + name + "$*").collect(Collectors.joining(",")),
            "--targetTests=" + tests,
            "--excludedGroups=real",
            "--sourceDirs="
                    + MODULES.stream()
                            .map(name ->
                                    root.resolve(name).resolve("src/main/java").toString())
                            .collect(Collectors.joining(",")),
            "--classPath=" + String.join(",", classPath),
            "--threads=" + threads,
            "--outputFormats=XML,HTML",
            "--timestampedReports=false",
            "--verbosity=QUIET",
            // A timeout that is too short would count a slow test as a killed mutant.
            "--timeoutFactor=4",
            "--timeoutConst=20000",
            "--jvmArgs=" + String.join(",", jvm)
        };
    }

    private static List<Mutant> mutants(Path file, Path root)
            throws IOException, ParserConfigurationException, SAXException {
        NodeList elements = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getElementsByTagName("mutation");
        List<Mutant> mutants = new ArrayList<>();
        Map<String, List<String>> sources = new LinkedHashMap<>();
        for (int i = 0; i < elements.getLength(); i++) {
            Element element = (Element) elements.item(i);
            String className = text(element, "mutatedClass");
            String path = className.substring(0, className.lastIndexOf('.') + 1).replace('.', '/')
                    + text(element, "sourceFile");
            if (!sources.containsKey(path)) {
                sources.put(path, source(root, path));
            }
            int line = Integer.parseInt(text(element, "lineNumber"));
            String mutator = text(element, "mutator");
            mutants.add(new Mutant(
                    className,
                    text(element, "mutatedMethod"),
                    mutator.substring(mutator.lastIndexOf('.') + 1).replaceFirst("Mutator$", ""),
                    line,
                    sources.get(path).get(line - 1).strip(),
                    Boolean.parseBoolean(element.getAttribute("detected"))));
        }
        return mutants;
    }

    private static String text(Element element, String child) {
        return element.getElementsByTagName(child).item(0).getTextContent();
    }

    static List<String> source(Path root, String path) throws IOException {
        for (String name : MODULES) {
            Path file = root.resolve(name).resolve("src/main/java").resolve(path);
            if (Files.exists(file)) {
                return Files.readAllLines(file);
            }
        }
        throw new IOException("no source " + path);
    }
}
