package io.k8sdns.manifest;

import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.IdleWorkload;
import io.k8sdns.completion.ClusterDraft;
import io.k8sdns.completion.Completion;
import io.k8sdns.json.ConfigMap;
import io.k8sdns.manifest.checks.ManifestChecks;
import io.k8sdns.manifest.objects.CombinedFiles;
import io.k8sdns.manifest.objects.FileContents;
import io.k8sdns.manifest.objects.FileReading;
import io.k8sdns.manifest.objects.Inventory;
import io.k8sdns.model.ClusterIpService;
import io.k8sdns.model.Diagnostic;
import io.k8sdns.model.Diagnostic.Severity;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Position;
import io.k8sdns.model.Workload;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Combines the contents of files, in the order in which they are added, and completes the objects. */
final class FileCollector {
    /**
     * The codes of notes that are errors under strictness: documents that are not objects, and objects without effect, because
     * another object or field does not fit.
     */
    private static final Set<String> MISTAKES = Set.of(
            FileUse.NO_OBJECT, "orphan-slice", "orphan-endpoints", "overwritten-endpoints", "ignored-external-name");

    private final ManifestOptions options;
    private final boolean objectsOnly;
    private final Function<ClusterSnapshot, List<Diagnostic>> check;
    private final Inventory inventory = new Inventory();
    private final Summary summary = new Summary();
    private final List<Diagnostic> diagnostics = new ArrayList<>();

    /** The warnings about documents that an API server would refuse, also those of objects that have another, valid document. */
    private final List<Diagnostic> refusals = new ArrayList<>();

    /** The first document of each workload that an API server would refuse. */
    private final Map<ObjectRef, Inventory.Entry> refused = new LinkedHashMap<>();

    /**
     * Creates a collector without files.
     *
     * @param objectsOnly whether documents and files without a Kubernetes object are refused, if the options are strict;
     *     otherwise they are skipped with a note
     * @param check returns additional diagnostics of the cluster
     */
    FileCollector(ManifestOptions options, boolean objectsOnly, Function<ClusterSnapshot, List<Diagnostic>> check) {
        this.options = options;
        this.objectsOnly = objectsOnly;
        this.check = check;
    }

    void file(FileContents contents) {
        List<Diagnostic> found = contents.addTo(inventory);
        summary.file(FileUse.of(contents, found));
        diagnostics.addAll(found);
        contents.notes().all().stream().filter(ManifestChecks::isRefusal).forEach(refusals::add);
        contents.refused().forEach(entry -> refused.putIfAbsent(entry.ref(), entry));
        if (objectsOnly && found.isEmpty() && !contents.holdsObjects()) {
            noObject(contents.notes().position(0), "empty, not a Kubernetes object");
        }
    }

    /** Adds a kustomization, whose files are added on their own. */
    void kustomization(List<Diagnostic> found) {
        summary.file(FileUse.KUSTOMIZATION);
        diagnostics.addAll(found);
    }

    /** Adds a note if a file is a kustomization that was read like another file, because files are followed. */
    void noteUnbuiltKustomization() {
        diagnostics.stream()
                .filter(UnrenderedFiles::isKustomization)
                .findFirst()
                .flatMap(Diagnostic::position)
                .ifPresent(place -> diagnostics.add(new Diagnostic(
                        Severity.NOTE,
                        "kustomization-followed",
                        Optional.empty(),
                        Optional.empty(),
                        Optional.of(place),
                        "kustomizations are not applied to files that are watched: each file is read with the names that it"
                                + " has")));
    }

    /** Returns the number of added files. */
    int files() {
        return summary.files();
    }

    /** Reports a directory without a manifest. */
    void withoutFile(Path directory) {
        noObject(new Position(directory.toString(), 0), "no .yaml, .yml or .json file in this directory");
    }

    private void noObject(Position place, String text) {
        diagnostics.add(new Diagnostic(
                Severity.NOTE, FileUse.NO_OBJECT, Optional.empty(), Optional.empty(), Optional.of(place), text));
    }

    /** Adds the reasons why files were skipped. */
    void skipped(List<Diagnostic> reasons) {
        diagnostics.addAll(reasons);
    }

    /**
     * Completes the objects of the files.
     *
     * @param remarks additional diagnostics that are not errors under strictness
     */
    CombinedFiles combined(List<Diagnostic> remarks) {
        ClusterDraft draft = inventory.draft();
        Completion.Result result = options.asIs()
                ? Completion.asIs(draft)
                : Completion.asApplied(draft, options.addressing(), options.readiness());
        List<Diagnostic> found = new ArrayList<>(result.notes());
        found.addAll(check.apply(result.snapshot()));
        if (objectsOnly) {
            found.addAll(sharedClusterIps(result.snapshot()));
        }
        for (Diagnostic one : found) {
            diagnostics.add(one.object()
                    .flatMap(ref -> position(ref, result.snapshot()))
                    .map(one::atPosition)
                    .orElse(one));
        }
        List<Diagnostic> faults = options.strict() ? faults() : List.of();
        if (!faults.isEmpty()) {
            return new CombinedFiles.Refused(faults, result.invented(), result.workloads());
        }
        diagnostics.addAll(remarks);
        List<IdleWorkload> idle = new ArrayList<>(result.snapshot().idleWorkloads());
        idle.addAll(refusedWorkloads());
        return new CombinedFiles.Cluster(
                result.snapshot().withIdleWorkloads(idle),
                result.invented(),
                result.workloads(),
                positions(result),
                diagnostics,
                refusals.stream()
                        .filter(one -> one.object().filter(inventory::isFaulty).isPresent())
                        .toList(),
                summary.lines(inventory.counts(), diagnostics),
                inventory.configMap(FileReading.KUBE_DNS).map(ConfigMap::data));
    }

    /** Returns the workloads that make no Pods because an API server would refuse them; not those with another, valid document. */
    private List<IdleWorkload> refusedWorkloads() {
        Map<ObjectRef, Diagnostic> reasons = new HashMap<>();
        diagnostics.stream()
                .filter(one -> one.code().equals(ManifestChecks.REFUSED))
                .forEach(one -> one.object().ifPresent(ref -> reasons.putIfAbsent(ref, one)));
        List<IdleWorkload> idle = new ArrayList<>();
        refused.forEach((ref, document) -> {
            Diagnostic reason = reasons.get(ref);
            if (reason != null && inventory.position(ref).isEmpty()) {
                idle.add(new IdleWorkload(
                        (Workload) document.object(), reason.field().orElse(""), reason.text(), Optional.empty()));
            }
        });
        return idle;
    }

    /** Returns the positions of the objects of the files, of the Pods of workloads, and of refused workloads. */
    private Map<ObjectRef, Position> positions(Completion.Result result) {
        Map<ObjectRef, Position> positions = inventory.positions();
        refused.forEach((workload, document) -> positions.putIfAbsent(workload, document.position()));
        result.workloads()
                .forEach((pod, workload) -> inventory.position(workload).ifPresent(place -> positions.put(pod, place)));
        return positions;
    }

    /** Warns of Services that share a cluster IP; an API server assigns each to one Service only. */
    private static List<Diagnostic> sharedClusterIps(ClusterSnapshot cluster) {
        Map<IpAddress, ObjectRef> owners = new HashMap<>();
        List<Diagnostic> found = new ArrayList<>();
        cluster.objects(ClusterIpService.class)
                .forEach(service -> service.clusterIps().forEach(address -> {
                    ObjectRef owner = owners.putIfAbsent(address, service.ref());
                    if (owner != null && !owner.equals(service.ref())) {
                        found.add(Diagnostic.warning(
                                        "shared-cluster-ip", service.ref(), address + " is that of " + owner + ", too")
                                .atField("spec.clusterIPs"));
                    }
                }));
        return found;
    }

    /** Returns the position of an object; a derived slice has that of its Service. */
    private Optional<Position> position(ObjectRef ref, ClusterSnapshot cluster) {
        return inventory
                .position(ref)
                .or(() -> cluster.get(ref)
                        .filter(EndpointSlice.class::isInstance)
                        .flatMap(slice -> ((EndpointSlice) slice).serviceRef())
                        .flatMap(inventory::position));
    }

    /** Returns the diagnostics that are errors under strictness. */
    private List<Diagnostic> faults() {
        return diagnostics.stream()
                .filter(one -> one.severity() == Severity.WARNING || objectsOnly && MISTAKES.contains(one.code()))
                .sorted(inOrderOfInput())
                .toList();
    }

    /** Returns the order of files and lines; diagnostics without a position are last. */
    private Comparator<Diagnostic> inOrderOfInput() {
        Map<String, Integer> files = new HashMap<>();
        for (Diagnostic one : diagnostics) {
            one.position().ifPresent(place -> files.putIfAbsent(place.file(), files.size()));
        }
        return Comparator.<Diagnostic>comparingInt(one ->
                        one.position().map(place -> files.get(place.file())).orElse(Integer.MAX_VALUE))
                .thenComparingInt(one -> one.position().map(Position::line).orElse(0));
    }
}
