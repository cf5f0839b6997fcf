package io.k8sdns.forward;

import io.k8sdns.forward.CacheObserver.Kind;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Question;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.SOARecord;
import org.xbill.DNS.TTL;
import org.xbill.DNS.Type;

/**
 * Classifies answers and computes how long they are cached.
 *
 * @param positive bounds for answers with records of the type
 * @param negative bounds for NXDOMAIN and NODATA
 * @param failureSeconds how long SERVFAIL is cached; 0 to not cache it
 * @param keepsAliases whether an answer is cached if it ends with an alias whose target has neither records nor an SOA in the answer
 */
record CacheRules(Bounds positive, Bounds negative, long failureSeconds, boolean keepsAliases) {
    /** The shortest and the longest time that an answer is cached, in seconds. */
    record Bounds(long min, long max) {
        /** Returns bounds of whole seconds. */
        static Bounds of(Duration min, Duration max) {
            Bounds bounds = new Bounds(seconds("minimum TTL", min), seconds("maximum TTL", max));
            if (bounds.min > bounds.max) {
                throw new IllegalArgumentException("minimum TTL " + min + " is above maximum TTL " + max);
            }
            return bounds;
        }

        /** Returns a TTL within the bounds; 0 stays 0, which means "do not cache" (RFC 1035, 3.2.1). */
        private long apply(long ttl) {
            return ttl == 0 ? 0 : Math.min(max, Math.max(min, ttl));
        }
    }

    /** The kind of an answer, and for how many seconds it is cached; 0 if it is not. */
    record Decision(Kind kind, long seconds) {}

    /** Returns a duration as seconds, 0 to 2^31 - 1. */
    static long seconds(String name, Duration time) {
        Objects.requireNonNull(time, name);
        long seconds = time.toSeconds();
        if (seconds < 0 || seconds > TTL.MAX_VALUE || !time.equals(Duration.ofSeconds(seconds))) {
            throw new IllegalArgumentException(name + " must be whole seconds, 0 to 2147483647: " + time);
        }
        return seconds;
    }

    /** Returns the decision on an answer to a question. RCODEs other than NOERROR, NXDOMAIN and SERVFAIL are never cached. */
    Decision of(Question question, Answer answer) {
        return switch (answer.rcode()) {
            case Rcode.NOERROR ->
                hasType(question, answer) || keepsAliases && endsWithAlias(question, answer)
                        ? new Decision(Kind.SUCCESS, positive.apply(minTtl(answer)))
                        : denial(answer);
            case Rcode.NXDOMAIN -> denial(answer);
            case Rcode.SERVFAIL -> new Decision(Kind.FAILURE, failureSeconds);
            default -> new Decision(Kind.FAILURE, 0);
        };
    }

    /**
     * Returns the decision on NXDOMAIN or NODATA, which is not cached without an SOA (RFC 2308, 5). A minimum whose top bit is set
     * counts as 0 (RFC 2181, 8), as in dnsjava's TTLs of records.
     */
    private Decision denial(Answer answer) {
        long minimum = answer.authority().stream()
                .flatMap(set -> set.records().stream())
                .filter(SOARecord.class::isInstance)
                .mapToLong(soa -> ((SOARecord) soa).getMinimum())
                .map(ttl -> ttl > TTL.MAX_VALUE ? 0 : ttl)
                .min()
                .orElse(0);
        return new Decision(Kind.DENIAL, negative.apply(Math.min(minimum, minTtl(answer))));
    }

    private static boolean endsWithAlias(Question question, Answer answer) {
        return answer.answer().stream()
                        .anyMatch(set ->
                                set.typeNumber() == Type.CNAME && set.owner().equals(question.name()))
                && answer.authority().stream().noneMatch(set -> set.typeNumber() == Type.SOA);
    }

    /** Returns whether the answer section has records of the question's type at its name or at the end of a chain of aliases. */
    private static boolean hasType(Question question, Answer answer) {
        int type = question.type().number();
        if (type == Type.ANY) {
            return !answer.answer().isEmpty();
        }
        Name owner = question.name();
        for (int aliases = 0; aliases <= UpstreamResponse.MAX_ALIASES; aliases++) {
            Name target = null;
            for (RecordSet set : answer.answer()) {
                if (set.owner().equals(owner)) {
                    if (set.typeNumber() == type) {
                        return true;
                    }
                    if (set.records().get(0) instanceof CNAMERecord alias) {
                        target = alias.getTarget();
                    }
                }
            }
            if (target == null) {
                return false;
            }
            owner = target;
        }
        return false;
    }

    /** Returns the smallest TTL of all records, so that no record is cached longer than its own TTL. */
    private static long minTtl(Answer answer) {
        long min = minTtl(answer.answer(), minTtl(answer.authority(), minTtl(answer.additional(), Long.MAX_VALUE)));
        return min == Long.MAX_VALUE ? 0 : min;
    }

    private static long minTtl(List<RecordSet> sets, long atMost) {
        long min = atMost;
        for (RecordSet set : sets) {
            min = Math.min(min, set.ttlSeconds());
        }
        return min;
    }
}
