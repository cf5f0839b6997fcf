package io.k8sdns.cli;

import io.k8sdns.arguments.EditDistance;
import io.k8sdns.cluster.ClusterChange;
import io.k8sdns.cluster.ClusterSnapshot;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.explain.Explainer;
import io.k8sdns.explain.Explanation;
import io.k8sdns.explain.Explanation.Cause;
import io.k8sdns.explain.Explanation.Suggestion;
import io.k8sdns.model.DnsConfig;
import io.k8sdns.model.DnsPolicy;
import io.k8sdns.model.IpAddress;
import io.k8sdns.model.Namespace;
import io.k8sdns.model.ObjectRef;
import io.k8sdns.model.Pod;
import io.k8sdns.model.PodTemplate;
import io.k8sdns.model.Workload;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.records.RecordType;
import io.k8sdns.resolvconf.KubeletDns;
import io.k8sdns.resolvconf.NodeDns;
import io.k8sdns.resolvconf.PodDns;
import io.k8sdns.resolvconf.PodDnsSpec;
import io.k8sdns.resolver.Answer;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupRequest;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;

/**
 * Looks a name up as glibc does in a Pod, and explains it.
 *
 * @param zones the zones of the cluster
 * @param nameServers which Pods ask other name servers than those of the cluster
 * @param name the name as a program passes it to its resolver
 * @param asked the type of the records
 * @param isTypeGiven whether the program looks up this type only; if not, it looks up addresses of both families in {@code /etc/hosts}
 */
record PodLookup(
        Explainer explainer,
        ClusterSnapshot cluster,
        List<DnsLabels> zones,
        PodNameServers nameServers,
        String name,
        RecordType asked,
        boolean isTypeGiven) {
    /** The cluster DNS of the assumed node; search lists do not depend on it. */
    static final IpAddress CLUSTER_DNS = IpAddress.parse("10.96.0.10");

    /** The order of the Pods of a workload, of which 10 is after 9. */
    static final Comparator<Pod> BY_NAME =
            Comparator.comparing((Pod pod) -> pod.name().length()).thenComparing(Pod::name);

    private static final String SEARCHES = "spec.dnsConfig.searches";

    /** The types that glibc's resolver looks up, each alone. */
    private static final Map<String, AddressFamily> ADDRESSES =
            Map.of("A", AddressFamily.IPV4, "AAAA", AddressFamily.IPV6);

    /** A Pod with another search domain in place of one that was written. */
    private record ChangedSearch(String written, String right, Pod pod) {}

    /** Returns a Pod of the template of a workload, under the name of the workload. */
    static Pod podOf(Workload workload) {
        return workload.template()
                .pod(workload.metadata().namespace(), workload.metadata().name())
                .workload(workload.ref())
                .build();
    }

    /** Returns the same lookup of another name. */
    private PodLookup withName(String other) {
        return new PodLookup(explainer, cluster, zones, nameServers, other, asked, isTypeGiven);
    }

    /** Returns the same lookup with another explainer. */
    PodLookup withExplainer(Explainer other) {
        return new PodLookup(other, cluster, zones, nameServers, name, asked, isTypeGiven);
    }

    /**
     * Explains the name from {@code /etc/hosts} of a Pod if it is there, otherwise the names that the resolver looks up, in order, until one
     * resolves.
     *
     * @param place the Pod or the namespace, as a user gives it
     * @throws InvalidInputException if the resolver sends no query, or if the DNS settings of the Pod are invalid
     */
    LookupWalk walk(String place, Pod pod) {
        QueryPlan plan = plan(pod);
        Optional<LookupWalk> walk =
                plan.candidates().isEmpty() ? Optional.empty() : Optional.of(walkOfDns(place, pod, plan));
        return new PodHostsFile(pod, dns(pod))
                .explain(name, typesOfHostsFile())
                .map(explained -> LookupWalk.ofHostsFile(name, place, explained, walk))
                .or(() -> walk)
                .orElseThrow(() -> new InvalidInputException("glibc sends no query for '" + name + "'"
                        + (IpAddress.tryParse(name).isPresent()
                                ? ", which is an address; without --from its reverse name is looked up"
                                : "")));
    }

    /** Returns the types of records that programs look up in the file too, the most important first. */
    private Set<RecordType> typesOfHostsFile() {
        if (!ADDRESSES.containsKey(asked.toString())) {
            return Set.of();
        }
        Set<RecordType> types = new LinkedHashSet<>(List.of(asked));
        if (!isTypeGiven) {
            types.add(RecordType.AAAA);
        }
        return types;
    }

    private LookupWalk walkOfDns(String place, Pod pod, QueryPlan plan) {
        NearestStep nearestStep = new NearestStep(cluster, zones);
        List<Explanation> explanations;
        if (nameServers.areOthers(pod)) {
            explanations = new ArrayList<>();
            names(plan).forEach(one -> explanations.add(ofOtherServer(one)));
            Pod changed = pod.toBuilder()
                    .dnsPolicy(pod.hostNetwork() ? DnsPolicy.CLUSTER_FIRST_WITH_HOST_NET : DnsPolicy.CLUSTER_FIRST)
                    .build();
            LookupWalk.Step nearest = LookupWalk.of(name, place, explanations(changed), Optional.empty(), nearestStep)
                    .mostUseful();
            explanations.set(0, withOtherNameServers(explanations.get(0), pod, changed, nearest));
        } else {
            explanations = explanations(plan);
            if (!resolves(explanations)) {
                Pod plain = Pod.builder(pod.namespace(), pod.name()).build();
                List<Explanation> found = explanations(plain);
                if (resolves(found)) {
                    explanations.set(0, withOtherSearches(explanations.get(0), pod, found.get(found.size() - 1)));
                } else if (isAbsolute()) {
                    found = withName(name.substring(0, name.length() - 1)).explanations(pod);
                    if (resolves(found)) {
                        explanations.set(0, withoutFinalDot(explanations.get(0), found.get(found.size() - 1)));
                    }
                } else {
                    explanations.set(0, withRightSearch(explanations.get(0), pod));
                }
            }
        }
        LookupWalk walk = LookupWalk.of(
                name,
                place,
                explanations,
                ADDRESSES.containsKey(asked.toString()) ? Optional.of(plan) : Optional.empty(),
                nearestStep);
        return PodNameServers.hasConfigurationOfNode(pod) ? walk.ofNode() : walk;
    }

    /** Returns the names that a resolver tries, in order and each once. */
    private static Set<Name> names(QueryPlan plan) {
        // Without a search list, glibc tries a name a second time.
        Set<Name> names = new LinkedHashSet<>();
        plan.candidates().forEach(candidate -> names.add(DnsNames.absolute(DnsLabels.parse(candidate.name()))));
        return names;
    }

    /** Returns the explanation of a name that other name servers are asked for: the cluster's server answers no query. */
    private Explanation ofOtherServer(Name one) {
        return new Explanation(one, asked, Answer.failure(Rcode.REFUSED), List.of(), List.of(), List.of());
    }

    private List<Explanation> explanations(Pod pod) {
        return explanations(plan(pod));
    }

    private List<Explanation> explanations(QueryPlan plan) {
        List<Explanation> explanations = new ArrayList<>();
        for (Name one : names(plan)) {
            explanations.add(explainer.explain(one, asked));
            if (resolves(explanations)) {
                break;
            }
        }
        return explanations;
    }

    private static boolean resolves(List<Explanation> explanations) {
        return explanations.get(explanations.size() - 1).resolves();
    }

    /**
     * Returns the explanation of a name that is sent to other name servers than those of the cluster: the Pod's DNS policy is the first
     * cause, and another policy is suggested; together with what else helps, if a name of the cluster does not resolve with it, either.
     *
     * @param nearest the step of the lookup to explain after the change
     */
    private Explanation withOtherNameServers(Explanation explained, Pod pod, Pod changed, LookupWalk.Step nearest) {
        ObjectRef object = pod.workload().orElse(pod.ref());
        UnaryOperator<String> path = of ->
                pod.workload().map(workload -> PodTemplate.path(workload, of)).orElse(of);
        String field = path.apply("spec.dnsPolicy");
        String policy = changed.dnsPolicy().orElseThrow();
        Cause cause = new Cause(Optional.of(object), field, nameServers.reason(pod, path));
        Explanation after = nearest.explanation();
        if (nearest.isOutside() && after.suggestions().isEmpty()) {
            // No name of the cluster: its server would not answer it, either.
            return new Explanation(
                    explained.name(), explained.type(), explained.answer(), List.of(), after.causes(), List.of());
        }
        String text = "give " + object + " " + field + " " + policy;
        ClusterChange change = new ClusterChange.Put(changed);
        List<Cause> causes = new ArrayList<>(List.of(cause));
        List<Suggestion> suggestions = new ArrayList<>();
        if (after.resolves()) {
            suggestions.add(new Suggestion(
                    text, after.name(), after.type(), Optional.of(object), field, List.of(change), Optional.empty()));
        } else {
            causes.addAll(after.causes());
            after.suggestions().stream()
                    .filter(other ->
                            other.changes().stream().noneMatch(one -> one.ref().equals(pod.ref())))
                    .map(other -> new Suggestion(
                            text + ", and " + other.text(),
                            other.name(),
                            other.type(),
                            Optional.of(object),
                            field,
                            Stream.concat(Stream.of(change), other.changes().stream())
                                    .toList(),
                            other.settings()))
                    .forEach(suggestions::add);
        }
        return new Explanation(explained.name(), explained.type(), explained.answer(), List.of(), causes, suggestions);
    }

    /** Returns an explanation whose cause is the Pod's search list: with the default one another name is found, which resolves. */
    private Explanation withOtherSearches(Explanation explained, Pod pod, Explanation found) {
        ObjectRef object = pod.workload().orElse(pod.ref());
        String field = fieldOfSearches(pod);
        Cause cause = new Cause(
                Optional.of(object),
                field,
                "without DNS settings a Pod of the namespace looks up " + found.name() + ", which resolves");
        List<Suggestion> suggestions = new ArrayList<>(List.of(lookUp(found)));
        withSearchOf(found.name(), pod)
                .filter(this::resolvesIn)
                .ifPresent(changed -> suggestions.add(new Suggestion(
                        "give " + object + " " + field + " "
                                + changed.dnsConfig().orElseThrow().searches(),
                        found.name(),
                        found.type(),
                        Optional.of(object),
                        field,
                        List.of(new ClusterChange.Put(changed)),
                        Optional.empty())));
        return new Explanation(
                explained.name(), explained.type(), explained.answer(), List.of(), List.of(cause), suggestions);
    }

    /**
     * Returns an explanation whose first cause is a search domain of the Pod that is probably a misspelt one of the cluster: with that one,
     * the Pod finds a name that resolves. The same explanation if there is none.
     */
    private Explanation withRightSearch(Explanation explained, Pod pod) {
        Set<String> known = searchesOfCluster();
        return pod.dnsConfig().orElse(DnsConfig.EMPTY).searches().stream()
                .filter(search -> !known.contains(withoutDot(search)))
                .flatMap(search -> known.stream()
                        .filter(right -> EditDistance.isSimilar(withoutDot(search), right))
                        .map(right -> new ChangedSearch(search, right, withSearch(pod, search, right))))
                .filter(change -> resolvesIn(change.pod))
                .findFirst()
                .map(change -> withRightSearch(explained, change))
                .orElse(explained);
    }

    private static String withoutDot(String search) {
        return search.endsWith(".") ? search.substring(0, search.length() - 1) : search;
    }

    private static Pod withSearch(Pod pod, String search, String right) {
        DnsConfig own = pod.dnsConfig().orElseThrow();
        List<String> searches = own.searches().stream()
                .map(one -> one.equals(search) ? right : one)
                .toList();
        return pod.toBuilder()
                .dnsConfig(new DnsConfig(own.nameservers(), searches, own.options()))
                .build();
    }

    private Explanation withRightSearch(Explanation explained, ChangedSearch change) {
        Pod changed = change.pod;
        List<Explanation> all = explanations(changed);
        Explanation found = all.get(all.size() - 1);
        ObjectRef object = changed.workload().orElse(changed.ref());
        String field = fieldOfSearches(changed);
        Cause cause = new Cause(
                Optional.of(object),
                field,
                change.written + " is no search domain of the cluster; with " + change.right + " the Pod looks up "
                        + found.name() + ", which resolves");
        Suggestion corrected = new Suggestion(
                "change " + change.written + " in " + field + " of " + object + " to " + change.right,
                found.name(),
                found.type(),
                Optional.of(object),
                field,
                List.of(new ClusterChange.Put(changed)),
                Optional.empty());
        return withFirst(explained, cause, found, List.of(corrected, lookUp(found)));
    }

    private static String fieldOfSearches(Pod pod) {
        return pod.workload()
                .map(workload -> PodTemplate.path(workload, SEARCHES))
                .orElse(SEARCHES);
    }

    /** Returns the search domains that kubelets give to the Pods of the cluster. */
    private Set<String> searchesOfCluster() {
        Set<String> searches = new LinkedHashSet<>();
        for (DnsLabels zone : zones) {
            cluster.objects(Namespace.class)
                    .map(namespace -> NameSchema.services(namespace.name()).append(zone))
                    .forEach(domain -> searches.add(domain.toString()));
            searches.add("svc." + zone);
            searches.add(zone.toString());
        }
        return searches;
    }

    /** Returns whether the name ends in a dot, which is not escaped, and is not the root. */
    private boolean isAbsolute() {
        return name.length() > 1 && name.endsWith(".") && !name.contains("\\");
    }

    /** Returns an explanation whose first cause is the final dot of the name: with the search list another name is found, which resolves. */
    private static Explanation withoutFinalDot(Explanation explained, Explanation found) {
        Cause cause = new Cause(
                Optional.empty(),
                "",
                "the name ends with a dot, so that no search domain is appended to it; without the dot the Pod looks up "
                        + found.name() + ", which resolves");
        return withFirst(explained, cause, found, List.of(lookUp(found)));
    }

    /** Returns an explanation with a cause and suggestions for a found name before the others. */
    private static Explanation withFirst(
            Explanation explained, Cause cause, Explanation found, List<Suggestion> suggestions) {
        return new Explanation(
                explained.name(),
                explained.type(),
                explained.answer(),
                List.of(),
                Stream.concat(Stream.of(cause), explained.causes().stream()).toList(),
                Stream.concat(
                                suggestions.stream(),
                                explained.suggestions().stream()
                                        .filter(one -> !one.name().equals(found.name())))
                        .toList());
    }

    private static Suggestion lookUp(Explanation found) {
        return new Suggestion(
                "look up " + found.name(),
                found.name(),
                found.type(),
                Optional.empty(),
                "",
                List.of(),
                Optional.empty());
    }

    private boolean resolvesIn(Pod changed) {
        try {
            return resolves(explanations(changed));
        } catch (InvalidInputException tooManySearches) {
            return false;
        }
    }

    /** Returns the Pod with one more search domain, which leads from the name to another one; empty if none does. */
    private Optional<Pod> withSearchOf(Name found, Pod pod) {
        String prefix = name + ".";
        String text = found.toString(true);
        if (!text.regionMatches(true, 0, prefix, 0, prefix.length())) {
            return Optional.empty();
        }
        DnsConfig own = pod.dnsConfig().orElse(DnsConfig.EMPTY);
        List<String> searches = new ArrayList<>(own.searches());
        searches.add(text.substring(prefix.length()));
        return Optional.of(pod.toBuilder()
                .dnsConfig(new DnsConfig(own.nameservers(), searches, own.options()))
                .build());
    }

    /** Returns how the resolver of a Pod looks up the name with DNS, whatever is in {@code /etc/hosts}. */
    private QueryPlan plan(Pod pod) {
        try {
            return QueryPlan.of(
                    SettingsReader.read(Dialect.GLIBC, dns(pod).resolvConf()),
                    new LookupRequest(nameInDns(), ADDRESSES.getOrDefault(asked.toString(), AddressFamily.UNSPEC)));
        } catch (IllegalArgumentException invalid) {
            throw new InvalidInputException(String.valueOf(invalid.getMessage()));
        }
    }

    /**
     * Returns the name in a form that glibc does not find in {@code /etc/hosts}, but for which it sends the same queries: with its first
     * letter escaped. {@link PodHostsFile} knows more about the file.
     */
    private String nameInDns() {
        char first = name.isEmpty() ? '.' : name.charAt(0);
        return first >= 'a' && first <= 'z' || first >= 'A' && first <= 'Z'
                ? String.format(Locale.ROOT, "\\%03d", (int) first) + name.substring(1)
                : name;
    }

    private PodDns dns(Pod pod) {
        PodDnsSpec.Builder spec =
                PodDnsSpec.builder(pod.name()).namespace(pod.namespace()).hostNetwork(pod.hostNetwork());
        pod.hostname().ifPresent(spec::hostname);
        pod.subdomain().ifPresent(spec::subdomain);
        pod.dnsPolicy().ifPresent(word -> spec.dnsPolicy(word));
        pod.dnsConfig().ifPresent(spec::dnsConfig);
        NodeDns node = NodeDns.builder()
                .clusterDns(CLUSTER_DNS)
                .clusterDomain(zones.get(0).toString())
                .build();
        return KubeletDns.forPod(spec.build(), node);
    }
}
