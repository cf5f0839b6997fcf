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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Resolvers that search for names of one label only: systemd-resolved, and the DNS client of Windows. For a name with a
 * dot they try only the unchanged name; for a name with one label they never try the unchanged name; they ignore {@code
 * ndots}.
 *
 * <p>Their timeouts and retries are not simulated: each server is queried once, in turn, until one has an answer.
 */
final class SingleLabelSearch implements Emulator {
    /** Whether this is systemd-resolved. */
    private final boolean resolved;

    SingleLabelSearch(boolean resolved) {
        this.resolved = resolved;
    }

    @Override
    public ResolverSettings read(Dialect dialect, String file, Map<String, String> environment) {
        SettingsDraft draft = new SettingsDraft();
        draft.attempts = 1;
        Set<String> known = new HashSet<>();
        for (Lines.Line line : draft.lines(file)) {
            Lines.Line rest = line.afterFirstWord(Lines.SPACE);
            switch (line.firstWord(Lines.SPACE).orElse("")) {
                case "nameserver" ->
                    rest.firstWord(Lines.SPACE)
                            .filter(word -> NumericAddress.literal(word).isPresent())
                            .ifPresent(draft::nameserver);
                case "domain", "search" -> {
                    if (!resolved) {
                        known.clear();
                        draft.search(rest.place(), Stream.empty());
                    }
                    draft.alsoSearch(
                            rest.place(),
                            rest.words(Lines.SPACE).filter(domain -> !domain.equals(".") && known.add(domain)));
                }
                default -> {}
            }
        }
        return draft.settings(dialect, "127.0.0.1");
    }

    @Override
    public QueryOrder queryOrder(ResolverSettings settings) {
        return QueryOrder.NAMES;
    }

    @Override
    public List<Candidate> candidates(ResolverSettings settings, LookupRequest request) {
        if (withoutQuery(request).isPresent()) {
            return List.of();
        }
        String name = NameText.utf8(request.name());
        int queries = request.family().types().size();
        List<Candidate> candidates = new ArrayList<>();
        if (name.indexOf('.') >= 0) {
            NameText.plain(name)
                    .ifPresent(asIs -> candidates.add(new Candidate(asIs, Optional.empty(), queries, this::last)));
            return candidates;
        }
        for (String domain : settings.searches()) {
            NameText.plain(name, domain)
                    .ifPresent(found -> candidates.add(
                            new Candidate(found, Optional.of(NameText.text(domain)), queries, this::searched)));
        }
        return candidates;
    }

    private Step last(Reply.Kind answer) {
        return answer == Reply.Kind.DATA ? Step.FOUND : Step.STOP;
    }

    /** For systemd-resolved an answer without data is a success too. */
    private Step searched(Reply.Kind answer) {
        return answer == Reply.Kind.DATA || resolved && answer == Reply.Kind.NODATA ? last(answer) : Step.NEXT;
    }

    private static Optional<Ending> withoutQuery(LookupRequest request) {
        String name = NameText.utf8(request.name());
        AddressFamily family = request.family();
        Optional<IpAddress> literal = NumericAddress.literal(name);
        if (literal.isPresent()) {
            return Optional.of(
                    family.includes(literal.get())
                            ? Ending.with(List.of(literal.get()))
                            : Ending.without(LookupOutcome.NOT_FOUND));
        }
        List<IpAddress> hosts =
                HostsFile.addresses(NameText.withoutDot(name).toLowerCase(Locale.ROOT), family::includes);
        return hosts.isEmpty() ? Optional.empty() : Optional.of(Ending.with(hosts));
    }

    @Override
    public Ending run(ResolverSettings settings, LookupRequest request, QueryLog log) {
        Optional<Ending> atOnce = withoutQuery(request);
        if (atOnce.isPresent()) {
            return atOnce.get();
        }
        List<Visit> visits = SearchWalk.tryInOrder(
                candidates(settings, request),
                false,
                one -> ask(settings, request.family().types(), log, one));
        if (visits.isEmpty()) {
            // A name for which no query may be sent.
            return Ending.without(LookupOutcome.ERROR);
        }
        CandidateResult last = visits.get(visits.size() - 1).result();
        return last.kind() == Reply.Kind.DATA ? Ending.with(last.addresses()) : Ending.without(last.outcome());
    }

    private static CandidateResult ask(
            ResolverSettings settings, List<QueryType> types, QueryLog log, Candidate candidate) {
        log.candidate(candidate.name());
        List<Run> runs =
                types.stream().map(type -> new Run(type, settings, log)).toList();
        TypeRun.inParallel(runs, log);
        List<IpAddress> addresses = new ArrayList<>();
        runs.forEach(run -> addresses.addAll(run.last.addresses()));
        if (!addresses.isEmpty()) {
            return CandidateResult.found(addresses);
        }
        // An answer to one type is enough.
        Reply.Kind kind = runs.stream()
                .map(run -> run.last.kind())
                .filter(one -> one == Reply.Kind.NODATA)
                .findFirst()
                .orElse(runs.get(0).last.kind());
        boolean exists = kind == Reply.Kind.NODATA || kind == Reply.Kind.NXDOMAIN;
        return CandidateResult.without(kind, exists ? LookupOutcome.NOT_FOUND : LookupOutcome.ERROR);
    }

    private static final class Run extends TypeRun {
        private final ResolverSettings settings;

        private Run(QueryType type, ResolverSettings settings, QueryLog log) {
            super(type, log);
            this.settings = settings;
        }

        @Override
        void next() {
            Reply reply = ask(settings.nameservers().get(sent), false, true);
            if (reply.kind() == Reply.Kind.NOTHING && !overTcp) {
                millis += settings.timeout().toMillis();
            }
            boolean known = switch (reply.kind()) {
                case DATA, NODATA, NXDOMAIN, TRUNCATED -> true;
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> false;
            };
            done = known || sent == settings.nameservers().size();
        }
    }
}
