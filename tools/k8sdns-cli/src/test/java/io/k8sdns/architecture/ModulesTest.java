package io.k8sdns.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.module.Configuration;
import java.lang.module.ModuleFinder;
import java.lang.module.ResolvedModule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.spi.ToolProvider;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an application with a module descriptor compiles with the dependencies of our artifacts only. */
class ModulesTest {
    private static final String HOST = """
            module host {
                requires io.k8sdns.sockets;
                requires io.k8sdns.manifest;
                requires io.k8sdns.micrometer;
            }
            """;

    /** The runtime dependencies of our artifacts, without the annotations of JSpecify. */
    private static final List<String> MODULE_PATH = Arrays.stream(
                    System.getProperty("java.class.path").split(File.pathSeparator, -1))
            .filter(entry -> !entry.contains("jspecify"))
            .toList();

    @TempDir
    private Path folder;

    /** Returns the dependencies as a path for tools of the JDK. */
    static String modulePath() {
        return String.join(File.pathSeparator, MODULE_PATH);
    }

    @Test
    void hostCompilesAgainstOurModules() throws IOException {
        StringWriter output = new StringWriter();
        assertThat(compile(output)).as(output.toString()).isZero();
    }

    @Test
    void aHostCannotUseInternalPackages() throws IOException {
        StringWriter output = new StringWriter();
        assertThat(compile(output, "package host; class Rules { io.k8sdns.rules.RecordRules rules; }"))
                .isNotZero();
        assertThat(output.toString()).contains("io.k8sdns.rules");
    }

    /** Compiles a module with one class or none. */
    private int compile(StringWriter output, String... type) throws IOException {
        List<String> arguments = new ArrayList<>(List.of("--module-path", modulePath(), "-d", folder.toString()));
        arguments.add(
                Files.writeString(folder.resolve("module-info.java"), HOST).toString());
        for (String source : type) {
            arguments.add(
                    Files.writeString(folder.resolve("Rules.java"), source).toString());
        }
        return ToolProvider.findFirst("javac")
                .orElseThrow()
                .run(new PrintWriter(output), new PrintWriter(output), arguments.toArray(String[]::new));
    }

    @Test
    void everyLibraryThatAModuleUsesIsResolvedWithIt() {
        Set<String> resolved = Configuration.empty()
                .resolve(
                        ModuleFinder.ofSystem(),
                        ModuleFinder.of(MODULE_PATH.stream().map(Path::of).toArray(Path[]::new)),
                        Set.of("io.k8sdns.sockets", "io.k8sdns.manifest", "io.k8sdns.micrometer"))
                .modules()
                .stream()
                .map(ResolvedModule::name)
                .collect(Collectors.toSet());
        assertThat(resolved)
                .contains(
                        "io.k8sdns.model",
                        "io.k8sdns.json",
                        "io.k8sdns.records",
                        "io.k8sdns.resolvconf",
                        "io.k8sdns.server",
                        "org.dnsjava",
                        "org.yaml.snakeyaml",
                        "com.fasterxml.jackson.core",
                        "micrometer.core")
                .as("a host that does not forward needs no forwarder for its meters")
                .doesNotContain("io.k8sdns.forward");
    }
}
