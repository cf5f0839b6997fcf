package io.k8sdns.emulators;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Set;

/** The queries of one type for one candidate, for resolvers that query A and AAAA in parallel. */
abstract class TypeRun {
    private static final Comparator<TypeRun> BY_END =
            Comparator.<TypeRun>comparingLong(run -> run.millis).thenComparingInt(run -> run.sent);

    final QueryType type;

    /** The time of the next query, or of the last answer. */
    long millis;

    /** The number of queries, without those over TCP after a truncated answer. */
    int sent;

    /** The reply to the last query. */
    Reply last = Reply.of(Reply.Kind.NOTHING);

    /** Whether the last reply came over TCP. */
    boolean overTcp;

    /** Whether the run has ended. */
    boolean done;

    private final QueryLog log;

    TypeRun(QueryType type, QueryLog log) {
        this.type = type;
        this.log = log;
        millis = log.millis();
    }

    /** Sends the next query and evaluates its reply. */
    abstract void next();

    /**
     * Sends a query to a server.
     *
     * @param tcp whether TCP is used at once
     * @param followTruncated whether the query is repeated over TCP if its answer was truncated
     * @return the final reply
     */
    Reply ask(String server, boolean tcp, boolean followTruncated) {
        log.at(millis);
        sent++;
        overTcp = tcp;
        last = log.send(type, server, tcp ? Transport.TCP : Transport.UDP);
        if (last.kind() == Reply.Kind.TRUNCATED && !tcp && followTruncated) {
            log.together();
            last = log.send(type, server, Transport.TCP);
            overTcp = true;
        }
        return last;
    }

    /** Sends the queries of all runs in the order of their times, and advances the time. */
    static void inParallel(List<? extends TypeRun> runs, QueryLog log) {
        while (true) {
            long earliest = Long.MAX_VALUE;
            for (TypeRun run : runs) {
                if (!run.done) {
                    earliest = Math.min(earliest, run.millis);
                }
            }
            if (earliest == Long.MAX_VALUE) {
                break;
            }
            int group = log.together();
            for (TypeRun run : runs) {
                if (!run.done && run.millis == earliest) {
                    log.alsoTogether(group);
                    run.next();
                }
            }
        }
        runs.forEach(run -> log.at(Math.max(log.millis(), run.millis)));
    }

    /** Completes each run before the next one starts. */
    static void oneByOne(List<? extends TypeRun> runs, QueryLog log) {
        for (TypeRun run : runs) {
            run.millis = log.millis();
            while (!run.done) {
                log.together();
                run.next();
            }
            log.at(run.millis);
        }
    }

    /**
     * Returns the result of all runs: their addresses or, without any, what the last reply means.
     *
     * @param notFound the kinds of last replies that mean that the name was not found; all others mean an error
     */
    static CandidateResult result(List<? extends TypeRun> runs, Set<Reply.Kind> notFound) {
        List<IpAddress> addresses = new ArrayList<>();
        runs.forEach(run -> addresses.addAll(run.last.addresses()));
        if (!addresses.isEmpty()) {
            return CandidateResult.found(addresses);
        }
        Reply.Kind kind = lastEnded(runs).last.kind();
        return CandidateResult.without(kind, notFound.contains(kind) ? LookupOutcome.NOT_FOUND : LookupOutcome.ERROR);
    }

    /** Returns the run that ended first. */
    static <R extends TypeRun> R firstEnded(List<R> runs) {
        return Collections.min(runs, BY_END);
    }

    /** Returns the run that ended last. */
    static <R extends TypeRun> R lastEnded(List<R> runs) {
        R last = runs.get(0);
        for (R run : runs) {
            last = BY_END.compare(run, last) >= 0 ? run : last;
        }
        return last;
    }
}
