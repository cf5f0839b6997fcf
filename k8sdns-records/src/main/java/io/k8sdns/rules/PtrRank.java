package io.k8sdns.rules;

import io.k8sdns.model.Internal;

/** The rank of a name as a PTR target, best first. */
@Internal
public enum PtrRank {
    /** A Service that has the address as a cluster IP. If there is one, endpoints are not PTR targets. */
    CLUSTER_IP,
    /** An endpoint that has a hostname. */
    HOSTNAME,
    /** An endpoint named by its Pod or its address. */
    ENDPOINT
}
