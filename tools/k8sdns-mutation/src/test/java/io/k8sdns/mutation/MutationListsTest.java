package io.k8sdns.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A full run takes an hour or two, so this test finds what a moved or renamed class has made wrong in the lists. */
class MutationListsTest {
    private static final Path MODULE = Path.of("").toAbsolutePath();
    private static final Path ROOT = MODULE.resolve("../..").normalize();

    @Test
    void listedClassesExist() throws IOException {
        for (String name : MutationTesting.required(Files.readAllLines(MODULE.resolve("classes.txt")))
                .keySet()) {
            assertThat(source(name)).as(name).isNotEmpty();
        }
    }

    @Test
    void equivalentMutantsHaveTheirMethodsAndLines() throws IOException {
        List<String> entries = EquivalentMutants.parse(Files.readString(MODULE.resolve("equivalent.txt")))
                .unused();
        assertThat(entries).isNotEmpty();
        for (String entry : entries) {
            String[] lines = entry.split("\n", -1);
            String[] words = lines[0].split(" ", -1);
            List<String> source = source(words[0]);
            String constructor = words[0].substring(words[0].lastIndexOf('.') + 1);
            String method = words[1].replace("<init>", constructor).replaceFirst("^lambda\\$(.*)\\$\\d+$", "$1");
            assertThat(source)
                    .as(lines[0])
                    .anySatisfy(line -> assertThat(line).containsPattern("\\b" + method + "\\("));
            assertThat(source)
                    .as(lines[0])
                    .anySatisfy(line -> assertThat(line.strip()).isEqualTo(lines[1]));
        }
    }

    private static List<String> source(String className) throws IOException {
        return MutationTesting.source(ROOT, className.replaceFirst("\\$.*", "").replace('.', '/') + ".java");
    }
}
