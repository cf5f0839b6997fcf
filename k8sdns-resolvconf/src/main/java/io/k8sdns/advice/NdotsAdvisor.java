package io.k8sdns.advice;

import io.k8sdns.advice.HostAdvice.Kind;
import io.k8sdns.advice.HostAdvice.Suggestion;
import io.k8sdns.arguments.Copies;
import io.k8sdns.hosts.HostsFile;
import io.k8sdns.hosts.NameText;
import io.k8sdns.hosts.NumericAddress;
import io.k8sdns.plan.QueryPlan;
import io.k8sdns.plan.QueryTrace;
import io.k8sdns.plan.SettingsReader;
import io.k8sdns.schema.NameSchema;
import io.k8sdns.search.AnswerScript;
import io.k8sdns.search.AnswerSource;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.PlannedQuery;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Computes the query cost of an application's host strings in a Pod, and suggests cheaper spellings.
 *
 * <p>Every suggestion is simulated first: it costs less in at least one dialect, and is found in every dialect that
 * finds the host string.
 *
 * <pre>{@code
 * NdotsAdvisor advisor =
 *         new NdotsAdvisor(dns.resolvConf().render(), Map.of(), List.of(Dialect.GLIBC, Dialect.MUSL_1_2_5));
 * HostAdvice advice = advisor.advise("api.payments.example", answers);
 * // "ndots:2" and "api.payments.example.", each with its cost and its risks
 * List<HostAdvice.Suggestion> suggestions = advice.suggestions();
 * }</pre>
 */
public final class NdotsAdvisor {
    /** The greatest {@code ndots} that no resolver reduces. */
    private static final int MAX_NDOTS = 15;

    private static final String SERVICES = NameSchema.SERVICES + ".";

    /** The namespaces that every API server creates. */
    private static final Set<String> INITIAL_NAMESPACES =
            Set.of("default", "kube-node-lease", "kube-public", "kube-system");

    /** Kubernetes reserves these namespaces for itself. */
    private static final String SYSTEM_NAMESPACE = "kube-";

    private static final List<String> DOT_CAVEATS = List.of(
            "TLS: the server name of the handshake has no dot at its end (RFC 6066, section 3); a client that copies the host"
                    + " string sends one, and the server may refuse it or present another certificate.",
            "Certificates: their names have no dot at the end; a client that compares the host string as it is refuses the"
                    + " certificate.",
            "HTTP: the Host header keeps the dot; Ingress rules, virtual hosts and cookies that compare text do not know the"
                    + " name then.");

    private static final String NDOTS_CAVEAT =
            "ndots applies to every name of the Pod: names that are found by the search list may cost more queries, and musl,"
                    + " systemd-resolved and Windows do not use the search list for a name with at least that many dots.";

    private static final String PERHAPS_A_SERVICE =
            "A name with one dot may mean a Service and its namespace. With a final dot, or with ndots:1 on musl, the Service is"
                    + " not found. For the Service write SERVICE.NAMESPACE.svc.";

    private static final String NOT_FOUND = "Not found with the given answers, on which this advice depends.";

    private static final String OUTSIDE_WITH_DOT = " If a name outside the cluster is meant, end it with a dot.";

    private static final String MISSING =
            "Missing: the cluster has the namespace in this name, but no such Service; nothing is suggested.";

    private static final String UNKNOWN =
            "Unknown: the cluster has the namespace at the end of this name, but not the Service before it. Either the Service"
                    + " is misspelt, or the name is outside the cluster; nothing is suggested.";

    private static final String NO_ENDPOINT =
            "Not found: the cluster has the Service in this name, but no such endpoint or port; nothing is suggested.";

    private static final String NAMESPACE =
            "Not found: this is a namespace, which has no address; nothing is suggested. Put the name of a Service and a dot in"
                    + " front of it.";

    private static final String CUT_OFF =
            "Not found: the cluster has this Service, but the name ends within the cluster domain. Write the cluster domain in"
                    + " full, or end the name after .svc.";

    private static final String NO_ADDRESS =
            "Not found: the Service exists, but its name has no address with the answers that were given (it has no endpoint,"
                    + " is an alias of a missing name, or is not published); nothing is suggested.";

    private static final String BUILT_IN =
            "Not in these manifests: the API server creates the Service kubernetes in the namespace default of every"
                    + " cluster; nothing is suggested.";

    private static final String MADE_BY_KUBERNETES =
            "Not in these manifests: Kubernetes or an add-on may create this Service in the cluster; nothing is suggested.";

    /** The reply for a name that exists. */
    private static final AnswerSource EXISTS = AnswerScript.of(Map.of("*", Reply.Kind.DATA.word()));

    private final Map<String, String> environment;
    private final List<ResolverSettings> pod;
    private final Optional<KnownServices> services;

    /**
     * Makes an advisor for programs of a Pod.
     *
     * @param resolvConf the text of the Pod's file
     * @param environment the environment of the programs, as for {@link SettingsReader#read}
     * @param dialects the resolvers that the programs use, at least one
     * @throws IllegalArgumentException if there is no dialect, or if {@link SettingsReader#read} refuses the file
     */
    public NdotsAdvisor(String resolvConf, Map<String, String> environment, Collection<Dialect> dialects) {
        Objects.requireNonNull(resolvConf, "resolvConf");
        this.environment = Copies.map("environment", environment);
        List<Dialect> all = Copies.list("dialects", dialects);
        if (all.isEmpty()) {
            throw new IllegalArgumentException("no dialect to advise for");
        }
        pod = all.stream()
                .distinct()
                .map(dialect -> SettingsReader.read(dialect, resolvConf, environment))
                .toList();
        services = Optional.empty();
    }

    private NdotsAdvisor(NdotsAdvisor other, KnownServices services) {
        environment = other.environment;
        pod = other.pod;
        this.services = Optional.of(services);
    }

    /**
     * Returns an advisor that also knows the namespaces and Services of the cluster as objects. It does not report a
     * Service without addresses as missing, knows namespaces that are hidden from DNS, and knows that every cluster has
     * the namespaces {@code default} and {@code kube-system}. Without this, a Service exists if its name has an answer
     * other than NXDOMAIN, and a namespace if its name is NODATA.
     *
     * @param services the namespaces and Services of the cluster
     */
    public NdotsAdvisor withServices(KnownServices services) {
        return new NdotsAdvisor(this, Objects.requireNonNull(services, "services"));
    }

    /**
     * Returns advice for one host string.
     *
     * <p>Where the second label is a namespace of the cluster ({@code SERVICE.NAMESPACE}, with or without {@code .svc}
     * and the cluster domain or its first labels), the name is a Service: it is found in the cluster or not at all,
     * even if the answers hold the same name outside the cluster. A namespace exists if its name, for example {@code
     * shop.svc.cluster.local}, is NODATA, or if it exists as an object ({@link #withServices}). The name of a namespace
     * itself, with or without the cluster domain, has no address, so it is not found.
     *
     * <p>Where the namespace is the third label and {@code .svc} does not follow it ({@code HOST.SERVICE.NAMESPACE}),
     * the name belongs to the cluster if the Service exists: {@code db-9.db.shop} with a Service {@code db} does. If it
     * does not exist, the name is unknown unless the answers hold it: {@code db-0.dbx.shop} may be a misspelt Service,
     * and {@code www.go.dev} a name outside the cluster. A namespace as the fourth label or a later one counts only if
     * the Service before it exists.
     *
     * @param host the host string of the application, without a port
     * @param answers the answers of the servers. A host string that is not found is taken for a name outside the
     *     cluster. Exceptions are names that may be in the cluster by their form or namespace, and names below a
     *     Service that exists: for these nothing is suggested, and a caveat explains why
     */
    public HostAdvice advise(String host, AnswerSource answers) {
        return advise(host, Optional.empty(), answers);
    }

    /**
     * Returns advice for one host string without answers. The form of the host string decides which name is assumed to
     * exist; no other name exists:
     *
     * <ul>
     *   <li>without a dot, it is a Service of the Pod's namespace, found with the first domain of the search list;
     *   <li>{@code SERVICE.NAMESPACE.svc} and what is below it, and {@code ...pod} likewise, is found in the cluster domain;
     *   <li>every other host string is a full name, usually of a host outside the cluster.
     * </ul>
     *
     * @param host the host string of the application, without a port
     * @return the advice; {@link HostAdvice#assumed} is the name that was assumed to exist
     */
    public HostAdvice advise(String host) {
        return advise(host, assumed(host), assume(List.of(host)));
    }

    /**
     * Returns the known answers, extended by assumed ones: a host string without a known answer exists at the name that
     * {@link #advise(String)} assumes. A host string that may be a name in a namespace of the cluster, such as
     * {@code crat.shop} and {@code db-0.dbx.shop}, is not assumed to exist.
     *
     * @param hosts the host strings
     * @param known the known answers; a host string that they resolve is not assumed to exist elsewhere
     */
    public AnswerSource assume(Collection<String> hosts, AnswerSource known) {
        return assume(hosts.stream()
                .filter(host -> found(run(pod, host, known)).isEmpty()
                        && ofCluster(host, known).isEmpty())
                .toList());
    }

    private AnswerSource assume(Collection<String> hosts) {
        Set<String> names = hosts.stream()
                .flatMap(host -> assumed(host).stream())
                .map(NdotsAdvisor::folded)
                .collect(Collectors.toUnmodifiableSet());
        return query -> names.contains(folded(query.name())) ? EXISTS.answer(query) : Reply.of(Reply.Kind.NXDOMAIN);
    }

    private HostAdvice advise(String host, Optional<String> assumed, AnswerSource given) {
        Optional<ServiceHost> own = assumed.isPresent() ? Optional.empty() : ofCluster(host, given);
        AnswerSource answers = own.map(service -> decided(service, host, given)).orElse(given);
        Map<Dialect, QueryTrace> traces = run(pod, host, answers);
        List<Suggestion> suggestions = new ArrayList<>();
        Optional<String> name = found(traces);
        boolean asIs = name.isEmpty() || sameName(name.get(), host);
        // The short name of a missing Service is not a name outside the cluster.
        boolean isShort = NameText.dots(host) == 0
                || assumed(host).filter(full -> !sameName(full, host)).isPresent();
        boolean unknown = name.isEmpty() && (isShort || own.isPresent());
        if (!host.endsWith(".")
                && !unknown
                && traces.values().stream().anyMatch(trace -> !trace.queries().isEmpty())) {
            String absolute = name.filter(found -> !asIs).orElse(host + ".");
            if (!asIs) {
                suggestions.add(named(Kind.FULL_NAME, absolute.substring(0, absolute.length() - 1), answers));
            }
            suggestions.add(named(asIs ? Kind.TRAILING_DOT : Kind.FULL_NAME, absolute, answers));
            int dots = NameText.dots(host);
            if (asIs && dots >= 1 && dots <= MAX_NDOTS) {
                List<ResolverSettings> changed =
                        pod.stream().map(settings -> withNdots(settings, dots)).toList();
                suggestions.add(new Suggestion(
                        Kind.NDOTS, "ndots:" + dots, run(changed, host, answers), List.of(NDOTS_CAVEAT)));
            }
        }
        suggestions.removeIf(suggestion -> !isBetter(suggestion.traces(), traces));
        suggestions.sort(Comparator.<Suggestion>comparingInt(suggestion -> queries(suggestion.traces()))
                .thenComparing(suggestion -> suggestion.caveats().size()));
        List<String> caveats = caveats(host, traces);
        own.ifPresent(service ->
                caveats.replaceAll(caveat -> caveat.equals(NOT_FOUND) ? whyNotFound(service, answers) : caveat));
        if (assumed.isPresent() && NameText.dots(host) == 1 && !host.endsWith(".") && !suggestions.isEmpty()) {
            clusterDomain().ifPresent(domain -> caveats.add(PERHAPS_A_SERVICE + NameText.text(domain) + "."));
        }
        return new HostAdvice(host, assumed, traces, suggestions, caveats);
    }

    private Suggestion named(Kind kind, String host, AnswerSource answers) {
        return new Suggestion(kind, host, run(pod, host, answers), host.endsWith(".") ? DOT_CAVEATS : List.of());
    }

    /**
     * Returns the total cost of all host strings for each {@code ndots} from 1 up to the Pod's own.
     *
     * @param hosts the host strings of the Pod's programs
     * @param answers the answers of the servers
     */
    public List<NdotsChoice> choices(Collection<String> hosts, AnswerSource answers) {
        Map<String, AnswerSource> decided = new HashMap<>();
        hosts.forEach(host ->
                ofCluster(host, answers).ifPresent(service -> decided.put(host, decided(service, host, answers))));
        return choicesBy(hosts, host -> decided.getOrDefault(host, answers));
    }

    private List<NdotsChoice> choicesBy(Collection<String> hosts, Function<String, AnswerSource> answers) {
        int own = pod.stream().mapToInt(ResolverSettings::ndots).max().orElseThrow();
        List<NdotsChoice> choices = new ArrayList<>();
        for (int ndots = 1; ndots <= Math.min(Math.max(own, 1), MAX_NDOTS); ndots++) {
            Map<Dialect, Integer> queries = new LinkedHashMap<>();
            Map<Dialect, List<String>> lost = new LinkedHashMap<>();
            for (ResolverSettings before : pod) {
                ResolverSettings after = withNdots(before, ndots);
                int sum = 0;
                List<String> missing = new ArrayList<>();
                for (String host : hosts) {
                    QueryTrace trace = trace(after, host, answers.apply(host));
                    sum += trace.queries().size();
                    if (trace.outcome() != LookupOutcome.OK
                            && trace(before, host, answers.apply(host)).outcome() == LookupOutcome.OK) {
                        missing.add(host);
                    }
                }
                queries.put(before.dialect(), sum);
                lost.put(before.dialect(), List.copyOf(missing));
            }
            choices.add(new NdotsChoice(ndots, queries, lost));
        }
        return choices;
    }

    /**
     * Returns the total cost of all host strings for each {@code ndots} from 1 up to the Pod's own, without answers:
     * each host string exists at the name that {@link #advise(String)} assumes.
     *
     * @param hosts the host strings of the Pod's programs
     */
    public List<NdotsChoice> choices(Collection<String> hosts) {
        AnswerSource assumed = assume(hosts);
        return choicesBy(hosts, host -> assumed);
    }

    /**
     * Returns the settings that a resolver reads from the Pod's file with this ndots, set as by the Pod's dnsConfig.
     */
    private ResolverSettings withNdots(ResolverSettings own, int ndots) {
        // The environment may override the file, and dnsjava reads options only if there is a search list.
        String option = "search a.example\noptions ndots:" + ndots + "\n";
        return own.withNdots(
                SettingsReader.read(own.dialect(), option, environment).ndots());
    }

    private static Map<Dialect, QueryTrace> run(List<ResolverSettings> settings, String host, AnswerSource answers) {
        Map<Dialect, QueryTrace> traces = new LinkedHashMap<>();
        settings.forEach(one -> traces.put(one.dialect(), trace(one, host, answers)));
        return traces;
    }

    private static QueryTrace trace(ResolverSettings settings, String host, AnswerSource answers) {
        return QueryPlan.of(settings, LookupRequest.of(host)).run(answers);
    }

    /**
     * Returns the name that a host string is assumed to be; empty if it is an address, is in the hosts file of every
     * Pod, or is not a name.
     */
    private Optional<String> assumed(String host) {
        String name = NameText.utf8(host);
        if (NumericAddress.literal(name).isPresent()
                || !HostsFile.addresses(folded(name), any -> true).isEmpty()) {
            return Optional.empty();
        }
        List<String> searches = searches();
        if (NameText.dots(name) == 0 && !searches.isEmpty()) {
            return NameText.plain(name, searches.get(0));
        }
        String last = name.substring(name.lastIndexOf('.') + 1).toLowerCase(Locale.ROOT);
        boolean inTheCluster =
                NameText.dots(name) >= 2 && (last.equals(NameSchema.SERVICES) || last.equals(NameSchema.PODS));
        return clusterDomain()
                .filter(any -> inTheCluster)
                .map(domain -> NameText.plain(name, domain))
                .orElseGet(() -> NameText.plain(name));
    }

    /**
     * Returns the parts of a host string that is or may be a name of the cluster, otherwise empty.
     *
     * <p>Labels alone cannot distinguish {@code db.shop} from a name below a top-level domain {@code shop}; an existing
     * namespace {@code shop} decides for the cluster. With three labels and without {@code .svc}, a namespace is too
     * little evidence either way: {@code db-0.dbx.shop} may be a misspelt Service, {@code www.go.dev} is not,
     * even if there is a namespace {@code dev}. Such a name is reported as unknown, and answers for the name itself decide. With
     * more labels, a Service has to exist before the namespace, because no host of a Service has such a name. A name
     * with {@code .svc} after the namespace is never public, so the namespace is enough for it, also if the cluster
     * domain is incomplete ({@code crat.shop.svc.cluster}).
     */
    private Optional<ServiceHost> ofCluster(String host, AnswerSource answers) {
        return clusterDomain()
                .flatMap(domain -> ServiceHost.parse(host, domain))
                .filter(one -> isInitialNamespace(one) || hasNamespace(one, answers))
                .filter(one ->
                        one.ending() != ServiceHost.Ending.NONE || NameText.dots(host) < 3 || hasService(one, answers));
    }

    private boolean isInitialNamespace(ServiceHost host) {
        return services.isPresent() && INITIAL_NAMESPACES.contains(host.namespace());
    }

    private boolean hasNamespace(ServiceHost host, AnswerSource answers) {
        return services.filter(known -> known.hasNamespace(host.namespace())).isPresent()
                || inServices(host.namespace())
                        .filter(name -> kind(name, QueryType.A, answers) == Reply.Kind.NODATA)
                        .isPresent();
    }

    private boolean hasService(ServiceHost host, AnswerSource answers) {
        return host.service()
                .filter(service -> services.filter(known -> known.hasService(host.namespace(), service))
                                .isPresent()
                        || inServices(service + "." + host.namespace())
                                .filter(name -> exists(name, answers))
                                .isPresent())
                .isPresent();
    }

    /** Returns answers in which the short name of a Service or namespace does not exist outside the cluster. */
    private static AnswerSource decided(ServiceHost service, String host, AnswerSource answers) {
        return service.isClusterOnly()
                ? query -> sameName(query.name(), host) ? Reply.of(Reply.Kind.NXDOMAIN) : answers.answer(query)
                : answers;
    }

    private String whyNotFound(ServiceHost host, AnswerSource answers) {
        if (kind(host.fullName(), QueryType.A, answers) == Reply.Kind.DATA
                || kind(host.fullName(), QueryType.AAAA, answers) == Reply.Kind.DATA
                || host.isBelow() && exists(host.fullName(), answers)) {
            return host.ending() == ServiceHost.Ending.PART_OF_ZONE ? CUT_OFF : NOT_FOUND;
        }
        if (host.service().isEmpty()) {
            return NAMESPACE;
        }
        // Only a name without .svc may be a name outside the cluster.
        String outside = host.ending() == ServiceHost.Ending.NONE ? OUTSIDE_WITH_DOT : "";
        if (hasService(host, answers)) {
            return host.isBelow() ? NO_ENDPOINT + outside : NO_ADDRESS;
        }
        if (host.namespace().equals("default") && host.service().equals(Optional.of("kubernetes"))) {
            return BUILT_IN;
        }
        if (host.namespace().startsWith(SYSTEM_NAMESPACE) || !hasNamespace(host, answers)) {
            return MADE_BY_KUBERNETES;
        }
        return (host.isBelow() && host.ending() == ServiceHost.Ending.NONE ? UNKNOWN : MISSING) + outside;
    }

    /** Returns the absolute name of labels below the domain of all Services; empty if they make no valid name. */
    private Optional<String> inServices(String labels) {
        return clusterDomain().flatMap(domain -> NameText.plain(labels + "." + SERVICES + domain));
    }

    /** Returns whether a name exists, with or without addresses. */
    private boolean exists(String absolute, AnswerSource answers) {
        Reply.Kind kind = kind(absolute, QueryType.A, answers);
        return kind == Reply.Kind.DATA || kind == Reply.Kind.NODATA;
    }

    private Reply.Kind kind(String absolute, QueryType type, AnswerSource answers) {
        String server = pod.get(0).nameservers().get(0);
        return answers.answer(new PlannedQuery(absolute, type, server, Transport.UDP, 0, 0, PlannedQuery.Reason.FIRST))
                .kind();
    }

    /** Returns the search list of the first dialect that has one. */
    private List<String> searches() {
        return pod.stream()
                .map(ResolverSettings::searches)
                .filter(searches -> !searches.isEmpty())
                .findFirst()
                .orElse(List.of());
    }

    /**
     * Returns the cluster domain, derived from the search domain {@code svc.DOMAIN}. The kubelet writes the domain of the
     * Pod's namespace, that of all Services and the cluster domain into the search list; the second is recognized if one of
     * the others is there, too.
     */
    private Optional<String> clusterDomain() {
        List<String> searches = searches();
        return searches.stream()
                .filter(domain -> domain.startsWith(SERVICES))
                .filter(services -> searches.contains(services.substring(SERVICES.length()))
                        || searches.stream().anyMatch(domain -> domain.endsWith("." + services)))
                .map(services -> services.substring(SERVICES.length()))
                .findFirst();
    }

    /** Returns the name at which the first successful dialect finds the host string. */
    private static Optional<String> found(Map<Dialect, QueryTrace> traces) {
        return traces.values().stream()
                .filter(trace ->
                        trace.outcome() == LookupOutcome.OK && !trace.queries().isEmpty())
                .map(trace -> trace.queries().get(trace.queries().size() - 1).name())
                .findFirst();
    }

    private static boolean sameName(String absolute, String host) {
        return folded(absolute).equals(folded(host));
    }

    private static String folded(String name) {
        return NameText.withoutDot(name).toLowerCase(Locale.ROOT);
    }

    /**
     * Returns whether a suggestion costs less in at least one dialect, costs more in none, and is found wherever the
     * host string is.
     */
    private static boolean isBetter(Map<Dialect, QueryTrace> suggested, Map<Dialect, QueryTrace> before) {
        boolean cheaper = false;
        for (Map.Entry<Dialect, QueryTrace> entry : before.entrySet()) {
            QueryTrace old = entry.getValue();
            QueryTrace young = suggested.get(entry.getKey());
            if (young == null
                    || young.queries().size() > old.queries().size()
                    || old.outcome() == LookupOutcome.OK && young.outcome() != LookupOutcome.OK) {
                return false;
            }
            cheaper |= young.queries().size() < old.queries().size();
        }
        return cheaper;
    }

    private static int queries(Map<Dialect, QueryTrace> traces) {
        return traces.values().stream()
                .mapToInt(trace -> trace.queries().size())
                .sum();
    }

    private static List<String> caveats(String host, Map<Dialect, QueryTrace> traces) {
        List<String> caveats = new ArrayList<>();
        boolean asked =
                traces.values().stream().anyMatch(trace -> !trace.queries().isEmpty());
        if (!asked) {
            caveats.add("No query is sent for it.");
        }
        List<String> with = words(traces, true);
        List<String> without = words(traces, false);
        if (!with.isEmpty() && !without.isEmpty()) {
            caveats.add("It is found with " + String.join(", ", with) + ", but not with " + String.join(", ", without)
                    + ".");
        } else if (with.isEmpty() && asked) {
            caveats.add(NOT_FOUND);
        }
        if (host.endsWith(".") && host.length() > 1) {
            caveats.addAll(DOT_CAVEATS);
        }
        return caveats;
    }

    private static List<String> words(Map<Dialect, QueryTrace> traces, boolean found) {
        return traces.entrySet().stream()
                .filter(entry -> (entry.getValue().outcome() == LookupOutcome.OK) == found)
                .map(entry -> entry.getKey().word())
                .toList();
    }
}
