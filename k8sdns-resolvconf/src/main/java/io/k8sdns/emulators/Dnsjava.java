package io.k8sdns.emulators;

import io.k8sdns.emulators.SearchWalk.Visit;
import io.k8sdns.hosts.HostsFile;
import io.k8sdns.hosts.NameText;
import io.k8sdns.hosts.NumericAddress;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Candidate.Step;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * dnsjava 3.7, with an empty cache: {@code ResolvConfResolverConfigProvider} reads the file, {@code Lookup} or
 * {@code LookupSession} tries the names, {@code ExtendedResolver} sends the queries. Both look up one type at a time;
 * {@link AddressFamily#UNSPEC} is one lookup of A and one of AAAA after it.
 */
final class Dnsjava implements Emulator {
    private static final int MAX_NDOTS = 15;

    /** The maximum number of queries to a server that does not answer. */
    private static final int RETRIES = 3;

    /** The time after which no query is retried. */
    private static final long TOTAL_MILLIS = 10_000;

    /** Whether this is {@code LookupSession} with the settings of its default builder, without a search path. */
    private final boolean session;

    Dnsjava(boolean session) {
        this.session = session;
    }

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        // In a session, the timeout of one server is that of all servers together.
        draft.timeoutMillis = session ? TOTAL_MILLIS : TOTAL_MILLIS / 2;
        draft.attempts = RETRIES;
        for (Lines.Line line : draft.lines(file)) {
            Lines.Line rest = line.afterFirstWord(Lines.SPACE);
            switch (line.firstWord(Lines.SPACE).orElse("")) {
                case "nameserver" -> rest.firstWord(Lines.SPACE).ifPresent(server -> nameserver(draft, server));
                case "domain" ->
                    search(draft, rest.place(), rest.words(Lines.SPACE).limit(1));
                case "search" -> search(draft, rest.place(), rest.words(Lines.SPACE));
                case "options" -> {
                    draft.markUsed();
                    rest.words(Lines.SPACE).forEach(word -> option(draft, word));
                }
                default -> {}
            }
        }
        String localDomain = environment.getOrDefault("LOCALDOMAIN", "");
        if (!localDomain.isEmpty()) {
            search(draft, "LOCALDOMAIN", Lines.words(localDomain, " "));
        }
        Lines.words(environment.getOrDefault("RES_OPTIONS", ""), " ").forEach(word -> option(draft, word));
        if (draft.searches.isEmpty()) {
            // dnsjava uses the options only if there is a search path.
            draft.ndots = 1;
        }
        if (session) {
            draft.search("no search path", Stream.empty());
        }
        return draft.settings(dialect, "127.0.0.1");
    }

    private static void nameserver(SettingsDraft draft, String word) {
        if (NumericAddress.literal(word).isPresent() && !draft.nameservers.contains(word)) {
            draft.nameserver(word);
        }
    }

    /** Adds domains to the search path, each once; texts that are not names are ignored. */
    private static void search(SettingsDraft draft, String place, Stream<String> words) {
        Set<String> known = new TreeSet<>(String.CASE_INSENSITIVE_ORDER);
        draft.search(
                place,
                words.filter(word ->
                        NameText.escaped(word).filter(name -> known.add(name)).isPresent()));
    }

    private static void option(SettingsDraft draft, String word) {
        if (word.startsWith("ndots:")) {
            String value = word.substring("ndots:".length());
            boolean number = !value.isEmpty() && value.chars().allMatch(c -> NameText.isDigit((char) c));
            draft.ndots = number ? (int) CNumbers.digits(value, MAX_NDOTS) : 1;
        }
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return QueryOrder.EXACT;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        if (!isName(request.name())) {
            return List.of();
        }
        List<Candidate> asked = new ArrayList<>();
        Set<QueryType> open = EnumSet.copyOf(request.family().types());
        for (Candidate one : walk(settings, request)) {
            open.removeIf(type -> !hosts(one.name(), type).isEmpty());
            if (!open.isEmpty()) {
                asked.add(new Candidate(one.name(), one.domain(), open.size(), one.steps()));
            }
        }
        return asked;
    }

    /** Returns the names that are looked up, in the hosts file and then by a query. */
    private List<Candidate> walk(ResolverSettings settings, LookupRequest request) {
        String name = request.name();
        List<Candidate> candidates = new ArrayList<>();
        Candidate asIs = candidate(NameText.escaped(name).orElseThrow(), Optional.empty(), request.family());
        boolean first = name.endsWith(".") || labels(asIs.name()) > settings.ndots();
        if (first) {
            candidates.add(asIs);
        }
        if (!name.endsWith(".")) {
            for (String domain : settings.searches()) {
                NameText.escaped(domain.equals(".") ? name + "." : name + "." + domain)
                        .ifPresent(absolute -> candidates.add(
                                candidate(absolute, Optional.of(NameText.text(domain)), request.family())));
            }
        }
        if (!first) {
            candidates.add(asIs);
        }
        return candidates;
    }

    private Candidate candidate(String absolute, Optional<String> domain, AddressFamily family) {
        return new Candidate(absolute, domain, family.types().size(), session ? Dnsjava::session : Dnsjava::lookup);
    }

    /** Looks each name up in the hosts file before a query is sent. */
    private static List<IpAddress> hosts(String absolute, QueryType type) {
        return HostsFile.addresses(
                NameText.withoutDot(absolute).toLowerCase(Locale.ROOT),
                (type == QueryType.A ? AddressFamily.IPV4 : AddressFamily.IPV6)::includes);
    }

    /** Returns the number of labels, without the root label. */
    private static int labels(String absolute) {
        int labels = 0;
        for (int i = 0; i < absolute.length(); i++) {
            char c = absolute.charAt(i);
            if (c == '\\') {
                i++;
            } else if (c == '.') {
                labels++;
            }
        }
        return labels;
    }

    private static Step lookup(Reply.Kind answer) {
        return switch (answer) {
            case DATA -> Step.FOUND;
            case NODATA, TRUNCATED -> Step.STOP;
            case NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> Step.NEXT;
        };
    }

    private static Step session(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.STOP;
    }

    private static boolean isName(String name) {
        return name.chars().allMatch(c -> c <= 0xFF)
                && !name.isEmpty()
                && NameText.escaped(name).isPresent();
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        if (!isName(request.name())) {
            return Ending.without(LookupOutcome.ERROR);
        }
        Exchange exchange = new Exchange(settings, log);
        List<IpAddress> addresses = new ArrayList<>();
        Optional<LookupOutcome> failure = Optional.empty();
        for (QueryType type : request.family().types()) {
            Ending ending = ending(
                    SearchWalk.tryInOrder(walk(settings, request), false, candidate -> exchange.ask(candidate, type)));
            addresses.addAll(ending.addresses());
            failure = failure.or(() -> Optional.of(ending.outcome()).filter(outcome -> outcome != LookupOutcome.OK));
        }
        return addresses.isEmpty() ? Ending.without(failure.orElse(LookupOutcome.NOT_FOUND)) : Ending.with(addresses);
    }

    /** An error of any candidate is the result, unless a name without such data ended the lookup. */
    private static Ending ending(List<Visit> visits) {
        if (visits.isEmpty()) {
            return Ending.without(LookupOutcome.ERROR);
        }
        Visit last = visits.get(visits.size() - 1);
        if (last.result().kind() == Reply.Kind.DATA) {
            return Ending.with(last.result().addresses());
        }
        boolean stopped = last.candidate().after(last.result().kind()) == Step.STOP;
        boolean failed = visits.stream().anyMatch(visit -> visit.result().outcome() == LookupOutcome.ERROR);
        return Ending.without(
                stopped ? last.result().outcome() : failed ? LookupOutcome.ERROR : LookupOutcome.NOT_FOUND);
    }

    /** Accepts every answer; only a missing answer causes a retry, at the servers with the fewest failures first. */
    private static final class Exchange {
        private final ResolverSettings settings;
        private final QueryLog log;
        private final int[] failures;

        private Exchange(ResolverSettings settings, QueryLog log) {
            this.settings = settings;
            this.log = log;
            failures = new int[settings.nameservers().size()];
        }

        private CandidateResult ask(Candidate candidate, QueryType type) {
            List<IpAddress> hosts = hosts(candidate.name(), type);
            if (!hosts.isEmpty()) {
                return CandidateResult.found(hosts);
            }
            log.candidate(candidate.name());
            int[] order = IntStream.range(0, failures.length)
                    .boxed()
                    .sorted(Comparator.comparingInt(server -> failures[server]))
                    .mapToInt(server -> server)
                    .toArray();
            long end = log.millis() + TOTAL_MILLIS;
            for (int round = 0; round < settings.attempts(); round++) {
                for (int server : order) {
                    Reply reply = send(type, settings.nameservers().get(server));
                    if (reply.kind() != Reply.Kind.NOTHING) {
                        failures[server] = failures[server] > 0 ? (int) Math.log(failures[server]) : 0;
                        return result(reply);
                    }
                    if (log.millis() >= end) {
                        // The lookup ends just before this failure would be counted.
                        return CandidateResult.without(Reply.Kind.NOTHING, LookupOutcome.ERROR);
                    }
                    failures[server]++;
                }
            }
            return CandidateResult.without(Reply.Kind.NOTHING, LookupOutcome.ERROR);
        }

        private Reply send(QueryType type, String server) {
            log.together();
            Reply reply = log.send(type, server, Transport.UDP);
            if (reply.kind() == Reply.Kind.TRUNCATED) {
                log.together();
                return log.send(type, server, Transport.TCP);
            }
            if (reply.kind() == Reply.Kind.NOTHING) {
                log.advance(settings.timeout().toMillis());
            }
            return reply;
        }

        private static CandidateResult result(Reply reply) {
            return switch (reply.kind()) {
                case DATA -> CandidateResult.found(reply.addresses());
                case NODATA, NXDOMAIN -> CandidateResult.without(reply.kind(), LookupOutcome.NOT_FOUND);
                case TRUNCATED ->
                    reply.addresses().isEmpty()
                            ? CandidateResult.without(Reply.Kind.NODATA, LookupOutcome.NOT_FOUND)
                            : CandidateResult.found(reply.addresses());
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING ->
                    CandidateResult.without(reply.kind(), LookupOutcome.ERROR);
            };
        }
    }
}
