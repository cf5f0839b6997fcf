package io.k8sdns.records;

/** Which pod names ({@code 172-17-0-3.NS.pod.ZONE}) are answered. */
public enum PodsMode {
    /** None. */
    DISABLED,
    /** Every address in every published namespace, whether a Pod has it or not: anyone can claim any name. */
    INSECURE,
    /** Those of Pods that exist. */
    VERIFIED
}
