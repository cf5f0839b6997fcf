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
 * Hands each question to the resolver of the longest suffix that its name ends with.
 *
 * <p>What no route takes is REFUSED, and so is what no resolver here can answer: a class other than IN, and zone
 * transfers.
 *
 * <p>Cost: one look into a map for each number of labels that a suffix has, however many routes there are.
 */
public final class Catalog implements DnsResolver {
    private final Map<DnsLabels, List<Route>> routes;

    /** How many labels the suffixes have, the longest first, each number once. */
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
                ? ask(resolver.get(), question, client)
                : refused(
                        ExtendedError.NOT_AUTHORITATIVE,
                        question.name() + " is not served by this server" + exceptPart(question.labels()));
    }

    /** Returns what a resolver answers; a resolver against its contract may return null. */
    static Resolution ask(DnsResolver resolver, Question question, Client client) {
        return Objects.requireNonNull(
                resolver.resolve(question, client), "the resolver returned null instead of a resolution");
    }

    /** Returns the end of the sentence: empty, unless the longest suffix of the name is served in part. */
    private String exceptPart(DnsLabels labels) {
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
     * Returns the resolver of a name; empty if no route takes it.
     *
     * @param labels the labels up to the root
     */
    @Internal
    public Optional<DnsResolver> route(DnsLabels labels) {
        int count = labels.count();
        for (int length : lengths) {
            if (length <= count) {
                for (Route route : routes.getOrDefault(labels.skip(count - length), List.of())) {
                    if (route.takes.test(labels)) {
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

    private record Route(Predicate<DnsLabels> takes, DnsResolver resolver) {}

    /** Collects routes. */
    public static final class Builder {
        private final Map<DnsLabels, List<Route>> routes = new HashMap<>();

        private Builder() {}

        /**
         * Hands the suffix and every name below it to this resolver.
         *
         * @param suffix the suffix, absolute; {@link Name#root} for every name
         * @param resolver answers the questions
         * @throws IllegalArgumentException if the suffix is not absolute
         */
        public Builder route(Name suffix, DnsResolver resolver) {
            return route(DnsNames.labels(Objects.requireNonNull(suffix, "suffix")), resolver);
        }

        /** Hands the suffix and every name below it to this resolver. */
        @Internal
        public Builder route(DnsLabels suffix, DnsResolver resolver) {
            return route(suffix, any -> true, resolver);
        }

        /**
         * Hands some of the names with this suffix to this resolver.
         *
         * @param suffix the suffix, absolute; empty for the root
         * @param takes tells the names that it takes, given absolute, from those left to routes of the same suffix that
         *     were added later, and then to shorter suffixes
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
