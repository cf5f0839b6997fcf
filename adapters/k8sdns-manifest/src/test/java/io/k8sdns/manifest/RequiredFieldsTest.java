package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.model.Endpoints;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Documents without a field that an API server requires are fragments, which are skipped. */
class RequiredFieldsTest {
    private static final String TEMPLATE =
            "template: {metadata: {labels: {app: db}}, spec: {containers: [{name: a, image: b}]}}";

    private static final String JOB = "template: {spec: {restartPolicy: Never, containers: [{name: a, image: b}]}}";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v1 | Service | {} | spec.ports: Required value",
                "v1 | Service | {type: NodePort} | spec.ports: Required value",
                "v1 | Service | {type: LoadBalancer, ports: []} | spec.ports: Required value",
                "v1 | Service | {clusterIP: 10.0.0.1, ports: null} | spec.ports: Required value",
                "v1 | Service | {type: ExternalName, ports: [{port: 80}]} | spec.externalName: Required value",
                "v1 | Service | {type: ExternalName, externalName: ''} | spec.externalName: Required value",
                "v1 | Pod | {} | spec.containers: Required value",
                "v1 | Pod | {containers: []} | spec.containers: Required value",
                "v1 | Pod | {containers: [{name: a}]} | spec.containers[0].image: Required value",
                "v1 | Pod | {containers: [{name: a, image: b}, {image: c}]} | spec.containers[1].name: Required value",
                "v1 | Pod | {containers: [{name: a, image: b}], initContainers: [{name: c}]} |"
                        + " spec.initContainers[0].image: Required value",
                "batch/v1 | Job | {completionMode: Indexed, parallelism: 2, JOB} | spec.completions: Required value",
                "batch/v1 | CronJob | {jobTemplate: {spec: {completionMode: Indexed, parallelism: 2, JOB}}} |"
                        + " spec.jobTemplate.spec.completions: Required value",
                "apps/v1 | StatefulSet | {replicas: 3} | spec.selector: Required value",
                "apps/v1 | StatefulSet | {selector: {matchLabels: {}}, TEMPLATE} |"
                        + " spec.selector: empty selector is invalid for statefulset",
                "apps/v1 | StatefulSet | {selector: {matchLabels: {app: web}}, TEMPLATE} |"
                        + " spec.template.metadata.labels: `selector` does not match template `labels`",
                "apps/v1 | StatefulSet | {selector: {matchExpressions: [{key: app, operator: Is}]}, TEMPLATE} |"
                        + " spec.template.metadata.labels: `selector` does not match template `labels`",
                "apps/v1 | StatefulSet | {selector: {matchExpressions: [{key: app, operator: DoesNotExist}]}, TEMPLATE} |"
                        + " spec.template.metadata.labels: `selector` does not match template `labels`",
                "apps/v1 | StatefulSet | {selector: {matchLabels: {app: db}}, template: {metadata: {labels: {app: db}}}} |"
                        + " spec.template.spec.containers: Required value",
            })
    void aMissingFieldIsReportedAndTheObjectSkipped(String apiVersion, String kind, String spec, String missing) {
        String text = "{apiVersion: " + apiVersion + ", kind: " + kind
                + ", metadata: {name: db, namespace: elsewhere}, spec: "
                + spec.replace("TEMPLATE", TEMPLATE).replace("JOB", JOB) + "}";
        ManifestText applied = ManifestText.asApplied(text);

        assertThat(applied.warnings())
                .containsExactly("refused test.yaml:1: " + kind + " elsewhere/db, " + missing + "; this " + kind
                        + " is skipped, as an API server would refuse it");
        assertThat(applied.snapshot().objects(Service.class)).isEmpty();
        assertThat(applied.snapshot().objects(Pod.class)).isEmpty();
        assertThat(applied.names(Namespace.class)).doesNotContain("elsewhere");
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining(missing);
    }

    @Test
    void theOtherFaultsOfASkippedObjectAreReported() {
        ManifestText applied = ManifestText.asApplied("{apiVersion: v1, kind: Service, metadata: {name: db}, spec:"
                + " {clusterIP: 10.0.0.300, sessionAffinity: Always}}");
        assertThat(applied.warnings())
                .hasSize(3)
                .anyMatch(text -> text.contains("spec.ports: Required value"))
                .anyMatch(text -> text.contains("spec.clusterIP"))
                .anyMatch(text -> text.contains("spec.sessionAffinity"));
        assertThat(applied.snapshot().objects(Service.class)).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v1 | Service | {clusterIP: None}",
                "v1 | Service | {clusterIP: None, clusterIPs: [None]}",
                "v1 | Service | {type: ExternalName, externalName: example.org}",
                "v1 | Pod | {containers: [{name: a, image: ' '}]}",
                "apps/v1 | StatefulSet | {selector: {matchLabels: {app: db}}, TEMPLATE}",
                "apps/v1 | StatefulSet | {selector: {matchExpressions: [{key: app, operator: Exists},"
                        + " {key: app, operator: In, values: [db]}, {key: b, operator: NotIn, values: [c]},"
                        + " {key: d, operator: DoesNotExist}]}, TEMPLATE}",
            })
    void objectsThatAnApiServerAcceptsAreAccepted(String apiVersion, String kind, String spec) {
        ManifestText text = ManifestText.of(
                "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: db}, spec: "
                        + spec.replace("TEMPLATE", TEMPLATE) + "}",
                ManifestOptions.DEFAULTS.withStrict());

        assertThat(text.result().summary()).startsWith("read 1 file: 1 " + kind);
    }

    /** Objects of an API server are not checked again. */
    @ParameterizedTest
    @ValueSource(strings = {"Service", "Pod"})
    void noFieldIsRequiredAsIs(String kind) {
        ManifestText text = ManifestText.of(
                "{apiVersion: v1, kind: " + kind + ", metadata: {name: db}}",
                ManifestOptions.DEFAULTS.withAsIs().withStrict());

        assertThat(text.has(kind, "default", "db")).isTrue();
    }

    @Test
    void onlyAWrongPartIsOmitted() {
        ManifestText text = ManifestText.asApplied("{apiVersion: v1, kind: Service, metadata: {name: web},"
                + " spec: {clusterIP: 10.0.0.1, ports: [{port: 70000}]}}");

        assertThat(text.only(Service.class).ports()).isEmpty();
        assertThat(text.warnings()).hasSize(1);
    }

    @Test
    void anObjectWithAFaultIsUsedOnlyIfThereIsNoOther() {
        String faulty = "{apiVersion: v1, kind: Service, metadata: {name: web},"
                + " spec: {clusterIP: 10.0.0.1, ports: [{port: 70000}]}}\n";
        String good = "---\n{apiVersion: v1, kind: Service, metadata: {name: web},"
                + " spec: {clusterIP: 10.0.0.2, ports: [{port: 80}]}}\n---\n";

        assertThat(ManifestText.asApplied(good + faulty).warnings())
                .last()
                .isEqualTo("given-twice test.yaml:4: Service default/web: skipped because of its faults; "
                        + "the one at test.yaml:2 has none and is used");
        assertThat(ManifestText.asApplied(good + faulty).only(Service.class).ports())
                .hasSize(1);
        assertThat(ManifestText.asApplied(faulty + good).only(Service.class).ports())
                .hasSize(1);
        assertThat(ManifestText.asApplied(faulty + "---\n" + faulty.replace("0.1", "0.3"))
                        .warnings())
                .last()
                .asString()
                .contains("this one is used");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "$patch: delete",
                "spec: {$retainKeys: [type], clusterIP: None}",
                "spec: {clusterIP: None, ports: [{$patch: delete, port: 80}]}",
                "spec: {clusterIP: None, $setElementOrder/ports: [{port: 80}]}",
                "metadata: {name: web, $deleteFromPrimitiveList/finalizers: [a]}",
            })
    void aPatchIsNotAnObject(String directive) {
        String text = "{apiVersion: v1, kind: Service, metadata: {name: web}, " + directive + "}";
        for (ManifestOptions options :
                new ManifestOptions[] {ManifestOptions.DEFAULTS, ManifestOptions.DEFAULTS.withAsIs()}) {
            ManifestText read = ManifestText.of(text, options.withStrict());

            assertThat(read.snapshot().objects(Service.class)).isEmpty();
            assertThat(read.notes())
                    .singleElement()
                    .asString()
                    .startsWith("no-object test.yaml:1: Service default/web: a strategic merge patch ($");
        }
    }

    @Test
    void aHeadlessServiceOfATypeThatHasAnAddressIsReported() {
        String text = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {type: NodePort, clusterIP: None}}";

        assertThat(ManifestText.asApplied(text).warnings())
                .containsExactly("invalid-type test.yaml:1: Service default/web, spec.type: ignored, "
                        + "as clusterIP is None: a headless Service cannot be a NodePort");
        assertThat(ManifestText.asIs(text).warnings()).isEmpty();
    }

    @Test
    void aSubsetWithoutAddressesIsReported() {
        ManifestText text = ManifestText.asIs("{apiVersion: v1, kind: " + Endpoints.KIND
                + ", metadata: {name: web}, subsets: [{ports: [{port: 80}]}]}");

        assertThat(text.warnings())
                .containsExactly("invalid-subset test.yaml:1: Endpoints default/web, subsets[0]: "
                        + "without addresses and notReadyAddresses");
    }
}
