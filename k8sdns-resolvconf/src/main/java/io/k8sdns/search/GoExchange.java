package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/**
 * How Go asks for one candidate: each type by itself, attempt by attempt, server by server, until the name is known to
 * exist or not ({@code tryOneName}). Both types run beside each other, unless {@code single-request} is set.
 */
final class GoExchange {
    private final ResolverSettings settings;
    private final List<QueryType> types;
    private final QueryLog log;

    private int rotation;

    GoExchange(ResolverSettings settings, List<QueryType> types, QueryLog log) {
        this.settings = settings;
        this.types = types;
        this.log = log;
    }

    /** The lookup of one type. */
    private final class Run {
        private final QueryType type;
        private final int offset;
        private long millis;
        private int sent;
        private Reply.Kind ended = Reply.Kind.NOTHING;
        private boolean done;
        private List<IpAddress> addresses = List.of();

        private Run(QueryType type, int offset) {
            this.type = type;
            this.offset = offset;
            millis = log.millis();
        }

        /** Asks the next server. */
        private void next() {
            int servers = settings.nameservers().size();
            String server = settings.nameservers().get((offset + sent % servers) % servers);
            boolean tcp = settings.options().contains(Option.USE_VC);
            log.at(millis);
            Reply reply = log.send(type, server, tcp ? Transport.TCP : Transport.UDP);
            if (reply.kind() == Reply.Kind.TRUNCATED && !tcp) {
                tcp = true;
                log.together();
                reply = log.send(type, server, Transport.TCP);
            }
            sent++;
            ended = reply.kind();
            switch (ended) {
                case DATA, NODATA, NXDOMAIN, TRUNCATED -> {
                    addresses = reply.addresses();
                    done = true;
                }
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> {
                    if (ended == Reply.Kind.NOTHING && !tcp) {
                        millis += settings.timeout().toMillis();
                    }
                    done = sent >= (long) settings.attempts() * servers;
                }
            }
        }

        /** What it comes to without addresses. */
        private Outcome outcome() {
            return switch (ended) {
                case DATA, NODATA, NXDOMAIN, TRUNCATED -> Outcome.NOT_FOUND;
                case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> Outcome.ERROR;
            };
        }
    }

    /** Asks for a candidate until both types are through. */
    Verdict ask(Candidate candidate) {
        log.candidate(candidate.name());
        List<Run> runs = new ArrayList<>();
        for (QueryType type : types) {
            int offset = settings.options().contains(Option.ROTATE)
                    ? rotation++ % settings.nameservers().size()
                    : 0;
            runs.add(new Run(type, offset));
        }
        if (settings.options().contains(Option.SINGLE_REQUEST)) {
            for (Run run : runs) {
                run.millis = log.millis();
                while (!run.done) {
                    log.together();
                    run.next();
                }
                log.at(run.millis);
            }
        } else {
            beside(runs);
        }
        long end = log.millis();
        List<IpAddress> addresses = new ArrayList<>();
        for (Run run : runs) {
            end = Math.max(end, run.millis);
            addresses.addAll(run.addresses);
        }
        log.at(end);
        if (!addresses.isEmpty()) {
            return Verdict.found(addresses);
        }
        // Where the types fail in different ways the first end counts, or for the name as it is the last one.
        Comparator<Run> byEnd = Comparator.<Run>comparingLong(run -> run.millis).thenComparingInt(run -> run.sent);
        Run decisive = candidate.isAsIs() ? Collections.max(runs, byEnd) : Collections.min(runs, byEnd);
        return Verdict.without(decisive.ended, decisive.outcome());
    }

    /** Sends the queries of all types in the order of their times. */
    private void beside(List<Run> runs) {
        while (true) {
            long earliest = Long.MAX_VALUE;
            for (Run run : runs) {
                if (!run.done) {
                    earliest = Math.min(earliest, run.millis);
                }
            }
            if (earliest == Long.MAX_VALUE) {
                return;
            }
            log.together();
            for (Run run : runs) {
                if (!run.done && run.millis == earliest) {
                    run.next();
                }
            }
        }
    }
}
