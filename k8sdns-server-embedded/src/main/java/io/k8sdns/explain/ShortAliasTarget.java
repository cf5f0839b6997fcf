package io.k8sdns.explain;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Source;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Answer;
import io.k8sdns.schema.ClusterName;
import io.k8sdns.schema.NameSchema;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * Finds aliases whose target is the name of a Service without the zone, such as {@code cart.shop} or {@code cart}: a resolver does not append the
 * search list of the Pod to a target, and asks another server for the name as it is. Finds also aliases whose target has another zone.
 */
final class ShortAliasTarget {
    /** The zone of Services that several clusters share (KEP-1645), which have the same names in it. */
    private static final String CLUSTER_SET = "clusterset.local";

    private final Findings findings;

    ShortAliasTarget(Findings findings) {
        this.findings = findings;
    }

    /**
     * Adds the last alias of an answer as a cause if its target is the name of a Service of the cluster without the zone, and suggests the
     * whole name; returns whether it is.
     *
     * @param sources the sources of the answer's records
     */
    boolean findCauses(Answer answer, List<Source> sources) {
        outsideTarget(answer).ifPresent(target -> alias(sources).ifPresent(alias -> findCauses(alias, target)));
        return !findings.causes().isEmpty();
    }

    /**
     * Suggests the name of a Service of the cluster as the target of the last alias of an answer, if the target has this name with another
     * zone: that is probably misspelt, but another server may have it.
     *
     * @param sources the sources of the answer's records
     */
    void suggestZone(Answer answer, List<Source> sources) {
        outsideTarget(answer)
                .flatMap(this::withZone)
                .ifPresent(target -> alias(sources).ifPresent(alias -> suggestTarget(findings, alias, target)));
    }

    private Optional<DnsLabels> outsideTarget(Answer answer) {
        return Explanation.targetOfOtherServer(answer, findings.name, findings.type)
                .map(DnsNames::labels);
    }

    /** Returns the alias that is the source of the last record. */
    private Optional<ExternalNameService> alias(List<Source> sources) {
        return sources.stream()
                .reduce((any, last) -> last)
                .flatMap(Source::object)
                .flatMap(findings.cluster::get)
                .filter(ExternalNameService.class::isInstance)
                .map(ExternalNameService.class::cast);
    }

    /** Returns the name of an existing Service, or one below it, with the zone of the server in place of that of a target. */
    private Optional<DnsLabels> withZone(DnsLabels target) {
        DnsLabels zone = findings.settings.zones().get(0);
        return IntStream.range(0, target.count() - 1)
                .filter(i -> target.foldedLabel(i).equals(NameSchema.SERVICES)
                        && !target.skip(i + 1).toString().equalsIgnoreCase(CLUSTER_SET))
                .mapToObj(i -> target.first(i + 1))
                .filter(below -> below.fitsBelow(zone) && existing(below).isPresent())
                .findFirst()
                .map(below -> below.append(zone));
    }

    private void findCauses(ExternalNameService alias, DnsLabels target) {
        // A single label is the name of a Service in the namespace of the alias, as in a Pod.
        DnsLabels withNamespace = target.count() == 1 ? target.append(DnsLabels.of(alias.namespace())) : target;
        withService(withNamespace)
                .ifPresent(below -> existing(below).ifPresent(service -> {
                    DnsLabels zone = findings.settings.zones().get(0);
                    addCause(alias, target, service, below.append(zone));
                    findings.suggestName(below, zone);
                }));
    }

    private void addCause(ExternalNameService alias, DnsLabels target, ObjectRef service, DnsLabels whole) {
        findings.addCause(
                alias.ref(),
                "spec.externalName",
                "is an alias of " + target
                        + ", which is in no zone of the cluster, and no search list is appended to it; " + service
                        + " has the name " + whole);
        suggestTarget(findings, alias, whole);
    }

    /** Suggests another target of an alias, if the name then resolves. */
    static void suggestTarget(Findings findings, ExternalNameService alias, DnsLabels target) {
        findings.suggestChange(
                "change spec.externalName of " + alias.ref() + " to " + target,
                new FieldLocation(alias.ref(), "spec.externalName"),
                new ExternalNameService(alias.metadata(), Optional.of(target.toString())));
    }

    /** Returns a target with the label {@code svc}, if that or the target itself has the form of a Service's name, or one below it. */
    private Optional<DnsLabels> withService(DnsLabels target) {
        DnsLabels services = ClusterName.FixedName.SERVICES.labels();
        return Stream.of(
                        Optional.of(target),
                        Optional.of(target)
                                .filter(one -> one.fitsBelow(services))
                                .map(one -> one.append(services)))
                .flatMap(Optional::stream)
                .filter(below -> below.fitsBelow(findings.settings.zones().get(0))
                        && NameSchema.parse(below).serviceName().isPresent())
                .findFirst();
    }

    private Optional<ObjectRef> existing(DnsLabels below) {
        return NameSchema.parse(below)
                .serviceName()
                .map(ClusterName.ServiceName::ref)
                .filter(ref -> findings.cluster
                        .get(ref)
                        .filter(Service.class::isInstance)
                        .isPresent());
    }
}
