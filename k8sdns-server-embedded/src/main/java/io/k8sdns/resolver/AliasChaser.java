package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
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
 * Follows aliases: resolves the target of a trailing CNAME in the catalog and appends its records to the answer.
 *
 * <p>RCODE and additional section are those of the last answer of the chain (RFC 6604); so is the authority section, with the
 * DNSSEC proofs of all aliases added. AA is that of the first answer, because it applies to the first owner in the answer section
 * (RFC 1035, 4.1.1). A chain stops, and the answer holds only its CNAMEs, each once, if no route has the target, if the target is
 * a name that the chain has already visited, and after ten aliases.
 */
public final class AliasChaser implements DnsResolver {
    /** The largest number of aliases that are followed for one question; the answer omits an eleventh CNAME. */
    private static final int MAX_ALIASES = 10;

    private final Catalog catalog;
    private final Predicate<DnsLabels> isFollowed;

    /** Creates a resolver that resolves the question, and then each target, in a catalog. */
    public AliasChaser(Catalog catalog) {
        this(catalog, any -> true);
    }

    /**
     * Creates a resolver that resolves the question, and then some of the targets, in a catalog.
     *
     * @param isFollowed whether a name is resolved as a target; otherwise the chain stops before it
     */
    @Internal
    public AliasChaser(Catalog catalog, Predicate<DnsLabels> isFollowed) {
        this.catalog = Objects.requireNonNull(catalog, "catalog");
        this.isFollowed = Objects.requireNonNull(isFollowed, "isFollowed");
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        Resolution first = catalog.resolve(question, client);
        if (question.isFor(Type.CNAME) || question.isFor(Type.ANY)) {
            return first.map(answer -> ownPart(question, answer));
        }
        return first.then(answer -> {
            // Most answers have no alias. Then the name of the question, which dnsjava needs tenths of a microsecond to
            // create, is not used.
            if (!hasAlias(answer)) {
                return new Resolution.Ready(ownPart(question, answer));
            }
            Answer own = ownPart(question, answer);
            return own.aliasToResolve(question.name()).isPresent()
                    ? new Chain(question, client).add(question, own)
                    : new Resolution.Ready(own);
        });
    }

    /** Removes foreign names from an answer, because a forwarded answer must not replace records of the cluster. */
    private Answer ownPart(Question question, Answer answer) {
        if (answer.additional().isEmpty() && !hasAlias(answer)) {
            return answer;
        }
        Optional<DnsResolver> route = catalog.route(question.labels());
        Predicate<DnsLabels> isForeign = name -> !isFollowed.test(name)
                || catalog.route(name)
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

    /** The state of one question: collects the answers along its chain of aliases. */
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

        /**
         * Adds an answer and follows its alias, if it ends in one.
         *
         * @param current the question of that answer: the client's, or that for an alias's target
         */
        Resolution add(Question current, Answer answer) {
            if (sets.isEmpty()) {
                authoritative = answer.authoritative();
            }
            for (RecordSet set : answer.answer()) {
                if (set.typeNumber() == Type.CNAME ? aliases.add(set.owner()) : !sets.contains(set)) {
                    sets.add(set);
                }
            }
            proofs.addAll(answer.authority());
            stale = stale.or(answer::staleError);
            Optional<Name> target = answer.aliasToResolve(current.name()).filter(name -> !aliases.contains(name));
            Optional<Question> further =
                    target.map(name -> new Question(DnsNames.labels(name), question.type(), question.dnsClass()));
            Optional<DnsResolver> next =
                    further.map(Question::labels).filter(isFollowed).flatMap(catalog::route);
            if (next.isEmpty()) {
                return new Resolution.Ready(whole(answer));
            }
            followed++;
            Question followedBy = further.orElseThrow();
            return Catalog.resolve(next.get(), followedBy, client)
                    .then(rest -> isNotForwarded(rest)
                                    || followed == MAX_ALIASES
                                            && rest.aliasToResolve(followedBy.name())
                                                    .isPresent()
                            ? new Resolution.Ready(whole(answer))
                            : add(followedBy, ownPart(followedBy, rest)));
        }

        /** Returns whether the resolver of a target does not serve it, which is treated like a target without a route. */
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
