package io.k8sdns.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.k8sdns.json.ApiReader;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Typing errors in kinds and fields, in the words of {@code kubectl}. */
class KnownTypesTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Namespace | v1 | labels: {a: b} | labels |",
                "Service | v1 | spec: {clusterip: 10.0.0.1} | spec.clusterip | clusterIP",
                "Service | v1 | spec: {selectors: {app: web}} | spec.selectors | selector",
                "Service | v1 | selector: {app: web} | selector |",
                "Service | v1 | spec: {ports: [{port: 1}, {port: 2, targetport: 3}]} | spec.ports[1].targetport | targetPort",
                "Service | v1 | spec: {ports: [{prt: 1}]} | spec.ports[0].prt | port",
                "Service | v1 | spec: {ports: {prt: 1}} | spec.ports.prt | port",
                "Service | v1 | spec: {'a.b[0]': 1} | spec.a.b[0] |",
                "Endpoints | v1 | subsets: [{endpoints: [{ip: 192.0.2.1}]}] | subsets[0].endpoints |",
                "Endpoints | v1 | subsets: [{adresses: [{ip: 192.0.2.1}]}] | subsets[0].adresses | addresses",
                "Endpoints | v1 | subsets: [{addresses: [{IP: 192.0.2.1}]}] | subsets[0].addresses[0].IP | ip",
                "Node | v1 | status: {addresses: [{type: InternalIP, adress: 192.0.2.1}]} | status.addresses[0].adress | address",
                "Pod | v1 | spec: {hostNetworks: true} | spec.hostNetworks | hostNetwork",
                "Pod | v1 | spec: {containers: [{port: []}]} | spec.containers[0].port | ports",
                "Pod | v1 | spec: {containers: [{ports: [{port: 5}]}]} | spec.containers[0].ports[0].port |",
                "Pod | v1 | status: {podIPS: []} | status.podIPS | podIPs",
                "EndpointSlice | discovery.k8s.io/v1 | adressType: IPv4 | adressType | addressType",
                "EndpointSlice | discovery.k8s.io/v1 | endpoints: [{conditions: {Ready: true}}] |"
                        + " endpoints[0].conditions.Ready | ready",
                "StatefulSet | apps/v1 | spec: {servicename: db} | spec.servicename | serviceName",
                "StatefulSet | apps/v1 | spec: {template: {metadata: {lables: {}}}} | spec.template.metadata.lables | labels",
                "StatefulSet | apps/v1 | spec: {template: {spec: {hostnetwork: true}}} | spec.template.spec.hostnetwork |"
                        + " hostNetwork",
            })
    void aFieldThatATypeDoesNotHaveIsReported(String kind, String apiVersion, String body, String path, String meant) {
        ManifestText text = ManifestText.asIs(
                "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: web},\n  " + body + "}");
        String where = kind + (kind.equals("Node") || kind.equals("Namespace") ? " " : " default/") + "web";

        assertThat(text.warnings())
                .contains("unknown-field test.yaml:2: " + where + ", " + path + ": unknown field \"" + path + "\""
                        + (meant == null ? "" : "; did you mean \"" + meant + "\"?"));
    }

    /** Objects with a value that an API server cannot decode are skipped as a whole; each field is reported once. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "Namespace | v1 | metadata: {name: web, annotations: {prometheus.io/port: 9090}} |"
                        + " metadata.annotations[prometheus.io/port]: expected text, found a number: 9090 (quote it)",
                "Namespace | v1 | metadata: {name: web, annotations: {a: yes}} |"
                        + " metadata.annotations[a]: expected text, found true or false: yes (quote it)",
                "Namespace | v1 | metadata: {name: web, labels: {a: 1}} |"
                        + " metadata.labels[a]: expected text, found a number: 1 (quote it)",
                "Namespace | v1 | metadata: {name: web, resourceVersion: 5} |"
                        + " metadata.resourceVersion: expected text, found a number: 5 (quote it)",
                "Namespace | v1 | metadata: {name: web, finalizers: [a, 2]} |"
                        + " metadata.finalizers[1]: expected text, found a number: 2 (quote it)",
                "Namespace | v1 | metadata: {name: web, finalizers: a} | metadata.finalizers: expected a list, found text: a",
                "Namespace | v1 | metadata: {name: web, generation: 1.5} |"
                        + " metadata.generation: not a whole number in range: 1.5",
                "Namespace | v1 | metadata: {name: web, generation: 9223372036854775808} |"
                        + " metadata.generation: not a whole number in range: 9223372036854775808",
                "Namespace | v1 | metadata: {name: web, generation: 9223372036854775807.0} |"
                        + " metadata.generation: not a whole number in range: 9223372036854775807.0",
                "Namespace | v1 | metadata: {name: web, ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: 1}]} |"
                        + " metadata.ownerReferences[0].uid: expected text, found a number: 1 (quote it)",
                "Namespace | v1 | metadata: {name: web}, status: text | status: expected a mapping, found text: text",
                "Node | v1 | metadata: {name: web}, status: {addresses: [{type: 1, address: 192.0.2.1}]} |"
                        + " status.addresses[0].type: expected text, found a number: 1 (quote it)",
                "Service | v1 | metadata: {name: web}, spec: {ports: [{port: 80}], sessionAffinity: 3} |"
                        + " spec.sessionAffinity: expected text, found a number: 3 (quote it)",
                "Service | v1 | metadata: {name: web}, spec: {ports: [{port: '80'}]} |"
                        + " spec.ports[0].port: expected a number, found text: 80",
                "Pod | v1 | metadata: {name: web}, spec: {containers: [{name: a, image: b, env: [{name: c, value: 1}]}]} |"
                        + " spec.containers[0].env[0].value: expected text, found a number: 1 (quote it)",
                "Pod | v1 | metadata: {name: web}, spec: {containers: [{name: a, image: b, command: [sleep, 5]}]} |"
                        + " spec.containers[0].command[1]: expected text, found a number: 5 (quote it)",
                "Pod | v1 | metadata: {name: web}, spec: {containers: [{name: a, image: b}], hostPID: 'true'} |"
                        + " spec.hostPID: expected true or false, found text: true",
                "Pod | v1 | metadata: {name: web}, spec: {containers: [{name: a, image: b}],"
                        + " dnsConfig: {options: [{name: ndots, value: 2}]}} |"
                        + " spec.dnsConfig.options[0].value: expected text, found a number: 2 (quote it)",
                "EndpointSlice | discovery.k8s.io/v1 | metadata: {name: web}, addressType: IPv4,"
                        + " endpoints: [{addresses: [192.0.2.1], conditions: {serving: 1}}] |"
                        + " endpoints[0].conditions.serving: expected true or false, found a number: 1",
            })
    void aValueThatAnApiServerCannotDecodeIsAFault(String kind, String apiVersion, String body, String fault) {
        String text = "{apiVersion: " + apiVersion + ", kind: " + kind + ", " + body + "}";

        assertThat(ManifestText.asApplied(text).warnings())
                .filteredOn(line -> line.startsWith("wrong-type"))
                .singleElement()
                .asString()
                .endsWith("web, " + fault);
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining(fault);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "metadata: {name: web, annotations: {a: null, b: '1', c: ''}, labels: null, creationTimestamp: null}",
                "metadata: {name: web, annotations: {a: 12:30, b: 2024-01-01, c: v1.2}, finalizers: []}",
                "metadata: {name: web, creationTimestamp: 2026-11-23T08:00:00Z, generation: 9007199254740993}",
                "metadata: {name: web, generation: 9223372036854775807}",
                "metadata: {name: web, generation: 9e18}",
                "metadata: {name: web, ownerReferences: [{apiVersion: v1, kind: Node, name: a, uid: a, controller: true}]}, spec: null, status: {}",
                "metadata: {name: web, annotations: {a: 1}}, $patch: delete",
            })
    void aValueThatAnApiServerDecodesIsNotAFault(String body) {
        assertThat(ManifestText.asApplied("{apiVersion: v1, kind: Namespace, " + body + "}")
                        .warnings())
                .isEmpty();
    }

    @Test
    void onlyValuesThatAreReadAreCheckedAsIs() {
        assertThat(ManifestText.asIs("{apiVersion: v1, kind: Namespace, metadata: {name: web, annotations: {a: 1}}}")
                        .warnings())
                .isEmpty();
    }

    @Test
    void aFieldOfTheMetadataIsReported() {
        assertThat(ManifestText.asIs("{apiVersion: v1, kind: Namespace, metadata: {name: web, label: {a: b}}}")
                        .warnings())
                .containsExactly("unknown-field test.yaml:1: Namespace web, metadata.label: "
                        + "unknown field \"metadata.label\"; did you mean \"labels\"?");
    }

    @Test
    void aMisspeltClusterIpIsReported() {
        String text = "{apiVersion: v1, kind: Service, metadata: {name: web}, spec: {clusterip: 10.0.0.1,"
                + " ports: [{port: 80}]}}";

        assertThat(ManifestText.asApplied(text).only(ClusterIpService.class).clusterIps())
                .hasSize(1);
        assertThat(ManifestText.asApplied(text).warnings()).hasSize(1);
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class)
                .hasMessageContaining("unknown field \"spec.clusterip\"");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "v1 | Servce | ; did you mean \"Service\"?",
                "v1 | service | ; did you mean \"Service\"?",
                "v1 | Deployment |",
                "apps/v1beta2 | Deployment |",
                "extensions/v1beta1 | Deployment |",
                "batch/v1beta1 | CronJob |",
                "batch/v1 | Cronjob | ; did you mean \"CronJob\"?",
                "apps/v1 | Statefulset | ; did you mean \"StatefulSet\"?",
                "discovery.k8s.io/v1 | EndpointSlices | ; did you mean \"EndpointSlice\"?",
                "v2 | Service |",
                "V1 | Service | ; did you mean \"v1\"?",
                "V1 | ConfigMap | ; did you mean \"v1\"?",
                "V1 | Servce |",
                "core/v1 | Service | ; did you mean \"v1\"?",
                "Core/V1 | Pod | ; did you mean \"v1\"?",
                "apps/v2 | StatefulSet | ; did you mean \"apps/v1\"?",
                "app/v1 | StatefulSet | ; did you mean \"apps/v1\"?",
                "Apps/v1 | Deployment | ; did you mean \"apps/v1\"?",
                "multicluster.k8s.io/v1alpha1 | ServiceExport |",
                "discovery.k8s.io/V1 | EndpointSlice | ; did you mean \"discovery.k8s.io/v1\"?",
            })
    void aKindThatAListedGroupDoesNotHaveIsReported(String apiVersion, String kind, String meant) {
        String text = "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: web}}";

        assertThat(ManifestText.asIs(text).warnings())
                .containsExactly("unknown-kind test.yaml:1: " + kind + " web: no matches for kind \"" + kind
                        + "\" in version \"" + apiVersion + "\"" + (meant == null ? "" : meant));
        assertThatThrownBy(() -> ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()))
                .isInstanceOf(ManifestException.class);
    }

    @ParameterizedTest
    @CsvSource({
        "v1, ConfigMap",
        "v1, Config",
        "v1, BuildConfig",
        "serving.knative.dev/v1, Servce",
        "serving.knative.dev/v1, Service",
        "apps.kruise.io/v1, StatefulSet",
        "apps.kruise.io/v1beta1, StatefulSet",
        "policy/v1, PodDisruptionBudget",
        "extensions/v1beta1, Ingress",
        "builtin, NamespaceTransformer",
    })
    void otherKindsAreSkippedWithANote(String apiVersion, String kind) {
        ManifestText text = ManifestText.of(
                "{apiVersion: " + apiVersion + ", kind: " + kind + ", metadata: {name: web}, spek: 1}",
                ManifestOptions.DEFAULTS.withStrict());

        assertThat(text.notes())
                .containsExactly(
                        "kind-not-read test.yaml:1: " + kind + " web: " + kind + " of " + apiVersion + " is not read");
    }

    @Test
    void aMisspeltListIsNotAnEmptyOne() {
        assertThat(ManifestText.asIs("{apiVersion: v1, kind: List, item: [{apiVersion: v1, kind: Namespace}]}")
                        .warnings())
                .containsExactly("unknown-field test.yaml:1: List (no name), item: "
                        + "unknown field \"item\"; did you mean \"items\"?");
        assertThat(ManifestText.asIs("{apiVersion: v1, kind: ServceList, items: [{metadata: {name: a}}]}")
                        .warnings())
                .containsExactly(
                        "unknown-kind test.yaml:1: Servce a: no matches for kind \"Servce\" in version \"v1\"; "
                                + "did you mean \"Service\"?");
    }

    /** Chart.yaml and index.yaml of Helm, a data source of Grafana. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "{apiVersion: v1, name: shop, version: 1.2.3, type: application}",
                "{apiVersion: v2, name: shop, version: 1.2.3, type: application}",
                "{apiVersion: v1, entries: {shop: [{apiVersion: v2, name: shop, version: 1.2.3}]}}",
                "{apiVersion: 1, datasources: [{name: metrics, type: prometheus, url: 'http://prometheus:9090'}]}"
            })
    void theFileOfAnotherToolIsNotAKubernetesObject(String text) {
        assertThat(ManifestText.of(text, ManifestOptions.DEFAULTS.withStrict()).notes())
                .containsExactly("no-object test.yaml:1: without kind, metadata and spec, not a Kubernetes object");
    }

    @ParameterizedTest
    @ValueSource(strings = {"metadata: {name: web}", "metadata: {name: web}, name: web", "spec: {ports: [{port: 80}]}"})
    void anObjectWithoutAKindIsReported(String fields) {
        assertThat(ManifestText.asIs("{apiVersion: v1, " + fields + "}").warnings())
                .singleElement()
                .asString()
                .startsWith("no-type test.yaml:1: object ")
                .endsWith(": apiVersion without kind");
    }

    @Test
    void unknownFieldsOfAnApiServerAreIgnored() {
        List<Diagnostic> diagnostics = new ArrayList<>();
        ApiReader reader = new ApiReader("v1", "Service", true, diagnostics::add);

        ApiReader.Event event = reader.event("{\"type\": \"ADDED\", \"object\": {\"metadata\": {\"name\": \"web\","
                + " \"namespace\": \"shop\", \"new\": 1}, \"spec\": {\"clusterIP\": \"10.0.0.1\", \"$new\": 2}}}");

        assertThat(event.item().flatMap(ApiReader.Item::object)).isPresent();
        assertThat(diagnostics).isEmpty();
    }
}
