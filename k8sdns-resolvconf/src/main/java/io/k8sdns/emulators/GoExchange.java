package io.k8sdns.emulators;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.List;

/**
 * The queries of Go for one candidate: each type independently, attempt by attempt, server by server, until an answer
 * shows whether the name exists ({@code tryOneName}). Both types run in parallel unless {@code single-request} is set.
 */
final class GoExchange {
    private final ResolverSettings settings;
    private final List<QueryType> types;
    private final QueryLog log;

    private final ServerTurns turns;

    GoExchange(ResolverSettings settings, List<QueryType> types, QueryLog log) {
        this.settings = settings;
        this.types = types;
        this.log = log;
        turns = new ServerTurns(settings);
    }

    private final class Run extends TypeRun {
        private final int offset;

        private Run(QueryType type, int offset) {
            super(type, log);
            this.offset = offset;
        }

        @Override
        void next() {
            int servers = settings.nameservers().size();
            String server = settings.nameservers().get((offset + sent % servers) % servers);
            Reply reply = ask(server, settings.options().contains(Option.USE_VC), true);
            switch (reply.kind()) {
                case DATA, NODATA, NXDOMAIN, TRUNCATED -> done = true;
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> {
                    if (reply.kind() == Reply.Kind.NOTHING && !overTcp) {
                        millis += settings.timeout().toMillis();
                    }
                    done = sent >= (long) settings.attempts() * servers;
                }
            }
        }

        /** The result without addresses. */
        private LookupOutcome outcome() {
            return switch (last.kind()) {
                case DATA, NODATA, NXDOMAIN, TRUNCATED -> LookupOutcome.NOT_FOUND;
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> LookupOutcome.ERROR;
            };
        }
    }

    /** Sends queries for a candidate until both types have ended. */
    CandidateResult ask(Candidate candidate) {
        log.candidate(candidate.name());
        List<Run> runs = new ArrayList<>();
        for (QueryType type : types) {
            runs.add(new Run(type, turns.next()));
        }
        if (settings.options().contains(Option.SINGLE_REQUEST)) {
            TypeRun.oneByOne(runs, log);
        } else {
            TypeRun.inParallel(runs, log);
        }
        List<IpAddress> addresses = new ArrayList<>();
        runs.forEach(run -> addresses.addAll(run.last.addresses()));
        if (!addresses.isEmpty()) {
            return CandidateResult.found(addresses);
        }
        // If the types fail in different ways, the first failure decides, or for the unchanged name the last one.
        Run decisive = candidate.isAsIs() ? TypeRun.lastEnded(runs) : TypeRun.firstEnded(runs);
        return CandidateResult.without(decisive.last.kind(), decisive.outcome());
    }
}
