package io.k8sdns.emulators;

import io.k8sdns.emulators.SearchWalk.Visit;
import io.k8sdns.hosts.FatalSearchList;
import io.k8sdns.hosts.HostsFile;
import io.k8sdns.hosts.NameText;
import io.k8sdns.hosts.NumericAddress;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.AddressFamily;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.Candidate.Step;
import io.k8sdns.search.Candidate.Steps;
import io.k8sdns.search.Dialect;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.LookupRequest;
import io.k8sdns.search.QueryOrder;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * {@code getaddrinfo} of glibc 2.26 and later, with {@code hosts: files dns} and without flags.
 *
 * <p>Source: {@code resolv/res_init.c} reads the file, {@code resolv/res_query.c} tries the search list,
 * {@code resolv/res_send.c} sends the queries ({@link GlibcExchange}), {@code resolv/nss_dns} and {@code getaddrinfo.c}
 * make the result.
 */
final class Glibc implements Emulator {
    /** The maximum number of servers. */
    private static final int MAX_SERVERS = 3;

    private static final int MAX_NDOTS = 15;
    private static final int MAX_TIMEOUT_SECONDS = 30;
    private static final int MAX_ATTEMPTS = 5;

    /** The size of the buffer: a candidate of this length or more does not fit. */
    private static final int NAME_BUFFER = 1025;

    /**
     * The words of {@code options} and the options that they set; a longer word that begins with one of them sets it
     * too.
     */
    private static final List<Map.Entry<String, Option>> FLAGS = List.of(
            Map.entry("rotate", Option.ROTATE),
            Map.entry("single-request-reopen", Option.SINGLE_REQUEST_REOPEN),
            Map.entry("single-request", Option.SINGLE_REQUEST),
            Map.entry("no_tld_query", Option.NO_TLD_QUERY),
            Map.entry("no-tld-query", Option.NO_TLD_QUERY),
            Map.entry("use-vc", Option.USE_VC),
            Map.entry("no-aaaa", Option.NO_AAAA));

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        Optional<String> localDomain = Optional.ofNullable(environment.get("LOCALDOMAIN"));
        localDomain.ifPresent(domains -> draft.search("LOCALDOMAIN", localDomains(domains)));
        for (Lines.Line whole : draft.lines(file)) {
            // The C functions of glibc end a text at a NUL.
            Lines.Line line = whole.text().indexOf('\0') < 0
                    ? whole
                    : new Lines.Line(whole.number(), untilNul(whole.text()), whole.ended());
            if (line.begins("domain", Lines.BLANK) || line.begins("search", Lines.BLANK)) {
                Lines.Line rest = line.after("search");
                if (localDomain.isEmpty() && rest.firstWord(Lines.BLANK).isPresent()) {
                    Stream<String> domains = rest.words(Lines.BLANK);
                    draft.search(line.place(), line.begins("domain", Lines.BLANK) ? domains.limit(1) : domains);
                }
            } else if (line.begins("nameserver", Lines.BLANK)) {
                nameserver(line.after("nameserver")).ifPresent(address -> draft.nameserver(address, MAX_SERVERS));
            } else if (line.begins("options", Lines.BLANK)) {
                draft.markUsed();
                options(draft, line.after("options").text());
            }
        }
        Optional.ofNullable(environment.get("RES_OPTIONS")).ifPresent(options -> options(draft, untilNul(options)));
        return draft.settings(dialect, "127.0.0.1");
    }

    private static String untilNul(String text) {
        int nul = text.indexOf('\0');
        return nul < 0 ? text : text.substring(0, nul);
    }

    /** Reads the search list. The first domain ends at the first blank; if it is empty, it is the root. */
    private static Stream<String> localDomains(String text) {
        String line = untilNul(text);
        int newline = line.indexOf('\n');
        line = newline < 0 ? line : line.substring(0, newline);
        Stream<String> domains = Lines.words(line, Lines.BLANK);
        boolean root = line.isEmpty() || Lines.BLANK.indexOf(line.charAt(0)) >= 0;
        return root ? Stream.concat(Stream.of(""), domains) : domains;
    }

    private static Optional<String> nameserver(Lines.Line line) {
        return line.firstWord(Lines.BLANK)
                // A carriage return makes the address invalid.
                .flatMap(word ->
                        NumericAddress.aton(word).map(IpAddress::toString).or(() -> ipv6(word)));
    }

    /** Returns an IPv6 address with its zone; any zone is accepted. */
    private static Optional<String> ipv6(String word) {
        int zone = word.indexOf('%');
        String address = zone < 0 ? word : word.substring(0, zone);
        return NumericAddress.ipv6(address).map(parsed -> parsed + word.substring(address.length()));
    }

    private static void options(SettingsDraft draft, String text) {
        Lines.wordStarts(text, Lines.BLANK, start -> option(draft, text, start));
    }

    /** Reads the number after the colon. White space before it is skipped, so the number may be the next word. */
    private static void option(SettingsDraft draft, String text, int start) {
        if (text.startsWith("ndots:", start)) {
            // The field has four bits: -1 is 15.
            draft.ndots = Math.min(number(text, start, "ndots:"), MAX_NDOTS) & MAX_NDOTS;
        } else if (text.startsWith("timeout:", start)) {
            draft.timeoutMillis = 1000L * Math.min(number(text, start, "timeout:"), MAX_TIMEOUT_SECONDS);
        } else if (text.startsWith("attempts:", start)) {
            draft.attempts = Math.min(number(text, start, "attempts:"), MAX_ATTEMPTS);
        } else {
            FLAGS.stream()
                    .filter(flag -> text.startsWith(flag.getKey(), start))
                    .findFirst()
                    .ifPresent(flag -> draft.options.add(flag.getValue()));
        }
    }

    private static int number(String text, int start, String prefix) {
        return CNumbers.atoi(text, start + prefix.length());
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return ServerTurns.takesTurns(settings) ? QueryOrder.NAMES : QueryOrder.EXACT;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        List<Candidate> walk = walk(settings, request);
        boolean rootIsAsked = walk.stream().anyMatch(Candidate::isRoot);
        // The unchanged name is last, for a lookup that leaves the search list before it reaches the root.
        return rootIsAsked && walk.get(walk.size() - 1).isAsIs() ? walk.subList(0, walk.size() - 1) : walk;
    }

    private static List<Candidate> walk(ResolverSettings settings, LookupRequest request) {
        if (withoutQuery(settings, request).isPresent()) {
            return List.of();
        }
        String name = NameText.utf8(request.name());
        int queries = types(settings, request.family()).size();
        String asIs = NameText.escaped(name).orElseThrow();
        if (name.endsWith(".")) {
            return List.of(new Candidate(asIs, Optional.empty(), queries, Glibc::last));
        }
        List<Candidate> candidates = new ArrayList<>();
        int dots = NameText.dots(name);
        boolean first = dots >= settings.ndots();
        if (first) {
            candidates.add(new Candidate(asIs, Optional.empty(), queries, Glibc::first));
        }
        for (String domain : settings.searches()) {
            String labels = domain.startsWith(".") ? domain.substring(1) : domain;
            Optional<String> absolute = name.length() + labels.length() + 1 >= NAME_BUFFER
                    ? Optional.empty()
                    : NameText.escaped(name + "." + labels);
            if (absolute.isEmpty()) {
                // As after other errors that no server caused, the rest of the list is skipped.
                break;
            }
            Steps steps = Glibc::searched;
            candidates.add(new Candidate(
                    absolute.get(), Optional.of(labels.isEmpty() ? "." : NameText.text(domain)), queries, steps));
        }
        boolean neverAsIs = dots == 0
                && !settings.searches().isEmpty()
                && settings.options().contains(Option.NO_TLD_QUERY);
        if (!first && !neverAsIs) {
            candidates.add(new Candidate(asIs, Optional.empty(), queries, Glibc::last));
        }
        return candidates;
    }

    private static Step first(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.NEXT;
    }

    private static Step searched(Reply.Kind answer) {
        return switch (answer) {
            case DATA -> Step.FOUND;
            case NODATA, NXDOMAIN, SERVFAIL -> Step.NEXT;
            case REFUSED, NOTIMP, FORMERR, TRUNCATED, NOTHING -> Step.AS_IS;
        };
    }

    private static Step last(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.STOP;
    }

    /**
     * With no-aaaa, glibc queries A even if the program requests IPv6, to distinguish existing names from missing ones.
     */
    private static List<QueryType> types(ResolverSettings settings, AddressFamily family) {
        return settings.options().contains(Option.NO_AAAA) ? List.of(QueryType.A) : family.types();
    }

    /** Returns the result if the lookup needs no query, otherwise empty. */
    private static Optional<Ending> withoutQuery(ResolverSettings settings, LookupRequest request) {
        String name = NameText.utf8(request.name());
        AddressFamily family = request.family();
        Optional<IpAddress> numeric = NumericAddress.aton(name).or(() -> NumericAddress.ipv6(name));
        if (numeric.isPresent()) {
            return Optional.of(
                    family.includes(numeric.get())
                            ? Ending.with(List.of(numeric.get()))
                            : Ending.without(LookupOutcome.EAI_ADDRFAMILY));
        }
        // Each character is one byte here.
        if (FatalSearchList.is(settings.searches().stream().mapToInt(String::length))) {
            return Optional.of(Ending.without(LookupOutcome.ABORT));
        }
        List<IpAddress> hosts = HostsFile.addresses(name.toLowerCase(Locale.ROOT), family::includes);
        if (!hosts.isEmpty()) {
            return Optional.of(Ending.with(hosts));
        }
        // gethostbyname, which serves IPv4 only, reads a name of digits and dots as an address or as an error.
        boolean digits = family == AddressFamily.IPV4
                && !name.endsWith(".")
                && !name.isEmpty()
                && NameText.isDigit(name.charAt(0))
                && name.chars().allMatch(c -> c == '.' || NameText.isDigit((char) c));
        if (digits || !isHostName(name) || name.isEmpty()) {
            return Optional.of(Ending.without(LookupOutcome.EAI_NONAME));
        }
        return settings.attempts() > 0 ? Optional.empty() : Optional.of(Ending.without(LookupOutcome.EAI_AGAIN));
    }

    /**
     * Returns whether a name is a host name to glibc: labels of letters, digits, dashes and underscores, without a
     * leading dash; escapes are decoded.
     */
    private static boolean isHostName(String name) {
        return name.chars().allMatch(c -> c > ' ' && c <= '~')
                && NameText.escaped(name)
                        .filter(absolute -> !absolute.startsWith("-")
                                && absolute.chars()
                                        .allMatch(c -> c == '.'
                                                || c == '-'
                                                || c == '_'
                                                || NameText.isDigit((char) c)
                                                || c >= 'a' && c <= 'z'
                                                || c >= 'A' && c <= 'Z'))
                        .isPresent();
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(settings, request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        GlibcExchange exchange = new GlibcExchange(settings, types(settings, request.family()), log);
        List<Candidate> walk = walk(settings, request);
        boolean onlyExistence =
                request.family() == AddressFamily.IPV6 && settings.options().contains(Option.NO_AAAA);
        List<Visit> visits = SearchWalk.tryInOrder(walk, true, candidate -> {
            CandidateResult result = exchange.ask(candidate);
            return onlyExistence ? withoutIpv6(result) : result;
        });
        if (visits.isEmpty()) {
            return Ending.without(LookupOutcome.EAI_NONAME);
        }
        CandidateResult last = visits.get(visits.size() - 1).result();
        if (last.kind() == Reply.Kind.DATA) {
            // glibc rejects an answer whose name is not a host name, for example because of the domain's characters.
            return isHostName(visits.get(visits.size() - 1).candidate().name())
                    ? Ending.with(last.addresses())
                    : Ending.without(LookupOutcome.EAI_NONAME);
        }
        LookupOutcome outcome = outcome(visits);
        // gethostbyname, which serves IPv4 only, uses just the last query to distinguish a failure from a missing name.
        boolean forgotten = request.family() == AddressFamily.IPV4
                && outcome == LookupOutcome.EAI_AGAIN
                && (!exchange.exhausted() || endsWithoutQuery(settings, walk, visits));
        return Ending.without(forgotten ? LookupOutcome.EAI_NONAME : outcome);
    }

    /** Returns whether the last candidate was too long for a query and followed the unchanged name. */
    private static boolean endsWithoutQuery(ResolverSettings settings, List<Candidate> walk, List<Visit> visits) {
        Visit last = visits.get(visits.size() - 1);
        return walk.get(0).isAsIs()
                && walk.size() - 1 < settings.searches().size()
                && visits.size() == walk.size()
                && last.candidate().after(last.result().kind()) == Step.NEXT;
    }

    /**
     * Returns the meaning of an answer for A if the program requests IPv6: addresses and a missing answer both mean
     * that there are no IPv6 addresses.
     */
    private static CandidateResult withoutIpv6(CandidateResult result) {
        return result.kind() == Reply.Kind.DATA || result.kind() == Reply.Kind.NOTHING
                ? CandidateResult.without(Reply.Kind.NODATA, LookupOutcome.EAI_NODATA)
                : result;
    }

    /**
     * Returns the result: that of the unchanged name if it was tried first; otherwise that a name of the search list
     * exists, otherwise that servers failed.
     */
    private static LookupOutcome outcome(List<Visit> visits) {
        if (visits.get(0).candidate().isAsIs()) {
            return visits.get(0).result().outcome();
        }
        if (anySearched(visits, Reply.Kind.NODATA)) {
            return LookupOutcome.EAI_NODATA;
        }
        return anySearched(visits, Reply.Kind.SERVFAIL)
                ? LookupOutcome.EAI_AGAIN
                : visits.get(visits.size() - 1).result().outcome();
    }

    private static boolean anySearched(List<Visit> visits, Reply.Kind kind) {
        return visits.stream()
                .anyMatch(visit -> !visit.candidate().isAsIs() && visit.result().kind() == kind);
    }
}
