package io.k8sdns.rules;

import io.k8sdns.model.Internal;

/** What kind of PTR target a name is, best first. */
@Internal
public enum ReverseRank {
    /** A Service whose cluster IP the address is: where there is one, endpoints do not count. */
    CLUSTER_IP,
    /** An endpoint with a hostname. */
    HOSTNAME,
    /** An endpoint named by its Pod or its address. */
    ENDPOINT
}
