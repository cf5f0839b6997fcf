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
import io.k8sdns.rfc2136.SignedMessages.MessageOutcome;
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
 * A zone on a name server with dynamic updates (RFC 2136) signed with TSIG, for example BIND or Knot DNS.
 *
 * <p>All messages go over TCP to one server, which must be the primary of the zone. The change of a name is one message. The server
 * applies it atomically, and only if the name has the expected owner record, or has neither records nor owner record. Each name is read
 * afterwards, because servers answer NOERROR even to changes that they ignore. An unsigned response is a failure.
 *
 * <p>The zone is listed by zone transfer. If the server refuses it, the wanted names and the names of the {@link Builder#journal} are
 * queried instead. The journal contains every name that was ever created with it; without a file, those since the start of the program.
 *
 * <p>Required configuration of the server, here for BIND:
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
 * <p>Starts no threads, and keeps no connection between calls. A call fails after the timeout without received data, and at the latest
 * after twelve times the timeout. Not thread-safe, except {@link #close}.
 */
public final class Rfc2136Zone implements ExternalZone {
    private static final Duration DEFAULT_TIMEOUT = Duration.ofSeconds(5);
    private static final Duration MAX_TIMEOUT = Duration.ofMinutes(10);
    private static final int TIMEOUTS_OF_A_CALL = 12;

    /** The maximum number of queries at a time, fewer than the 65,536 message ids. */
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
     * Returns a builder of a zone; by default without a journal file, and with a timeout of 5 s.
     *
     * @param server the primary; an unresolved host name is looked up for each connection, so that its address may change
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
        DnsStream opened = DnsStream.to(address(), timeout, timeout.multipliedBy(TIMEOUTS_OF_A_CALL));
        stream.set(opened);
        if (closed) {
            opened.close();
        }
        return opened;
    }

    private InetSocketAddress address() throws IOException {
        if (!server.isUnresolved()) {
            return server;
        }
        try {
            return new InetSocketAddress(InetAddress.getByName(server.getHostString()), server.getPort());
        } catch (UnknownHostException unknown) {
            throw new IOException("the host name of the server cannot be resolved", unknown);
        }
    }

    private String describe(String text) {
        return "zone " + zone + ". at " + server.getHostString() + ":" + server.getPort() + ": "
                + (closed ? "the zone is closed" : text);
    }

    // ---- listing ----

    /**
     * {@inheritDoc}
     *
     * <p>The listing is complete if the server allows a zone transfer.
     */
    @Override
    public Listing list(Set<DnsLabels> names) throws ExternalZoneException {
        Set<DnsLabels> wanted = Copies.set("names", names);
        try {
            Optional<List<Record>> all = transfer();
            return all.isPresent() ? new Listing(true, ZoneNames.owned(all.get())) : query(wanted);
        } catch (ExternalZoneException failed) {
            throw new ExternalZoneException(describe(DnsFailures.text(failed)), failed.isTransient() && !closed);
        } catch (IOException failed) {
            throw new ExternalZoneException(describe(DnsFailures.text(failed)), !closed);
        }
    }

    private Optional<List<Record>> transfer() throws IOException {
        try (DnsStream connection = open()) {
            return messages.transfer(connection, query(apex, Type.AXFR));
        }
    }

    private Listing query(Set<DnsLabels> wanted) throws IOException {
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
                Map<DnsLabels, NameState> read = read(connection, some);
                for (DnsLabels name : some) {
                    NameState one = Optional.ofNullable(read.get(name)).orElseThrow();
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

    /** Checks that the server is authoritative for the zone and accepts the key. */
    private void requireZone(DnsStream connection) throws ExternalZoneException {
        MessageOutcome outcome =
                messages.exchange(connection, List.of(query(apex, Type.SOA))).get(0);
        ChangeResult failure = outcome.failure();
        Message answer = outcome.message();
        if (failure != null || answer == null) {
            throw new ExternalZoneException(
                    failure == null ? "no response" : failure.text(),
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
     * The records of a name, or the reason why they could not be read.
     *
     * @param owned the records; empty if there is no owner record
     * @param failure the failure; empty if the name was read
     */
    private record NameState(Optional<OwnedRecords> owned, Optional<ChangeResult> failure) {}

    /** Queries the records and the owner records of names. */
    private Map<DnsLabels, NameState> read(DnsStream connection, List<DnsLabels> names) {
        List<Message> queries = new ArrayList<>();
        for (DnsLabels name : names) {
            ADDRESS_TYPES.forEach(type -> queries.add(query(DnsNames.absolute(name), type)));
            queries.add(query(ownerName(name), Type.TXT));
        }
        List<MessageOutcome> outcomes = messages.exchange(connection, queries);
        Map<DnsLabels, NameState> read = new HashMap<>();
        int perName = ADDRESS_TYPES.size() + 1;
        for (int i = 0; i < names.size(); i++) {
            read.put(names.get(i), read(names.get(i), queries, outcomes, i * perName, (i + 1) * perName));
        }
        return read;
    }

    private static NameState read(
            DnsLabels name, List<Message> queries, List<MessageOutcome> outcomes, int from, int to) {
        List<Record> records = new ArrayList<>();
        for (int i = from; i < to; i++) {
            MessageOutcome outcome = outcomes.get(i);
            Message answer = outcome.message();
            boolean isAnswered = answer != null && (outcome.failure() == null || answer.getRcode() == Rcode.NXDOMAIN);
            if (!isAnswered || answer == null) {
                return new NameState(
                        Optional.empty(),
                        Optional.of(Objects.requireNonNullElse(
                                outcome.failure(), new ChangeResult(Kind.TRANSIENT, "no answer"))));
            }
            if (!answer.getHeader().getFlag(Flags.AA)) {
                return new NameState(
                        Optional.empty(),
                        Optional.of(new ChangeResult(Kind.PERMANENT, "the server is not authoritative for the name")));
            }
            Name asked = queries.get(i).getQuestion().getName();
            for (Record one : answer.getSection(Section.ANSWER)) {
                // A CNAME is in the answers for both address types, but is added once.
                if (one.getName().equals(asked) && !records.contains(one)) {
                    records.add(one);
                }
            }
        }
        return new NameState(ZoneNames.one(name, records), Optional.empty());
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
                results.put(
                        change.name(), new ChangeResult(Kind.PERMANENT, describe("the name is not below the zone")));
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
            ChangeResult result = new ChangeResult(Kind.TRANSIENT, describe(DnsFailures.text(failed)));
            inZone.forEach(change -> results.putIfAbsent(change.name(), result));
        }
        journal.remove(inZone.stream()
                .filter(change -> change.after().isEmpty() && ChangeResult.APPLIED.equals(results.get(change.name())))
                .map(NameChange::name)
                .toList());
        return results;
    }

    private void update(DnsStream connection, List<NameChange> changes, Map<DnsLabels, ChangeResult> results) {
        List<MessageOutcome> outcomes = messages.exchange(
                connection,
                changes.stream().map(change -> UpdateMessages.of(apex, change)).toList());
        List<NameChange> accepted = new ArrayList<>();
        for (int i = 0; i < changes.size(); i++) {
            ChangeResult failure = outcomes.get(i).failure();
            if (failure == null) {
                accepted.add(changes.get(i));
            } else {
                results.put(changes.get(i).name(), new ChangeResult(failure.kind(), describe(failure.text())));
            }
        }
        Map<DnsLabels, NameState> read =
                read(connection, accepted.stream().map(NameChange::name).toList());
        for (NameChange change : accepted) {
            results.put(
                    change.name(),
                    confirmed(
                            change, Optional.ofNullable(read.get(change.name())).orElseThrow()));
        }
    }

    /** Returns the result of a change that the server accepted. */
    private ChangeResult confirmed(NameChange change, NameState read) {
        if (read.failure().isPresent()) {
            ChangeResult why = read.failure().get();
            return new ChangeResult(
                    why.kind(), describe("the server accepted the change, but the name cannot be read: " + why.text()));
        }
        // A wildcard may answer for a removed name, but not with this owner record.
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
                        describe(
                                "the server accepted the change but has other records, which happens if a record of another type is"
                                        + " at the name: "
                                        + present.map(OwnedRecords::toString).orElse("none")));
    }

    /** Ends a running call, which then fails. Closing again does nothing. */
    @Override
    public void close() {
        closed = true;
        DnsStream current = stream.get();
        if (current != null) {
            current.close();
        }
    }

    /** Collects the settings of a zone. Not thread-safe. */
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
         * Sets the longest time without received data; 5 s by default.
         *
         * @param value more than 0, at most 10 minutes
         * @throws IllegalArgumentException if it is out of that range
         */
        public Builder timeout(Duration value) {
            Objects.requireNonNull(value, "timeout");
            if (value.isZero() || value.isNegative() || value.compareTo(MAX_TIMEOUT) > 0) {
                throw new IllegalArgumentException(
                        "the timeout must be more than 0 and at most " + MAX_TIMEOUT + ": " + value);
            }
            timeout = value;
            return this;
        }

        /**
         * Sets the file that stores the created names, for servers that do not allow zone transfers. After a restart with the same
         * file, names that are no longer wanted are removed.
         *
         * @param value a file that only this zone writes; created if absent
         */
        public Builder journal(Path value) {
            journal = Objects.requireNonNull(value, "journal");
            return this;
        }

        /** Sets the clock of signatures; the system clock by default. Servers accept a difference of five minutes. */
        public Builder clock(Clock value) {
            clock = Objects.requireNonNull(value, "clock");
            return this;
        }

        /**
         * Returns the zone, without sending a message.
         *
         * @throws IOException if the journal cannot be read
         */
        public Rfc2136Zone build() throws IOException {
            return new Rfc2136Zone(this, journal == null ? NameJournal.inMemory() : NameJournal.open(journal));
        }
    }
}
