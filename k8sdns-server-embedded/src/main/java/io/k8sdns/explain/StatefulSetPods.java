package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Service;
import io.k8sdns.model.StatefulSet;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The Pods that StatefulSets have, those that more replicas would give, and those for which their controllers wait. */
final class StatefulSetPods {
    private static final Pattern WITH_ORDINAL = Pattern.compile(".+-(0|[1-9]\\d*)");

    /** The digits of an ordinal that an int holds, whatever they are. */
    private static final int SAFE_DIGITS = 9;

    private static final Pattern LEADING_ZEROS = Pattern.compile("(.+-)0+(\\d+)");

    private final Findings findings;
    private final ClusterSnapshot cluster;

    /** The StatefulSets, each with the Pods that more replicas would give. */
    private final Map<StatefulSet, List<Pod>> next = new LinkedHashMap<>();

    StatefulSetPods(Findings findings) {
        this.findings = findings;
        this.cluster = findings.cluster;
        cluster.nextPods().forEach((workload, pods) -> {
            if (workload instanceof StatefulSet set) {
                next.put(set, pods);
            }
        });
    }

    /** Returns the StatefulSet that has made a Pod: its Pods have a label, and names that end in an ordinal. */
    static Optional<ObjectRef> statefulSet(Pod pod) {
        int dash = pod.name().lastIndexOf('-');
        return dash > 0
                        && pod.labels()
                                .get(StatefulSet.POD_NAME_LABEL)
                                .filter(pod.name()::equals)
                                .isPresent()
                ? Optional.of(ObjectRef.of(StatefulSet.KIND, pod.namespace(), withoutOrdinal(pod.name())))
                : Optional.empty();
    }

    /** Returns the workload of a Pod if known: one that was predicted has it, and a StatefulSet labels its Pods. */
    static Optional<ObjectRef> workload(Pod pod) {
        return pod.workload().or(() -> statefulSet(pod));
    }

    /**
     * Returns the number at the end of the name of a Pod of a StatefulSet, the largest int for a number that is too large; empty for other
     * names.
     */
    static OptionalInt ordinal(String name) {
        Matcher matcher = WITH_ORDINAL.matcher(name);
        if (!matcher.matches()) {
            return OptionalInt.empty();
        }
        String digits = matcher.group(1);
        return OptionalInt.of(digits.length() > SAFE_DIGITS ? Integer.MAX_VALUE : Integer.parseInt(digits));
    }

    /** Returns a name without the zeros before the number at its end, which no Pod of a StatefulSet has. */
    static String withoutLeadingZeros(String name) {
        Matcher matcher = LEADING_ZEROS.matcher(name);
        return matcher.matches() ? matcher.group(1) + matcher.group(2) : name;
    }

    /**
     * Returns those of some names that end in a number, the nearest one to that of another name first. They differ from it only in the
     * number, or have more words, for example those that a kustomization adds; those with more words come last.
     */
    static List<String> nearestNumbers(String name, Collection<String> others) {
        OptionalInt asked = ordinal(name);
        if (asked.isEmpty()) {
            return List.of();
        }
        return others.stream()
                .filter(other -> ordinal(other).isPresent()
                        && SimilarServices.isExtended(withoutOrdinal(other), withoutOrdinal(name)))
                .sorted(Comparator.comparing((String other) -> !areOfOneSet(name, other))
                        .thenComparing(other -> Math.abs(ordinal(other).orElseThrow() - asked.getAsInt())))
                .toList();
    }

    /** Returns whether names differ only in the number at their end. */
    static boolean areOfOneSet(String name, String other) {
        return ordinal(name).isPresent()
                && ordinal(other).isPresent()
                && withoutOrdinal(name).equals(withoutOrdinal(other));
    }

    private static String withoutOrdinal(String name) {
        return name.substring(0, name.lastIndexOf('-'));
    }

    /** Returns the Pod that is not ready and for which the controller waits before it makes a Pod; empty if it makes the Pod at once. */
    Optional<Pod> blocking(Pod pod) {
        return pod.workload()
                .flatMap(workload -> Optional.ofNullable(cluster.blockingPods().get(workload)))
                .filter(blocking ->
                        ordinal(blocking.name()).orElse(0) < ordinal(pod.name()).orElse(0));
    }

    /**
     * Adds the ordinals of the StatefulSet that would have a Pod as a cause, and suggests more replicas; returns whether there is such a
     * StatefulSet with Pods.
     *
     * @param service the Service below which the Pod is missing
     * @param podName the name of the missing Pod, which ends in an ordinal
     */
    boolean findCausesOfMissing(Service service, String podName) {
        int asked = ordinal(podName).orElseThrow();
        ObjectRef set = ObjectRef.of(StatefulSet.KIND, service.namespace(), withoutOrdinal(podName));
        int[] ordinals = cluster.objects(Pod.class)
                .filter(pod -> statefulSet(pod).equals(Optional.of(set)))
                .flatMapToInt(pod -> ordinal(pod.name()).stream())
                .sorted()
                .toArray();
        if (ordinals.length == 0) {
            return false;
        }
        addCause(set, asked < ordinals[0], ordinals[0], ordinals[ordinals.length - 1]);
        next.keySet().stream()
                .filter(one -> one.ref().equals(set) && !isNamedBy(one, service))
                .forEach(one -> findings.addCause(
                        set,
                        "spec.serviceName",
                        one.serviceName().map(name -> "is " + name).orElse("missing") + "; it must be " + service.name()
                                + ", the name of the Service"));
        suggestMoreReplicas(one -> one.ref().equals(set), pod -> pod.name().equals(podName), Optional.of(service));
        if (asked < ordinals[0]) {
            next.keySet().stream()
                    .filter(one -> one.ref().equals(set))
                    .forEach(one -> suggestFirstOrdinal(one, asked, service));
        }
        return true;
    }

    private static boolean isNamedBy(StatefulSet set, Service service) {
        return set.serviceName().equals(Optional.of(service.name()));
    }

    /** Returns the suggestion that a Service names the Pods of a StatefulSet. */
    static String changeOfServiceName(ObjectRef set, Service service) {
        return "set spec.serviceName of " + set + " to " + service.name()
                + " (an existing StatefulSet must be recreated)";
    }

    /**
     * Suggests a change of a StatefulSet after which it has other Pods; together with its {@code spec.serviceName} if that is not the
     * Service below which a Pod is missing.
     *
     * @param removed the Pods that it no longer has
     * @param added the Pods that it has instead
     */
    private void suggest(
            String change,
            String field,
            StatefulSet set,
            Optional<Service> service,
            List<Pod> removed,
            List<Pod> added) {
        Optional<Service> other = service.filter(one -> !isNamedBy(set, one));
        List<ClusterChange> changes = new ArrayList<>();
        removed.forEach(pod -> changes.add(new ClusterChange.Remove(pod.ref(), Optional.empty())));
        added.forEach(pod -> changes.add(new ClusterChange.Put(
                other.map(one -> pod.toBuilder().subdomain(one.name()).build()).orElse(pod))));
        findings.suggestChanges(
                change
                        + other.map(one -> ", and " + changeOfServiceName(set.ref(), one))
                                .orElse(""),
                findings.name,
                new FieldLocation(set.ref(), field),
                changes);
    }

    /**
     * Adds the templates of StatefulSets and Indexed Jobs as causes that have a hostname, because their controllers replace it, and suggests
     * the name of the first Pod of each.
     *
     * @param service the Service below which the hostname is missing
     */
    void findCausesOfReplacedHostname(Service service, String hostname, DnsLabels zone) {
        cluster.nextPods().keySet().stream()
                .filter(one -> one.metadata().namespace().equals(service.namespace())
                        && one.template().hostname().equals(Optional.of(hostname)))
                .forEach(workload -> {
                    ObjectRef ref = workload.ref();
                    findings.addCause(
                            ref,
                            PodTemplate.path(ref, "spec.hostname"),
                            "is " + hostname + ", but the controller gives each Pod another hostname: " + ref.name()
                                    + "- and its number");
                    cluster.objects(Pod.class)
                            .filter(pod -> pod.workload().equals(Optional.of(ref)))
                            .flatMap(pod -> pod.hostname().stream())
                            .findFirst()
                            .ifPresent(first -> findings.suggestName(
                                    NameSchema.service(service.name(), service.namespace())
                                            .prepend(first),
                                    zone));
                });
    }

    /** Adds the StatefulSets of a namespace as causes that would have a certain Pod with more replicas, and suggests that. */
    void findCausesOfFewReplicas(String namespace, Predicate<Pod> missing) {
        next.forEach((set, pods) -> {
            // One without Pods is idle.
            if (set.replicas() > 0
                    && set.metadata().namespace().equals(namespace)
                    && pods.stream().anyMatch(missing)) {
                long first = set.firstOrdinal();
                addCause(set.ref(), false, first, first + set.replicas() - 1);
                suggestMoreReplicas(set::equals, missing, Optional.empty());
            }
        });
    }

    /** Adds the first and the last ordinal of a StatefulSet as a cause; isBelow is true if the asked one is before the first. */
    private void addCause(ObjectRef set, boolean isBelow, long first, long last) {
        String numbers = next.keySet().stream()
                .filter(known -> known.ref().equals(set))
                .findFirst()
                .map(known -> numbers(known, isBelow) + ", so that ")
                .orElse("");
        findings.addCause(set, isBelow ? "spec.ordinals.start" : "spec.replicas", numbers + pods(set, first, last));
    }

    private static String pods(ObjectRef set, long first, long last) {
        String firstPod = set.name() + "-" + first;
        return first == last
                ? "its only Pod is " + firstPod
                : "its Pods are " + firstPod + " to " + set.name() + "-" + last;
    }

    private static String numbers(StatefulSet set, boolean isBelow) {
        String replicas = "is " + set.replicas();
        return isBelow
                ? "is " + set.firstOrdinal()
                : set.firstOrdinal() == 0 ? replicas : replicas + " and spec.ordinals.start " + set.firstOrdinal();
    }

    /** Suggests a smaller first ordinal of a StatefulSet whose Pods were predicted: they get other names. */
    private void suggestFirstOrdinal(StatefulSet set, int ordinal, Service service) {
        StatefulSet changed = set.toBuilder().firstOrdinal(ordinal).build();
        List<Pod> pods = cluster.objects(Pod.class)
                .filter(pod -> pod.workload().equals(Optional.of(set.ref())))
                .sorted(Comparator.comparing(pod -> ordinal(pod.name()).orElse(0)))
                .toList();
        if (pods.size() != set.replicas()) {
            return;
        }
        List<Pod> renamed = new ArrayList<>();
        for (int i = 0; i < pods.size(); i++) {
            Pod made = changed.pod(i);
            renamed.add(pods.get(i).toBuilder()
                    .metadata(made.metadata())
                    .hostname(made.hostname().orElseThrow())
                    .build());
        }
        suggest(
                "set spec.ordinals.start of " + set.ref() + " to " + ordinal + ", so that "
                        + pods(set.ref(), ordinal, (long) ordinal + set.replicas() - 1),
                "spec.ordinals.start",
                set,
                Optional.of(service),
                pods,
                renamed);
    }

    /**
     * Suggests the smallest number of replicas of each of some StatefulSets that gives a Pod, with all Pods before it.
     *
     * @param service the Service below which the Pod is missing; empty if its name does not matter
     */
    private void suggestMoreReplicas(Predicate<StatefulSet> sets, Predicate<Pod> missing, Optional<Service> service) {
        next.forEach((set, pods) -> {
            List<Pod> before = pods.stream().takeWhile(missing.negate()).toList();
            int added = before.size() + 1;
            if (sets.test(set) && added <= pods.size()) {
                suggest(
                        "set spec.replicas of " + set.ref() + " to " + (set.replicas() + added),
                        "spec.replicas",
                        set,
                        service,
                        List.of(),
                        pods.subList(0, added));
            }
        });
    }
}
