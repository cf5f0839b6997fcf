package io.k8sdns.resolver;

import io.k8sdns.arguments.Copies;
import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.model.Internal;
import io.k8sdns.model.IpAddress;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.AAAARecord;
import org.xbill.DNS.ARecord;
import org.xbill.DNS.CNAMERecord;
import org.xbill.DNS.DClass;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.ExtendedErrorCodeOption;
import org.xbill.DNS.Flags;
import org.xbill.DNS.Header;
import org.xbill.DNS.Message;
import org.xbill.DNS.Name;
import org.xbill.DNS.OPTRecord;
import org.xbill.DNS.PTRRecord;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.SRVRecord;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * The answer to a question: a status and records. An immutable value; two answers are equal if all of their parts are.
 *
 * <p>Most callers need {@link #status}, {@link #addresses}, {@link #srvTargets} or {@link #cnames}. The
 * sections of the message are {@link #answer}, {@link #authority} and {@link #additional}; {@link #of} and {@link #toMessage}
 * convert from and to dnsjava's messages.
 */
public final class Answer {
    /** SERVFAIL, used when a resolver fails. */
    public static final Answer FAILED =
            failure(Rcode.SERVFAIL, new ExtendedError(ExtendedError.OTHER, "the resolver failed"));

    /** The largest RCODE with OPT: 12 bits (RFC 6891, 6.1.3). */
    private static final int MAX_RCODE = 0xFFF;

    /** The types of records that redirect to another name, and the type of their signatures. */
    private static final Set<Integer> REDIRECTS = Set.of(Type.CNAME, Type.DNAME, Type.RRSIG);

    /** The UDP payload size in the OPT record of {@link #toMessage}, in bytes. */
    private static final int UDP_PAYLOAD = 1232;

    private final int rcode;
    private final boolean authoritative;
    private final boolean recursionAvailable;
    private final boolean ordered;
    private final List<RecordSet> answer;
    private final List<RecordSet> authority;
    private final List<RecordSet> additional;
    private final @Nullable ExtendedError error;
    private final List<EDNSOption> ednsOptions;

    private Answer(Builder builder) {
        this.rcode = builder.rcode;
        this.authoritative = builder.authoritative;
        this.recursionAvailable = builder.recursionAvailable;
        this.ordered = builder.ordered;
        this.answer = builder.answer;
        this.authority = builder.authority;
        this.additional = builder.additional;
        this.error = builder.error;
        this.ednsOptions = builder.ednsOptions;
    }

    /**
     * Returns a builder of an answer without records.
     *
     * @param rcode the RCODE, 0 to 4095; one above 15 needs a query with EDNS, and is sent as SERVFAIL without
     * @throws IllegalArgumentException if it is out of that range
     */
    public static Builder builder(int rcode) {
        if (rcode < 0 || rcode > MAX_RCODE) {
            throw new IllegalArgumentException("not an RCODE (0 to 4095): " + rcode);
        }
        return new Builder(rcode);
    }

    /** Returns an answer without records. */
    public static Answer failure(int rcode) {
        return builder(rcode).build();
    }

    /** Returns an answer without records, with the reason as an extended error. */
    public static Answer failure(int rcode, ExtendedError extendedError) {
        return builder(rcode).extendedError(extendedError).build();
    }

    /**
     * Returns the answer that a message holds.
     *
     * <p>Records with one owner and type become one set, whose TTL is the smallest of their TTLs (RFC 2181, 5.2). Records of classes
     * other than IN are ignored. If there are several extended errors, the first one is used. Other EDNS options are ignored,
     * because they apply only to the client of that message (RFC 6891, 6.2.6).
     *
     * @param response a response; its question, id and TC bit are ignored, so the caller must retry a truncated one over TCP first
     */
    public static Answer of(Message response) {
        return of(response, RecordSet::of);
    }

    /**
     * Returns the answer that a message holds, like {@link #of}, but keeps the order of the records of each set instead of sorting
     * them canonically.
     *
     * @param response a response
     */
    public static Answer keepingOrder(Message response) {
        return of(response, RecordSet::inOrder);
    }

    private static Answer of(Message response, Function<List<Record>, RecordSet> toSet) {
        Objects.requireNonNull(response, "response");
        Header header = response.getHeader();
        Builder builder = builder(response.getRcode())
                .answer(sets(response, Section.ANSWER, toSet))
                .authority(sets(response, Section.AUTHORITY, toSet))
                .additional(sets(response, Section.ADDITIONAL, toSet));
        if (header.getFlag(Flags.AA)) {
            builder.authoritative();
        }
        if (header.getFlag(Flags.RA)) {
            builder.recursionAvailable(true);
        }
        OPTRecord opt = response.getOPT();
        if (opt != null) {
            for (EDNSOption option : opt.getOptions(EDNSOption.Code.EDNS_EXTENDED_ERROR)) {
                if (builder.error == null && option instanceof ExtendedErrorCodeOption reason) {
                    String text = reason.getText();
                    builder.extendedError(new ExtendedError(reason.getErrorCode(), text == null ? "" : text));
                }
            }
        }
        return builder.build();
    }

    private static List<RecordSet> sets(Message message, int section, Function<List<Record>, RecordSet> toSet) {
        record Key(Name owner, int type) {}
        List<Record> all = message.getSection(section);
        if (all.isEmpty()) {
            return List.of();
        }
        if (all.size() == 1) {
            Record only = all.get(0);
            return isData(only) ? List.of(RecordSet.of(only)) : List.of();
        }
        Map<Key, List<Record>> byKey = new LinkedHashMap<>();
        for (Record one : all) {
            if (isData(one)) {
                byKey.computeIfAbsent(new Key(one.getName(), one.getType()), any -> new ArrayList<>())
                        .add(one);
            }
        }
        List<RecordSet> sets = new ArrayList<>();
        byKey.forEach((key, records) -> {
            long ttl = Long.MAX_VALUE;
            for (Record one : records) {
                ttl = Math.min(ttl, one.getTTL());
            }
            for (int i = 0; i < records.size(); i++) {
                Record one = records.get(i);
                records.set(i, one.getTTL() == ttl ? one : withTtl(one, ttl));
            }
            sets.add(toSet.apply(records));
        });
        return sets;
    }

    private static boolean isData(Record one) {
        return one.getDClass() == DClass.IN && one.getType() != Type.OPT && one.getType() != Type.TSIG;
    }

    /** Returns a record with another TTL. Edits the wire form, because dnsjava has no such method and its canonical form folds case. */
    private static Record withTtl(Record one, long ttl) {
        byte[] wire = one.toWire(Section.ANSWER);
        int at = one.getName().length() + 4;
        for (int i = 0; i < Integer.BYTES; i++) {
            wire[at + i] = (byte) (ttl >>> 8 * (Integer.BYTES - 1 - i));
        }
        try {
            return Record.fromWire(wire, Section.ANSWER);
        } catch (IOException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Returns the RCODE number, 0 to 4095. */
    public int rcode() {
        return rcode;
    }

    /** Returns the outcome of the question. */
    public AnswerStatus status() {
        return switch (rcode) {
            case Rcode.NOERROR -> hasData() ? AnswerStatus.NOERROR : AnswerStatus.NODATA;
            case Rcode.NXDOMAIN -> AnswerStatus.NXDOMAIN;
            case Rcode.SERVFAIL -> AnswerStatus.SERVFAIL;
            case Rcode.REFUSED -> AnswerStatus.REFUSED;
            default -> AnswerStatus.OTHER;
        };
    }

    /** Returns whether there is a record other than an alias, or an alias without the SOA of a negative answer (RFC 2308). */
    private boolean hasData() {
        return !answer.isEmpty()
                && (answer.stream().anyMatch(set -> !REDIRECTS.contains(set.typeNumber()))
                        || authority.stream().noneMatch(set -> set.typeNumber() == Type.SOA));
    }

    /** Returns whether AA is set. */
    public boolean authoritative() {
        return authoritative;
    }

    /** Returns whether RA is set. */
    public boolean recursionAvailable() {
        return recursionAvailable;
    }

    /**
     * Returns whether the order of all records is significant: a responder then keeps it, whatever its {@link
     * io.k8sdns.wire.AnswerOrder}. Set for forwarded answers whose name server has already ordered and rotated the records.
     */
    public boolean isOrdered() {
        return ordered;
    }

    /**
     * Returns the answer section. Consecutive sets with the same owner and type are groups in order of preference: a responder
     * keeps the order of the groups and applies its {@link io.k8sdns.wire.AnswerOrder} only inside each group.
     */
    public List<RecordSet> answer() {
        return answer;
    }

    /** Returns the authority section. */
    public List<RecordSet> authority() {
        return authority;
    }

    /** Returns the additional section, without OPT; a responder may truncate it without setting TC. */
    public List<RecordSet> additional() {
        return additional;
    }

    /** Returns the extended error if present, otherwise empty. */
    public Optional<ExtendedError> extendedError() {
        return Optional.ofNullable(error);
    }

    /**
     * Returns the EDNS options of the response, without the extended error. A responder sends them only to clients that use EDNS,
     * and omits those for which the message has no room.
     */
    public List<EDNSOption> ednsOptions() {
        return ednsOptions;
    }

    /** Returns all records of the answer section, CNAMEs before the records of their targets. */
    public List<Record> records() {
        return answer.stream().flatMap(set -> set.records().stream()).toList();
    }

    /**
     * Returns the addresses of the answer section's A and AAAA records, in their order, as text; IPv6 in the form of RFC 5952.
     */
    public List<String> addresses() {
        return addresses(answer, any -> true);
    }

    private static List<String> addresses(List<RecordSet> sets, Predicate<Name> owner) {
        return sets.stream()
                .filter(set -> owner.test(set.owner()))
                .flatMap(set -> set.records().stream())
                .flatMap(Answer::address)
                .toList();
    }

    private static Stream<String> address(Record one) {
        byte[] address = one instanceof ARecord ipv4
                ? ipv4.getAddress().getAddress()
                : one instanceof AAAARecord ipv6 ? ipv6.getAddress().getAddress() : new byte[0];
        return address.length == 0
                ? Stream.empty()
                : Stream.of(IpAddress.ofBytes(address).toString());
    }

    /** Returns the hosts and ports of the answer section's SRV records, with the addresses of the additional section. */
    public List<SrvTarget> srvTargets() {
        return records().stream()
                .filter(SRVRecord.class::isInstance)
                .map(SRVRecord.class::cast)
                .map(srv -> new SrvTarget(
                        srv.getPriority(),
                        srv.getWeight(),
                        srv.getPort(),
                        srv.getTarget(),
                        addresses(additional, srv.getTarget()::equals)))
                .toList();
    }

    /** Returns the targets of the answer section's CNAME records, in order; empty if the name is not an alias. */
    public List<Name> cnames() {
        return records().stream()
                .filter(CNAMERecord.class::isInstance)
                .map(one -> ((CNAMERecord) one).getTarget())
                .toList();
    }

    /** Returns the targets of the answer section's PTR records. */
    public List<Name> ptrTargets() {
        return records().stream()
                .filter(PTRRecord.class::isInstance)
                .map(one -> ((PTRRecord) one).getTarget())
                .toList();
    }

    /**
     * Returns the response to a query, with the query's id, question, RD and CD, and with OPT if the query has one.
     *
     * @param query the query, as dnsjava's type
     * @return a new message, never truncated; transports use {@link io.k8sdns.wire.DnsResponder} instead, which truncates
     */
    public Message toMessage(Message query) {
        Objects.requireNonNull(query, "query");
        Message response = new Message(query.getHeader().getID());
        Header header = response.getHeader();
        header.setFlag(Flags.QR);
        header.setOpcode(query.getHeader().getOpcode());
        copyFlag(Flags.RD, query, header);
        copyFlag(Flags.CD, query, header);
        if (authoritative) {
            header.setFlag(Flags.AA);
        }
        if (recursionAvailable) {
            header.setFlag(Flags.RA);
        }
        Record question = query.getQuestion();
        if (question != null) {
            response.addRecord(question, Section.QUESTION);
        }
        add(answer, response, Section.ANSWER);
        add(authority, response, Section.AUTHORITY);
        add(additional, response, Section.ADDITIONAL);
        OPTRecord opt = query.getOPT();
        int sent = opt == null && rcode > 0xF ? Rcode.SERVFAIL : rcode;
        header.setRcode(sent & 0xF);
        if (opt != null) {
            List<EDNSOption> options = new ArrayList<>(ednsOptions);
            if (error != null) {
                options.add(new ExtendedErrorCodeOption(error.code(), error.text()));
            }
            response.addRecord(
                    new OPTRecord(UDP_PAYLOAD, sent >>> 4, 0, opt.getFlags() & 0x8000, options), Section.ADDITIONAL);
        }
        return response;
    }

    private static void copyFlag(int flag, Message from, Header to) {
        if (from.getHeader().getFlag(flag)) {
            to.setFlag(flag);
        }
    }

    private static void add(List<RecordSet> sets, Message message, int section) {
        sets.forEach(set -> set.records().forEach(one -> message.addRecord(one, section)));
    }

    /**
     * Returns this answer without records of foreign names: names that belong to another server or resolver. The answer section
     * ends with the first alias whose target is foreign; the RCODE is then NOERROR, and only the DNSSEC proofs of the aliases
     * remain in the authority section. If this answer is not authoritative, addresses of foreign names are removed from its
     * additional section, too. If the question is for CNAME, the alias itself is the answer and remains; if it is for ANY, all records
     * of the owners up to the foreign target remain.
     *
     * @param question the question of this answer
     * @param isForeign whether a name belongs to another server or resolver
     */
    public Answer ownPart(Question question, Predicate<DnsLabels> isForeign) {
        Objects.requireNonNull(isForeign, "isForeign");
        return authoritative
                ? upToAlias(question, isForeign)
                : exceptDnames(isForeign).upToAlias(question, isForeign).exceptAdditional(isForeign);
    }

    private Answer upToAlias(Question question, Predicate<DnsLabels> isForeign) {
        Name name = question.name();
        Optional<Name> target = aliasTarget(name);
        if (target.isEmpty() || question.isFor(Type.CNAME)) {
            return this;
        }
        Set<Name> owners = new HashSet<>(Set.of(name));
        while (target.isPresent() && !isForeign.test(DnsNames.labels(target.get()))) {
            target = owners.add(target.get()) ? aliasTarget(target.get()) : Optional.empty();
        }
        if (target.isEmpty()) {
            return this;
        }
        return ofOwners(owners, question.isFor(Type.ANY), isForeign);
    }

    /** Returns some owners, and the owners of the DNAME records above them. */
    private Set<Name> withDnames(Set<Name> owners) {
        Set<Name> all = new HashSet<>(owners);
        answer.stream()
                .filter(set -> set.typeNumber() == Type.DNAME)
                .map(RecordSet::owner)
                .filter(above -> owners.stream().anyMatch(owner -> owner.subdomain(above)))
                .forEach(all::add);
        return all;
    }

    /**
     * Returns an answer with the aliases of some owners, or all their records, and with the proofs of the aliases: signatures, DNAME
     * records above them, NSEC and NSEC3.
     */
    private Answer ofOwners(Set<Name> owners, boolean allTypes, Predicate<DnsLabels> isForeign) {
        Set<Name> all = withDnames(owners);
        Set<Name> absences = authority.stream()
                .filter(set -> set.typeNumber() == Type.NSEC || set.typeNumber() == Type.NSEC3)
                .map(RecordSet::owner)
                .filter(owner -> !isForeign.test(DnsNames.labels(owner)) || isBelowOwn(owner, isForeign))
                .collect(Collectors.toSet());
        Builder own = toBuilder();
        own.rcode = Rcode.NOERROR;
        own.error = staleError().orElse(null);
        return own.answer(keep(
                        answer,
                        set -> allTypes && owners.contains(set.owner())
                                || REDIRECTS.contains(set.typeNumber()) && all.contains(set.owner())))
                .authority(keep(authority, set -> set.typeNumber() != Type.SOA && absences.contains(set.owner())))
                .build();
    }

    /** Returns whether a name lies directly below a name that is not foreign: the parent zone has NSEC records at a zone cut, too. */
    private static boolean isBelowOwn(Name owner, Predicate<DnsLabels> isForeign) {
        return owner.labels() > 1 && !isForeign.test(DnsNames.labels(new Name(owner, 1)));
    }

    /** Returns the mark of stale data if present, otherwise empty. Unlike other errors it applies to every part of an answer. */
    Optional<ExtendedError> staleError() {
        return extendedError()
                .filter(mark ->
                        mark.code() == ExtendedError.STALE_ANSWER || mark.code() == ExtendedError.STALE_NXDOMAIN_ANSWER)
                .map(mark -> new ExtendedError(ExtendedError.STALE_ANSWER, mark.text()));
    }

    /** Removes DNAME records of foreign owners, which would redirect all names below them. */
    private Answer exceptDnames(Predicate<DnsLabels> isForeign) {
        if (!hasType(answer, Type.DNAME)) {
            return this;
        }
        Set<Name> foreign = answer.stream()
                .filter(set -> set.typeNumber() == Type.DNAME)
                .map(RecordSet::owner)
                .filter(owner -> isForeign.test(DnsNames.labels(owner)))
                .collect(Collectors.toSet());
        return toBuilder()
                .answer(keep(answer, set -> !foreign.contains(set.owner()) || !REDIRECTS.contains(set.typeNumber())))
                .build();
    }

    private Answer exceptAdditional(Predicate<DnsLabels> isForeign) {
        List<RecordSet> own = keep(additional, set -> !isForeign.test(DnsNames.labels(set.owner())));
        return own.size() == additional.size()
                ? this
                : toBuilder().additional(own).build();
    }

    private static boolean hasType(List<RecordSet> sets, int type) {
        for (RecordSet set : sets) {
            if (set.typeNumber() == type) {
                return true;
            }
        }
        return false;
    }

    private static List<RecordSet> keep(List<RecordSet> sets, Predicate<RecordSet> wanted) {
        return sets.isEmpty() ? sets : sets.stream().filter(wanted).toList();
    }

    /**
     * Returns the unresolved target of a trailing CNAME: the answer has no record of it, and no SOA that denies one. Otherwise
     * returns empty.
     *
     * @param name the name of the question
     */
    @Internal
    public Optional<Name> aliasToResolve(Name name) {
        if (rcode != Rcode.NOERROR || aliasTarget(name).isEmpty() || hasType(authority, Type.SOA)) {
            return Optional.empty();
        }
        Set<Name> owners = new HashSet<>();
        Name last = name;
        while (owners.add(last)) {
            last = aliasTarget(last).orElse(last);
        }
        Name end = last;
        return end.equals(name) || answer.stream().anyMatch(set -> set.owner().equals(end))
                ? Optional.empty()
                : Optional.of(end);
    }

    private Optional<Name> aliasTarget(Name owner) {
        for (RecordSet set : answer) {
            if (set.typeNumber() == Type.CNAME && set.owner().equals(owner)) {
                return Optional.of(((CNAMERecord) set.records().get(0)).getTarget());
            }
        }
        return Optional.empty();
    }

    /** Returns a builder with the parts of this answer. */
    public Builder toBuilder() {
        Builder builder = new Builder(rcode);
        builder.authoritative = authoritative;
        builder.recursionAvailable = recursionAvailable;
        builder.ordered = ordered;
        builder.answer = answer;
        builder.authority = authority;
        builder.additional = additional;
        builder.error = error;
        builder.ednsOptions = ednsOptions;
        return builder;
    }

    /** Returns the same answer with RA set or cleared. */
    public Answer withRecursionAvailable(boolean available) {
        return available == recursionAvailable
                ? this
                : toBuilder().recursionAvailable(available).build();
    }

    /** Returns the same answer with a significant order; see {@link #isOrdered}. */
    public Answer inOrder() {
        return ordered ? this : toBuilder().ordered().build();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Answer that
                && rcode == that.rcode
                && authoritative == that.authoritative
                && recursionAvailable == that.recursionAvailable
                && ordered == that.ordered
                && answer.equals(that.answer)
                && authority.equals(that.authority)
                && additional.equals(that.additional)
                && Objects.equals(error, that.error)
                && ednsOptions.equals(that.ednsOptions);
    }

    @Override
    public int hashCode() {
        return Objects.hash(
                rcode, authoritative, recursionAvailable, ordered, answer, authority, additional, error, ednsOptions);
    }

    /**
     * Returns status, records and extended error as text, for example {@code NXDOMAIN} or {@code NOERROR
     * cart.shop.svc.cluster.local. 5 IN A 10.96.0.20}. Each of several records has its own line.
     */
    @Override
    public String toString() {
        AnswerStatus status = status();
        String word = status == AnswerStatus.OTHER ? Rcode.string(rcode) : status.toString();
        String reason = error == null ? "" : " (" + error + ")";
        List<String> lines = answer.stream().flatMap(RecordSet::lines).toList();
        return word
                + reason
                + (lines.size() < 2
                        ? lines.stream().map(line -> " " + line).collect(Collectors.joining())
                        : lines.stream().map(line -> "\n  " + line).collect(Collectors.joining()));
    }

    /** Collects the parts of an answer. */
    public static final class Builder {
        private int rcode;
        private boolean authoritative;
        private boolean recursionAvailable;
        private boolean ordered;
        private List<RecordSet> answer = List.of();
        private List<RecordSet> authority = List.of();
        private List<RecordSet> additional = List.of();
        private @Nullable ExtendedError error;
        private List<EDNSOption> ednsOptions = List.of();

        private Builder(int rcode) {
            this.rcode = rcode;
        }

        /** Sets AA. */
        public Builder authoritative() {
            return authoritative(true);
        }

        /** Sets or clears AA; clear by default. */
        public Builder authoritative(boolean value) {
            authoritative = value;
            return this;
        }

        /** Sets or clears RA; clear by default. */
        public Builder recursionAvailable(boolean value) {
            recursionAvailable = value;
            return this;
        }

        /** Marks the order of all records as significant; not significant by default. */
        public Builder ordered() {
            ordered = true;
            return this;
        }

        /**
         * Sets the answer section; empty by default.
         *
         * @param sets the sets; those with the same owner and type are groups in order of preference
         */
        public Builder answer(List<RecordSet> sets) {
            answer = Copies.list("answer", sets);
            return this;
        }

        /** Sets the authority section; empty by default. */
        public Builder authority(List<RecordSet> sets) {
            authority = Copies.list("authority", sets);
            return this;
        }

        /** Sets the additional section, without OPT; empty by default. */
        public Builder additional(List<RecordSet> sets) {
            additional = Copies.list("additional", sets);
            return this;
        }

        /** Sets the extended error; none by default. */
        public Builder extendedError(ExtendedError value) {
            error = Objects.requireNonNull(value, "extendedError");
            return this;
        }

        /**
         * Sets the EDNS options of the response; none by default.
         *
         * @param options any except the extended error, which {@link #extendedError} sets
         */
        public Builder ednsOptions(List<EDNSOption> options) {
            ednsOptions = Copies.list("ednsOptions", options);
            return this;
        }

        /** Returns the answer. */
        public Answer build() {
            return new Answer(this);
        }
    }
}
