package io.k8sdns.model;

/** An address family, in the order in which records of both are listed. */
public enum IpFamily {
    IPV4("IPv4", 4),
    IPV6("IPv6", 16);

    private final String text;
    private final int octets;

    IpFamily(String text, int octets) {
        this.text = text;
        this.octets = octets;
    }

    /** Returns the number of octets of an address: 4 or 16. */
    public int octets() {
        return octets;
    }

    /** Returns the name that the Kubernetes API uses: {@code IPv4} or {@code IPv6}. */
    @Override
    public String toString() {
        return text;
    }
}
