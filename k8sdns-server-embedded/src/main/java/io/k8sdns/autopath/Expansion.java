package io.k8sdns.autopath;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Rcode;

/**
 * The expansion of one question by a search list: looks up one name after another until one exists.
 *
 * <pre>
 *   NOERROR     the end: a CNAME from the question's name to this name, then the records of this name
 *   NXDOMAIN    the next name
 *   other       the next name; if none exists, the answer is SERVFAIL and not NXDOMAIN
 * </pre>
 *
 * <p>After a ready answer the next lookup is made in a loop, after a pending one in a callback. There is at most one lookup for each
 * name, so the chain of stages is bounded. An exception of the inner resolver ends the expansion.
 */
final class Expansion {
    private final DnsResolver inner;
    private final Question question;
    private final Client client;
    private final Plan plan;
    private final NegativeSoa soa;

    /** The number of names that have been looked up. */
    private volatile int lookups;

    /** The first answer. Volatile, because the deadline reads it on another thread. */
    private volatile @Nullable Answer first;

    private volatile boolean isExpired;
    private @Nullable ExtendedError failure;

    /**
     * The names to look up and the form of the result.
     *
     * @param names the names, in order
     * @param authoritative whether this server serves the question's name
     * @param keepsFirst whether the first answer is the result if no name exists, because the client continues with its own list
     * @param apex the zone of the question's name, which owns the SOA of NXDOMAIN; empty if this server does not serve the name
     * @param clusterDomain a zone of the inner resolver, whose SOA is used if no lookup returns one
     */
    record Plan(
            List<DnsLabels> names,
            boolean authoritative,
            boolean keepsFirst,
            Optional<DnsLabels> apex,
            DnsLabels clusterDomain) {}

    Expansion(DnsResolver inner, Question question, Client client, Plan plan) {
        this.inner = inner;
        this.question = question;
        this.client = client;
        this.plan = plan;
        this.soa = new NegativeSoa(question.labels(), plan.apex);
    }

    /** Returns the number of names that have been looked up. */
    int lookups() {
        return lookups;
    }

    /** Looks up the remaining names until one exists. */
    Resolution resolve() {
        int next = lookups;
        while (next < plan.names.size() && !isExpired) {
            DnsLabels name = plan.names.get(next++);
            lookups = next;
            Resolution resolution = Objects.requireNonNull(
                    inner.resolve(questionFor(name), client), "the resolver returned null instead of a resolution");
            if (!(resolution instanceof Resolution.Ready ready)) {
                return resolution.then(answer -> exists(name, answer) ? found(name, answer) : resolve());
            }
            if (exists(name, ready.answer())) {
                return found(name, ready.answer());
            }
        }
        return noneFound();
    }

    /** Returns the question for one name. If it is the client's name, keeps the client's spelling. */
    private Question questionFor(DnsLabels name) {
        return name.equals(question.labels()) ? question : new Question(name, question.type(), question.dnsClass());
    }

    private boolean exists(DnsLabels name, Answer answer) {
        if (first == null) {
            first = answer;
        }
        if (answer.rcode() == Rcode.NXDOMAIN) {
            soa.add(answer);
        } else if (answer.rcode() != Rcode.NOERROR && failure == null) {
            failure = answer.extendedError()
                    .orElseGet(() -> new ExtendedError(
                            ExtendedError.OTHER,
                            DnsNames.absolute(name) + " was answered with " + Rcode.string(answer.rcode())));
        }
        return answer.rcode() == Rcode.NOERROR;
    }

    private Resolution found(DnsLabels name, Answer answer) {
        if (name.equals(question.labels())) {
            return new Resolution.Ready(answer);
        }
        long ttlSeconds = answer.answer().isEmpty()
                ? NegativeSoa.ttlSeconds(answer)
                : answer.answer().get(0).ttlSeconds();
        List<RecordSet> sets = new ArrayList<>();
        sets.add(RecordSet.of(new CNAMERecord(question.name(), DClass.IN, ttlSeconds, DnsNames.absolute(name))));
        sets.addAll(answer.answer());
        return new Resolution.Ready(explained(answer, "expanded to " + DnsNames.absolute(name))
                .authoritative(plan.authoritative || answer.authoritative())
                .answer(sets)
                .build());
    }

    private Resolution noneFound() {
        if (isExpired) {
            return new Resolution.Ready(expire());
        }
        Answer firstAnswer = first;
        if (plan.keepsFirst && firstAnswer != null) {
            boolean isMissing = failure == null && firstAnswer.rcode() == Rcode.NXDOMAIN;
            return new Resolution.Ready(
                    isMissing ? explained(firstAnswer, noneExists()).build() : firstAnswer);
        }
        if (failure != null) {
            return new Resolution.Ready(Answer.builder(Rcode.SERVFAIL)
                    .recursionAvailable(firstAnswer != null && firstAnswer.recursionAvailable())
                    .extendedError(failure)
                    .build());
        }
        if (firstAnswer == null || soa.isEmpty()) {
            return NegativeSoa.resolve(inner, plan.clusterDomain, client, answer -> {
                soa.add(answer);
                return noSuchName(answer.recursionAvailable());
            });
        }
        return new Resolution.Ready(noSuchName(firstAnswer.recursionAvailable()));
    }

    private Answer noSuchName(boolean recursionAvailable) {
        return Answer.builder(Rcode.NXDOMAIN)
                .authoritative(plan.authoritative)
                .recursionAvailable(recursionAvailable)
                .authority(List.of(soa.set()))
                .extendedError(new ExtendedError(ExtendedError.SYNTHESIZED, noneExists()))
                .build();
    }

    private String noneExists() {
        return plan.names.isEmpty()
                ? "the search list has no name to look up"
                : "none of " + plan.names.size() + " names of the search list exists";
    }

    /** Adds an extended error, unless the answer already has one, which is more precise. */
    private static Answer.Builder explained(Answer answer, String text) {
        return answer.extendedError().isPresent()
                ? answer.toBuilder()
                : answer.toBuilder().extendedError(new ExtendedError(ExtendedError.SYNTHESIZED, text));
    }

    /** Ends the expansion at its deadline and returns the answer. */
    Answer expire() {
        isExpired = true;
        Answer firstAnswer = first;
        return plan.keepsFirst && firstAnswer != null
                ? firstAnswer
                : Answer.failure(
                        Rcode.SERVFAIL,
                        new ExtendedError(
                                ExtendedError.NO_REACHABLE_AUTHORITY, question.name() + " was not expanded in time"));
    }
}
