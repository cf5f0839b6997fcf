package io.k8sdns.emulators;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * The queries of glibc for one candidate: attempt by attempt, server by server, both types at once unless an answer was
 * lost before ({@code resolv/res_send.c}).
 *
 * <p>An object serves one lookup, because a lost answer changes the queries for later candidates too.
 */
final class GlibcExchange {
    /** The result of one server for a candidate. */
    private enum Result {
        /** No usable answer; the next server is queried. */
        NOTHING,
        /** A truncated answer; the same server is queried over TCP. */
        TRUNCATED,
        /** One or two answers, in {@link #first} and {@link #second}. */
        ANSWERED
    }

    private final ResolverSettings settings;
    private final List<QueryType> types;
    private final QueryLog log;

    private boolean single;
    private boolean reopen;
    private final ServerTurns turns;

    /** The first usable answer; the other type may be answered too. */
    private Optional<Reply> first = Optional.empty();

    private Optional<Reply> second = Optional.empty();

    /** Whether the second answer was a failure, so that only the first one is used. */
    private boolean secondFailed;

    /** The most recent first answer, failures included. */
    private Reply.Kind lastFirstKind = Reply.Kind.NOTHING;

    private boolean exhausted;

    GlibcExchange(ResolverSettings settings, List<QueryType> types, QueryLog log) {
        this.settings = settings;
        this.types = types;
        this.log = log;
        turns = new ServerTurns(settings);
        reopen = settings.options().contains(Option.SINGLE_REQUEST_REOPEN);
        single = reopen || settings.options().contains(Option.SINGLE_REQUEST);
    }

    /** Sends queries for a candidate until there is a final answer or no attempt is left. */
    CandidateResult ask(Candidate candidate) {
        log.candidate(candidate.name());
        lastFirstKind = Reply.Kind.NOTHING;
        exhausted = false;
        boolean tcp = settings.options().contains(Option.USE_VC);
        int servers = settings.nameservers().size();
        int offset = turns.next();
        for (int attempt = 0; attempt < settings.attempts(); attempt++) {
            for (int i = 0; i < servers; i++) {
                int server = (offset + i) % servers;
                Result result = tcp ? overTcp(server) : overUdp(server);
                if (result == Result.TRUNCATED) {
                    tcp = true;
                    result = overTcp(server);
                }
                if (result == Result.ANSWERED) {
                    return result();
                }
            }
            if (tcp) {
                break;
            }
        }
        exhausted = !tcp;
        // glibc tries the next candidate only if the buffer still holds a SERVFAIL.
        return CandidateResult.without(
                fails(lastFirstKind) ? lastFirstKind : Reply.Kind.NOTHING, LookupOutcome.EAI_AGAIN);
    }

    /** Returns whether the previous candidate had no usable answer over UDP. */
    boolean exhausted() {
        return exhausted;
    }

    private Result overUdp(int server) {
        first = Optional.empty();
        second = Optional.empty();
        if (types.size() == 1) {
            return one(server);
        }
        while (true) {
            Result result = single ? oneByOne(server) : both(server);
            boolean oneLost = result == Result.ANSWERED && second.isEmpty() && !secondFailed;
            if (!oneLost) {
                return result;
            }
            // A middlebox may have dropped the second of two packets, so glibc retries with single-request, then with
            // single-request-reopen.
            wait(server);
            if (!single) {
                single = true;
            } else if (!reopen) {
                reopen = true;
            } else {
                return Result.ANSWERED;
            }
            first = Optional.empty();
        }
    }

    private Result one(int server) {
        log.together();
        Reply reply = udp(types.get(0), server);
        if (reply.kind() == Reply.Kind.NOTHING) {
            wait(server);
            return Result.NOTHING;
        }
        lastFirstKind = reply.kind();
        if (reply.kind() == Reply.Kind.TRUNCATED) {
            return Result.TRUNCATED;
        }
        if (fails(reply.kind())) {
            return Result.NOTHING;
        }
        first = Optional.of(reply);
        return Result.ANSWERED;
    }

    private Result both(int server) {
        log.together();
        List<Reply> replies = new ArrayList<>();
        for (QueryType type : types) {
            replies.add(udp(type, server));
        }
        secondFailed = false;
        boolean received = false;
        boolean complete = true;
        for (Reply reply : replies) {
            if (reply.kind() == Reply.Kind.NOTHING) {
                complete = false;
                continue;
            }
            if (!received) {
                lastFirstKind = reply.kind();
            }
            if (reply.kind() == Reply.Kind.TRUNCATED) {
                return Result.TRUNCATED;
            }
            if (fails(reply.kind())) {
                secondFailed = received;
            } else if (received) {
                second = Optional.of(reply);
            } else {
                first = Optional.of(reply);
            }
            received = true;
        }
        if (first.isPresent() || second.isPresent()) {
            return Result.ANSWERED;
        }
        if (!complete) {
            wait(server);
        }
        return Result.NOTHING;
    }

    private Result oneByOne(int server) {
        secondFailed = false;
        log.together();
        Reply reply = udp(types.get(0), server);
        if (reply.kind() == Reply.Kind.NOTHING) {
            wait(server);
            return Result.NOTHING;
        }
        lastFirstKind = reply.kind();
        if (reply.kind() == Reply.Kind.TRUNCATED) {
            return Result.TRUNCATED;
        }
        if (fails(reply.kind())) {
            // No query for the other type was sent. glibc before 2.40 waits for its answer nevertheless (bug 30081).
            return Result.NOTHING;
        }
        first = Optional.of(reply);
        log.together();
        Reply other = udp(types.get(1), server);
        if (other.kind() == Reply.Kind.TRUNCATED) {
            return Result.TRUNCATED;
        }
        if (fails(other.kind())) {
            secondFailed = true;
        } else if (other.kind() != Reply.Kind.NOTHING) {
            second = Optional.of(other);
        }
        return Result.ANSWERED;
    }

    /** Queries both types over TCP; every answer is accepted. */
    private Result overTcp(int server) {
        first = Optional.empty();
        second = Optional.empty();
        log.together();
        boolean closed = false;
        for (QueryType type : types) {
            Reply reply = log.send(type, settings.nameservers().get(server), Transport.TCP);
            if (reply.kind() == Reply.Kind.NOTHING) {
                closed = true;
            } else if (first.isEmpty()) {
                first = Optional.of(reply);
                lastFirstKind = reply.kind();
            } else {
                second = Optional.of(reply);
            }
        }
        return closed ? Result.NOTHING : Result.ANSWERED;
    }

    private Reply udp(QueryType type, int server) {
        return log.send(type, settings.nameservers().get(server), Transport.UDP);
    }

    /** Waits for the timeout of a server; it doubles with each server and is divided by their number. */
    private void wait(int server) {
        long seconds = settings.timeout().toSeconds() << server;
        if (server > 0) {
            seconds /= settings.nameservers().size();
        }
        log.advance(Math.max(seconds, 1) * 1000);
    }

    private static boolean fails(Reply.Kind kind) {
        return kind == Reply.Kind.SERVFAIL || kind == Reply.Kind.NOTIMP || kind == Reply.Kind.REFUSED;
    }

    private CandidateResult result() {
        List<IpAddress> addresses = new ArrayList<>();
        first.ifPresent(reply -> addresses.addAll(reply.addresses()));
        second.ifPresent(reply -> addresses.addAll(reply.addresses()));
        if (!addresses.isEmpty()) {
            return CandidateResult.found(addresses);
        }
        Reply.Kind one = first.or(() -> second).orElseThrow().kind();
        Reply.Kind other = second.map(Reply::kind).orElse(one);
        Reply.Kind kind = isNoError(one) ? other : one;
        return switch (kind) {
            case DATA, NODATA, TRUNCATED -> CandidateResult.without(Reply.Kind.NODATA, LookupOutcome.EAI_NODATA);
            case SERVFAIL ->
                CandidateResult.without(
                        lastFirstKind == Reply.Kind.SERVFAIL ? kind : Reply.Kind.NOTHING, LookupOutcome.EAI_AGAIN);
            case NXDOMAIN, REFUSED, NOTIMP, FORMERR -> CandidateResult.without(kind, LookupOutcome.EAI_NONAME);
            case NOTHING -> throw new AssertionError(kind);
        };
    }

    private static boolean isNoError(Reply.Kind kind) {
        return kind == Reply.Kind.DATA || kind == Reply.Kind.NODATA || kind == Reply.Kind.TRUNCATED;
    }
}
