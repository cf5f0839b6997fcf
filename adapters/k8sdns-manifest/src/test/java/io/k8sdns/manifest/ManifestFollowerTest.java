package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.k8sdns.cluster.Addressing;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.manifest.FollowedFolder.StepReport;
import io.k8sdns.manifest.following.FileScan;
import io.k8sdns.manifest.following.ManifestFollower;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.IpNetwork;
import io.k8sdns.model.Labels;
import io.k8sdns.model.ObjectRef;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests changes of files. No test waits: every step has two scans. */
class ManifestFollowerTest {
    private static final String BROKEN = "apiVersion: v1\nkind: [\n";
    private static final ManifestOptions AS_IS = ManifestOptions.DEFAULTS.withAsIs();
    private static final ObjectRef WEB = ObjectRef.of("Service", "default", "web");

    @TempDir
    private Path directory;

    private Path write(String file, String... documents) throws IOException {
        Path path = directory.resolve(file);
        Files.createDirectories(path.getParent());
        return Files.writeString(path, String.join("\n---\n", documents));
    }

    private void link(String file, String target) throws IOException {
        Path link = directory.resolve(file);
        Files.deleteIfExists(link);
        Files.createSymbolicLink(link, Path.of(target));
    }

    private void delete(String file) throws IOException {
        Files.delete(directory.resolve(file));
    }

    private void rename(String from, String to) throws IOException {
        Files.move(directory.resolve(from), directory.resolve(to), StandardCopyOption.ATOMIC_MOVE);
    }

    private static String namespace(String name) {
        return namespace(name, "any");
    }

    private static String namespace(String name, String label) {
        return "{apiVersion: v1, kind: Namespace, metadata: {name: " + name + ", labels: {is: " + label + "}}}";
    }

    private static String service(String name) {
        return "{apiVersion: v1, kind: Service, metadata: {name: " + name + "}, spec: {ports: [{port: 80}]}}";
    }

    /** A clock that a test advances by seconds. */
    private final AtomicInteger seconds = new AtomicInteger();

    private FollowedFolder followInTime(ManifestOptions options) throws IOException {
        Instant begun = InstantSource.system().instant();
        return new FollowedFolder(List.of(directory), options, () -> begun.plusSeconds(seconds.get()));
    }

    private FollowedFolder follow(Path... paths) throws IOException {
        return follow(AS_IS, paths);
    }

    private FollowedFolder follow(ManifestOptions options, Path... paths) throws IOException {
        return new FollowedFolder(
                paths.length == 0 ? List.of(directory) : Arrays.asList(paths), options, InstantSource.system());
    }

    @Test
    void onlyTheDifferenceOfAChangedFileIsReported() throws IOException {
        write("a.yaml", namespace("kept"), namespace("changed"), namespace("gone"));
        FollowedFolder followed = follow();

        write("a.yaml", namespace("new"), namespace("kept"), namespace("changed", "otherwise"));

        assertThat(followed.step().changes())
                .containsExactly("- Namespace gone", "+ Namespace changed", "+ Namespace new");
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void aChangeOfOnlyAWorkloadWithoutPodsIsReported() throws IOException {
        write(
                "a.yaml",
                namespace("default"),
                "{apiVersion: batch/v1, kind: CronJob, metadata: {name: nightly}, spec: {jobTemplate: {}}}");
        FollowedFolder followed = follow();
        assertThat(followed.result().snapshot().idleWorkloads()).hasSize(1);

        write("a.yaml", namespace("default"));
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), "read 1 file: 1 Namespace"));
        assertThat(followed.result().snapshot().idleWorkloads()).isEmpty();
        assertThat(followed.step().summary()).isEmpty();
    }

    @Test
    void aRemovalHasTheUidOfTheRemovedObject() throws IOException {
        write("a.yaml", "{apiVersion: v1, kind: Namespace, metadata: {name: a, uid: u-1}}");
        ManifestFollower follower =
                WatchedManifests.follower(List.of(directory), AS_IS, any -> List.of(), InstantSource.system());
        follower.begin(follower.scan());
        delete("a.yaml");

        assertThat(follower.step(follower.scan(), follower.scan()).orElseThrow().changes())
                .singleElement()
                .hasToString("Remove[ref=Namespace a, uid=Optional[u-1]]");
    }

    @Test
    void aNewFileBelowADirectoryIsFound() throws IOException {
        FollowedFolder followed = follow();

        write("sub/below/a.json", namespace("a"));

        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
    }

    @Test
    void theObjectsOfADeletedFileAreRemoved() throws IOException {
        write("a.yaml", namespace("a"));
        write("b.yaml", namespace("b"));
        FollowedFolder followed = follow();

        delete("a.yaml");

        assertThat(followed.step())
                .isEqualTo(new StepReport(List.of("- Namespace a"), List.of(), "read 1 file: 1 Namespace"));
    }

    @Test
    void aNamedFileMayBeDeletedAndCreatedAgain() throws IOException {
        Path file = write("a.txt", namespace("a"));
        FollowedFolder followed = follow(file);
        delete("a.txt");

        StepReport deleted = followed.step();
        assertThat(deleted.changes()).containsExactly("- Namespace a");
        assertThat(deleted.diagnostics()).containsExactly("WARNING a.txt: cannot be read: no such file or directory");
        assertThat(followed.step().diagnostics()).isEmpty();

        write("a.txt", namespace("a"));
        assertThat(followed.step())
                .isEqualTo(new StepReport(List.of("+ Namespace a"), List.of(), "read 1 file: 1 Namespace"));
    }

    @Test
    void aDirectoryMayBeDeletedWithItsParentAndCreatedAgain() throws IOException {
        write("x/y/a.yaml", namespace("a"));
        FollowedFolder followed = follow(directory.resolve("x/y"));
        delete("x/y/a.yaml");
        delete("x/y");
        delete("x");

        assertThat(followed.step().changes()).containsExactly("- Namespace a");

        write("x/y/b.yaml", namespace("a"));
        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
    }

    @Test
    void aFileThatNoLongerParsesKeepsItsObjectsAndIsReportedOnce() throws IOException {
        write("a.yaml", namespace("a"), namespace("b"));
        FollowedFolder followed = follow();

        write("a.yaml", namespace("new"), BROKEN);

        StepReport broken = followed.step();
        assertThat(broken.changes()).isEmpty();
        assertThat(broken.diagnostics()).hasSize(2).satisfies(lines -> {
            assertThat(lines.get(0)).startsWith("WARNING a.yaml:5: the document is skipped: ");
            assertThat(lines.get(1)).isEqualTo("WARNING a.yaml:5: does not parse: its last content stays in use");
        });
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "404: Not Found",
                "<html><body>502 Bad Gateway</body></html>",
                "oops",
                "7",
                "- a",
                "[{apiVersion: v1, kind: Namespace, metadata: {name: a}}]",
                "{\"error\": \"not found\"}",
                "{\"items\": [{\"apiVersion\": \"v1\", \"kind\": \"Namespace\", \"metadata\": {\"name\": \"a\"}}]}"
            })
    void aFileWithOtherContentThanObjectsKeepsItsObjects(String other) throws IOException {
        write("a.yaml", namespace("a"));
        write("b.json", namespace("b"));
        FollowedFolder followed = follow();

        write("a.yaml", other);
        write("b.json", other);

        StepReport report = followed.step();
        assertThat(report.changes()).isEmpty();
        assertThat(report.diagnostics()).hasSize(4).satisfies(lines -> {
            assertThat(lines.get(0)).startsWith("NOTE a.yaml:1: ").endsWith(", not a Kubernetes object");
            assertThat(lines.get(1)).isEqualTo("WARNING a.yaml:1: does not parse: its last content stays in use");
            assertThat(lines.get(2)).startsWith("NOTE b.json:1: ");
            assertThat(lines.get(3)).isEqualTo("WARNING b.json:1: does not parse: its last content stays in use");
        });
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void aFileWithADocumentThatIsNotAnObjectKeepsItsObjects() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        write("a.yaml", namespace("new"), "404: Not Found");
        write("b.yaml", namespace("b"), "404: Not Found");
        StepReport report = followed.step();
        assertThat(report.changes()).isEmpty();
        assertThat(report.diagnostics())
                .contains(
                        "WARNING a.yaml:3: does not parse: its last content stays in use",
                        "WARNING b.yaml:3: does not parse: nothing of it is used");

        write("a.yaml", namespace("new"));
        write("b.yaml", namespace("b"));
        assertThat(followed.step().changes()).containsExactly("- Namespace a", "+ Namespace b", "+ Namespace new");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "# nothing",
                "---",
                "null",
                "{}",
                "[]",
                "{apiVersion: v1, kind: List, items: []}",
                "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: a}}"
            })
    void aFileWithoutUsableObjectsRemovesItsObjects(String nothing) throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        write("a.yaml", nothing);

        assertThat(followed.step().changes()).containsExactly("- Namespace a");
    }

    @Test
    void aFileThatNeverHeldObjectsIsNotReportedAsBroken() throws IOException {
        write("values.yaml", "replicas: 1");
        FollowedFolder followed = follow();

        write("values.yaml", "# more", "replicas: 2");
        write("others.yaml", "replicas: 3");

        assertThat(followed.step().diagnostics())
                .containsExactly(
                        "NOTE others.yaml:1: a mapping, not a Kubernetes object",
                        "NOTE values.yaml:3: a mapping, not a Kubernetes object");
    }

    @Test
    void aFileThatParsesAgainIsReadAndReportedWhenItBreaksAgain() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();
        write("a.yaml", BROKEN);
        followed.step();

        write("a.yaml", namespace("b"));
        assertThat(followed.step().changes()).containsExactly("- Namespace a", "+ Namespace b");

        write("a.yaml", BROKEN);
        assertThat(followed.step().diagnostics()).hasSize(2);
        assertThat(followed.cluster())
                .isEqualTo(ManifestText.asIs(namespace("b")).snapshot());
    }

    private static final String SET =
            "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: db}, spec: {serviceName: db,"
                    + " selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}},"
                    + " spec: {containers: [{name: a, image: b}]}}}}";

    /** A document that the API server refuses, in place of a valid one of the same name. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {selector: {app: web}}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{$patch: delete, port: 80}]}}",
                "{apiVersion: v1, kind: Servce, metadata: {name: web}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: V1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v2, kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}",
                "{kind: Service, metadata: {name: web}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, metadata: {name: web}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: Port, ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: 5}",
                "{apiVersion: v1, kind: Service, metadata: {name: web, namespace: 5}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: WEB}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: {nam: web}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: web, spec: {ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: List, items: [web]}",
                "{apiVersion: v1, kind: List, items: {web: 1}}",
                "{apiVersion: v1, kind: List, item: [{apiVersion: v1, kind: Service, metadata: {name: web}}]}",
                "{apiVersion: v1, kind: List, items: [{apiVersion: v1, kind: Service, metadata: {name: web}}]}",
            })
    void aRefusedDocumentKeepsTheObjectThatTheFileHeldBefore(String refused) throws IOException {
        write("a.yaml", service("web"), namespace("gone"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);
        ClusterObject web = followed.result().snapshot().get(WEB).orElseThrow();

        write("a.yaml", namespace("new"), refused);
        StepReport report = followed.step();
        assertThat(report.changes()).contains("+ Namespace new").doesNotContain("- Service default/web");
        assertThat(followed.result().snapshot().get(WEB)).contains(web);
        assertThat(report.diagnostics())
                .contains("WARNING a.yaml: Service default/web: its last valid version stays in use,"
                        + " as its document was skipped")
                .hasSizeGreaterThan(1);
        assertThat(followed.step()).as("reported once").isEqualTo(new StepReport(List.of(), List.of(), ""));

        write("a.yaml", namespace("new"), refused, "# touched");
        assertThat(followed.step().changes())
                .as("the object is kept as long as the document is refused")
                .isEmpty();
        assertThat(followed.result().snapshot().get(WEB)).contains(web);

        write("a.yaml", namespace("new"));
        assertThat(followed.step().changes()).contains("- Service default/web");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{port: 70000}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: x, ports: [{port: 80}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {ports: [{name: a, port: 1}, {port: 2}]}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterip: None, ports: [{port: 1}]}}",
            })
    void anObjectWithAFaultDoesNotReplaceTheOneThatTheFileHeldBefore(String faulty) throws IOException {
        write("a.yaml", service("web"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);
        ClusterSnapshot before = followed.cluster();

        write("a.yaml", faulty, namespace("new"));
        StepReport report = followed.step();
        assertThat(report.changes()).containsExactly("+ Namespace new");
        assertThat(report.diagnostics())
                .contains("WARNING a.yaml:1: Service default/web: skipped because of its faults;"
                        + " its last valid version stays in use");

        write("a.yaml", service("web"));
        assertThat(followed.step().changes()).containsExactly("- Namespace new");
        assertThat(followed.cluster()).isEqualTo(before);
    }

    @Test
    void theObjectOfADeletedDocumentIsRemovedDespiteARefusedOne() throws IOException {
        String patch = "{apiVersion: v1, kind: Service, metadata: {name: other}, spec: {selector: {app: a}}}";
        write("a.yaml", service("web"), service("other"), patch);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", service("other"), patch);
        assertThat(followed.step().changes()).containsExactly("- Service default/web");

        write("a.yaml", patch);
        assertThat(followed.step().changes()).containsExactly("- Service default/other");
    }

    /** None of these documents can be an edit of the Service, because the file had them together with the Service. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{apiVersion: v1, kind: Pod, metadata: {generateName: job-}, spec: {containers: [{name: a, image: a}]}}",
                "{apiVersion: v1, kind: Service, metadata: {generateName: web-}, spec: {ports: [{port: 80}]}}",
                "{apiVersion: apps/v1, kind: StatefulSet, metadata: {name: web}, spec: {replicas: 2}}",
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort}}",
            })
    void aDocumentThatWasSkippedBeforeKeepsNoObject(String skipped) throws IOException {
        write("a.yaml", service("web"), service("other"), skipped);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", service("other"), skipped);
        StepReport report = followed.step();
        assertThat(report.changes()).containsExactly("- Service default/web");
        assertThat(report.diagnostics()).isEmpty();
    }

    /** An additional document like those that the file had before can be an edit of the object. */
    @ParameterizedTest
    @ValueSource(strings = {"{generateName: web-}", "{name: web}"})
    void anObjectIsKeptWhileMoreDocumentsAreSkippedThanBefore(String metadata) throws IOException {
        String skipped = "{apiVersion: v1, kind: Service, metadata: " + metadata + ", spec: {type: NodePort}}";
        write("a.yaml", service("web"), skipped);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", skipped, skipped);
        assertThat(followed.step().changes()).isEmpty();
        write("a.yaml", namespace("new"), skipped, skipped);
        assertThat(followed.step().changes()).containsExactly("+ Namespace new");
        write("a.yaml", namespace("new"), skipped);
        assertThat(followed.step().changes()).containsExactly("- Service default/web");
    }

    @Test
    void anObjectKeptForItsFaultsIsNotKeptByADocumentSkippedWithThem() throws IOException {
        String patch = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort}}";
        write("a.yaml", service("web"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", service("web").replace("80", "70000"), patch);
        assertThat(followed.step().changes()).isEmpty();
        write("a.yaml", patch);
        assertThat(followed.step().changes()).containsExactly("- Service default/web");
    }

    @Test
    void aDocumentThatIsNotUsedHasNoNotes() throws IOException {
        String complete = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: ClusterIP,"
                + " sessionAffinity: None, ports: [{port: 80, protocol: TCP, targetPort: 80}]}}";
        write("a.yaml", complete);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", service("web").replace("port: 80", "port: 80}, {port: 70000"), service("other"));
        assertThat(followed.step().diagnostics())
                .filteredOn(one -> one.contains("completed: spec.type"))
                .singleElement()
                .asString()
                .contains("Service default/other");
    }

    @ParameterizedTest
    @ValueSource(strings = {"a.yaml", "c.yaml"})
    void aValidDocumentOfAnotherFileReplacesAKeptObject(String other) throws IOException {
        write("b.yaml", service("web"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("b.yaml", "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort}}");
        write(other, service("web").replace("80", "90"));

        assertThat(followed.step().changes()).containsExactly("+ Service default/web");
        assertThat(followed.result().snapshot().objects(ClusterIpService.class))
                .singleElement()
                .hasToString(ManifestText.asApplied(service("web").replace("80", "90"))
                        .only(ClusterIpService.class)
                        .toString());
    }

    /** The files in the order in which they become invalid; the object in use then is kept. */
    @ParameterizedTest
    @ValueSource(strings = {"b.yaml a.yaml", "a.yaml b.yaml"})
    void ofTwoKeptObjectsTheOneThatWasValidLastIsUsed(String files) throws IOException {
        String service =
                "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterIP: 10.96.0.%s, ports: [{port: 80}]%s}}";
        write("a.yaml", service.formatted(1, ""));
        write("b.yaml", service.formatted(2, ""));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);
        String[] inOrder = files.split(" ", -1);
        write(inOrder[0], service.formatted(3, ", sessionAffinity: Foo"));
        followed.step();
        ClusterSnapshot before = followed.cluster();

        write(inOrder[1], service.formatted(4, ", sessionAffinity: Foo"));
        followed.step();

        assertThat(followed.cluster()).isEqualTo(before);
    }

    @Test
    void aKindThatIsNotReadRemovesAnObject() throws IOException {
        write("a.yaml", SET);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", "{apiVersion: apps/v1, kind: ControllerRevision, metadata: {name: db}}");

        assertThat(followed.step().changes()).contains("- Pod default/db-0");
    }

    @Test
    void aStatefulSetThatIsRefusedKeepsItsPods() throws IOException {
        write("a.yaml", SET);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", SET.replace("apps/v1", "app/v1"));
        assertThat(followed.step().changes()).isEmpty();
        String refused = SET.replace("app: db", "app: sql").replace("labels: {app: sql}", "labels: {app: db}");
        write("a.yaml", refused);
        assertThat(followed.step().changes()).isEmpty();
        assertThat(followed.result().snapshot().idleWorkloads()).isEmpty();
        assertThat(follow(ManifestOptions.DEFAULTS).result().snapshot().idleWorkloads())
                .as("read for the first time, so that no version is valid")
                .extracting(one -> one.workload().ref(), IdleWorkload::field)
                .containsExactly(tuple(ObjectRef.of("StatefulSet", "default", "db"), "spec.template.metadata.labels"));
    }

    @Test
    void aChangeOfARefusedWorkloadIsRead() throws IOException {
        String refused = SET.replace("matchLabels: {app: db}", "matchLabels: {}");
        write("a.yaml", refused);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", refused.replace("app: db", "app: sql"));
        followed.step();
        assertThat(followed.result().snapshot().idleWorkloads())
                .extracting(one -> one.workload().template().labels())
                .containsExactly(Labels.parse("app=sql"));
    }

    @Test
    void otherFilesAreReadWhileOneIsBroken() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();
        write("a.yaml", BROKEN);
        write("b.yaml", namespace("b"));

        assertThat(followed.step().changes()).containsExactly("+ Namespace b");

        write("b.yaml", namespace("c"));
        assertThat(followed.step())
                .isEqualTo(new StepReport(
                        List.of("- Namespace b", "+ Namespace c"),
                        List.of(),
                        "read 2 files: 2 Namespaces; 2 warnings"));
    }

    @Test
    void aNewBrokenFileAddsNothingUntilItParses() throws IOException {
        FollowedFolder followed = follow();

        write("a.yaml", namespace("a"), BROKEN);
        StepReport broken = followed.step();
        assertThat(broken.changes()).isEmpty();
        assertThat(broken.diagnostics()).last().isEqualTo("WARNING a.yaml:5: does not parse: nothing of it is used");

        write("a.yaml", namespace("a"));
        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
    }

    @Test
    void aFileThatIsBrokenAtTheStartIsReadUpToTheFault() throws IOException {
        write("a.yaml", namespace("a"), BROKEN);
        FollowedFolder followed = follow();

        assertThat(followed.cluster())
                .isEqualTo(ManifestText.asIs(namespace("a")).snapshot());
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));

        write("a.yaml", namespace("b"), BROKEN);
        assertThat(followed.step().changes()).isEmpty();
    }

    @Test
    void anUnreadableTemplateIsReportedInOneLine() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        write("a.yaml", "{{ if }}\n---\n{{ end }}\n---\n{{ x }}");

        assertThat(followed.step().diagnostics())
                .containsExactly(
                        "WARNING a.yaml:1: a template that was not rendered; parts skipped: 3",
                        "WARNING a.yaml:1: does not parse: its last content stays in use");
    }

    @Test
    void aFileThatIsDeletedAndCreatedBrokenHasNoObjects() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();
        delete("a.yaml");
        followed.step();
        write("a.yaml", BROKEN);

        followed.step();

        assertThat(followed.cluster().objects()).isEmpty();
    }

    @Test
    void aFileThatCannotBeReadKeepsItsObjects() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        link("a.yaml", "a.yaml");

        StepReport report = followed.step();
        assertThat(report.changes()).isEmpty();
        assertThat(report.diagnostics())
                .singleElement()
                .asString()
                .startsWith("WARNING a.yaml: cannot be read: Too many levels of symbolic links")
                .endsWith("; its last content stays in use");
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void aDirectoryThatCannotBeReadKeepsItsObjects() throws IOException {
        write("x/a.yaml", namespace("a"));
        write("x/y/b.yaml", namespace("b"));
        FollowedFolder followed = follow(directory.resolve("x"));

        rename("x", "elsewhere");
        link("x", "x");

        StepReport report = followed.step();
        assertThat(report.changes()).isEmpty();
        assertThat(report.diagnostics()).singleElement().asString().startsWith("WARNING x: cannot be read: ");

        delete("x");
        rename("elsewhere", "x");
        write("x/a.yaml", namespace("c"));
        assertThat(followed.step().changes()).containsExactly("- Namespace a", "+ Namespace c");
    }

    @Test
    void aDanglingLinkHasNoObjects() throws IOException {
        write("data/a.txt", namespace("a"));
        link("a.yaml", "data/a.txt");
        FollowedFolder followed = follow();

        delete("data/a.txt");

        assertThat(followed.step())
                .isEqualTo(new StepReport(
                        List.of("- Namespace a"),
                        List.of("WARNING a.yaml: cannot be read: a link to a missing file"),
                        "read 0 files: no object that has records; 1 warning"));
    }

    @Test
    void aFileThatIsRenamedChangesNothing() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        rename("a.yaml", "b.yaml");

        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void aFileThatAnEditorRenamesOverAnotherIsReadEvenWithEqualSizeAndTime() throws IOException {
        FileTime longAgo = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
        Files.setLastModifiedTime(write("a.yaml", namespace("a")), longAgo);
        FollowedFolder followed = follow();

        Files.setLastModifiedTime(write("a.yaml~", namespace("b")), longAgo);
        rename("a.yaml~", "a.yaml");

        assertThat(followed.step().changes()).containsExactly("- Namespace a", "+ Namespace b");
    }

    @Test
    void aFileThatWasWrittenTwiceInAMomentIsReadAgainEvenWithEqualSizeAndTime() throws IOException {
        FileTime now = FileTime.from(InstantSource.system().instant());
        Files.setLastModifiedTime(write("a.yaml", namespace("a")), now);
        FollowedFolder followed = follow();

        Files.setLastModifiedTime(write("a.yaml", namespace("b")), now);

        assertThat(followed.step().changes()).containsExactly("- Namespace a", "+ Namespace b");
    }

    @Test
    void aFileThatIsReadAgainWithEqualContentCreatesNoNewObjects() throws IOException {
        FileTime written = FileTime.from(Instant.parse("2026-01-01T00:00:00Z"));
        Files.setLastModifiedTime(write("a.yaml", namespace("a")), written);
        AtomicInteger seconds = new AtomicInteger();
        AtomicInteger made = new AtomicInteger();
        ManifestFollower follower = WatchedManifests.follower(
                List.of(directory),
                AS_IS,
                cluster -> {
                    made.incrementAndGet();
                    return List.of();
                },
                () -> written.toInstant().plusSeconds(seconds.get()));
        follower.begin(follower.scan());

        seconds.set(10);

        assertThat(follower.step(follower.scan(), follower.scan())).isEmpty();
        assertThat(made).hasValue(1);
    }

    @Test
    void aMountedConfigMapIsFollowedFromVersionToVersion() throws IOException {
        write("..1/a.yaml", namespace("a"));
        link("..data", "..1");
        link("a.yaml", "..data/a.yaml");
        FollowedFolder folder = follow();
        FollowedFolder file = follow(directory.resolve("a.yaml"));

        write("..2/a.yaml", namespace("b"));
        link("..data_tmp", "..2");
        rename("..data_tmp", "..data");

        assertThat(folder.step().changes()).containsExactly("- Namespace a", "+ Namespace b");
        assertThat(file.step().changes()).containsExactly("- Namespace a", "+ Namespace b");
    }

    @Test
    void aMountedConfigMapWithABrokenNextVersionKeepsItsObjects() throws IOException {
        write("..1/a.yaml", namespace("a"));
        link("..data", "..1");
        link("a.yaml", "..data/a.yaml");
        FollowedFolder folder = follow();
        FollowedFolder file = follow(directory.resolve("a.yaml"));

        write("..2/a.yaml", BROKEN);
        link("..data_tmp", "..2");
        rename("..data_tmp", "..data");
        delete("..1/a.yaml");
        delete("..1");

        assertThat(folder.step().changes()).isEmpty();
        assertThat(file.step().changes()).isEmpty();
    }

    @Test
    void aFileThatIsBeingWrittenKeepsItsObjects() throws IOException {
        write("a.yaml", namespace("a"), namespace("b"));
        write("b.yaml", namespace("c"));
        FollowedFolder followed = follow();
        write("a.yaml", namespace("a"));
        write("b.yaml", namespace("d"));
        FileScan before = followed.scan();
        write("a.yaml", namespace("a"), namespace("b"), namespace("e"));

        StepReport half = followed.step(before, followed.scan());
        assertThat(half.changes()).containsExactly("- Namespace c", "+ Namespace d");
        assertThat(half.diagnostics())
                .containsExactly("WARNING a.yaml: cannot be read: it is being written; its last content stays in use");

        assertThat(followed.step().changes()).containsExactly("+ Namespace e");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n\t\r\n"})
    void aFileThatAShellEmptiesBeforeItIsWrittenKeepsItsObjects(String empty) throws IOException {
        write("a.yaml", namespace("a"), namespace("b"));
        FollowedFolder followed = followInTime(AS_IS);

        write("a.yaml", empty);
        StepReport emptied = followed.step();
        assertThat(emptied.changes()).isEmpty();
        assertThat(emptied.diagnostics())
                .containsExactly(
                        "WARNING a.yaml: cannot be read: it is empty, perhaps about to be written; its last content"
                                + " stays in use");
        seconds.set(4);
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));

        write("a.yaml", namespace("a"), namespace("c"));
        assertThat(followed.step())
                .isEqualTo(new StepReport(
                        List.of("- Namespace b", "+ Namespace c"), List.of(), "read 1 file: 2 Namespaces"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " \n\t\r\n"})
    void aFileThatStaysEmptyLosesItsObjects(String empty) throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = followInTime(AS_IS);

        write("a.yaml", empty);
        assertThat(followed.step().changes()).isEmpty();

        seconds.set(5);
        assertThat(followed.step().changes()).containsExactly("- Namespace a");
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void aFileThatIsEmptiedAgainKeepsItsObjectsForTheFullTime() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = followInTime(AS_IS);
        Files.setLastModifiedTime(write("a.yaml", ""), FileTime.fromMillis(1_000));
        followed.step();
        seconds.set(4);
        Files.setLastModifiedTime(write("a.yaml", ""), FileTime.fromMillis(2_000));
        followed.step();

        seconds.set(8);
        assertThat(followed.step().changes()).isEmpty();
        seconds.set(9);
        assertThat(followed.step().changes()).containsExactly("- Namespace a");
    }

    @Test
    void anEmptiedFileThatHadNoObjectsIsAcceptedImmediately() throws IOException {
        write("a.yaml", "# nothing yet");
        FollowedFolder followed = followInTime(AS_IS);

        write("a.yaml", "");
        write("b.yaml", "");

        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));
    }

    @Test
    void underStrictnessAnObjectMovedToAnotherFileIsReadWhenTheEmptyFileIsAccepted() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = followInTime(AS_IS.withStrict());
        write("a.yaml", "");
        write("b.yaml", namespace("a", "otherwise"));

        assertThat(followed.step().summary()).startsWith("the cluster does not change: ");
        seconds.set(3);
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));

        seconds.set(5);
        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
    }

    @Test
    void aFileThatIsMissingForAMomentKeepsItsObjects() throws IOException {
        write("a.yaml", namespace("a"));
        write("b.yaml", namespace("b"));
        FollowedFolder followed = follow();
        FileScan before = followed.scan();
        delete("a.yaml");

        assertThat(followed.step(before, followed.scan()).changes()).isEmpty();
        assertThat(followed.step().changes()).containsExactly("- Namespace a");
    }

    @Test
    void aNewFileIsNotReadWhileItIsBeingWritten() throws IOException {
        FollowedFolder followed = follow();
        FileScan before = followed.scan();
        write("a.yaml", namespace("a"));

        assertThat(followed.step(before, followed.scan()).changes()).isEmpty();
        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
    }

    @Test
    void underStrictnessARefusedStepDoesNotChangeTheCluster() throws IOException {
        write("a.yaml", namespace("a"));
        write("b.yaml", namespace("b"));
        FollowedFolder followed = follow(AS_IS.withStrict());
        write("b.yaml", namespace("c"), namespace("a", "otherwise"));

        StepReport refused = followed.step();
        assertThat(refused.changes()).isEmpty();
        assertThat(refused.diagnostics())
                .singleElement()
                .asString()
                .startsWith("WARNING b.yaml:3: Namespace a: given before at ");
        assertThat(refused.summary()).startsWith("the cluster does not change: ");
        assertThat(followed.step()).isEqualTo(new StepReport(List.of(), List.of(), ""));

        delete("a.yaml");
        assertThat(followed.step().changes()).containsExactly("- Namespace b", "+ Namespace a", "+ Namespace c");
    }

    @Test
    void underStrictnessAFileThatDoesNotParseDelaysNoOther() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow(AS_IS.withStrict());
        write("a.yaml", BROKEN);
        write("b.yaml", namespace("b"));

        assertThat(followed.step().changes()).containsExactly("+ Namespace b");
    }

    @Test
    void ofTwoObjectsOfOneNameTheEarlierIsUsedWhenTheLaterIsRemoved() throws IOException {
        write("a.yaml", namespace("a", "first"));
        write("b.yaml", namespace("a", "second"));
        FollowedFolder followed = follow();

        delete("b.yaml");

        assertThat(followed.step().changes()).containsExactly("+ Namespace a");
        assertThat(followed.cluster())
                .isEqualTo(ManifestText.asIs(namespace("a", "first")).snapshot());
    }

    @Test
    void theEndpointsOfAServiceFollowThePodsOfAnotherFile() throws IOException {
        write("service.yaml", """
                apiVersion: v1
                kind: Service
                metadata: {name: web}
                spec: {clusterIP: None, selector: {app: web}, ports: [{port: 80}]}
                """);
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write(
                "pod.yaml",
                "{apiVersion: v1, kind: Pod, metadata: {name: web-0, labels: {app: web}},"
                        + " spec: {containers: [{name: a, image: b}]}}");

        assertThat(followed.step().changes())
                .anySatisfy(change -> assertThat(change).startsWith("+ EndpointSlice default/web"))
                .contains("+ Pod default/web-0")
                .allSatisfy(change -> assertThat(change).startsWith("+ "));
    }

    @Test
    void aSynthesizedAddressIsKeptWhenAnotherObjectChanges() throws IOException {
        write("a.yaml", service("web"), service("db"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", "# moved\n" + service("db"), service("another"), service("web"));

        assertThat(followed.step().changes()).containsExactly("+ Service default/another");
    }

    @Test
    void aSynthesizedAddressChangesWhenAnotherObjectRequestsIt() throws IOException {
        Addressing small = new Addressing(List.of(IpNetwork.parse("192.0.2.0/27")), Addressing.DEFAULTS.podCidrs());
        ManifestOptions options = ManifestOptions.DEFAULTS.withAddressing(small);
        write("a.yaml", service("web"), service("db"));
        FollowedFolder followed = follow(options);
        String taken = followed.cluster()
                .objects(ClusterIpService.class)
                .filter(service -> service.name().equals("web"))
                .findFirst()
                .orElseThrow()
                .clusterIps()
                .get(0)
                .toString();

        write(
                "b.yaml",
                "{apiVersion: v1, kind: Service, metadata: {name: fixed}," + " spec: {clusterIP: " + taken
                        + ", ports: [{port: 80}]}}");

        assertThat(followed.step().changes()).containsExactly("+ Service default/fixed", "+ Service default/web");
    }

    @Test
    void aDiagnosticIsNotRepeatedWhenItsObjectMoves() throws IOException {
        write("a.yaml", service("web"));
        FollowedFolder followed = follow(ManifestOptions.DEFAULTS);

        write("a.yaml", "# a comment\n\n" + service("web"));
        write("b.yaml", service("db"));

        assertThat(followed.step().diagnostics())
                .isNotEmpty()
                .allSatisfy(line -> assertThat(line).startsWith("NOTE b.yaml:1: Service default/db: completed: "));
    }

    @Test
    void theSummaryCoversAllFiles() throws IOException {
        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();

        write("b.yaml", namespace("b"));

        assertThat(followed.step().summary()).isEqualTo("read 2 files: 2 Namespaces");
    }

    @Test
    void aNamedFileThatIsMissingAtTheStartIsAnError() {
        Path missing = directory.resolve("missing.yaml");

        assertThatThrownBy(() -> follow(directory, missing))
                .isInstanceOf(NoSuchFileException.class)
                .hasMessage(missing + ": no such file or directory");
    }

    @Test
    @Timeout(60)
    void aPathThatIsNotAFileIsAnErrorIfNamedAndOtherwiseSkipped() throws IOException {
        Path endless = Path.of("/dev/zero");
        assumeTrue(Files.exists(endless));
        assertThatThrownBy(() -> follow(endless))
                .isInstanceOf(FileSystemException.class)
                .hasMessage("/dev/zero: not a regular file");

        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();
        link("b.yaml", "/dev/zero");
        assertThat(followed.step().diagnostics()).containsExactly("WARNING b.yaml: cannot be read: not a regular file");
    }

    @Test
    void aFileThatCannotBeOpenedIsAnErrorIfNamedAndOtherwiseKeepsItsObjects() throws IOException {
        // A regular file, and not even the superuser can read it from its beginning.
        Path unreadable = Path.of("/proc/self/mem");
        assumeTrue(Files.exists(unreadable));
        assertThatThrownBy(() -> follow(unreadable))
                .isInstanceOf(FileSystemException.class)
                .hasMessageStartingWith("/proc/self/mem: ");

        write("a.yaml", namespace("a"));
        FollowedFolder followed = follow();
        link("a.yaml", "/proc/self/mem");
        StepReport report = followed.step();
        assertThat(report.changes()).isEmpty();
        assertThat(report.diagnostics()).singleElement().asString().startsWith("WARNING a.yaml: cannot be read: ");
    }

    @Test
    void anOmissionInTheFirstReadingIsAnErrorUnderStrictness() throws IOException {
        write("a.yaml", namespace("a"), BROKEN);

        assertThatThrownBy(() -> follow(AS_IS.withStrict())).isInstanceOf(ManifestException.class);
    }

    @Test
    void theFirstReadingHasTheDiagnosticsOfManifestsRead() throws IOException {
        write("a.yaml", namespace("a"), BROKEN, service("web"));
        write("b.yaml", namespace("a", "otherwise"), "{apiVersion: v1, kind: Deployment, metadata: {name: x}}");
        write("c.yaml", namespace("c"), "404: Not Found");
        link("d.yaml", "nowhere");

        assertThat(follow(ManifestOptions.DEFAULTS).result())
                .isEqualTo(Manifests.read(List.of(ManifestInput.path(directory)), ManifestOptions.DEFAULTS));
    }
}
