package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Runs {@code examples/federation}: three clusters, etcd with TLS, Knot DNS, two name servers, a controller, and dig. Compares the
 * queries and answers with its README, line by line.
 */
@Tag("real")
@Timeout(600)
class RealFederationExampleTest {
    private static final Path EXAMPLE = Run.ROOT.resolve("examples/federation");

    @Test
    void theOutputEqualsTheReadme() throws Exception {
        RealServer.program("etcd", "etcd-server");
        RealServer.program("etcdctl", "etcd-client");
        RealServer.program("knotd", "knot");
        RealServer.program("dig", "bind9-dnsutils");
        RealServer.program("openssl", "openssl");

        Program.Result lab = Program.run(
                Path.of("."), Map.of(), EXAMPLE.resolve("lab").toAbsolutePath().toString());

        assertThat(lab.code()).as(lab.err()).isZero();
        assertThat(withoutBlankLines(lab.out())).as(lab.err()).containsExactlyElementsOf(tourOfReadme());
    }

    /** Returns the headings and the console blocks of the README. */
    private static List<String> tourOfReadme() throws Exception {
        List<String> tour = new ArrayList<>();
        boolean isConsole = false;
        for (String line : Files.readAllLines(EXAMPLE.resolve("README.md"))) {
            if (line.startsWith("```")) {
                isConsole = line.equals("```console");
            } else if (isConsole || line.startsWith("## ")) {
                tour.add(line);
            }
        }
        assertThat(tour).hasSizeGreaterThan(20);
        return withoutBlankLines(tour);
    }

    private static List<String> withoutBlankLines(List<String> lines) {
        return lines.stream().filter(line -> !line.isBlank()).toList();
    }
}
