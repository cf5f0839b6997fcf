package io.k8sdns.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that {@code jlink}, which rejects automatic modules, creates a runtime image of an application with a named module. */
@Timeout(300)
class RuntimeImageTest {
    private static final String MODULE = """
            module shop {
                requires io.k8sdns.server;
                requires io.k8sdns.manifest;
                requires io.k8sdns.sockets;
            }
            """;

    private static final String MAIN = """
            package shop;

            import io.k8sdns.ClusterDns;
            import io.k8sdns.cluster.ClusterSnapshot;
            import io.k8sdns.model.ClusterIpService;
            import io.k8sdns.model.Namespace;
            import io.k8sdns.records.RecordType;
            import java.util.List;

            public class Main {
                public static void main(String[] args) {
                    ClusterDns dns = ClusterDns.of(ClusterSnapshot.of(
                            List.of(Namespace.of("shop"), ClusterIpService.of("shop", "cart", "10.96.0.20"))));
                    System.out.println(dns.lookup("cart.shop", RecordType.A).addresses());
                }
            }
            """;

    @TempDir
    private Path folder;

    @Test
    void imageOfANamedModuleResolvesAName() throws Exception {
        Path image = folder.resolve("image");
        link(compiled(), image);
        Path output = folder.resolve("output");
        Process program = new ProcessBuilder(image.resolve("bin/shop").toString())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(program.waitFor(120, TimeUnit.SECONDS)).isTrue();
            // Without a provider SLF4J first prints warnings, which begin with its name.
            assertThat(Files.readAllLines(output))
                    .filteredOn(line -> !line.startsWith("SLF4J"))
                    .containsExactly("[10.96.0.20]");
            assertThat(program.exitValue()).isZero();
        } finally {
            program.destroyForcibly();
        }
    }

    private Path compiled() throws IOException {
        Path sources = Files.createDirectories(folder.resolve("src/shop"));
        Path module = Files.writeString(folder.resolve("src/module-info.java"), MODULE);
        Path main = Files.writeString(sources.resolve("Main.java"), MAIN);
        Path classes = folder.resolve("classes");
        run(
                "javac",
                "--module-path",
                ModulesTest.modulePath(),
                "-d",
                classes.toString(),
                module.toString(),
                main.toString());
        return classes;
    }

    private static void link(Path classes, Path image) {
        if (ToolProvider.findFirst("jlink").isEmpty()) {
            abort("SKIPPED: this JDK has no jlink, so no runtime image was built");
        }
        run(
                "jlink",
                "--module-path",
                classes + File.pathSeparator + ModulesTest.modulePath(),
                "--add-modules",
                "shop",
                "--launcher",
                "shop=shop/shop.Main",
                "--output",
                image.toString());
    }

    private static void run(String tool, String... arguments) {
        StringWriter output = new StringWriter();
        PrintWriter out = new PrintWriter(output);
        int code = ToolProvider.findFirst(tool).orElseThrow().run(out, out, arguments);
        assertThat(code).as(tool + ": " + output).isZero();
    }
}
