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
 * The pure Go resolver, as {@code net.Resolver.LookupIPAddr} uses it: {@code net/dnsconfig_unix.go} reads the file,
 * {@code net/dnsclient_unix.go} tries the names and sends the queries ({@link GoExchange}).
 */
final class Go implements Emulator {
    /** The maximum number of servers. */
    private static final int MAX_SERVERS = 3;

    private static final int MAX_NDOTS = 15;

    /** The characters that separate words. */
    private static final String SPACE = " \t\r\n";

    /** The greatest number; greater ones are reduced to it. */
    private static final int BIG = 0xFFFFFF;

    /** The maximum length of a name with its trailing dot, in bytes. */
    private static final int MAX_NAME = 254;

    private static final int MAX_LABEL = 63;

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        for (Lines.Line line : draft.lines(file)) {
            if (!line.text().startsWith(";") && !line.text().startsWith("#")) {
                read(draft, line.firstWord(SPACE).orElse(""), line.afterFirstWord(SPACE));
            }
        }
        return draft.settings(dialect, "127.0.0.1", "::1");
    }

    private static void read(SettingsDraft draft, String keyword, Lines.Line rest) {
        switch (keyword) {
            case "nameserver" ->
                rest.firstWord(SPACE)
                        .filter(Go::isAddress)
                        .ifPresent(address -> draft.nameserver(address, MAX_SERVERS));
            case "domain" -> rest.firstWord(SPACE).ifPresent(domain -> draft.search(rest.place(), Stream.of(domain)));
            case "search" -> draft.search(rest.place(), rest.words(SPACE).filter(domain -> !domain.equals(".")));
            case "options" -> {
                draft.markUsed();
                rest.words(SPACE).forEach(word -> option(draft, word));
            }
            default -> {}
        }
    }

    private static void option(SettingsDraft draft, String word) {
        if (word.startsWith("ndots:")) {
            draft.ndots = Math.min(number(word, "ndots:"), MAX_NDOTS);
        } else if (word.startsWith("timeout:")) {
            draft.timeoutMillis = 1000L * Math.max(number(word, "timeout:"), 1);
        } else if (word.startsWith("attempts:")) {
            draft.attempts = Math.max(number(word, "attempts:"), 1);
        } else {
            switch (word) {
                case "rotate" -> draft.options.add(Option.ROTATE);
                case "single-request", "single-request-reopen" -> draft.options.add(Option.SINGLE_REQUEST);
                case "use-vc", "usevc", "tcp" -> draft.options.add(Option.USE_VC);
                default -> {}
            }
        }
    }

    private static int number(String word, String prefix) {
        return (int) CNumbers.digits(word.substring(prefix.length()), BIG);
    }

    /** Returns whether {@code netip.ParseAddr} accepts an address: no leading zeros; a zone is allowed. */
    private static boolean isAddress(String text) {
        if (text.indexOf(':') >= 0) {
            return NumericAddress.ipv6(text).isPresent();
        }
        return IpAddress.tryParse(text)
                .filter(address -> address.toString().equals(text))
                .isPresent();
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        if (ServerTurns.takesTurns(settings)) {
            return QueryOrder.NAMES;
        }
        return settings.options().contains(Option.SINGLE_REQUEST) ? QueryOrder.EXACT : QueryOrder.PAIRS;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        String name = NameText.utf8(request.name());
        if (withoutQuery(request).isPresent()) {
            return List.of();
        }
        int queries = request.family().types().size();
        List<Candidate> candidates = new ArrayList<>();
        if (name.endsWith(".")) {
            add(candidates, name, Optional.empty(), queries);
            return candidates;
        }
        boolean first = NameText.dots(name) >= settings.ndots();
        if (first) {
            add(candidates, name + ".", Optional.empty(), queries);
        }
        for (String domain : settings.searches()) {
            add(
                    candidates,
                    name + "." + NameText.withoutDot(domain) + ".",
                    Optional.of(NameText.text(domain)),
                    queries);
        }
        if (!first) {
            add(candidates, name + ".", Optional.empty(), queries);
        }
        return candidates;
    }

    private static void add(List<Candidate> candidates, String text, Optional<String> domain, int queries) {
        if (text.length() <= MAX_NAME && !isOnion(text)) {
            // Go also tries a name with an empty label or a label that is too long, but cannot make a query for it.
            NameText.plain(text).ifPresent(name -> candidates.add(new Candidate(name, domain, queries, Go::step)));
        }
    }

    private static Step step(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.NEXT;
    }

    private static boolean isOnion(String text) {
        return NameText.withoutDot(text).toLowerCase(Locale.ROOT).endsWith(".onion");
    }

    /** Returns the result if the lookup needs no query, otherwise empty. */
    private static Optional<Emulator.Ending> withoutQuery(LookupRequest request) {
        String name = NameText.utf8(request.name());
        if (isAddress(name)) {
            IpAddress address = IpAddress.tryParse(name.split("%", 2)[0]).orElseThrow();
            return Optional.of(
                    request.family().includes(address)
                            ? Ending.with(List.of(address))
                            : Ending.without(LookupOutcome.NOT_FOUND));
        }
        List<IpAddress> hosts =
                HostsFile.addresses(NameText.withoutDot(name).toLowerCase(Locale.ROOT), AddressFamily.UNSPEC::includes);
        if (!hosts.isEmpty()) {
            List<IpAddress> wanted =
                    HostsFile.addresses(NameText.withoutDot(name).toLowerCase(Locale.ROOT), request.family()::includes);
            return Optional.of(wanted.isEmpty() ? Ending.without(LookupOutcome.NOT_FOUND) : Ending.with(wanted));
        }
        return isDomainName(name) ? Optional.empty() : Optional.of(Ending.without(LookupOutcome.NOT_FOUND));
    }

    /**
     * Returns whether Go accepts a name: labels of letters, digits, dashes and underscores, without a leading or
     * trailing dash, and not only digits and dots.
     */
    private static boolean isDomainName(String name) {
        if (name.equals(".")) {
            return true;
        }
        String labels = NameText.withoutDot(name);
        if (labels.isEmpty() || labels.length() >= MAX_NAME) {
            return false;
        }
        boolean notNumeric = false;
        for (String label : labels.split("\\.", -1)) {
            if (label.isEmpty() || label.length() > MAX_LABEL || label.startsWith("-") || label.endsWith("-")) {
                return false;
            }
            for (int i = 0; i < label.length(); i++) {
                char c = label.charAt(i);
                boolean other = c == '_' || c == '-' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z';
                if (!other && !NameText.isDigit(c)) {
                    return false;
                }
                notNumeric |= other;
            }
        }
        return notNumeric;
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        GoExchange exchange = new GoExchange(settings, request.family().types(), log);
        List<Visit> visits = SearchWalk.tryInOrder(candidates(settings, request), false, exchange::ask);
        // The result is the error of the unchanged name if there is one, otherwise the first error.
        LookupOutcome outcome = LookupOutcome.NOT_FOUND;
        for (int i = 0; i < visits.size(); i++) {
            Visit visit = visits.get(i);
            if (visit.result().kind() == Reply.Kind.DATA) {
                return Ending.with(visit.result().addresses());
            }
            if (i == 0 || visit.candidate().isAsIs()) {
                outcome = visit.result().outcome();
            }
        }
        return Ending.without(outcome);
    }
}
