package io.k8sdns.forward;

import io.k8sdns.name.DnsLabels;
import io.k8sdns.resolver.Client;
import io.k8sdns.resolver.Question;
import java.nio.ByteBuffer;

/**
 * The key of a cached answer: all properties of a question and its client that can change the answer.
 *
 * @param name compared case-insensitively
 * @param type the type number
 * @param dnsClass the class number
 * @param dnssec DO and CD
 * @param options the wire form of the EDNS options that change answers, in the client's order; never modified
 * @param scope the client's scope ({@link AnswerCache.Builder#scope})
 */
record CacheKey(DnsLabels name, int type, int dnsClass, Dnssec dnssec, ByteBuffer options, Object scope)
        implements Comparable<CacheKey> {
    /** The bits of a query that change its answer: DO (RFC 3225) and CD (RFC 4035, 3.2.2). */
    record Dnssec(boolean dnssecOk, boolean checkingDisabled) {
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
     * Orders keys only by name and type. Hash tables use this order for keys with equal hash codes, so that a client that sends names
     * with equal hash codes does not cause linear searches.
     */
    @Override
    public int compareTo(CacheKey other) {
        int byName = name.compareTo(other.name);
        return byName != 0 ? byName : Integer.compare(type, other.type);
    }
}
