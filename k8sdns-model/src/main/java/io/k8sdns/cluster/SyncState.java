package io.k8sdns.cluster;

/** How far a source's objects can be trusted; questions about a cluster that is {@link #SYNCING} have no answer yet. */
public enum SyncState {
    /** Not every kind has been listed yet: a name that is missing may exist. */
    SYNCING,
    /** Every kind has been listed and is followed. */
    SYNCED,
    /** Every kind was listed once; the source is out of reach and the last objects are kept. */
    STALE
}
