package io.k8sdns.federation;

import io.k8sdns.arguments.KubernetesNames;
import io.k8sdns.name.DnsLabels;
import io.k8sdns.name.InvalidNameException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import org.xbill.DNS.EDNSOption;
import org.xbill.DNS.GenericEDNSOption;

/**
 * The EDNS option that names the cluster of a client. The DNS server of a cluster adds it to the questions that it forwards to a
 * federation's server. The data are the name in ASCII and nothing else, so that {@code dig +ednsopt=65432:666f6f} sends the
 * cluster {@code foo}.
 *
 * @param cluster the name of the cluster in lower case, a DNS-1123 subdomain
 */
public record SourceClusterOption(String cluster) {
    /** The default code of the option, from the range for local use (RFC 6891, 9). */
    public static final int DEFAULT_CODE = 65432;

    /** What stands before the data in wire form: the code and the length. */
    private static final int HEADER = 4;

    /**
     * Checks the name.
     *
     * @throws IllegalArgumentException if it is no DNS-1123 subdomain, or a label of it is longer than 63 characters
     */
    public SourceClusterOption {
        Objects.requireNonNull(cluster, "cluster");
        if (!isClusterName(cluster)) {
            throw new IllegalArgumentException("not the name of a cluster (a DNS-1123 subdomain): " + cluster);
        }
    }

    /**
     * Returns whether a text is the name of a cluster: a DNS-1123 subdomain, in lower case, that is a name in DNS, too.
     */
    static boolean isClusterName(String text) {
        if (!KubernetesNames.isDnsSubdomain(text)) {
            return false;
        }
        try {
            DnsLabels unused = DnsLabels.parse(text);
            return true;
        } catch (InvalidNameException longLabel) {
            return false;
        }
    }

    /**
     * Reads the data of an option; the case of letters does not matter.
     *
     * @return empty if the data are no name of a cluster
     */
    public static Optional<SourceClusterOption> parse(byte[] data) {
        Objects.requireNonNull(data, "data");
        String name = new String(data, StandardCharsets.ISO_8859_1).toLowerCase(Locale.ROOT);
        return isClusterName(name) ? Optional.of(new SourceClusterOption(name)) : Optional.empty();
    }

    /**
     * Returns the first option with a code, whatever its data.
     *
     * @param code the option code, 0 to 65535
     */
    static Optional<EDNSOption> first(List<EDNSOption> options, int code) {
        return options.stream().filter(option -> option.getCode() == code).findFirst();
    }

    /** Reads an option, whatever its code. */
    static Optional<SourceClusterOption> parse(EDNSOption option) {
        byte[] wire = option.toWire();
        return parse(Arrays.copyOfRange(wire, HEADER, wire.length));
    }

    /**
     * Returns the option.
     *
     * @param code the option code, usually {@link #DEFAULT_CODE}
     */
    public EDNSOption toOption(int code) {
        return new GenericEDNSOption(code, cluster.getBytes(StandardCharsets.US_ASCII));
    }
}
