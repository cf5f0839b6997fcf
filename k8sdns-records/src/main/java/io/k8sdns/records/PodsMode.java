package io.k8sdns.records;

/** The pod names ({@code 172-17-0-3.NS.pod.ZONE}) that exist. */
public enum PodsMode {
    /** No pod name exists. */
    DISABLED,
    /** Every address has a name in every published namespace, so that a name does not prove that a Pod exists. */
    INSECURE,
    /** An address has a name in a namespace if a Pod there has the address. */
    VERIFIED
}
