package io.k8sdns.explain;

import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** The causes and suggestions for one name, with the cluster in which they are found. Each suggestion is tried. */
final class Findings {
    private static final int MAX_SUGGESTIONS = 5;

    final ClusterSnapshot cluster;
    final ZoneSettings settings;
    final Visibility visibility;
    final Name name;
    final RecordType type;

    /** The labels of the name. */
    final DnsLabels labels;

    /** Whether the Pods of the cluster are known. If not, that none is found does not mean that there is none. */
    final boolean knowsPods;

    private final ExplainedServer server;
    private final WhatIf whatIf;
    private final boolean triesChanges;
    private final List<Cause> causes = new ArrayList<>();
    private final List<Suggestion> suggestions = new ArrayList<>();

    Findings(ExplainedServer server, Name name, RecordType type) {
        this.server = server;
        this.cluster = server.cluster();
        this.settings = server.settings();
        this.visibility = server.visibility();
        this.knowsPods = server.knowsPods();
        this.whatIf = server.whatIf();
        this.triesChanges = server.triesChanges();
        this.name = name;
        this.type = type;
        this.labels = DnsNames.labels(name);
    }

    List<Cause> causes() {
        return causes;
    }

    List<Suggestion> suggestions() {
        return suggestions;
    }

    void addCause(String text) {
        causes.add(new Cause(Optional.empty(), "", text));
    }

    void addCause(ObjectRef object, String field, String text) {
        Cause cause = new Cause(Optional.of(object), field, text);
        // The Pods of a workload have the same causes.
        if (!causes.contains(cause)) {
            causes.add(cause);
        }
    }

    void addCause(Pod pod, String field, String text) {
        FieldLocation location = PodOrigins.location(pod, field);
        addCause(location.object(), location.field(), text);
    }

    boolean resolves(Name other, RecordType otherType) {
        return whatIf.resolves(other, otherType, List.of());
    }

    void suggestName(DnsLabels below, DnsLabels zone) {
        suggestName(below, zone, type);
    }

    /** Suggests another name, if it resolves. */
    void suggestName(DnsLabels below, DnsLabels zone, RecordType otherType) {
        suggestName(below, zone, otherType, "");
    }

    /** Suggests another name, if it resolves, with a remark. */
    void suggestName(DnsLabels below, DnsLabels zone, String remark) {
        suggestName(below, zone, type, remark);
    }

    private void suggestName(DnsLabels below, DnsLabels zone, RecordType otherType, String remark) {
        if (below.fitsBelow(zone)) {
            Name other = DnsNames.absolute(below, zone);
            suggest(lookUp(other, otherType) + remark, other, otherType, Optional.empty(), List.of());
        }
    }

    private String lookUp(Name other, RecordType otherType) {
        return "look up " + other + (otherType.equals(type) ? "" : " with type " + otherType);
    }

    /** Adds the causes why another name has no records of the type, and the suggestions after which it has some. */
    void addFindingsOf(Name other) {
        Findings others = new Findings(server, other, type);
        new MissingRecords(others).findCauses();
        others.causes.stream().filter(cause -> !causes.contains(cause)).forEach(causes::add);
        others.suggestions.forEach(this::suggestOfOther);
    }

    /** Suggests what helps another name, which the text then names. */
    private void suggestOfOther(Suggestion found) {
        String lookUp = lookUp(found.name(), found.type());
        String text = found.changes().isEmpty() ? lookUp : found.text() + ", and " + lookUp;
        // It was tried for the other name.
        suggest(
                new Suggestion(text, found.name(), found.type(), found.object(), found.field(), found.changes()),
                () -> true);
    }

    /** Suggests another type, if the name has records of it. */
    void suggestType(RecordType other) {
        suggest("look up type " + other, name, other, Optional.empty(), List.of());
    }

    /** Suggests to replace an object, if the name then resolves. */
    void suggestChange(String text, FieldLocation location, ClusterObject changed) {
        suggestChange(text, name, location, changed);
    }

    /** Suggests to replace objects and to look up a name, if it then resolves. */
    void suggestChange(String text, Name other, FieldLocation location, ClusterObject... changed) {
        if (triesChanges) {
            List<ClusterChange> changes = Stream.of(changed)
                    .<ClusterChange>map(ClusterChange.Put::new)
                    .toList();
            suggest(text, other, type, Optional.of(location), changes);
        }
    }

    private void suggest(
            String text,
            Name other,
            RecordType otherType,
            Optional<FieldLocation> location,
            List<ClusterChange> changes) {
        suggest(
                new Suggestion(
                        text,
                        other,
                        otherType,
                        location.map(FieldLocation::object),
                        location.map(FieldLocation::field).orElse(""),
                        changes),
                () -> whatIf.resolves(other, otherType, changes));
    }

    private void suggest(Suggestion suggestion, BooleanSupplier resolves) {
        boolean isNew = suggestions.stream().noneMatch(known -> known.text().equals(suggestion.text()));
        // Tried last, because that may cost a zone.
        if (isNew && suggestions.size() < MAX_SUGGESTIONS && resolves.getAsBoolean()) {
            suggestions.add(suggestion);
        }
    }

    /** Adds a cause if a Namespace does not exist or is not published; returns whether it is. */
    boolean checkNamespace(String namespace) {
        ObjectRef ref = ObjectRef.of(Namespace.KIND, namespace);
        Optional<Namespace> found = cluster.get(ref).map(Namespace.class::cast);
        if (found.filter(visibility::shows).isPresent()) {
            return true;
        }
        if (found.isEmpty()) {
            addCause(ref, "", "no such Namespace");
            return false;
        }
        addCause(ref, "", "hidden, because the server publishes only some namespaces");
        if (triesChanges) {
            String text = "publish " + ref + " (--namespace or --namespace-labels)";
            suggest(
                    new Suggestion(text, name, type, Optional.empty(), "", List.of()),
                    () -> whatIf.resolvesWithAllNamespaces(name, type));
        }
        return false;
    }

    List<EndpointSlice> slices(Service service) {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.belongsTo(service))
                .toList();
    }

    List<Pod> podsWith(IpAddress address) {
        return cluster.objects(Pod.class)
                .filter(pod -> pod.ips().contains(address))
                .toList();
    }
}
