package io.k8sdns.upstream;

import io.k8sdns.dnsjava.AddressRecords;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.DnsResolver;
import io.k8sdns.resolver.Question;
import io.k8sdns.resolver.Resolution;
import io.k8sdns.resolver.ResolverChain;
import io.k8sdns.schema.NameSchema;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Name;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.TTL;
import org.xbill.DNS.Type;

/**
 * Answers for names with fixed addresses, such as those of a hosts file, and passes every other question to another resolver.
 *
 * <pre>{@code
 * StaticHosts others = StaticHosts.builder(ForwardingResolver.over(dnsjava))
 *         .file("192.0.2.7 registry.corp.example")
 *         .build();
 * ResolverChain chain = ResolverChain.of(zone).withUpstream(others);
 * }</pre>
 *
 * <p>Behind a {@link ResolverChain}, as here, the names of the cluster win, and the target of an alias may be one of these names. In front
 * of a chain these names win, but every question takes the slow path, and answers for these names have no RA.
 *
 * <p>A name has its addresses, and each address the PTR records of its names. Every other type of such a name is NODATA, without an SOA
 * record, so that it is not cached. The answers are authoritative.
 */
public final class StaticHosts implements DnsResolver {
    private static final Answer NO_DATA =
            Answer.builder(Rcode.NOERROR).authoritative().build();

    private final Map<DnsLabels, List<IpAddress>> addresses;
    private final Map<DnsLabels, List<DnsLabels>> names;
    private final long ttlSeconds;
    private final DnsResolver others;

    private StaticHosts(Builder builder) {
        this.addresses = copy(builder.addresses);
        Map<DnsLabels, Set<DnsLabels>> reverse = new LinkedHashMap<>();
        builder.addresses.forEach((name, all) -> all.forEach(
                address -> reverse.computeIfAbsent(NameSchema.reverseName(address), any -> new LinkedHashSet<>())
                        .add(name)));
        this.names = copy(reverse);
        this.ttlSeconds = builder.ttlSeconds;
        this.others = builder.others;
    }

    private static <T> Map<DnsLabels, List<T>> copy(Map<DnsLabels, Set<T>> sets) {
        Map<DnsLabels, List<T>> lists = new HashMap<>();
        sets.forEach((name, set) -> lists.put(name, List.copyOf(set)));
        return Map.copyOf(lists);
    }

    /**
     * Returns a builder without names.
     *
     * @param others answers all other questions
     */
    public static Builder builder(DnsResolver others) {
        return new Builder(Objects.requireNonNull(others, "others"));
    }

    @Override
    public Resolution resolve(Question question, Client client) {
        DnsLabels name = question.labels();
        List<IpAddress> all = addresses.get(name);
        List<DnsLabels> targets = names.get(name);
        if (question.dnsClass() != DClass.IN || all == null && targets == null) {
            return others.resolve(question, client);
        }
        List<RecordSet> sets = new ArrayList<>();
        if (all != null) {
            add(sets, question, Type.A, addresses(question.name(), all, true));
            add(sets, question, Type.AAAA, addresses(question.name(), all, false));
        }
        if (targets != null) {
            add(sets, question, Type.PTR, ptrRecords(question.name(), targets));
        }
        return new Resolution.Ready(
                sets.isEmpty() ? NO_DATA : NO_DATA.toBuilder().answer(sets).build());
    }

    private static void add(List<RecordSet> sets, Question question, int type, List<Record> records) {
        int asked = question.type().number();
        if (!records.isEmpty() && (asked == type || asked == Type.ANY)) {
            sets.add(RecordSet.inOrder(records));
        }
    }

    private List<Record> addresses(Name owner, List<IpAddress> all, boolean ipv4) {
        List<Record> records = new ArrayList<>();
        for (IpAddress address : all) {
            if (address.isIpv4() == ipv4) {
                records.add(AddressRecords.record(owner, address, ttlSeconds));
            }
        }
        return records;
    }

    private List<Record> ptrRecords(Name owner, List<DnsLabels> targets) {
        List<Record> records = new ArrayList<>();
        for (DnsLabels target : targets) {
            records.add(new PTRRecord(owner, DClass.IN, ttlSeconds, DnsNames.absolute(target)));
        }
        return records;
    }

    /** Returns the number of names and the other resolver, for logs. */
    @Override
    public String toString() {
        return "StaticHosts[" + addresses.size() + " names, else " + others + "]";
    }

    /** Collects names and addresses. */
    public static final class Builder {
        private static final Pattern BLANKS = Pattern.compile("[ \\t]+");

        private final Map<DnsLabels, Set<IpAddress>> addresses = new LinkedHashMap<>();
        private final DnsResolver others;
        private long ttlSeconds = 3_600;

        private Builder(DnsResolver others) {
            this.others = others;
        }

        /**
         * Adds an address to those of a name.
         *
         * @param name the absolute name
         */
        public Builder host(DnsLabels name, IpAddress address) {
            Objects.requireNonNull(name, "name");
            Objects.requireNonNull(address, "address");
            addresses.computeIfAbsent(name, any -> new LinkedHashSet<>()).add(address);
            return this;
        }

        /**
         * Adds the names of a hosts file: in each line an address and one or more names, separated by blanks; {@code #} begins a comment.
         * All names of a line are absolute.
         *
         * @param file the content of the file
         * @throws IllegalArgumentException if a line is invalid; the message has its number. No name of the file is added then
         */
        public Builder file(String file) {
            record Host(DnsLabels name, IpAddress address) {}
            List<Host> hosts = new ArrayList<>();
            List<String> lines = Objects.requireNonNull(file, "file").lines().toList();
            for (int i = 0; i < lines.size(); i++) {
                String line = lines.get(i).replaceFirst("#.*", "").strip();
                if (line.isEmpty()) {
                    continue;
                }
                String at = "line " + (i + 1) + ": ";
                List<String> parts = BLANKS.splitAsStream(line).toList();
                Optional<IpAddress> address = IpAddress.tryParse(parts.get(0));
                if (address.isEmpty()) {
                    throw new IllegalArgumentException(at + "not an IP address: " + parts.get(0));
                }
                if (parts.size() == 1) {
                    throw new IllegalArgumentException(at + "no name for " + parts.get(0));
                }
                for (String name : parts.subList(1, parts.size())) {
                    try {
                        hosts.add(new Host(DnsLabels.parse(name), address.get()));
                    } catch (InvalidNameException invalid) {
                        throw new IllegalArgumentException(at + invalid.getMessage(), invalid);
                    }
                }
            }
            hosts.forEach(host -> host(host.name(), host.address()));
            return this;
        }

        /**
         * Sets the TTL of the records; 3,600 seconds by default.
         *
         * @throws IllegalArgumentException if it is not between 0 and 2^31 - 1
         */
        public Builder ttlSeconds(long seconds) {
            if (seconds < 0 || seconds > TTL.MAX_VALUE) {
                throw new IllegalArgumentException(
                        "ttlSeconds: must be between 0 and " + TTL.MAX_VALUE + ": " + seconds);
            }
            this.ttlSeconds = seconds;
            return this;
        }

        /** Returns the resolver; later calls of this builder do not change it. */
        public StaticHosts build() {
            return new StaticHosts(this);
        }
    }
}
