package io.k8sdns.forward;

/** The order in which the servers of a zone are asked. Servers that are marked down are always asked last. */
public enum UpstreamPolicy {
    /** A random order for each question. */
    RANDOM,
    /** Each question starts with the next server. */
    ROUND_ROBIN,
    /** The configured order: later servers are asked only if earlier ones fail. */
    SEQUENTIAL
}
