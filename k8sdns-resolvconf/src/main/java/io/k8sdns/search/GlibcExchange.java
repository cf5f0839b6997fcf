package io.k8sdns.search;

import io.k8sdns.model.IpAddress;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryTrace.Outcome;
import io.k8sdns.search.ResolverSettings.Option;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How glibc asks for one candidate: attempt by attempt, server by server, both types at once unless one of them was
 * lost before ({@code resolv/res_send.c}).
 *
 * <p>An object serves one lookup: what was learnt of lost answers holds for the candidates that follow.
 */
final class GlibcExchange {
    /** What a server had to say for a candidate. */
    private enum Result {
        /** Nothing that counts; the next server is asked. */
        NOTHING,
        /** A cut answer; the same server is asked over TCP. */
        TRUNCATED,
        /** Something, in {@link #first} and {@link #second}. */
        ANSWERED
    }

    private final ResolverSettings settings;
    private final List<QueryType> types;
    private final QueryLog log;

    private boolean single;
    private boolean reopen;
    private final ServerTurns turns;

    /** The answer that came first, and counts; both types may be answered. */
    private Optional<Reply> first = Optional.empty();

    private Optional<Reply> second = Optional.empty();

    /** Whether the answer that came second was a failure, so that the first one counts alone. */
    private boolean secondFailed;

    /** The last of the answers that came first, be it a failure. */
    private Reply.Kind lastFirst = Reply.Kind.NOTHING;

    private boolean exhausted;

    GlibcExchange(ResolverSettings settings, List<QueryType> types, QueryLog log) {
        this.settings = settings;
        this.types = types;
        this.log = log;
        turns = new ServerTurns(settings);
        reopen = settings.options().contains(Option.SINGLE_REQUEST_REOPEN);
        single = reopen || settings.options().contains(Option.SINGLE_REQUEST);
    }

    /** Asks for a candidate until something final is there or all attempts are through. */
    Verdict ask(Candidate candidate) {
        log.candidate(candidate.name());
        lastFirst = Reply.Kind.NOTHING;
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
                    return verdict();
                }
            }
            if (tcp) {
                break;
            }
        }
        exhausted = !tcp;
        // The walk goes on only if the buffer still holds a SERVFAIL.
        return Verdict.without(fails(lastFirst) ? lastFirst : Reply.Kind.NOTHING, Outcome.EAI_AGAIN);
    }

    /** Returns whether the candidate before had no answer over UDP that counts. */
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
            // Perhaps a middlebox dropped the second of two packets: it is tried more carefully, twice.
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
        lastFirst = reply.kind();
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
                lastFirst = reply.kind();
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
        lastFirst = reply.kind();
        if (reply.kind() == Reply.Kind.TRUNCATED) {
            return Result.TRUNCATED;
        }
        if (fails(reply.kind())) {
            // The other type is not asked for here. Before 2.40 it waited for that answer all the same (bug 30081).
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

    /** Over TCP both types are asked, and whatever the server says counts. */
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
                lastFirst = reply.kind();
            } else {
                second = Optional.of(reply);
            }
        }
        return closed ? Result.NOTHING : Result.ANSWERED;
    }

    private Reply udp(QueryType type, int server) {
        return log.send(type, settings.nameservers().get(server), Transport.UDP);
    }

    /** Each later server is given twice the time of the one before, over the number of servers. */
    private void wait(int server) {
        long seconds = settings.timeout().toSeconds() << server;
        if (server > 0) {
            seconds /= settings.nameservers().size();
        }
        log.pass(Math.max(seconds, 1) * 1000);
    }

    private static boolean fails(Reply.Kind kind) {
        return kind == Reply.Kind.SERVFAIL || kind == Reply.Kind.NOTIMP || kind == Reply.Kind.REFUSED;
    }

    private Verdict verdict() {
        List<IpAddress> addresses = new ArrayList<>();
        first.ifPresent(reply -> addresses.addAll(reply.addresses()));
        second.ifPresent(reply -> addresses.addAll(reply.addresses()));
        if (!addresses.isEmpty()) {
            return Verdict.found(addresses);
        }
        Reply.Kind one = first.or(() -> second).orElseThrow().kind();
        Reply.Kind other = second.map(Reply::kind).orElse(one);
        Reply.Kind kind = isNoError(one) ? other : one;
        return switch (kind) {
            case DATA, NODATA, TRUNCATED -> Verdict.without(Reply.Kind.NODATA, Outcome.EAI_NODATA);
            case SERVFAIL ->
                Verdict.without(lastFirst == Reply.Kind.SERVFAIL ? kind : Reply.Kind.NOTHING, Outcome.EAI_AGAIN);
            case NXDOMAIN, REFUSED, NOTIMP, FORMERR -> Verdict.without(kind, Outcome.EAI_NONAME);
            case NOTHING -> throw new AssertionError(kind);
        };
    }

    private static boolean isNoError(Reply.Kind kind) {
        return kind == Reply.Kind.DATA || kind == Reply.Kind.NODATA || kind == Reply.Kind.TRUNCATED;
    }
}
