package io.k8sdns.resolvconf;

import java.util.Objects;

/**
 * Thrown for a Pod that is valid but never starts: {@code setHostnameAsFQDN} requests a name that is too long for the
 * kernel.
 *
 * <p>Source: "DNS for Services and Pods", Pod's setHostnameAsFQDN field; KEP-1797.
 */
public final class FqdnTooLongException extends IllegalArgumentException {
    private static final long serialVersionUID = 1L;

    private final String fqdn;

    /**
     * Makes an exception with the kubelet's message.
     *
     * @param fqdn the name, longer than 64 characters
     */
    public FqdnTooLongException(String fqdn) {
        super("failed to construct FQDN from pod hostname and cluster domain, FQDN "
                + Objects.requireNonNull(fqdn, "fqdn") + " is too long (" + PodHostname.KERNEL_LIMIT
                + " characters is the max, " + fqdn.length() + " characters requested)");
        this.fqdn = fqdn;
    }

    /** Returns the name that is too long. */
    public String fqdn() {
        return fqdn;
    }
}
