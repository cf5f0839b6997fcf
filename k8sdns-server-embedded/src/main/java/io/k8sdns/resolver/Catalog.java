package io.k8sdns.resolver;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.name.DnsLabels;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Predicate;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Type;

/**
 * Routes each question to the resolver with the longest matching suffix.
 *
 * <p>A question without a route is REFUSED. So are classes other than IN and zone transfers, which no resolver supports.
 *
 * <p>Cost: one hash lookup for each distinct number of labels of the suffixes, independent of the number of routes.
 */
public final class Catalog implements DnsResolver {
    private final Map<DnsLabels, List<Route>> routes;

    /** The distinct numbers of labels of the suffixes, largest first. */
    private final int[] lengths;

    private Catalog(Map<DnsLabels, List<Route>> routes) {
        this.routes = routes;
        this.lengths = routes.keySet().stream()
                .map(DnsLabels::count)
                .distinct()
                .sorted(Comparator.reverseOrder())
                .mapToInt(Integer::intValue)
                .toArray();
    }

    /** Returns a builder without routes. */
    public static Builder builder() {
        return new Builder();
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        if (question.dnsClass() != DClass.IN) {
            return refused(ExtendedError.NOT_SUPPORTED, "class " + DClass.string(question.dnsClass()));
        }
        if (question.isFor(Type.AXFR) || question.isFor(Type.IXFR)) {
            return refused(ExtendedError.NOT_SUPPORTED, "zone transfer");
        }
        Optional<DnsResolver> resolver = route(question.labels());
        return resolver.isPresent()
                ? resolve(resolver.get(), question, client)
                : refused(
                        ExtendedError.NOT_AUTHORITATIVE,
                        question.name() + " is not served by this server" + partialZoneHint(question.labels()));
    }

    /** Resolves a question, and rejects the null that a resolver may return against its contract. */
    static Resolution resolve(DnsResolver resolver, Question question, Client client) {
        return Objects.requireNonNull(
                resolver.resolve(question, client), "the resolver returned null instead of a resolution");
    }

    /** Returns a clause for the error message if only a part of the longest matching zone is served, otherwise an empty text. */
    private String partialZoneHint(DnsLabels labels) {
        int count = labels.count();
        return Arrays.stream(lengths)
                .filter(length -> length <= count)
                .mapToObj(length -> labels.skip(count - length))
                .filter(routes::containsKey)
                .findFirst()
                .map(suffix -> ", which serves only part of zone " + suffix)
                .orElse("");
    }

    /**
     * Returns the resolver of a name if a route matches, otherwise empty.
     *
     * @param labels the labels up to the root
     */
    @Internal
    public Optional<DnsResolver> route(DnsLabels labels) {
        int count = labels.count();
        for (int length : lengths) {
            if (length <= count) {
                for (Route route : routes.getOrDefault(labels.skip(count - length), List.of())) {
                    if (route.names.test(labels)) {
                        return Optional.of(route.resolver);
                    }
                }
            }
        }
        return Optional.empty();
    }

    private static Resolution refused(int code, String text) {
        return new Resolution.Ready(Answer.failure(Rcode.REFUSED, new ExtendedError(code, text)));
    }

    private record Route(Predicate<DnsLabels> names, DnsResolver resolver) {}

    /** Collects routes. */
    public static final class Builder {
        private final Map<DnsLabels, List<Route>> routes = new HashMap<>();

        private Builder() {}

        /**
         * Routes a suffix and every name below it to a resolver.
         *
         * @param suffix the suffix, absolute; {@link Name#root} for every name
         * @param resolver answers the questions
         * @throws IllegalArgumentException if the suffix is not absolute
         */
        public Builder route(Name suffix, DnsResolver resolver) {
            return route(DnsNames.labels(Objects.requireNonNull(suffix, "suffix")), resolver);
        }

        /** Routes a suffix and every name below it to a resolver. */
        @Internal
        public Builder route(DnsLabels suffix, DnsResolver resolver) {
            return route(suffix, any -> true, resolver);
        }

        /**
         * Routes some of the names with a suffix to a resolver.
         *
         * @param suffix the suffix, absolute; empty for the root
         * @param takes whether the route matches an absolute name; if not, the next routes are those with the same suffix that
         *     were added later, then those with shorter suffixes
         * @param resolver answers the questions
         */
        @Internal
        public Builder route(DnsLabels suffix, Predicate<DnsLabels> takes, DnsResolver resolver) {
            Objects.requireNonNull(suffix, "suffix");
            Objects.requireNonNull(takes, "takes");
            Objects.requireNonNull(resolver, "resolver");
            routes.computeIfAbsent(suffix, any -> new ArrayList<>()).add(new Route(takes, resolver));
            return this;
        }

        /** Returns the catalog of the routes collected so far. */
        public Catalog build() {
            Map<DnsLabels, List<Route>> copy = new HashMap<>();
            routes.forEach((suffix, some) -> copy.put(suffix, List.copyOf(some)));
            return new Catalog(copy);
        }
    }
}
