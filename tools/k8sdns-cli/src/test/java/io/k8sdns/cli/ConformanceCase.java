package io.k8sdns.cli;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/** A case in a folder of {@code conformance/}, whose README describes the files. */
record ConformanceCase(Path folder) {
    /** The folder of all cases. */
    static final Path ALL = Run.ROOT.resolve("conformance");

    /** A directory of manifests in place of {@code cluster.yaml}. */
    private static final String DIRECTORY = "cluster.d";

    /**
     * A question and its answer.
     *
     * @param name the name
     * @param type the type number
     * @param rcode the RCODE number
     * @param records the records of the answer section, in the format of {@code records.zone}
     */
    record Question(Name name, int type, int rcode, List<String> records) {
        @Override
        public String toString() {
            return name + " " + Type.string(type);
        }
    }

    /** Returns the cases of a folder and its subfolders, in a stable order. */
    static List<ConformanceCase> below(Path folder) {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(
                            one -> Files.exists(one.resolve("cluster.yaml")) || Files.exists(one.resolve(DIRECTORY)))
                    .sorted()
                    .map(ConformanceCase::new)
                    .toList();
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    String manifest() {
        return (Files.exists(file(DIRECTORY)) ? file(DIRECTORY) : file("cluster.yaml")).toString();
    }

    Path file(String name) {
        return folder.resolve(name);
    }

    /** Returns the options of {@code records}. */
    List<String> options() {
        return Files.exists(file("options.txt"))
                ? lines("options.txt").stream().filter(line -> !line.isBlank()).toList()
                : List.of("--as-is");
    }

    List<String> lines(String name) {
        try {
            return Files.readAllLines(file(name));
        } catch (IOException unreadable) {
            throw new UncheckedIOException(unreadable);
        }
    }

    /** Returns the questions; empty if the case has none. */
    List<Question> questions() {
        List<Question> questions = new ArrayList<>();
        if (!Files.exists(file("questions.txt"))) {
            return questions;
        }
        for (String line : lines("questions.txt")) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            String[] asked = line.split(" -> ", 2);
            if (asked.length == 2) {
                String[] question = asked[0].strip().split(" +", -1);
                int type = Type.value(question[1]);
                int rcode = Rcode.value(asked[1].strip());
                if (question.length != 2 || type < 0 || rcode < 0) {
                    throw new IllegalArgumentException(file("questions.txt") + ": " + line);
                }
                questions.add(
                        new Question(DnsNames.absolute(DnsLabels.parse(question[0])), type, rcode, new ArrayList<>()));
            } else {
                questions.get(questions.size() - 1).records().add(line);
            }
        }
        return questions;
    }

    /** Returns the folder below {@code conformance/}. */
    @Override
    public String toString() {
        return ALL.relativize(folder).toString();
    }
}
