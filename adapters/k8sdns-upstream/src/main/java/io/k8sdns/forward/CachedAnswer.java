package io.k8sdns.forward;

import io.k8sdns.dnsjava.DnsNames;
import io.k8sdns.forward.CacheObserver.Kind;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.records.RecordSet;
import io.k8sdns.resolver.Answer;
import io.k8sdns.resolver.ExtendedError;
import io.k8sdns.resolver.Question;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.xbill.DNS.DNSOutput;
import org.xbill.DNS.Name;
import org.xbill.DNS.Rcode;
import org.xbill.DNS.Record;
import org.xbill.DNS.Section;
import org.xbill.DNS.Type;

/**
 * An answer in the cache. Stores the data of the records in wire form, which takes a third of the memory of dnsjava's objects and has a
 * known size. dnsjava's records are immutable, so that each new TTL needs new records in any case.
 *
 * <p>All records of an answer have the same TTL, the remaining TTL of the answer. It is at most that of each record unless a configured
 * minimum TTL replaced it.
 *
 * <p>Times are nanoseconds of the cache's clock.
 */
final class CachedAnswer {
    /**
     * Estimated bytes of an entry without its names and records: Caffeine's table nodes, the key, this object, lists. Measured on a
     * 64-bit JVM with compressed references.
     */
    private static final int ENTRY_BYTES = 400;

    /** Estimated bytes of a record set without records: the object, its list element, the header of its data array. */
    private static final int SET_BYTES = 64;

    /** Estimated bytes of a dnsjava name without its labels. */
    private static final int NAME_BYTES = 64;

    /** The size of RDLENGTH in bytes (RFC 1035, 3.2.1). */
    private static final int LENGTH_BYTES = 2;

    /** The heads of nearly all answers, shared by them: those of recursive and of authoritative servers. */
    private static final List<Answer> COMMON_HEADS = List.of(
            Answer.builder(Rcode.NOERROR).recursionAvailable(true).build(),
            Answer.builder(Rcode.NOERROR).build());

    private static final ExtendedError STALE = new ExtendedError(3, "stale answer");
    private static final ExtendedError STALE_NXDOMAIN = new ExtendedError(19, "stale NXDOMAIN answer");

    private final Kind kind;
    private final Answer head;
    private final List<Packed> answer;
    private final List<Packed> authority;
    private final List<Packed> additional;
    private final int bytes;
    private final long expires;
    private final long seconds;
    private final @Nullable CachePopularity popularity;

    /** Guarded by this. */
    private boolean isPrefetched;

    /** The earliest time of the next query to the upstream server after the TTL expired. */
    private volatile long recheck;

    /**
     * The records of one owner and type.
     *
     * @param owner null for the question's name, whose letter case differs between clients
     * @param data RDLENGTH and RDATA of each record, one after the other
     */
    @SuppressWarnings("ArrayRecordComponent") // Neither compared nor exposed.
    private record Packed(@Nullable Name owner, int type, byte[] data) {}

    /** The time at which an answer was received, the time for which it is cached, and the counter of its hits. */
    record Metadata(
            long receivedAt,
            CacheRules.Decision decision,
            @Nullable CachePopularity popularity) {}

    private CachedAnswer(Question question, Answer received, Metadata metadata) {
        this.kind = metadata.decision().kind();
        this.seconds = metadata.decision().seconds();
        this.expires = metadata.receivedAt() + TimeUnit.SECONDS.toNanos(seconds);
        this.recheck = expires;
        this.popularity = metadata.popularity();
        Answer own = received.toBuilder()
                .authoritative(false)
                .answer(List.of())
                .authority(List.of())
                .additional(List.of())
                .build();
        int common = COMMON_HEADS.indexOf(own);
        this.head = common < 0 ? own : COMMON_HEADS.get(common);
        Name asked = question.name();
        this.answer = pack(received.answer(), asked, question.dnsClass());
        this.authority = pack(received.authority(), asked, question.dnsClass());
        this.additional = pack(received.additional(), asked, question.dnsClass());
        long size = ENTRY_BYTES
                + question.labels().wireLength()
                + received.extendedError()
                        .map(error -> 64 + 2L * error.text().length())
                        .orElse(0L)
                + bytes(answer)
                + bytes(authority)
                + bytes(additional);
        this.bytes = (int) Math.min(Integer.MAX_VALUE / 2, size);
    }

    /** An answer for the cache, and the same answer for the client whose question was forwarded. */
    record Packing(CachedAnswer cached, Answer unpacked) {}

    /**
     * Packs an answer for the cache.
     *
     * @return null if a record cannot be restored from its wire form or is not of the question's class
     */
    static @Nullable Packing of(Question question, Answer received, Metadata metadata) {
        try {
            CachedAnswer packed = new CachedAnswer(question, received, metadata);
            return new Packing(
                    packed,
                    packed.isAsFresh(received, question) ? received : packed.fresh(question, metadata.receivedAt()));
        } catch (RuntimeException unpackable) {
            return null;
        }
    }

    /**
     * Returns whether an answer equals the result of {@link #fresh}, as nearly all do. True only for addresses, since other data may
     * change in wire form.
     */
    private boolean isAsFresh(Answer received, Question question) {
        if (received.authoritative()
                || received.answer().isEmpty()
                || !received.authority().isEmpty()
                || !received.additional().isEmpty()) {
            return false;
        }
        byte[] spelling = new byte[question.labels().wireLength() + 1];
        question.labels().copyTo(spelling, 0);
        for (RecordSet set : received.answer()) {
            if (!isAddress(set)
                    || set.ttlSeconds() != seconds
                    || !Arrays.equals(DnsNames.wire(set.owner()), spelling)) {
                return false;
            }
        }
        return true;
    }

    private static List<Packed> pack(List<RecordSet> sets, Name asked, int dnsClass) {
        List<Packed> packed = new ArrayList<>(sets.size());
        for (RecordSet set : sets) {
            DNSOutput data = new DNSOutput();
            for (Record one : set.records()) {
                if (one.getDClass() != dnsClass) {
                    throw new IllegalArgumentException("not of class " + dnsClass + ": " + one);
                }
                if (isAddress(set)) {
                    // Address data contains no name, so that the canonical form does not change letters.
                    byte[] address = one.rdataToWireCanonical();
                    data.writeU16(address.length);
                    data.writeByteArray(address);
                } else {
                    byte[] wire = one.toWire(Section.ANSWER);
                    // Type, class and TTL, between owner and RDLENGTH, take 8 bytes.
                    int lengthAt = one.getName().length() + 8;
                    data.writeByteArray(wire, lengthAt, wire.length - lengthAt);
                }
            }
            Name owner = set.owner().equals(asked) ? null : set.owner();
            packed.add(new Packed(owner, set.typeNumber(), data.toByteArray()));
        }
        return List.copyOf(packed);
    }

    private static boolean isAddress(RecordSet set) {
        return set.typeNumber() == Type.A || set.typeNumber() == Type.AAAA;
    }

    private static long bytes(List<Packed> sets) {
        long bytes = 0;
        for (Packed set : sets) {
            bytes += SET_BYTES
                    + (set.owner() == null ? 0 : NAME_BYTES + set.owner().length())
                    + set.data().length;
        }
        return bytes;
    }

    Kind kind() {
        return kind;
    }

    /** Returns whether the owner of a record, other than the question's name, is one of some names. The SOA's owner does not count. */
    boolean hasOtherOwner(Predicate<DnsLabels> names) {
        return Stream.concat(answer.stream(), additional.stream())
                .map(Packed::owner)
                .anyMatch(owner -> owner != null && names.test(DnsNames.labels(owner)));
    }

    /** Returns the estimated size of the entry in bytes, without options and scope of its key. */
    int bytes() {
        return bytes;
    }

    long seconds() {
        return seconds;
    }

    @Nullable
    CachePopularity popularity() {
        return popularity;
    }

    boolean isFresh(long now) {
        return expires - now > 0;
    }

    /** Returns whether a policy allows serving the answer after its TTL expired; always false for SERVFAIL. */
    boolean isServable(CacheStalePolicy policy, long now) {
        return kind != Kind.FAILURE && staleNanosLeft(policy, now) > 0;
    }

    private long staleNanosLeft(CacheStalePolicy policy, long now) {
        return expires + policy.maxAgeNanos() - now;
    }

    /** Returns whether the upstream server may be asked again. */
    boolean isRecheckDue(long now) {
        return recheck - now <= 0;
    }

    /** Sets when the upstream server may be asked again. */
    void recheckAt(long time) {
        recheck = time;
    }

    /** Returns true at the first call with less than a percentage of the TTL, or less than a second, left; afterwards false. */
    boolean claimPrefetch(int percent, long now) {
        long threshold = Math.max(TimeUnit.SECONDS.toNanos(1), TimeUnit.SECONDS.toNanos(seconds) / 100 * percent);
        return expires - now < threshold && claimPrefetch();
    }

    private synchronized boolean claimPrefetch() {
        boolean isFirst = !isPrefetched;
        isPrefetched = true;
        return isFirst;
    }

    /** Returns the answer in the letter case of a question, with its remaining TTL in whole seconds, at least 0. */
    Answer fresh(Question question, long now) {
        return unpack(head.toBuilder(), question, Math.max(0, TimeUnit.NANOSECONDS.toSeconds(expires - now)));
    }

    /** Returns the answer in the letter case of a question, marked as stale (RFC 8914, 4.4 and 4.20). */
    Answer stale(Question question, CacheStalePolicy policy, long now) {
        long left = Math.max(0, TimeUnit.NANOSECONDS.toSeconds(staleNanosLeft(policy, now)));
        ExtendedError mark = head.rcode() == Rcode.NXDOMAIN ? STALE_NXDOMAIN : STALE;
        return unpack(head.toBuilder().extendedError(mark), question, Math.min(policy.ttlSeconds(), left));
    }

    private Answer unpack(Answer.Builder builder, Question question, long ttl) {
        Name asked = question.name();
        return builder.answer(unpack(answer, asked, question.dnsClass(), ttl))
                .authority(unpack(authority, asked, question.dnsClass(), ttl))
                .additional(unpack(additional, asked, question.dnsClass(), ttl))
                .build();
    }

    private static List<RecordSet> unpack(List<Packed> sets, Name asked, int dnsClass, long ttl) {
        List<RecordSet> unpacked = new ArrayList<>(sets.size());
        for (Packed set : sets) {
            Name owner = set.owner() == null ? asked : set.owner();
            byte[] data = set.data();
            List<Record> records = new ArrayList<>();
            for (int at = 0, end; at < data.length; at = end) {
                int from = at + LENGTH_BYTES;
                end = from + ((data[at] & 0xFF) << 8 | data[at + 1] & 0xFF);
                records.add(Record.newRecord(owner, set.type(), dnsClass, ttl, Arrays.copyOfRange(data, from, end)));
            }
            unpacked.add(RecordSet.inOrder(records));
        }
        return unpacked;
    }

    /** Returns an answer whose owner names equal to the question's name have the letter case of the question. */
    static Answer respelled(Answer answer, Question question) {
        Name asked = question.name();
        byte[] spelling = DnsNames.wire(asked);
        return answer.toBuilder()
                .answer(respelled(answer.answer(), asked, spelling))
                .authority(respelled(answer.authority(), asked, spelling))
                .additional(respelled(answer.additional(), asked, spelling))
                .build();
    }

    private static List<RecordSet> respelled(List<RecordSet> sets, Name asked, byte[] spelling) {
        return sets.stream()
                .map(set -> !set.owner().equals(asked) || Arrays.equals(DnsNames.wire(set.owner()), spelling)
                        ? set
                        : RecordSet.inOrder(set.records().stream()
                                .map(one -> one.withName(asked))
                                .toList()))
                .toList();
    }
}
