package io.k8sdns.records;

import io.k8sdns.rules.ReverseRank;

/**
 * The PTR targets of an address. If it is a cluster IP, the targets are only the Services that have it; otherwise the policy
 * selects endpoints.
 */
public enum ReversePolicy {
    /** All endpoints with the address, of every Service. */
    ALL,
    /** Only endpoints of headless Services: the letter of specification 2.4.3. */
    HEADLESS_ONLY,
    /** Only endpoints that have a hostname. */
    HOSTNAME_ONLY,
    /** The first of {@link #ALL}: by {@link ReverseRank}, then by name in canonical order. */
    ONE
}
