package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.Gson;
import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import io.kubernetes.client.openapi.JSON;
import io.kubernetes.client.openapi.models.V1ClusterRole;
import io.kubernetes.client.openapi.models.V1ClusterRoleBinding;
import io.kubernetes.client.openapi.models.V1DaemonSet;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1PodDisruptionBudget;
import io.kubernetes.client.openapi.models.V1Role;
import io.kubernetes.client.openapi.models.V1RoleBinding;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServiceAccount;
import io.kubernetes.client.openapi.models.V1beta1MutatingAdmissionPolicy;
import io.kubernetes.client.openapi.models.V1beta1MutatingAdmissionPolicyBinding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

/**
 * Checks {@code examples/kubernetes} against the schema of the API, from which the client's models are generated.
 *
 * <p>The models' own check finds unknown and missing fields, but few wrong types. A value of a wrong type changes when it is read
 * into a model and written again, which is compared here.
 */
class KubernetesManifestSchemaTest {
    private static final Path FOLDER =
            Path.of(System.getProperty("k8sdns.root", "../..")).resolve(Path.of("examples", "kubernetes"));

    private static final Gson GSON = JSON.getGson();

    /** A type of the API. */
    private record Model(Class<?> type, Check check) {}

    /** The generated check of a type. */
    private interface Check {
        void accept(JsonElement object) throws IOException;
    }

    private static final Map<String, Model> MODELS = Map.ofEntries(
            Map.entry("v1 ServiceAccount", new Model(V1ServiceAccount.class, V1ServiceAccount::validateJsonElement)),
            Map.entry("v1 Service", new Model(V1Service.class, V1Service::validateJsonElement)),
            Map.entry("apps/v1 Deployment", new Model(V1Deployment.class, V1Deployment::validateJsonElement)),
            Map.entry(
                    "policy/v1 PodDisruptionBudget",
                    new Model(V1PodDisruptionBudget.class, V1PodDisruptionBudget::validateJsonElement)),
            Map.entry(
                    "rbac.authorization.k8s.io/v1 ClusterRole",
                    new Model(V1ClusterRole.class, V1ClusterRole::validateJsonElement)),
            Map.entry(
                    "rbac.authorization.k8s.io/v1 ClusterRoleBinding",
                    new Model(V1ClusterRoleBinding.class, V1ClusterRoleBinding::validateJsonElement)),
            Map.entry("apps/v1 DaemonSet", new Model(V1DaemonSet.class, V1DaemonSet::validateJsonElement)),
            Map.entry(
                    "admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicy",
                    new Model(
                            V1beta1MutatingAdmissionPolicy.class, V1beta1MutatingAdmissionPolicy::validateJsonElement)),
            Map.entry(
                    "admissionregistration.k8s.io/v1beta1 MutatingAdmissionPolicyBinding",
                    new Model(
                            V1beta1MutatingAdmissionPolicyBinding.class,
                            V1beta1MutatingAdmissionPolicyBinding::validateJsonElement)),
            Map.entry("rbac.authorization.k8s.io/v1 Role", new Model(V1Role.class, V1Role::validateJsonElement)),
            Map.entry(
                    "rbac.authorization.k8s.io/v1 RoleBinding",
                    new Model(V1RoleBinding.class, V1RoleBinding::validateJsonElement)));

    // ---- the schema

    @ParameterizedTest
    @ValueSource(
            strings = {
                "rbac.yaml",
                "optional-pod-names.yaml",
                "service.yaml",
                "deployment.yaml",
                "disruption-budget.yaml",
                "node-cache/daemonset.yaml",
                "node-cache/autopath-policy.yaml",
                "federation/federated-dns.yaml",
                "federation/controller.yaml",
                "federation/cluster-rbac.yaml",
                "federation/optional-create-shards.yaml",
                "federation/kube-dns-federations.yaml"
            })
    void fileMatchesTheSchema(String file) throws IOException {
        assertThat(problems(text(file))).isEmpty();
    }

    @Test
    void everyFileIsChecked() throws IOException {
        try (Stream<Path> files = Files.list(FOLDER)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .containsExactlyInAnyOrder(
                            "rbac.yaml",
                            "optional-pod-names.yaml",
                            "service.yaml",
                            "deployment.yaml",
                            "disruption-budget.yaml",
                            "node-cache",
                            "federation",
                            "README.md",
                            "Containerfile");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                // Unknown fields.
                "deployment.yaml | readOnlyRootFilesystem: true | readOnlyRootFileSystem: true",
                "deployment.yaml | serviceAccountName: k8sdns | serviceAcountName: k8sdns",
                "deployment.yaml | periodSeconds: 10 | period: 10",
                "deployment.yaml | requests: | requets:",
                "service.yaml | targetPort: dns-tcp | targetport: dns-tcp",
                "rbac.yaml | apiGroup: rbac | apiGroups: rbac",
                "disruption-budget.yaml | maxUnavailable: 1 | maxUnavailible: 1",
                // Values of the wrong type.
                "deployment.yaml | replicas: 2 | replicas: two",
                "deployment.yaml | replicas: 2 | replicas: '2'",
                "deployment.yaml | runAsNonRoot: true | runAsNonRoot: 'yes'",
                "deployment.yaml | containerPort: 9153 | containerPort: metrics",
                "deployment.yaml | prometheus.io/port: \"9153\" | prometheus.io/port: 9153",
                "deployment.yaml | drop: [ALL] | drop: ALL",
                "deployment.yaml | memory: 256Mi | memory: 256 MB",
                "service.yaml | port: 53 | port: '53'",
                "service.yaml | clusterIP: 10.96.0.53 | clusterIP: [10.96.0.53]",
                "rbac.yaml | verbs: [list, watch] | verbs: list",
                // Missing fields.
                "deployment.yaml | - name: k8sdns\\n          image | - image",
                "deployment.yaml | selector:\\n    matchLabels:\\n      app.kubernetes.io/name: k8sdns\\n  strategy | strategy",
                "service.yaml | port: 53 | nodePort: 30053",
                "rbac.yaml | verbs: [list, watch] | resourceNames: []"
            })
    void invalidFilesAreFound(String file, String right, String wrong) throws IOException {
        String planted = text(file).replace(unescaped(right), unescaped(wrong));

        assertThat(planted).isNotEqualTo(text(file));
        assertThat(problems(planted)).isNotEmpty();
    }

    private static String unescaped(String text) {
        return text.replace("\\n", "\n");
    }

    private static List<String> problems(String yaml) {
        List<String> problems = new ArrayList<>();
        for (JsonObject object : objects(yaml)) {
            Model model = model(object);
            try {
                model.check.accept(object);
                JsonElement read = GSON.toJsonTree(GSON.fromJson(object, model.type));
                changed(model.type.getSimpleName(), object, read).ifPresent(problems::add);
            } catch (IOException | RuntimeException wrong) {
                problems.add(model.type.getSimpleName() + ": " + wrong.getMessage());
            }
        }
        return problems;
    }

    /** Returns the first field whose value changed when it was read and written. */
    private static Optional<String> changed(String place, JsonElement written, JsonElement read) {
        if (written instanceof JsonObject fields && read instanceof JsonObject others) {
            return fields.entrySet().stream()
                    .map(field -> others.has(field.getKey())
                            ? changed(place + "." + field.getKey(), field.getValue(), others.get(field.getKey()))
                            : Optional.of(place + "." + field.getKey() + " is lost"))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
        if (written instanceof JsonArray items && read instanceof JsonArray others && items.size() == others.size()) {
            return IntStream.range(0, items.size())
                    .mapToObj(i -> changed(place + "[" + i + "]", items.get(i), others.get(i)))
                    .flatMap(Optional::stream)
                    .findFirst();
        }
        return written.equals(read)
                ? Optional.empty()
                : Optional.of(place + " is " + written + ", and read as " + read);
    }

    // ---- rules beyond the schema

    @Test
    void rolePermitsExactlyWhatTheSourceRequests() throws IOException {
        assertThat(rights("rbac.yaml"))
                .containsExactlyInAnyOrder(
                        right(ApiKind.NAMESPACES), right(ApiKind.SERVICES), right(ApiKind.ENDPOINT_SLICES));
        assertThat(rights("optional-pod-names.yaml")).containsExactly(right(ApiKind.PODS));
        assertThat(rights("federation/cluster-rbac.yaml"))
                .containsExactlyInAnyOrder(
                        right(ApiKind.NAMESPACES),
                        right(ApiKind.SERVICES),
                        right(ApiKind.ENDPOINT_SLICES),
                        right(ApiKind.NODES),
                        right(ApiKind.SERVICE_EXPORTS));
    }

    /** The controller only reads, unless it is configured to create Services. */
    @Test
    void onlyTheControllerThatCreatesShardsMayWriteServices() throws IOException {
        String file = "federation/optional-create-shards.yaml";
        assertThat(rights(file)).containsExactly("services. [get, create, update, delete]");
        JsonObject binding = only(file, V1ClusterRoleBinding.class);
        JsonObject account = only("federation/cluster-rbac.yaml", V1ServiceAccount.class);
        assertThat(at(binding, "roleRef.name")).isEqualTo(at(only(file, V1ClusterRole.class), "metadata.name"));
        JsonObject role = only(file, V1Role.class);
        JsonObject ofRole = only(file, V1RoleBinding.class);
        assertThat(at(ofRole, "roleRef.name")).isEqualTo(at(role, "metadata.name"));
        assertThat(at(ofRole, "metadata.namespace")).isEqualTo(at(role, "metadata.namespace"));
        for (JsonObject one : List.of(binding, ofRole)) {
            assertThat(list(one, "subjects")).singleElement().satisfies(subject -> {
                assertThat(at(subject, "name")).isEqualTo(at(account, "metadata.name"));
                assertThat(at(subject, "namespace")).isEqualTo(at(account, "metadata.namespace"));
            });
        }
    }

    /** Other Leases of that namespace decide which scheduler runs. */
    @Test
    void theControllerThatCreatesShardsMayUpdateOneLease() throws IOException {
        JsonObject role = only("federation/optional-create-shards.yaml", V1Role.class);
        assertThat(at(role, "metadata.namespace").getAsString()).isEqualTo("kube-system");
        assertThat(list(role, "rules"))
                .hasSize(2)
                .allSatisfy(rule -> {
                    assertThat(texts(rule, "apiGroups")).containsExactly("coordination.k8s.io");
                    assertThat(texts(rule, "resources")).containsExactly("leases");
                })
                .satisfiesExactly(rule -> assertThat(texts(rule, "verbs")).containsExactly("create"), rule -> {
                    assertThat(texts(rule, "verbs")).containsExactly("get", "update");
                    assertThat(texts(rule, "resourceNames")).containsExactly("k8sdns-federation-prod");
                });
        assertThat(text("federation/controller.yaml")).contains("--federation=prod");
    }

    /** These permissions are separate from the others, because only the federations of kube-dns need them. */
    @Test
    void federationsOfKubeDnsNeedTheConfigMapAndTheNodes() throws IOException {
        String file = "federation/kube-dns-federations.yaml";
        assertThat(rights(file)).containsExactly("nodes. [list]");
        assertThat(list(only(file, V1Role.class), "rules")).singleElement().satisfies(rule -> {
            assertThat(texts(rule, "resources")).containsExactly("configmaps");
            assertThat(texts(rule, "resourceNames")).containsExactly("kube-dns");
            assertThat(texts(rule, "verbs")).containsExactly("get");
        });
        assertThat(at(only(file, V1Role.class), "metadata.namespace").getAsString())
                .isEqualTo("kube-system");
        JsonObject account = only("rbac.yaml", V1ServiceAccount.class);
        for (JsonObject binding : List.of(only(file, V1RoleBinding.class), only(file, V1ClusterRoleBinding.class))) {
            assertThat(list(binding, "subjects")).singleElement().satisfies(subject -> {
                assertThat(at(subject, "name")).isEqualTo(at(account, "metadata.name"));
                assertThat(at(subject, "namespace")).isEqualTo(at(account, "metadata.namespace"));
            });
        }
    }

    @Test
    void permissionsAreBoundToTheServer() throws IOException {
        JsonObject account = only("rbac.yaml", V1ServiceAccount.class);
        assertThat(at(pod(), "serviceAccountName")).isEqualTo(at(account, "metadata.name"));
        for (String file : List.of("rbac.yaml", "optional-pod-names.yaml")) {
            JsonObject binding = only(file, V1ClusterRoleBinding.class);
            assertThat(at(binding, "roleRef.name")).isEqualTo(at(only(file, V1ClusterRole.class), "metadata.name"));
            assertThat(list(binding, "subjects")).singleElement().satisfies(subject -> {
                assertThat(at(subject, "name")).isEqualTo(at(account, "metadata.name"));
                assertThat(at(subject, "namespace")).isEqualTo(at(account, "metadata.namespace"));
            });
        }
        assertThat(at(only("deployment.yaml", V1Deployment.class), "metadata.namespace"))
                .isEqualTo(at(account, "metadata.namespace"));
    }

    @Test
    void selectorsFindThePods() throws IOException {
        JsonObject deployment = only("deployment.yaml", V1Deployment.class);
        JsonElement labels = at(deployment, "spec.template.metadata.labels");

        assertThat(at(deployment, "spec.selector.matchLabels")).isEqualTo(labels);
        assertThat(at(only("service.yaml", V1Service.class), "spec.selector")).isEqualTo(labels);
        assertThat(at(only("disruption-budget.yaml", V1PodDisruptionBudget.class), "spec.selector.matchLabels"))
                .isEqualTo(labels);
        assertThat(list(pod(), "topologySpreadConstraints"))
                .hasSize(2)
                .allSatisfy(constraint ->
                        assertThat(at(constraint, "labelSelector.matchLabels")).isEqualTo(labels));
    }

    @Test
    void serverListensAtProbedPorts() throws IOException {
        JsonElement container = container();
        Map<JsonElement, JsonElement> ports = list(container, "ports").stream()
                .collect(Collectors.toMap(port -> at(port, "name"), port -> at(port, "protocol")));

        assertThat(list(only("service.yaml", V1Service.class), "spec.ports"))
                .hasSize(2)
                .allSatisfy(port -> assertThat(ports).containsEntry(at(port, "targetPort"), at(port, "protocol")));
        for (String probe : List.of("startupProbe", "livenessProbe", "readinessProbe")) {
            assertThat(ports).containsKey(at(container, probe + ".httpGet.port"));
        }
    }

    @Test
    void serverPodHasNoPrivileges() throws IOException {
        JsonElement container = container();

        assertThat(at(pod(), "securityContext.runAsNonRoot").getAsBoolean()).isTrue();
        assertThat(at(pod(), "securityContext.seccompProfile.type").getAsString())
                .isEqualTo("RuntimeDefault");
        assertThat(at(container, "securityContext.allowPrivilegeEscalation").getAsBoolean())
                .isFalse();
        assertThat(at(container, "securityContext.readOnlyRootFilesystem").getAsBoolean())
                .isTrue();
        assertThat(texts(container, "securityContext.capabilities.drop")).containsExactly("ALL");
        assertThat(pod().has("volumes")).isFalse();
        assertThat(list(container, "ports"))
                .isNotEmpty()
                .allSatisfy(port -> assertThat(at(port, "containerPort").getAsInt())
                        .as("a port for which no capability is needed")
                        .isGreaterThan(1023));
    }

    /** Otherwise the second Pod of a Node would not be scheduled, or a probe would reach the first one. */
    @Test
    void aNewNodeCacheStartsWhileTheOldOneRuns() throws IOException {
        JsonObject set = only("node-cache/daemonset.yaml", V1DaemonSet.class);
        JsonObject pod = at(set, "spec.template.spec").getAsJsonObject();
        JsonObject container = list(pod, "containers").get(0).getAsJsonObject();

        assertThat(at(set, "spec.updateStrategy.rollingUpdate").toString())
                .isEqualTo("{\"maxSurge\":1,\"maxUnavailable\":0}");
        assertThat(at(pod, "hostNetwork").getAsBoolean()).isTrue();
        assertThat(container.has("ports")).as("ports").isFalse();
        String directory = texts(container, "args").stream()
                .filter(argument -> argument.startsWith("--health-dir="))
                .map(argument -> argument.substring("--health-dir=".length()))
                .findFirst()
                .orElseThrow();
        assertThat(list(container, "volumeMounts"))
                .filteredOn(mount -> at(mount, "mountPath").getAsString().equals(directory))
                .hasSize(1);
        assertThat(texts(container, "startupProbe.exec.command"))
                .containsExactly("sh", "-c", "rm -f %1$s/ready && rm %1$s/alive".formatted(directory));
        assertThat(texts(container, "livenessProbe.exec.command")).containsExactly("rm", directory + "/alive");
        assertThat(texts(container, "readinessProbe.exec.command")).containsExactly("rm", directory + "/ready");
    }

    private static Set<String> rights(String file) throws IOException {
        Set<String> rights = new TreeSet<>();
        for (JsonElement rule : list(only(file, V1ClusterRole.class), "rules")) {
            for (String group : texts(rule, "apiGroups")) {
                texts(rule, "resources").forEach(resource -> rights.add(right(group, resource, texts(rule, "verbs"))));
            }
        }
        return rights;
    }

    private static String right(ApiKind kind) {
        String version = kind.apiVersion();
        String group = version.contains("/") ? version.substring(0, version.indexOf('/')) : "";
        return right(group, kind.resource(), List.of("list", "watch"));
    }

    private static String right(String group, String resource, List<String> verbs) {
        return resource + "." + group + " " + verbs;
    }

    private static JsonObject pod() throws IOException {
        return at(only("deployment.yaml", V1Deployment.class), "spec.template.spec")
                .getAsJsonObject();
    }

    private static JsonElement container() throws IOException {
        return list(pod(), "containers").get(0);
    }

    /** Returns the only object of a type in a file. */
    private static JsonObject only(String file, Class<?> type) throws IOException {
        List<JsonObject> all = objects(text(file)).stream()
                .filter(object -> model(object).type == type)
                .toList();
        assertThat(all).hasSize(1);
        return all.get(0);
    }

    /** Returns the value at the end of a path of fields. */
    private static JsonElement at(JsonElement object, String path) {
        JsonElement found = object;
        for (String field : path.split("\\.", -1)) {
            found = Objects.requireNonNull(found.getAsJsonObject().get(field), path);
        }
        return found;
    }

    private static List<JsonElement> list(JsonElement object, String path) {
        return at(object, path).getAsJsonArray().asList();
    }

    private static List<String> texts(JsonElement object, String path) {
        return list(object, path).stream().map(JsonElement::getAsString).toList();
    }

    private static Model model(JsonObject object) {
        String type = object.get("apiVersion").getAsString() + " "
                + object.get("kind").getAsString();
        return Objects.requireNonNull(MODELS.get(type), type);
    }

    private static String text(String file) throws IOException {
        return Files.readString(FOLDER.resolve(file));
    }

    private static List<JsonObject> objects(String yaml) {
        List<JsonObject> objects = new ArrayList<>();
        for (Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(yaml)) {
            objects.add(JsonParser.parseString(new Gson().toJson(document)).getAsJsonObject());
        }
        return objects;
    }
}
