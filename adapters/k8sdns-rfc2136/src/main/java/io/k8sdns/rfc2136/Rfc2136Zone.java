package io.k8sdns.rfc2136;

import io.k8sdns.arguments.Copies;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.federation.external.ChangeResult;
import io.k8sdns.federation.external.ChangeResult.Kind;
import io.k8sdns.federation.external.ExternalZone;
import io.k8sdns.federation.external.ExternalZoneException;
import io.k8sdns.federation.external.NameChange;
import io.k8sdns.federation.external.OwnedRecords;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.rfc2136.SignedMessages.Outcome;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DClass;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * The zone of a name server that takes dynamic updates (RFC 2136) signed with TSIG: BIND and Knot DNS, for example.
 *
 * <p>Everything goes over TCP to the one server, which has to be the primary of the zone. A change of a name is one message: it is made
 * wholly or not at all, and only if the name has the expected owner record, or neither records nor owner record. Each name is read
 * afterwards, since servers answer NOERROR to changes that they ignore. An answer that is not signed is a failure.
 *
 * <p>The zone is listed by zone transfer. If the server refuses that to the key, the wanted names are asked for, and those of the {@link
 * Builder#journal}: every name that was ever created with it. Without a journal, that is every name since the start of the program.
 *
 * <p>What the server has to allow, for example in BIND:
 *
 * <pre>
 *     zone "example.org" {
 *         type primary;
 *         file "/var/lib/bind/example.org.zone";
 *         update-policy { grant k8sdns subdomain svc.example.org. A AAAA CNAME TXT; };
 *         allow-transfer { key k8sdns; };
 *     };
 * </pre>
 *
 * <p>No thread, and no connection between calls. A call waits for at most the timeout in which nothing is received, and at most twelve
 * times the timeout in all. For one thread at a time; {@link #close} for any.
 */
public final class Rfc2136Zone implements ExternalZone {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);
    private static final int TIMEOUTS_OF_A_CALL = 12;

    /** Messages have an id of 16 bits. */
    private static final int MAX_QUERIES = 30_000;

    private static final List<Integer> ADDRESS_TYPES = List.of(Type.A, Type.AAAA);

    private final InetSocketAddress server;
    private final DnsLabels zone;
    private final Name apex;
    private final Duration timeout;
    private final NameJournal journal;
    private final SignedMessages messages;

    private final AtomicReference<@Nullable DnsStream> stream = new AtomicReference<>();
    private volatile boolean closed;

    private Rfc2136Zone(Builder builder, NameJournal journal) {
        this.server = builder.server;
        this.zone = builder.zone;
        this.apex = DnsNames.absolute(builder.zone);
        this.timeout = builder.timeout;
        this.journal = journal;
        this.messages = new SignedMessages(builder.key, builder.clock, new SecureRandom());
    }

    /**
     * Returns a builder of a zone without a journal, with a timeout of 5 s.
     *
     * @param server the primary; one that is not resolved is looked up for each connection, so that it may get another address
     * @param zone the name of the zone, its apex
     * @param key signs every message
     */
    public static Builder builder(InetSocketAddress server, DnsLabels zone, TsigKey key) {
        return new Builder(
                Objects.requireNonNull(server, "server"),
                Objects.requireNonNull(zone, "zone"),
                Objects.requireNonNull(key, "key"));
    }

    private DnsStream open() throws IOException {
        DnsStream made = DnsStream.to(address(), timeout, timeout.multipliedBy(TIMEOUTS_OF_A_CALL));
        stream.set(made);
        if (closed) {
            made.close();
        }
        return made;
    }

    private InetSocketAddress address() throws IOException {
        if (!server.isUnresolved()) {
            return server;
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(server.getHostString()), server.getPort());
        } catch (UnknownHostException unknown) {
            throw new IOException("the host name of the server is not found", unknown);
        }
    }

    private String about(String text) {
        return "zone " + zone + ". at " + server.getHostString() + ":" + server.getPort() + ": "
                + (closed ? "the zone is closed" : text);
    }

    // ---- listing ----

    /**
     * {@inheritDoc}
     *
     * <p>Complete if the server allows a zone transfer.
     */
    @Override
    public Listing list(Set<DnsLabels> names) throws ExternalZoneException {
        Set<DnsLabels> wanted = Copies.set("names", names);
        try {
            Optional<List<Record>> all = transfer();
            return all.isPresent() ? new Listing(true, ZoneNames.owned(all.get())) : look(wanted);
        } catch (ExternalZoneException failed) {
            throw new ExternalZoneException(about(DnsFailures.text(failed)), failed.isTransient() && !closed);
        } catch (IOException failed) {
            throw new ExternalZoneException(about(DnsFailures.text(failed)), !closed);
        }
    }

    private Optional<List<Record>> transfer() throws IOException {
        try (DnsStream connection = open()) {
            return messages.transfer(connection, query(apex, Type.AXFR));
        }
    }

    private Listing look(Set<DnsLabels> wanted) throws IOException {
        Set<DnsLabels> asked = new TreeSet<>(journal.names());
        asked.addAll(wanted);
        List<DnsLabels> names =
                asked.stream().filter(name -> name.endsWith(zone)).toList();
        Map<DnsLabels, OwnedRecords> owned = new HashMap<>();
        try (DnsStream connection = open()) {
            requireZone(connection);
            int chunk = MAX_QUERIES / (ADDRESS_TYPES.size() + 1);
            for (int from = 0; from < names.size(); from += chunk) {
                List<DnsLabels> some = names.subList(from, Math.min(names.size(), from + chunk));
                Map<DnsLabels, Read> read = read(connection, some);
                for (DnsLabels name : some) {
                    Read one = Optional.ofNullable(read.get(name)).orElseThrow();
                    if (one.failure().isPresent()) {
                        ChangeResult why = one.failure().get();
                        throw new ExternalZoneException(name + ": " + why.text(), why.kind() == Kind.TRANSIENT);
                    }
                    one.owned().ifPresent(records -> owned.put(name, records));
                }
            }
        }
        return new Listing(false, owned);
    }

    /** Checks that the server has the zone and knows the key. */
    private void requireZone(DnsStream connection) throws ExternalZoneException {
        Outcome outcome =
                messages.exchange(connection, List.of(query(apex, Type.SOA))).get(0);
        ChangeResult failure = outcome.failure();
        Message answer = outcome.message();
        if (failure != null || answer == null) {
            throw new ExternalZoneException(
                    failure == null ? "no answer" : failure.text(),
                    failure == null || failure.kind() == Kind.TRANSIENT);
        }
        boolean hasZone = answer.getHeader().getFlag(Flags.AA)
                && answer.getSection(Section.ANSWER).stream()
                        .anyMatch(one ->
                                one.getType() == Type.SOA && one.getName().equals(apex));
        if (!hasZone) {
            throw new ExternalZoneException("the server is not authoritative for the zone", false);
        }
    }

    /**
     * A name that was read.
     *
     * @param owned its records; empty if it has no owner record
     * @param failure why it is not known
     */
    private record Read(Optional<OwnedRecords> owned, Optional<ChangeResult> failure) {}

    /** Asks for the records and the owner record of names. */
    private Map<DnsLabels, Read> read(DnsStream connection, List<DnsLabels> names) {
        List<Message> queries = new ArrayList<>();
        for (DnsLabels name : names) {
            ADDRESS_TYPES.forEach(type -> queries.add(query(DnsNames.absolute(name), type)));
            queries.add(query(ownerName(name), Type.TXT));
        }
        List<Outcome> outcomes = messages.exchange(connection, queries);
        Map<DnsLabels, Read> read = new HashMap<>();
        int perName = ADDRESS_TYPES.size() + 1;
        for (int i = 0; i < names.size(); i++) {
            read.put(names.get(i), read(names.get(i), queries, outcomes, i * perName, (i + 1) * perName));
        }
        return read;
    }

    private static Read read(DnsLabels name, List<Message> queries, List<Outcome> outcomes, int from, int to) {
        List<Record> records = new ArrayList<>();
        for (int i = from; i < to; i++) {
            Outcome outcome = outcomes.get(i);
            Message answer = outcome.message();
            boolean isAnswered = answer != null && (outcome.failure() == null || answer.getRcode() == Rcode.NXDOMAIN);
            if (!isAnswered || answer == null) {
                return new Read(
                        Optional.empty(),
                        Optional.of(Objects.requireNonNullElse(
                                outcome.failure(), new ChangeResult(Kind.TRANSIENT, "no answer"))));
            }
            if (!answer.getHeader().getFlag(Flags.AA)) {
                return new Read(
                        Optional.empty(),
                        Optional.of(new ChangeResult(Kind.PERMANENT, "the server is not authoritative for the name")));
            }
            Name asked = queries.get(i).getQuestion().getName();
            for (Record one : answer.getSection(Section.ANSWER)) {
                // A CNAME is the answer to a question for addresses, and comes with each of them.
                if (one.getName().equals(asked) && !records.contains(one)) {
                    records.add(one);
                }
            }
        }
        return new Read(ZoneNames.one(name, records), Optional.empty());
    }

    private static Message query(Name name, int type) {
        Message query = Message.newQuery(Record.newRecord(name, type, DClass.IN));
        query.getHeader().unsetFlag(Flags.RD);
        return query;
    }

    private static Name ownerName(DnsLabels name) {
        return new OwnedRecords(name, "", List.of()).ownerRecord(0).getName();
    }

    // ---- changes ----

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if there are more than {@link #MAX_BATCH}
     */
    @Override
    public Map<DnsLabels, ChangeResult> apply(List<NameChange> changes) {
        List<NameChange> all = Copies.list("changes", changes);
        if (all.size() > MAX_BATCH) {
            throw new IllegalArgumentException("at most " + MAX_BATCH + " changes, not " + all.size());
        }
        Map<DnsLabels, ChangeResult> results = new HashMap<>();
        List<NameChange> inZone = new ArrayList<>();
        for (NameChange change : all) {
            if (change.name().endsWith(zone) && !change.name().equals(zone)) {
                inZone.add(change);
            } else {
                results.put(change.name(), new ChangeResult(Kind.PERMANENT, about("the name is not below the zone")));
            }
        }
        try {
            journal.add(inZone.stream()
                    .filter(change -> change.after().isPresent())
                    .map(NameChange::name)
                    .toList());
            try (DnsStream connection = open()) {
                update(connection, inZone, results);
            }
        } catch (IOException failed) {
            ChangeResult result = new ChangeResult(Kind.TRANSIENT, about(DnsFailures.text(failed)));
            inZone.forEach(change -> results.putIfAbsent(change.name(), result));
        }
        journal.remove(inZone.stream()
                .filter(change -> change.after().isEmpty() && ChangeResult.APPLIED.equals(results.get(change.name())))
                .map(NameChange::name)
                .toList());
        return results;
    }

    private void update(DnsStream connection, List<NameChange> changes, Map<DnsLabels, ChangeResult> results) {
        List<Outcome> outcomes = messages.exchange(
                connection,
                changes.stream().map(change -> UpdateMessages.of(apex, change)).toList());
        List<NameChange> accepted = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            ChangeResult failure = outcomes.get(i).failure();
            if (failure == null) {
                accepted.add(changes.get(i));
            } else {
                results.put(changes.get(i).name(), new ChangeResult(failure.kind(), about(failure.text())));
            }
        }
        Map<DnsLabels, Read> read =
                read(connection, accepted.stream().map(NameChange::name).toList());
        for (NameChange change : accepted) {
            results.put(
                    change.name(),
                    confirmed(
                            change, Optional.ofNullable(read.get(change.name())).orElseThrow()));
        }
    }

    /** Returns what became of a change that the server has accepted. */
    private ChangeResult confirmed(NameChange change, Read read) {
        if (read.failure().isPresent()) {
            ChangeResult why = read.failure().get();
            return new ChangeResult(why.kind(), about("the change is accepted, but cannot be read: " + why.text()));
        }
        // A wildcard may answer for a name that is gone, but not with this owner record.
        Optional<OwnedRecords> present = change.after().isPresent()
                ? read.owned()
                : read.owned()
                        .filter(one -> change.before()
                                .map(OwnedRecords::owner)
                                .filter(one.owner()::equals)
                                .isPresent());
        return present.equals(change.after())
                ? ChangeResult.APPLIED
                : new ChangeResult(
                        Kind.CONFLICT,
                        about(
                                "the server has accepted the change and has other records, as it does if one of another type is"
                                        + " at the name: "
                                        + present.map(OwnedRecords::toString).orElse("none")));
    }

    /** Ends a call under way, which then fails. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        DnsStream current = stream.get();
        if (current != null) {
            current.close();
        }
    }

    /** Collects the settings. Not thread-safe. */
    public static final class Builder {
        private final InetSocketAddress server;
        private final DnsLabels zone;
        private final TsigKey key;
        private Duration timeout = DEFAULT_TIMEOUT;
        private Clock clock = Clock.systemUTC();
        private @Nullable Path journal;

        private Builder(InetSocketAddress server, DnsLabels zone, TsigKey key) {
            this.server = server;
            this.zone = zone;
            this.key = key;
        }

        /**
         * Sets the longest time in which nothing is received; 5 s unless set.
         *
         * @param value more than 0, at most 10 minutes
         * @throws IllegalArgumentException if it is not
         */
        public Builder timeout(Duration value) {
            Objects.requireNonNull(value, "timeout");
            if (value.isZero() || value.isNegative() || value.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        "a timeout is more than 0 and at most " + MAX_TIMEOUT + ", not " + value);
            }
            timeout = value;
            return this;
        }

        /**
         * Sets a file that keeps the names that were created, for servers that do not allow zone transfers. A program that runs again with
         * the same file then removes names that are no longer wanted.
         *
         * @param value written by this zone alone; made if absent
         */
        public Builder journal(Path value) {
            journal = Objects.requireNonNull(value, "journal");
            return this;
        }

        /** Sets the clock of signatures; the system's unless set. Servers accept a difference of five minutes. */
        public Builder clock(Clock value) {
            clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /**
         * Returns the zone. Nothing is sent yet.
         *
         * @throws IOException if the journal cannot be read
         */
        public Rfc2136Zone build() throws IOException {
            return new Rfc2136Zone(this, journal == null ? NameJournal.inMemory() : NameJournal.open(journal));
        }
    }
}
