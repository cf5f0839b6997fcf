package io.k8sdns.emulators;

import io.k8sdns.emulators.SearchWalk.CandidateList;
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
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * {@code getaddrinfo} of musl, without flags.
 *
 * <p>Source: {@code src/network/resolvconf.c} reads the file, {@code lookup_name.c} tries the search list,
 * {@code res_msend.c} sends the queries ({@link MuslExchange}).
 *
 * <p>Invalid packets are not reported as queries: for a search domain {@code .}, musl 1.2.3 sends a header followed by
 * bytes that are not a name, which no server answers.
 */
final class Musl implements Emulator {
    /** The maximum number of servers. */
    private static final int MAX_SERVERS = 3;

    /** The maximum length of a line in bytes; longer lines are ignored. */
    private static final int MAX_LINE = 254;

    private static final int MAX_NDOTS = 15;
    private static final int MAX_TIMEOUT_SECONDS = 60;
    private static final int MAX_ATTEMPTS = 10;

    /** The maximum length of a name in a request, in bytes. */
    private static final int MAX_INPUT = 254;

    /** The size of the buffer for a name with its domain. */
    private static final int NAME_BUFFER = 256;

    /** The maximum length of a name without its trailing dot, in bytes. */
    private static final int MAX_NAME = 253;

    /**
     * Whether this is 1.2.4 or later, which repeats truncated answers over TCP and skips names for which no query can
     * be made.
     */
    private final boolean recent;

    Musl(boolean recent) {
        this.recent = recent;
    }

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        boolean skip = false;
        for (Lines.Line line : draft.lines(file)) {
            // musl searches the end of the line only up to a NUL, and reads the next line as the rest of this one.
            boolean nul = line.text().indexOf('\0') >= 0;
            if (!skip && !nul && line.text().length() <= MAX_LINE) {
                read(draft, line);
            }
            skip = nul && !skip;
        }
        return draft.settings(dialect, "127.0.0.1");
    }

    private static void read(SettingsDraft draft, Lines.Line line) {
        if (line.begins("options", Lines.SPACE)) {
            draft.markUsed();
            number(line.text(), "ndots:").ifPresent(value -> draft.ndots = (int) Math.min(value, MAX_NDOTS));
            number(line.text(), "attempts:").ifPresent(value -> draft.attempts = (int) Math.min(value, MAX_ATTEMPTS));
            number(line.text(), "timeout:")
                    .ifPresent(value -> draft.timeoutMillis = 1000 * Math.min(value, MAX_TIMEOUT_SECONDS));
        } else if (line.begins("nameserver", Lines.SPACE)) {
            line.after("nameserver")
                    .firstWord(Lines.SPACE)
                    .flatMap(Musl::literal)
                    .ifPresent(address -> draft.nameserver(address, MAX_SERVERS));
        } else if (line.begins("domain", Lines.SPACE) || line.begins("search", Lines.SPACE)) {
            draft.search(line.place(), line.after("search").words(Lines.SPACE));
        }
    }

    /** Returns the number after the first occurrence of a text in the line, even within a word. */
    private static Optional<Long> number(String line, String option) {
        int at = line.indexOf(option);
        if (at < 0) {
            return Optional.empty();
        }
        String digits = line.substring(at + option.length());
        return digits.isEmpty() || !NameText.isDigit(digits.charAt(0))
                ? Optional.empty()
                : Optional.of(CNumbers.digits(digits, Long.MAX_VALUE));
    }

    private static Optional<String> literal(String word) {
        Optional<String> ipv4 = NumericAddress.aton(word).map(IpAddress::toString);
        int zone = word.indexOf('%');
        String rest = zone < 0 ? "" : word.substring(zone);
        return ipv4.or(() -> NumericAddress.ipv6(word).map(address -> address + rest));
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return settings.nameservers().size() > 1 ? QueryOrder.NAMES : QueryOrder.EXACT;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        return candidateList(settings, request).candidates();
    }

    private CandidateList candidateList(ResolverSettings settings, LookupRequest request) {
        List<Candidate> candidates = new ArrayList<>();
        if (withoutQuery(settings, request).isPresent()) {
            return new CandidateList(candidates, Optional.empty());
        }
        String name = NameText.utf8(request.name());
        int queries = request.family().types().size() * settings.nameservers().size();
        boolean searched = NameText.dots(name) < settings.ndots() && !name.endsWith(".");
        for (String domain : searched ? settings.searches() : List.<String>of()) {
            if (domain.length() < NAME_BUFFER - name.length() - 1) {
                Optional<String> entry = Optional.of(NameText.text(domain));
                Optional<String> absolute = absolute(name + "." + domain);
                absolute.ifPresent(one -> candidates.add(new Candidate(one, entry, queries, Musl::searched)));
                if (absolute.isEmpty() && !recent) {
                    return new CandidateList(candidates, Optional.of(deadEnd(name + "." + domain)));
                }
            }
        }
        Optional<String> absolute = absolute(name);
        absolute.ifPresent(one -> candidates.add(new Candidate(one, Optional.empty(), queries, Musl::last)));
        return new CandidateList(
                candidates, absolute.isEmpty() && !recent ? Optional.of(deadEnd(name)) : Optional.empty());
    }

    /** Returns the name of the query; empty if no query can be made for the text. */
    private static Optional<String> absolute(String text) {
        String name = NameText.withoutDot(text);
        return name.length() > MAX_NAME || name.endsWith(".") ? Optional.empty() : NameText.plain(name);
    }

    /** Returns whether 1.2.3 sends an invalid packet for a name with two trailing dots, which no server answers. */
    private static LookupOutcome deadEnd(String text) {
        String name = NameText.withoutDot(text);
        boolean sends = name.length() <= MAX_NAME
                && NameText.plain(name).isPresent()
                && !NameText.withoutDot(name).endsWith(".");
        return sends ? LookupOutcome.EAI_AGAIN : LookupOutcome.EAI_NONAME;
    }

    private static Step searched(Reply.Kind answer) {
        return answer == Reply.Kind.NXDOMAIN ? Step.NEXT : last(answer);
    }

    private static Step last(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.STOP;
    }

    /** Returns the result if the lookup needs no query, otherwise empty. */
    private Optional<Ending> withoutQuery(ResolverSettings settings, LookupRequest request) {
        String name = NameText.utf8(request.name());
        AddressFamily family = request.family();
        if (name.isEmpty() || name.length() > MAX_INPUT || name.indexOf('\0') >= 0) {
            return Optional.of(Ending.without(LookupOutcome.EAI_NONAME));
        }
        Optional<IpAddress> ipv4 = NumericAddress.aton(name);
        Optional<IpAddress> numeric = ipv4.or(() -> NumericAddress.ipv6(name));
        if (numeric.isPresent()) {
            // musl reads ::ffff:192.0.2.1 as an IPv6 address.
            boolean wanted = family != (ipv4.isPresent() ? AddressFamily.IPV6 : AddressFamily.IPV4);
            return Optional.of(
                    wanted
                            ? Ending.with(List.of(numeric.get()))
                            : Ending.without(recent ? LookupOutcome.EAI_NODATA : LookupOutcome.EAI_NONAME));
        }
        List<IpAddress> hosts = HostsFile.addresses(name, family::includes);
        if (!hosts.isEmpty()) {
            return Optional.of(Ending.with(hosts));
        }
        if (name.equals(".") || name.endsWith("..")) {
            return Optional.of(Ending.without(LookupOutcome.EAI_NONAME));
        }
        // With a timeout of 0, musl sends no query; attempts:0 is a division by zero in musl, which ends the program.
        boolean asks = settings.attempts() > 0 && !settings.timeout().isZero();
        return asks ? Optional.empty() : Optional.of(Ending.without(LookupOutcome.EAI_AGAIN));
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(settings, request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        MuslExchange exchange = new MuslExchange(settings, request.family().types(), recent, log);
        CandidateList candidateList = candidateList(settings, request);
        List<Visit> visits = SearchWalk.tryInOrder(candidateList.candidates(), false, exchange::ask);
        LookupOutcome atTheEnd = candidateList.deadEnd().orElse(LookupOutcome.EAI_NONAME);
        if (visits.isEmpty()) {
            return Ending.without(atTheEnd);
        }
        Visit last = visits.get(visits.size() - 1);
        return switch (last.candidate().after(last.result().kind())) {
            case FOUND -> Ending.with(last.result().addresses());
            case STOP -> Ending.without(last.result().outcome());
            case NEXT, AS_IS -> Ending.without(atTheEnd);
        };
    }
}
