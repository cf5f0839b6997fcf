package io.k8sdns.forward;

import io.k8sdns.arguments.Copies;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiFunction;
import org.xbill.DNS.EDNSOption;

/**
 * A zone, the servers that its names are forwarded to, and the settings of forwarding. An immutable value.
 *
 * <pre>{@code
 * UpstreamZone.of(".", "192.0.2.53", "192.0.2.54");
 * UpstreamZone.builder("corp.example").server(UpstreamServer.parse("10.1.1.1")).policy(UpstreamPolicy.SEQUENTIAL).build();
 * }</pre>
 */
public final class UpstreamZone {
    private final DnsLabels name;
    private final List<UpstreamServer> servers;
    private final UpstreamPolicy policy;
    private final Duration attemptTimeout;
    private final Duration deadline;
    private final int maxConcurrent;
    private final int maxConnections;
    private final boolean randomCase;
    private final boolean nextOnFailure;
    private final boolean failsFast;
    private final BiFunction<Question, Client, List<EDNSOption>> options;

    private UpstreamZone(Builder builder) {
        this.name = builder.name;
        this.servers = List.copyOf(builder.servers);
        this.policy = builder.policy;
        this.attemptTimeout = builder.attemptTimeout;
        this.deadline = builder.deadline;
        this.maxConcurrent = builder.maxConcurrent;
        this.maxConnections = builder.maxConnections;
        this.randomCase = builder.randomCase;
        this.nextOnFailure = builder.nextOnFailure;
        this.failsFast = builder.failsFast;
        this.options = builder.options;
    }

    /**
     * Returns a zone with default settings.
     *
     * @param name the zone; {@code .} is every name that no other zone has
     * @param servers at least one, each in the form of {@link UpstreamServer#parse}
     * @throws IllegalArgumentException if the name or a server is invalid, or there is no server
     */
    public static UpstreamZone of(String name, String... servers) {
        Builder builder = builder(name);
        Copies.list("servers", Arrays.asList(servers)).forEach(server -> builder.server(UpstreamServer.parse(server)));
        return builder.build();
    }

    /**
     * Returns a builder of a zone without servers.
     *
     * @param name the zone; {@code .} is every name that no other zone has
     */
    public static Builder builder(String name) {
        return builder(DnsLabels.parse(Objects.requireNonNull(name, "name")));
    }

    /** Returns a builder of a zone without servers; {@link DnsLabels#EMPTY} is the root. */
    public static Builder builder(DnsLabels name) {
        return new Builder(Objects.requireNonNull(name, "name"));
    }

    /** Returns the absolute name of the zone. */
    public DnsLabels name() {
        return name;
    }

    /** Returns the servers in their configured order. */
    public List<UpstreamServer> servers() {
        return servers;
    }

    /** Returns the order in which the servers are asked. */
    public UpstreamPolicy policy() {
        return policy;
    }

    /** Returns how long one server may take before the next one is asked. */
    public Duration attemptTimeout() {
        return attemptTimeout;
    }

    /** Returns how long a question may take in all. */
    public Duration deadline() {
        return deadline;
    }

    /** Returns the maximum number of questions in flight. */
    public int maxConcurrent() {
        return maxConcurrent;
    }

    /** Returns the maximum number of open connections to one server. */
    public int maxConnections() {
        return maxConnections;
    }

    boolean randomCase() {
        return randomCase;
    }

    boolean asksNextOnFailure() {
        return nextOnFailure;
    }

    boolean failsFast() {
        return failsFast;
    }

    /**
     * Returns a builder with the servers and the settings of this zone.
     *
     * @param other the name of the new zone, which may be that of this one
     */
    public Builder toBuilder(DnsLabels other) {
        Builder copy = settings(Objects.requireNonNull(other, "other"));
        copy.servers.addAll(servers);
        return copy;
    }

    private Builder settings(DnsLabels zone) {
        Builder copy = new Builder(zone);
        copy.policy = policy;
        copy.attemptTimeout = attemptTimeout;
        copy.deadline = deadline;
        copy.maxConcurrent = maxConcurrent;
        copy.maxConnections = maxConnections;
        copy.randomCase = randomCase;
        copy.nextOnFailure = nextOnFailure;
        copy.failsFast = failsFast;
        copy.options = options;
        return copy;
    }

    List<EDNSOption> options(Question question, Client client) {
        return options.apply(question, client);
    }

    /** Returns whether a server is configured by host name. */
    boolean hasHostNames() {
        return servers.stream().anyMatch(server -> server.address().isUnresolved());
    }

    /** Returns this zone with the host names of servers resolved, which may take seconds. */
    UpstreamZone resolved(HostLookup lookup) throws IOException {
        Builder copy = settings(name);
        for (UpstreamServer server : servers) {
            copy.server(server.resolved(lookup));
        }
        return copy.build();
    }

    /** Returns whether all settings are equal; functions of EDNS options are compared with {@code equals}. */
    @Override
    public boolean equals(Object other) {
        return other instanceof UpstreamZone that
                && name.equals(that.name)
                && servers.equals(that.servers)
                && policy == that.policy
                && attemptTimeout.equals(that.attemptTimeout)
                && deadline.equals(that.deadline)
                && maxConcurrent == that.maxConcurrent
                && maxConnections == that.maxConnections
                && randomCase == that.randomCase
                && nextOnFailure == that.nextOnFailure
                && failsFast == that.failsFast
                && options.equals(that.options);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                name,
                servers,
                policy,
                attemptTimeout,
                deadline,
                maxConcurrent,
                maxConnections,
                randomCase,
                nextOnFailure,
                failsFast,
                options);
    }

    /** Returns the name and the servers. */
    @Override
    public String toString() {
        return name + ". -> " + servers;
    }

    /** Collects the settings of a zone. */
    public static final class Builder {
        private static final Duration MAX_TIME = Duration.ofHours(1);

        private final DnsLabels name;
        private final List<UpstreamServer> servers = new ArrayList<>();
        private UpstreamPolicy policy = UpstreamPolicy.RANDOM;
        private Duration attemptTimeout = Duration.ofMillis(1_900);
        private Duration deadline = Duration.ofSeconds(4);
        private int maxConcurrent = 1_000;
        private int maxConnections = 8;
        private boolean randomCase;
        private boolean nextOnFailure;
        private boolean failsFast;
        private BiFunction<Question, Client, List<EDNSOption>> options = Builder::none;

        private Builder(DnsLabels name) {
            this.name = name;
        }

        private static List<EDNSOption> none(Question question, Client client) {
            return List.of();
        }

        /** Adds a server; duplicates are ignored. */
        public Builder server(UpstreamServer server) {
            if (!servers.contains(Objects.requireNonNull(server, "server"))) {
                servers.add(server);
            }
            return this;
        }

        /** Sets the order in which the servers are asked; {@link UpstreamPolicy#RANDOM} by default. */
        public Builder policy(UpstreamPolicy value) {
            policy = Objects.requireNonNull(value, "policy");
            return this;
        }

        /**
         * Sets how long one server may take before the next one is asked, or the only one again; 1.9 seconds by default.
         *
         * @throws IllegalArgumentException if it is not more than zero, or more than an hour
         */
        public Builder attemptTimeout(Duration value) {
            attemptTimeout = checked("attemptTimeout", value);
            return this;
        }

        /**
         * Sets how long a question may take in all; 4 seconds by default, because resolvers in Pods retry after five.
         *
         * @throws IllegalArgumentException if it is not more than zero, or more than an hour
         */
        public Builder deadline(Duration value) {
            deadline = checked("deadline", value);
            return this;
        }

        private static Duration checked(String what, Duration value) {
            Objects.requireNonNull(value, what);
            if (value.isZero() || value.isNegative() || value.compareTo(MAX_TIME) > 0) {
                throw new IllegalArgumentException(what + " must be more than zero and at most an hour: " + value);
            }
            return value;
        }

        /**
         * Sets the maximum number of questions in flight; 1,000 by default. Further questions are REFUSED. Each zone has its own limit,
         * so that a zone with dead servers does not block others.
         *
         * @throws IllegalArgumentException if it is not more than zero
         */
        public Builder maxConcurrent(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("maxConcurrent must be more than zero: " + value);
            }
            maxConcurrent = value;
            return this;
        }

        /**
         * Sets the maximum number of TCP or TLS connections to one server; 8 by default. A query uses a connection without pending
         * queries if possible: many servers, CoreDNS among them, process the queries of a connection one after the other, so that a
         * slow query delays later ones.
         *
         * @throws IllegalArgumentException if it is not more than zero
         */
        public Builder maxConnections(int value) {
            if (value < 1) {
                throw new IllegalArgumentException("maxConnections must be more than zero: " + value);
            }
            maxConnections = value;
            return this;
        }

        /**
         * Sends names in random letter case and accepts only responses in the same letter case, which makes forged responses less
         * likely to be accepted; off by default. If the case differs, the query is repeated over TCP.
         */
        public Builder randomCase() {
            randomCase = true;
            return this;
        }

        /** Asks the next server after SERVFAIL or REFUSED; off by default. If all servers answer so, the last answer is returned. */
        public Builder nextOnFailure() {
            nextOnFailure = true;
            return this;
        }

        /**
         * Fails questions immediately while all servers are down, instead of asking them; off by default. For a zone whose names
         * another source can answer.
         */
        public Builder failFast() {
            failsFast = true;
            return this;
        }

        /**
         * Sets the function that returns the EDNS options of a forwarded question; none by default. Options of clients are forwarded
         * only if this function returns them.
         *
         * @param value called by the threads that forward; must be fast
         */
        public Builder options(BiFunction<Question, Client, List<EDNSOption>> value) {
            options = Objects.requireNonNull(value, "options");
            return this;
        }

        /**
         * Returns the zone.
         *
         * @throws IllegalArgumentException if it has no server
         */
        public UpstreamZone build() {
            if (servers.isEmpty()) {
                throw new IllegalArgumentException("no server for " + name + ".");
            }
            return new UpstreamZone(this);
        }
    }
}
