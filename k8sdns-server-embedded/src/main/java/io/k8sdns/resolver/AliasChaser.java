package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Follows aliases: an answer that ends in a CNAME goes on with what the catalog says of its target.
 *
 * <p>RCODE, authority and additional section are those of the last name of the chain (RFC 6604), with the proofs of all aliases; AA is
 * that of the first, since it speaks of the first owner in the answer (RFC 1035, 4.1.1). A chain ends with its CNAMEs alone, each
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
        if (question.isFor(Type.CNAME) || question.isFor(Type.ANY)) {
            return first.map(answer -> ownPart(question, answer));
        }
        return first.then(answer -> {
            Answer own = ownPart(question, answer);
            return own.openTarget(question.name()).isEmpty()
                    ? new Resolution.Ready(own)
                    : new Chain(question, client).goOn(question, own);
        });
    }

    /** A server decides about the names of its own zone alone: a forwarded answer must not replace records of the cluster. */
    private Answer ownPart(Question question, Answer answer) {
        if (answer.additional().isEmpty() && !hasAlias(answer)) {
            return answer;
        }
        Optional<DnsResolver> route = catalog.route(question.labels());
        Predicate<DnsLabels> isForeign = name -> catalog.route(name)
                .filter(other -> !Optional.of(other).equals(route))
                .isPresent();
        return answer.ownPart(question, isForeign);
    }

    private static boolean hasAlias(Answer answer) {
        for (RecordSet set : answer.answer()) {
            if (set.typeNumber() == Type.CNAME) {
                return true;
            }
        }
        return false;
    }

    /** The way of one question; one answer after the other is added to it. */
    private final class Chain {
        private final Question question;
        private final Client client;
        private final List<RecordSet> sets = new ArrayList<>();
        private final Set<RecordSet> proofs = new LinkedHashSet<>();
        private final Set<Name> aliases = new HashSet<>();
        private Optional<ExtendedError> stale = Optional.empty();
        private boolean authoritative;
        private int followed;

        Chain(Question question, Client client) {
            this.question = question;
            this.client = client;
        }

        /** Takes the answer to the question, or to that for an alias's target. */
        Resolution goOn(Question asked, Answer answer) {
            if (sets.isEmpty()) {
                authoritative = answer.authoritative();
            }
            for (RecordSet set : answer.answer()) {
                if (set.typeNumber() == Type.CNAME ? aliases.add(set.owner()) : !sets.contains(set)) {
                    sets.add(set);
                }
            }
            proofs.addAll(answer.authority());
            stale = stale.or(answer::staleMark);
            Optional<Name> target = answer.openTarget(asked.name()).filter(name -> !aliases.contains(name));
            Optional<Question> further =
                    target.map(name -> new Question(DnsNames.labels(name), question.type(), question.dnsClass()));
            Optional<DnsResolver> next = further.flatMap(one -> catalog.route(one.labels()));
            if (next.isEmpty()) {
                return new Resolution.Ready(whole(answer));
            }
            followed++;
            Question followedBy = further.orElseThrow();
            return Catalog.ask(next.get(), followedBy, client)
                    .then(rest -> isNotForwarded(rest)
                                    || followed == MOST_ALIASES
                                            && rest.openTarget(followedBy.name())
                                                    .isPresent()
                            ? new Resolution.Ready(whole(answer))
                            : goOn(followedBy, ownPart(followedBy, rest)));
        }

        /** No server here knows the target: to the client that is as if no route took it. */
        private static boolean isNotForwarded(Answer answer) {
            return answer.rcode() == Rcode.REFUSED
                    && answer.extendedError()
                            .filter(error -> error.code() == ExtendedError.NOT_AUTHORITATIVE)
                            .isPresent();
        }

        private Answer whole(Answer last) {
            Answer.Builder whole =
                    last.toBuilder().authoritative(authoritative).answer(sets).authority(List.copyOf(proofs));
            last.extendedError().or(() -> stale).ifPresent(whole::extendedError);
            return whole.build();
        }
    }
}
