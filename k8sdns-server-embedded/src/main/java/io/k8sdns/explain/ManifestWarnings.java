package io.k8sdns.explain;

import io.k8sdns.arguments.Copies;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.records.RecordType;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The warnings about the manifests of a cluster. Those about the objects behind a name are causes, before those that are derived from the
 * objects: a part of an object that was ignored may be why a record is missing.
 *
 * @param all the warnings that name an object
 * @param refusals those because of which an API server refuses an object of the cluster. The object is in the cluster without the invalid
 *     parts, so that everything else about it can be explained
 */
record ManifestWarnings(List<Diagnostic> all, Set<Diagnostic> refusals) {
    static final ManifestWarnings NONE = new ManifestWarnings(List.of(), Set.of());

    private static final int MAX_CAUSES = 5;
    private static final String SELECTOR = "spec.selector";

    /** The code of the notes about addresses of a family of which there is no range. */
    private static final String NO_RANGE = "no-cidr";

    static ManifestWarnings of(List<Diagnostic> diagnostics, List<Diagnostic> refusals) {
        return new ManifestWarnings(
                Copies.list("warnings", diagnostics).stream()
                        .filter(one -> one.object().isPresent()
                                && (one.severity() == Severity.WARNING || isOfMissingRange(one)))
                        .toList(),
                new HashSet<>(Copies.list("refusals", refusals)));
    }

    /** Returns whether a note says that a Service gets no address of a family. */
    private static boolean isOfMissingRange(Diagnostic note) {
        return note.code().equals(NO_RANGE)
                && note.object().filter(one -> one.kind().equals(Service.KIND)).isPresent();
    }

    /** Returns an explanation with the warnings about the objects behind its name as the first causes. */
    Explanation addTo(Explanation explained, Findings findings) {
        if (all.isEmpty()) {
            return explained;
        }
        ObjectsBehindName objects = new ObjectsBehindName(findings, explained);
        List<Cause> faults = all.stream()
                .filter(objects::concerns)
                .filter(one -> !isOfMissingRange(one) || lacksAddress(one, findings))
                .filter(one -> !isOfInvalidLabel(one))
                .map(this::cause)
                .distinct()
                .limit(MAX_CAUSES)
                .toList();
        return new Explanation(
                explained.name(),
                explained.type(),
                explained.answer(),
                explained.sources(),
                Stream.concat(
                                faults.stream(),
                                explained.causes().stream()
                                        .filter(cause -> !isOfIgnoredSelector(cause)
                                                && !isOfSkipped(cause, faults, findings.cluster))
                                        .map(cause -> isOfRefusedPart(cause) ? ofRest(cause) : cause))
                        .toList(),
                explained.suggestions());
    }

    private Cause cause(Diagnostic warning) {
        ObjectRef object = warning.object().orElseThrow();
        String refusal = refusals.contains(warning) ? "; an API server refuses this " + object.kind() : "";
        String option = isOfMissingRange(warning) ? " (--service-cidr)" : "";
        return new Cause(
                Optional.of(object), warning.field().orElse(""), warning.text() + refusal + option, warning.position());
    }

    /** Returns whether the Service of a note lacks an address of the asked type. */
    private static boolean lacksAddress(Diagnostic note, Findings findings) {
        return note.object()
                .flatMap(findings.cluster::get)
                .filter(ClusterIpService.class::isInstance)
                .map(service -> ((ClusterIpService) service).clusterIps())
                .filter(addresses -> addresses.isEmpty()
                        || findings.type.equals(RecordType.A)
                                && addresses.stream().noneMatch(IpAddress::isIpv4)
                        || findings.type.equals(RecordType.AAAA)
                                && addresses.stream().allMatch(IpAddress::isIpv4))
                .isPresent();
    }

    /** Returns whether a cause is that an object, or the Namespace of it, does not exist, although a manifest has it: it was skipped. */
    private static boolean isOfSkipped(Cause cause, List<Cause> faults, ClusterSnapshot cluster) {
        return cause.field().isEmpty()
                && cause.object().filter(one -> cluster.get(one).isEmpty()).isPresent()
                && faults.stream()
                        .flatMap(fault -> fault.object().stream())
                        .flatMap(skipped -> Stream.concat(
                                Stream.of(skipped),
                                skipped.namespace().map(name -> ObjectRef.of(Namespace.KIND, name)).stream()))
                        .anyMatch(cause.object().get()::equals);
    }

    /** Returns whether a warning repeats that a selector is ignored, of which a label has a warning already. */
    private boolean isOfInvalidLabel(Diagnostic warning) {
        return warning.field().equals(Optional.of(SELECTOR))
                && all.stream()
                        .anyMatch(other -> other.object().equals(warning.object())
                                && other.field()
                                        .filter(field -> !field.equals(SELECTOR) && isWithin(field, SELECTOR))
                                        .isPresent());
    }

    /** Returns whether a cause repeats that a Service has no selector, because it is ignored. */
    private boolean isOfIgnoredSelector(Cause cause) {
        return cause.field().equals(SELECTOR) && isOfRefusedPart(cause);
    }

    /** Returns whether a part of the field of a cause was ignored, because an API server refuses it. */
    private boolean isOfRefusedPart(Cause cause) {
        return !cause.field().isEmpty()
                && refusals.stream()
                        .anyMatch(one -> one.object().equals(cause.object())
                                && one.field()
                                        .filter(field -> isWithin(field, cause.field()))
                                        .isPresent());
    }

    private static boolean isWithin(String field, String other) {
        return field.equals(other) || field.startsWith(other + ".") || field.startsWith(other + "[");
    }

    private static Cause ofRest(Cause cause) {
        return new Cause(
                cause.object(), cause.field(), cause.text() + " (without the part that is refused)", cause.position());
    }

    /** Returns whether an API server refuses an object. */
    boolean isRefused(ObjectRef object) {
        return refused().contains(object);
    }

    private Set<ObjectRef> refused() {
        return refusals.stream().flatMap(one -> one.object().stream()).collect(Collectors.toSet());
    }

    /** Returns the removals of the objects that an API server refuses, and of the Pods that a refused workload would make. */
    List<ClusterChange> removals(ClusterSnapshot cluster) {
        Set<ObjectRef> refused = refused();
        if (refused.isEmpty()) {
            return List.of();
        }
        return cluster.objects().stream()
                .filter(object -> refused.contains(object.ref())
                        || object instanceof Pod pod
                                && pod.workload().filter(refused::contains).isPresent())
                .<ClusterChange>map(object -> new ClusterChange.Remove(object.ref(), Optional.empty()))
                .toList();
    }
}
