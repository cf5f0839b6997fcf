package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/** Compares {@code resolvconf} with all cases of {@code conformance/resolvconf/}, one by one and as one batch. */
class PodConformanceTest {
    @TempDir
    private Path folder;

    @TestFactory
    Stream<DynamicTest> everyCaseHolds() {
        return PodCase.all().stream()
                .map(one -> dynamicTest(one.toString(), one.file("why.md").toUri(), () -> check(one)));
    }

    @Test
    void everyCaseHasAReason() {
        assertThat(PodCase.all())
                .hasSizeGreaterThan(100)
                .allSatisfy(one -> assertThat(one.file("why.md")).isNotEmptyFile());
    }

    private static void check(PodCase one) throws IOException {
        Run run = run(one);
        Optional<String> file = one.resolvConf();
        assertThat(run.code()).as(run.err()).isEqualTo(file.isPresent() ? Main.DONE : Main.INVALID);
        assertThat(run.out()).isEqualTo(file.orElse(""));
        List<String> printed = printed(one, run.err());
        List<String> notices = one.notices();
        assertThat(printed).as("printed").hasSameSizeAs(notices);
        for (int i = 0; i < printed.size(); i++) {
            if (notices.get(i).endsWith(" ...")) {
                assertThat(printed.get(i))
                        .startsWith(notices.get(i).substring(0, notices.get(i).length() - 3));
            } else {
                assertThat(printed.get(i)).isEqualTo(notices.get(i));
            }
        }
        if (one.names().isPresent()) {
            List<String> names = one.names().get();
            assertThat(run(one, "--json").out())
                    .contains(
                            "\"hostname\": " + JsonText.of(names.get(0)) + ", \"fqdn\": " + JsonText.of(names.get(1)));
        }
    }

    private static Run run(PodCase one, String... more) throws IOException {
        List<String> arguments = new ArrayList<>(
                List.of("resolvconf", "--pod", one.file("pod.yaml").toString()));
        arguments.addAll(one.nodeOptions());
        one.hostFile().ifPresent(file -> arguments.addAll(List.of("--host-resolv-conf", file.toString())));
        return Run.of(arguments, more);
    }

    /**
     * Replaces the path of the node's file in messages with its name in the case. Omits the notes about options of this command,
     * which are no notices of the kubelet.
     */
    private static List<String> printed(PodCase one, String text) {
        return text.replace("error: " + one.file("host.resolv.conf"), "error: host.resolv.conf")
                .lines()
                // The advice about options is the command's, not the kubelet's.
                .filter(line -> !line.startsWith("note: ") && !line.startsWith("warning: without --cluster-dns "))
                .toList();
    }

    @Test
    void casesAsOneBatchAreTheCasesOneByOne() throws IOException {
        List<String> lines = new ArrayList<>();
        List<String> expected = new ArrayList<>();
        for (PodCase one : PodCase.all()) {
            String id = JsonText.of(one.toString());
            String hostFile = one.hostFile().isPresent()
                    ? ", \"host_resolv_conf\": "
                            + JsonText.of(Files.readString(one.hostFile().get()))
                    : "";
            lines.add("{\"id\": " + id + ", \"pod\": " + one.podAsJson() + ", \"args\": "
                    + JsonText.of(one.nodeOptions()) + hostFile + "}");
            Run alone = run(one, "--json");
            expected.add("{\"id\": " + id + ", "
                    + (alone.code() == Main.DONE
                            ? alone.out().strip().substring(1)
                            : "\"error\": " + error(one, alone)));
        }
        Path file = Files.write(folder.resolve("batch.jsonl"), lines);
        List<String> answers = Run.of("resolvconf", "--batch", file.toString()).lines();
        assertThat(answers.size()).isEqualTo(expected.size());
        // Compares the answers one by one, for short failure messages.
        for (int i = 0; i < answers.size(); i++) {
            assertThat(answers.get(i)).isEqualTo(expected.get(i));
        }
    }

    private static String error(PodCase one, Run alone) {
        String text = printed(one, alone.err()).stream()
                .map(line -> line.substring("error: ".length()).replace("host.resolv.conf: ", "host_resolv_conf: "))
                // Messages of a batch have no line numbers.
                .map(line -> line.replaceAll("; line \\d+\\)$", ")").replaceAll(" \\(line \\d+\\)$", ""))
                .collect(Collectors.joining("; "));
        return JsonText.of(text) + "}";
    }
}
