package io.k8sdns.records;

import io.k8sdns.rules.ReverseRank;

/**
 * Which PTR targets an address has. Where it is a cluster IP, the Services that have it come first and alone; the other
 * policies choose among endpoints.
 */
public enum ReversePolicy {
    /** Every Service's endpoint that has the address. */
    ALL,
    /** Endpoints of headless Services only, the letter of specification 2.4.3. */
    HEADLESS_ONLY,
    /** Endpoints that have a hostname only. */
    HOSTNAME_ONLY,
    /** The first of {@link #ALL}: by {@link ReverseRank}, then by name in canonical order. */
    ONE
}
