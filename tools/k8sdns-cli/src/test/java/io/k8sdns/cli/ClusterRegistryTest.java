package io.k8sdns.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ClusterRegistryTest {
    @TempDir
    private Path directory;

    private final List<String> events = new ArrayList<>();
    private ClusterRegistry registry;

    /** Records the calls; a kubeconfig with the word "broken" is invalid. */
    private final class RecordingMembers implements ClusterRegistry.Members {
        @Override
        public void join(String name, ClusterRegistry.RegisteredCluster cluster) {
            String content = cluster.kubeconfig().orElse("manifests");
            if (content.contains("broken")) {
                throw new IllegalArgumentException("no current-context");
            }
            events.add("join " + name + " " + content
                    + cluster.endpoint()
                            .map(URI::toString)
                            .map(url -> " " + url)
                            .orElse(""));
        }

        @Override
        public void leave(String name) {
            events.add("leave " + name);
        }

        @Override
        public void problem(String text) {
            events.add("problem " + text.replace(directory + "/", "").replace(directory.toString(), "DIR"));
        }
    }

    @BeforeEach
    void create() {
        registry = new ClusterRegistry(directory, Set.of("given"), new RecordingMembers());
    }

    private void write(String name, String content) throws IOException {
        Files.writeString(directory.resolve(name), content);
    }

    private List<String> started() throws IOException {
        registry.start();
        return events();
    }

    /** Returns the events of a number of reads. */
    private List<String> after(int reads) {
        for (int i = 0; i < reads; i++) {
            registry.readAgain();
        }
        return events();
    }

    private List<String> events() {
        List<String> now = List.copyOf(events);
        events.clear();
        return now;
    }

    @Test
    void allClustersJoinAtTheStart() throws IOException {
        write("foo.kubeconfig", "one");
        write("bar.example", "two");
        write("bar.example.stubzone-endpoint", "https://dns.bar.example:8443\n");
        write(".hidden", "three");
        Files.createDirectory(directory.resolve("baz"));
        Files.createDirectory(directory.resolve("..data"));
        assertThat(started())
                .containsExactly(
                        "join bar.example two https://dns.bar.example:8443", "join baz manifests", "join foo one");
        assertThat(after(5)).isEmpty();
    }

    @Test
    void aClusterJoinsWhenItsFileIsNoLongerBeingWritten() throws IOException {
        assertThat(started()).isEmpty();
        write("foo", "o");
        assertThat(after(1)).isEmpty();
        write("foo", "one");
        assertThat(after(1)).isEmpty();
        assertThat(after(1)).containsExactly("join foo one");
        write("foo", "two");
        assertThat(after(2)).containsExactly("join foo two");
    }

    @Test
    void aNewEndpointLetsTheClusterJoinAgain() throws IOException {
        write("foo", "one");
        assertThat(started()).hasSize(1);
        write("foo.stubzone-endpoint", "https://192.0.2.1");
        assertThat(after(2)).containsExactly("join foo one https://192.0.2.1");
        write("foo.stubzone-endpoint", "192.0.2.1");
        assertThat(after(5))
                .containsExactly(
                        "problem foo: foo.stubzone-endpoint: not a URL: '192.0.2.1'; cluster foo stays as it was");
    }

    @Test
    void anInvalidFileIsReportedOnceAndTheLastOneIsKept() throws IOException {
        write("foo", "one");
        write("bar", "two");
        assertThat(started()).hasSize(2);
        write("foo", "broken");
        assertThat(after(9)).containsExactly("problem foo: no current-context; cluster foo stays as it was");
        write("foo", "one");
        assertThat(after(9)).as("it is the one that is in use").isEmpty();
        write("new", "broken");
        assertThat(after(9)).containsExactly("problem new: no current-context; cluster new cannot join");
    }

    /** Reading a pipe without a writer would block. */
    @Test
    void otherThanTextFilesAreReported() throws Exception {
        Path pipe = directory.resolve("pipe.kubeconfig");
        Process made = new ProcessBuilder("mkfifo", pipe.toString()).inheritIO().start();
        assertThat(made.waitFor()).isZero();
        Files.write(directory.resolve("junk"), new byte[] {(byte) 0xFF, 0});
        write("foo", "one");
        assertThat(started())
                .containsExactly(
                        "join foo one",
                        "problem junk: cannot be read: not UTF-8; cluster junk cannot join",
                        "problem pipe.kubeconfig: cannot be read: not a regular file; cluster pipe cannot join");
    }

    @Test
    void aClusterDoesNotLeaveIfItsFileCannotBeRead() throws IOException {
        write("foo", "one");
        write("bar", "two");
        assertThat(started()).hasSize(2);
        Files.delete(directory.resolve("foo"));
        // A dangling link, as in a mounted Secret during an update. Permissions would have no effect for root.
        Files.createSymbolicLink(directory.resolve("foo"), Path.of("nowhere"));
        assertThat(after(9)).containsExactly("problem foo: no such file or directory; cluster foo stays as it was");
        Files.delete(directory.resolve("foo"));
        write("foo", "");
        assertThat(after(1)).as("an empty file is one that is being written").isEmpty();
        write("foo", "one");
        assertThat(after(9)).isEmpty();
    }

    @Test
    void aClusterLeavesWhenItsFileIsMissingForAWhile() throws IOException {
        write("foo", "one");
        write("bar", "two");
        Files.createDirectory(directory.resolve("baz"));
        assertThat(started()).hasSize(3);
        Files.delete(directory.resolve("foo"));
        assertThat(after(ClusterRegistry.READS_UNTIL_REMOVED - 1)).isEmpty();
        write("foo", "one");
        assertThat(after(1)).as("it was replaced").isEmpty();
        Files.delete(directory.resolve("foo"));
        Files.delete(directory.resolve("baz"));
        assertThat(after(ClusterRegistry.READS_UNTIL_REMOVED)).containsExactly("leave baz", "leave foo");
        assertThat(after(9)).isEmpty();
        write("foo", "one");
        assertThat(after(2)).containsExactly("join foo one");
    }

    @Test
    void aDirectoryThatIsMissingOrEmptyChangesNothing() throws IOException {
        Path clusters = Files.createDirectory(directory.resolve("clusters"));
        registry = new ClusterRegistry(clusters, Set.of(), new RecordingMembers());
        write("clusters/foo", "one");
        assertThat(started()).hasSize(1);
        Path away = Files.move(clusters, directory.resolve("away"));
        assertThat(after(9))
                .containsExactly("problem clusters: no such file or directory; the clusters stay as they are");
        Files.createDirectory(clusters);
        assertThat(after(9)).containsExactly("problem clusters: no cluster in it; the clusters stay as they are");
        Files.delete(clusters);
        Files.move(away, clusters);
        assertThat(after(9)).isEmpty();
    }

    @Test
    void aDirectoryThatIsMissingAtTheStartIsAFailure() {
        registry = new ClusterRegistry(directory.resolve("nowhere"), Set.of(), new RecordingMembers());
        assertThatThrownBy(registry::start).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void invalidNamesAreReported() throws IOException {
        write("Foo", "one");
        write("given", "two");
        write("foo", "three");
        write("foo.yaml", "four");
        write("bar.stubzone-endpoint", "https://192.0.2.1");
        assertThat(started())
                .containsExactly(
                        "join foo three",
                        "problem Foo: not the name of a cluster (a DNS-1123 subdomain): 'Foo'",
                        "problem bar.stubzone-endpoint: there is no cluster of this name in the directory",
                        "problem foo.yaml: a second file or directory of cluster foo",
                        "problem given: cluster given is given by --cluster");
        assertThat(after(5)).isEmpty();
    }
}
