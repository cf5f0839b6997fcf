package io.k8sdns.search;

import io.k8sdns.search.HostAdvice.Kind;
import io.k8sdns.search.HostAdvice.Suggestion;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * Tells what the host strings of an application cost in a Pod, and what to write instead.
 *
 * <p>Whatever is suggested was run: a suggestion is made only if it costs less in some of the dialects, and is found in
 * every one that finds the host string.
 */
public final class NdotsAdvisor {
    /** The greatest {@code ndots} that every resolver takes as it is. */
    private static final int MAX_NDOTS = 15;

    private static final Pattern NDOTS = Pattern.compile("(?m)^(options[ \\t].*?)\\bndots:\\S*");

    private static final List<String> DOT_CAVEATS = List.of(
            "TLS: the server name of the handshake has no dot at its end (RFC 6066, section 3); a client that copies the host"
                    + " string sends one, and the server may refuse it or present another certificate.",
            "Certificates: their names have no dot at the end; a client that compares the host string as it is refuses the"
                    + " certificate.",
            "HTTP: the Host header keeps the dot; Ingress rules, virtual hosts and cookies that compare text do not know the"
                    + " name then.");

    private static final String NDOTS_CAVEAT =
            "ndots is the Pod's, not the name's: shorter names that are found by the search list may cost more, and musl,"
                    + " systemd-resolved and Windows do not search for a name that has the dots.";

    private final String resolvConf;
    private final Map<String, String> environment;
    private final List<Dialect> dialects;

    /**
     * Makes an advisor for programs of a Pod.
     *
     * @param resolvConf the text of the Pod's file
     * @param environment the environment of the programs, as for {@link ResolverSettings#read}
     * @param dialects the resolvers that the programs use, one at least
     */
    public NdotsAdvisor(String resolvConf, Map<String, String> environment, Collection<Dialect> dialects) {
        this.resolvConf = resolvConf;
        this.environment = Map.copyOf(environment);
        this.dialects = List.copyOf(dialects);
        if (this.dialects.isEmpty()) {
            throw new IllegalArgumentException("no dialect to advise for");
        }
    }

    /**
     * Returns advice for one host string.
     *
     * @param host the host string as the application has it, without a port
     * @param answers what the servers say; it decides where each lookup ends. A host string that is not found costs what it
     *     costs to look everywhere, and is taken for the name of something outside of the cluster if it has a dot; without
     *     one nothing is advised
     */
    public HostAdvice advise(String host, Answers answers) {
        Map<Dialect, QueryTrace> traces = run(resolvConf, host, answers);
        List<Suggestion> suggestions = new ArrayList<>();
        Optional<String> name = found(traces);
        boolean asIs = name.isEmpty() || sameName(name.get(), host);
        // A single label that nobody has is no name of the internet: most likely the answers do not know the Service.
        boolean unknown = name.isEmpty() && NameText.dots(host) == 0;
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
                suggestions.add(new Suggestion(
                        Kind.NDOTS, "ndots:" + dots, run(withNdots(dots), host, answers), List.of(NDOTS_CAVEAT)));
            }
        }
        suggestions.removeIf(suggestion -> !isBetter(suggestion.traces(), traces));
        suggestions.sort(Comparator.<Suggestion>comparingInt(suggestion -> queries(suggestion.traces()))
                .thenComparing(suggestion -> suggestion.caveats().size()));
        return new HostAdvice(host, traces, suggestions, caveats(host, traces));
    }

    private Suggestion named(Kind kind, String host, Answers answers) {
        return new Suggestion(kind, host, run(resolvConf, host, answers), host.endsWith(".") ? DOT_CAVEATS : List.of());
    }

    /**
     * Returns what all host strings together cost with each {@code ndots} from 1 up to the Pod's own.
     *
     * @param hosts the host strings of the Pod's programs
     * @param answers what the servers say
     */
    public List<NdotsChoice> choices(Collection<String> hosts, Answers answers) {
        int own = dialects.stream()
                .mapToInt(dialect -> settings(dialect, resolvConf).ndots())
                .max()
                .orElseThrow();
        List<NdotsChoice> choices = new ArrayList<>();
        for (int ndots = 1; ndots <= Math.min(Math.max(own, 1), MAX_NDOTS); ndots++) {
            Map<Dialect, Integer> queries = new LinkedHashMap<>();
            Map<Dialect, List<String>> lost = new LinkedHashMap<>();
            for (Dialect dialect : dialects) {
                ResolverSettings before = settings(dialect, resolvConf);
                ResolverSettings after = settings(dialect, withNdots(ndots));
                int sum = 0;
                List<String> missing = new ArrayList<>();
                for (String host : hosts) {
                    QueryTrace trace = trace(after, host, answers);
                    sum += trace.queries().size();
                    if (trace.outcome() != Outcome.OK
                            && trace(before, host, answers).outcome() == Outcome.OK) {
                        missing.add(host);
                    }
                }
                queries.put(dialect, sum);
                lost.put(dialect, List.copyOf(missing));
            }
            choices.add(new NdotsChoice(ndots, queries, lost));
        }
        return choices;
    }

    /** Returns the file with another ndots in the place of the one that it has, as the Pod's dnsConfig would give it. */
    private String withNdots(int ndots) {
        String option = "ndots:" + ndots;
        return NDOTS.matcher(resolvConf).find()
                ? NDOTS.matcher(resolvConf).replaceAll("$1" + option)
                : resolvConf + (resolvConf.isEmpty() || resolvConf.endsWith("\n") ? "" : "\n") + "options " + option
                        + "\n";
    }

    private Map<Dialect, QueryTrace> run(String file, String host, Answers answers) {
        Map<Dialect, QueryTrace> traces = new LinkedHashMap<>();
        dialects.forEach(dialect -> traces.put(dialect, trace(settings(dialect, file), host, answers)));
        return traces;
    }

    private ResolverSettings settings(Dialect dialect, String file) {
        return ResolverSettings.read(dialect, file, environment);
    }

    private static QueryTrace trace(ResolverSettings settings, String host, Answers answers) {
        return QueryPlan.of(settings, LookupRequest.of(host)).run(answers);
    }

    /** The name at which the first dialect that finds it does. */
    private static Optional<String> found(Map<Dialect, QueryTrace> traces) {
        return traces.values().stream()
                .filter(trace ->
                        trace.outcome() == Outcome.OK && !trace.queries().isEmpty())
                .map(trace -> trace.queries().get(trace.queries().size() - 1).name())
                .findFirst();
    }

    private static boolean sameName(String absolute, String host) {
        return NameText.withoutDot(absolute)
                .toLowerCase(Locale.ROOT)
                .equals(NameText.withoutDot(host).toLowerCase(Locale.ROOT));
    }

    /** Cheaper somewhere, dearer nowhere, and lost nowhere. */
    private static boolean isBetter(Map<Dialect, QueryTrace> suggested, Map<Dialect, QueryTrace> before) {
        boolean cheaper = false;
        for (Map.Entry<Dialect, QueryTrace> entry : before.entrySet()) {
            QueryTrace old = entry.getValue();
            QueryTrace young = suggested.get(entry.getKey());
            if (young == null
                    || young.queries().size() > old.queries().size()
                    || old.outcome() == Outcome.OK && young.outcome() != Outcome.OK) {
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
        if (traces.values().stream().allMatch(trace -> trace.queries().isEmpty())) {
            caveats.add("No server is asked for it.");
        }
        List<String> with = words(traces, true);
        List<String> without = words(traces, false);
        if (!with.isEmpty() && !without.isEmpty()) {
            caveats.add("It is found with " + String.join(", ", with) + ", but not with " + String.join(", ", without)
                    + ".");
        } else if (with.isEmpty()) {
            caveats.add("It is not found with the answers that were given; they decide what is advised.");
        }
        if (host.endsWith(".") && host.length() > 1) {
            caveats.addAll(DOT_CAVEATS);
        }
        return caveats;
    }

    private static List<String> words(Map<Dialect, QueryTrace> traces, boolean found) {
        return traces.entrySet().stream()
                .filter(entry -> (entry.getValue().outcome() == Outcome.OK) == found)
                .map(entry -> entry.getKey().word())
                .toList();
    }
}
