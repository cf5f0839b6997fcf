package io.k8sdns.manifest.checks;

import io.k8sdns.json.Field;
import io.k8sdns.json.ObjectReader;
import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Job;
import io.k8sdns.model.Pod;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Checks for the fields that an API server requires; a document without them is a fragment or a patch.
 *
 * <p>{@link ObjectReader} and {@link ApiServerValidation} report invalid values, of which only the invalid part is omitted.
 * {@link ObjectReader} also reports a missing name or address type, without which there is no object.
 *
 * <p>Source: the {@code validation} packages below {@code pkg/apis} of Kubernetes.
 */
final class RequiredFields {
    private static final String REQUIRED = "Required value";

    private RequiredFields() {}

    /**
     * Returns whether an object has the fields that an API server requires of its kind; reports the first missing one.
     */
    static boolean arePresent(Field object, String kind) {
        Field spec = object.get("spec");
        return switch (kind) {
            case Service.KIND -> ofService(spec);
            case Pod.KIND -> ofPodSpec(spec, kind);
            case StatefulSet.KIND, DaemonSet.KIND, ReplicaWorkload.DEPLOYMENT, ReplicaWorkload.REPLICA_SET ->
                ofWorkload(spec, kind);
            case ReplicaWorkload.REPLICATION_CONTROLLER ->
                ofPodSpec(spec.get("template").get("spec"), kind);
            case Job.KIND -> ofJob(spec, kind);
            case CronJob.KIND -> ofJob(spec.get("jobTemplate").get("spec"), kind);
            default -> true;
        };
    }

    private static boolean ofService(Field spec) {
        Field type = spec.get("type");
        if (type.hasText("ExternalName")) {
            return !spec.get("externalName").isAbsentOrEmpty()
                    || refuse(spec.get("externalName"), Service.KIND, REQUIRED);
        }
        boolean mayDoWithoutPorts = !type.isAbsentOrEmpty()
                        && !type.hasText("ClusterIP")
                        && !type.hasText("NodePort")
                        && !type.hasText("LoadBalancer")
                || spec.get("clusterIP").hasText("None")
                || spec.get("clusterIPs").entries().stream().anyMatch(one -> one.hasText("None"));
        return mayDoWithoutPorts || isNotEmpty(spec.get("ports"), Service.KIND);
    }

    private static boolean ofWorkload(Field spec, String kind) {
        Field selector = spec.get("selector");
        if (selector.isAbsent()) {
            return refuse(selector, kind, REQUIRED);
        }
        Field equal = selector.get("matchLabels");
        Field expressions = selector.get("matchExpressions");
        if (equal.keys().isEmpty() && expressions.entries().isEmpty()) {
            return refuse(selector, kind, "empty selector is invalid for " + kind.toLowerCase(Locale.ROOT));
        }
        Field labels = spec.get("template").get("metadata").get("labels");
        boolean matches =
                equal.keys().stream().allMatch(key -> value(equal, key).equals(value(labels, key)))
                        && expressions.entries().stream().allMatch(one -> matches(one, labels));
        if (!matches) {
            return refuse(labels, kind, "`selector` does not match template `labels`");
        }
        return ofPodSpec(spec.get("template").get("spec"), kind);
    }

    private static boolean ofJob(Field spec, String kind) {
        // Without both fields, the default of both is 1 (SetDefaults_Job).
        Field completions = spec.get("completions");
        if (spec.get("completionMode").hasText("Indexed")
                && completions.isAbsent()
                && !spec.get("parallelism").isAbsent()) {
            return refuse(completions, kind, REQUIRED);
        }
        return ofPodSpec(spec.get("template").get("spec"), kind);
    }

    private static boolean matches(Field expression, Field labels) {
        Optional<String> value =
                value(labels, expression.get("key").scalarText().orElse(""));
        List<Optional<String>> values = new ArrayList<>();
        expression.get("values").entries().forEach(one -> values.add(one.scalarText()));
        return switch (expression.get("operator").scalarText().orElse("")) {
            case "In" -> value.isPresent() && values.contains(value);
            case "NotIn" -> !values.contains(value);
            case "Exists" -> value.isPresent();
            case "DoesNotExist" -> value.isEmpty();
            default -> false;
        };
    }

    /** Returns the value of a label, "" for null; empty if the label is absent. */
    private static Optional<String> value(Field labels, String key) {
        return labels.keys().contains(key)
                ? Optional.of(labels.get(key).scalarText().orElse(""))
                : Optional.empty();
    }

    private static boolean ofPodSpec(Field podSpec, String kind) {
        if (!isNotEmpty(podSpec.get("containers"), kind)) {
            return false;
        }
        List<Field> containers = new ArrayList<>(podSpec.get("initContainers").entries());
        containers.addAll(podSpec.get("containers").entries());
        for (Field container : containers) {
            for (String name : List.of("name", "image")) {
                if (container.get(name).isAbsentOrEmpty()) {
                    return refuse(container.get(name), kind, REQUIRED);
                }
            }
        }
        return true;
    }

    private static boolean isNotEmpty(Field list, String kind) {
        return !list.isAbsent() && !list.isEmptyList() || refuse(list, kind, REQUIRED);
    }

    private static boolean refuse(Field missing, String kind, String problem) {
        missing.warn(
                ManifestChecks.REFUSED, problem + "; this " + kind + " is skipped, as an API server would refuse it");
        return false;
    }
}
