package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.manifest.following.FileScan;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.From;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.Size;

/**
 * Checks that, after any changes of files, the delivered changes make the same cluster as a fresh reading of the
 * contents in use.
 */
class ManifestFollowerLaws {
    private static final String NAMED = "named.txt";

    /** In a ConfigMap: every write mounts a new version. */
    private static final String MOUNTED = "mount/..data/d.yaml";

    /** The files, in order of precedence. */
    private static final List<String> FILES = List.of("a.yaml", "b.yaml", "below/c.json", MOUNTED, NAMED);

    private static final int SIZE = 2000;
    private static final Instant NOW = Instant.parse("2026-11-22T08:00:00Z");
    private static final FollowedFolder.StepReport NOTHING = new FollowedFolder.StepReport(List.of(), List.of(), "");

    /** None of these documents keeps an object of an earlier content ({@link RefusedDocumentsLaws} has such documents). */
    private static final List<String> DOCUMENTS = List.of(
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop}}",
            "{apiVersion: v1, kind: Namespace, metadata: {name: shop, labels: {is: new}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: shop}, spec: {ports: [{port: 80}]}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db}, spec: {clusterIP: None, selector: {app: db}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: db, uid: u-2}, spec: {selector: {app: db},"
                    + " ports: [{port: 1}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0, labels: {app: db}},"
                    + " spec: {containers: [{name: db, image: db}]}}",
            "{apiVersion: v1, kind: Pod, metadata: {name: db-0},"
                    + " spec: {containers: [{name: db, image: db}]}, status: {podIP: 192.0.2.7}}",
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {replicas: 2, serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}},"
                    + " spec: {containers: [{name: db, image: db}]}}}}",
            "{apiVersion: v1, kind: Service, metadata: {name: bad},"
                    + " spec: {clusterIP: 192.0.2.300, ports: [{port: 80}]}}",
            "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: passed-over}}");

    /** A content of a file: whether it is readable to its end, and its objects. */
    private record Content(boolean good, String text) {}

    /** A file that cannot be opened. */
    private static final Content UNREADABLE = new Content(false, "");

    /** An operation on a file. */
    private interface Edit {
        void in(World world) throws IOException;
    }

    /**
     * The operations before the next step.
     *
     * @param between whether the operations happen between the two scans of the step
     */
    private record Moment(List<Edit> edits, boolean between) {}

    /** The files, and their expected contents in use. */
    private static final class World {
        private final Path folder;
        private final boolean sameTime;
        private final Map<String, Content> existing = new HashMap<>();
        private final Set<String> modified = new HashSet<>();
        private Map<String, String> inUse = Map.of(NAMED, "");
        private int writes;

        World(Path folder, boolean sameTime) throws IOException {
            this.folder = folder;
            this.sameTime = sameTime;
            Files.createDirectories(folder.resolve("below"));
            Files.createDirectories(folder.resolve("mount/..0"));
            Files.createSymbolicLink(folder.resolve("mount/..data"), Path.of("..0"));
            Files.createSymbolicLink(folder.resolve("loop"), folder.resolve("loop"));
            write(NAMED, new Content(true, ""));
        }

        void write(String file, Content content) throws IOException {
            modified.add(file);
            existing.put(file, content);
            writes++;
            if (file.equals(MOUNTED)) {
                Path version = Files.createDirectories(folder.resolve("mount/.." + writes));
                put(version.resolve("d.yaml"), content);
                Path link = Files.createSymbolicLink(folder.resolve("mount/..tmp"), version.getFileName());
                Files.move(link, folder.resolve("mount/..data"), StandardCopyOption.ATOMIC_MOVE);
            } else {
                put(folder.resolve(file), content);
            }
        }

        private void put(Path path, Content content) throws IOException {
            if (Files.isSymbolicLink(path) || content.equals(UNREADABLE)) {
                Files.deleteIfExists(path);
            }
            if (content.equals(UNREADABLE)) {
                Files.createSymbolicLink(path, folder.resolve("loop"));
            } else {
                // All of one size, so that the size does not distinguish them.
                Files.writeString(
                        path,
                        content.text() + "\n#"
                                + "-".repeat(SIZE - content.text().length()));
                date(path);
            }
        }

        private void date(Path path) throws IOException {
            Instant when = sameTime ? NOW : NOW.minus(Duration.ofDays(1)).plusSeconds(writes);
            Files.setLastModifiedTime(path, FileTime.from(when));
        }

        void delete(String file) throws IOException {
            modified.add(file);
            existing.remove(file);
            Files.deleteIfExists(folder.resolve(file));
        }

        void rename(String from, String to) throws IOException {
            if (existing.containsKey(from) && !from.equals(to)) {
                modified.addAll(List.of(from, to));
                existing.put(to, existing.remove(from));
                writes++;
                Path path = Files.move(folder.resolve(from), folder.resolve(to), StandardCopyOption.REPLACE_EXISTING);
                if (!Files.isSymbolicLink(path)) {
                    date(path);
                }
            }
        }

        /**
         * Returns the expected contents in use, in the order of precedence.
         *
         * @param atRest whether the modified files are complete
         */
        Map<String, String> expectedContents(boolean atRest) {
            Map<String, String> expectedContents = new LinkedHashMap<>();
            for (String file : FILES) {
                Content content = existing.get(file);
                boolean stays = !atRest && modified.contains(file);
                if (stays && (content != null || file.equals(NAMED)) || content != null && !content.good()) {
                    Optional.ofNullable(inUse.get(file)).ifPresent(text -> expectedContents.put(file, text));
                } else if (content != null) {
                    expectedContents.put(file, content.text());
                }
            }
            if (!atRest) {
                // Files that are missing for a moment are last.
                FILES.stream()
                        .filter(file -> modified.contains(file) && inUse.containsKey(file))
                        .forEach(file -> expectedContents.putIfAbsent(file, inUse.get(file)));
            }
            return expectedContents;
        }
    }

    @Property(tries = 100)
    void deliveredChangesMakeTheClusterOfAFreshReading(
            @ForAll @Size(max = 6) List<@From("moments") Object> moments,
            @ForAll @From("options") ManifestOptions options,
            @ForAll boolean sameTime)
            throws IOException {
        Path folder = Files.createTempDirectory("k8sdns-laws");
        try {
            World world = new World(folder, sameTime);
            FollowedFolder followed = new FollowedFolder(List.of(folder, folder.resolve(NAMED)), options, () -> NOW);
            ClusterSnapshot expected = read(world.inUse, options);
            for (Object one : moments) {
                Moment moment = (Moment) one;
                boolean atRest = sameTime || !moment.between();
                world.modified.clear();
                Set<String> existingBefore = Set.copyOf(world.existing.keySet());
                FileScan before = followed.scan();
                for (Edit edit : moment.edits()) {
                    edit.in(world);
                }
                // The scans cannot notice a change of a file that is missing in both.
                world.modified.removeIf(file -> !existingBefore.contains(file) && !world.existing.containsKey(file));
                FileScan now = followed.scan();
                followed.step(atRest ? now : before, now);

                Map<String, String> expectedContents = world.expectedContents(atRest);
                try {
                    expected = read(expectedContents, options);
                    world.inUse = expectedContents;
                } catch (ManifestException refused) {
                    assertThat(options.strict()).isTrue();
                }
                assertThat(followed.cluster()).isEqualTo(expected);
                if (atRest) {
                    assertThat(followed.step()).isEqualTo(NOTHING);
                }
            }
        } finally {
            deleteAll(folder);
        }
    }

    private static ClusterSnapshot read(Map<String, String> texts, ManifestOptions options) throws IOException {
        List<ManifestInput> inputs = new ArrayList<>();
        texts.forEach((file, text) -> inputs.add(
                ManifestInput.stream(file, new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))));
        return Manifests.read(inputs, options).snapshot();
    }

    private static void deleteAll(Path folder) throws IOException {
        try (Stream<Path> all = Files.walk(folder)) {
            for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(path);
            }
        }
    }

    @Provide
    Arbitrary<ManifestOptions> options() {
        return Arbitraries.of(
                ManifestOptions.DEFAULTS,
                ManifestOptions.DEFAULTS.withAsIs(),
                ManifestOptions.DEFAULTS.withAsIs().withStrict());
    }

    @Provide
    Arbitrary<Object> moments() {
        return Combinators.combine(edits().list().ofMinSize(1).ofMaxSize(3), Arbitraries.of(false, false, true))
                .as(Moment::new);
    }

    private static Arbitrary<Edit> edits() {
        Arbitrary<String> files = Arbitraries.of(FILES);
        return Arbitraries.frequencyOf(
                Tuple.of(
                        6,
                        Combinators.combine(files, contents())
                                .as((file, content) -> world -> world.write(file, content))),
                Tuple.of(1, files.map(file -> world -> world.delete(file))),
                Tuple.of(1, Combinators.combine(files, files).as((from, to) -> world -> world.rename(from, to))));
    }

    private static Arbitrary<Content> contents() {
        Arbitrary<List<String>> documents = Arbitraries.of(DOCUMENTS).list().ofMaxSize(4);
        Arbitrary<Content> good = documents.map(all -> new Content(true, String.join("\n---\n", all)));
        Arbitrary<Content> broken = Combinators.combine(
                        documents, Arbitraries.of("kind: [", "- no object", "404: Not Found"))
                .as((all, bad) -> new Content(
                        false, String.join("\n---\n", all) + "\n---\n" + bad + "\n---\n" + DOCUMENTS.get(0)));
        return Arbitraries.frequencyOf(
                Tuple.of(6, good), Tuple.of(2, broken), Tuple.of(1, Arbitraries.just(UNREADABLE)));
    }
}
