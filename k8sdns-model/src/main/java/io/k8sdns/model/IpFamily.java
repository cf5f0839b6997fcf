package io.k8sdns.model;

/** An address family, in the order in which records of both are listed. */
public enum IpFamily {
    IPV4("IPv4", 4),
    IPV6("IPv6", 16);

    private final String text;
    private final int byteCount;

    IpFamily(String text, int byteCount) {
        this.text = text;
        this.byteCount = byteCount;
    }

    /** Returns the number of bytes of an address: 4 or 16. */
    public int byteCount() {
        return byteCount;
    }

    /** Returns the name that the Kubernetes API uses: {@code IPv4} or {@code IPv6}. */
    @Override
    public String toString() {
        return text;
    }
}
