package io.k8sdns.clientjava;

import static org.assertj.core.api.Assertions.assertThat;

import io.k8sdns.manifest.ManifestInput;
import io.k8sdns.manifest.ManifestOptions;
import io.k8sdns.manifest.ManifestResult;
import io.k8sdns.manifest.Manifests;
import io.kubernetes.client.openapi.models.CoreV1EndpointPort;
import io.kubernetes.client.openapi.models.DiscoveryV1EndpointPort;
import io.kubernetes.client.openapi.models.V1ClientIPConfig;
import io.kubernetes.client.openapi.models.V1Container;
import io.kubernetes.client.openapi.models.V1ContainerPort;
import io.kubernetes.client.openapi.models.V1Endpoint;
import io.kubernetes.client.openapi.models.V1EndpointAddress;
import io.kubernetes.client.openapi.models.V1EndpointConditions;
import io.kubernetes.client.openapi.models.V1EndpointSlice;
import io.kubernetes.client.openapi.models.V1EndpointSubset;
import io.kubernetes.client.openapi.models.V1Endpoints;
import io.kubernetes.client.openapi.models.V1EnvVar;
import io.kubernetes.client.openapi.models.V1LabelSelector;
import io.kubernetes.client.openapi.models.V1LabelSelectorRequirement;
import io.kubernetes.client.openapi.models.V1Namespace;
import io.kubernetes.client.openapi.models.V1Node;
import io.kubernetes.client.openapi.models.V1NodeAddress;
import io.kubernetes.client.openapi.models.V1NodeStatus;
import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ObjectReference;
import io.kubernetes.client.openapi.models.V1OwnerReference;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1PodCondition;
import io.kubernetes.client.openapi.models.V1PodDNSConfig;
import io.kubernetes.client.openapi.models.V1PodDNSConfigOption;
import io.kubernetes.client.openapi.models.V1PodIP;
import io.kubernetes.client.openapi.models.V1PodSpec;
import io.kubernetes.client.openapi.models.V1PodStatus;
import io.kubernetes.client.openapi.models.V1PodTemplateSpec;
import io.kubernetes.client.openapi.models.V1Service;
import io.kubernetes.client.openapi.models.V1ServicePort;
import io.kubernetes.client.openapi.models.V1ServiceSpec;
import io.kubernetes.client.openapi.models.V1SessionAffinityConfig;
import io.kubernetes.client.openapi.models.V1StatefulSet;
import io.kubernetes.client.openapi.models.V1StatefulSetOrdinals;
import io.kubernetes.client.openapi.models.V1StatefulSetSpec;
import io.kubernetes.client.openapi.models.V1StatefulSetUpdateStrategy;
import io.kubernetes.client.openapi.models.V1VolumeMount;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Checks that the manifest reader accepts each field of the official client, with the client's type. */
class KnownFieldsTest {
    /**
     * The position of the fields of a type in an object.
     *
     * @param template the object in YAML, with {@code %s} in place of the fields
     */
    private record FieldPosition(Class<?> type, String template) {
        @Override
        public String toString() {
            return type.getSimpleName();
        }
    }

    private static final Map<String, String> OBJECTS = Map.of(
            "Namespace", "apiVersion: v1, kind: Namespace",
            "Node", "apiVersion: v1, kind: Node",
            "Service", "apiVersion: v1, kind: Service",
            "Endpoints", "apiVersion: v1, kind: Endpoints",
            "Pod", "apiVersion: v1, kind: Pod",
            "EndpointSlice", "apiVersion: discovery.k8s.io/v1, kind: EndpointSlice",
            "StatefulSet", "apiVersion: apps/v1, kind: StatefulSet");

    private static FieldPosition at(Class<?> type, String kind, String path) {
        return new FieldPosition(type, "{" + OBJECTS.get(kind) + path + "}");
    }

    static List<FieldPosition> positions() {
        return List.of(
                at(V1Namespace.class, "Namespace", ", %s"),
                at(V1ObjectMeta.class, "Namespace", ", metadata: {%s}"),
                at(V1OwnerReference.class, "Namespace", ", metadata: {ownerReferences: [{%s}]}"),
                at(V1Node.class, "Node", ", %s"),
                at(V1NodeStatus.class, "Node", ", status: {%s}"),
                at(V1NodeAddress.class, "Node", ", status: {addresses: [{%s}]}"),
                at(V1Service.class, "Service", ", %s"),
                at(V1ServiceSpec.class, "Service", ", spec: {%s}"),
                at(V1ServicePort.class, "Service", ", spec: {ports: [{%s}]}"),
                at(V1SessionAffinityConfig.class, "Service", ", spec: {sessionAffinityConfig: {%s}}"),
                at(V1ClientIPConfig.class, "Service", ", spec: {sessionAffinityConfig: {clientIP: {%s}}}"),
                at(V1Endpoints.class, "Endpoints", ", %s"),
                at(V1EndpointSubset.class, "Endpoints", ", subsets: [{%s}]"),
                at(V1EndpointAddress.class, "Endpoints", ", subsets: [{notReadyAddresses: [{%s}]}]"),
                at(V1ObjectReference.class, "Endpoints", ", subsets: [{addresses: [{targetRef: {%s}}]}]"),
                at(CoreV1EndpointPort.class, "Endpoints", ", subsets: [{ports: [{%s}]}]"),
                at(V1Pod.class, "Pod", ", %s"),
                at(V1PodSpec.class, "Pod", ", spec: {%s}"),
                at(V1Container.class, "Pod", ", spec: {initContainers: [{%s}]}"),
                at(V1EnvVar.class, "Pod", ", spec: {containers: [{env: [{%s}]}]}"),
                at(V1VolumeMount.class, "Pod", ", spec: {containers: [{volumeMounts: [{%s}]}]}"),
                at(V1PodDNSConfig.class, "Pod", ", spec: {dnsConfig: {%s}}"),
                at(V1PodDNSConfigOption.class, "Pod", ", spec: {dnsConfig: {options: [{%s}]}}"),
                at(V1ContainerPort.class, "Pod", ", spec: {containers: [{ports: [{%s}]}]}"),
                at(V1PodStatus.class, "Pod", ", status: {%s}"),
                at(V1PodCondition.class, "Pod", ", status: {conditions: [{%s}]}"),
                at(V1PodIP.class, "Pod", ", status: {podIPs: [{%s}]}"),
                at(V1EndpointSlice.class, "EndpointSlice", ", %s"),
                at(V1Endpoint.class, "EndpointSlice", ", endpoints: [{%s}]"),
                at(V1EndpointConditions.class, "EndpointSlice", ", endpoints: [{conditions: {%s}}]"),
                at(V1ObjectReference.class, "EndpointSlice", ", endpoints: [{targetRef: {%s}}]"),
                at(DiscoveryV1EndpointPort.class, "EndpointSlice", ", ports: [{%s}]"),
                at(V1StatefulSet.class, "StatefulSet", ", %s"),
                at(V1StatefulSetSpec.class, "StatefulSet", ", spec: {%s}"),
                at(V1StatefulSetUpdateStrategy.class, "StatefulSet", ", spec: {updateStrategy: {%s}}"),
                at(V1StatefulSetOrdinals.class, "StatefulSet", ", spec: {ordinals: {%s}}"),
                at(V1LabelSelector.class, "StatefulSet", ", spec: {selector: {%s}}"),
                at(V1LabelSelectorRequirement.class, "StatefulSet", ", spec: {selector: {matchExpressions: [{%s}]}}"),
                at(V1PodTemplateSpec.class, "StatefulSet", ", spec: {template: {%s}}"),
                at(V1ObjectMeta.class, "StatefulSet", ", spec: {template: {metadata: {%s}}}"),
                at(V1PodSpec.class, "StatefulSet", ", spec: {template: {spec: {%s}}}"));
    }

    @ParameterizedTest
    @MethodSource("positions")
    void everyFieldOfTheClientIsAccepted(FieldPosition position) throws IOException {
        TreeSet<String> fields = new TreeSet<>();
        for (Field constant : position.type().getFields()) {
            if (constant.getName().startsWith("SERIALIZED_NAME_")) {
                try {
                    fields.add((String) constant.get(null));
                } catch (IllegalAccessException e) {
                    throw new AssertionError(e);
                }
            }
        }
        fields.removeAll(List.of("apiVersion", "kind"));

        assertThat(fields).isNotEmpty();
        assertThat(unknown(position.template(), fields)).isEmpty();
        fields.add("noSuchField");
        assertThat(unknown(position.template(), fields)).hasSize(1);
    }

    @ParameterizedTest
    @MethodSource("positions")
    void everyFieldHasTheTypeOfTheClient(FieldPosition position)
            throws IOException, IllegalAccessException, NoSuchFieldException {
        for (Field constant : position.type().getFields()) {
            if (!constant.getName().startsWith("SERIALIZED_NAME_")) {
                continue;
            }
            String name = (String) constant.get(null);
            // OBJECTS contains these fields.
            if (List.of("apiVersion", "kind").contains(name)) {
                continue;
            }
            Type type = position.type().getDeclaredField(name).getGenericType();
            for (String value : valuesOf(type)) {
                assertThat(wrongTypes(position.template(), name + ": " + value))
                        .as("%s: %s is a %s", name, value, type)
                        .isEmpty();
            }
            for (String value : valuesOfOtherTypes(type)) {
                assertThat(wrongTypes(position.template(), name + ": " + value))
                        .as("%s: %s is not a %s", name, value, type)
                        .hasSize(1);
            }
        }
    }

    /** Returns YAML values of the type. */
    private static List<String> valuesOf(Type type) {
        return switch (shape(type)) {
            case "String", "OffsetDateTime" -> List.of("null", "'1'", "text");
            case "Integer" -> List.of("null", "1");
            case "Long" -> List.of("null", "1", "3000000000");
            case "Boolean" -> List.of("null", "true", "no");
            case "List" -> List.of("null", "[]", "[null]");
            case "Map" -> List.of("null", "{}", "{a: null}");
            case "Object", "IntOrString", "Quantity" -> List.of("null", "1", "text");
            default -> List.of("null", "{}");
        };
    }

    /**
     * Returns YAML values of other types, including lists and mappings with elements of other types; empty for types with
     * several forms.
     */
    private static List<String> valuesOfOtherTypes(Type type) {
        return switch (shape(type)) {
            case "String", "OffsetDateTime" -> List.of("1", "true", "[]", "{}");
            case "Integer" -> List.of("text", "'1'", "1.5", "3000000000", "true");
            case "Long" -> List.of("text", "'1'", "1.5", "1e30", "true");
            case "Boolean" -> List.of("1", "'true'", "{}");
            case "List" -> {
                List<String> values = new ArrayList<>(List.of("1", "{}"));
                valuesOfOtherTypes(argument(type, 0)).forEach(element -> values.add("[" + element + "]"));
                yield values;
            }
            case "Map" -> {
                List<String> values = new ArrayList<>(List.of("1", "[]"));
                valuesOfOtherTypes(argument(type, 1)).forEach(element -> values.add("{a: " + element + "}"));
                yield values;
            }
            case "Object", "IntOrString", "Quantity" -> List.of();
            default -> List.of("1", "text", "[]");
        };
    }

    private static String shape(Type type) {
        return type instanceof ParameterizedType parameterized
                ? shape(parameterized.getRawType())
                : ((Class<?>) type).getSimpleName();
    }

    private static Type argument(Type type, int index) {
        return ((ParameterizedType) type).getActualTypeArguments()[index];
    }

    private static List<String> wrongTypes(String template, String field) throws IOException {
        return warnings(template.formatted(field), "wrong-type");
    }

    private static List<String> unknown(String template, Set<String> fields) throws IOException {
        return warnings(
                template.formatted(
                        fields.stream().map(field -> field + ": null").collect(Collectors.joining(", "))),
                "unknown-field");
    }

    private static List<String> warnings(String text, String code) throws IOException {
        ManifestResult result = Manifests.read(
                List.of(ManifestInput.stream(
                        "test.yaml", new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)))),
                ManifestOptions.DEFAULTS);
        return result.diagnostics().stream()
                .filter(one -> one.code().equals(code))
                .map(Object::toString)
                .toList();
    }
}
