package io.k8sdns.explain;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.cluster.Visibility;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.ClusterObject;
import io.k8sdns.model.Endpoint;
import io.k8sdns.model.EndpointSlice;
import io.k8sdns.model.ExternalNameService;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Labels;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.NamespacedObject;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.Selector;
import io.k8sdns.model.Service;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordType;
import io.k8sdns.records.ZoneSettings;
import io.k8sdns.resolver.AnswerStatus;
import io.k8sdns.rules.RecordRules;
import io.k8sdns.schema.ClusterName;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.xbill.DNS.Name;

/** The causes and suggestions for one name, with the cluster in which they are found. Each suggestion is tried. */
final class Findings {
    private static final int MAX_SUGGESTIONS = 5;

    final ClusterSnapshot cluster;
    final ZoneSettings settings;
    final RecordRules rules;
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
    private final List<Proposal> proposals = new ArrayList<>();

    /** The alias whose target the name is, which a change of the server must not hide; the name itself if it is no such target. */
    private final Name goal;

    /** The name, and the other names whose findings are added to its own. */
    private final Set<Name> explained;

    /**
     * A change to make, a name to look up, or both.
     *
     * @param change the change in words; empty if the cluster need not change
     * @param remark added to the name, with a space before it; often empty
     * @param server the server after the change
     */
    private record Proposal(
            String change,
            Name name,
            RecordType type,
            String remark,
            Optional<FieldLocation> location,
            List<ClusterChange> changes,
            ExplainedServer server) {
        /** Returns the change after another one. */
        Proposal after(String first) {
            String both = change.isEmpty() ? first : first + ", and " + change;
            return new Proposal(both, name, type, remark, location, changes, server);
        }

        /** Returns the change for another name. */
        Proposal of(Name other) {
            return new Proposal(change, other, type, "", location, changes, server);
        }

        /** Returns whether the name resolves after the change, and that changes no object that an API server refuses. */
        boolean resolves() {
            return location.map(FieldLocation::object)
                            .filter(server.warnings()::isRefused)
                            .isEmpty()
                    && server.resolves(name, type, changes);
        }
    }

    Findings(ExplainedServer server, Name name, RecordType type) {
        this(server, name, type, name, new HashSet<>());
    }

    private Findings(ExplainedServer server, Name name, RecordType type, Name goal, Set<Name> explained) {
        this.server = server;
        this.cluster = server.cluster();
        this.settings = server.settings();
        this.rules = new RecordRules(settings);
        this.visibility = server.visibility();
        this.knowsPods = server.knowsPods();
        this.whatIf = server.whatIf();
        this.triesChanges = server.triesChanges();
        this.name = name;
        this.type = type;
        this.labels = DnsNames.labels(name);
        this.goal = goal;
        this.explained = explained;
        explained.add(name);
    }

    List<Cause> causes() {
        return causes;
    }

    List<Suggestion> suggestions() {
        return proposals.stream()
                // Stable: otherwise the order in which they were found.
                .sorted(Comparator.comparing(this::isOfUnlikeName))
                .map(one -> new Suggestion(
                        text(one),
                        one.name,
                        one.type,
                        one.location.map(FieldLocation::object),
                        one.location.map(FieldLocation::field).orElse(""),
                        one.changes,
                        Optional.of(one.server.settings()).filter(after -> !after.equals(settings))))
                .toList();
    }

    /** Returns whether a proposal gives another name, of which the asked one is no misspelt form. */
    private boolean isOfUnlikeName(Proposal proposal) {
        DnsLabels other = DnsNames.labels(proposal.name);
        return !proposal.name.equals(name)
                && (other.count() != labels.count()
                        || IntStream.range(0, other.count())
                                .anyMatch(i -> !isLike(labels.foldedLabel(i), other.foldedLabel(i))));
    }

    /** Returns whether a label is a misspelt form of another one, or of a port, which may be known by its number. */
    private static boolean isLike(String label, String other) {
        return EditDistance.isSimilar(label, other)
                || ClusterName.PortName.isLabel(label) && ClusterName.PortName.isLabel(other);
    }

    /** Returns what to do: the change, and the name or the type to look up, unless they are those of the question. */
    private String text(Proposal proposal) {
        boolean isAskedName = proposal.name.equals(name);
        boolean isAskedType = proposal.type.equals(type);
        if (isAskedName && isAskedType) {
            return proposal.change;
        }
        String lookUp = isAskedName
                ? "look up type " + proposal.type
                : "look up " + proposal.name + (isAskedType ? "" : " with type " + proposal.type) + proposal.remark;
        return proposal.change.isEmpty() ? lookUp : proposal.change + ", and " + lookUp;
    }

    void addCause(String text) {
        add(new Cause(Optional.empty(), "", text));
    }

    void addCause(ObjectRef object, String field, String text) {
        add(new Cause(Optional.of(object), field, text));
    }

    private void add(Cause cause) {
        // The Pods of a workload have the same causes.
        if (!causes.contains(cause)) {
            causes.add(cause);
        }
    }

    void addCause(Pod pod, String field, String text) {
        FieldLocation location = PodOrigins.location(pod, field);
        addCause(location.object(), location.field(), text);
    }

    /** Returns the targets of the aliases that lead from the name, in order; empty if it is none. */
    List<Name> aliasTargets() {
        return whatIf.lookup(name, type).cnames();
    }

    /** Returns whether the name exists, with records of other types or with names below it. */
    boolean exists() {
        return whatIf.lookup(name, type).status() != AnswerStatus.NXDOMAIN;
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
            suggest(new Proposal("", other, otherType, remark, Optional.empty(), List.of(), server));
        }
    }

    /**
     * Adds the causes why another name has no records of the type, and the suggestions after which it has some. Does nothing if they have
     * been added: two aliases may have the same target.
     */
    void addFindingsOf(Name other) {
        addFindingsOf(other, other);
    }

    private void addFindingsOf(Name other, Name othersGoal) {
        if (isExplained(other)) {
            return;
        }
        Findings others = new Findings(server, other, type, othersGoal, explained);
        new MissingRecords(others).findCauses();
        others.causes.forEach(this::add);
        // They were tried for the other name.
        others.proposals.forEach(found -> suggest(found, () -> true));
    }

    /** Returns whether the causes of another name are among these. */
    boolean isExplained(Name other) {
        return explained.contains(other);
    }

    /**
     * Adds the causes why the target of an alias does not resolve, and the changes after which the alias resolves.
     *
     * @param alias the Service with this target, if known
     */
    void addFindingsOfTarget(Name target, Optional<ExternalNameService> alias) {
        int first = proposals.size();
        addFindingsOf(target, goal);
        List<Name> otherTargets = proposals.subList(first, proposals.size()).stream()
                .filter(found -> found.change.isEmpty() && found.type.equals(type))
                .map(Proposal::name)
                .toList();
        proposals
                .subList(first, proposals.size())
                .replaceAll(found -> found.name.equals(target)
                                && found.type.equals(type)
                                && found.of(name).resolves()
                        ? found.of(name)
                        : found);
        alias.ifPresent(service ->
                otherTargets.forEach(other -> ShortAliasTarget.suggestTarget(this, service, DnsNames.labels(other))));
    }

    /** Suggests another type, if the name has records of it. */
    void suggestType(RecordType other) {
        suggest(new Proposal("", name, other, "", Optional.empty(), List.of(), server));
    }

    /** Suggests to replace an object, if the name then resolves. */
    void suggestChange(String change, FieldLocation location, ClusterObject changed) {
        suggestChange(change, name, location, changed);
    }

    /** Suggests to replace an object and to look up a type, if the name then has records of it. */
    void suggestChange(String change, RecordType otherType, FieldLocation location, ClusterObject changed) {
        if (triesChanges) {
            suggest(new Proposal(
                    change,
                    name,
                    otherType,
                    "",
                    Optional.of(location),
                    List.of(new ClusterChange.Put(changed)),
                    server));
        }
    }

    /** Suggests to replace objects and to look up a name, if it then resolves. */
    void suggestChange(String change, Name other, FieldLocation location, ClusterObject... changed) {
        suggestChanges(
                change,
                other,
                location,
                Stream.of(changed).<ClusterChange>map(ClusterChange.Put::new).toList());
    }

    /** Suggests changes of objects and to look up a name, if it then resolves. */
    void suggestChanges(String change, Name other, FieldLocation location, List<ClusterChange> changes) {
        if (triesChanges) {
            suggest(new Proposal(change, other, type, "", Optional.of(location), changes, server));
        }
    }

    /** Suggests other settings of the server, if the name then resolves; returns whether it does. */
    boolean suggestSettings(String change, ZoneSettings changed) {
        return triesChanges && suggestServer(change, server.with(changed));
    }

    private boolean suggestServer(String change, ExplainedServer changed) {
        Proposal proposal = new Proposal(change, goal, type, "", Optional.empty(), List.of(), changed);
        boolean resolves = proposal.resolves();
        suggest(proposal, () -> resolves);
        return resolves;
    }

    /**
     * Suggests other settings of the server, if the name then resolves. Otherwise adds the causes that are left after the change, and what
     * helps together with it.
     */
    void suggestSettingsFirst(String change, ZoneSettings changed) {
        if (triesChanges) {
            suggestServerFirst(change, server.with(changed));
        }
    }

    private void suggestServerFirst(String change, ExplainedServer changed) {
        if (suggestServer(change, changed)) {
            return;
        }
        Findings others = new Findings(changed, name, type, goal, explained);
        new MissingRecords(others).findCauses();
        others.causes.forEach(this::add);
        for (Proposal found : others.proposals) {
            boolean isEnough = found.changes.isEmpty() && server.resolves(found.name, found.type, List.of());
            suggest(
                    isEnough
                            ? new Proposal(
                                    "", found.name, found.type, found.remark, Optional.empty(), List.of(), server)
                            : found.after(change),
                    () -> true);
        }
    }

    /** Suggests to publish endpoints. */
    void suggestEndpoints() {
        suggestSettingsFirst(
                "publish endpoints (leave out --no-endpoints)",
                settings.toBuilder().endpoints(true).build());
    }

    private void suggest(Proposal proposal) {
        suggest(proposal, proposal::resolves);
    }

    private void suggest(Proposal proposal, BooleanSupplier resolves) {
        String text = text(proposal);
        boolean isNew = proposals.stream().noneMatch(known -> text(known).equals(text));
        // Tried last, because that may cost a zone.
        if (isNew && proposals.size() < MAX_SUGGESTIONS && resolves.getAsBoolean()) {
            proposals.add(proposal);
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
            suggestServerFirst(
                    "publish " + ref + " (--namespace or --namespace-labels)",
                    server.with(new Visibility(Visibility.ALL.namespaces(), visibility.labels())));
        }
        return false;
    }

    /** Adds a cause if the labels of a Service or Pod hide it; returns whether it is published, provided that its Namespace is. */
    boolean checkVisible(NamespacedObject object) {
        if (visibility.shows(object)) {
            return true;
        }
        String text = "hidden, because the server publishes only objects with certain labels";
        if (object instanceof Pod pod) {
            addCause(pod, "metadata.labels", PodOrigins.sentence(pod, text, "is " + text, "are " + text));
        } else {
            addCause(object.ref(), "metadata.labels", text);
        }
        if (triesChanges) {
            suggestLabels(object);
        }
        return false;
    }

    /** Suggests to select a Service or Pod by its labels, or otherwise to select by none. */
    private void suggestLabels(NamespacedObject object) {
        Optional<Pod> pod = Optional.of(object).filter(Pod.class::isInstance).map(Pod.class::cast);
        Labels labels = pod.map(PodOrigins::ownLabels).orElseGet(object::labels);
        String change = "publish "
                + pod.map(PodOrigins::describe).orElseGet(() -> object.ref().toString());
        boolean isSelectable = !labels.values().isEmpty()
                && suggestServer(
                        change + " (--labels " + labelsOption(labels) + ")",
                        server.with(new Visibility(visibility.namespaces(), Selector.ofLabels(labels))));
        if (!isSelectable) {
            suggestServerFirst(
                    change + " (leave out --labels)",
                    server.with(new Visibility(visibility.namespaces(), Visibility.ALL.labels())));
        }
    }

    /** Returns the selector of these labels as the value of an option. */
    private static String labelsOption(Labels labels) {
        return labels.values().entrySet().stream()
                .map(label -> label.getKey() + "=" + label.getValue())
                .collect(Collectors.joining(","));
    }

    /** Adds a cause if the server ignores a Service with a cluster IP, because it has no published endpoint. */
    void checkNotIgnored(Service service) {
        int published = slices(service).stream()
                .mapToInt(slice -> rules.publishedEndpoints(slice, service))
                .sum();
        if (rules.isIgnored(service, published)) {
            addCause(
                    service.ref(),
                    "",
                    "has no ready endpoint, and the server ignores such Services (--ignore-empty-services)");
            suggestSettings(
                    "publish Services without ready endpoints (leave out --ignore-empty-services)",
                    settings.toBuilder().ignoreEmptyServices(false).build());
        }
    }

    List<EndpointSlice> slices(Service service) {
        return cluster.objects(EndpointSlice.class)
                .filter(slice -> slice.belongsTo(service))
                .toList();
    }

    /** Returns whether a Service has an endpoint whose target is no Pod of the cluster, so that its EndpointSlices were given. */
    boolean hasEndpointsOfUnknownPods(Service service) {
        return slices(service).stream().anyMatch(slice -> WhatIf.hasUnknownTarget(slice, cluster));
    }

    /** Returns the Pod of an endpoint; empty if the endpoint has another target or none, or if the cluster does not have the Pod. */
    Optional<Pod> pod(Endpoint endpoint) {
        return endpoint.targetRef()
                .flatMap(cluster::get)
                .filter(Pod.class::isInstance)
                .map(Pod.class::cast);
    }

    List<Pod> podsWith(IpAddress address) {
        return cluster.objects(Pod.class)
                .filter(pod -> pod.ips().contains(address))
                .toList();
    }
}
