package io.k8sdns.search;

import io.k8sdns.search.PlannedQuery.Transport;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

/** The queries of one type for one candidate, for resolvers that ask for A and AAAA beside each other. */
abstract class TypeRun {
    private static final Comparator<TypeRun> BY_END =
            Comparator.<TypeRun>comparingLong(run -> run.millis).thenComparingInt(run -> run.sent);

    final QueryType type;

    /** When the next query is sent, or when the last answer came. */
    long millis;

    /** How many queries were sent, those over TCP after a cut answer apart. */
    int sent;

    /** What came back for the last one. */
    Reply last = Reply.of(Reply.Kind.NOTHING);

    /** Whether that was over TCP. */
    boolean overTcp;

    /** Whether no further query is sent. */
    boolean done;

    private final QueryLog log;

    TypeRun(QueryType type, QueryLog log) {
        this.type = type;
        this.log = log;
        millis = log.millis();
    }

    /** Sends the next query, and sees what it leads to. */
    abstract void next();

    /**
     * Asks a server.
     *
     * @param tcp whether TCP is used at once
     * @param followTruncated whether the server is asked over TCP if its answer was cut
     * @return what came back, over TCP in the end
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

    /** Sends the queries of all runs in the order of their times, and lets the time pass that they take. */
    static void beside(List<? extends TypeRun> runs, QueryLog log) {
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

    /** Sends the queries of one run after those of the other. */
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
