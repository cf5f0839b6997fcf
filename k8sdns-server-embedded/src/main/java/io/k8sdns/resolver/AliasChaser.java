package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Follows aliases: an answer that ends in a CNAME goes on with what the catalog says of its target.
 *
 * <p>RCODE, authority and additional section are those of the last name of the chain (RFC 6604); AA is that of the
 * first, since it speaks of the first owner in the answer (RFC 1035, 4.1.1). A chain ends with its CNAMEs alone, each
 * once, when no route takes its target, when it comes back to a name that it has been at, and after ten aliases.
 */
public final class AliasChaser implements DnsResolver {
    /** How many aliases are followed for one question; an eleventh is not told. */
    private static final int MOST_ALIASES = 10;

    private final Catalog catalog;

    /** Makes a resolver that asks this catalog for the question and then for each target. */
    public AliasChaser(Catalog catalog) {
        this.catalog = Objects.requireNonNull(catalog, "catalog");
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        Resolution first = catalog.resolve(question, client);
        return question.isFor(Type.CNAME) || question.isFor(Type.ANY)
                ? first
                : first.then(answer -> {
                    Answer own = ownPart(question, answer);
                    return openTarget(own).isEmpty()
                            ? new Resolution.Ready(own)
                            : new Chain(question, client).goOn(own);
                });
    }

    /** A server decides about the names of its own zone alone: a forwarded answer must not replace records of the cluster. */
    private Answer ownPart(Question question, Answer answer) {
        boolean isForwarded = !answer.authoritative();
        if (!hasAlias(answer) && !(isForwarded && !answer.additional().isEmpty())) {
            return answer;
        }
        Optional<DnsResolver> route = catalog.route(question.labels());
        Predicate<DnsLabels> isForeign = name -> catalog.route(name)
                .filter(other -> !Optional.of(other).equals(route))
                .isPresent();
        Answer aliases = answer.upToAlias(question.name(), isForeign);
        return isForwarded ? aliases.exceptAdditional(isForeign) : aliases;
    }

    private static boolean hasAlias(Answer answer) {
        for (RecordSet set : answer.answer()) {
            if (set.typeNumber() == Type.CNAME) {
                return true;
            }
        }
        return false;
    }

    /** Returns where an answer leads that says nothing about the alias's target; with a SOA it says that there is no such data. */
    private static Optional<Name> openTarget(Answer answer) {
        if (answer.rcode() != Rcode.NOERROR
                || answer.answer().isEmpty()
                || !answer.authority().isEmpty()) {
            return Optional.empty();
        }
        RecordSet last = answer.answer().get(answer.answer().size() - 1);
        return last.typeNumber() == Type.CNAME
                ? Optional.of(((CNAMERecord) last.records().get(0)).getTarget())
                : Optional.empty();
    }

    /** The way of one question; one answer after the other is added to it. */
    private final class Chain {
        private final Question question;
        private final Client client;
        private final List<RecordSet> sets = new ArrayList<>();
        private final Set<Name> aliases = new HashSet<>();
        private boolean authoritative;
        private int followed;

        Chain(Question question, Client client) {
            this.question = question;
            this.client = client;
        }

        Resolution goOn(Answer answer) {
            if (sets.isEmpty()) {
                authoritative = answer.authoritative();
            }
            for (RecordSet set : answer.answer()) {
                if (set.typeNumber() != Type.CNAME || aliases.add(set.owner())) {
                    sets.add(set);
                }
            }
            Optional<Name> target = openTarget(answer).filter(name -> !aliases.contains(name));
            Optional<Question> further =
                    target.map(name -> new Question(DnsNames.labels(name), question.type(), question.dnsClass()));
            Optional<DnsResolver> next = further.flatMap(asked -> catalog.route(asked.labels()));
            if (next.isEmpty()) {
                return new Resolution.Ready(whole(answer));
            }
            followed++;
            return Catalog.ask(next.get(), further.orElseThrow(), client)
                    .then(rest -> followed == MOST_ALIASES && openTarget(rest).isPresent()
                            ? new Resolution.Ready(whole(answer))
                            : goOn(ownPart(further.orElseThrow(), rest)));
        }

        private Answer whole(Answer last) {
            return last.toBuilder().authoritative(authoritative).answer(sets).build();
        }
    }
}
