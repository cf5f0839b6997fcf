package io.k8sdns.model;

import io.k8sdns.arguments.Copies;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A Pod's own additions to its resolver configuration: {@code spec.dnsConfig}, as written in the manifest.
 *
 * <p>Nothing is checked here, because the valid values depend on the version of the API server: {@code KubeletDns.forPod}
 * checks them. An empty dnsConfig is not the same as none: with it, duplicates are removed from the lists of the policy.
 *
 * @param nameservers addresses of servers, as written
 * @param searches search domains, as written
 * @param options options, in the order written
 */
public record DnsConfig(List<String> nameservers, List<String> searches, List<Option> options) {
    /** A dnsConfig without content: <code>dnsConfig: {}</code>. */
    public static final DnsConfig EMPTY = new DnsConfig(List.of(), List.of(), List.of());

    /** Copies the lists. */
    public DnsConfig {
        nameservers = Copies.list("nameservers", nameservers);
        searches = Copies.list("searches", searches);
        options = Copies.list("options", options);
    }

    /**
     * An option of the resolver.
     *
     * @param name for example {@code ndots}; the empty text if the manifest has none. The API server accepts any other
     *     name
     * @param value for example {@code 2}; empty if the manifest has none. The empty text counts as absent
     */
    public record Option(String name, Optional<String> value) {
        /** Checks that nothing is null. */
        @Internal
        public Option {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(value, "value");
        }

        /** Returns an option with a value, for example {@code ndots} and {@code 2}. */
        public static Option of(String name, String value) {
            return new Option(name, Optional.of(Objects.requireNonNull(value, "value")));
        }

        /** Returns an option without a value, for example {@code edns0}. */
        public static Option of(String name) {
            return new Option(name, Optional.empty());
        }

        /** Returns the option as written in a file: {@code ndots:2}, {@code edns0}. */
        @Override
        public String toString() {
            return value.filter(text -> !text.isEmpty())
                    .map(text -> name + ":" + text)
                    .orElse(name);
        }
    }
}
