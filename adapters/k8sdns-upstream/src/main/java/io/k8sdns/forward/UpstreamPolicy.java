package io.k8sdns.forward;

/** In which order the servers of a zone are asked. Servers that are set aside come last in each. */
public enum UpstreamPolicy {
    /** A random order for each question. */
    RANDOM,
    /** Each question begins with the next server. */
    ROUND_ROBIN,
    /** The order in which they were given: the others are for when the first fails. */
    SEQUENTIAL
}
