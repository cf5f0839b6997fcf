package io.k8sdns.cluster;

/**
 * Whether the objects of a source are complete and up to date. Queries about a cluster that is {@link #SYNCING} cannot
 * be answered yet.
 */
public enum SyncState {
    /** Not every kind has been listed yet: a name that is missing may exist. */
    SYNCING,
    /** Every kind has been listed and is watched. */
    SYNCED,
    /** Every kind was listed, but the source is unreachable now; its last objects are kept. */
    STALE
}
