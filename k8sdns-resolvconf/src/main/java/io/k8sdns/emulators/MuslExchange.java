package io.k8sdns.emulators;

import io.k8sdns.hosts.NameText;
import io.k8sdns.model.IpAddress;
import io.k8sdns.search.Candidate;
import io.k8sdns.search.LookupOutcome;
import io.k8sdns.search.PlannedQuery.Transport;
import io.k8sdns.search.QueryType;
import io.k8sdns.search.Reply;
import io.k8sdns.search.ResolverSettings;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/**
 * The queries of musl for one candidate: all types to all servers at once, and again in equal intervals until the
 * timeout ({@code src/network/res_msend.c}). Answers are read in the order of the queries.
 */
final class MuslExchange {
    private record ServerReply(QueryType type, String server, Reply reply) {}

    private final ResolverSettings settings;
    private final List<QueryType> types;
    private final boolean followsTruncated;
    private final QueryLog log;

    /** The accepted answers by type; a failed TCP connection is {@link Reply.Kind#NOTHING}. */
    private final Map<QueryType, Reply> taken = new EnumMap<>(QueryType.class);

    MuslExchange(ResolverSettings settings, List<QueryType> types, boolean followsTruncated, QueryLog log) {
        this.settings = settings;
        this.types = types;
        this.followsTruncated = followsTruncated;
        this.log = log;
    }

    /** Sends queries for a candidate until each type is answered or the timeout has passed. */
    CandidateResult ask(Candidate candidate) {
        log.candidate(candidate.name());
        taken.clear();
        long begin = log.millis();
        long total = settings.timeout().toMillis();
        long interval = total / settings.attempts();
        // If the timeout is not a multiple of the interval, there is one more round just before the end.
        for (int round = 0; round < settings.attempts() && !finished(); round++) {
            log.at(begin + round * interval);
            round();
        }
        if (!finished()) {
            log.at(begin + total);
        }
        CandidateResult result = result();
        // musl cannot read an answer to a name that is not ASCII.
        return result.kind() == Reply.Kind.DATA && NameText.hasHighByte(candidate.name()) ? noData() : result;
    }

    /** A failed connection ends the exchange, even if other queries are unanswered. */
    private boolean finished() {
        return taken.keySet().containsAll(types)
                || taken.values().stream().anyMatch(reply -> reply.kind() == Reply.Kind.NOTHING);
    }

    private void round() {
        Queue<ServerReply> answers = new ArrayDeque<>();
        int group = log.together();
        for (QueryType type : types) {
            if (!taken.containsKey(type)) {
                log.alsoTogether(group);
                List<ServerReply> ofType = new ArrayList<>();
                for (String server : settings.nameservers()) {
                    ofType.add(new ServerReply(type, server, log.send(type, server, Transport.UDP)));
                }
                // Reported type by type: a query over TCP may arrive before the other type's query over UDP.
                Optional<ServerReply> first = ofType.stream()
                        .filter(answer -> isAccepted(answer.reply()))
                        .findFirst();
                first.filter(answer -> answer.reply().kind() == Reply.Kind.TRUNCATED)
                        .ifPresent(answer -> taken.put(type, withoutTruncation(answer)));
                answers.addAll(ofType);
            }
        }
        int again = 2 * types.size();
        while (!answers.isEmpty() && !finished()) {
            ServerReply answer = answers.remove();
            if (taken.containsKey(answer.type())) {
                continue;
            }
            if (isAccepted(answer.reply())) {
                taken.put(answer.type(), withoutTruncation(answer));
            } else if (answer.reply().kind() == Reply.Kind.SERVFAIL && again > 0) {
                again--;
                log.together();
                answers.add(new ServerReply(
                        answer.type(), answer.server(), log.send(answer.type(), answer.server(), Transport.UDP)));
            }
        }
    }

    private static boolean isAccepted(Reply reply) {
        return switch (reply.kind()) {
            case DATA, NODATA, NXDOMAIN, TRUNCATED -> true;
            case SERVFAIL, REFUSED, NOTIMP, FORMERR, NOTHING -> false;
        };
    }

    /** Returns the answer, or that over TCP if it was truncated. */
    private Reply withoutTruncation(ServerReply answer) {
        return answer.reply().kind() == Reply.Kind.TRUNCATED && followsTruncated ? overTcp(answer) : answer.reply();
    }

    private Reply overTcp(ServerReply answer) {
        log.together();
        Reply reply = log.send(answer.type(), answer.server(), Transport.TCP);
        return isAccepted(reply) ? reply : Reply.of(Reply.Kind.NOTHING);
    }

    /** The first type, in order, with no answer or with NXDOMAIN decides. */
    private CandidateResult result() {
        List<IpAddress> addresses = new ArrayList<>();
        for (QueryType type : types) {
            Optional<Reply> reply =
                    Optional.ofNullable(taken.get(type)).filter(one -> one.kind() != Reply.Kind.NOTHING);
            if (reply.isEmpty()) {
                return CandidateResult.without(Reply.Kind.NOTHING, LookupOutcome.EAI_AGAIN);
            }
            if (reply.get().kind() == Reply.Kind.NXDOMAIN) {
                return CandidateResult.without(Reply.Kind.NXDOMAIN, LookupOutcome.EAI_NONAME);
            }
            addresses.addAll(reply.get().addresses());
        }
        if (!addresses.isEmpty()) {
            return CandidateResult.found(addresses);
        }
        return noData();
    }

    private CandidateResult noData() {
        return CandidateResult.without(
                Reply.Kind.NODATA, followsTruncated ? LookupOutcome.EAI_NODATA : LookupOutcome.EAI_NONAME);
    }
}
