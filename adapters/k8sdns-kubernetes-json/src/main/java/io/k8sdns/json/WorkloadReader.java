package io.k8sdns.json;

import io.k8sdns.model.CronJob;
import io.k8sdns.model.DaemonSet;
import io.k8sdns.model.Job;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Metadata;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.ReplicaWorkload;
import io.k8sdns.model.StatefulSet;
import java.util.Optional;
import java.util.Set;

/** Reads workloads: the number of their Pods, their selector and the template of their Pods. */
final class WorkloadReader {
    /** The kinds that own a ReplicaSet or a ReplicationController. */
    private static final Set<String> DEPLOYMENTS =
            Set.of(ReplicaWorkload.DEPLOYMENT, ReplicaWorkload.DEPLOYMENT_CONFIG);

    /** The kinds whose selector is a mapping of labels, without {@code matchLabels}. */
    private static final Set<String> OF_OLD_FORM =
            Set.of(ReplicaWorkload.REPLICATION_CONTROLLER, ReplicaWorkload.DEPLOYMENT_CONFIG);

    /** The annotation that a Deployment gets with its first ReplicaSet. */
    private static final String REVISION = "deployment.kubernetes.io/revision";

    private final ObjectReader.Sink sink;

    WorkloadReader(ObjectReader.Sink sink) {
        this.sink = sink;
    }

    void readStatefulSet(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        template(spec, true).ifPresent(template -> {
            // Read for its faults only: the Pods of a StatefulSet are found by name.
            FieldValues.labels(spec.get("selector").get("matchLabels").members());
            sink.put(
                    object,
                    new StatefulSet(
                            metadata,
                            FieldValues.notNegative(spec.get("replicas"), 1),
                            FieldValues.notNegative(spec.get("ordinals").get("start"), 0),
                            spec.get("serviceName").text().filter(name -> !name.isEmpty()),
                            spec.get("podManagementPolicy")
                                    .text()
                                    .filter("Parallel"::equals)
                                    .isPresent(),
                            template));
        });
    }

    /** Reads a Deployment, a ReplicaSet, a ReplicationController or a DeploymentConfig. */
    void readReplicas(String kind, Field object, Metadata metadata) {
        Field spec = object.get("spec");
        template(spec).ifPresent(template -> {
            Field selector = spec.get("selector");
            // OpenShift has no default (SetDefaults_DeploymentConfigSpec).
            int byDefault = kind.equals(ReplicaWorkload.DEPLOYMENT_CONFIG) ? 0 : 1;
            sink.put(
                    object,
                    new ReplicaWorkload(
                            kind,
                            metadata,
                            FieldValues.notNegative(spec.get("replicas"), byDefault),
                            isPausedAtFirst(kind, object),
                            kind.equals(ReplicaWorkload.DEPLOYMENT_CONFIG)
                                    && spec.get("test").truth().orElse(false),
                            selector(OF_OLD_FORM.contains(kind) ? selector : selector.get("matchLabels"), template),
                            deployment(object),
                            template));
        });
    }

    void readDaemonSet(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        template(spec).ifPresent(template -> {
            // Notes only, as for the rest of a template.
            Field podSpec = spec.get("template").get("spec").withWarningsAsNotes();
            Labels selector = selector(spec.get("selector").get("matchLabels"), template);
            sink.put(object, new DaemonSet(metadata, selector, template, PlacementReader.placement(podSpec)));
        });
    }

    void readJob(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        template(spec).ifPresent(template -> {
            int parallel = FieldValues.notNegative(spec.get("parallelism"), 1);
            Field completions = spec.get("completions");
            Optional<Integer> needed =
                    completions.isAbsent() ? Optional.empty() : Optional.of(FieldValues.notNegative(completions, 1));
            boolean suspended = spec.get("suspend").truth().orElse(false);
            boolean indexed = spec.get("completionMode").hasText("Indexed");
            sink.put(object, new Job(metadata, parallel, needed, suspended, indexed, template));
        });
    }

    void readCronJob(Field object, Metadata metadata) {
        Field spec = object.get("spec");
        Field job = spec.get("jobTemplate");
        if (spec.isMappingOrAbsent() && job.isMappingOrAbsent()) {
            boolean suspended = spec.get("suspend").truth().orElse(false);
            template(job.get("spec"))
                    .ifPresent(template -> sink.put(object, new CronJob(metadata, suspended, template)));
        }
    }

    private static Optional<PodTemplate> template(Field spec) {
        return template(spec, false);
    }

    private static Optional<PodTemplate> template(Field spec, boolean ofStatefulSet) {
        return spec.isMappingOrAbsent() ? PodReader.template(spec.get("template"), ofStatefulSet) : Optional.empty();
    }

    /** Returns the labels of a selector; those of the template if it has none. */
    private static Labels selector(Field labels, PodTemplate template) {
        Labels read = FieldValues.labels(labels.members());
        return read.values().isEmpty() ? template.labels() : read;
    }

    /** Returns whether a Deployment or DeploymentConfig is paused before its first rollout: a later pause keeps its Pods. */
    private static boolean isPausedAtFirst(String kind, Field object) {
        return DEPLOYMENTS.contains(kind)
                && object.get("spec").get("paused").truth().orElse(false)
                && object.get("metadata").get("annotations").get(REVISION).isAbsent()
                && object.get("status").get("latestVersion").isAbsent();
    }

    private static Optional<String> deployment(Field object) {
        for (Field owner : object.get("metadata").get("ownerReferences").items()) {
            if (owner.get("kind").text().filter(DEPLOYMENTS::contains).isPresent()
                    && owner.get("controller").truth().orElse(false)) {
                return owner.get("name").text();
            }
        }
        return Optional.empty();
    }
}
