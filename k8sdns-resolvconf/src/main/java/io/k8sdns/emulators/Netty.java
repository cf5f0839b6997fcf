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
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.net.IDN;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * {@code DnsNameResolver} of Netty 4.2 with the settings of its default builder, without TCP and with an empty cache:
 * {@code UnixResolverDnsServerAddressStreamProvider} reads the file, {@code DnsResolveContext} tries the names and
 * sends the queries.
 *
 * <p>Netty queries AAAA only on a machine with an IPv6 address other than loopback and link-local ones; for a Pod
 * without one, use {@link AddressFamily#IPV4}.
 */
final class Netty implements Emulator {
    /** The length at which a text is too long for a name in any script. */
    private static final int MAX_TEXT = 2_000;

    /** The maximum number of queries for one candidate. */
    private static final int ATTEMPTS = 16;

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        draft.attempts = ATTEMPTS;
        Optional<String> localDomain = Optional.empty();
        boolean optionsRead = false;
        boolean serversRead = false;
        for (Lines.Line line : draft.lines(file)) {
            String text = line.text();
            String trimmed = text.strip();
            if (trimmed.startsWith("nameserver")) {
                if (!serversRead) {
                    nameserver(draft, trimmed.substring("nameserver".length()).strip());
                }
            } else if (trimmed.startsWith("domain")) {
                // The servers before such a line belong to the domain; they become the default servers too.
                serversRead |= !draft.nameservers.isEmpty();
            } else if (trimmed.startsWith("options") && trimmed.contains("rotate")) {
                draft.options.add(Option.ROTATE);
                draft.markUsed();
            }
            if (text.startsWith("options") && !optionsRead) {
                optionsRead = true;
                draft.markUsed();
                line.after("options").words(Lines.SPACE).forEach(word -> option(draft, word));
            } else if (text.startsWith("domain") && localDomain.isEmpty()) {
                draft.markUsed();
                localDomain = Optional.of(text.substring("domain".length()).stripLeading())
                        .filter(domain -> !domain.isEmpty());
            } else if (text.startsWith("search")) {
                // The domains of several lines are joined.
                draft.alsoSearch(line.place(), line.after("search").words(Lines.SPACE));
            }
        }
        if (draft.searches.isEmpty()) {
            localDomain.ifPresent(draft.searches::add);
        }
        Lines.words(environment.getOrDefault("RES_OPTIONS", ""), Lines.SPACE).forEach(word -> option(draft, word));
        // The servers that Netty uses without a file.
        return draft.settings(dialect, "8.8.8.8", "8.8.4.4");
    }

    /** A line with text after the address is ignored, unless the rest is a comment. */
    private static void nameserver(SettingsDraft draft, String words) {
        String address = Lines.firstWord(words, Lines.SPACE).orElse("");
        String rest = words.substring(address.length()).strip();
        if (isAddress(address) && (rest.isEmpty() || rest.startsWith("#"))) {
            draft.nameserver(address);
        }
    }

    private static boolean isAddress(String text) {
        return text.indexOf(':') >= 0
                ? NumericAddress.ipv6(text).isPresent()
                : IpAddress.tryParse(text).isPresent();
    }

    private static void option(SettingsDraft draft, String word) {
        int colon = word.indexOf(':') + 1;
        Optional<Integer> value = integer(word.substring(colon));
        switch (word.substring(0, colon)) {
            case "ndots:" -> draft.ndots = value.orElse(draft.ndots);
            case "attempts:" -> draft.attempts = value.orElse(draft.attempts);
            case "timeout:" ->
                draft.timeoutMillis = value.map(seconds -> seconds * 1000L).orElse(draft.timeoutMillis);
            default -> {}
        }
    }

    private static Optional<Integer> integer(String text) {
        try {
            return Optional.of(Integer.parseInt(text));
        } catch (NumberFormatException none) {
            return Optional.empty();
        }
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return ServerTurns.takesTurns(settings) ? QueryOrder.NAMES : QueryOrder.PAIRS;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        if (withoutQuery(settings, request).isPresent()) {
            return List.of();
        }
        String name = ascii(request.name()).orElseThrow();
        // After an NXDOMAIN without the AA bit, Netty queries the next server.
        int queries = (int) Math.min(
                (long) request.family().types().size() * settings.nameservers().size(), settings.attempts());
        List<Candidate> candidates = new ArrayList<>();
        boolean searches = !settings.searches().isEmpty() && settings.ndots() != 0 && !name.endsWith(".");
        boolean first = !searches || NameText.dots(name) >= Math.max(settings.ndots(), 1);
        if (first) {
            add(candidates, name, Optional.empty(), queries);
        }
        for (String domain : searches ? settings.searches() : List.<String>of()) {
            add(candidates, name + "." + domain, Optional.of(NameText.text(domain)), queries);
        }
        if (!first) {
            add(candidates, name, Optional.empty(), queries);
        }
        return candidates;
    }

    /** A name for which no query can be made is an error like others: the next name is tried. */
    private static void add(List<Candidate> candidates, String text, Optional<String> domain, int queries) {
        ascii(text)
                .flatMap(NameText::plain)
                .ifPresent(name -> candidates.add(new Candidate(name, domain, queries, Netty::step)));
    }

    private static Step step(Reply.Kind answer) {
        return switch (answer) {
            case DATA -> Step.FOUND;
            case NODATA, NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR, TRUNCATED -> Step.NEXT;
            case NOTHING -> Step.STOP;
        };
    }

    /** Returns the name in ASCII (IDNA); empty if there is none. */
    private static Optional<String> ascii(String name) {
        if (name.length() > MAX_TEXT) {
            return Optional.empty();
        }
        try {
            String ascii = IDN.toASCII(name);
            return Optional.of(name.endsWith(".") && !ascii.endsWith(".") ? ascii + "." : ascii);
        } catch (IllegalArgumentException none) {
            return Optional.empty();
        }
    }

    /** Returns the result if the lookup needs no query, otherwise empty. */
    private static Optional<Ending> withoutQuery(ResolverSettings settings, LookupRequest request) {
        String name = request.name();
        AddressFamily family = request.family();
        if (isAddress(name)) {
            IpAddress address = IpAddress.tryParse(name.split("%", 2)[0]).orElseThrow();
            return Optional.of(Ending.with(List.of(address)));
        }
        if (name.isEmpty()) {
            return Optional.of(Ending.with(HostsFile.addresses("localhost", family::includes)));
        }
        List<IpAddress> hosts = HostsFile.addresses(name.toLowerCase(Locale.ROOT), family::includes);
        if (!hosts.isEmpty()) {
            return Optional.of(Ending.with(hosts));
        }
        boolean asks = ascii(name).isPresent() && settings.attempts() > 0;
        return asks ? Optional.empty() : Optional.of(Ending.without(LookupOutcome.ERROR));
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(settings, request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        Exchange exchange = new Exchange(settings, request.family().types(), log);
        List<Visit> visits = SearchWalk.tryInOrder(candidates(settings, request), false, exchange::ask);
        if (visits.isEmpty()) {
            return Ending.without(LookupOutcome.ERROR);
        }
        CandidateResult last = visits.get(visits.size() - 1).result();
        return last.kind() == Reply.Kind.DATA ? Ending.with(last.addresses()) : Ending.without(last.outcome());
    }

    /** Queries all types at once; each type tries the servers independently. */
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

        /** The state that the runs for one candidate share. */
        private static final class Shared {
            private int allowed;
            private int open;
            private boolean found;
        }

        private final class Run extends TypeRun {
            private final Shared shared;
            private final int offset;

            private Run(QueryType type, Shared shared, int offset) {
                super(type, log);
                this.shared = shared;
                this.offset = offset;
            }

            @Override
            void next() {
                int servers = settings.nameservers().size();
                if (sent == servers || shared.allowed == 0) {
                    end();
                    return;
                }
                shared.allowed--;
                Reply reply = ask(settings.nameservers().get((offset + sent) % servers), false, false);
                switch (reply.kind()) {
                    case DATA -> {
                        shared.found = true;
                        end();
                    }
                    case NODATA, TRUNCATED -> {
                        shared.found |= !reply.addresses().isEmpty();
                        // The type that ends last is queried at the other servers too.
                        if (shared.open > 1 || shared.found || sent == servers) {
                            end();
                        }
                    }
                    case NXDOMAIN, SERVFAIL, REFUSED, NOTIMP, FORMERR -> done = false;
                    case NOTHING -> millis += settings.timeout().toMillis();
                }
                if (!done && sent == servers) {
                    end();
                }
            }

            private void end() {
                done = true;
                shared.open--;
            }
        }

        private CandidateResult ask(Candidate candidate) {
            log.candidate(candidate.name());
            Shared shared = new Shared();
            shared.allowed = settings.attempts();
            shared.open = types.size();
            List<Run> runs = new ArrayList<>();
            int offset = turns.next();
            types.forEach(type -> runs.add(new Run(type, shared, offset)));
            TypeRun.inParallel(runs, log);
            return TypeRun.result(runs, Set.of(Reply.Kind.NODATA, Reply.Kind.NXDOMAIN, Reply.Kind.TRUNCATED));
        }
    }
}
