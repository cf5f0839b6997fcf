package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.nio.ByteBuffer;

/**
 * Everything that changes an answer: two questions with equal keys have one answer.
 *
 * @param name without regard to letter case
 * @param type the type number
 * @param dnsClass the class number
 * @param dnssec DO and CD
 * @param options the wire form of the EDNS options that change answers, in the client's order; never written to
 * @param scope what the host derives from the client
 */
record CacheKey(DnsLabels name, int type, int dnsClass, Dnssec dnssec, ByteBuffer options, Object scope)
        implements Comparable<CacheKey> {
    /** The bits of a query that change its answer: DO (RFC 3225) and CD (RFC 4035, 3.2.2). */
    record Dnssec(boolean isWanted, boolean isUnchecked) {
        private static final Dnssec NEITHER = new Dnssec(false, false);

        /** Returns the bits of a client's query. */
        static Dnssec of(Client client) {
            return client.dnssecOk() || client.checkingDisabled()
                    ? new Dnssec(client.dnssecOk(), client.checkingDisabled())
                    : NEITHER;
        }
    }

    static CacheKey of(Question question, Dnssec dnssec, ByteBuffer options, Object scope) {
        return new CacheKey(question.labels(), question.type().number(), question.dnsClass(), dnssec, options, scope);
    }

    /**
     * Orders keys by name and type alone. Hash tables sort keys with equal hash codes by it, so that names that a client has chosen
     * for their equal hash codes are found without comparing all of them.
     */
    @Override
    public int compareTo(CacheKey other) {
        int byName = name.compareTo(other.name);
        return byName != 0 ? byName : Integer.compare(type, other.type);
    }
}
