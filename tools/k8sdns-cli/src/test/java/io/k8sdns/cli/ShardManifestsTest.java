package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ShardManifestsTest {
    private static final String KEPT = "; the Services in the clusters stay as they are";

    @TempDir
    private Path directory;

    private final List<String> events = new ArrayList<>();
    private ShardManifests manifests;

    @BeforeEach
    void start() throws IOException {
        service("a");
        service("b");
        manifests = new ShardManifests(
                directory,
                templates -> events.add("now " + templates),
                problem -> events.add(problem.replace(directory + "/", "").replace(directory.toString(), "DIR")));
        manifests.begin(ShardManifests.read(directory));
    }

    private void service(String name) throws IOException {
        write(name + ".yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: %s, namespace: shop}
                spec: {ports: [{port: 80}]}
                """.formatted(name));
    }

    private void write(String name, String text) throws IOException {
        Files.writeString(directory.resolve(name), text);
    }

    /** Returns the events of a number of reads. */
    private List<String> after(int reads) {
        for (int i = 0; i < reads; i++) {
            manifests.readAgain();
        }
        List<String> happened = List.copyOf(events);
        events.clear();
        return happened;
    }

    @Test
    void aVersionIsUsedAfterThreeReads() throws IOException {
        assertThat(after(5)).isEmpty();
        service("c");
        assertThat(after(2)).isEmpty();
        assertThat(after(1)).containsExactly("now [shop/a, shop/b, shop/c]");
        assertThat(after(5)).isEmpty();
        Files.delete(directory.resolve("b.yaml"));
        assertThat(after(2)).isEmpty();
        service("b");
        assertThat(after(5)).isEmpty();
        Files.delete(directory.resolve("b.yaml"));
        assertThat(after(3)).containsExactly("now [shop/a, shop/c]");
    }

    @Test
    void anInvalidVersionChangesNothingAndIsReportedOnce() throws IOException {
        Files.delete(directory.resolve("b.yaml"));
        write("c.yaml", "apiVersion: v1\nkind: Serv");
        assertThat(after(5)).singleElement().asString().contains("c.yaml").endsWith(KEPT);
        write("c.yaml", "apiVersion: v1\nkind: Service\nmetadata: {name: c}\nspec: {ports: [{port: 80}]}");
        assertThat(after(5))
                .singleElement()
                .asString()
                .contains("c.yaml:1", "the manifest must name a namespace")
                .endsWith(KEPT);
        // A valid version between two invalid ones also needs three reads.
        service("c");
        assertThat(after(2)).isEmpty();
        write("c.yaml", "{");
        assertThat(after(1)).hasSize(1);
        service("c");
        assertThat(after(2)).isEmpty();
        assertThat(after(1)).containsExactly("now [shop/a, shop/c]");
    }

    @Test
    void missingManifestsChangeNothing() throws IOException {
        Files.delete(directory.resolve("a.yaml"));
        Files.delete(directory.resolve("b.yaml"));
        assertThat(after(5)).singleElement().asString().endsWith(KEPT);
        Files.delete(directory);
        assertThat(after(5)).containsExactly("DIR: no such file or directory" + KEPT);
        Path unused = Files.createDirectory(directory);
        service("a");
        assertThat(after(5)).containsExactly("now [shop/a]");
    }
}
