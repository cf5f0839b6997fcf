package io.k8sdns.emulators;

import io.k8sdns.emulators.SearchWalk.CandidateList;
import io.k8sdns.emulators.SearchWalk.Visit;
import io.k8sdns.hosts.HostsFile;
import io.k8sdns.hosts.NameText;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Candidate.Step;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * {@code ares_getaddrinfo} of c-ares 1.18: {@code ares_init.c} reads the file, {@code ares_getaddrinfo.c} tries the
 * names, {@code ares_process.c} sends the queries.
 */
final class CAres implements Emulator {
    private static final int TRIES = 4;

    /** The maximum number of times that the timeout is doubled. */
    private static final int MAX_DOUBLINGS = 15;

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        draft.attempts = TRIES;
        Set<String> known = new HashSet<>();
        // The environment is read first, and the first value of an option is kept.
        Optional<String> localDomain = Optional.ofNullable(environment.get("LOCALDOMAIN"));
        localDomain.ifPresent(domains -> search(draft, "LOCALDOMAIN", domains));
        boolean searches = draft.searches.isEmpty();
        options(draft, known, environment.getOrDefault("RES_OPTIONS", ""));
        for (Lines.Line line : draft.lines(file)) {
            String text = withoutComment(line.text());
            value(text, "nameserver")
                    .ifPresent(servers -> Lines.words(servers, Lines.SPACE + ",")
                            .filter(CAres::isAddress)
                            .forEach(server -> draft.nameserver(server)));
            value(text, "options").ifPresent(options -> {
                draft.markUsed();
                options(draft, known, options);
            });
            if (searches) {
                value(text, "domain")
                        .flatMap(domain -> Lines.firstWord(domain, Lines.SPACE))
                        .ifPresent(domain -> search(draft, line.place(), domain));
                value(text, "search").ifPresent(domains -> search(draft, line.place(), domains));
            }
        }
        return draft.settings(dialect, "127.0.0.1");
    }

    private static String withoutComment(String line) {
        int end = 0;
        while (end < line.length() && "#;\0".indexOf(line.charAt(end)) < 0) {
            end++;
        }
        int start = 0;
        while (end > start && Lines.SPACE.indexOf(line.charAt(end - 1)) >= 0) {
            end--;
        }
        while (start < end && Lines.SPACE.indexOf(line.charAt(start)) >= 0) {
            start++;
        }
        return line.substring(start, end);
    }

    /** Returns the text after a keyword and white space; empty if there is none. */
    private static Optional<String> value(String text, String keyword) {
        if (!text.startsWith(keyword)
                || text.length() == keyword.length()
                || Lines.SPACE.indexOf(text.charAt(keyword.length())) < 0) {
            return Optional.empty();
        }
        return Optional.of(withoutComment(text.substring(keyword.length())));
    }

    /**
     * Reads the search list. Blanks and commas separate domains, tabs do not; a domain that is a prefix of an earlier
     * one is ignored.
     */
    private static void search(SettingsDraft draft, String place, String text) {
        TreeSet<String> known = new TreeSet<>();
        draft.search(place, Lines.words(text, ", ").filter(domain -> {
            String folded = domain.toLowerCase(Locale.ROOT);
            String next = known.ceiling(folded);
            return (next == null || !next.startsWith(folded)) && known.add(folded);
        }));
    }

    private static void options(SettingsDraft draft, Set<String> known, String text) {
        Lines.wordStarts(text, Lines.SPACE, start -> option(draft, known, text, start));
    }

    /** Reads options. The first value of an option is kept; timeout and attempts are unknown here. */
    private static void option(SettingsDraft draft, Set<String> known, String text, int start) {
        if (text.startsWith("ndots:", start) && known.add("ndots")) {
            draft.ndots = number(text, start, "ndots:");
        } else if (text.startsWith("retrans:", start) && known.add("retrans")) {
            draft.timeoutMillis = number(text, start, "retrans:");
        } else if (text.startsWith("retry:", start) && known.add("retry")) {
            draft.attempts = number(text, start, "retry:");
        } else if (text.startsWith("rotate", start)) {
            draft.options.add(Option.ROTATE);
        }
    }

    /** Reads a number, which may be the next word. The sign bit is dropped: -1 is 2147483647. */
    private static int number(String text, int start, String prefix) {
        return CNumbers.atoi(text, start + prefix.length()) & Integer.MAX_VALUE;
    }

    private static boolean isAddress(String text) {
        return text.indexOf('%') < 0 && IpAddress.tryParse(text).isPresent();
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return ServerTurns.takesTurns(settings) ? QueryOrder.NAMES : QueryOrder.PAIRS;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        return candidateList(settings, request).candidates();
    }

    /** A name for which no query can be made ends the lookup. */
    private static CandidateList candidateList(ResolverSettings settings, LookupRequest request) {
        List<Candidate> candidates = new ArrayList<>();
        if (withoutQuery(request).isPresent()) {
            return new CandidateList(candidates, Optional.empty());
        }
        String name = NameText.utf8(request.name());
        boolean absolute = name.endsWith(".");
        boolean first = NameText.dots(name) >= settings.ndots() || absolute;
        List<Optional<String>> domains = new ArrayList<>();
        if (!absolute) {
            settings.searches().forEach(domain -> domains.add(Optional.of(domain)));
        }
        domains.add(first ? 0 : domains.size(), Optional.empty());
        for (Optional<String> domain : domains) {
            Optional<String> asked =
                    NameText.backslashed(domain.map(one -> name + "." + one).orElse(name));
            if (asked.isEmpty()) {
                return new CandidateList(candidates, Optional.of(LookupOutcome.ERROR));
            }
            candidates.add(new Candidate(
                    asked.get(),
                    domain.map(NameText::text),
                    request.family().types().size(),
                    CAres::step));
        }
        return new CandidateList(candidates, Optional.empty());
    }

    private static Step step(Reply.Kind answer) {
        return switch (answer) {
            case DATA -> Step.FOUND;
            case NODATA, NXDOMAIN -> Step.NEXT;
            case SERVFAIL, REFUSED, NOTIMP, FORMERR, TRUNCATED, NOTHING -> Step.STOP;
        };
    }

    /** Returns the result if the lookup needs no query, otherwise empty. */
    private static Optional<Ending> withoutQuery(LookupRequest request) {
        String name = NameText.utf8(request.name());
        AddressFamily family = request.family();
        if (name.indexOf('\0') >= 0 || name.toLowerCase(Locale.ROOT).endsWith(".onion")) {
            return Optional.of(Ending.without(LookupOutcome.NOT_FOUND));
        }
        Optional<IpAddress> ipv6 = IpAddress.tryParse(name).filter(address -> name.indexOf(':') >= 0);
        if (ipv6.isPresent() && family != AddressFamily.IPV4) {
            return Optional.of(Ending.with(List.of(ipv6.get())));
        }
        if (family == AddressFamily.IPV4 && literalIpv4(name).isPresent()) {
            return Optional.of(Ending.with(List.of(literalIpv4(name).get())));
        }
        List<IpAddress> hosts = HostsFile.addresses(name.toLowerCase(Locale.ROOT), family::includes);
        if (!hosts.isEmpty() || name.equals("localhost")) {
            return Optional.of(hosts.isEmpty() ? Ending.without(LookupOutcome.NOT_FOUND) : Ending.with(hosts));
        }
        return Optional.empty();
    }

    private static Optional<IpAddress> literalIpv4(String name) {
        return IpAddress.tryParse(name).filter(IpAddress::isIpv4).filter(address -> name.indexOf(':') < 0);
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        Exchange exchange = new Exchange(settings, request.family().types(), log);
        CandidateList candidateList = candidateList(settings, request);
        // c-ares recognizes an IPv4 address, but queries it as a name if IPv6 addresses are allowed too.
        List<IpAddress> known =
                literalIpv4(NameText.utf8(request.name())).stream().toList();
        List<Visit> visits = SearchWalk.tryInOrder(candidateList.candidates(), false, candidate -> {
            CandidateResult result = exchange.ask(candidate);
            List<IpAddress> all = new ArrayList<>(known);
            all.addAll(result.addresses());
            return all.isEmpty() ? result : CandidateResult.found(all);
        });
        if (visits.isEmpty()) {
            return Ending.without(LookupOutcome.ERROR);
        }
        Visit last = visits.get(visits.size() - 1);
        return switch (last.candidate().after(last.result().kind())) {
            case FOUND -> Ending.with(last.result().addresses());
            case NEXT -> Ending.without(candidateList.deadEnd().orElse(LookupOutcome.NOT_FOUND));
            case AS_IS, STOP -> Ending.without(last.result().outcome());
        };
    }

    /**
     * Queries each type independently: every server in turn, in up to four rounds; the timeout doubles with each round.
     */
    private static final class Exchange {
        private final ResolverSettings settings;
        private final List<QueryType> types;
        private final QueryLog log;
        private final ServerTurns turns;

        private Exchange(ResolverSettings settings, List<QueryType> types, QueryLog log) {
            this.settings = settings;
            this.types = types;
            this.log = log;
            turns = new ServerTurns(settings);
        }

        private final class Run extends TypeRun {
            private final boolean[] skipped = new boolean[settings.nameservers().size()];
            private int server;
            private int tries;
            private boolean tcp;

            private Run(QueryType type, int server) {
                super(type, log);
                this.server = server;
            }

            @Override
            void next() {
                Reply reply = ask(settings.nameservers().get(server), tcp, true);
                tcp = overTcp;
                switch (reply.kind()) {
                    case DATA, NODATA, NXDOMAIN, FORMERR, TRUNCATED -> done = true;
                    case SERVFAIL, REFUSED, NOTIMP -> {
                        skipped[server] = skipped.length > 1;
                        nextServer();
                    }
                    case NOTHING -> {
                        if (!tcp) {
                            int doublings = Math.min(tries / skipped.length, MAX_DOUBLINGS);
                            millis += settings.timeout().toMillis() << doublings;
                        }
                        nextServer();
                    }
                }
            }

            private void nextServer() {
                long max = (long) skipped.length * settings.attempts();
                while (++tries < max) {
                    server = (server + 1) % skipped.length;
                    if (!skipped[server]) {
                        return;
                    }
                }
                done = true;
            }
        }

        private CandidateResult ask(Candidate candidate) {
            log.candidate(candidate.name());
            List<Run> runs = new ArrayList<>();
            types.forEach(type -> runs.add(new Run(type, turns.next())));
            TypeRun.inParallel(runs, log);
            return TypeRun.result(runs, Set.of(Reply.Kind.NODATA, Reply.Kind.NXDOMAIN));
        }
    }
}
