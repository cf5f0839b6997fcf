package io.k8sdns.records;

import io.k8sdns.rules.PtrRank;

/**
 * The PTR targets of an address. If Services have the address as a cluster IP, only these Services are targets (with {@link #ONE}
 * the first of them); otherwise the policy selects endpoints.
 */
public enum ReversePolicy {
    /** All endpoints that have the address, of every Service. */
    ALL,
    /** Only endpoints of headless Services, as in specification 2.4.3. */
    HEADLESS_ONLY,
    /** Only endpoints that have a hostname. */
    HOSTNAME_ONLY,
    /**
     * Only the first target, also of several Services with the address as a cluster IP. Targets are ordered by {@link PtrRank}, then
     * by name in canonical order.
     */
    ONE
}
