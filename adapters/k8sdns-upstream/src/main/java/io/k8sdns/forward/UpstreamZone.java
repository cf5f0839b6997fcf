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
 * The servers that the names of one zone are forwarded to, and how. An immutable value.
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
     * @param servers at least one, each as {@link UpstreamServer#parse} takes it
     * @throws IllegalArgumentException if the name or a server is none, or there is no server
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

    /** Returns a builder of a zone without servers; empty labels are the root. */
    public static Builder builder(DnsLabels name) {
        return new Builder(Objects.requireNonNull(name, "name"));
    }

    /** Returns the name of the zone up to the root. */
    public DnsLabels name() {
        return name;
    }

    /** Returns the servers, in the order in which they were given. */
    public List<UpstreamServer> servers() {
        return servers;
    }

    /** Returns in which order the servers are asked. */
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

    /** Returns how many questions may be forwarded at once. */
    public int maxConcurrent() {
        return maxConcurrent;
    }

    /** Returns how many connections to one server may be open at once. */
    public int maxConnections() {
        return maxConnections;
    }

    boolean randomCase() {
        return randomCase;
    }

    boolean isNextOnFailure() {
        return nextOnFailure;
    }

    boolean failsFast() {
        return failsFast;
    }

    /**
     * Returns a builder with the servers and the settings of this zone.
     *
     * @param other the name of the zone to be built, perhaps that of this one
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

    /** Returns whether a server is given by its host name. */
    boolean hasHostNames() {
        return servers.stream().anyMatch(server -> server.address().isUnresolved());
    }

    /** Returns this zone with the host names of servers looked up, which may take seconds. */
    UpstreamZone resolved(HostLookup lookup) throws IOException {
        Builder copy = settings(name);
        for (UpstreamServer server : servers) {
            copy.server(server.resolved(lookup));
        }
        return copy.build();
    }

    /** Returns whether all settings are equal; a function of EDNS options is equal to itself alone. */
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
        private static final Duration LONGEST = Duration.ofHours(1);

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

        /** Adds a server; one that is there already is ignored. */
        public Builder server(UpstreamServer server) {
            if (!servers.contains(Objects.requireNonNull(server, "server"))) {
                servers.add(server);
            }
            return this;
        }

        /** Sets in which order the servers are asked; {@link UpstreamPolicy#RANDOM} unless set. */
        public Builder policy(UpstreamPolicy value) {
            policy = Objects.requireNonNull(value, "policy");
            return this;
        }

        /**
         * Sets how long one server may take before the next one is asked, or the only one again; 1.2 seconds unless set.
         *
         * @throws IllegalArgumentException if it is not more than zero, or more than an hour
         */
        public Builder attemptTimeout(Duration value) {
            attemptTimeout = checked("attemptTimeout", value);
            return this;
        }

        /**
         * Sets how long a question may take in all; 4 seconds unless set, since resolvers in Pods ask again after five.
         *
         * @throws IllegalArgumentException if it is not more than zero, or more than an hour
         */
        public Builder deadline(Duration value) {
            deadline = checked("deadline", value);
            return this;
        }

        private static Duration checked(String what, Duration value) {
            Objects.requireNonNull(value, what);
            if (value.isZero() || value.isNegative() || value.compareTo(LONGEST) > 0) {
                throw new IllegalArgumentException(what + " must be more than zero and at most an hour: " + value);
            }
            return value;
        }

        /**
         * Sets how many questions may be forwarded at once; 1,000 unless set. One more is REFUSED. Each zone has its own limit, so
         * that one whose servers are dead does not take the place of others.
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
         * Sets how many connections to one server, over TCP or TLS, may be open at once; 8 unless set. A query takes a connection on
         * which no other one waits, if there is one: many servers, CoreDNS among them, answer the queries of a connection one after the
         * other, so that a slow one delays those behind it.
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
         * Asks with letters of random case, and takes only responses that repeat them, so that forged ones are harder to make;
         * off unless called. A server that does not repeat them is asked over TCP.
         */
        public Builder randomCase() {
            randomCase = true;
            return this;
        }

        /**
         * Asks the next server when one answers SERVFAIL or REFUSED; off unless called. If none answers otherwise, the last such
         * answer is handed on.
         */
        public Builder nextOnFailure() {
            nextOnFailure = true;
            return this;
        }

        /**
         * Fails a question at once while all servers are set aside, instead of asking them all the same; off unless called. For a
         * zone whose names another source can answer.
         */
        public Builder failFast() {
            failsFast = true;
            return this;
        }

        /**
         * Sets what returns the EDNS options of a question that is forwarded; none unless set. Options of clients are never
         * forwarded by themselves.
         *
         * @param value called by the threads that forward; must be quick
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
