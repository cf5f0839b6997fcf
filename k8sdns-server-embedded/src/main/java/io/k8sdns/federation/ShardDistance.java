package io.k8sdns.federation;

/** The distance between a client and a shard, nearest first. */
enum ShardDistance {
    OWN_CLUSTER(0),
    SAME_ZONE(10),
    SAME_REGION(20),
    OTHER_REGION(30);

    private final int priority;

    ShardDistance(int priority) {
        this.priority = priority;
    }

    /** Returns the priority of SRV records, which clients obey even if a resolver shuffles the records. */
    int priority() {
        return priority;
    }
}
