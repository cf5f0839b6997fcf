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
 * One question on its way through a search list: its names are looked up one after another until one exists.
 *
 * <pre>
 *   NOERROR     the end: CNAME from the name that was asked for to this one, then the records of this one
 *   NXDOMAIN    the next name
 *   other       the next name; if none exists, the answer is SERVFAIL and not NXDOMAIN
 * </pre>
 *
 * <p>A lookup that is ready is followed by the next one in a loop, any other by a callback. There are as many lookups as names at
 * most, so the chain of stages is bounded, too. What the inner resolver throws ends the walk.
 */
final class Expansion {
    private final DnsResolver inner;
    private final Question question;
    private final Client client;
    private final Plan plan;
    private final NegativeSoa soa;

    /** How many names have been looked up. */
    private volatile int lookups;

    /** The first answer. The deadline reads it in another thread. */
    private volatile @Nullable Answer first;

    private volatile boolean isExpired;
    private @Nullable ExtendedError failure;

    /**
     * What is looked up, and how the result is answered.
     *
     * @param names the names, in order
     * @param authoritative whether the name that was asked for is in a zone of this server
     * @param keepsFirst whether the first answer is the result if no name exists, because the client continues with its own list
     * @param apex the zone of the name that was asked for, which owns the SOA of NXDOMAIN; empty if it is not in a zone of ours
     * @param clusterDomain a zone of the inner resolver, whose SOA is taken if no lookup returns one
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

    /** Returns how many names have been looked up. */
    int lookups() {
        return lookups;
    }

    /** Looks up the remaining names until one exists. */
    Resolution walk() {
        int next = lookups;
        while (next < plan.names.size() && !isExpired) {
            DnsLabels name = plan.names.get(next++);
            lookups = next;
            Resolution resolution = Objects.requireNonNull(
                    inner.resolve(questionFor(name), client), "the resolver returned null instead of a resolution");
            if (!(resolution instanceof Resolution.Ready ready)) {
                return resolution.then(answer -> exists(name, answer) ? found(name, answer) : walk());
            }
            if (exists(name, ready.answer())) {
                return found(name, ready.answer());
            }
        }
        return nothingFound();
    }

    /** The name that was asked for keeps its spelling. */
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

    private Resolution nothingFound() {
        if (isExpired) {
            return new Resolution.Ready(expire());
        }
        Answer kept = first;
        if (plan.keepsFirst && kept != null) {
            boolean isMissing = failure == null && kept.rcode() == Rcode.NXDOMAIN;
            return new Resolution.Ready(isMissing ? explained(kept, nothing()).build() : kept);
        }
        if (failure != null) {
            return new Resolution.Ready(Answer.builder(Rcode.SERVFAIL)
                    .recursionAvailable(kept != null && kept.recursionAvailable())
                    .extendedError(failure)
                    .build());
        }
        if (kept == null || soa.isEmpty()) {
            return NegativeSoa.ask(inner, plan.clusterDomain, client, answer -> {
                soa.add(answer);
                return noSuchName(answer.recursionAvailable());
            });
        }
        return new Resolution.Ready(noSuchName(kept.recursionAvailable()));
    }

    private Answer noSuchName(boolean recursionAvailable) {
        return Answer.builder(Rcode.NXDOMAIN)
                .authoritative(plan.authoritative)
                .recursionAvailable(recursionAvailable)
                .authority(List.of(soa.set()))
                .extendedError(new ExtendedError(ExtendedError.SYNTHESIZED, nothing()))
                .build();
    }

    private String nothing() {
        return "none of " + plan.names.size() + " names of the search list exists";
    }

    /** An answer's own extended error is more precise, and stays. */
    private static Answer.Builder explained(Answer answer, String text) {
        return answer.extendedError().isPresent()
                ? answer.toBuilder()
                : answer.toBuilder().extendedError(new ExtendedError(ExtendedError.SYNTHESIZED, text));
    }

    /** Ends the walk and returns the answer for a client that has waited long enough. */
    Answer expire() {
        isExpired = true;
        Answer kept = first;
        return plan.keepsFirst && kept != null
                ? kept
                : Answer.failure(
                        Rcode.SERVFAIL,
                        new ExtendedError(
                                ExtendedError.NO_REACHABLE_AUTHORITY, question.name() + " was not expanded in time"));
    }
}
